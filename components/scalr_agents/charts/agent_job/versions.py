"""What differs between versions of `agent-job`: names, values, and what agents expect of their pods."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from scalr_agents.charts.agent_job.published import CORRECTIONS, LESS_MEMORY, PUBLISHED
from scalr_agents.charts.agent_job.values import LEGACY_CLUSTER_RULES, LEGACY_RULES, AgentJobValues
from scalr_agents.charts.shared.agent import Agent
from scalr_agents.charts.shared.values import POD_FIELDS
from scalr_agents.charts.shared.versions import Handover, Row, Table
from scalr_agents.model.release import NEWEST, NEWEST_DATED, Identity, Line, Names, TaskResource


@dataclass(frozen=True, kw_only=True)
class JobNames(Names):
    """The names of agent-job."""

    task_template: str = ""
    cluster_role: str = ""
    cluster_role_binding: str = ""
    controller_budget: str = ""
    task_budget: str = ""
    buffer: str = ""
    buffer_priority: str = ""
    cache_preparation: str = ""
    pre_pull: str = ""


def _legacy_names(identity: Identity) -> JobNames:
    full, scoped = identity.full_name, identity.scoped
    cluster = f"{identity.namespace}.{full}" if scoped else full
    return _names(
        identity,
        cluster,
        deployment=full if scoped else "scalr-agent",
        task_template=f"{full}-task" if scoped else "scalr-agent-task",
        network_policy=f"{full}-network-policy" if scoped else f"{full}-task-network-policy",
        controller_budget=full if scoped else f"{full}-agent",
    )


def _current_names(identity: Identity) -> JobNames:
    """The names on the current line. They equal the chart's, except for cluster-scoped objects."""
    full = identity.full_name
    cluster = f"{identity.namespace}.{full}" if identity.scoped else f"{identity.namespace}-{full}"
    return _names(
        identity,
        cluster,
        deployment=full,
        task_template=f"{full}-task-template",
        network_policy=f"{full}-network-policy",
        controller_budget=full,
        client_cert_secret=f"{full}-client-cert",
        cache_preparation=f"{full}-cache-preparation",
    )


def _names(identity: Identity, cluster: str, **more: str) -> JobNames:
    full = identity.full_name
    return JobNames(
        service_account=identity.service_account,
        token_secret=full,
        env_secret=f"{full}-env",
        ca_bundle_secret=f"{full}-ca-bundle",
        data_claim=f"{full}-data",
        cache_claim=f"{full}-cache",
        ingress_policy=f"{full}-ingress-network-policy",
        controller_policy=f"{full}-controller-network-policy",
        role=f"{full}-role",
        role_binding=f"{full}-role-binding",
        cluster_role=f"{cluster}-clusterrole",
        cluster_role_binding=f"{cluster}-clusterrole-binding",
        task_budget=f"{full}-task",
        buffer=f"{full}-buffer",
        buffer_priority=f"{identity.namespace}.{full}-buffer",
        pre_pull=f"{full}-pre-pull",
        **more,
    )


Variables = Mapping[str, str | int | bool]
"""Variables with fixed values."""


@dataclass(frozen=True, kw_only=True)
class JobRow(Row):
    """What agents of a version expect of their pods."""

    agent_command: Sequence[str] = ()
    """Command of controller and worker; empty for the image's command."""
    runner_command: Sequence[str]
    """Command of the runner, which waits for instructions of the worker."""
    downloaded_from: str = ""
    """The host that the runner downloads its loop from; empty if it has one."""
    runner_with_agent: bool = False
    """Whether the runner's image is released with the agent's, so that its tag defaults to the agent version."""
    binaries_mount: str
    """Path where the runner expects OpenTofu and Terraform."""
    binaries_directory: str
    """Directory in the cache where the worker puts them."""
    agent_in_runner: str = ""
    """Mount path of the agent's files in the runner, a volume from the agent's image; empty if it needs none."""
    pod_info: str = ""
    """Path of the pod's labels and annotations in controller and worker; empty if they do not read them."""
    variables: Variables
    """Variables of controller and worker."""
    controller_variables: Variables = field(default_factory=dict)
    """Variables of the controller only."""
    worker_variables: Variables = field(default_factory=dict)
    """Variables of the worker only."""
    restarts: bool = False
    """Whether the Job of a run starts another pod after a disruption. A run that failed is never started again."""


Job = Agent[AgentJobValues, JobNames, JobRow]
"""An agent of this chart, as its objects and checks see it."""

_DOWNLOADED_LOOP = r"""url="https://storage.googleapis.com/runner-exec-loop/d299348/exec_loop.sh"
checksum="365410cdb41ab9f22f11f41b55c6abc04281c0209fc118d31b22e12bff6a07ae"
target="/tmp/exec-loop.sh"
echo "$(date '+%F %T.%3N') Downloading entrypoint... url=$url target=$target"
curl -fsSL "$url" -o "$target" || { echo "$(date '+%F %T.%3N') Download failed"; exit 1; }
echo "$(date '+%F %T.%3N') Download complete, verifying checksum..."
echo "$checksum  $target" | sha256sum -c - || { echo "$(date '+%F %T.%3N') Checksum verification failed"; exit 1; }
echo "$(date '+%F %T.%3N') Checksum verified, executing entrypoint..."
chmod +x "$target"
exec /bin/sh "$target"
"""
"""The script of the chart: the runner's image has no such loop, and only later charts mount the agent's."""

_POD_FIELDS = ("task.topologySpreadConstraints", *(f"{section}.{name}" for section in ("agent", "task") for name in POD_FIELDS))
_MUTUAL_TLS = ("global.tls.clientCertSecret", "global.tls.clientCert", "global.tls.clientKey")

_0_57 = JobRow(
    since=(0, 57),
    kubernetes="1.33",
    agent_command=["python", "-m", "tacoagent.cmd"],
    runner_command=["/bin/sh", "/opt/scalr-agent/tacoagent/driver/exec_loop.sh"],
    runner_with_agent=True,
    binaries_mount="/opt/bin",
    binaries_directory="bin",
    variables={"SCALR_AGENT_DISCONNECT_ON_STOP": 1},
    handover=Handover(job_restart_policy=True),
    controller_variables={"SCALR_AGENT_CONTAINER_TASK_SCHEDULING_TIMEOUT": 120},
)
_0_59 = _0_57.then(
    (0, 59),
    before={
        "agent": {"resources": {"requests": {"memory": "128Mi"}, "limits": {"cpu": "500m", "memory": "256Mi"}}},
        "task": {"worker": {"resources": {"limits": {"cpu": "2000m"}}}},
    },
    variables={"SCALR_AGENT_STATE_PERSISTENCE_ENABLED": False},
)
_0_60 = _0_59.then(
    (0, 60),
    before={
        "agent": {"resources": {"limits": {"memory": "512Mi"}}},
        "task": {"runner": {"image": {"repository": "scalr/agent-runner", "tag": ""}}},
    },
    new=("global.imageNamespace",),
    gone=("task.worker.image",),
    runner_command=["/bin/sh", "-c", _DOWNLOADED_LOOP],
    downloaded_from="storage.googleapis.com",
    runner_with_agent=False,
)
_0_61_3 = _0_60.then(
    (0, 61, 3),
    before={"rbac": {"clusterRules": [rule.plain() for rule in LEGACY_CLUSTER_RULES]}},
    new=(
        "global.labels",
        "global.annotations",
        "agent.labels",
        "agent.annotations",
        "task.job.basename",
        "task.jobLabels",
        "task.jobAnnotations",
        *_POD_FIELDS,
    ),
)
_0_61_4 = _0_61_3.then(
    (0, 61, 4),
    kubernetes="1.35",
    new=("task.startupTimeoutSeconds",),
    controller_variables={},
    runner_command=["sh", "/usr/bin/runner/exec-loop"],
    downloaded_from="",
    agent_in_runner="/usr/bin/runner",
)
_0_63_1 = _0_61_4.then(
    (0, 63, 1),
    before={"rbac": {"rules": [rule.plain() for rule in LEGACY_RULES]}},
    runner_command=["/usr/bin/runner/exec-loop"],
    pod_info="/etc/podinfo",
)
_0_65 = _0_63_1.then(
    (0, 65),
    new=(
        "agent.sentryDsn",
        "agent.providerCache.concurrency",
        "agent.moduleCache.concurrency",
        "task.runner.memorySoftLimitPercent",
        "task.runner.memoryWarnPercent",
    ),
    variables={**_0_63_1.variables, "SCALR_AGENT_MEMORY_MONITOR_ENABLED": 1},
    worker_variables={"SCALR_AGENT_PROVIDER_CACHE_DROP_KERNEL_PAGES": False},
)
_1_0_0 = _0_65.then((1, 0, 0), new=_MUTUAL_TLS)
_1_0_4 = _1_0_0.then((1, 0, 4), gone=_MUTUAL_TLS)
_1_1 = _1_0_4.then((1, 1), new=_MUTUAL_TLS, handover=_1_0_4.handover._replace(task_budget=True))
_1_2 = _1_1.then(
    (1, 2),
    before=LESS_MEMORY,
    new=(
        "agent.binaryCache",
        "agent.controller.command",
        "agent.controller.args",
        "task.worker.command",
        "task.worker.args",
        "persistence.cache.hostPath",
    ),
    agent_command=(),
    binaries_mount="/opt/binary-cache",
    binaries_directory="binaries",
)
_1_3 = _1_2.then(
    (1, 3),
    new=("agent.providerCache.dropKernelPages", "agent.providerNetworkMirrors", "task.job.backoffLimit"),
    worker_variables={},
    handover=_1_2.handover._replace(job_restart_policy=False),
    restarts=True,
)
TABLE = Table(
    chart="agent-job",
    lines=(
        Line(
            chart="agent-job",
            generation="legacy",
            base_name="agent-job",
            default_version="0.57.0",
            dated="December 2025",
            oldest=(0, 57),
            newest=(0, 60),
            names=_legacy_names,
            task_resource=TaskResource(
                group="scalr.io",
                version="v1",
                kind="AgentTask",
                plural="atasks",
                singular="atask",
                short_names=("at",),
                named_jobs=False,
                template_variable="SCALR_AGENT_KUBERNETES_JOB_TEMPLATE",
            ),
        ),
        Line(
            chart="agent-job",
            generation="current",
            base_name="scalr-agent",
            default_version=NEWEST,
            dated=NEWEST_DATED,
            oldest=(0, 61, 3),
            newest=None,
            names=_current_names,
            task_resource=TaskResource(
                group="scalr.io",
                version="v1",
                kind="AgentTaskTemplate",
                plural="agenttasktemplates",
                singular="agenttasktemplate",
                short_names=("att",),
                named_jobs=True,
                template_variable="SCALR_AGENT_KUBERNETES_TASK_TEMPLATE",
            ),
        ),
    ),
    rows=(_0_57, _0_59, _0_60, _0_61_3, _0_61_4, _0_63_1, _0_65, _1_0_0, _1_0_4, _1_1, _1_2, _1_3),
    published=PUBLISHED,
    ours=(
        "agent.minReadySeconds",
        "task.allowNfs",
        "task.buffer",
        "task.job.activeDeadlineSeconds",
        "persistence.cache.hostPath.preparation",
        *_POD_FIELDS,
    ),
    corrections=CORRECTIONS,
)
