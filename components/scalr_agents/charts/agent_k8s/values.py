"""The values of `agent-k8s`, and the conversion of stack settings into them."""

import base64
import math
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field

from scalr_agents.charts.shared.contract import TOKEN_KEY
from scalr_agents.charts.shared.settings import ExtraEnvSettings, NoValueError
from scalr_agents.charts.shared.values import Image, ReleaseValues, SecretReference
from scalr_agents.model import quantities
from scalr_agents.model.aws import EFS_MOUNT_OPTIONS
from scalr_agents.model.fields import (
    Annotations,
    Count,
    EnvMap,
    EnvText,
    Flag,
    InputList,
    InputName,
    InputText,
    Labels,
    Name,
    NodeDirectory,
    PlainAnnotations,
    PodSecurityContext,
    PullPolicy,
    PullSecrets,
    Resources,
    SecretKey,
    SecurityContext,
    Text,
    Tolerations,
    unset,
)
from scalr_agents.model.forms import refuse
from scalr_agents.model.maps import Deferred, Values
from scalr_agents.model.marks import variable
from scalr_agents.model.section import ChartSection, default

DEFAULT_DATA_HOME = "/home/kubernetes/flexvolume/agent-k8s"
_KINDS = {"requests": "request", "limits": "limit"}
_UNITS: Mapping[str, tuple[str, Callable[[Decimal], float]]] = {
    "cpu": ("cpu", float),
    "memory": ("mem", lambda size: math.ceil(size / 2**20)),
}
"""The agent's names for what Kubernetes' ResourceRequirements have: cores, and megabytes."""


def _mirror(value: str) -> str:
    if re.search(r"\s|://|@", value):
        refuse("image_registry", "not an image registry, for instance mirror.example/scalr: no scheme, no login")
    return value


Cores = Annotated[float | None, Field(ge=0)]
"""A number of CPU cores; with `null`, the agent decides."""
TokenKey = Annotated[SecretKey, BeforeValidator(lambda key: key if key not in (None, "") else TOKEN_KEY)]
"""A key of a Secret; if empty, the key in the Secrets that we create."""
ImageMirror = Annotated[str, AfterValidator(_mirror), unset("")]
"""A registry, optionally with a path. A trailing slash is significant."""


class Agent(ChartSection):
    """Controller and workers, and the pods that they start. For a number set to `null`, the agent decides."""

    model_config = ConfigDict(alias_generator=None)

    url: Annotated[InputText, variable("SCALR_URL")] = ""
    """URL of the Scalr account, `https://<account>.scalr.io`. If it is empty, there is a warning, and the agent uses the address in its
    token, which becomes wrong when the account is renamed."""
    token: Annotated[InputText, variable("SCALR_AGENT_TOKEN")] = ""
    """Token of the agent pool. Becomes a Secret. In a stack file, set it under `secrets`."""
    token_existing_secret: InputName = Field("", alias="tokenExistingSecret")
    """Name of an existing Secret with the token. Takes precedence over `token`."""
    token_existing_secret_key: TokenKey = Field(TOKEN_KEY, alias="tokenExistingSecretKey")
    """Key of the token in that Secret. Has no effect without `tokenExistingSecret`."""
    debug: Annotated[EnvText, variable("SCALR_AGENT_DEBUG")] = "false"
    """`true` sets the log level to debug."""
    log_format: Annotated[Literal["plain", "dev", "json"], variable("SCALR_AGENT_LOG_FORMAT")] = "json"
    """Log format."""
    worker_on_stop_action: Annotated[
        Literal["drain", "grace-shutdown", "force-shutdown"], variable("SCALR_AGENT_WORKER_ON_STOP_ACTION")
    ] = "drain"
    """What a stopping worker does with its runs: `drain` waits for them to finish, `grace-shutdown` stops them, `force-shutdown` kills
    them."""
    worker_drain_timeout: Annotated[Count, variable("SCALR_AGENT_WORKER_DRAIN_TIMEOUT")] = 3600
    """Seconds that a drain waits for runs to finish."""
    grace_shutdown_timeout: Annotated[Count, variable("SCALR_AGENT_WORKER_GRACE_SHUTDOWN_TIMEOUT")] = 60
    """Seconds that runs have to stop when they are stopped."""
    disconnect_on_stop: Annotated[EnvText, variable("SCALR_AGENT_DISCONNECT_ON_STOP")] = "true"
    """Whether an agent disconnects from its pool when it stops."""
    data_home: Annotated[NodeDirectory, variable("SCALR_AGENT_DATA_DIR")] = DEFAULT_DATA_HOME
    """Directory on every worker's node for caches and workspaces, or the mount path of EFS."""
    ca_cert: Annotated[InputText, variable("SCALR_AGENT_CA_CERT")] = ""
    """CA bundle for the agent and its run pods: the PEM file in base64, or a path in the agent's image."""
    container_task_scheduling_timeout: Annotated[Count, variable("SCALR_AGENT_CONTAINER_TASK_SCHEDULING_TIMEOUT")] = 120
    """Seconds after which a run fails if its pod cannot be scheduled."""
    container_task_acquire_timeout: Annotated[Count, variable("SCALR_AGENT_CONTAINER_TASK_ACQUIRE_TIMEOUT")] = 180
    """Seconds within which a worker, possibly on a new node, must take over a run pod."""
    container_task_cpu_request: Annotated[Cores, variable("SCALR_AGENT_CONTAINER_TASK_CPU_REQUEST")] = 1.0
    """CPU request of a run pod in cores, for instance `0.25`."""
    container_task_cpu_limit: Annotated[Cores, variable("SCALR_AGENT_CONTAINER_TASK_CPU_LIMIT")] = 8.0
    """CPU limit of a run pod in cores, not below the request."""
    container_task_mem_request: Annotated[Count, variable("SCALR_AGENT_CONTAINER_TASK_MEM_REQUEST")] = 1024
    """Memory request of a run pod in megabytes."""
    container_task_mem_limit: Annotated[Count, variable("SCALR_AGENT_CONTAINER_TASK_MEM_LIMIT")] = 16384
    """Memory limit of a run pod in megabytes, not below the request. Kubernetes kills a run that exceeds it, and its state may be lost."""
    container_task_ca_cert: Annotated[InputText, variable("SCALR_AGENT_CONTAINER_TASK_CA_CERT")] = ""
    """CA bundle for run pods only, in the same form as `ca_cert`."""
    container_task_image_mode: Annotated[Literal["", "legacy", "golden"], variable("SCALR_AGENT_CONTAINER_TASK_IMAGE_MODE")] = "legacy"
    """`legacy` uses an image per tool, `golden` one image for all runs. Scalr can override the mode for an account."""
    container_task_image: Annotated[Text, variable("SCALR_AGENT_CONTAINER_TASK_IMAGE")] = "scalr/runner:0.2.0"
    """Reference of the image for runs in mode `golden`."""
    container_task_image_registry: Annotated[ImageMirror, variable("SCALR_AGENT_CONTAINER_TASK_IMAGE_REGISTRY")] = ""
    """Registry of the tool images in mode `legacy`. Default: the images' own registries."""
    gc_plugins_global_size_limit: Annotated[Count, variable("SCALR_AGENT_PROVIDER_CACHE_SIZE_LIMIT_MB")] = 2560
    """Size limit of the provider cache in megabytes."""
    kubernetes_task_labels: Annotated[Labels, variable("SCALR_AGENT_KUBERNETES_TASK_LABELS")] = {}
    """Labels of run pods."""
    kubernetes_task_annotations: Annotated[PlainAnnotations, variable("SCALR_AGENT_KUBERNETES_TASK_ANNOTATIONS")] = {}
    """Annotations of run pods."""
    automount_service_account_token: Annotated[EnvText, variable("SCALR_AGENT_KUBERNETES_AUTOMOUNT_SERVICE_ACCOUNT_TOKEN")] = "false"
    """Whether to mount the token of their service account into run pods."""

    @property
    def existing_token(self) -> SecretReference:
        """The existing Secret with the token, in the form of other charts."""
        return SecretReference.model_construct(name=self.token_existing_secret, key=self.token_existing_secret_key)


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


class AgentK8sSettings(ExtraEnvSettings):
    """The settings of `agent-k8s`."""

    existing_token = ("agent", "tokenExistingSecret")

    def registry(self, registry: str) -> Values:
        return {"image": {"repository": f"{registry}/scalr/agent"}, "agent": {"container_task_image_registry": f"{registry}/"}}

    def ca_bundle(self, pem: str | Deferred) -> Values:
        if not isinstance(pem, str):
            raise NoValueError("must be known before deployment, because agent-k8s requires certificates in base64")
        encoded = base64.b64encode(pem.encode()).decode()
        return {"agent": {"ca_cert": encoded, "container_task_ca_cert": encoded}}

    def ca_secret(self, name: str, key: str) -> Values:
        raise self._refuse("a Secret with certificates", "set them from a file")

    def nodes(self, values: Values) -> Values:
        parts = ("controller", "worker")
        return {f"{part}{key[:1].upper()}{key[1:]}": content for part in parts for key, content in values.items()}

    def pod_annotations(self, annotations: Mapping[str, str | Deferred]) -> Values:
        return {"podAnnotations": dict(annotations), "agent": {"kubernetes_task_annotations": dict(annotations)}}

    def resources(self, given: Mapping[str, Any]) -> Values:
        made: Values = {}
        for kind, amounts in given.items():
            for name in amounts or ():
                if kind not in _KINDS or name not in _UNITS:
                    raise self._refuse(f"{name if kind in _KINDS else kind} of runs", "set only requests and limits of cpu and memory")
                (word, unit), amount = _UNITS[name], amounts[name]
                made[f"container_task_{word}_{_KINDS[kind]}"] = None if amount is None else unit(quantities.parse(amount))
        return {"agent": made}

    def disk(self, size: str) -> Values:
        raise self._refuse("the workspaces of runs", "use agent-job or agent-local, or a class without it")

    def cache(self, claim: Values) -> Values:
        raise self._refuse("a claim of a cache", "set efsVolumeHandle in its values, or use agent-job")

    def client_cert(self, certificate: str | Deferred | None, key: str | Deferred | None) -> Values:
        raise self._refuse("a client certificate", "use agent-job or agent-local with agents 1.1 or newer")
