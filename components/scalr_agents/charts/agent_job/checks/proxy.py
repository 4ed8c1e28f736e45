"""Cross-checks of the section `global.proxy`."""

from scalr_agents.charts.agent_job.values.global_ import Proxy
from scalr_agents.model.findings import Findings, warning
from scalr_agents.model.forms import is_set
from scalr_agents.model.proxies import PROXY_EXAMPLE, address, entries, exceptions, server, wildcards


def proxy_section(path: str, settings: Proxy) -> Findings:
    """A proxy that is configured in its own section."""
    urls = {"httpProxy": settings.http_proxy, "httpsProxy": settings.https_proxy}
    given = [key for key, value in urls.items() if is_set(value)]
    if settings.enabled and not given:
        yield warning(f"{path}.enabled", "has no effect: neither httpProxy nor httpsProxy is set")
    for key in [] if settings.enabled else given:
        yield warning(f"{path}.{key}", f"has no effect: {path}.enabled is false")
    for key, value in urls.items():
        yield from address(f"{path}.{key}", value)
        if settings.enabled:
            yield from server(f"{path}.{key}", value, PROXY_EXAMPLE)
    if settings.enabled and given:
        yield from wildcards(f"{path}.noProxy", entries(settings.no_proxy))
        yield from exceptions(f"{path}.noProxy", settings.no_proxy)
