"""The settings of the components for agents, as programs write them. `make schema` makes their types of these models."""

from typing import Annotated, ClassVar

from pydantic import BeforeValidator, Field

from scalr_agents.charts.shared.external_secrets import SecretsFrom
from scalr_agents.charts.shared.inputs import Network, Scaling
from scalr_agents.model.fields import Annotations, InputMap, InputText, OpenMap, SecretEnv, Text
from scalr_agents.model.forms import integral
from scalr_agents.model.relations import Is, Relations, excludes, no_effect
from scalr_agents.model.release import Naming
from scalr_agents.model.section import Section


class AgentArguments(Section):
    """The arguments that the agents of all charts share."""

    namespace: str
    """Namespace of the agent. It must exist."""
    release: Text = ""
    """Name of the release, the first part of all object names. Default: the component's name."""
    names: Naming = "scoped"
    """Names of the objects: `scoped`, or `chart` for those of the Helm chart, to take over a Helm release."""
    agent_version: str | None = None
    values: OpenMap = {}
    url: InputText | None = None
    """URL of the Scalr account, `https://<account>.scalr.io`. Value `agent.url`."""
    token: InputText | None = None
    """Token of the agent pool. It is stored in a Secret. Value `agent.token`."""
    agent_image: InputText | None = None
    """Complete reference of the image, with a tag or a digest. Replaces value `image`."""
    service_account_annotations: Annotations = {}
    """Annotations of the service account, such as an IAM role. Value `serviceAccount.annotations`."""
    secret_env: SecretEnv = {}
    """Secret environment variables, by name. They are stored in a Secret."""
    secrets_from: SecretsFrom | None = None
    """Secrets that the External Secrets Operator of the cluster reads from a store, instead of `token` and `secret_env`."""
    network: Network | None = None
    """What connects to the pods, and what these connect to. Default: the network is restricted only as the values say."""
    await_rollout: bool = True
    """Whether a deployment waits until the pods of controllers, workers and agents are ready."""
    rollout_timeout_seconds: Annotated[int, BeforeValidator(integral), Field(gt=0)] = 300
    """Seconds that a deployment waits."""

    relations: ClassVar[Relations] = (
        no_effect("rollout_timeout_seconds", when=Is("await_rollout", False), because="{await_rollout} is false", severity="warning"),
        excludes("token", when="secrets_from.token", because="given together with {secrets_from.token}; keep one of them"),
        excludes("secret_env", when="secrets_from.env", because="given together with {secrets_from.env}; keep one of them"),
    )


class MirrorArguments(AgentArguments):
    """The arguments that `AgentJob` and `AgentLocal` share."""

    mirror_tokens: InputMap = {}
    """Tokens of the mirrors in value `agent.providerNetworkMirrors`, by host name. The list is stored in a Secret. Agents 1.3 or newer."""


class AgentJobArguments(MirrorArguments):
    """Arguments of `AgentJob`, and of the components that it is composed of."""

    agent_version: str | None = None
    """Version of the agent, 0.57 to 0.60, or 0.61.3 or newer. It selects the contract line and the default image tag. Default: 0.57.0."""
    values: OpenMap = {}
    """Values of the chart `agent-job`, as in a values file. Leaves passed on unchanged may be outputs. `null` unsets a default."""
    ca_bundle: InputText | None = None
    """Certificates to trust instead of the public ones, in PEM. Value `global.tls.caBundle`."""
    agent_image: InputText | None = None
    """Complete reference of the agent's image, with a tag or a digest. Replaces value `agent.image`."""
    runner_image: InputText | None = None
    """Complete reference of the runner's image, with a tag or a digest. Replaces value `task.runner.image`."""
    pre_pull: bool = False
    """Whether the nodes of runs get the images of runs before a run needs them."""
    claim_name: InputText | None = None
    """Name of the PersistentVolumeClaim for the shared cache. Enables value `persistence.cache`."""
    secret_env: SecretEnv = {}
    """Secret environment variables, by name. They are stored in a Secret. Runs get all but those named `SCALR_*`."""


class AgentLocalArguments(MirrorArguments):
    """Arguments of `AgentLocal`."""

    agent_version: str | None = None
    """Version of the agent, 0.57 to 0.60, or 0.61.3 or newer. It selects the contract line and the default image tag. Default: 0.59.0."""
    values: OpenMap = {}
    """Values of the chart `agent-local`, as in a values file. Leaves passed on unchanged may be outputs. `null` unsets a default."""
    ca_bundle: InputText | None = None
    """Certificates to trust instead of the public ones, in PEM. Agents 1.1 or newer. Value `agent.tls.caBundle`."""
    claim_name: InputText | None = None
    """Name of the PersistentVolumeClaim for the cache. Enables the cache's persistence."""
    scaling: Scaling | None = None
    """How the number of agents follows their load. Default: value `replicaCount`."""
    service_account_annotations: Annotations = {}
    """Annotations of the service account, such as an IAM role. Creates the account. Value `serviceAccount.annotations`."""


class AgentK8sArguments(AgentArguments):
    """Arguments of `AgentK8s`."""

    agent_version: str | None = None
    """Version of the agent, 0.53 to 0.60, or 0.61.3 or newer. It selects the contract line and the default image tag. Default: 0.53.0."""
    values: OpenMap = {}
    """Values of the chart `agent-k8s`, as in a values file. Leaves passed on unchanged may be outputs, such as `efsVolumeHandle`. `null`
    unsets a default."""


class CrdsArguments(Section):
    """Arguments of `AgentCrds`."""

    agent_version: str | None = None
    """Version of the agents whose definition to install. Default: the definitions for all versions, which can coexist."""
