"""Section `agent`: controller and workers, and the pods that they start. Its keys are snake_case in YAML too."""

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field

from scalr_agents.charts.shared.contract import TOKEN_KEY
from scalr_agents.charts.shared.values import SecretReference
from scalr_agents.model.fields import (
    Count,
    Directory,
    EnvText,
    InputName,
    InputText,
    Labels,
    PlainAnnotations,
    SecretKey,
    Text,
    refuse,
    unset,
)
from scalr_agents.model.section import ChartSection
from scalr_agents.model.variables import variable

DEFAULT_DATA_HOME = "/home/kubernetes/flexvolume/agent-k8s"


def _mirror(value: str) -> str:
    if re.search(r"\s|://|@", value):
        refuse("image_registry", "not an image registry, for instance mirror.example/scalr: no scheme, no login")
    return value


Cores = Annotated[float | None, Field(ge=0)]
"""A number of processor cores; `null` leaves it to the agent."""
TokenKey = Annotated[SecretKey, BeforeValidator(lambda key: key if key not in (None, "") else TOKEN_KEY)]
"""A key of a Secret; an empty one is that of the Secrets we make."""
ImageMirror = Annotated[str, AfterValidator(_mirror), unset("")]
"""A registry, with a path if wished; here a slash at the end means something."""


class Agent(ChartSection):
    """Controller and workers, and the pods that they start. `null` for a number leaves it to the agent."""

    model_config = ConfigDict(alias_generator=None)

    url: Annotated[InputText, variable("SCALR_URL")] = ""
    """The account's address, `https://<account>.scalr.io`."""
    token: Annotated[InputText, variable("SCALR_AGENT_TOKEN")] = ""
    """Token of the agent pool; becomes a Secret. In a stack file it belongs under `secrets`."""
    token_existing_secret: InputName = Field("", alias="tokenExistingSecret")
    """Name of an existing Secret that holds the token instead."""
    token_existing_secret_key: TokenKey = Field(TOKEN_KEY, alias="tokenExistingSecretKey")
    """Key of that Secret. Has no effect without `tokenExistingSecret`."""
    debug: Annotated[EnvText, variable("SCALR_AGENT_DEBUG")] = "false"
    """`true` logs at debug level."""
    log_format: Annotated[Literal["plain", "dev", "json"], variable("SCALR_AGENT_LOG_FORMAT")] = "json"
    """Form of the log."""
    worker_on_stop_action: Annotated[
        Literal["drain", "grace-shutdown", "force-shutdown"], variable("SCALR_AGENT_WORKER_ON_STOP_ACTION")
    ] = "drain"
    """Let runs end, end them in order, or end them at once."""
    worker_drain_timeout: Annotated[Count, variable("SCALR_AGENT_WORKER_DRAIN_TIMEOUT")] = 3600
    """Seconds that a drain waits for runs to end by themselves."""
    grace_shutdown_timeout: Annotated[Count, variable("SCALR_AGENT_WORKER_GRACE_SHUTDOWN_TIMEOUT")] = 60
    """Seconds that runs have to stop when they are ended."""
    disconnect_on_stop: Annotated[EnvText, variable("SCALR_AGENT_DISCONNECT_ON_STOP")] = "true"
    """Whether an agent leaves its pool when it stops."""
    data_home: Annotated[Directory, variable("SCALR_AGENT_DATA_DIR")] = DEFAULT_DATA_HOME
    """Directory of every worker's node for caches and workspaces, or where EFS is mounted."""
    ca_cert: Annotated[InputText, variable("SCALR_AGENT_CA_CERT")] = ""
    """A CA bundle in base64, or a path in the agent's image, for the agent and its run pods."""
    container_task_scheduling_timeout: Annotated[Count, variable("SCALR_AGENT_CONTAINER_TASK_SCHEDULING_TIMEOUT")] = 120
    """Seconds until a run that finds no node fails."""
    container_task_acquire_timeout: Annotated[Count, variable("SCALR_AGENT_CONTAINER_TASK_ACQUIRE_TIMEOUT")] = 180
    """Seconds until a worker, on a new node too, takes over a run pod."""
    container_task_cpu_request: Annotated[Cores, variable("SCALR_AGENT_CONTAINER_TASK_CPU_REQUEST")] = 1.0
    """Cores that a run pod requests."""
    container_task_cpu_limit: Annotated[Cores, variable("SCALR_AGENT_CONTAINER_TASK_CPU_LIMIT")] = 8.0
    """Cores that a run pod may use."""
    container_task_mem_request: Annotated[Count, variable("SCALR_AGENT_CONTAINER_TASK_MEM_REQUEST")] = 1024
    """Megabytes that a run pod requests."""
    container_task_mem_limit: Annotated[Count, variable("SCALR_AGENT_CONTAINER_TASK_MEM_LIMIT")] = 16384
    """Megabytes that a run pod may use."""
    container_task_ca_cert: Annotated[InputText, variable("SCALR_AGENT_CONTAINER_TASK_CA_CERT")] = ""
    """As `ca_cert`, for run pods alone."""
    container_task_image_mode: Annotated[Literal["", "legacy", "golden"], variable("SCALR_AGENT_CONTAINER_TASK_IMAGE_MODE")] = "legacy"
    """An image per tool, or one image of runs for all. Scalr may choose for an account."""
    container_task_image: Annotated[Text, variable("SCALR_AGENT_CONTAINER_TASK_IMAGE")] = "scalr/runner:0.2.0"
    """Reference of the image of runs, in mode `golden`."""
    container_task_image_registry: Annotated[ImageMirror, variable("SCALR_AGENT_CONTAINER_TASK_IMAGE_REGISTRY")] = ""
    """Registry for the images of tools, in mode `legacy`. Default: those of the images."""
    gc_plugins_global_size_limit: Annotated[Count, variable("SCALR_AGENT_PROVIDER_CACHE_SIZE_LIMIT_MB")] = 2560
    """Megabytes that the cache of providers may hold."""
    kubernetes_task_labels: Annotated[Labels, variable("SCALR_AGENT_KUBERNETES_TASK_LABELS")] = {}
    """Labels of run pods."""
    kubernetes_task_annotations: Annotated[PlainAnnotations, variable("SCALR_AGENT_KUBERNETES_TASK_ANNOTATIONS")] = {}
    """Annotations of run pods."""
    automount_service_account_token: Annotated[EnvText, variable("SCALR_AGENT_KUBERNETES_AUTOMOUNT_SERVICE_ACCOUNT_TOKEN")] = "false"
    """Whether run pods get a token of their service account."""

    @property
    def existing_token(self) -> SecretReference:
        """The existing Secret with the token, in the words of other charts."""
        return SecretReference.model_construct(name=self.token_existing_secret, key=self.token_existing_secret_key)
