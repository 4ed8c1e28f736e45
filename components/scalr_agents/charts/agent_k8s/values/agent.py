"""Section `agent`: controller and workers, and the pods that they start. Its keys are snake_case in YAML as well."""

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field

from scalr_agents.charts.shared.contract import TOKEN_KEY
from scalr_agents.charts.shared.values import SecretReference
from scalr_agents.model.fields import Count, EnvText, InputName, InputText, Labels, NodeDirectory, PlainAnnotations, SecretKey, Text, unset
from scalr_agents.model.forms import refuse
from scalr_agents.model.section import ChartSection
from scalr_agents.model.variables import variable

DEFAULT_DATA_HOME = "/home/kubernetes/flexvolume/agent-k8s"


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
