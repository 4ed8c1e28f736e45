"""The arguments of the components for agents. `make schema` writes this file, from the models."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NotRequired, TypedDict

import pulumi

from scalr_agents.resources import values as typed

if TYPE_CHECKING:
    EnforcedBy = Literal["kubernetes", "cilium", "gke"]
    Ingress = Literal["deny"]
    Kind = Literal["SecretStore", "ClusterSecretStore"]
    Names = Literal["scoped", "chart"]
else:  # the component host does not support `Literal`
    EnforcedBy = Ingress = Kind = Names = str


class SecretStoreArgs(TypedDict):
    """The store, an object of the External Secrets Operator."""

    name: pulumi.Input[str]
    """Name of the store."""
    kind: NotRequired[Kind]
    """`SecretStore`, in the agent's namespace, or `ClusterSecretStore`. Default: `SecretStore`."""


class RemoteSecretArgs(TypedDict):
    """A value in the store."""

    key: pulumi.Input[str]
    """Name of the secret in the store."""
    property: NotRequired[pulumi.Input[str]]
    """Property of that secret, if it has several. Default: its whole content."""


class SecretsFromArgs(TypedDict):
    """Secrets that the External Secrets Operator reads from a store. For each Secret there is an ExternalSecret of the same name."""

    store: SecretStoreArgs
    """The store."""
    refresh_interval: NotRequired[str]
    """How often the operator reads the store, for instance `30m`; `0s` reads it only once. Default: `1h`."""
    token: NotRequired[RemoteSecretArgs]
    """Token of the agent pool."""
    env: NotRequired[Mapping[str, RemoteSecretArgs]]
    """Secret environment variables, by name. Runs get all but those named `SCALR_*`."""
    client_key: NotRequired[RemoteSecretArgs]
    """Private key of the agent for mutual TLS, in PEM. Its certificate belongs in the values."""


class EgressEntryArgs(TypedDict):
    """A destination that an agent may connect to. Set exactly one of `host`, `cidr` and `namespace`."""

    host: NotRequired[str]
    """A host name. A leading `*.` matches exactly one label. `enforced_by: kubernetes` supports names only behind a proxy."""
    cidr: NotRequired[str]
    """A network outside of the cluster, IPv4 or IPv6."""
    namespace: NotRequired[str]
    """A namespace of the cluster: all of its pods."""
    ports: NotRequired[Sequence[int]]
    """TCP ports; for a namespace, those of its pods, not of its Services. Default: `443`."""


class EgressArgs(TypedDict):
    """The connections that agents and runs may open. What the settings imply is always allowed: docs/network.md lists it."""

    only: NotRequired[Sequence[EgressEntryArgs]]
    """Further destinations. Everything else is refused."""
    enforced_by: NotRequired[EnforcedBy]
    """What enforces it: `kubernetes` (NetworkPolicy, without names), `cilium` (CiliumNetworkPolicy) or `gke` (FQDNNetworkPolicy). Default:
    `kubernetes`."""


class NetworkArgs(TypedDict):
    """What connects to agents and runs, and what these connect to."""

    ingress: NotRequired[Ingress]
    """`deny` refuses all connections to the agent's pods. Agents accept none. Default: this is left to other policies."""
    egress: NotRequired[EgressArgs]
    """Restricts the connections that the agent's pods open. Default: only the metadata service is closed, as the agent's values say."""


class AgentJobArgs(TypedDict):
    """Arguments of `AgentJob`, and of the components that it is composed of."""

    namespace: str
    """Namespace of the agent. It must exist."""
    release: NotRequired[str]
    """Name of the release, the first part of all object names. Default: the component's name."""
    names: NotRequired[Names]
    """Names of the objects: `scoped`, or `chart` for those of the Helm chart, to take over a Helm release. Default: `scoped`."""
    agent_version: NotRequired[str]
    """Version of the agent, 0.57 to 0.60, or 0.61.3 or newer. It selects the contract line and the default image tag. Default: 0.57.0."""
    values: NotRequired[typed.AgentJobValues]
    """Values of the chart `agent-job`, as in a values file. Leaves passed on unchanged may be outputs. `null` unsets a default."""
    url: NotRequired[pulumi.Input[str]]
    """URL of the Scalr account, `https://<account>.scalr.io`. Value `agent.url`."""
    token: NotRequired[pulumi.Input[str]]
    """Token of the agent pool. It is stored in a Secret. Value `agent.token`."""
    agent_image: NotRequired[pulumi.Input[str]]
    """Complete reference of the agent's image, with a tag or a digest. Replaces value `agent.image`."""
    service_account_annotations: NotRequired[Mapping[str, pulumi.Input[str]]]
    """Annotations of the service account, such as an IAM role. Value `serviceAccount.annotations`."""
    secret_env: NotRequired[Mapping[str, pulumi.Input[str]]]
    """Secret environment variables, by name. They are stored in a Secret. Runs get all but those named `SCALR_*`."""
    secrets_from: NotRequired[SecretsFromArgs]
    """Secrets that the External Secrets Operator of the cluster reads from a store, instead of `token` and `secret_env`."""
    network: NotRequired[NetworkArgs]
    """What connects to the pods, and what these connect to. Default: the network is restricted only as the values say."""
    await_rollout: NotRequired[bool]
    """Whether a deployment waits until the pods of controllers, workers and agents are ready. Default: `true`."""
    rollout_timeout_seconds: NotRequired[int]
    """Seconds that a deployment waits. Default: `300`."""
    mirror_tokens: NotRequired[Mapping[str, pulumi.Input[str]]]
    """Tokens of the mirrors in value `agent.providerNetworkMirrors`, by host name. The list is stored in a Secret. Agents 1.3 or newer."""
    ca_bundle: NotRequired[pulumi.Input[str]]
    """Certificates to trust instead of the public ones, in PEM. Value `global.tls.caBundle`."""
    runner_image: NotRequired[pulumi.Input[str]]
    """Complete reference of the runner's image, with a tag or a digest. Replaces value `task.runner.image`."""
    pre_pull: NotRequired[bool]
    """Whether the nodes of runs get the images of runs before a run needs them. Default: `false`."""
    claim_name: NotRequired[pulumi.Input[str]]
    """Name of the PersistentVolumeClaim for the shared cache. Enables value `persistence.cache`."""


class ScalingArgs(TypedDict):
    """A number of agents that follows their load (Kubernetes HorizontalPodAutoscaler)."""

    min: NotRequired[int]
    """Agents that always run, at least 1: without an agent there is no CPU use to scale on. Default: `1`."""
    max: int
    """Agents that run at most, and so concurrent runs."""
    cpu: NotRequired[int]
    """Average CPU utilization of the agents, in percent of their CPU requests. Above it agents are added, below it they are removed.
    Default: `50`."""


class AgentLocalArgs(TypedDict):
    """Arguments of `AgentLocal`."""

    namespace: str
    """Namespace of the agent. It must exist."""
    release: NotRequired[str]
    """Name of the release, the first part of all object names. Default: the component's name."""
    names: NotRequired[Names]
    """Names of the objects: `scoped`, or `chart` for those of the Helm chart, to take over a Helm release. Default: `scoped`."""
    agent_version: NotRequired[str]
    """Version of the agent, 0.57 to 0.60, or 0.61.3 or newer. It selects the contract line and the default image tag. Default: 0.59.0."""
    values: NotRequired[typed.AgentLocalValues]
    """Values of the chart `agent-local`, as in a values file. Leaves passed on unchanged may be outputs. `null` unsets a default."""
    url: NotRequired[pulumi.Input[str]]
    """URL of the Scalr account, `https://<account>.scalr.io`. Value `agent.url`."""
    token: NotRequired[pulumi.Input[str]]
    """Token of the agent pool. It is stored in a Secret. Value `agent.token`."""
    agent_image: NotRequired[pulumi.Input[str]]
    """Complete reference of the image, with a tag or a digest. Replaces value `image`."""
    service_account_annotations: NotRequired[Mapping[str, pulumi.Input[str]]]
    """Annotations of the service account, such as an IAM role. Creates the account. Value `serviceAccount.annotations`."""
    secret_env: NotRequired[Mapping[str, pulumi.Input[str]]]
    """Secret environment variables, by name. They are stored in a Secret."""
    secrets_from: NotRequired[SecretsFromArgs]
    """Secrets that the External Secrets Operator of the cluster reads from a store, instead of `token` and `secret_env`."""
    network: NotRequired[NetworkArgs]
    """What connects to the pods, and what these connect to. Default: the network is restricted only as the values say."""
    await_rollout: NotRequired[bool]
    """Whether a deployment waits until the pods of controllers, workers and agents are ready. Default: `true`."""
    rollout_timeout_seconds: NotRequired[int]
    """Seconds that a deployment waits. Default: `300`."""
    mirror_tokens: NotRequired[Mapping[str, pulumi.Input[str]]]
    """Tokens of the mirrors in value `agent.providerNetworkMirrors`, by host name. The list is stored in a Secret. Agents 1.3 or newer."""
    ca_bundle: NotRequired[pulumi.Input[str]]
    """Certificates to trust instead of the public ones, in PEM. Agents 1.1 or newer. Value `agent.tls.caBundle`."""
    claim_name: NotRequired[pulumi.Input[str]]
    """Name of the PersistentVolumeClaim for the cache. Enables the cache's persistence."""
    scaling: NotRequired[ScalingArgs]
    """How the number of agents follows their load. Default: value `replicaCount`."""


class AgentK8sArgs(TypedDict):
    """Arguments of `AgentK8s`."""

    namespace: str
    """Namespace of the agent. It must exist."""
    release: NotRequired[str]
    """Name of the release, the first part of all object names. Default: the component's name."""
    names: NotRequired[Names]
    """Names of the objects: `scoped`, or `chart` for those of the Helm chart, to take over a Helm release. Default: `scoped`."""
    agent_version: NotRequired[str]
    """Version of the agent, 0.53 to 0.60, or 0.61.3 or newer. It selects the contract line and the default image tag. Default: 0.53.0."""
    values: NotRequired[typed.AgentK8sValues]
    """Values of the chart `agent-k8s`, as in a values file. Leaves passed on unchanged may be outputs, such as `efsVolumeHandle`. `null`
    unsets a default."""
    url: NotRequired[pulumi.Input[str]]
    """URL of the Scalr account, `https://<account>.scalr.io`. Value `agent.url`."""
    token: NotRequired[pulumi.Input[str]]
    """Token of the agent pool. It is stored in a Secret. Value `agent.token`."""
    agent_image: NotRequired[pulumi.Input[str]]
    """Complete reference of the image, with a tag or a digest. Replaces value `image`."""
    service_account_annotations: NotRequired[Mapping[str, pulumi.Input[str]]]
    """Annotations of the service account, such as an IAM role. Value `serviceAccount.annotations`."""
    secret_env: NotRequired[Mapping[str, pulumi.Input[str]]]
    """Secret environment variables, by name. They are stored in a Secret."""
    secrets_from: NotRequired[SecretsFromArgs]
    """Secrets that the External Secrets Operator of the cluster reads from a store, instead of `token` and `secret_env`."""
    network: NotRequired[NetworkArgs]
    """What connects to the pods, and what these connect to. Default: the network is restricted only as the values say."""
    await_rollout: NotRequired[bool]
    """Whether a deployment waits until the pods of controllers, workers and agents are ready. Default: `true`."""
    rollout_timeout_seconds: NotRequired[int]
    """Seconds that a deployment waits. Default: `300`."""


class AgentCrdsArgs(TypedDict):
    """Arguments of `AgentCrds`."""

    agent_version: NotRequired[str]
    """Version of the agents whose definition to install. Default: the definitions for all versions, which can coexist."""
