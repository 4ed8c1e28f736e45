"""What doctor checks: pure functions of what a stack needs and of what is known about a cluster."""

from collections.abc import Sequence

from scalr_agents.doctor.checks import (
    admission,
    definitions,
    namespaces,
    nodes,
    owners,
    permissions,
    policy_enforcement,
    references,
    storage,
    versions,
)
from scalr_agents.doctor.facts import Cluster
from scalr_agents.doctor.findings import note
from scalr_agents.doctor.needs import Needs
from scalr_agents.model.findings import Finding, by_severity

_CHECKS = (versions, permissions, definitions, namespaces, references, storage, admission, nodes, policy_enforcement, owners)


def examine(needs: Needs, cluster: Cluster) -> Sequence[Finding]:
    """All findings, errors first."""
    found = (finding for module in _CHECKS for finding in module.check(needs, cluster))
    return by_severity([*found, *(note("cluster", text) for text in cluster.notes)])
