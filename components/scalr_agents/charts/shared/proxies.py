"""Cross-checks of the addresses of proxies, and of other servers."""

import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from scalr_agents.charts.shared.checks import Findings
from scalr_agents.charts.shared.values import Proxy
from scalr_agents.model.fields import Deferred, is_host, is_set
from scalr_agents.model.findings import entry, error, warning

REFERENCES = r"(?:\$\([^()]+\))+"
"""Only references to other variables."""
COLLECTOR_EXAMPLE = "http://otel-collector.observability.svc:4317"
_EXAMPLE = "http://proxy.acme.internal:3128"
_COLLECTOR = "SCALR_AGENT_OTLP_ENDPOINT"
_VARIABLES = ("HTTP_PROXY", "HTTPS_PROXY")
_LOGIN = re.compile(r"(https?:)?//([^/@\s]*)@", re.IGNORECASE)
"""The user information of a URL."""


def check(path: str, settings: Proxy) -> Findings:
    """A proxy that is configured in its own section."""
    urls = {"httpProxy": settings.http_proxy, "httpsProxy": settings.https_proxy}
    given = [key for key, value in urls.items() if is_set(value)]
    if settings.enabled and not given:
        yield warning(f"{path}.enabled", "has no effect: neither httpProxy nor httpsProxy is set")
    for key in [] if settings.enabled else given:
        yield warning(f"{path}.{key}", f"has no effect: {path}.enabled is false")
    for key, value in urls.items():
        yield from _address(f"{path}.{key}", value)
        if settings.enabled:
            yield from server(f"{path}.{key}", value, _EXAMPLE)
    if settings.enabled and given:
        yield from _exceptions(f"{path}.noProxy", settings.no_proxy)


def variables(path: str, given: Mapping[str, str]) -> Findings:
    """A proxy that is configured by variables, for agents that need the Kubernetes API."""
    yield from addresses(path, given)
    if any(given.get(name) for name in _VARIABLES):
        yield from _exceptions(entry(path, "NO_PROXY"), given.get("NO_PROXY", ""))


def addresses(path: str, given: Mapping[str, str]) -> Findings:
    """The addresses of a proxy that is configured by variables, and of other servers."""
    for name in _VARIABLES:
        yield from _address(entry(path, name), given.get(name))
    yield from servers(path, given)


def servers(path: str, given: Mapping[str, object]) -> Findings:
    """Errors on variables with addresses."""
    for name in _VARIABLES:
        for spelling in (name, name.lower()):
            yield from server(entry(path, spelling), given.get(spelling), _EXAMPLE)
    yield from server(entry(path, _COLLECTOR), given.get(_COLLECTOR), COLLECTOR_EXAMPLE)


def server(path: str, url: object, example: str) -> Findings:
    """An error unless the host and the port of a URL, which may lack its scheme, are valid."""
    if isinstance(url, str) and url and not is_address(url):
        yield error(path, f"not a URL with a valid host and port, for instance {example}")


def is_address(url: str) -> bool:
    """Whether the host and the port of a URL, which may lack its scheme, are valid. References to variables are."""
    known = re.sub(REFERENCES, "1", url)
    try:
        parts = urlsplit(known if "://" in known else f"http://{known}")
        return is_host((parts.hostname or "").removesuffix(".")) and parts.port != 0 and not re.search(r"\s", known)
    except ValueError:
        return False


def holds_password(url: object) -> bool:
    """Whether a string has a URL with a plain password, or a plain token as user name; references to variables do not count."""
    for web, login in _LOGIN.findall(url) if isinstance(url, str) else ():
        name, _, password = login.partition(":")
        secret = password or (name if web else "")
        if secret and not re.fullmatch(REFERENCES, secret):
            return True
    return False


def _address(path: str, value: object) -> Findings:
    if holds_password(value):
        yield warning(path, "contains a password in plain text; make it a secret variable and write http://user:$(NAME)@host")
    if isinstance(value, str) and value and "://" not in value and not re.match(REFERENCES, value) and is_address(value):
        yield warning(path, "has no scheme, which some programs require; write http:// in front of it")


def _exceptions(path: str, no_proxy: str | Deferred) -> Findings:
    if isinstance(no_proxy, str) and not _reaches_cluster(no_proxy):
        yield warning(
            path,
            "contains neither $(KUBERNETES_SERVICE_HOST) nor a private network: pods would connect to the Kubernetes API, which they "
            "reach by its IP address, through the proxy; add $(KUBERNETES_SERVICE_HOST)",
        )


def _reaches_cluster(no_proxy: str) -> bool:
    entries = [entry.strip() for entry in no_proxy.split(",")]
    return "$(KUBERNETES_SERVICE_HOST)" in entries or any(map(_is_private, entries))


def _is_private(entry: str) -> bool:
    import ipaddress

    try:
        network = ipaddress.ip_network(entry, strict=False)
    except ValueError:
        return entry == "*"
    return network.is_private and not network.is_loopback
