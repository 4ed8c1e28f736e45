"""What a stack asks of a cluster."""

import pytest
from scalr_agents.cluster import paths
from scalr_agents.doctor import permissions
from scalr_agents.doctor.facts import Access
from scalr_agents.doctor.needs import Needs
from scalr_agents.model.manifests import Key

from tests.doctor.clusters import needs_of
from tests.helpers import samples


@pytest.mark.parametrize(
    ("kind", "plural"),
    [
        ("CiliumNetworkPolicy", "ciliumnetworkpolicies"),
        ("CustomResourceDefinition", "customresourcedefinitions"),
        ("ExternalSecret", "externalsecrets"),
        ("NetworkPolicy", "networkpolicies"),
        ("PriorityClass", "priorityclasses"),
        ("StorageClass", "storageclasses"),
    ],
)
def test_plurals(kind: str, plural: str) -> None:
    assert paths.plural(kind) == plural


@pytest.mark.parametrize("name", samples.STACKS)
def test_every_object_of_a_stack_has_its_permissions(name: str) -> None:
    needs = Needs.of(samples.sample(name))
    for manifest in needs.objects:
        group, namespace = manifest["apiVersion"].rpartition("/")[0], manifest["metadata"].get("namespace", "")
        verbs = {
            each.verb
            for each in permissions.needed(needs)
            if (each.group, each.resource, each.namespace) == (group, paths.plural(manifest["kind"]), namespace)
        }
        kept = manifest["kind"] in ("CustomResourceDefinition", "Namespace")
        assert verbs == {"create", "get", "list", "watch", "patch"} | (set() if kept else {"delete"})


def test_definitions_have_the_plural_that_they_define() -> None:
    needs = needs_of()
    task = needs.own[Key("AgentTask", "scalr", "runs-agent-job-task")]
    assert paths.path(task) == "/apis/scalr.io/v1/namespaces/scalr/atasks/runs-agent-job-task"
    assert Access("patch", "scalr.io", "atasks", "scalr") in permissions.needed(needs)


def test_pods_are_awaited_only_if_a_rollout_is() -> None:
    seen = Access("watch", "", "pods", "scalr")
    assert seen in permissions.needed(needs_of())
    assert seen not in permissions.needed(needs_of({"kubernetes": {"awaitRollout": False}}))


@pytest.mark.parametrize(
    ("network", "api_server", "read"),
    [
        ({"egress": {"only": [{"cidr": "0.0.0.0/0"}]}}, [], True),
        ({"egress": {"only": [{"cidr": "0.0.0.0/0"}]}}, ["10.0.0.0/8"], False),
        ({"egress": {"enforcedBy": "cilium"}}, [], False),
        ({"ingress": "deny"}, [], False),
    ],
)
def test_the_addresses_of_the_api_server_are_read_if_a_policy_needs_them(network: object, api_server: list[str], *, read: bool) -> None:
    needs = needs_of({"common": {"url": samples.URL, "network": network}, "kubernetes": {"apiServer": api_server} if api_server else {}})
    found = {(each.verb, each.what) for each in permissions.needed(needs) if each.namespace == "default"}
    assert found == ({("get", "services kubernetes"), ("get", "endpointslices.discovery.k8s.io kubernetes")} if read else set())


def test_rules_of_roles_are_granted_with_the_right_to_escalate() -> None:
    granted = permissions.granted(needs_of())
    rbac = "rbac.authorization.k8s.io"
    rights = [Access(verb, rbac, "roles", "scalr") for verb in ("escalate", "bind")]
    assert list(granted[Access("create", "", "pods/exec", "scalr")]) == rights
    assert list(granted[Access("watch", "scalr.io", "atasks")]) == [Access(verb, rbac, "clusterroles") for verb in ("escalate", "bind")]


def test_what_the_stack_makes_is_no_reference() -> None:
    """Its Secrets, accounts and claims, and what every namespace has."""
    needs = needs_of(
        {"secrets": {"runs": {"token": samples.TOKEN, "env": {"A": "b"}}}}, values={"persistence": {"cache": {"enabled": True}}}
    )
    assert needs.references == []


def test_optional_references_may_be_missing() -> None:
    variable = {"name": "A", "valueFrom": {"secretKeyRef": {"name": "maybe", "key": "a", "optional": True}}}
    required = {"name": "B", "valueFrom": {"configMapKeyRef": {"name": "surely", "key": "b"}}}
    needs = needs_of(values={"agent": {"controller": {"extraEnv": [variable, required]}}})
    assert [(reference.key, reference.keys) for reference in needs.references] == [(Key("ConfigMap", "scalr", "surely"), frozenset({"b"}))]


@pytest.mark.parametrize(
    ("words", "maker"),
    [
        ({"kind": "agent-job"}, "AgentTask"),
        ({"kind": "agent-local"}, "Deployment"),
        ({"kind": "agent-local", "agentVersion": "1.4.0", "values": {"workload": {"kind": "StatefulSet"}}}, "StatefulSet"),
        ({"kind": "agent-k8s"}, "DaemonSet"),
    ],
)
def test_the_pods_that_execute_runs(words: dict[str, object], maker: str) -> None:
    stack = {"namespaces": {"scalr": {"podSecurity": "privileged"}}, "agents": {"runs": {"namespace": "scalr", **words}}}
    needs = needs_of(stack)
    pod = needs.task_pod(*needs.stack.agents)
    assert pod
    assert pod.kind == maker


def test_placeholders_and_preparations_execute_no_runs() -> None:
    words = {"kind": "agent-job", "namespace": "scalr", "prePull": True, "values": {"task": {"buffer": {"replicas": 1}}}}
    needs = needs_of({"agents": {"runs": words}})
    assert sorted(pod.name for pod in needs.pods) == [
        "controller pods",
        "placeholder pods",
        "pods that keep images",
        "task pods",
    ]
    pod = needs.task_pod(*needs.stack.agents)
    assert pod
    assert pod.name == "task pods"


@pytest.mark.parametrize(
    ("kind", "network", "values", "may"),
    [
        ("agent-job", None, {}, False),
        ("agent-job", None, {"task": {"allowMetadataService": True}}, True),
        ("agent-job", {"egress": {"enforcedBy": "cilium"}}, {"task": {"allowMetadataService": True}}, True),
        ("agent-job", {"ingress": "deny"}, {"task": {"allowMetadataService": True}}, True),
        ("agent-local", None, {}, True),
        ("agent-local", {"ingress": "deny"}, {}, True),
        ("agent-local", {"egress": {"enforcedBy": "cilium"}}, {}, False),
        ("agent-local", None, {"allowMetadataService": False}, False),
        ("agent-k8s", None, {}, True),
        ("agent-k8s", {"ingress": "deny"}, {}, True),
        ("agent-k8s", None, {"restrictMetadataService": True}, False),
    ],
)
def test_the_metadata_service_is_closed_by_policies_for_egress_alone(
    kind: str, network: dict[str, object] | None, values: dict[str, object], may: bool
) -> None:
    entry = {"kind": kind, "namespace": "scalr", "values": values} | ({"network": network} if network else {})
    needs = needs_of({"namespaces": {"scalr": {"podSecurity": "privileged"}}, "agents": {"runs": entry}})
    pod = needs.task_pod(*needs.stack.agents)
    assert pod
    assert pod.may_reach_metadata_service is may
