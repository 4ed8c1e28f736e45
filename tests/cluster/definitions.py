"""The definitions of our kinds in a cluster. A server takes a moment until it serves a new one."""

from http import HTTPStatus

from scalr_agents.charts.shared import crds
from scalr_agents.model.release import Line

from tests.cluster.client import ApiError, Client, Manifest, wait
from tests.helpers.validated import LINES

LINES_WITH_ONE = [line for line in LINES if line.task_resource]
NOT_YET = (HTTPStatus.NOT_FOUND, HTTPStatus.TOO_MANY_REQUESTS)
"""Responses of the server until a new or changed definition is served."""


def of(line: Line) -> Manifest:
    [definition] = crds.objects(line).values()
    return definition


def install(cluster: Client, definition: Manifest, manager: str = "pulumi-kubernetes", *, force: bool = False) -> Manifest:
    """Apply a definition, and return it when its kind is served."""
    cluster.apply(definition, manager=manager, force=force)
    kind = definition["spec"]["names"]["kind"]
    wait(lambda: _is_served(cluster, kind), f"kind {kind}")
    return cluster.current(definition)


def install_all(cluster: Client) -> None:
    """Make a cluster serve the definitions of all lines."""
    for line in LINES_WITH_ONE:
        install(cluster, of(line), force=True)


def _is_served(cluster: Client, kind: str) -> bool:
    try:
        cluster.list(kind)
    except ApiError as problem:
        if problem.status not in NOT_YET:
            raise
        return False
    return True
