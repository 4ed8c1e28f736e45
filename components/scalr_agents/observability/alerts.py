"""The alerts of an agent, as data: on metrics of kube-state-metrics and the kubelet, with their default settings."""

from collections.abc import Iterator
from dataclasses import dataclass

from scalr_agents.observability.watched import Watched

_IMAGE = "ErrImagePull|ImagePullBackOff|ErrImageNeverPull|InvalidImageName"
_CONTAINER = "CreateContainerConfigError|CreateContainerError"
_POD = ("namespace", "pod")
_CONTAINER_OF_POD = (*_POD, "container")
_JOB = ("namespace", "job_name")
_THE_CONTAINER = "Container {{ $labels.container }} of pod {{ $labels.pod }}"
_NEAR = 0.75
"""Part of the time after which the agent gives up a run, from which on a run is late: scrapes must see it before it is gone."""


@dataclass(frozen=True, kw_only=True)
class Alert:
    """An alert, which docs/alerts.md has a section for."""

    name: str
    expr: str
    after: str = ""
    """How long the expression must hold; empty: at once."""
    keep: str = ""
    """How long the alert stays after that, for what is soon gone."""
    severity: str = "warning"
    summary: str
    description: str
    """What it means. Prometheus fills in the labels."""
    look: str
    """The command to look with."""


def of(watched: Watched) -> Iterator[Alert]:
    """All alerts of an agent."""
    yield from _controllers(watched)
    yield from _containers(watched)
    if watched.started:
        yield from _starts(watched, watched.started.schedule_seconds, watched.started.start_seconds)
    if watched.jobs:
        yield from _jobs(watched)
    yield from _nodes(watched)
    if watched.claims:
        yield _full(watched)


def _controllers(watched: Watched) -> Iterator[Alert]:
    agent, namespace, own, controllers = watched.agent.name, watched.namespace, watched.own, watched.controllers
    kind, name = controllers.kind, controllers.name
    wanted, available = (_most(metric, "", "namespace", controllers.label) for metric in (controllers.wanted, controllers.available))
    exits = _exits(own)
    yield Alert(
        name="ScalrAgentDown",
        expr=f"{available} == 0 and {wanted} > 0",
        after="5m",
        severity="critical",
        summary=f"Agent {agent} is down",
        description=f"No pod of {kind} {name} is available: the agent takes no work.",
        look=f"kubectl describe pods -n {namespace} -l {_labels(watched)}",
    )
    workers = _most("kube_daemonset_status_number_unavailable", watched.daemon_set, "namespace", "daemonset")
    yield Alert(
        name="ScalrAgentDegraded",
        expr=f"({wanted} - {available} > 0 and {available} > 0)" + (f" or {workers} > 0" if watched.daemon_set else ""),
        after="15m",
        summary=f"Agent {agent} has fewer pods than it should have",
        description="{{ $value }} pods are not available.",
        look=f"kubectl get pods -n {namespace} -l {_labels(watched)} -o wide",
    )
    yield Alert(
        name="ScalrAgentUnseen",
        expr=f"absent({controllers.wanted})",
        after="15m",
        summary=f"Agent {agent} has no metrics",
        description=f"{kind} {name} does not exist in namespace {namespace}, or Prometheus does not read kube-state-metrics. No other "
        "alert of this agent can fire.",
        look=f"kubectl get {controllers.label} -n {namespace} {name}",
    )
    yield Alert(
        name="ScalrAgentExits",
        expr=exits,
        after="2m",
        severity="critical",
        summary=f"Agent {agent} exits soon after it starts",
        description=f"{_THE_CONTAINER} starts and exits over and over: its token may be refused, or it cannot reach Scalr.",
        look=f"kubectl logs -n {namespace} {{{{ $labels.pod }}}} -c {{{{ $labels.container }}}} --previous",
    )
    restarts = _most(f"increase(kube_pod_container_status_restarts_total{{{own}}}[1h])", "", *_CONTAINER_OF_POD)
    yield Alert(
        name="ScalrAgentRestarting",
        expr=f"{restarts} > 2.5 unless {exits}",
        summary=f"Agent {agent} restarts often",
        description=f"{_THE_CONTAINER} restarted {{{{ $value | humanize }}}} times within an hour.",
        look=_describe(watched),
    )


def _containers(watched: Watched) -> Iterator[Alert]:
    agent, everything = watched.agent.name, watched.everything
    look = _describe(watched)
    for name, reasons, what, why in (
        ("ScalrImageNotPulled", _IMAGE, "cannot pull an image", "its image cannot be pulled"),
        ("ScalrContainerNotCreated", _CONTAINER, "has a container that cannot be created", "a Secret or ConfigMap, or a key, is missing"),
    ):
        yield Alert(
            name=name,
            expr=_waiting(everything, reasons, *_CONTAINER_OF_POD),
            after="30s",
            keep="10m",
            severity="critical",
            summary=f"Agent {agent} {what}",
            description=f"{_THE_CONTAINER} does not start: {why}.",
            look=look,
        )
    restarted = f"increase(kube_pod_container_status_restarts_total{{{watched.own}}}[15m])"
    killed = _most("kube_pod_container_status_last_terminated_reason", f'{watched.own},reason="OOMKilled"', *_CONTAINER_OF_POD)
    yield Alert(
        name="ScalrAgentOutOfMemory",
        expr=f"{_most(restarted, '', *_CONTAINER_OF_POD)} > 0 and {killed} == 1",
        summary=f"Agent {agent} ran out of memory",
        description=f"{_THE_CONTAINER} was killed at its memory limit.",
        look=look,
    )
    if watched.started:
        yield Alert(
            name="ScalrRunOutOfMemory",
            expr=_most("kube_pod_container_status_terminated_reason", f'{watched.runs},reason="OOMKilled"', *_CONTAINER_OF_POD) + " == 1",
            keep="15m",
            summary=f"A run of agent {agent} ran out of memory",
            description=f"{_THE_CONTAINER} was killed at its memory limit.",
            look=look,
        )
    evicted = f'{{{everything},reason="Evicted"}}'
    yield Alert(
        name="ScalrPodEvicted",
        expr=_most(f"kube_pod_status_reason{evicted}", "", *_POD)
        + " == 1 unless on (namespace, pod) "
        + _most(f"kube_pod_status_reason{evicted} offset 30m", "", *_POD)
        + " == 1",
        keep="15m",
        summary=f"A pod of agent {agent} was evicted",
        description="The node of pod {{ $labels.pod }} was short of disk or memory, or the pod exceeded a limit on disk.",
        look=look,
    )


def _starts(watched: Watched, schedule_seconds: int, start_seconds: int) -> Iterator[Alert]:
    """Runs that wait. The agent gives them up after a time: then their pods are gone, so that these alerts wait for nothing."""
    agent, runs = watched.agent.name, watched.runs
    unschedulable = f"{_most('kube_pod_status_unschedulable', runs, *_POD)} == 1"
    pending = _most("kube_pod_status_phase", f'{runs},phase="Pending"', *_POD) + " == 1"
    age = f"time() - {_most('kube_pod_created', runs, *_POD)}"
    given_up = "the agent gives it up after"
    yield Alert(
        name="ScalrRunUnschedulable",
        expr=f"{age} > {_late(schedule_seconds)} and on (namespace, pod) ({unschedulable})",
        keep="10m",
        summary=f"A run of agent {agent} finds no node",
        description=f"Pod {{{{ $labels.pod }}}} has no node since {{{{ $value | humanizeDuration }}}}; {given_up} {schedule_seconds} s.",
        look=_describe(watched),
    )
    yield Alert(
        name="ScalrRunNotStarting",
        expr=f"{age} > {_late(start_seconds)} and on (namespace, pod) ({pending}) unless on (namespace, pod) ({unschedulable}) "
        f"unless on (namespace, pod) ({_waiting(runs, f'{_IMAGE}|{_CONTAINER}', *_POD)})",
        keep="10m",
        summary=f"A run of agent {agent} does not start",
        description="Pod {{ $labels.pod }} has a node, and has not started: a volume is not mounted, or an image is large. It is "
        f"{{{{ $value | humanizeDuration }}}} old; {given_up} {start_seconds} s.",
        look=_describe(watched),
    )


def _jobs(watched: Watched) -> Iterator[Alert]:
    agent, namespace = watched.agent.name, watched.namespace

    def job(metric: str, more: str = "") -> str:
        return _most(f"kube_job_{metric}", f"{watched.jobs}{more}", *_JOB)

    ended = [f"{job('status_succeeded')} > 0", f"{job('status_failed')} > 0", f"{job('status_suspended')} == 1"]
    ended += [job(what, ',condition="true"') + " == 1" for what in ("complete", "failed")]
    yield Alert(
        name="ScalrJobWithoutPod",
        expr=f"{job('status_active')} == 0 and on (namespace, job_name) (time() - {job('created')} > 60) "
        + " ".join(f"unless on (namespace, job_name) ({each})" for each in ended),
        after="30s",
        keep="10m",
        severity="critical",
        summary=f"A run of agent {agent} has no pod",
        description="Job {{ $labels.job_name }} has no pod: a quota or an admission controller may refuse it.",
        look=f"kubectl describe job -n {namespace} {{{{ $labels.job_name }}}}",
    )
    yield Alert(
        name="ScalrRunNearDeadline",
        expr=f"(time() - {job('status_start_time')}) / {job('spec_active_deadline_seconds')} > 0.9 "
        f"and on (namespace, job_name) ({job('status_active')} > 0)",
        summary=f"A run of agent {agent} is close to its deadline",
        description="Job {{ $labels.job_name }} has used {{ $value | humanizePercentage }} of its time (activeDeadlineSeconds). Kubernetes "
        "kills it at the end.",
        look=f"kubectl logs -n {namespace} job/{{{{ $labels.job_name }}}} -c runner",
    )


def _nodes(watched: Watched) -> Iterator[Alert]:
    agent, namespace, runs = watched.agent.name, watched.namespace, watched.runs
    running = _most("kube_pod_status_phase", f'{runs},phase="Running"', *_POD)
    look = f"kubectl get pods -n {namespace} -o wide --field-selector spec.nodeName={{{{ $labels.node }}}}"
    yield Alert(
        name="ScalrNodeDiskPressure",
        expr=_most("kube_node_status_condition", 'condition="DiskPressure",status="true"', "node")
        + f" == 1 and on (node) {_most('kube_pod_info', watched.everything, 'node')}",
        after="1m",
        summary=f"A node of agent {agent} is short of disk",
        description="Node {{ $labels.node }} is under DiskPressure: it evicts pods and starts none.",
        look="kubectl describe node {{ $labels.node }}",
    )
    if watched.budgets:
        busy = f"kube_pod_info{{{runs}}} * on (namespace, pod) group_left () {running}"
        allowed = f"kube_poddisruptionbudget_status_pod_disruptions_allowed{{{watched.budgets}}}"
        yield Alert(
            name="ScalrDrainBlocked",
            expr=f"{_most('kube_node_spec_unschedulable', '', 'node')} == 1 and on (node) {_most(busy, '', 'node')} == 1 "
            f"and on () (min({allowed}) == 0)",
            after="1h",
            summary=f"A drain waits for agent {agent}",
            description="Node {{ $labels.node }} is cordoned, and a budget has kept pods on it for more than an hour.",
            look=look,
        )
    if watched.started and watched.daemon_set:
        ready = _most("kube_pod_status_ready", f'{watched.workers},condition="true"', *_POD)
        there = f"kube_pod_info{{{watched.workers}}} * on (namespace, pod) group_left () {ready}"
        yield Alert(
            name="ScalrRunAbandoned",
            expr=_most("kube_pod_info", f'{runs},node!=""', *_POD, "node")
            + f" and on (namespace, pod) ({running} == 1) unless on (node) ({_most(there, '', 'node')} == 1)",
            after="5m",
            severity="critical",
            summary=f"A run of agent {agent} has lost its worker",
            description="Pod {{ $labels.pod }} runs on node {{ $labels.node }}, which has no ready worker.",
            look=look,
        )


def _full(watched: Watched) -> Alert:
    def part(left: str, whole: str) -> str:
        by = ("namespace", "persistentvolumeclaim")
        free, of_all = (_most(f"kubelet_volume_stats_{what}", watched.claims, *by) for what in (left, whole))
        return f"{free} / ({of_all} > 0) < 0.1"

    return Alert(
        name="ScalrCacheFull",
        expr=f"{part('available_bytes', 'capacity_bytes')} or {part('inodes_free', 'inodes')}",
        after="5m",
        summary=f"A volume of agent {watched.agent.name} is nearly full",
        description="Claim {{ $labels.persistentvolumeclaim }} has {{ $value | humanizePercentage }} of its space or inodes left.",
        look=f"kubectl describe pvc -n {watched.namespace} {{{{ $labels.persistentvolumeclaim }}}}",
    )


def _exits(own: str) -> str:
    """Containers that start and exit over and over by themselves. A container that is being restarted shows no reason for a moment."""
    waiting = f'max_over_time(kube_pod_container_status_waiting_reason{{{own},reason="CrashLoopBackOff"}}[5m])'
    ended = _most("kube_pod_container_status_last_terminated_reason", f'{own},reason=~"Error|Completed"', *_CONTAINER_OF_POD)
    return f"({_most(waiting, '', *_CONTAINER_OF_POD)} == 1 and {ended} == 1)"


def _waiting(matchers: str, reasons: str, *by: str) -> str:
    """Containers, also those of the initialization, that wait for one of these reasons."""
    kinds = (f'kube_pod_{kind}container_status_waiting_reason{{{matchers},reason=~"{reasons}"}}' for kind in ("", "init_"))
    return f"{_most(' or '.join(kinds), '', *by)} == 1"


def _most(metric: str, matchers: str, *by: str) -> str:
    """The highest value by some labels: once for each, also where several instances of kube-state-metrics run."""
    return f"max by ({', '.join(by)}) ({metric}{f'{{{matchers}}}' if matchers else ''})"


def _describe(watched: Watched) -> str:
    return f"kubectl describe pod -n {watched.namespace} {{{{ $labels.pod }}}}"


def _late(seconds: int) -> int:
    return int(seconds * _NEAR)


def _labels(watched: Watched) -> str:
    return f"app.kubernetes.io/instance={watched.agent.release.name}"
