"""Cross-checks of a proxy that is set by variables."""

from collections.abc import Mapping

from scalr_agents.model.findings import Findings, entry
from scalr_agents.model.proxies import VARIABLES, addresses, exceptions


def proxy_variables(path: str, given: Mapping[str, str]) -> Findings:
    """A proxy that is configured by variables, for agents that need the Kubernetes API."""
    yield from addresses(path, given)
    if any(given.get(name) for name in VARIABLES):
        yield from exceptions(entry(path, "NO_PROXY"), given.get("NO_PROXY", ""))
