"""Section `task`: the Job that the controller starts for every run, with its containers `runner` and `worker`."""

from scalr_agents.values.common import Image, WorkerImage, resources
from scalr_agents.values.fields import (
    Annotations,
    Count,
    CountOrPercent,
    EnvMap,
    Flag,
    KubernetesList,
    KubernetesMap,
    Labels,
    Repository,
)
from scalr_agents.values.section import ChartSection, default

UNEVICTABLE = 2147483647
"""The largest number that `minAvailable` takes: no task pod may be evicted."""


class Job(ChartSection):
    """The Kubernetes Job of a task."""

    ttl_seconds_after_finished: Count = 60
    """Seconds that a finished Job and its pod stay, for their logs. `null` keeps them."""


class Worker(ChartSection):
    """The agent process that supervises the task."""

    image: WorkerImage = default(WorkerImage)
    """Image; defaults to the controller's."""
    resources: KubernetesMap = resources("250m", "256Mi", "2000m", "1024Mi")
    """Resources of the worker container."""
    extra_env: EnvMap = {}
    """Environment variables of the worker; win over `agent.extraEnv`."""
    extra_volume_mounts: KubernetesList = []
    """Further mounts of volumes from `task.extraVolumes`."""
    security_context: KubernetesMap = {}
    """Kubernetes SecurityContext, merged with `allowPrivilegeEscalation: false` and `capabilities: {drop: [ALL]}`."""


class RunnerImage(Image):
    """Image of the runner."""

    repository: Repository = "scalr/agent-runner"
    """Repository, without tag. A custom image needs a user 1000:1000."""


class Runner(ChartSection):
    """The environment in which Terraform or OpenTofu runs."""

    image: RunnerImage = default(RunnerImage)
    """Image; tag defaults to the agent version."""
    resources: KubernetesMap = resources("500m", "512Mi", "4000m", "2048Mi")
    """Resources of the runner container: what a run may use."""
    extra_env: EnvMap = {}
    """Environment variables of runs."""
    extra_volume_mounts: KubernetesList = []
    """Further mounts of volumes from `task.extraVolumes`."""
    security_context: KubernetesMap = {
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


class Task(ChartSection):
    """The task's pod."""

    job: Job = default(Job)
    """The Job."""
    pod_disruption_budget: TaskBudget = default(TaskBudget)
    """PodDisruptionBudget of task pods."""
    node_selector: Labels = {}
    """Node labels that task pods need."""
    tolerations: KubernetesList = []
    """Tolerations of task pods."""
    affinity: KubernetesMap = {}
    """Affinity of task pods."""
    pod_annotations: Annotations = {}
    """Annotations of task pods; win over `global.podAnnotations` and over the four that keep autoscalers away."""
    pod_labels: Labels = {}
    """Labels of task pods; win over `global.podLabels`."""
    pod_security_context: KubernetesMap = {}
    """PodSecurityContext of task pods; wins over `global.podSecurityContext` key by key."""
    allow_metadata_service: Flag = False
    """Whether runs may reach the cloud's metadata service. False makes a NetworkPolicy that closes it."""
    termination_grace_period_seconds: Count = 360
    """Seconds that a run has to stop; the worker's timeout follows. `null`: Kubernetes' 30."""
    extra_volumes: KubernetesList = []
    """Further volumes of task pods."""
    sidecars: KubernetesList = []
    """Further containers of task pods."""
    worker: Worker = default(Worker)
    """The worker container."""
    runner: Runner = default(Runner)
    """The runner container."""
