"""The picture of a stack."""

from typing import Any

import pytest
from scalr_agents.stack import graph, load
from scalr_agents.stack.graph import Edge, Graph, Node

from tests.helpers import samples
from tests.helpers.command_line import cli
from tests.helpers.machines import EC2, GCE
from tests.helpers.samples import STACKS

URL = "https://acme.scalr.io"


def picture(**config: Any) -> Graph:
    return graph.of(samples.load({"common": {"url": URL}, **config}))


def agent(kind: str = "agent-job", **words: Any) -> dict[str, Any]:
    return {"kind": kind, "namespace": "scalr", **words}


def edges(drawn: Graph, source: str) -> set[tuple[str, str, str]]:
    return {(edge.target, edge.kind, edge.label) for edge in drawn.edges if edge.source == source}


def test_graph_of_an_agent_with_a_cache() -> None:
    drawn = picture(agents={"runs": agent(cache="shared")}, caches={"shared": {"storageClass": {"name": "nfs"}}})
    assert set(drawn.nodes) == {
        Node("cache shared", "cache", "shared\nStorageClass"),
        Node("claim scalr/runs-cache", "claim", "runs-cache\nclaim", "scalr"),
        Node("pods runs/tasks", "pods", "runs\ntasks (agent-job)", "scalr"),
        Node("pods runs/controller", "pods", "runs\ncontroller (agent-job)", "scalr"),
        Node("policy scalr/runs-agent-job-network-policy", "policy", "runs-agent-job-network-policy\nNetworkPolicy", "scalr"),
        Node("destination metadata service", "destination", "metadata service"),
        Node("destination Scalr", "destination", "Scalr"),
        Node("destination everywhere else", "destination", "everywhere else"),
    }
    policy = "policy scalr/runs-agent-job-network-policy"
    open_to = [("destination Scalr", "connects", ""), ("destination everywhere else", "connects", "")]
    mounts = ("claim scalr/runs-cache", "mounts", "")
    assert edges(drawn, "pods runs/tasks") == {mounts, (policy, "connects", "")}
    assert edges(drawn, policy) == {("destination metadata service", "refused", ""), *open_to}
    assert edges(drawn, "pods runs/controller") == {("pods runs/tasks", "starts", ""), mounts, *open_to}
    assert edges(drawn, "claim scalr/runs-cache") == {("cache shared", "is on", "")}


def test_graph_of_a_closed_network() -> None:
    only = [{"host": "github.acme.internal"}, {"cidr": "10.20.0.0/16", "ports": [443, 8443]}, {"namespace": "observability"}]
    drawn = picture(agents={"runs": agent(network={"egress": {"only": only, "enforcedBy": "cilium"}})})
    [tasks] = edges(drawn, "pods runs/tasks")
    assert tasks == ("policy scalr/runs-agent-job-network-policy", "connects", "")
    assert edges(drawn, tasks[0]) == {
        ("destination metadata service", "refused", ""),
        ("destination Kubernetes API", "connects", "443, 6443"),
        ("destination Scalr", "connects", "443"),
        ("destination registries and releases", "connects", "443"),
        ("destination github.acme.internal", "connects", "443"),
        ("destination 10.20.0.0/16", "connects", "443, 8443"),
        ("destination namespace observability", "connects", "443"),
    }
    assert "destination everywhere else" not in {node.id for node in drawn.nodes}
    controller = edges(drawn, "policy scalr/runs-agent-job-controller-network-policy")
    assert ("destination registries and releases", "connects", "443") not in controller
    assert ("destination github.acme.internal", "connects", "443") in controller


PROXIES = {
    "http://proxy.acme:3128": "proxy.acme:3128",
    "http://proxy.egress.svc:3128": "proxy.egress.svc:3128",
    "http://proxy:3128": "proxy:3128",
    "http://10.0.0.5:3128": "10.0.0.5:3128",
    "http://[fd00::5]:3128": "[fd00::5]:3128",
}


@pytest.mark.parametrize("url", PROXIES)
@pytest.mark.parametrize("kind", ["agent-job", "agent-local", "agent-k8s"])
def test_a_proxy_stands_between_agents_and_scalr(kind: str, url: str) -> None:
    """Whatever its address is: a name, a Service, or an IP address."""
    common = {"url": URL, "proxy": {"https": url}}
    proxy, last = f"destination {PROXIES[url]}", {"tasks", "agent"}
    everywhere = ("destination everywhere else", "connects", "")
    opened = picture(common=common, agents={"runs": agent(kind, values={"restrictMetadataService": False} if kind == "agent-k8s" else {})})
    [pods] = [node.id for node in opened.nodes if node.kind == "pods" and node.label.split()[1] in last]
    begin = next((target for target, _, _ in edges(opened, pods) if target.startswith("policy ")), pods)
    assert edges(opened, begin) - {("destination metadata service", "refused", "")} >= {(proxy, "connects", "3128"), everywhere}
    assert edges(opened, proxy) == {("destination Scalr", "connects", ""), everywhere}
    assert {edge.source for edge in opened.edges if edge.target == "destination Scalr"} == {proxy}
    closed = picture(common=common | {"network": {"egress": {"enforcedBy": "cilium"}}}, agents={"runs": agent(kind)})
    assert edges(closed, proxy) == {("destination Scalr", "connects", "443"), ("destination registries and releases", "connects", "443")}
    policies = {edge.source for edge in closed.edges if edge.target == proxy}
    assert policies == {node.id for node in closed.nodes if node.kind == "policy"}
    for drawn in (opened, closed):
        assert {end for edge in drawn.edges for end in (edge.source, edge.target)} <= {node.id for node in drawn.nodes}


def test_hosts_without_proxy_are_drawn_directly() -> None:
    common = {"url": "https://scalr.acme.internal", "proxy": {"https": "http://proxy.acme:3128", "except": [".acme.internal"]}}
    drawn = picture(common=common, agents={"runs": agent()}, machines={"host": {"docker": {}}})
    assert {edge.source for edge in drawn.edges if edge.target == "destination Scalr"} == {
        "policy scalr/runs-agent-job-network-policy",
        "pods runs/controller",
        "machine host",
    }
    assert edges(drawn, "destination proxy.acme:3128") == {("destination everywhere else", "connects", "")}


def test_a_machine_behind_a_proxy() -> None:
    drawn = picture(common={"url": URL, "proxy": {"https": "http://proxy.acme:3128"}}, agents={}, machines={"host": {"docker": {}}})
    assert edges(drawn, "machine host") == {("destination proxy.acme:3128", "connects", "3128")}
    assert edges(drawn, "destination proxy.acme:3128") == {("destination Scalr", "connects", "")}


def test_a_proxy_whose_address_is_a_secret() -> None:
    secrets = {"runs": {"token": samples.TOKEN, "env": {"HTTPS_PROXY": "http://me:s3cr3t@proxy.acme:3128"}}}
    config = {"common": {"url": URL}, "agents": {"runs": agent()}, "secrets": secrets}
    drawn = graph.of(load(config, directory=samples.REPOSITORY))
    assert edges(drawn, "pods runs/controller") >= {("destination a proxy", "connects", "")}
    assert edges(drawn, "destination a proxy") >= {("destination Scalr", "connects", "")}
    assert "destination a proxy" in {node.id for node in drawn.nodes}


def test_directories_of_nodes_are_mounted() -> None:
    drawn = picture(agents={"old": agent("agent-k8s")}, namespaces={"scalr": {"podSecurity": "privileged"}})
    assert {edge.source for edge in drawn.edges if edge.kind == "mounts" and edge.target.startswith("directory /")} >= {"pods old/worker"}


def test_machines_stand_beside_the_cluster() -> None:
    machines = {"host": {"docker": {}}, "runs": {"ec2": EC2}, "vcs": {"gce": GCE, "role": "vcs"}}
    drawn = graph.of(load({"common": {"url": URL}, "machines": machines}, directory=samples.REPOSITORY))
    nodes = {node for node in drawn.nodes if node.kind == "machine"}
    assert {node.label for node in nodes} == {"host\nDocker host", "runs\nEC2", "vcs\nCompute Engine"}
    assert {node.namespace for node in nodes} == {""}
    assert {edge.source for edge in drawn.edges} == {node.id for node in nodes}


def test_the_command_draws_the_stack() -> None:
    done = cli("graph", samples.PICTURED)
    assert (done.returncode, done.stdout) == (0, graph.mermaid(graph.of(samples.sample(samples.PICTURED))))


@pytest.mark.parametrize("name", STACKS)
def test_every_picture_is_whole(name: str) -> None:
    """Every node is there once, every edge has both ends, and Mermaid gets all of them."""
    drawn = graph.of(samples.sample(name))
    ids = [node.id for node in drawn.nodes]
    assert len(set(ids)) == len(ids)
    assert {end for edge in drawn.edges for end in (edge.source, edge.target)} <= set(ids)
    lines = graph.mermaid(drawn).splitlines()
    subgraphs = len({node.namespace for node in drawn.nodes if node.namespace})
    assert len(lines) == 1 + len(ids) + 2 * subgraphs + len(drawn.edges)


def test_labels_are_escaped() -> None:
    odd = Graph([Node("a", "pods", '&lt; x"y<z>\\\nlast'), Node("b", "policy", "{}")], [Edge("a", "b", "connects")])
    assert graph.mermaid(odd) == 'flowchart LR\n  n1["&amp;lt; x&quot;y&lt;z>\\<br/>last"]\n  n2{{"{}"}}\n  n1 --> n2\n'


def test_graphs_contain_no_secret() -> None:
    values = {"agent": {"extraEnv": {"HTTPS_PROXY": "http://user:$(PASSWORD)@proxy.acme:3128"}}}
    drawn = picture(agents={"runs": agent(values=values, network={"egress": {"enforcedBy": "cilium"}})})
    assert "destination proxy.acme:3128" in {node.id for node in drawn.nodes}
    assert samples.TOKEN not in graph.mermaid(drawn)
