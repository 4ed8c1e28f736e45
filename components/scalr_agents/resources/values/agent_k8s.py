"""The values of the chart `agent-k8s`. `make schema` writes this file."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict

import pulumi


class AgentK8sAgentImageValues(TypedDict, total=False):
    """Image of controller and workers."""

    repository: str | None
    """Repository, without tag. Default: `scalr/agent`."""
    tag: str | None
    """Tag, or `tag@sha256:...` to pin a digest. Default: the agent version."""
    pullPolicy: Literal["Always", "IfNotPresent", "Never"]
    """Kubernetes field `imagePullPolicy`. Default: `Always`."""


class AgentK8sAgentValues(TypedDict, total=False):
    """Controller and workers, and the pods that they start. For a number set to `null`, the agent decides."""

    url: pulumi.Input[str] | None
    """URL of the Scalr account, `https://<account>.scalr.io`. If it is empty, there is a warning, and the agent uses the address in its
    token, which becomes wrong when the account is renamed. Environment variable `SCALR_URL`."""
    token: pulumi.Input[str] | None
    """Token of the agent pool. Becomes a Secret. In a stack file, set it under `secrets`. Environment variable `SCALR_AGENT_TOKEN`."""
    tokenExistingSecret: pulumi.Input[str] | None
    """Name of an existing Secret with the token. Takes precedence over `token`."""
    tokenExistingSecretKey: str | None
    """Key of the token in that Secret. Has no effect without `tokenExistingSecret`. Default: `token`."""
    debug: str | float | bool | None
    """`true` sets the log level to debug. Environment variable `SCALR_AGENT_DEBUG`. Default: `false`."""
    log_format: Literal["plain", "dev", "json"]
    """Log format. Environment variable `SCALR_AGENT_LOG_FORMAT`. Default: `json`."""
    worker_on_stop_action: Literal["drain", "grace-shutdown", "force-shutdown"]
    """What a stopping worker does with its runs: `drain` waits for them to finish, `grace-shutdown` stops them, `force-shutdown` kills
    them. Environment variable `SCALR_AGENT_WORKER_ON_STOP_ACTION`. Default: `drain`."""
    worker_drain_timeout: int | None
    """Seconds that a drain waits for runs to finish. Environment variable `SCALR_AGENT_WORKER_DRAIN_TIMEOUT`. Default: `3600`."""
    grace_shutdown_timeout: int | None
    """Seconds that runs have to stop when they are stopped. Environment variable `SCALR_AGENT_WORKER_GRACE_SHUTDOWN_TIMEOUT`. Default:
    `60`."""
    disconnect_on_stop: str | float | bool | None
    """Whether an agent disconnects from its pool when it stops. Environment variable `SCALR_AGENT_DISCONNECT_ON_STOP`. Default: `true`."""
    data_home: str
    """Directory on every worker's node for caches and workspaces, or the mount path of EFS. Environment variable `SCALR_AGENT_DATA_DIR`.
    Default: `/home/kubernetes/flexvolume/agent-k8s`."""
    ca_cert: pulumi.Input[str] | None
    """CA bundle for the agent and its run pods: the PEM file in base64, or a path in the agent's image. Environment variable
    `SCALR_AGENT_CA_CERT`."""
    container_task_scheduling_timeout: int | None
    """Seconds after which a run fails if its pod cannot be scheduled. Environment variable `SCALR_AGENT_CONTAINER_TASK_SCHEDULING_TIMEOUT`.
    Default: `120`."""
    container_task_acquire_timeout: int | None
    """Seconds within which a worker, possibly on a new node, must take over a run pod. Environment variable
    `SCALR_AGENT_CONTAINER_TASK_ACQUIRE_TIMEOUT`. Default: `180`."""
    container_task_cpu_request: float | None
    """CPU request of a run pod in cores, for instance `0.25`. Environment variable `SCALR_AGENT_CONTAINER_TASK_CPU_REQUEST`. Default:
    `1.0`."""
    container_task_cpu_limit: float | None
    """CPU limit of a run pod in cores, not below the request. Environment variable `SCALR_AGENT_CONTAINER_TASK_CPU_LIMIT`. Default:
    `8.0`."""
    container_task_mem_request: int | None
    """Memory request of a run pod in megabytes. Environment variable `SCALR_AGENT_CONTAINER_TASK_MEM_REQUEST`. Default: `1024`."""
    container_task_mem_limit: int | None
    """Memory limit of a run pod in megabytes, not below the request. Kubernetes kills a run that exceeds it, and its state may be lost.
    Environment variable `SCALR_AGENT_CONTAINER_TASK_MEM_LIMIT`. Default: `16384`."""
    container_task_ca_cert: pulumi.Input[str] | None
    """CA bundle for run pods only, in the same form as `ca_cert`. Environment variable `SCALR_AGENT_CONTAINER_TASK_CA_CERT`."""
    container_task_image_mode: Literal["", "legacy", "golden"]
    """`legacy` uses an image per tool, `golden` one image for all runs. Scalr can override the mode for an account. Environment variable
    `SCALR_AGENT_CONTAINER_TASK_IMAGE_MODE`. Default: `legacy`. Only agents 0.61.3 or newer."""
    container_task_image: str | None
    """Reference of the image for runs in mode `golden`. Environment variable `SCALR_AGENT_CONTAINER_TASK_IMAGE`. Default:
    `scalr/runner:0.2.0`. Only agents 0.60 or newer. Older defaults: `""` (agents 0.60)."""
    container_task_image_registry: str | None
    """Registry of the tool images in mode `legacy`. Default: the images' own registries. Environment variable
    `SCALR_AGENT_CONTAINER_TASK_IMAGE_REGISTRY`."""
    gc_plugins_global_size_limit: int | None
    """Size limit of the provider cache in megabytes. Environment variable `SCALR_AGENT_PROVIDER_CACHE_SIZE_LIMIT_MB`. Default: `2560`."""
    kubernetes_task_labels: Mapping[str, str] | None
    """Labels of run pods. Environment variable `SCALR_AGENT_KUBERNETES_TASK_LABELS`."""
    kubernetes_task_annotations: Mapping[str, str] | None
    """Annotations of run pods. Environment variable `SCALR_AGENT_KUBERNETES_TASK_ANNOTATIONS`."""
    automount_service_account_token: str | float | bool | None
    """Whether to mount the token of their service account into run pods. Environment variable
    `SCALR_AGENT_KUBERNETES_AUTOMOUNT_SERVICE_ACCOUNT_TOKEN`. Default: `false`."""


class AgentK8sServiceAccountValues(TypedDict, total=False):
    """The service account of controller and workers."""

    create: bool | None
    """Whether to create the service account. Default: `true`."""
    automountToken: bool | None
    """Whether to mount the account's token into controller and workers. They need it to start pods and to run commands in them. Default:
    `true`."""
    annotations: Mapping[str, pulumi.Input[str]] | None
    """Annotations of the account, for instance an IAM role (`eks.amazonaws.com/role-arn`)."""
    labels: Mapping[str, str] | None
    """Labels of the account, added to the common ones."""
    name: str | None
    """Name of the service account. Default: the release's full name if `create` is true, else the namespace's `default`, which gets no
    Role. Naming `default` is an error."""


class AgentK8sValues(TypedDict, total=False):
    """Values of `agent-k8s`: a controller Deployment that starts pods for every run, and a DaemonSet with a worker on every node."""

    nameOverride: str | None
    """Replaces the chart's name in object names and in the label `app.kubernetes.io/name`. Default: the chart's name."""
    fullnameOverride: str | None
    """Replaces the whole base of the object names (`<release>-<chart>`). Default: derived from release and chart."""
    image: AgentK8sAgentImageValues
    """Image of controller and workers."""
    agent: AgentK8sAgentValues
    """Controller and workers, and the pods that they start."""
    imagePullSecrets: Sequence[Any] | None
    """Pull secrets of controller and workers, `[{name: ...}]`."""
    controllerNodeSelector: Mapping[str, str] | None
    """Node selector of the controller's pod."""
    controllerTolerations: Sequence[Any] | None
    """Tolerations of the controller's pod."""
    workerNodeSelector: Mapping[str, str] | None
    """Node selector of workers and run pods. Default: none; a worker runs on every node of the cluster, with a warning. Environment
    variable `SCALR_AGENT_KUBERNETES_TASK_NODE_SELECTOR`."""
    workerTolerations: Sequence[Any] | None
    """Tolerations of workers and run pods. The agent gets them as a string, so they must be known before deployment. Environment variable
    `SCALR_AGENT_KUBERNETES_TASK_TOLERATIONS`."""
    serviceAccount: AgentK8sServiceAccountValues
    """The service account of controller and workers, to which the Role is bound."""
    efsVolumeHandle: pulumi.Input[str] | None
    """EFS file system for the workers' data, `fs-...`, or `fs-...::fsap-...` with an access point. Default: a directory of each node.
    Environment variable `SCALR_AGENT_KUBERNETES_EFS_CLAIM_NAME`."""
    efsMountOptions: Sequence[pulumi.Input[str]] | None
    """Mount options of the EFS volume. The default shortens the attribute cache of NFS, so that run pods see what a worker has just
    written."""
    podSecurityContext: Any
    """Kubernetes PodSecurityContext of controller and workers."""
    securityContext: Any
    """Kubernetes SecurityContext of controller and workers. The default runs as root, which owns the directories of a node."""
    podAnnotations: Mapping[str, pulumi.Input[str]] | None
    """Annotations of controller and workers."""
    controllerPodAnnotations: Mapping[str, pulumi.Input[str]] | None
    """Annotations of the controller's pod. Take precedence over `podAnnotations`."""
    workerPodAnnotations: Mapping[str, pulumi.Input[str]] | None
    """Annotations of the workers' pods. Take precedence over `podAnnotations`."""
    restrictMetadataService: bool | None
    """Whether a NetworkPolicy blocks the access of controller, workers and run pods to the cloud's metadata service. Default: `false`."""
    terminationGracePeriodSeconds: int | None
    """Seconds that controller and workers have to stop, at least the sum of the agent's timeouts. `null`: 30, the default of Kubernetes.
    Default: `3660`."""
    extraEnv: Mapping[str, str | float | bool] | None
    """Environment variables of controller and workers."""
    resources: Any
    """Resources of the controller's and of each worker's container. Older defaults: `{"requests": {"cpu": "250m", "memory": "256Mi"},
    "limits": {"cpu": "1000m", "memory": "1024Mi"}}` (agents 0.53 to 0.59)."""
