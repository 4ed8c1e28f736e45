"""The values of the `agent-k8s` chart."""

from typing import Annotated

from scalr_agents.charts.agent_k8s.values.agent import Agent
from scalr_agents.charts.shared.values import Image, ReleaseValues
from scalr_agents.model.clouds import EFS_MOUNT_OPTIONS
from scalr_agents.model.fields import (
    Annotations,
    Count,
    EnvMap,
    Flag,
    InputList,
    InputText,
    Labels,
    Name,
    PodSecurityContext,
    PullPolicy,
    PullSecrets,
    Resources,
    SecurityContext,
    Tolerations,
)
from scalr_agents.model.section import ChartSection, default
from scalr_agents.model.variables import variable

__all__ = ["AgentK8sValues"]


class AgentImage(Image):
    """Image of controller and workers."""

    pull_policy: PullPolicy = "Always"
    """Kubernetes field `imagePullPolicy`."""


class ServiceAccount(ChartSection):
    """The service account of controller and workers."""

    create: Flag = True
    """Whether to create the service account."""
    automount_token: Flag = True
    """Whether to mount the account's token into controller and workers. They need it to start pods and to run commands in them."""
    annotations: Annotations = {}
    """Annotations of the account, for instance an IAM role (`eks.amazonaws.com/role-arn`)."""
    labels: Labels = {}
    """Labels of the account, added to the common ones."""
    name: Name = ""
    """Name of the service account. Default: the release's full name if `create` is true, else the namespace's `default`,
    which gets no Role. Naming `default` is an error."""

    @property
    def has_role(self) -> bool:
        """Whether the agent's Role is bound to the account, which is so for all accounts except the namespace's `default`."""
        return self.create or bool(self.name)


class AgentK8sValues(ReleaseValues):
    """Values of `agent-k8s`: a controller Deployment that starts pods for every run, and a DaemonSet with a worker on every node."""

    image: AgentImage = default(AgentImage)
    """Image of controller and workers."""
    agent: Agent = default(Agent)
    """Controller and workers, and the pods that they start."""
    image_pull_secrets: PullSecrets = []
    """Pull secrets of controller and workers, `[{name: ...}]`."""
    controller_node_selector: Labels = {}
    """Node selector of the controller's pod."""
    controller_tolerations: Tolerations = []
    """Tolerations of the controller's pod."""
    worker_node_selector: Annotated[Labels, variable("SCALR_AGENT_KUBERNETES_TASK_NODE_SELECTOR")] = {}
    """Node selector of workers and run pods. Default: none; a worker runs on every node of the cluster, with a
    warning."""
    worker_tolerations: Annotated[Tolerations, variable("SCALR_AGENT_KUBERNETES_TASK_TOLERATIONS")] = []
    """Tolerations of workers and run pods. The agent gets them as a string, so they must be known before deployment."""
    service_account: ServiceAccount = default(ServiceAccount)
    """The service account of controller and workers, to which the Role is bound."""
    efs_volume_handle: Annotated[InputText, variable("SCALR_AGENT_KUBERNETES_EFS_CLAIM_NAME")] = ""
    """EFS file system for the workers' data, `fs-...`, or `fs-...::fsap-...` with an access point. Default: a directory of each node."""
    efs_mount_options: InputList = [*EFS_MOUNT_OPTIONS]
    """Mount options of the EFS volume. The default shortens the attribute cache of NFS, so that run pods see what a worker has just
    written."""
    pod_security_context: PodSecurityContext = {"runAsNonRoot": False, "fsGroup": 0}
    """Kubernetes PodSecurityContext of controller and workers."""
    security_context: SecurityContext = {
        "privileged": False,
        "procMount": "Default",
        "capabilities": {"drop": ["ALL"]},
        "runAsNonRoot": False,
        "runAsUser": 0,
        "runAsGroup": 0,
    }
    """Kubernetes SecurityContext of controller and workers. The default runs as root, which owns the directories of a node."""
    pod_annotations: Annotations = {}
    """Annotations of controller and workers."""
    controller_pod_annotations: Annotations = {}
    """Annotations of the controller's pod. Take precedence over `podAnnotations`."""
    worker_pod_annotations: Annotations = {}
    """Annotations of the workers' pods. Take precedence over `podAnnotations`."""
    restrict_metadata_service: Flag = False
    """Whether a NetworkPolicy blocks the access of controller, workers and run pods to the cloud's metadata service."""
    termination_grace_period_seconds: Count = 3660
    """Seconds that controller and workers have to stop, at least the sum of the agent's timeouts. `null`: 30, the default of Kubernetes."""
    extra_env: EnvMap = {}
    """Environment variables of controller and workers."""
    resources: Resources = {"requests": {"cpu": "250m", "memory": "256Mi"}}
    """Resources of the controller's and of each worker's container."""
