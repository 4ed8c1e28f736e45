"""Mistakes in the setting `network`, each with its correction."""

from typing import Any

import pytest
from scalr_agents.charts.shared.inputs import Network
from scalr_agents.model.findings import Finding
from scalr_agents.model.maps import Values
from scalr_agents.model.parse import parse_arguments

from tests.charts.shared.network.agents import about_network, agent_of, restricted
from tests.helpers.validated import LINES

[JOB] = [line for line in LINES if (line.chart, line.generation) == ("agent-job", "current")]


def findings(dialect: str, *only: Any, values: Values | None = None, **inputs: Any) -> list[Finding]:
    return about_network(agent_of(JOB, restricted(dialect, *only), values, **inputs))


def paths(found: list[Finding]) -> list[tuple[str, str]]:
    return [(finding.severity, finding.path) for finding in found]


def test_unknown_hosts_are_warnings() -> None:
    secret = {"HTTPS_PROXY": "http://me:s3cr3t@proxy.acme:3128"}
    found = findings("cilium", secret_env=secret)
    assert paths(found) == [("warning", "network.egress")]
    assert "HTTPS_PROXY" in found[0].message
    assert "s3cr3t" not in found[0].message
    mirrors = {"SCALR_AGENT_PROVIDER_NETWORK_MIRRORS": '[{"url": "https://m1rr0r.acme/"}]'}
    [finding] = findings("cilium", secret_env=mirrors)
    assert (finding.severity, "PROVIDER_NETWORK_MIRRORS" in finding.message, "m1rr0r" in finding.message) == ("warning", True, False)
    assert "proxy.acme" not in str(agent_of(JOB, restricted("cilium"), secret_env=secret).group("network-policy"))


@pytest.mark.parametrize(
    ("given", "path", "message"),
    [
        ({"egress": {"only": [{"host": "https://acme.io"}]}}, "egress.only[0].host", "no scheme"),
        ({"egress": {"only": [{"host": "10.1.2.3"}]}}, "egress.only[0].host", "use cidr"),
        ({"egress": {"only": [{"host": "a.*.acme.io"}]}}, "egress.only[0].host", "not a host name"),
        ({"egress": {"only": [{"cidr": "10.0.0.1/8"}]}}, "egress.only[0].cidr", "write 10.0.0.0/8"),
        (
            {"egress": {"only": [{"cidr": "10.0.0.1"}]}},
            "egress.only[0].cidr",
            "a single address, which is written 10.0.0.1/32; a network has a prefix length, for instance 10.20.0.0/16",
        ),
        (
            {"egress": {"only": [{"cidr": "fd00::1"}]}},
            "egress.only[0].cidr",
            "written fd00::1/128; a network has a prefix length, for instance fd00:20::/32",
        ),
        (
            {"egress": {"only": [{"cidr": "acme.io"}]}},
            "egress.only[0].cidr",
            "not a network in CIDR notation, for instance 10.20.0.0/16; given 'acme.io'",
        ),
        ({"egress": {"only": [{"namespace": "Git"}]}}, "egress.only[0].namespace", "not a valid namespace"),
        ({"egress": {"only": [{"cidr": "10.0.0.0/8", "ports": [0]}]}}, "egress.only[0].ports[0]", "greater than or equal to 1"),
        ({"egress": {"only": [{"cidr": "10.0.0.0/8", "ports": []}]}}, "egress.only[0].ports", "at least 1 item"),
        ({"egress": {"enforced_by": "calico"}}, "egress.enforced_by", "'kubernetes', 'cilium' or 'gke'"),
        ({"ingress": "allow"}, "ingress", "'deny'"),
        ({"egres": {}}, "egres", "did you mean 'egress'"),
    ],
)
def test_types_of_settings(given: dict[str, Any], path: str, message: str) -> None:
    _, [finding] = parse_arguments(Network, given)
    assert (finding.path, message in finding.message) == (path, True), finding.message
