"""Agents whose network is restricted, their pods, and where these may connect to."""

from collections.abc import Iterator, Mapping
from typing import Any

from scalr_agents.charts.shared.agent import AnyAgent, Pods
from scalr_agents.charts.shared.inputs import Inputs, Network
from scalr_agents.model.findings import Finding, errors
from scalr_agents.model.maps import Values, merge
from scalr_agents.model.release import Line

from tests.charts.shared.network.dialects import Manifest
from tests.charts.shared.network.reachability import Network as Evaluated
from tests.helpers.validated import validate

DIALECTS = ("kubernetes", "cilium", "gke")
API_SERVER = ("10.96.0.1/32", "192.0.2.10/32")
BASE: Values = {"agent": {"url": "https://acme.scalr.io", "token": "an-agent-token"}}
KINDS = ("NetworkPolicy", "CiliumNetworkPolicy", "FQDNNetworkPolicy")


def restricted(enforced_by: str, *only: Mapping[str, Any], ingress: bool = True) -> Network:
    return Network.model_validate(
        {"ingress": "deny" if ingress else None, "egress": {"only": list(only), "enforced_by": enforced_by}}, by_name=True, by_alias=False
    )


def agent_of(line: Line, network: Network | None, values: Values | None = None, **inputs: Any) -> AnyAgent:
    """An agent, with or without findings."""
    given = Inputs(**{"network": network, "api_server": API_SERVER, **inputs})
    return validate(line.chart, merge(BASE, values or {}), agent_version=line.default_version, inputs=given)


def behind(line: Line, url: str, direct: str = "") -> Values:
    """The values of a proxy."""
    if line.chart == "agent-job":
        return {"global": {"proxy": {"enabled": True, "httpProxy": url, "httpsProxy": url, "noProxy": direct}}}
    return {"extraEnv": {"HTTP_PROXY": url, "HTTPS_PROXY": url, "NO_PROXY": direct}}


def sound(line: Line, network: Network, values: Values | None = None, **inputs: Any) -> AnyAgent:
    agent = agent_of(line, network, values, **inputs)
    assert errors(agent.findings) == []
    return agent


def about_network(agent: AnyAgent) -> list[Finding]:
    return [finding for finding in agent.findings if finding.at[:1] == ("network",)]


def policies(agent: AnyAgent) -> list[dict[str, Any]]:
    return [manifest for manifest in agent.objects if manifest["kind"] in KINDS]


def evaluated(agent: AnyAgent) -> Evaluated:
    namespaces = [namespace("scalr"), namespace("kube-system"), namespace("observability"), namespace("openshift-dns")]
    return Evaluated(policies(agent), namespaces)


def pods(agent: AnyAgent) -> Iterator[tuple[Pods, Manifest]]:
    """The groups of an agent's pods, each with one of them."""
    for group in agent.pods:
        yield group, pod("scalr", **agent.release.selector(group.component))


def pod(of: str, **labels: str) -> Manifest:
    return {"metadata": {"name": "pod", "namespace": of, "labels": labels}, "spec": {"containers": []}}


def namespace(name: str) -> Manifest:
    return {"metadata": {"name": name, "labels": {"kubernetes.io/metadata.name": name}}}
