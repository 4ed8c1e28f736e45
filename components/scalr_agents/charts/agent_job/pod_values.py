"""The values of pods: sections `global`, what all pods have; `task`, the Job of a run; and `persistence`, their volumes."""

from typing import Annotated, Literal

from scalr_agents.charts.shared.values import Claim, Image, PodFields, Tls, Volume, resources
from scalr_agents.model.fields import (
    AccessMode,
    Affinity,
    Annotations,
    Containers,
    Count,
    CountOrPercent,
    EmptyDir,
    EnvMap,
    Flag,
    ImageTag,
    InputText,
    Labels,
    Name,
    OptionalDirectory,
    PodSecurityContext,
    PullSecrets,
    Quantity,
    Registry,
    Repository,
    Resources,
    SecurityContext,
    Texts,
    Tolerations,
    TopologySpreadConstraints,
    VolumeMounts,
    Volumes,
)
from scalr_agents.model.maps import is_set
from scalr_agents.model.marks import variable
from scalr_agents.model.section import ChartSection, default


class Proxy(ChartSection):
    """The HTTP proxy of all containers."""

    enabled: Flag = False
    """Whether to set `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`."""
    http_proxy: Annotated[InputText, variable("HTTP_PROXY")] = ""
    """URL of the proxy for HTTP requests."""
    https_proxy: Annotated[InputText, variable("HTTPS_PROXY")] = ""
    """URL of the proxy for HTTPS requests."""
    no_proxy: Annotated[InputText, variable("NO_PROXY")] = ""
    """Hosts, domains and networks to reach without the proxy, separated by commas."""


class Global(ChartSection):
    """Settings of all pods of the release. A component's own setting takes precedence, even if it is 0 or false."""

    image_registry: Registry = ""
    """Registry of the images of controller, worker and runner, not of sidecars. Default: Docker Hub."""
    image_namespace: Registry = ""
    """Replaces everything before the last part of a repository, for mirrors that keep all images in one place."""
    labels: Labels = {}
    """Labels of all objects, including Jobs and pods. The labels of the selectors cannot be changed."""
    annotations: Annotations = {}
    """Annotations of all objects, including Jobs but not pods."""
    image_pull_secrets: PullSecrets = []
    """Pull secrets of both pods, `[{name: ...}]`."""
    pod_annotations: Annotations = {}
    """Annotations of both pods."""
    pod_labels: Labels = {}
    """Labels of both pods. The labels of the selectors cannot be changed."""
    pod_security_context: PodSecurityContext = {
        "runAsNonRoot": True,
        "runAsUser": 1000,
        "runAsGroup": 1000,
        "fsGroup": 1000,
        "fsGroupChangePolicy": "OnRootMismatch",
        "supplementalGroups": [],
        "sysctls": [],
        "seLinuxOptions": {},
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    """Kubernetes PodSecurityContext of both pods. The default runs as user and group 1000."""
    proxy: Proxy = default(Proxy)
    """HTTP proxy."""
    tls: Tls = default(Tls)
    """Certificate authorities and the client certificate."""


UNEVICTABLE = 2147483647
"""The largest value of `minAvailable`: no task pod may be evicted."""


class Job(ChartSection):
    """The Kubernetes Job of a task."""

    basename: Name = ""
    """First part of Job names, before run and stage. Default: the release's full name."""
    backoff_limit: Count = 1
    """How many times a Job starts another pod after one that ended without an error of its containers. A run that failed is never started
    again, and pods lost to a disruption do not count. `null`: 1."""
    active_deadline_seconds: Count = None
    """Seconds from the start of its Job, including the wait for a node, after which Kubernetes ends a task; at least 1. Not in the
    chart. Default: no limit, so that a hanging run blocks the drain of its node forever, with a warning."""
    ttl_seconds_after_finished: Count = 60
    """Seconds after which a finished Job and its pod, with their logs, are deleted. `null`: never."""


class WorkerImage(ChartSection):
    """Image of the worker. Empty fields are taken from `agent.image`."""

    repository: Repository = ""
    """Repository, without tag."""
    tag: ImageTag = ""
    """Tag."""
    pull_policy: Literal["", "Always", "IfNotPresent", "Never"] = ""
    """Kubernetes field `imagePullPolicy`."""


class Worker(ChartSection):
    """The agent process that supervises the task."""

    image: WorkerImage = default(WorkerImage)
    """Image. Empty fields are taken from `agent.image`."""
    command: Texts = []
    """Command of the container. Default: the image's command."""
    args: Texts = []
    """Arguments of the container. Default: the image's arguments."""
    resources: Resources = {"requests": {"cpu": "250m", "memory": "256Mi"}, "limits": {"memory": "1024Mi"}}
    """Resources of the worker container."""
    extra_env: EnvMap = {}
    """Environment variables of the worker. Take precedence over `agent.extraEnv`."""
    extra_volume_mounts: VolumeMounts = []
    """Additional mounts of volumes from `task.extraVolumes`, or of the task's own."""
    security_context: SecurityContext = {}
    """Kubernetes SecurityContext, merged with `allowPrivilegeEscalation: false` and `capabilities: {drop: [ALL]}`."""


class RunnerImage(Image):
    """Image of the runner."""

    repository: Repository = "scalr/runner"
    """Repository, without tag. A custom image must have a user with ID 1000 and group ID 1000."""
    tag: ImageTag = "0.2.0"
    """Tag, or `tag@sha256:...` to pin a digest. Before agents 0.60 it may be empty, for the agent version; later runners have their own
    versions."""


class Runner(ChartSection):
    """The environment in which Terraform or OpenTofu runs."""

    image: RunnerImage = default(RunnerImage)
    """Image."""
    resources: Resources = resources("500m", "512Mi", "4000m", "8192Mi")
    """Resources of the runner container, in which a run is executed."""
    memory_soft_limit_percent: Annotated[Count, variable("SCALR_AGENT_MEMORY_MONITOR_SOFT_LIMIT_PERCENT")] = 80
    """Percentage of the memory limit, 1 to 100, at which the agent stops a run, before the kernel kills it."""
    memory_warn_percent: Annotated[Count, variable("SCALR_AGENT_MEMORY_MONITOR_WARN_PERCENT")] = 90
    """Percentage of the soft limit, 1 to 100, at which the agent warns about the memory use of a run."""
    extra_env: EnvMap = {}
    """Environment variables of runs."""
    extra_volume_mounts: VolumeMounts = []
    """Additional mounts of volumes from `task.extraVolumes`, or of the task's own."""
    security_context: SecurityContext = {
        "seLinuxOptions": {},
        "runAsNonRoot": True,
        "privileged": False,
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
        "readOnlyRootFilesystem": True,
    }
    """Kubernetes SecurityContext of the runner."""


class TaskBudget(ChartSection):
    """PodDisruptionBudget of task pods, without which a node drain kills runs. Not in the chart on every line."""

    enabled: Flag = True
    """Whether to create the budget."""
    min_available: CountOrPercent = UNEVICTABLE
    """Number of task pods that must stay, a whole number. The default exceeds any possible number, so that none is evicted."""
    max_unavailable: CountOrPercent = None
    """Only 0 is allowed, which also means that none is evicted: Jobs have no scale from which Kubernetes could derive a number."""


class Buffer(ChartSection):
    """Placeholder pods that keep nodes ready: they are as large as a task and are preempted by tasks. Not in the chart."""

    replicas: Count = 0
    """Number of tasks to reserve room for. `null` leaves the number to an autoscaler. Default: none."""
    priority_class_name: Name = ""
    """An existing PriorityClass for the placeholders, lower than that of tasks. Default: one with priority -10 is created, which never
    preempts."""


class Task(PodFields):
    """The task: its Job, pod and containers."""

    job: Job = default(Job)
    """The Job."""
    job_labels: Labels = {}
    """Labels of Jobs. Take precedence over `global.labels`."""
    job_annotations: Annotations = {}
    """Annotations of Jobs. Take precedence over `global.annotations`."""
    startup_timeout_seconds: Annotated[Count, variable("SCALR_AGENT_KUBERNETES_TASK_STARTUP_TIMEOUT_SECONDS")] = 180
    """Seconds that a task may take to start, including the time to add a node."""
    pod_disruption_budget: TaskBudget = default(TaskBudget)
    """PodDisruptionBudget of task pods."""
    buffer: Buffer = default(Buffer)
    """Room reserved for future tasks."""
    node_selector: Labels = {}
    """Node labels that task pods need."""
    tolerations: Tolerations = []
    """Tolerations of task pods."""
    affinity: Affinity = {}
    """Affinity of task pods."""
    topology_spread_constraints: TopologySpreadConstraints = []
    """Topology spread constraints of task pods. Not in the chart."""
    pod_annotations: Annotations = {}
    """Annotations of task pods. Take precedence over `global.podAnnotations` and over the four that prevent eviction by autoscalers."""
    pod_labels: Labels = {}
    """Labels of task pods. Take precedence over `global.podLabels`."""
    pod_security_context: PodSecurityContext = {}
    """PodSecurityContext of task pods, merged key by key over `global.podSecurityContext`."""
    allow_metadata_service: Flag = False
    """Whether runs may reach the cloud's metadata service. If false, a NetworkPolicy blocks it."""
    allow_nfs: Flag = False
    """Whether runs may connect to NFS servers (ports 111 and 2049). If false, the same NetworkPolicy blocks these ports, which requires a
    network plugin with port ranges."""
    termination_grace_period_seconds: Annotated[Count, variable("SCALR_AGENT_WORKER_GRACE_SHUTDOWN_TIMEOUT")] = 360
    """Seconds that a run has to stop. The worker's shutdown timeout is set to the same value. `null`: 30, the default of Kubernetes."""
    extra_volumes: Volumes = []
    """Additional volumes of task pods. Reserved names: `sa-token`, `data-dir`, `cache-dir` and `tmp-dir`; with agents 0.61.4 or newer
    `worker` and `podinfo`; with a CA bundle `ca-bundle`, with a client certificate `client-cert`."""
    sidecars: Containers = []
    """Additional containers of task pods, passed on unchanged: no image registry, hardening or variables are added. The names `runner`
    and `worker` are reserved."""
    worker: Worker = default(Worker)
    """The worker container."""
    runner: Runner = default(Runner)
    """The runner container."""


class CacheClaim(Claim):
    """The claim of the shared cache, which all task pods and the controllers mount."""

    storage: Quantity = "90Gi"
    """Size of the created claim."""
    access_mode: AccessMode = "ReadWriteMany"
    """Access mode of the created claim. Several pods require ReadWriteMany; anything else is a warning."""


class Data(Volume):
    """Workspace data of a run."""

    enabled: Flag = False
    """Whether to use a claim. Default: an emptyDir, which is deleted with the run's pod."""
    empty_dir: EmptyDir = {"sizeLimit": "4Gi"}
    """Kubernetes EmptyDirVolumeSource, used if `enabled` is false."""
    persistent_volume_claim: Claim = default(Claim)
    """The claim, used if `enabled` is true."""


class PreparationImage(Image):
    """Image of the pods that prepare nodes. It must contain a shell, `stat`, `chown`, `chmod` and `sleep`."""

    repository: Repository = "busybox"
    """Repository, without tag."""
    tag: ImageTag = "1.37"
    """Tag."""


class Preparation(ChartSection):
    """A DaemonSet that makes the tasks' user the owner of the directory, on every node that tasks may use. Not in the chart."""

    enabled: Flag = False
    """Whether to prepare the nodes. Kubernetes creates the directory for root, but tasks do not run as root. If false, change the owner
    yourself. Requires `persistence.cache.enabled` and `persistence.cache.hostPath.path`."""
    image: PreparationImage = default(PreparationImage)
    """Image."""
    resources: Resources = resources("10m", "16Mi", "50m", "64Mi")
    """Resources of the DaemonSet's containers."""


class HostPath(ChartSection):
    """A directory of each node."""

    path: OptionalDirectory = ""
    """Absolute path. Default: none; the cache is on the claim."""
    type: Literal["", "Directory", "DirectoryOrCreate"] = "DirectoryOrCreate"
    """Kubernetes field `hostPath.type`."""
    preparation: Preparation = default(Preparation)
    """Preparation of the directory on the nodes."""


class Cache(Volume):
    """The cache of binaries, providers and modules, which runs share."""

    enabled: Flag = False
    """Whether to use a claim or `hostPath`. Default: an emptyDir, so that every run downloads everything."""
    empty_dir: EmptyDir = {"sizeLimit": "1Gi"}
    """Kubernetes EmptyDirVolumeSource, used if `enabled` is false."""
    persistent_volume_claim: CacheClaim = default(CacheClaim)
    """The claim, used if `enabled` is true."""
    host_path: HostPath = default(HostPath)
    """A directory of each node for the cache of task pods, used if `enabled` is true. Takes precedence over the claim; controllers then use
    an emptyDir."""

    @property
    def is_on_node(self) -> bool:
        """Whether task pods use a directory of their node."""
        return self.enabled and bool(self.host_path.path)


class Persistence(ChartSection):
    """Volumes of the task pods. The controllers mount the cache too."""

    data: Data = default(Data)
    """Workspace data."""
    cache: Cache = default(Cache)
    """The shared cache."""

    @property
    def cache_of_controllers(self) -> Cache:
        """The cache of pods that use nothing of their node."""
        return self.cache.model_copy(update={"enabled": False}) if self.cache.is_on_node else self.cache

    @property
    def created_claims(self) -> dict[str, Claim]:
        """The claims that are created, by their component."""
        every: dict[str, Volume] = {"data": self.data, "cache": self.cache_of_controllers}
        claims = {component: volume.persistent_volume_claim for component, volume in every.items() if volume.enabled}
        return {component: claim for component, claim in claims.items() if not is_set(claim.claim_name)}
