"""Proxies and what is reached without one (`NO_PROXY`), and the addresses of other servers, wherever they are given."""

import re
from collections.abc import Iterable, Mapping
from ipaddress import ip_network
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator

from scalr_agents.model.fields import unset
from scalr_agents.model.findings import Findings, entry, error, warning
from scalr_agents.model.forms import is_host, refuse
from scalr_agents.model.maps import Deferred, is_set
from scalr_agents.model.secret_patterns import REFERENCES, holds_password

COLLECTOR_EXAMPLE = "http://otel-collector.observability.svc:4317"
PROXY_EXAMPLE = "http://proxy.acme.internal:3128"
NO_PORT = f"has no port, and programs use different defaults (80, 443, 1080); add it, for instance {PROXY_EXAMPLE}"
ONLY_HTTP = "applies only to http://, but Scalr and all registries use https://; set the proxy for HTTPS too"
_COLLECTOR = "SCALR_AGENT_OTLP_ENDPOINT"
VARIABLES = ("HTTP_PROXY", "HTTPS_PROXY")
_REFERENCE = r"\$\([-._a-zA-Z][-._a-zA-Z0-9]*\)"


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
        network = ip_network(entry, strict=False)
    except ValueError:
        return entry == "*"
    return network.is_private and not network.is_loopback


def _exception(value: str) -> str:
    if not (value == "*" or re.fullmatch(_REFERENCE, value) or _is_network(value) or _is_domain(value.lower())):
        refuse(
            "no_proxy",
            "not a host (github.acme.internal), a domain with its subdomains (.acme.internal), a network (10.0.0.0/8) or *; "
            "give each as an entry of its own, without scheme and spaces",
        )
    return value


def split(entry: str) -> tuple[str, str]:
    """The domain, host or network of an entry, without an asterisk and dots around it, and its port, which is empty for all."""
    name, _, port = entry.rpartition(":") if entry.count(":") == 1 else (entry, "", "")
    return name.removeprefix("*").removeprefix(".").removesuffix("."), port


def _is_domain(text: str) -> bool:
    """Whether an entry is a domain with its subdomains, or a host, optionally with a port."""
    domain, port = split(text)
    return is_host(domain) and (":" not in text or bool(re.fullmatch("[0-9]{1,5}", port)))


def _is_network(text: str) -> bool:
    """An address of either family, or a network."""
    try:
        return "%" not in text and bool(ip_network(text, strict=False))
    except ValueError:
        return False


Exceptions = Annotated[list[Annotated[str, AfterValidator(_exception)]], unset([])]
"""Hosts, domains and networks that are reached without a proxy."""


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
