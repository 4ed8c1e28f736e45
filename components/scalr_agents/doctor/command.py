"""The command `doctor`: reads facts, lets the API server judge, checks, and runs probes."""

import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from types import FrameType

from scalr_agents.cluster.api import Api
from scalr_agents.doctor import addons, dry_run, existing, facts, nodes, note, permissions, probing
from scalr_agents.doctor.facts import Access, Cluster
from scalr_agents.doctor.needs import Needs
from scalr_agents.model.findings import Finding, Findings, by_severity
from scalr_agents.stack import Stack

_CHECKS: Sequence[Callable[[Needs, Cluster], Findings]] = (
    nodes.check_versions,
    permissions.check,
    addons.check_definitions,
    existing.check_namespaces,
    existing.check_references,
    addons.check_storage,
    dry_run.check,
    nodes.check,
    addons.check_policies,
    existing.check_owners,
)


def examined(api: Api, stack: Stack, *, probe: bool, image: str, seconds: int) -> list[Finding]:
    """All findings about the cluster of a stack. Raises `ClusterError`."""
    needs = Needs.of(stack)
    further = probing.accesses(needs) if probe else []
    cluster = ask(api, needs, further)
    found = examine(needs, cluster)
    if probe:
        refused = list(permissions.denied(further, cluster))
        found += refused
        if not refused:
            with _ended_like_an_interrupt():
                found += probing.run(api, needs, image, seconds)
    return by_severity(found)


def ask(api: Api, needs: Needs, further: Iterable[Access] = ()) -> Cluster:
    """The facts, with further accesses, and what the API server says to the stack's objects. Raises `ClusterError`."""
    cluster = facts.read(api, needs, [*permissions.reviewed(needs), *dry_run.accesses(needs), *further])
    return replace(cluster, answers=dry_run.submit(api, needs, cluster))


def examine(needs: Needs, cluster: Cluster) -> list[Finding]:
    """What the checks find, errors first."""
    found = (finding for check in _CHECKS for finding in check(needs, cluster))
    return by_severity([*found, *(note("cluster", text) for text in cluster.view.odd)])


@contextmanager
def _ended_like_an_interrupt() -> Iterator[None]:
    """SIGTERM ends the process as Ctrl-C does, so that it cleans up."""

    def interrupt(_signal: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
