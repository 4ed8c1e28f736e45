"""Mistakes in the setting `network`, each with its correction."""

from typing import Any

import pytest
from scalr_agents.charts.shared.network.settings import Network
from scalr_agents.model.findings import Finding, errors
from scalr_agents.model.maps import Values, merge
from scalr_agents.model.parse import parse_arguments

from tests.charts.shared.network.agents import about_network, agent_of, behind, restricted
from tests.helpers.validated import LINES

[JOB] = [line for line in LINES if (line.chart, line.generation) == ("agent-job", "current")]
PROXIED = behind(JOB, "http://10.0.12.5:3128")


def findings(dialect: str, *only: Any, values: Values | None = None, **inputs: Any) -> list[Finding]:
    return about_network(agent_of(JOB, restricted(dialect, *only), values, **inputs))


def paths(found: list[Finding]) -> list[tuple[str, str]]:
    return [(finding.severity, finding.path) for finding in found]


@pytest.mark.parametrize(
    ("entry", "given"),
    [({}, "none"), ({"host": "a.b", "cidr": "10.0.0.0/8"}, "host and cidr"), ({"ports": [443]}, "none")],
)
def test_an_entry_has_exactly_one_destination(entry: dict[str, Any], given: str) -> None:
    [finding] = findings("cilium", entry)
    assert (finding.path, finding.message) == (
        "network.egress.only[0]",
        f"set exactly one of host, cidr and namespace; given {given}",
    )


@pytest.mark.parametrize(
    "entry",
    [
        {"cidr": "169.254.169.254/32"},
        {"cidr": "169.254.0.0/16"},
        {"cidr": "169.254.42.0/24"},
        {"cidr": "169.254.169.254/32", "ports": [53, 80]},
        {"cidr": "100.96.0.96/32"},
        {"cidr": "fd00:ec2::254/128"},
        {"cidr": "fd00:c1::a9fe:a9fe/128"},
        {"host": "metadata.google.internal"},
        {"host": "*.google.internal"},
    ],
)
@pytest.mark.parametrize("dialect", ["kubernetes", "cilium", "gke"])
def test_entries_for_metadata_services_are_errors(entry: dict[str, Any], dialect: str) -> None:
    found = [finding for finding in findings(dialect, entry, values=PROXIED) if "metadata services" in finding.message]
    assert paths(found) == [("error", f"network.egress.only[0].{next(iter(entry))}")]


def test_a_metadata_service_that_is_open_needs_no_entry() -> None:
    entry, values = {"cidr": "169.254.169.254/32"}, {"task": {"allowMetadataService": True}}
    [finding] = findings("cilium", entry, values=values)
    assert (finding.path, "remove it, since" in finding.message, "allowMetadataService" in finding.message) == (
        "network.egress.only[0].cidr",
        True,
        False,
    )


@pytest.mark.parametrize(
    "entry",
    [
        {"cidr": "169.254.170.23/32", "ports": [80]},
        {"cidr": "169.254.25.10/32", "ports": [53]},
        {"cidr": "169.0.0.0/8"},
        {"cidr": "fd00:ec2::23/128"},
        {"cidr": "100.96.0.95/32"},
    ],
)
def test_other_addresses_are_accepted(entry: dict[str, Any]) -> None:
    assert findings("gke", entry) == []


def test_cilium_denials_apply_to_all_ports() -> None:
    assert paths(findings("cilium", {"cidr": "169.254.25.10/32", "ports": [53]})) == [("error", "network.egress.only[0].cidr")]


@pytest.mark.parametrize("host", ["*.internal", "*.tools.internal", "a.metadata.google.internal"])
def test_other_names_are_accepted(host: str) -> None:
    assert findings("cilium", {"host": host}) == []


@pytest.mark.parametrize("dialect", ["kubernetes", "cilium", "gke"])
def test_servers_at_metadata_addresses_are_errors(dialect: str) -> None:
    values = merge(PROXIED, {"otel": {"enabled": True, "endpoint": "http://169.254.169.254:4317"}})
    [finding] = findings(dialect, values=values)
    assert (finding.severity, finding.path) == ("error", "network.egress")
    assert "OpenTelemetry collector: the address 169.254.169.254/32" in finding.message
    opened = merge(values, {"task": {"allowMetadataService": True}, "otel": {"enabled": False}})
    assert findings(dialect, values=opened) == []


@pytest.mark.parametrize("host", ["localhost", "*.svc", "*.svc.cluster.local"])
def test_hosts_that_policies_cannot_allow_are_errors(host: str) -> None:
    [finding] = findings("cilium", {"host": host})
    assert (finding.severity, finding.path, "use namespace" in finding.message) == ("error", "network.egress.only[0].host", True)


def test_invalid_values_have_no_destination_findings() -> None:
    [line] = [line for line in LINES if (line.chart, line.generation) == ("agent-k8s", "current")]
    agent = agent_of(line, restricted("cilium"), {"workerTolerations": [{"key": object(), "operator": "Exists"}]})
    assert [finding.path for finding in errors(agent.findings)] == ["workerTolerations[0].key"]


@pytest.mark.parametrize("destination", [{"cidr": "10.0.0.0/8"}, {"namespace": "git"}])
def test_too_many_ports_for_cilium_are_an_error(destination: dict[str, str]) -> None:
    ports = list(range(1000, 1041))
    entry: dict[str, Any] = {**destination, "ports": ports}
    [finding] = findings("cilium", entry)
    assert (finding.severity, finding.path, "at most 40" in finding.message) == ("error", "network.egress.only[0].ports", True)
    assert findings("cilium", {**entry, "ports": ports[1:]}) == findings("gke", entry) == []
    assert findings("cilium", {"host": "git.acme.internal", "ports": ports}) == []  # a rule for each port


def test_nfs_ports_are_errors() -> None:
    [finding] = findings("cilium", {"cidr": "10.0.0.0/8", "ports": [443, 2049]})
    assert (finding.path, "task.allowNfs: true" in finding.message) == ("network.egress.only[0].ports", True)
    assert findings("cilium", {"cidr": "10.0.0.0/8", "ports": [443, 2049]}, values={"task": {"allowNfs": True}}) == []


def test_host_names_without_support_are_errors() -> None:
    found = findings("kubernetes", {"host": "github.acme.internal"}, {"cidr": "10.0.0.0/8"})
    assert paths(found) == [("error", "network.egress.only[0].host"), ("error", "network.egress.enforced_by")]
    assert all(word in found[0].message for word in ("cidr", "proxy", "cilium or gke"))
    assert all(host in found[1].message for host in ("*.scalr.io", "registry.opentofu.org", "github.com", "443"))


def test_host_names_behind_a_proxy_are_accepted() -> None:
    assert findings("kubernetes", {"host": "github.acme.internal"}, values=PROXIED) == []
    [finding] = findings("kubernetes", {"host": "github.acme.internal", "ports": [22]}, values=PROXIED)
    assert (finding.path, "port 22" in finding.message) == ("network.egress.only[0].host", True)


def test_the_worker_proxy_does_not_apply_to_runs() -> None:
    proxy = {"extraEnv": {"HTTP_PROXY": "http://10.0.12.5:3128", "HTTPS_PROXY": "http://10.0.12.5:3128"}}
    [finding] = findings("kubernetes", values={"agent": proxy})
    assert (finding.severity, finding.path) == ("error", "network.egress.enforced_by")
    assert "registry.opentofu.org" in finding.message
    assert "scalr.io" not in finding.message
    assert findings("kubernetes", values={"agent": proxy, "task": {"runner": proxy}}) == []


@pytest.mark.parametrize(
    ("entries", "paths_found"),
    [
        ([], ["network.egress.enforced_by"]),
        ([{"cidr": "10.0.12.0/24", "ports": [3128]}], []),
        ([{"cidr": "10.0.12.0/24", "ports": [3129]}], ["network.egress.enforced_by"]),
        ([{"namespace": "egress", "ports": [3128]}], []),
        ([{"cidr": "0.0.0.0/0", "ports": [3128]}], []),
    ],
)
def test_a_proxy_name_requires_an_entry(entries: list[dict[str, Any]], paths_found: list[str]) -> None:
    values = behind(JOB, "http://proxy.acme.internal:3128")
    assert [finding.path for finding in findings("kubernetes", *entries, values=values)] == paths_found


def test_public_hosts_have_no_private_addresses() -> None:
    assert paths(findings("kubernetes", {"cidr": "10.0.0.0/8"})) == [("error", "network.egress.enforced_by")]
    assert findings("kubernetes", {"cidr": "0.0.0.0/0"}) == []


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
