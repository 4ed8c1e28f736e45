"""The flat arguments of the components for agents. A subclass must not declare a key again: only what charts share is inherited."""

from collections.abc import Mapping
from typing import NotRequired, TypedDict

import pulumi

from scalr_agents.resources import literals
from scalr_agents.resources import values as typed
from scalr_agents.resources.kubernetes.egress import NetworkArgs
from scalr_agents.resources.kubernetes.secrets_from import SecretsFromArgs


class AgentArgs(TypedDict):
    """The arguments that all charts share."""

    namespace: str
    """Namespace of the agent. It must exist."""
    release: NotRequired[str]
    """Name of the release, the first part of all object names. Default: the component's name."""
    names: NotRequired[literals.Naming]
    """Names of the objects: `scoped` (default), or `chart` for those of the Helm chart, to take over a Helm release."""
    url: NotRequired[pulumi.Input[str]]
    """URL of the Scalr account, `https://<account>.scalr.io`. Value `agent.url`."""
    token: NotRequired[pulumi.Input[str]]
    """Token of the agent pool. It is stored in a Secret. Value `agent.token`."""
    secrets_from: NotRequired[SecretsFromArgs]
    """Secrets that the External Secrets Operator of the cluster reads from a store, instead of `token` and `secret_env`."""
    network: NotRequired[NetworkArgs]
    """What connects to the pods, and what these connect to. Default: the network is restricted only as the values say."""
    await_rollout: NotRequired[bool]
    """Whether a deployment waits until the pods of controllers, workers and agents are ready. Default: true."""
    rollout_timeout_seconds: NotRequired[int]
    """Seconds that a deployment waits. Default: 300."""


class MirrorArgs(TypedDict):
    """The arguments for provider mirrors, of the charts that know them."""

    mirror_tokens: NotRequired[Mapping[str, pulumi.Input[str]]]
    """Tokens of the mirrors in value `agent.providerNetworkMirrors`, by host name. The list is stored in a Secret. Agents 1.3 or newer."""


class ScalingArgs(TypedDict):
    """A number of agents that follows their load (Kubernetes HorizontalPodAutoscaler)."""

    min: NotRequired[int]
    """Agents that always run. Default: 1."""
    max: int
    """Agents that run at most, and so concurrent runs."""
    cpu: NotRequired[int]
    """Average CPU utilization of the agents, in percent of their CPU requests, above which agents are added. Default: 50."""


class AgentJobArgs(AgentArgs, MirrorArgs):
    """Arguments of `AgentJob`, and of the components that it is composed of."""

    agent_version: NotRequired[str]
    """Version of the agent, 0.57 to 0.60, or 0.61.3 or newer. It selects the contract line and the default image tag. Default: 0.57.0."""
    values: NotRequired[typed.AgentJobValues]
    """Values of the chart `agent-job`, as in a values file. Leaves passed on unchanged may be outputs. `null` unsets a default."""
    ca_bundle: NotRequired[pulumi.Input[str]]
    """Certificates to trust instead of the public ones, in PEM. Value `global.tls.caBundle`."""
    agent_image: NotRequired[pulumi.Input[str]]
    """Complete reference of the agent's image, with a tag or a digest. Replaces value `agent.image`."""
    runner_image: NotRequired[pulumi.Input[str]]
    """Complete reference of the runner's image, with a tag or a digest. Replaces value `task.runner.image`."""
    pre_pull: NotRequired[bool]
    """Whether the nodes of runs get the images of runs before a run needs them. Default: false."""
    claim_name: NotRequired[pulumi.Input[str]]
    """Name of the PersistentVolumeClaim for the shared cache. Enables value `persistence.cache`."""
    service_account_annotations: NotRequired[Mapping[str, pulumi.Input[str]]]
    """Annotations of the service account, such as an IAM role. Value `serviceAccount.annotations`."""
    secret_env: NotRequired[Mapping[str, pulumi.Input[str]]]
    """Secret environment variables, by name. They are stored in a Secret. Runs get all but those named `SCALR_*`."""


class AgentLocalArgs(AgentArgs, MirrorArgs):
    """Arguments of `AgentLocal`."""

    agent_version: NotRequired[str]
    """Version of the agent, 0.57 to 0.60, or 0.61.3 or newer. It selects the contract line and the default image tag. Default: 0.59.0."""
    values: NotRequired[typed.AgentLocalValues]
    """Values of the chart `agent-local`, as in a values file. Leaves passed on unchanged may be outputs. `null` unsets a default."""
    ca_bundle: NotRequired[pulumi.Input[str]]
    """Certificates to trust instead of the public ones, in PEM. Agents 1.1 or newer. Value `agent.tls.caBundle`."""
    agent_image: NotRequired[pulumi.Input[str]]
    """Complete reference of the image, with a tag or a digest. Replaces value `image`."""
    claim_name: NotRequired[pulumi.Input[str]]
    """Name of the PersistentVolumeClaim for the cache. Enables the cache's persistence."""
    scaling: NotRequired[ScalingArgs]
    """How the number of agents follows their load. Default: value `replicaCount`."""
    service_account_annotations: NotRequired[Mapping[str, pulumi.Input[str]]]
    """Annotations of the service account, such as an IAM role. Creates the account. Value `serviceAccount.annotations`."""
    secret_env: NotRequired[Mapping[str, pulumi.Input[str]]]
    """Secret environment variables, by name. They are stored in a Secret."""


class AgentK8sArgs(AgentArgs):
    """Arguments of `AgentK8s`."""

    agent_version: NotRequired[str]
    """Version of the agent, 0.53 to 0.60, or 0.61.3 or newer. It selects the contract line and the default image tag. Default: 0.53.0."""
    values: NotRequired[typed.AgentK8sValues]
    """Values of the chart `agent-k8s`, as in a values file. Leaves passed on unchanged may be outputs, such as
    `efsVolumeHandle`. `null` unsets a default."""
    agent_image: NotRequired[pulumi.Input[str]]
    """Complete reference of the image, with a tag or a digest. Replaces value `image`."""
    service_account_annotations: NotRequired[Mapping[str, pulumi.Input[str]]]
    """Annotations of the service account, such as an IAM role. Value `serviceAccount.annotations`."""
    secret_env: NotRequired[Mapping[str, pulumi.Input[str]]]
    """Secret environment variables, by name. They are stored in a Secret."""
