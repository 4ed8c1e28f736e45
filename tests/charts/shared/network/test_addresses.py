"""Addresses in the variables of pods, and what their proxies carry."""

from typing import Any

import pytest
from scalr_agents.charts.shared.network.addresses import Address, Proxies, address, known, matches

PROXY = {"HTTPS_PROXY": "http://proxy.acme:3128"}


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://acme.scalr.io", Address("acme.scalr.io", 443, "https")),
        ("http://acme.scalr.io/path", Address("acme.scalr.io", 80, "http")),
        ("http://user:$(PASSWORD)@proxy.acme:3128", Address("proxy.acme", 3128, "http")),
        ("proxy.acme:3128", Address("proxy.acme", 3128, "http")),
        ("https://[fd00::1]:8443/", Address("fd00::1", 8443, "https")),
        ("http://collector.obs.svc.cluster.local.:4317", Address("collector.obs.svc.cluster.local", 4317, "http")),
        ("https://$(HOST)/", None),
        ("https://acme:$(PORT)/", None),
        ("http://[fd00::1:3128", None),
        ("http://[fe80::1%25eth0]:3128", None),
        ("http://pro xy.acme", None),
        ("http://kölner.acme", None),
        ("https://acme:port/", None),
        ("", None),
        (None, None),
    ],
)
def test_addresses(url: str | None, expected: Address | None) -> None:
    assert address(url) == expected


@pytest.mark.parametrize(
    ("pattern", "host", "expected"),
    [
        ("acme.io", "acme.io", True),
        ("*.acme.io", "a.acme.io", True),
        ("*.acme.io", "*.acme.io", True),
        ("*.acme.io", "acme.io", False),
        ("*.acme.io", ".acme.io", False),
        ("*.acme.io", "a.b.acme.io", False),
    ],
)
def test_a_pattern_is_exactly_one_label(pattern: str, host: str, *, expected: bool) -> None:
    assert matches(pattern, host) is expected


def test_references_are_expanded_as_kubernetes_does_it() -> None:
    variables: list[dict[str, Any]] = [
        {"name": "PROXY", "value": "http://proxy.acme:3128"},
        {"name": "PASSWORD", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}},
        {"name": "HTTPS_PROXY", "value": "$(PROXY)"},
        {"name": "HTTP_PROXY", "value": "http://me:$(PASSWORD)@$(LATER)"},
        {"name": "LATER", "value": "proxy"},
    ]
    found = known(variables)
    assert (found["HTTPS_PROXY"], found["PASSWORD"], found["HTTP_PROXY"]) == (
        "http://proxy.acme:3128",
        None,
        "http://me:$(PASSWORD)@$(LATER)",
    )


@pytest.mark.parametrize(
    ("variables", "target", "proxy"),
    [
        (PROXY, Address("acme.scalr.io", 443), "proxy.acme:3128"),
        (PROXY, Address("acme.scalr.io", 80, "http"), ""),
        ({"HTTP_PROXY": "http://p:1"}, Address("acme.scalr.io", 80, "http"), "p:1"),
        ({"https_proxy": "http://p:1"}, Address("acme.scalr.io", 443), "p:1"),
        ({"HTTPS_PROXY": "http://localhost:3128"}, Address("acme.scalr.io", 443), ""),
        ({"HTTPS_PROXY": None}, Address("acme.scalr.io", 443), "a proxy"),
        ({}, Address("acme.scalr.io", 443), ""),
    ],
)
def test_the_proxy_that_carries(variables: dict[str, str | None], target: Address, proxy: str) -> None:
    assert Proxies.of(variables).carrying(target) == proxy


@pytest.mark.parametrize(
    ("exceptions", "host", "direct"),
    [
        (".acme.internal", "git.acme.internal", True),
        (".acme.internal", "*.acme.internal", True),
        ("acme.internal", "git.acme.internal", True),
        ("acme.internal", "acme.internal", True),
        ("acme.internal", "notacme.internal", False),
        ("*.acme.internal", "git.acme.internal", True),
        ("git.acme.internal:443", "git.acme.internal", True),
        ("git.acme.internal:22", "git.acme.internal", False),
        ("10.0.0.0/8", "10.1.2.3", True),
        ("10.0.0.0/8", "192.0.2.1", False),
        ("10.0.0.0/8", "acme.internal", False),
        ("localhost, .svc,$(KUBERNETES_SERVICE_HOST)", "acme.internal", False),
        ("*", "acme.internal", True),
        ("", "acme.internal", False),
        (",.,", "acme.internal", False),
    ],
)
def test_exceptions(exceptions: str, host: str, direct: bool) -> None:
    proxies = Proxies.of({**PROXY, "NO_PROXY": exceptions})
    assert (proxies.carrying(Address(host, 443)) == "") is direct


def test_expansion_of_references_is_limited() -> None:
    """A variable that doubles another one 40 times would have a terabyte; Linux gives no program more than 128 KiB."""
    chain = [{"name": "E0", "value": "a"}, *({"name": f"E{index}", "value": f"$(E{index - 1})$(E{index - 1})"} for index in range(1, 41))]
    found = known(chain)
    assert found["E17"] == "a" * 2**17
    assert found["E18"] is None
    assert found["E19"] == "$(E18)$(E18)"
    assert known([{"name": "A", "value": "a" * 2**17}, {"name": "B", "value": "$(A)" * 1000}])["B"] is None
    many = known([{"name": f"V{index}", "value": "a" * 2**17} for index in range(17)])
    assert [many[name] for name in ("V15", "V16")] == ["a" * 2**17, None]
