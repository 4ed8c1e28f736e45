"""The policies of closed networks against a real API server: accepted in every dialect, with nothing dropped, and with its own address."""

from collections.abc import Iterator
from typing import Any

import pytest
from scalr_agents.model.release import Line

from tests.charts.shared.network.agents import DIALECTS, behind, policies, restricted, sound
from tests.cluster import agents
from tests.cluster.client import Client, Manifest
from tests.helpers.validated import LINES

PROXY = "http://10.0.12.5:3128"
ENTRIES: tuple[dict[str, Any], ...] = (
    {"cidr": "10.20.0.0/16", "ports": [443, 8443]},
    {"cidr": "169.254.0.0/15", "ports": [80]},
    {"cidr": "fd00::/8"},
    {"namespace": "observability", "ports": [4317]},
)
NAMES: tuple[dict[str, Any], ...] = ({"host": "github.acme.internal", "ports": [22]}, {"host": "*.amazonaws.com"})


def _made(line: Line, dialect: str, namespace: str) -> Iterator[Manifest]:
    entries = ENTRIES if dialect == "kubernetes" else (*ENTRIES, *NAMES)
    for policy in policies(sound(line, restricted(dialect, *entries), behind(line, PROXY))):
        yield {**policy, "metadata": {**policy["metadata"], "namespace": namespace}}


@pytest.mark.parametrize("line", LINES, ids=agents.line_id)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_policies_are_accepted_unchanged(cluster: Client, namespace: str, line: Line, dialect: str) -> None:
    for policy in _made(line, dialect, namespace):
        assert cluster.apply(policy)["spec"] == policy["spec"]
        applied = cluster.current(policy)["metadata"]
        again = cluster.apply(policy)["metadata"]
        assert (again["generation"], again["managedFields"]) == (applied["generation"], applied["managedFields"])
