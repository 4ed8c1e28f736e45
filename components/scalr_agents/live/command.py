"""The commands `status` and `logs`: they connect to the cluster of a stack, read it, and print."""

import gc
import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from scalr_agents.charts.shared.agent import AnyAgent
from scalr_agents.cluster.api import Api, ClusterError, connect
from scalr_agents.live import agents, logs, snapshot
from scalr_agents.live.agents import Claim, Run, Status
from scalr_agents.live.logs import LogsError
from scalr_agents.model.quantities import GIBIBYTE
from scalr_agents.printing import age, table
from scalr_agents.stack import Stack

__all__ = ["ClusterError", "LogsError", "as_json", "as_text", "lines", "opened", "statuses", "watched"]

_HEAD = ("AGENT", "KIND", "VERSION", "PODS", "RUNS")
_WATCH_SECONDS = 5.0


def opened(stack: Stack, untrusted: Sequence[Path]) -> Api:
    """The cluster that a stack names. Raises `ClusterError`. For `untrusted`, see `connect`."""
    return connect(stack.kubernetes.kubeconfig, stack.kubernetes.context, untrusted)


def statuses(api: Api, stack: Stack) -> tuple[list[Status], list[str]]:
    """What each agent does, and what could not be seen. Raises `ClusterError`."""
    now = snapshot.read(api, stack.agents)
    return agents.of(stack.agents, now), list(now.notes())


def watched(api: Api, stack: Stack) -> Iterator[tuple[list[Status], list[str]]]:
    """The same again and again."""
    gc.enable()  # as the process is not a short one
    while True:
        yield statuses(api, stack)
        time.sleep(_WATCH_SECONDS)


def lines(api: Api, agent: AnyAgent, run: str, *, follow: bool) -> Iterator[str]:
    """The lines of the logs of an agent, or of one of its runs. Raises `ClusterError` and `LogsError`."""
    return logs.printed(api, logs.sources(agent, run, snapshot.read(api, [agent])), follow=follow)


def as_json(found: Sequence[Status], notes: Sequence[str]) -> str:
    """What `status -o json` prints."""
    return json.dumps({"agents": [each.as_json() for each in found], "notes": list(notes)}, indent=2) + "\n"


def as_text(found: Sequence[Status], notes: Sequence[str]) -> list[str]:
    """Lines for people: a table of the agents, and what is to say of each. Texts of the cluster are not escaped yet."""
    details = [f"{each.name}: {line}" for each in found for line in _details(each)]
    return [*table([_HEAD, *map(_row, found)]), *details, *(f"note: {note}" for note in notes)]


def _row(status: Status) -> tuple[str, ...]:
    pods = "?" if status.pods is None else ", ".join(f"{each.what} {each.ready}/{each.desired}" for each in status.pods)
    return status.name, status.kind, status.version["cluster"] or "-", pods, _counted(status.runs)


def _counted(runs: Sequence[Run] | None) -> str:
    if runs is None:
        return "-"
    counts = {phase: sum(run.phase == phase for run in runs) for phase in ("running", "pending")}
    return ", ".join(f"{number} {phase}" for phase, number in counts.items() if number) or "0"


def _details(status: Status) -> Iterator[str]:
    yield from (f"{each.what} not ready: {each.reason or 'no reason known'}" for each in status.pods or () if each.ready < each.desired)
    for run in status.runs or ():
        yield f"run {run.name}: {run.phase} for {age(run.seconds)}{f': {run.reason}' if run.reason else ''}"
    yield from (f"failed {age(each.seconds)} ago: {each.name}: {each.reason}" for each in status.failures)
    yield from (f"claim {each.name}: {each.phase}, {each.size}{_use(each)}" for each in status.claims)
    yield from (f"differs: {text}" for text in status.differences)


def _use(claim: Claim) -> str:
    if claim.used is None or not claim.capacity:
        return ""
    return f", {claim.used / GIBIBYTE:.1f} of {claim.capacity / GIBIBYTE:.1f} GiB used ({claim.used * 100 // claim.capacity}%)"
