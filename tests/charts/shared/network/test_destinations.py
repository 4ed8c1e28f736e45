"""The list of destinations: what the settings imply, through which proxy, and what the user's entries add."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from scalr_agents.charts.shared.agent import AnyAgent
from scalr_agents.charts.shared.inputs import Network
from scalr_agents.charts.shared.network import destinations
from scalr_agents.model.maps import Values, merge

from tests.charts.shared.network.agents import agent_of, behind, restricted
from tests.helpers.validated import LINES

JOB, LOCAL, K8S = (
    next(line for line in LINES if (line.chart, line.generation) == (chart, "current"))
    for chart in ("agent-job", "agent-local", "agent-k8s")
)
Row = tuple[str, tuple[int, ...], str, str]


def rows(agent: AnyAgent, who: str) -> list[Row]:
    [pods] = [pods for pods in agent.pods if pods.who == who]
    return [(each.name or each.kind, each.ports, each.why, each.through) for each in destinations.of(pods, agent)]


def why(agent: AnyAgent, who: str, reason: str) -> list[Row]:
    return [row for row in rows(agent, who) if row[2] == reason]


def test_an_agent_without_any_setting() -> None:
    agent = agent_of(JOB, None)
    assert rows(agent, "controller") == [
        ("dns", (53,), "DNS", ""),
        ("api-server", (443, 6443), "Kubernetes API", ""),
        ("*.scalr.io", (443,), "Scalr", ""),
        ("relay.acme.scalr.io", (443,), "Scalr", ""),
    ]
    assert [name for name, *_ in rows(agent, "tasks")][4:] == [host for host, _ in destinations.PUBLIC]


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("", ["*.scalr.io"]),
        ("https://acme.scalr.io", ["*.scalr.io", "relay.acme.scalr.io"]),
        ("https://scalr.acme.com", ["scalr.acme.com", "relay.scalr.acme.com"]),
        ("https://10.1.2.3:8443", ["10.1.2.3/32"]),
        ("https://[fd00::a]", ["fd00::a/128"]),
        ("https://acme.eu.scalr.io", ["*.scalr.io", "acme.eu.scalr.io", "relay.acme.eu.scalr.io"]),
        ("https://acme.scalr.io:8443", ["*.scalr.io", "acme.scalr.io", "relay.acme.scalr.io"]),
    ],
)
def test_scalr(url: str, expected: list[str]) -> None:
    agent = agent_of(JOB, None, {"agent": {"url": url}})
    assert [name for name, *_ in why(agent, "controller", "Scalr")] == expected


def test_the_api_is_for_pods_with_a_token() -> None:
    without: Values = {"serviceAccount": {"automountToken": False}}
    tokens = {
        (line.chart, setting, pods.who): pods.token
        for line in (JOB, LOCAL, K8S)
        for setting, values in (("default", {}), ("without", without), ("with", {"serviceAccount": {"automountToken": True}}))
        for pods in agent_of(line, None, values).pods
    }
    assert {key for key, token in tokens.items() if token} == {
        ("agent-job", "default", "tasks"),
        ("agent-job", "without", "tasks"),  # the worker's own token
        ("agent-job", "with", "tasks"),
        ("agent-job", "default", "controller"),
        ("agent-job", "with", "controller"),
        ("agent-local", "with", "agent"),
        ("agent-k8s", "default", "controller"),
        ("agent-k8s", "with", "controller"),
        ("agent-k8s", "default", "worker"),
        ("agent-k8s", "with", "worker"),
    }
    [runs] = [pods for pods in agent_of(K8S, None, {"agent": {"automount_service_account_token": "true"}}).pods if pods.who == "tasks"]
    assert runs.token


def test_settings_that_imply_destinations() -> None:
    values: Values = {
        "agent": {
            "sentryDsn": "https://key@sentry.acme.internal/1",
            "providerNetworkMirrors": [{"url": "https://mirror.acme.internal:8443/p/", "token": "m1rr0r-t0k3n"}],
        },
        "otel": {"enabled": True, "endpoint": "collector.acme.internal"},
    }
    agent = agent_of(JOB, None, values)
    assert why(agent, "tasks", "provider mirror") == [("mirror.acme.internal", (8443,), "provider mirror", "")]
    assert why(agent, "controller", "provider mirror") == []
    for who in ("tasks", "controller"):
        assert why(agent, who, "reports of errors") == [("sentry.acme.internal", (443,), "reports of errors", "")]
        assert why(agent, who, "OpenTelemetry collector") == [("collector.acme.internal", (4317,), "OpenTelemetry collector", "")]


@pytest.mark.parametrize("line", [JOB, LOCAL, K8S], ids=lambda line: line.chart)
def test_destinations_behind_a_proxy(line: Any) -> None:
    agent = agent_of(line, None, behind(line, "http://me:$(PASSWORD)@proxy.acme.internal:3128", ".acme.internal"))
    through = "proxy.acme.internal:3128"
    for pods in agent.pods:
        for name, ports, reason, proxy in rows(agent, pods.who):
            assert proxy == (through if reason not in ("DNS", "Kubernetes API", "proxy", "metadata service") else "")
            assert reason != "proxy" or (name, ports) == ("proxy.acme.internal", (3128,))


def test_exceptions_of_the_proxy_are_direct() -> None:
    given = merge(behind(JOB, "http://proxy:3128", ".acme.internal"), {"agent": {"url": "https://scalr.acme.internal"}})
    agent = agent_of(JOB, restricted("cilium", {"host": "git.acme.internal"}, {"host": "github.com"}), given)
    assert {name: through for name, _, reason, through in rows(agent, "controller") if reason in ("Scalr", "egress.only")} == {
        "scalr.acme.internal": "",
        "relay.scalr.acme.internal": "",
        "git.acme.internal": "",
        "github.com": "proxy:3128",
    }
    assert ("scalr", (3128,), "proxy", "") in rows(agent, "controller")  # a Service in the agent's namespace


def test_a_proxy_carries_http_only() -> None:
    entry = {"host": "github.com", "ports": [22, 80, 443, 5432]}
    agent = agent_of(JOB, restricted("cilium", entry), behind(JOB, "http://proxy.egress.svc:3128"))
    assert [row for row in rows(agent, "tasks") if row[2] == "egress.only"] == [
        ("github.com", (22,), "egress.only", ""),
        ("github.com", (80,), "egress.only", "proxy.egress.svc:3128"),
        ("github.com", (443,), "egress.only", "proxy.egress.svc:3128"),
        ("github.com", (5432,), "egress.only", ""),
    ]
    assert ("egress", (3128,), "proxy", "") in rows(agent, "tasks")


RUNS_PROXY: Values = {"task": {"runner": {"extraEnv": {"HTTPS_PROXY": "http://of-runs.acme.internal:3128"}}}}
WORKERS_PROXY: Values = {"agent": {"extraEnv": {"HTTPS_PROXY": "http://of-agents.acme.internal:3128"}}}


def test_worker_and_runner_have_separate_proxies() -> None:
    agent = agent_of(JOB, restricted("cilium", {"host": "git.acme.internal"}), merge(WORKERS_PROXY, RUNS_PROXY))
    proxies = ["of-agents.acme.internal:3128", "of-runs.acme.internal:3128"]
    assert [f"{name}:{ports[0]}" for name, ports, *_ in why(agent, "tasks", "proxy")] == proxies
    assert {through for *_, through in why(agent, "tasks", "Scalr")} == {proxies[0]}
    for reason in ("registry of OpenTofu", "egress.only"):
        assert [through for *_, through in why(agent, "tasks", reason)] == proxies
        assert proxies[1] not in {through for *_, through in why(agent, "controller", reason)}


@pytest.mark.parametrize("values", [WORKERS_PROXY, RUNS_PROXY, {"task": {"worker": WORKERS_PROXY["agent"]}}])
def test_without_a_proxy_of_both_containers_downloads_are_direct(values: Values) -> None:
    agent = agent_of(JOB, restricted("cilium", {"host": "git.acme.internal"}), values)
    [pods] = [pods for pods in agent.pods if pods.who == "tasks"]
    names = destinations.allowed(pods, agent)["host", (443,)]
    assert {"registry.opentofu.org", "git.acme.internal"} <= set(names)


def test_a_collector_in_the_pod_needs_no_network() -> None:
    agent = agent_of(JOB, None, {"otel": {"enabled": True, "endpoint": "http://localhost:4317"}})
    assert why(agent, "tasks", "OpenTelemetry collector") == []


def test_the_loop_that_runners_of_agents_0_60_download() -> None:
    from tests.helpers.validated import validate

    agent = validate("agent-job", {"agent": {"token": "x"}}, agent_version="0.60.0")
    assert why(agent, "tasks", "the loop of the runner") == [("storage.googleapis.com", (443,), "the loop of the runner", "")]


def test_entries_that_name_services() -> None:
    hosts = ("git.tools.svc", "*.tools.svc.cluster.local", "mirror")
    direct, proxied = ({"host": host, "ports": [22]} for host in hosts), ({"host": host} for host in hosts)
    agent = agent_of(JOB, restricted("cilium", *direct))
    expected = [("tools", (22,), "egress.only", ""), ("scalr", (22,), "egress.only", "")]
    assert why(agent, "tasks", "egress.only") == why(agent, "controller", "egress.only")
    assert list(dict.fromkeys(why(agent, "tasks", "egress.only"))) == expected
    carried = agent_of(JOB, restricted("cilium", *proxied), behind(JOB, "http://proxy.acme.internal:3128"))
    assert [name for name, *_ in why(carried, "tasks", "egress.only")] == list(hosts)


def test_entries_have_https_by_default() -> None:
    network = Network.model_validate(
        {"egress": {"only": [{"cidr": "10.0.0.0/8"}, {"namespace": "git", "ports": None}]}}, by_name=True, by_alias=False
    )
    agent = agent_of(JOB, network)
    assert why(agent, "tasks", "egress.only") == [("10.0.0.0/8", (443,), "egress.only", ""), ("git", (443,), "egress.only", "")]


def _unknown(values: Mapping[str, Any], **inputs: Any) -> Iterator[str]:
    agent = agent_of(JOB, restricted("cilium"), dict(values), **inputs)
    for pods in agent.pods:
        yield from destinations.unknown(pods, agent)


def test_unknown_addresses() -> None:
    assert set(_unknown({})) == set()
    assert set(_unknown({}, secret_env={"HTTPS_PROXY": "http://me:s3cr3t@proxy:1"})) == {"HTTPS_PROXY"}
    assert set(_unknown(RUNS_PROXY, secret_env={"TF_PROXY": "http://me:s3cr3t@proxy:1"})) == set()
    assert set(_unknown({"task": {"runner": {"extraEnv": {"HTTPS_PROXY": "$(TF_PROXY)"}}}}, secret_env={"TF_PROXY": "x"})) == {
        "HTTPS_PROXY"
    }
    mirrors = {"SCALR_AGENT_PROVIDER_NETWORK_MIRRORS": '[{"url": "https://m1rr0r.acme/"}]'}
    assert set(_unknown({}, secret_env=mirrors)) == set(mirrors)
    with_token = {"agent": {"providerNetworkMirrors": [{"url": "https://mirror.acme/", "token": "m1rr0r-t0k3n"}]}}
    assert set(_unknown(with_token)) == set()  # our own Secret, whose addresses are known
    assert set(_unknown({"agent": {"url": object()}})) == {"SCALR_URL"}
    assert set(_unknown({"otel": {"enabled": True, "endpoint": "http://$(HOST_IP):4317"}})) == {"SCALR_AGENT_OTLP_ENDPOINT"}
