"""Pods that our NetworkPolicies select, and their allowed destinations, evaluated over objects of the API server."""

import base64
import json
from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

import pytest
from scalr_agents.model.lines import Line
from scalr_agents.model.merge import Values, merge
from scalr_agents.model.release import COMPONENT

from tests.cluster import agents, runs
from tests.cluster.client import Client, Manifest, Manifests
from tests.cluster.reachability import Destination, Network
from tests.helpers.validated import LINES


class Words(NamedTuple):
    """The values that close and open the metadata service, and the default of a kind."""

    closed: Values
    open: Values
    by_itself: Literal["closed", "open"]


WORDS = {
    "agent-job": Words({"task": {"allowMetadataService": False}}, {"task": {"allowMetadataService": True}}, "closed"),
    "agent-local": Words({"allowMetadataService": False}, {"allowMetadataService": True}, "open"),
    "agent-k8s": Words({"restrictMetadataService": True}, {"restrictMetadataService": False}, "open"),
}
BESIDES: dict[str, Values] = {
    "agent-job-legacy": {"task": {"buffer": {"replicas": 1}}},
    "agent-job-current": {
        "task": {"buffer": {"replicas": 1}},
        "persistence": {"cache": {"enabled": True, "hostPath": {"path": "/var/cache/runs", "preparation": {"enabled": True}}}},
    },
}
"""Values with which a line has all kinds of pods."""

JOBS = {"agent", "task", "buffer"}
COMPONENTS: dict[str, set[str]] = {
    "agent-job-legacy": JOBS,
    "agent-job-current": JOBS | {"cache-preparation"},
    "agent-local-legacy": {""},
    "agent-local-current": {""},
    "agent-k8s-legacy": {"controller", "worker", "task"},
    "agent-k8s-current": {"controller", "worker", "task"},
}
"""The pods of an agent, by their label."""
SELECTED = {
    "agent-job": {"task"},
    "agent-local": {""},
    "agent-k8s": {"controller", "worker", "task"},
}
"""Those that its policy selects, by kind."""

NUMBERS = (1, 52, 53, 54, 80, 110, 111, 112, 443, 988, 2048, 2049, 2050, 8080, 10250, 65535)
PORTS = [(port, protocol) for port in NUMBERS for protocol in ("TCP", "UDP", "SCTP")]
DNS = {(53, "TCP"), (53, "UDP")}
EVERY_PORT = set(PORTS)
EVERYWHERE = {
    "agent-job": {(port, protocol) for port, protocol in PORTS if port not in {111, 2049} and protocol != "SCTP"},  # no NFS
    "agent-local": EVERY_PORT,
    "agent-k8s": EVERY_PORT,
}
"""The ports that stay open to selected pods at unlisted addresses, by kind."""
METADATA: dict[str, set[tuple[int, str]]] = {
    "169.254.169.254": DNS,  # AWS, Azure, GCP, where GKE's DNS answers
    "169.254.169.252": DNS,  # GKE without Dataplane V2: where nodes redirect the one above to
    "169.254.0.23": DNS,  # Tencent Cloud
    "169.254.42.42": DNS,  # Scaleway
    "168.63.129.16": set(),  # Azure's WireServer, and its DNS, which the cluster's DNS asks
    "100.100.100.200": set(),  # Alibaba Cloud
    "100.96.0.96": set(),  # Volcengine
    "fd00:ec2::254": set(),
    "fd20:ce::254": set(),
    "fd00:c1::a9fe:a9fe": set(),  # Oracle Cloud
    "fd00:42::42": set(),  # Scaleway
    "169.254.20.10": DNS,  # DNS of the node
    "169.254.25.10": DNS,  # the same in Kubespray
    "169.254.10.10": DNS,  # the same on AKS
    "169.254.169.253": DNS,  # DNS of a VPC
    "169.254.170.23": {*DNS, (80, "TCP")},  # EKS Pod Identity
    "169.254.170.2": DNS,  # credentials of tasks on ECS
}
"""The ports that stay open to them at link-local addresses and at those of metadata services."""
NEIGHBOURS = (
    "169.253.255.255",
    "fd00:ec2::23",  # EKS Pod Identity
    "100.96.0.95",
    "100.100.2.136",  # DNS of Alibaba Cloud
    "10.0.0.10",  # a Service
    "192.0.2.1",  # the internet
    "2001:db8::1",
)


class Agent(NamedTuple):
    """An agent at work, with another like it beside it and a namesake in another namespace."""

    line: Line
    namespace: str
    elsewhere: str
    network: Network
    pods: Manifests
    """All pods of the two namespaces, and DNS."""

    @property
    def id(self) -> str:
        return agents.line_id(self.line)

    def pod(self, component: str) -> Manifest:
        return next(pod for pod in self.pods if _key(pod) == (self.namespace, "runs", component))


def _key(pod: Manifest) -> tuple[str, str, str]:
    """The owner of a pod: namespace, release and component."""
    labels = pod["metadata"].get("labels", {})
    return pod["metadata"]["namespace"], labels.get("app.kubernetes.io/instance", ""), labels.get(COMPONENT, "")


@pytest.fixture(scope="module")
def dns(cluster: Client) -> Iterator[Manifest]:
    """The cluster's DNS."""
    yield _start_pod(cluster, "kube-system", "dns", {"k8s-app": "kube-dns"})
    cluster.delete("Pod", "dns", "kube-system")


@pytest.fixture(scope="module", params=LINES, ids=agents.line_id)
def agent(request: pytest.FixtureRequest, cluster: Client, dns: Manifest) -> Iterator[Agent]:
    line: Line = request.param
    namespace, elsewhere = f"network-{agents.line_id(line)}", f"network-{agents.line_id(line)}-elsewhere"
    besides = BESIDES.get(agents.line_id(line), {})
    for name in (namespace, elsewhere):
        cluster.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
        _start_pod(cluster, name, "bystander", {"app.kubernetes.io/name": line.base_name})
    words = WORDS[line.chart]
    for place, release, setting in ((namespace, "runs", words.closed), (namespace, "more", words.open), (elsewhere, "runs", words.open)):
        _start(cluster, agents.release(line, place, name=release, values=merge(besides, setting)))
    # Other namespaces may still hold what tests before have left to be removed.
    policies, pods = ([each for name in (namespace, elsewhere) for each in cluster.list(kind, name)] for kind in ("NetworkPolicy", "Pod"))
    yield Agent(line, namespace, elsewhere, Network(policies, cluster.list("Namespace")), [*pods, dns])
    for name in (namespace, elsewhere):
        cluster.delete("Namespace", name)


def _start(cluster: Client, objects: Manifests) -> None:
    """An agent, and a run of it, if its runs have pods of their own."""
    agents.apply(cluster, objects)
    agents.wait_for_rollout(cluster, objects)
    for task in runs.tasks(objects):
        runs.start(cluster, task, task["metadata"]["labels"]["app.kubernetes.io/instance"])
    for deployment in (manifest for manifest in objects if manifest["kind"] == "Deployment"):
        labels = _labels_for_runs(cluster.current(deployment))
        if labels is not None:
            metadata = deployment["metadata"]
            _start_pod(cluster, metadata["namespace"], f"{metadata['name']}-run-1", labels)


def _labels_for_runs(deployment: Manifest) -> dict[str, str] | None:
    """The labels that a controller of agent-k8s gives to the pods that it starts."""
    [container] = deployment["spec"]["template"]["spec"]["containers"][:1]
    variables = {variable["name"]: variable.get("value") for variable in container.get("env", ())}
    encoded = variables.get("SCALR_AGENT_KUBERNETES_TASK_LABELS")
    if encoded is None:
        return None
    labels: dict[str, str] = json.loads(base64.b64decode(encoded))
    return labels


def _start_pod(cluster: Client, namespace: str, name: str, labels: Mapping[str, str]) -> Manifest:
    metadata = {"name": name, "namespace": namespace, "labels": dict(labels)}
    spec = {"containers": [{"name": "main", "image": "example/main"}], "automountServiceAccountToken": False}
    return cluster.create({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec})


def test_the_policy_selects_these_pods_and_no_others(agent: Agent) -> None:
    """Pods of other agents, of releases with the same name in other namespaces, and all others are not selected."""
    selecting = {_key(pod): agent.network.selecting(pod) for pod in agent.pods}
    components = COMPONENTS[agent.id]
    unlabelled = {"task"} if agent.line.chart == "agent-k8s" else set()
    assert set(selecting) == {
        *((agent.namespace, "runs", component) for component in components),
        *((agent.namespace, "more", component) for component in components - unlabelled),
        *((agent.elsewhere, "runs", component) for component in components - unlabelled),
        (agent.namespace, "", ""),
        (agent.elsewhere, "", ""),
        ("kube-system", "", ""),
    }
    policy = f"runs-{agent.line.base_name}-network-policy"
    assert {key: names for key, names in selecting.items() if names} == {
        (agent.namespace, "runs", component): [policy] for component in SELECTED[agent.line.chart]
    }


@pytest.mark.parametrize("address", [*METADATA, *NEIGHBOURS])
def test_addresses_that_selected_pods_reach(address: str, agent: Agent) -> None:
    for component in SELECTED[agent.line.chart]:
        assert _open_ports(agent, component, Destination(address)) == METADATA.get(address, EVERYWHERE[agent.line.chart])


def test_agents_work_without_port_ranges(agent: Agent) -> None:
    """It takes the first port of each range, as the API says."""
    [policy] = [each for each in agent.network.policies if each["metadata"]["namespace"] == agent.namespace]
    network = Network([json.loads(json.dumps(policy), object_hook=_without_ranges)], agent.network.namespaces)
    for component in SELECTED[agent.line.chart]:
        pod = agent.pod(component)
        assert all(network.reaches(pod, Destination("192.0.2.1"), port) for port in (22, 80, 443, 6443))
        assert network.reaches(pod, Destination("169.254.169.254"), 53)
        assert not any(network.reaches(pod, Destination(address), 443) for address in METADATA)
        assert [address for address in METADATA if network.reaches(pod, Destination(address), 80)] == ["169.254.170.23"]


def _without_ranges(content: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in content.items() if key != "endPort"}


def test_pods_that_are_not_selected_reach_the_metadata_service(agent: Agent) -> None:
    for component in COMPONENTS[agent.id] - SELECTED[agent.line.chart]:
        for address in METADATA:
            assert _open_ports(agent, component, Destination(address)) == EVERY_PORT


def test_selected_pods_reach_the_api_server(cluster: Client, agent: Agent) -> None:
    service = cluster.get("Service", "kubernetes", "default")["spec"]
    assert [port["port"] for port in service["ports"]] == [443]
    for component in SELECTED[agent.line.chart]:
        assert agent.network.reaches(agent.pod(component), Destination(service["clusterIP"]), 443)


def test_selected_pods_reach_the_dns_of_the_cluster(agent: Agent, dns: Manifest) -> None:
    """Also if a network plugin matches pods only by labels, and never by address blocks."""
    for component in SELECTED[agent.line.chart]:
        assert _open_ports(agent, component, Destination(pod=dns)) == DNS
        assert _open_ports(agent, component, Destination("10.1.2.3", dns)) == DNS | EVERYWHERE[agent.line.chart]


def _open_ports(agent: Agent, component: str, destination: Destination) -> set[tuple[int, str]]:
    pod = agent.pod(component)
    return {(port, protocol) for port, protocol in PORTS if agent.network.reaches(pod, destination, port, protocol)}


@pytest.mark.parametrize("line", LINES, ids=agents.line_id)
def test_default_metadata_policies(line: Line) -> None:
    """The default of each kind equals one of the two explicit settings."""
    words = WORDS[line.chart]
    made = {word: agents.release(line, "any", values=values) for word, values in (("closed", words.closed), ("open", words.open))}
    assert agents.release(line, "any") == made[words.by_itself]
    policies = {word: [manifest["kind"] for manifest in objects].count("NetworkPolicy") for word, objects in made.items()}
    assert policies == {"closed": 1, "open": 0}
