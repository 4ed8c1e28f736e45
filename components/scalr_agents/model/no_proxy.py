"""What is reached without a proxy: the entries of `NO_PROXY`."""

import re
from ipaddress import ip_network
from typing import Annotated

from pydantic import AfterValidator

from scalr_agents.model.fields import unset
from scalr_agents.model.forms import is_host, refuse

_REFERENCE = r"\$\([-._a-zA-Z][-._a-zA-Z0-9]*\)"


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
