"""The network of a stack's agents: precedence, location of findings, and the list of hosts."""

import json
from typing import Any

import pytest
from scalr_agents.charts.shared.inputs import ClusterValue
from scalr_agents.model.findings import errors
from scalr_agents.model.maps import merge
from scalr_agents.stack import hosts

from tests.helpers.command_line import REPOSITORY, cli, stack as write
from tests.helpers.plain import findings, load

CILIUM: dict[str, Any] = {"egress": {"only": [{"host": "github.acme.internal"}], "enforcedBy": "cilium"}}


def _kinds(changed: dict[str, Any]) -> list[str]:
    loaded = load(changed)
    assert errors(loaded.findings) == []
    return [manifest["kind"] for agent in loaded.agents for manifest in agent.group("network-policy").values()]


@pytest.mark.parametrize(
    ("common", "own", "kinds"),
    [
        (None, None, ["NetworkPolicy"]),
        (CILIUM, None, ["CiliumNetworkPolicy", "CiliumNetworkPolicy"]),
        (None, CILIUM, ["CiliumNetworkPolicy", "CiliumNetworkPolicy"]),
        (CILIUM, {"ingress": "deny"}, ["NetworkPolicy", "NetworkPolicy"]),
        (CILIUM, {}, ["NetworkPolicy"]),
        ({"ingress": "deny"}, CILIUM, ["CiliumNetworkPolicy", "CiliumNetworkPolicy"]),
    ],
)
def test_the_network_of_an_agent_replaces_the_common_one(common: Any, own: Any, kinds: list[str]) -> None:
    given = {"common": {"network": common} if common is not None else {}, "agents": {"runs": {"network": own} if own is not None else {}}}
    assert _kinds(given) == kinds


def test_api_server_sets_the_egress_rule() -> None:
    closed = {"common": {"network": {"egress": {"enforcedBy": "gke"}}}}
    [agent] = load(closed).agents
    assert agent.inputs.api_server == ClusterValue("scalr-agents:kubernetes.apiServer")
    [agent] = load({**closed, "kubernetes": {"apiServer": ["10.0.0.0/28"]}}).agents
    rules = [rule for policy in agent.objects if policy["kind"] == "NetworkPolicy" for rule in policy["spec"]["egress"]]
    assert {"to": [{"ipBlock": {"cidr": "10.0.0.0/28"}}], "ports": [{"protocol": "TCP", "port": port} for port in (443, 6443)]} in rules
    [(_, path, message)] = findings({"kubernetes": {"apiServer": ["10.0.0.1"]}})
    assert (path, "written 10.0.0.1/32" in message) == ("scalr-agents:kubernetes.apiServer[0]", True)


def test_render_prints_a_placeholder_for_the_api_server(project: Any) -> None:
    network = "network: {egress: {enforcedBy: gke}}"
    agents = (
        f"scalr-agents:agents: {{runs: {{kind: agent-job, namespace: scalr, {network}, values: {{agent: {{url: 'https://a.scalr.io'}}}}}}}}"
    )
    write(project, f"config:\n  {agents}\n")
    done = cli("render", "dev", directory=project)
    place = "<cluster scalr-agents:kubernetes.apiServer>"
    assert (done.returncode, done.stdout.count(f"- {place}\n")) == (1, 2)
    assert f"placeholder: {place} is known only to the cluster; set this key to the networks of the API server" in done.stderr
    assert cli("render", "dev", "--allow-unknown", directory=project).returncode == 0
    done = cli("render", "dev", "-d", "out", directory=project)
    assert "left out: NetworkPolicy runs-agent-job-network-policy in namespace scalr: " in done.stderr


def test_hosts_of_a_stack_behind_a_proxy() -> None:
    done = cli("hosts", "aws-prod", "-o", "json", directory=REPOSITORY)
    found = {(each["host"], each["why"]): (each["ports"], each["who"]) for each in json.loads(done.stdout)["hosts"]}
    everybody = ["payments/tasks", "payments/controller", "platform/tasks", "platform/controller", "vcs/agent"]
    assert found["10.0.12.0/24", "egress.only"] == ([3128], everybody)
    assert found["proxy.acme.internal", "proxy"] == ([3128], everybody)
    assert found["*.scalr.io", "Scalr"] == ([443], ["proxy proxy.acme.internal:3128"])
    assert found["10.0.40.0/24", "egress.only"] == ([443], ["vcs/agent"])
    assert found["10.0.0.0/20", "Kubernetes API"] == ([443, 6443], everybody[:-1])
    assert found["registry.acme.internal", "images"] == ([443], [hosts.NODES])
    assert "docker" not in done.stdout


ADDRESSES: dict[str | None, dict[str, tuple[int, ...]]] = {
    "aws": {"169.254.169.254/32": (80,), "fd00:ec2::254/128": (80,)},
    "azure": {"169.254.169.254/32": (80,)},
    "gcp": {"169.254.169.254/32": (80, 8080), "169.254.169.252/32": (988,)},
    None: {"169.254.169.254/32": (80, 8080), "169.254.169.252/32": (988,), "fd00:ec2::254/128": (80,)},
}
"""The metadata service of each cloud, and all of them where it is not known."""
ROLE = {"eks.amazonaws.com/role-arn": "arn:aws:iam::111122223333:role/runs"}
ACCOUNT = {"iam.gke.io/gcp-service-account": "runs@acme.iam.gserviceaccount.com"}
CLIENT = {"azure.workload.identity/client-id": "00000000-0000-0000-0000-000000000000"}
EFS, FILESTORE = {"caches": {"shared": {"efs": {"eksCluster": "prod"}}}}, {"caches": {"shared": {"filestore": {"network": "prod"}}}}


def _of(words: dict[str, Any], **config: Any) -> dict[str, Any]:
    return {**config, "agents": {"runs": {"values": {"task": {"allowMetadataService": True}}, **words}}}


@pytest.mark.parametrize(
    ("cloud", "config"),
    [
        (None, _of({})),
        (None, _of({}, kubernetes={"context": "prod"})),
        (None, _of({"identity": ROLE}, kubernetes={"context": "gke_acme_europe-west1_prod"})),
        (None, _of({"identity": ROLE, "cache": "shared"}, **FILESTORE)),
        (None, _of({"identity": ROLE | ACCOUNT})),
        ("aws", _of({"identity": ROLE})),
        ("aws", _of({}, kubernetes={"context": "arn:aws:eks:eu-west-1:111122223333:cluster/prod"})),
        ("aws", _of({"cache": "shared"}, **EFS)),
        ("azure", _of({"identity": CLIENT})),
        ("gcp", _of({"identity": ACCOUNT})),
        ("gcp", _of({}, kubernetes={"context": "gke_acme_europe-west1_prod"})),
        ("gcp", _of({"cache": "shared"}, **FILESTORE)),
        ("gcp", _of({"network": {"egress": {"enforcedBy": "gke"}}})),
    ],
)
def test_the_metadata_service_depends_on_the_cloud(cloud: str | None, config: dict[str, Any]) -> None:
    """In the list and in the policy: all of them if nothing says which cloud it is, or if the signs disagree."""
    agents = load(config).agents
    assert {each.host: each.ports for each in hosts.of(agents) if each.why == "metadata service"} == ADDRESSES[cloud]
    egress = {"enforcedBy": "gke" if cloud == "gcp" else "kubernetes", "only": [{"cidr": "0.0.0.0/0"}]}
    [agent] = load(merge(config, {"agents": {"runs": {"network": {"egress": egress}}}})).agents
    policy: Any = agent.group("network-policy")["egress"]
    allowed = {
        to["ipBlock"]["cidr"]: tuple(port["port"] for port in rule["ports"])
        for rule in policy["spec"]["egress"]
        if isinstance(rule, dict) and {"protocol": "TCP", "port": 53} not in rule["ports"]
        for to in rule["to"]
        if to.get("ipBlock", {"cidr": ""})["cidr"] in ADDRESSES[None]
    }
    assert allowed == ADDRESSES[cloud]


def test_one_identity_determines_the_cloud_of_all_agents() -> None:
    agents: dict[str, Any] = {name: {"kind": "agent-k8s", "namespace": name} for name in ("one", "two")}
    agents["one"]["values"] = {"serviceAccount": {"annotations": ROLE}}
    config = {"agents": agents, "secrets": {name: {"token": "s3cr3t-token"} for name in agents}}
    found = {each.host: each.ports for each in hosts.of(load(config).agents) if each.why == "metadata service"}
    assert found == ADDRESSES["aws"]


def test_hosts_as_a_table() -> None:
    done = cli("hosts", "local", directory=REPOSITORY)
    lines = [line.split(maxsplit=3) for line in done.stdout.splitlines()]
    assert lines[0] == ["HOST", "PORT", "WHO", "WHY"]
    assert ["*.docker.io", "443", "nodes", "images"] in lines
    assert ["registry.opentofu.org", "443", "runs/tasks", "registry of OpenTofu"] in lines
    assert ["cluster's", "DNS", "53", "(UDP,", "TCP)", "runs/tasks,", "runs/controller", "DNS"] in [
        line.split() for line in done.stdout.splitlines()
    ]
    assert "not known here" in done.stderr


@pytest.mark.parametrize(
    ("registry", "host", "port"),
    [("mirror.acme:5000", "mirror.acme", 5000), ("[fd00::1]:5000", "fd00::1", 5000), ("[fd00::1]", "fd00::1", 443)],
)
def test_hosts_of_registries_with_a_port(registry: str, host: str, port: int) -> None:
    agents = load({"common": {"imageRegistry": f"{registry}/scalr"}}).agents
    assert {each.host: each.ports for each in hosts.of(agents) if each.why == "images"} == {host: (port,)}


def test_hosts_of_machines_are_not_listed() -> None:
    done = cli("hosts", "aws-machines", directory=REPOSITORY)
    assert (done.stdout.split(), "machines legacy, legacy-vcs" in done.stderr) == (["HOST", "PORT", "WHO", "WHY"], True)


def test_policies_are_made_from_the_same_list() -> None:
    """Every name that the policies of a sample stack allow is in the list, and every direct name in the list is in a policy."""
    loaded = load({"common": {"network": CILIUM}})
    rules = [
        rule for manifest in loaded.agents[0].objects if manifest["kind"] == "CiliumNetworkPolicy" for rule in manifest["spec"]["egress"]
    ]
    allowed = {name for rule in rules for match in rule.get("toFQDNs", ()) for name in match.values()}
    listed = {each.host for each in hosts.of(loaded.agents) if each.why != "images" and "." in each.host}
    assert allowed == listed
