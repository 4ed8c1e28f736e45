"""Section `task`: the Job that the controller starts for every run, with its containers `runner` and `worker`."""

from typing import Annotated

from scalr_agents.charts.shared.values import Image, WorkerImage, resources
from scalr_agents.model.fields import (
    Affinity,
    Annotations,
    Containers,
    Count,
    CountOrPercent,
    EnvMap,
    Flag,
    ImageTag,
    Labels,
    Name,
    PodSecurityContext,
    Repository,
    Resources,
    SecurityContext,
    Texts,
    Tolerations,
    VolumeMounts,
    Volumes,
)
from scalr_agents.model.section import ChartSection, default
from scalr_agents.model.variables import variable

UNEVICTABLE = 2147483647
"""The largest number that `minAvailable` takes: no task pod may be evicted."""


class Job(ChartSection):
    """The Kubernetes Job of a task."""

    basename: Name = ""
    """First part of the names of Jobs, before run and stage. Default: the release's full name."""
    backoff_limit: Count = 1
    """Times that a Job whose pod was disrupted starts again; a run that failed never does."""
    active_deadline_seconds: Count = None
    """Seconds that a task may take from the start of its Job, waiting for a node included; then Kubernetes ends it. Not in the chart.
    Default: none, and a run that hangs blocks the drain of its node for ever."""
    ttl_seconds_after_finished: Count = 60
    """Seconds that a finished Job and its pod stay, for their logs. `null` keeps them."""


class Worker(ChartSection):
    """The agent process that supervises the task."""

    image: WorkerImage = default(WorkerImage)
    """Image; defaults to the controller's."""
    command: Texts = []
    """Command of the container. Default: that of the image."""
    args: Texts = []
    """Arguments of the container. Default: those of the image."""
    resources: Resources = {"requests": {"cpu": "250m", "memory": "256Mi"}, "limits": {"memory": "1024Mi"}}
    """Resources of the worker container."""
    extra_env: EnvMap = {}
    """Environment variables of the worker; win over `agent.extraEnv`."""
    extra_volume_mounts: VolumeMounts = []
    """Further mounts of volumes from `task.extraVolumes`."""
    security_context: SecurityContext = {}
    """Kubernetes SecurityContext, merged with `allowPrivilegeEscalation: false` and `capabilities: {drop: [ALL]}`."""


class RunnerImage(Image):
    """Image of the runner."""

    repository: Repository = "scalr/runner"
    """Repository, without tag. A custom image needs a user 1000:1000."""
    tag: ImageTag = "0.2.0"
    """Tag. On lines where the runner comes with the agent, the default is the agent version."""


class Runner(ChartSection):
    """The environment in which Terraform or OpenTofu runs."""

    image: RunnerImage = default(RunnerImage)
    """Image."""
    resources: Resources = resources("500m", "512Mi", "4000m", "8192Mi")
    """Resources of the runner container: what a run may use."""
    memory_soft_limit_percent: Annotated[Count, variable("SCALR_AGENT_MEMORY_MONITOR_SOFT_LIMIT_PERCENT")] = 80
    """Share of the memory limit at which a run is stopped, before the kernel kills it."""
    memory_warn_percent: Annotated[Count, variable("SCALR_AGENT_MEMORY_MONITOR_WARN_PERCENT")] = 90
    """Share of that soft limit at which a run is warned."""
    extra_env: EnvMap = {}
    """Environment variables of runs."""
    extra_volume_mounts: VolumeMounts = []
    """Further mounts of volumes from `task.extraVolumes`."""
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
    """PodDisruptionBudget of task pods. Not in this line's chart: without it a node drain kills runs."""

    enabled: Flag = True
    """Whether to make the budget."""
    min_available: CountOrPercent = UNEVICTABLE
    """Task pods that must stay, a whole number: more than there can be, so that none is evicted."""
    max_unavailable: CountOrPercent = None
    """Only 0, which means the same: Jobs have no scale from which Kubernetes could count."""


class Buffer(ChartSection):
    """Placeholders that keep nodes warm: pods as large as a task that give way to tasks. Not in the chart."""

    replicas: Count = 0
    """How many tasks to keep room for. Default: none."""
    priority_class_name: Name = ""
    """An existing PriorityClass for the placeholders, below that of tasks. Default: one is made, of priority -10 and without preemption."""


class Task(ChartSection):
    """The task's pod."""

    job: Job = default(Job)
    """The Job."""
    job_labels: Labels = {}
    """Labels of Jobs; win over `global.labels`."""
    job_annotations: Annotations = {}
    """Annotations of Jobs; win over `global.annotations`."""
    startup_timeout_seconds: Annotated[Count, variable("SCALR_AGENT_KUBERNETES_TASK_STARTUP_TIMEOUT_SECONDS")] = 180
    """How long a task may take to start, nodes to scale up included."""
    pod_disruption_budget: TaskBudget = default(TaskBudget)
    """PodDisruptionBudget of task pods."""
    buffer: Buffer = default(Buffer)
    """Room kept for tasks that are still to come."""
    node_selector: Labels = {}
    """Node labels that task pods need."""
    tolerations: Tolerations = []
    """Tolerations of task pods."""
    affinity: Affinity = {}
    """Affinity of task pods."""
    pod_annotations: Annotations = {}
    """Annotations of task pods; win over `global.podAnnotations` and over the four that keep autoscalers away."""
    pod_labels: Labels = {}
    """Labels of task pods; win over `global.podLabels`."""
    pod_security_context: PodSecurityContext = {}
    """PodSecurityContext of task pods; wins over `global.podSecurityContext` key by key."""
    allow_metadata_service: Flag = False
    """Whether runs may reach the cloud's metadata service. False makes a NetworkPolicy that closes it."""
    allow_nfs: Flag = False
    """Whether runs may connect to NFS servers (ports 111 and 2049). False closes them in that NetworkPolicy, by ranges of ports."""
    termination_grace_period_seconds: Annotated[Count, variable("SCALR_AGENT_WORKER_GRACE_SHUTDOWN_TIMEOUT")] = 360
    """Seconds that a run has to stop; the worker's timeout follows. `null`: Kubernetes' 30."""
    extra_volumes: Volumes = []
    """Further volumes of task pods."""
    sidecars: Containers = []
    """Further containers of task pods."""
    worker: Worker = default(Worker)
    """The worker container."""
    runner: Runner = default(Runner)
    """The runner container."""
