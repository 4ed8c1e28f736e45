"""What metrics look like when an alert must fire, and in the nearest case in which it must not."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from scalr_agents import stack
from scalr_agents.model.findings import errors

from tests.helpers.samples import REPOSITORY

URL = "https://docs.acme.internal/scalr/alerts.html"
CONFIG: Mapping[str, Any] = {
    "common": {
        "url": "https://example.scalr.io",
        "agentVersion": "1.4.0",
        "observability": {"prometheusRules": True, "labels": {"release": "prometheus"}, "runbooks": URL, "dashboard": True},
    },
    "agents": {
        "web": {
            "kind": "agent-job",
            "namespace": "scalr",
            "values": {"persistence": {"cache": {"enabled": True}}, "task": {"job": {"activeDeadlineSeconds": 14400}}},
        },
        "data": {"kind": "agent-job", "namespace": "scalr", "agentVersion": "0.57.0"},
        "stages": {"kind": "agent-k8s", "namespace": "scalr-stages"},
        "local": {"kind": "agent-local", "namespace": "scalr-local", "values": {"replicaCount": 2}},
        "sets": {"kind": "agent-local", "namespace": "scalr-local", "values": {"workload": {"kind": "StatefulSet"}}},
    },
    "secrets": {name: {"token": f"token-of-{name}"} for name in ("web", "data", "stages", "local", "sets")},
}

Series = Mapping[str, str]
"""Values by series, in promtool's notation: one each 30 seconds."""

CONTROLLER = 'namespace="scalr",pod="web-scalr-agent-5d4f8b7c96-abcde"'
RUN = 'namespace="scalr",pod="web-scalr-agent-run-v0o1k2-plan-x7k2p"'
JOB = 'namespace="scalr",job_name="web-scalr-agent-run-v0o1k2-plan"'
STAGE = 'namespace="scalr-stages",pod="task-1"'
_CONTROLLER = f'{CONTROLLER},container="agent"'
_RUNNER = f'{RUN},container="runner"'
_WORKER = 'namespace="scalr-stages",pod="stages-agent-k8s-worker-abcde"'
_DEPLOYMENT = 'namespace="scalr",deployment="web-scalr-agent"'
_SET = 'namespace="scalr-local",statefulset="sets-agent-local"'
_WORKERS = 'namespace="scalr-stages",daemonset="stages-agent-k8s-worker"'
_CACHE = 'namespace="scalr",persistentvolumeclaim="web-scalr-agent-cache"'
_BUDGET = 'kube_poddisruptionbudget_status_pod_disruptions_allowed{namespace="scalr",poddisruptionbudget="web-scalr-agent-task"}'
_LAST = "kube_pod_container_status_last_terminated_reason"
_RESTARTS = "kube_pod_container_status_restarts_total"
_WAITING = "kube_pod_container_status_waiting_reason"


class Case(NamedTuple):
    """An alert, metrics with which it fires, and others with which it does not."""

    alert: str
    fires: Series
    quiet: Series
    minutes: int = 20
    agent: str = "web"


def always(*series: str, value: int = 1) -> Series:
    """Series that have the same value all the time."""
    return dict.fromkeys(series, f"{value}x400")


def _deployment(expected: int, available: int) -> Series:
    return {
        f"kube_deployment_spec_replicas{{{_DEPLOYMENT}}}": f"{expected}x400",
        f"kube_deployment_status_replicas_available{{{_DEPLOYMENT}}}": f"{available}x400",
    }


def _stateful_set(expected: int, available: int) -> Series:
    return {
        f"kube_statefulset_replicas{{{_SET}}}": f"{expected}x400",
        f"kube_statefulset_status_replicas_available{{{_SET}}}": f"{available}x400",
    }


def _crash_loop(reason: str, container: str = _CONTROLLER) -> Series:
    """Its restarts are as far apart as those of a kubelet are after some time; meanwhile it waits, but for moments."""
    return {
        f'{_WAITING}{{{container},reason="CrashLoopBackOff"}}': "1x8 _x1 1x8 _x1 1x8 _x1 1x8 _x1 1x8 _x1 1x50",
        f'{_LAST}{{{container},reason="{reason}"}}': "1x400",
        f"{_RESTARTS}{{{container}}}": "0+1x8 8x400",
    }


def _age(pod: str, created: int = 0) -> Series:
    return {f"kube_pod_created{{{pod}}}": f"{created}x400"}


def _job(*, active: int = 1, succeeded: int = 0, failed: int = 0, complete: str = "") -> Series:
    return {
        f"kube_job_created{{{JOB}}}": "0x900",
        f"kube_job_status_start_time{{{JOB}}}": "0x900",
        f"kube_job_spec_active_deadline_seconds{{{JOB}}}": "14400x900",
        f"kube_job_status_active{{{JOB}}}": f"{active}x900",
        f"kube_job_status_succeeded{{{JOB}}}": f"{succeeded}x900",
        f"kube_job_status_failed{{{JOB}}}": f"{failed}x900",
        f"kube_job_status_suspended{{{JOB}}}": "0x900",
        **({f'kube_job_complete{{{JOB},condition="{complete}"}}': "1x900"} if complete else {}),
    }


def _on(node: str, pod: str, phase: str = "Running") -> Series:
    return always(f'kube_pod_info{{{pod},node="{node}"}}', f'kube_pod_status_phase{{{pod},phase="{phase}"}}')


def _volume(available: int, inodes_free: int) -> Series:
    values = {"available_bytes": available, "capacity_bytes": 100, "inodes_free": inodes_free, "inodes": 100}
    return {f"kubelet_volume_stats_{name}{{{_CACHE}}}": f"{value}x400" for name, value in values.items()}


_PENDING = f'kube_pod_status_phase{{{RUN},phase="Pending"}}'
_NO_NODE = f"kube_pod_status_unschedulable{{{RUN}}}"
_READY_WORKER = {**always(f'kube_pod_info{{{_WORKER},node="n1"}}', f'kube_pod_status_ready{{{_WORKER},condition="true"}}')}
_CORDONED = {'kube_node_spec_unschedulable{node="n1"}': "1x400", 'kube_node_spec_unschedulable{node="n2"}': "0x400"}

RUN_OUT_OF_MEMORY: Series = {f'kube_pod_container_status_terminated_reason{{{_RUNNER},reason="OOMKilled"}}': "_x20 1x2 stale"}
"""A run that was killed, and is gone a minute later."""
CASES: Sequence[Case] = (
    Case("ScalrAgentDown", _deployment(2, 0), _deployment(0, 0)),
    Case("ScalrAgentDown", _stateful_set(2, 0), _stateful_set(2, 2), agent="sets"),
    Case("ScalrAgentDegraded", _deployment(2, 1), _deployment(2, 2)),
    Case("ScalrAgentUnseen", always(f"kube_deployment_spec_replicas{{{_DEPLOYMENT}}}"), _stateful_set(2, 2), agent="sets"),
    Case(
        "ScalrAgentDegraded",
        always(f"kube_daemonset_status_number_unavailable{{{_WORKERS}}}"),
        always(f"kube_daemonset_status_number_unavailable{{{_WORKERS}}}", value=0),
        agent="stages",
    ),
    Case("ScalrAgentUnseen", always('kube_deployment_spec_replicas{namespace="scalr",deployment="other"}'), _deployment(1, 1)),
    Case("ScalrAgentExits", _crash_loop("Error"), _crash_loop("OOMKilled")),
    Case("ScalrAgentExits", _crash_loop("Completed"), _crash_loop("Error", f'{CONTROLLER.replace("web", "other")},container="agent"')),
    Case(
        "ScalrAgentRestarting", {f"{_RESTARTS}{{{_CONTROLLER}}}": "0x10 1x10 2x10 3x400"}, {f"{_RESTARTS}{{{_CONTROLLER}}}": "0x10 1x400"}
    ),
    Case("ScalrAgentRestarting", _crash_loop("OOMKilled"), _crash_loop("Error")),
    Case(
        "ScalrImageNotPulled",
        {  # a kubelet tries again and again
            f'{_WAITING}{{{_RUNNER},reason="ErrImagePull"}}': "1x2 _x3 1x2 _x3 1x2",
            f'{_WAITING}{{{_RUNNER},reason="ImagePullBackOff"}}': "_x3 1x2 _x3 1x2 _x3 1x200",
        },
        always(f'{_WAITING}{{{_RUNNER},reason="ContainerCreating"}}'),
    ),
    Case(
        "ScalrImageNotPulled",
        always(f'kube_pod_init_container_status_waiting_reason{{{STAGE},container="init",reason="ImagePullBackOff"}}'),
        always(f'{_WAITING}{{namespace="other",pod="task-1",container="init",reason="ImagePullBackOff"}}'),
        agent="stages",
    ),
    Case(
        "ScalrContainerNotCreated",
        always(f'{_WAITING}{{{_CONTROLLER},reason="CreateContainerConfigError"}}'),
        {f'{_WAITING}{{{_CONTROLLER},reason="CreateContainerConfigError"}}': "_x39 1 stale"},
    ),
    Case(
        "ScalrAgentOutOfMemory",
        {f"{_RESTARTS}{{{_CONTROLLER}}}": "0x20 1x400", f'{_LAST}{{{_CONTROLLER},reason="OOMKilled"}}': "_x20 1x400"},
        {f"{_RESTARTS}{{{_CONTROLLER}}}": "1x400", f'{_LAST}{{{_CONTROLLER},reason="OOMKilled"}}': "1x400"},  # long ago
    ),
    Case(
        "ScalrRunOutOfMemory",
        RUN_OUT_OF_MEMORY,
        always(f'kube_pod_container_status_terminated_reason{{{_RUNNER},reason="Error"}}'),
    ),
    Case(
        "ScalrPodEvicted",
        {f'kube_pod_status_reason{{{CONTROLLER},reason="Evicted"}}': "_x20 1x400"},
        {f'kube_pod_status_reason{{{CONTROLLER},reason="Evicted"}}': "1x400"},  # an old one that nobody removed
        minutes=50,
    ),
    Case("ScalrRunUnschedulable", {**_age(RUN), _NO_NODE: "_x1 1x4 stale"}, {**_age(RUN), _NO_NODE: "_x1 1x3 stale"}, minutes=3),
    Case(
        "ScalrRunNotStarting",
        {**_age(RUN), **always(_PENDING)},
        {**_age(RUN), **always(_PENDING, f'{_WAITING}{{{_RUNNER},reason="ImagePullBackOff"}}')},
        minutes=4,
    ),
    Case("ScalrRunNotStarting", {**_age(RUN), **always(_PENDING)}, {**_age(RUN), **always(_PENDING, _NO_NODE)}, minutes=4),
    Case("ScalrJobWithoutPod", _job(active=0), _job(active=0, succeeded=1, complete="true"), minutes=5),
    Case("ScalrJobWithoutPod", _job(active=0), _job(active=0, failed=1), minutes=5),
    Case("ScalrRunNearDeadline", _job(), _job(active=0, succeeded=1), minutes=220),
    Case(
        "ScalrNodeDiskPressure",
        {**always('kube_node_status_condition{node="n1",condition="DiskPressure",status="true"}'), **_on("n1", RUN)},
        {**always('kube_node_status_condition{node="n2",condition="DiskPressure",status="true"}'), **_on("n1", RUN)},
    ),
    Case(
        "ScalrDrainBlocked",
        {**_CORDONED, **_on("n1", RUN), _BUDGET: "0x400"},
        {**_CORDONED, **_on("n2", RUN), _BUDGET: "0x400"},
        minutes=70,
    ),
    Case(
        "ScalrDrainBlocked",
        {**_CORDONED, **_on("n1", RUN), _BUDGET: "0x400"},
        {**_CORDONED, **_on("n1", RUN), _BUDGET: "1x400"},
        minutes=70,
    ),
    Case("ScalrRunAbandoned", _on("n1", STAGE), {**_on("n1", STAGE), **_READY_WORKER}, agent="stages"),
    Case("ScalrCacheFull", _volume(9, 50), _volume(11, 50)),
    Case("ScalrCacheFull", _volume(50, 9), _volume(50, 50)),
)

HEALTHY: Series = {
    **_deployment(2, 2),
    **_stateful_set(2, 2),
    **always(
        'kube_deployment_spec_replicas{namespace="scalr",deployment="data-agent-job"}',
        'kube_deployment_spec_replicas{namespace="scalr-stages",deployment="stages-agent-k8s-controller"}',
        'kube_deployment_spec_replicas{namespace="scalr-local",deployment="local-agent-local"}',
    ),
    **always(f"kube_daemonset_status_number_unavailable{{{_WORKERS}}}", f"{_RESTARTS}{{{_CONTROLLER}}}", value=0),
    **always('kube_node_status_condition{node="n1",condition="DiskPressure",status="true"}', _BUDGET, value=0),
    **always('kube_node_spec_unschedulable{node="n1"}', value=0),
    **_on("n1", RUN),
    **_on("n1", STAGE),
    **_READY_WORKER,
    **_age(RUN),
    **_job(),
    **_volume(50, 50),
}
"""An hour of agents and runs without trouble."""


def loaded() -> stack.Stack:
    """A stack with agents of all kinds and of both lines."""
    made = stack.load(CONFIG, directory=REPOSITORY)
    assert errors(made.findings) == []
    return made
