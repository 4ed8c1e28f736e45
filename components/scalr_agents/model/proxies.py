"""Findings on the addresses of proxies and of other servers, wherever they are given."""

import ipaddress
import re
from collections.abc import Iterable, Mapping

from scalr_agents.model.addresses import REFERENCES, has_port, holds_password, is_address
from scalr_agents.model.findings import Findings, entry, error, warning
from scalr_agents.model.forms import Deferred, is_set

COLLECTOR_EXAMPLE = "http://otel-collector.observability.svc:4317"
PROXY_EXAMPLE = "http://proxy.acme.internal:3128"
NO_PORT = f"has no port, and programs use different defaults (80, 443, 1080); add it, for instance {PROXY_EXAMPLE}"
ONLY_HTTP = "applies only to http://, but Scalr and all registries use https://; set the proxy for HTTPS too"
_COLLECTOR = "SCALR_AGENT_OTLP_ENDPOINT"
VARIABLES = ("HTTP_PROXY", "HTTPS_PROXY")


def addresses(path: str, given: Mapping[str, str]) -> Findings:
    """The addresses of a proxy that is configured by variables, and of other servers."""
    for name in VARIABLES:
        yield from address(entry(path, name), given.get(name))
    http, https = (given.get(name) or given.get(name.lower()) for name in VARIABLES)
    yield from only_http(entry(path, VARIABLES[0]), http, https)
    if http or https:
        yield from wildcards(entry(path, "NO_PROXY"), entries(given.get("NO_PROXY", "")))
    yield from servers(path, given)


def servers(path: str, given: Mapping[str, object]) -> Findings:
    """Errors on variables with addresses."""
    for name in VARIABLES:
        for spelling in (name, name.lower()):
            yield from server(entry(path, spelling), given.get(spelling), PROXY_EXAMPLE)
    yield from collector(entry(path, _COLLECTOR), given.get(_COLLECTOR))


def only_http(path: str, http: object, https: object) -> Findings:
    """A warning on a proxy that does not carry what agents do."""
    if is_set(http) and not is_set(https):
        yield warning(path, ONLY_HTTP)


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
            f"has no scheme, which determines whether connections are encrypted; add http:// or https://, for instance {COLLECTOR_EXAMPLE}",
        )


def address(path: str, value: object) -> Findings:
    if holds_password(value):
        yield warning(path, "contains a password in plain text; make it a secret variable and write http://user:$(NAME)@host")
    if isinstance(value, str) and is_address(value) and not has_port(value):
        yield warning(path, NO_PORT)
    if isinstance(value, str) and value and "://" not in value and not re.match(REFERENCES, value) and is_address(value):
        yield warning(path, "has no scheme, which some programs require; write http:// in front of it")


def entries(no_proxy: str | Deferred) -> list[str]:
    """The entries of a variable `NO_PROXY`, as far as they are known."""
    return [entry.strip() for entry in no_proxy.split(",")] if isinstance(no_proxy, str) else []


def exceptions(path: str, no_proxy: str | Deferred) -> Findings:
    if isinstance(no_proxy, str) and not _reaches_cluster(no_proxy):
        yield warning(
            path,
            "contains neither $(KUBERNETES_SERVICE_HOST) nor a private network: pods would connect to the Kubernetes API, which they "
            "reach by its IP address, through the proxy; add $(KUBERNETES_SERVICE_HOST)",
        )


def _reaches_cluster(no_proxy: str) -> bool:
    given = entries(no_proxy)
    return "$(KUBERNETES_SERVICE_HOST)" in given or any(map(_is_private, given))


def _is_private(entry: str) -> bool:
    try:
        network = ipaddress.ip_network(entry, strict=False)
    except ValueError:
        return entry == "*"
    return network.is_private and not network.is_loopback
