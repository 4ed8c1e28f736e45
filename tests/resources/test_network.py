"""The argument `network` of the components: what is registered, and when the cluster is asked for its API server."""

from typing import Any

import pytest
from pulumi import RunError

from tests.helpers.agent_job import DEADLINE
from tests.helpers.components import program, record
from tests.helpers.programs import deployed
from tests.helpers.recording import API_SERVER, Recording, run

PROXY = "http://10.0.12.5:3128"
VALUES: dict[str, dict[str, Any]] = {
    "AgentJob": {"global": {"proxy": {"enabled": True, "httpProxy": PROXY, "httpsProxy": PROXY}}},
    "AgentLocal": {"extraEnv": {"HTTP_PROXY": PROXY, "HTTPS_PROXY": PROXY}, "serviceAccount": {"create": True, "automountToken": True}},
    "AgentK8s": {"extraEnv": {"HTTP_PROXY": PROXY, "HTTPS_PROXY": PROXY}},
}
VALUES["AgentNetworkPolicy"] = VALUES["AgentJob"]
EXPECTED = {
    "to": [{"ipBlock": {"cidr": address}} for address in ("10.96.0.1/32", "192.0.2.10/32", "192.0.2.11/32")],
    "ports": [{"protocol": "TCP", "port": 443}, {"protocol": "TCP", "port": 6443}],
}
COMPONENTS = sorted(VALUES)


def _args(component: str, **egress: Any) -> dict[str, Any]:
    base = {"namespace": "scalr", "url": "https://acme.scalr.io", "values": VALUES[component], "network": {"egress": egress}}
    return base if component == "AgentNetworkPolicy" else {**base, "token": "s3cr3t-token"}


def _policies(recording: Recording) -> list[Any]:
    return [resource.inputs for resource in recording.resources if resource.type.endswith("NetworkPolicy") and resource.custom]


@pytest.mark.parametrize("component", COMPONENTS)
@pytest.mark.parametrize("dialect", ["kubernetes", "gke"])
def test_the_api_server_is_looked_up(component: str, dialect: str) -> None:
    recording = record(component, _args(component, enforced_by=dialect))
    owner = "it-network-policy" if component == "AgentJob" else "it"
    assert sorted((each.name, each.id, each.parent) for each in recording.readings) == [
        (f"{owner}-api-endpoints", "default/kubernetes", owner),
        (f"{owner}-api-service", "default/kubernetes", owner),
    ]
    with_api = [policy for policy in _policies(recording) if EXPECTED in policy["spec"]["egress"]]
    assert len(with_api) == {"AgentLocal": 1}.get(component, 2)  # runs of agent-k8s have no token


@pytest.mark.parametrize("component", COMPONENTS)
def test_unneeded_lookups_are_omitted(component: str) -> None:
    assert record(component, _args(component, enforced_by="cilium")).readings == []
    assert record(component, {**_args(component), "network": {"ingress": "deny"}}).readings == []


@pytest.mark.parametrize("missing", ["spec", "endpoints", "ports"])
@pytest.mark.parametrize("empty", [None, [], {}])
def test_a_missing_api_server_address_is_an_error(missing: str, empty: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty list of peers would allow all of them. With mocks that return nothing, a program fails as well."""
    for key, found in API_SERVER.items():
        monkeypatch.setitem(API_SERVER, key, {field: empty if field == missing else content for field, content in found.items()})
    with pytest.raises(RunError, match=r"no addresses of the API server; set kubernetes\.apiServer"):
        run(program("AgentLocal", _args("AgentLocal", enforced_by="kubernetes")))


@pytest.mark.parametrize(("given", "readings"), [([], 2), (["10.0.0.0/20"], 0)])
def test_api_server_of_the_stack_replaces_the_lookup(given: list[str], readings: int) -> None:
    words = {
        "kubernetes": {"apiServer": given},
        "common": {"url": "https://acme.scalr.io", "network": {"egress": {"only": [{"cidr": "0.0.0.0/0"}]}}},
        "agents": {"runs": {"kind": "agent-job", "namespace": "scalr", "values": DEADLINE}},
        "secrets": {"runs": {"token": "s3cr3t-token"}},
    }
    recording = deployed(words)
    assert recording.error is None
    assert [each.provider for each in recording.readings] == ["cluster"] * readings
    cidrs = [peer["ipBlock"]["cidr"] for peer in recording["runs-network-policy-egress"].inputs["spec"]["egress"][2]["to"]]
    assert cidrs == (given or ["10.96.0.1/32", "192.0.2.10/32", "192.0.2.11/32"])
