"""The values of the chart `agent-local`. `make schema` writes this file."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Required, TypedDict

import pulumi


class AgentLocalRollingUpdateValues(TypedDict, total=False):
    """How many pods a rollout replaces at a time. At least one of the two values must be above zero."""

    maxSurge: int | str | None
    """Pods above the number of replicas during a rollout, a number or a percentage (rounded up). Default: `25%`."""
    maxUnavailable: int | str | None
    """Pods that may be unavailable during a rollout, a number or a percentage (rounded down). Default: `50%`."""


class AgentLocalStrategyValues(TypedDict, total=False):
    """Kubernetes field `spec.strategy` of the Deployment. A StatefulSet has none of this: it stops an agent before it starts the next."""

    type: Literal["RollingUpdate", "Recreate"]
    """`RollingUpdate` starts new pods while old ones run; `Recreate` first stops all old ones. Default: `RollingUpdate`."""
    rollingUpdate: AgentLocalRollingUpdateValues
    """Limits of a rolling update. Only with type `RollingUpdate`."""


class AgentLocalClaimRetentionPolicyValues(TypedDict, total=False):
    """When a StatefulSet deletes the claims of its pods (Kubernetes field `spec.persistentVolumeClaimRetentionPolicy`)."""

    whenDeleted: Literal["Retain", "Delete"]
    """Whether claims are deleted with the StatefulSet, also when a change replaces it. `Retain` keeps them for the next one. Default:
    `Retain`. Only agents 0.61.3 or newer."""
    whenScaled: Literal["Retain", "Delete"]
    """Whether the claims of agents that scaling in removes are deleted. `Retain` keeps them until the agents are back. Default: `Retain`.
    Only agents 0.61.3 or newer."""


class AgentLocalStatefulSetValues(TypedDict, total=False):
    """Settings of a StatefulSet."""

    persistentVolumeClaimRetentionPolicy: AgentLocalClaimRetentionPolicyValues
    """When claims are deleted. Without effect on existing claims (`claimName`). Only agents 0.61.3 or newer."""


class AgentLocalWorkloadValues(TypedDict, total=False):
    """The object that runs the agents. Not in the chart up to 0.6.5."""

    kind: Literal["Deployment", "StatefulSet"]
    """`Deployment`: all agents share the created claims. `StatefulSet`: each agent has a fixed name and claims of its own, which outlive
    its pod, and a rollout replaces one agent after another. Default: `Deployment`. Only agents 0.61.3 or newer."""
    statefulSet: AgentLocalStatefulSetValues
    """Used if `kind` is `StatefulSet`. Only agents 0.61.3 or newer."""


class AgentLocalImageValues(TypedDict, total=False):
    """A container image; the reference is `[registry/]repository:tag`."""

    repository: str | None
    """Repository, without tag. Default: `scalr/agent`. Older defaults: `scalr/agent-runner` (agents 0.57 to 1.0)."""
    tag: str | None
    """Tag, or `tag@sha256:...` to pin a digest. Default: the agent version."""
    pullPolicy: Literal["Always", "IfNotPresent", "Never"]
    """Kubernetes field `imagePullPolicy`. Default: `IfNotPresent`."""


class AgentLocalSecretReferenceValues(TypedDict, total=False):
    """An existing Secret in the release's namespace."""

    name: pulumi.Input[str] | None
    """Name of the Secret. Default: a Secret is created."""
    key: str
    """Key of the value in the Secret. Has no effect without `name`. Default: `token`."""


class AgentLocalNetworkMirrorValues(TypedDict, total=False):
    """A provider network mirror."""

    url: Required[pulumi.Input[str] | None]
    """Base URL of the mirror, `https://.../`."""
    token: pulumi.Input[str] | None
    """Token for the mirror. If set, the list of mirrors becomes a Secret. Default: none."""
    include: Sequence[str]
    """Providers to download from the mirror; patterns are allowed. Default: all."""


class AgentLocalCaBundleSecretValues(TypedDict, total=False):
    """An existing Secret with a CA bundle."""

    name: pulumi.Input[str] | None
    """Name of the Secret. Default: a Secret is created. Only agents 1.1 or newer."""
    key: str
    """Key of the bundle, in the existing Secret and in the one created from `caBundle`. Default: `ca-bundle.crt`. Only agents 1.1 or
    newer."""


class AgentLocalClientCertSecretValues(TypedDict, total=False):
    """An existing Secret with the agent's client certificate and private key, for mutual TLS."""

    name: pulumi.Input[str] | None
    """Name of the Secret. Default: a Secret is created from `clientCert` and `clientKey`. Only agents 1.0.0, 1.1 or newer."""
    certKey: str
    """Key of the certificate, in the existing and in the created Secret. Default: `tls.crt`. Only agents 1.0.0, 1.1 or newer."""
    keyKey: str
    """Key of the private key, in the existing and in the created Secret. Default: `tls.key`. Only agents 1.0.0, 1.1 or newer."""


class AgentLocalTlsValues(TypedDict, total=False):
    """Certificate authorities that the agent trusts, and its client certificate."""

    caBundleSecret: AgentLocalCaBundleSecretValues
    """An existing Secret with the CA bundle. Takes precedence over `caBundle`. Only agents 1.1 or newer."""
    caBundle: pulumi.Input[str] | None
    """CA certificates in PEM format. They replace the public ones; include those as well if the agent needs them. Environment variables
    `SCALR_AGENT_CA_CERT` and `SSL_CERT_FILE`. Only agents 1.1 or newer."""
    clientCertSecret: AgentLocalClientCertSecretValues
    """An existing Secret with the client certificate and key. Takes precedence over `clientCert` and `clientKey`. Only agents 1.0.0, 1.1 or
    newer."""
    clientCert: pulumi.Input[str] | None
    """Client certificate of the agent in PEM format, for mutual TLS. Requires `clientKey`. Environment variable
    `SCALR_AGENT_TLS_CERT_FILE`. Only agents 1.0.0, 1.1 or newer."""
    clientKey: pulumi.Input[str] | None
    """Private key of the client certificate in PEM format. Becomes a Secret. In a stack file, set it under `secrets`. Environment variable
    `SCALR_AGENT_TLS_KEY_FILE`. Only agents 1.0.0, 1.1 or newer."""


class AgentLocalAgentValues(TypedDict, total=False):
    """The agent process."""

    url: pulumi.Input[str] | None
    """URL of the Scalr account, `https://<account>.scalr.io`. If it is empty, there is a warning, and the agent uses the address in its
    token, which becomes wrong when the account is renamed. Environment variable `SCALR_URL`."""
    token: pulumi.Input[str] | None
    """Token of the agent pool. Becomes a Secret. In a stack file, set it under `secrets`. Environment variable `SCALR_AGENT_TOKEN`."""
    tokenExistingSecret: AgentLocalSecretReferenceValues
    """An existing Secret with the token. Takes precedence over `token`."""
    shutdownMode: Literal["graceful", "drain", "force"]
    """What a stopping pod does with its run: `graceful` asks it to stop, `drain` first waits for it to finish, `force` kills it. Default:
    `graceful`."""
    dataDir: str
    """Mount path of workspace data. Must be readable, writable and executable. Environment variable `SCALR_AGENT_DATA_DIR`. Default:
    `/var/lib/scalr-agent/data`."""
    cacheDir: str
    """Mount path of the cache. Must be readable, writable and executable. Environment variable `SCALR_AGENT_CACHE_DIR`. Default:
    `/var/lib/scalr-agent/cache`."""
    providerNetworkMirrors: Sequence[AgentLocalNetworkMirrorValues] | None
    """Mirrors to download providers from, tried in this order before the origin registry. Environment variable
    `SCALR_AGENT_PROVIDER_NETWORK_MIRRORS`. Only agents 1.3 or newer."""
    tls: AgentLocalTlsValues
    """Certificate authorities that the agent trusts, and its client certificate."""


class AgentLocalSecretMetadataValues(TypedDict, total=False):
    """Metadata of the Secrets that are created."""

    annotations: Mapping[str, pulumi.Input[str]] | None
    """Annotations of the Secrets."""
    labels: Mapping[str, str] | None
    """Labels of the Secret with the token, added to the common ones."""


class AgentLocalServiceAccountValues(TypedDict, total=False):
    """The service account of the pods (Kubernetes field `spec.serviceAccountName`). Runs use it too."""

    create: bool | None
    """Whether to create the service account. Default: `false`."""
    automountToken: bool | None
    """Whether to mount the account's token for the Kubernetes API into the pods, where runs can use it. The agent does not need it.
    Default: `false`."""
    annotations: Mapping[str, pulumi.Input[str]] | None
    """Annotations of the account, for instance an IAM role (`eks.amazonaws.com/role-arn`)."""
    labels: Mapping[str, str] | None
    """Labels of the account, added to the common ones."""
    name: str | None
    """Name of the service account. Default: the release's full name if `create` is true, else the namespace's `default`."""


class AgentLocalCacheClaimValues(TypedDict, total=False):
    """The claim of the cache."""

    claimName: pulumi.Input[str] | None
    """Name of an existing claim. Default: a claim is created. `persistence.cache.persistentVolumeClaim.claimName`: Only agents 1.1 or
    newer."""
    storageClassName: str | None
    """Storage class of the created claim. `-` means none, for static volumes. Default: the cluster's default class.
    `persistence.cache.persistentVolumeClaim.storageClassName`: Only agents 1.1 or newer."""
    storage: str | float
    """Size of the created claim. Default: `20Gi`. `persistence.cache.persistentVolumeClaim.storage`: Only agents 1.1 or newer."""
    accessMode: Literal["ReadWriteOnce", "ReadWriteMany", "ReadWriteOncePod", "ReadOnlyMany"]
    """Access mode of the created claim. Default: `ReadWriteOnce`. `persistence.cache.persistentVolumeClaim.accessMode`: Only agents 1.1 or
    newer."""
    subPath: str | None
    """Directory inside the volume, so that several releases can share a volume. Default: the root of the volume.
    `persistence.cache.persistentVolumeClaim.subPath`: Only agents 1.1 or newer."""
    annotations: Mapping[str, pulumi.Input[str]] | None
    """Annotations of the created claim, for instance for backups. Not in the chart up to 0.6.5.
    `persistence.persistentVolumeClaim.annotations`: Only agents 0.61.3 or newer. `persistence.cache.persistentVolumeClaim.annotations`:
    Only agents 1.1 or newer."""


class AgentLocalClaimValues(TypedDict, total=False):
    """A PersistentVolumeClaim: an existing one, or one that is created."""

    claimName: pulumi.Input[str] | None
    """Name of an existing claim. Default: a claim is created. Only agents 1.1 or newer."""
    storageClassName: str | None
    """Storage class of the created claim. `-` means none, for static volumes. Default: the cluster's default class. Only agents 1.1 or
    newer."""
    storage: str | float
    """Size of the created claim. Default: `4Gi`. Only agents 1.1 or newer."""
    accessMode: Literal["ReadWriteOnce", "ReadWriteMany", "ReadWriteOncePod", "ReadOnlyMany"]
    """Access mode of the created claim. Default: `ReadWriteOnce`. Only agents 1.1 or newer."""
    subPath: str | None
    """Directory inside the volume, so that several releases can share a volume. Default: the root of the volume. Only agents 1.1 or
    newer."""
    annotations: Mapping[str, pulumi.Input[str]] | None
    """Annotations of the created claim, for instance for backups. Not in the chart up to 0.6.5. Only agents 1.1 or newer."""


class AgentLocalDataValues(TypedDict, total=False):
    """Workspace data of the run in progress."""

    enabled: bool | None
    """Whether to use a claim. Default: an emptyDir, which is deleted with the pod. Only agents 1.1 or newer."""
    emptyDir: Any
    """Kubernetes EmptyDirVolumeSource, used if `enabled` is false."""
    persistentVolumeClaim: AgentLocalClaimValues
    """The claim, used if `enabled` is true. Only agents 1.1 or newer."""


class AgentLocalCacheValues(TypedDict, total=False):
    """The cache of binaries, providers and modules."""

    enabled: bool | None
    """Whether to use a claim. Default: an emptyDir, which is deleted with the pod. Only agents 1.1 or newer."""
    emptyDir: Any
    """Kubernetes EmptyDirVolumeSource, used if `enabled` is false."""
    persistentVolumeClaim: AgentLocalCacheClaimValues
    """The claim, used if `enabled` is true. Only agents 1.1 or newer."""


class AgentLocalPersistenceValues(TypedDict, total=False):
    """Volumes of the agent's pods."""

    enabled: bool | None
    """Whether to use a claim for the cache. Deprecated from agent 1.1 on: use `cache.enabled`. Default: `false`."""
    persistentVolumeClaim: AgentLocalCacheClaimValues
    """The cache's claim. Deprecated from agent 1.1 on: use `cache.persistentVolumeClaim`."""
    emptyDir: Any
    """Kubernetes EmptyDirVolumeSource of both volumes, which were one volume in charts before 0.5.64. Takes precedence over their own
    `emptyDir`. Only agents 0.57 to 0.59."""
    data: AgentLocalDataValues
    """Workspace data."""
    cache: AgentLocalCacheValues
    """The cache."""


class AgentLocalValues(TypedDict, total=False):
    """Values of `agent-local`: a Deployment or StatefulSet of agents, each of which executes one run at a time in its own container."""

    nameOverride: str | None
    """Replaces the chart's name in object names and in the label `app.kubernetes.io/name`. Default: the chart's name."""
    fullnameOverride: str | None
    """Replaces the whole base of the object names (`<release>-<chart>`). Default: derived from release and chart."""
    priorityClassName: str | None
    """An existing PriorityClass for these pods. Not in the chart. Default: the cluster's default priority. Only agents 0.61.3 or newer."""
    runtimeClassName: str | None
    """An existing RuntimeClass for these pods, for instance of gVisor or Kata. Not in the chart. Default: the default runtime of the node.
    Only agents 0.61.3 or newer."""
    hostUsers: bool | None
    """`false` runs these pods in a user namespace of their own, so that their users mean nothing on the node (Kubernetes `hostUsers`).
    Their volumes must support id mapping, which NFS does not. Not in the chart. Default: `true`. Only agents 0.61.3 or newer."""
    hostAliases: Sequence[Any] | None
    """Kubernetes HostAlias list: further entries of `/etc/hosts`. Not in the chart. Only agents 0.61.3 or newer."""
    dnsPolicy: Literal["ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"]
    """Where these pods look up names (Kubernetes field `dnsPolicy`). Not in the chart. Default: `ClusterFirst`. Only agents 0.61.3 or
    newer."""
    dnsConfig: Any
    """Name servers, search domains and options (Kubernetes PodDNSConfig), merged with what `dnsPolicy` gives. Not in the chart. Only agents
    0.61.3 or newer."""
    initContainers: Sequence[Any] | None
    """Containers that run, one after another, before the pod's own. Not in the chart. Only agents 0.61.3 or newer."""
    replicaCount: int | None
    """Number of agents, and so of concurrent runs. `null` leaves the number to an autoscaler. Default: `1`."""
    strategy: AgentLocalStrategyValues
    """How a rollout replaces the pods of a Deployment."""
    workload: AgentLocalWorkloadValues
    """The object that runs the agents. Only agents 0.61.3 or newer."""
    imagePullSecrets: Sequence[Any] | None
    """Pull secrets of the pods, `[{name: ...}]`."""
    image: AgentLocalImageValues
    """Image of the agent, with the tools that runs need."""
    agent: AgentLocalAgentValues
    """The agent process."""
    extraEnv: Mapping[str, str | float | bool] | None
    """Environment variables of the agent and of runs. Variables that the agent sets itself are rejected."""
    secret: AgentLocalSecretMetadataValues
    """Metadata of the Secrets."""
    serviceAccount: AgentLocalServiceAccountValues
    """The service account of the pods."""
    podAnnotations: Mapping[str, pulumi.Input[str]] | None
    """Annotations of the pods. Take precedence over the four that prevent eviction by autoscalers."""
    podLabels: Mapping[str, str] | None
    """Labels of the pods. Those that the selectors use cannot be changed. Not in the chart up to 0.6.5. Only agents 0.61.3 or newer."""
    podSecurityContext: Any
    """Kubernetes PodSecurityContext of the pods."""
    securityContext: Any
    """Kubernetes SecurityContext of the container, merged with `allowPrivilegeEscalation: false` unless it is privileged."""
    nodeSelector: Mapping[str, str] | None
    """Node selector of the pods."""
    tolerations: Sequence[Any] | None
    """Tolerations of the pods."""
    topologySpreadConstraints: Sequence[Any] | None
    """Topology spread constraints of the pods. Not in the chart. Only agents 0.61.3 or newer."""
    affinity: Any
    """Affinity of the pods."""
    resources: Any
    """Resources of the container, which the agent and its run share. Equal requests and limits make an eviction least likely."""
    extraVolumes: Sequence[Any] | None
    """Additional volumes of the pods. The names `data-dir`, `cache-dir`, `client-cert` and `ca-bundle` are reserved if they are used. Only
    agents 1.1 or newer."""
    extraVolumeMounts: Sequence[Any] | None
    """Additional mounts of volumes from `extraVolumes`, or of the agent's own. Only agents 1.1 or newer."""
    persistence: AgentLocalPersistenceValues
    """Volumes for workspace data and for the cache."""
    terminationGracePeriodSeconds: int | None
    """Seconds that a pod has to stop. The shutdown timeouts are derived from it. At least 30 for `agent.shutdownMode: graceful`, 120 for
    `drain`, 10 for `force`. `null`: 30, the default of Kubernetes. Default: `120`."""
    allowMetadataService: bool | None
    """Whether agents and runs may reach the cloud's metadata service. If false, a NetworkPolicy blocks it. Default: `true`."""
