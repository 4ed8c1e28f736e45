"""Cross-checks of the addresses of proxies, and of other servers."""

import re
from collections.abc import Iterable, Mapping
from urllib.parse import urlsplit

from scalr_agents.charts.shared.checks import Findings
from scalr_agents.charts.shared.values import Proxy
from scalr_agents.model.fields import Deferred, is_host, is_set
from scalr_agents.model.findings import entry, error, warning

REFERENCES = r"(?:\$\([^()]+\))+"
"""Only references to other variables."""
COLLECTOR_EXAMPLE = "http://otel-collector.observability.svc:4317"
_EXAMPLE = "http://proxy.acme.internal:3128"
NO_PORT = f"has no port, for which programs take different ones (80, 443, 1080); write it, for instance {_EXAMPLE}"
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
        yield from wildcards(f"{path}.noProxy", _entries(settings.no_proxy))
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
    http, https = (given.get(name) or given.get(name.lower()) for name in _VARIABLES)
    yield from only_http(entry(path, _VARIABLES[0]), http, https)
    if http or https:
        yield from wildcards(entry(path, "NO_PROXY"), _entries(given.get("NO_PROXY", "")))
    yield from servers(path, given)


def servers(path: str, given: Mapping[str, object]) -> Findings:
    """Errors on variables with addresses."""
    for name in _VARIABLES:
        for spelling in (name, name.lower()):
            yield from server(entry(path, spelling), given.get(spelling), _EXAMPLE)
    yield from collector(entry(path, _COLLECTOR), given.get(_COLLECTOR))


def only_http(path: str, http: object, https: object) -> Findings:
    """A warning on a proxy that does not carry what agents do."""
    if is_set(http) and not is_set(https):
        yield warning(path, "carries http:// alone: Scalr and all registries are reached by https://, which needs the proxy for HTTPS")


def wildcards(path: str, exceptions: Iterable[str]) -> Findings:
    """Warnings on exceptions that not all programs understand."""
    for given in exceptions:
        if given.startswith("*."):
            yield warning(path, f"only programs in Go understand {given}; write {given[1:]}, which all programs understand")


def server(path: str, url: object, example: str) -> Findings:
    """An error unless the host and the port of a URL, which may lack its scheme, are valid."""
    if isinstance(url, str) and url and not is_address(url):
        yield error(path, f"not a URL with a valid host and port, for instance {example}")


def collector(path: str, url: object) -> Findings:
    """The address of a collector, whose scheme says whether connections to it are encrypted."""
    yield from server(path, url, COLLECTOR_EXAMPLE)
    if isinstance(url, str) and is_address(url) and "://" not in url and not re.match(REFERENCES, url):
        yield warning(
            path,
            f"has no scheme, which says whether connections are encrypted; write http:// or https://, for instance {COLLECTOR_EXAMPLE}",
        )


def is_address(url: str) -> bool:
    """Whether the host and the port of a URL, which may lack its scheme, are valid. References to variables are."""
    known = re.sub(REFERENCES, "1", url)
    try:
        parts = urlsplit(known if "://" in known else f"http://{known}")
        return is_host((parts.hostname or "").removesuffix(".")) and parts.port != 0 and not re.search(r"\s", known)
    except ValueError:
        return False


def has_port(url: str) -> bool:
    """Whether a URL, which may lack its scheme, has a port or may have one in a reference."""
    place = url.rpartition("//")[2].rpartition("@")[2].partition("/")[0]
    return bool(re.search(rf":[^]]+$|{REFERENCES}$", place))


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
    if isinstance(value, str) and is_address(value) and not has_port(value):
        yield warning(path, NO_PORT)
    if isinstance(value, str) and value and "://" not in value and not re.match(REFERENCES, value) and is_address(value):
        yield warning(path, "has no scheme, which some programs require; write http:// in front of it")


def _exceptions(path: str, no_proxy: str | Deferred) -> Findings:
    if isinstance(no_proxy, str) and not _reaches_cluster(no_proxy):
        yield warning(
            path,
            "contains neither $(KUBERNETES_SERVICE_HOST) nor a private network: pods would connect to the Kubernetes API, which they "
            "reach by its IP address, through the proxy; add $(KUBERNETES_SERVICE_HOST)",
        )


def _entries(no_proxy: str | Deferred) -> list[str]:
    return [entry.strip() for entry in no_proxy.split(",")] if isinstance(no_proxy, str) else []


def _reaches_cluster(no_proxy: str) -> bool:
    entries = _entries(no_proxy)
    return "$(KUBERNETES_SERVICE_HOST)" in entries or any(map(_is_private, entries))


def _is_private(entry: str) -> bool:
    import ipaddress

    try:
        network = ipaddress.ip_network(entry, strict=False)
    except ValueError:
        return entry == "*"
    return network.is_private and not network.is_loopback
