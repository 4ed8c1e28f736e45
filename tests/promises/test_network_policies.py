"""What NetworkPolicies and CiliumNetworkPolicies of a stack together let the pods of runs reach."""

from typing import Any

import pytest
from scalr_agents.promises.resources import Resource

from tests.promises.stacks import agent, broken, changed, resources, runs

LABELS = "app.kubernetes.io"


@pytest.mark.parametrize(
    ("egress", "opened"),
    [
        ([], set()),
        ([{}], "the metadata services"),
        ([{"to": []}], "the metadata services"),
        ([{"to": [{"namespaceSelector": {}}]}], set()),
        ([{"to": [{"ipBlock": {"cidr": "169.254.0.0/16"}}], "ports": [{"port": 53, "protocol": "UDP"}]}], set()),
        ([{"to": [{"ipBlock": {"cidr": "169.254.169.254/32"}}], "ports": [{"port": 80}]}], "169.254.169.254"),
        ([{"to": [{"ipBlock": {"cidr": "169.254.169.254/32"}}], "ports": [{"port": 53, "endPort": 80}]}], "169.254.169.254"),
        ([{"to": [{"ipBlock": {"cidr": "fd00:ec2::/64"}}]}], "fd00:ec2::254"),
        ([{"to": [{"ipBlock": {"cidr": "168.63.0.0/16", "except": ["168.63.129.16/32"]}}]}], set()),
        ([{"to": [{"ipBlock": {"cidr": "10.0.0.1/8"}}, {"ipBlock": {"cidr": "nonsense"}}]}], set()),
        (object(), set()),
        ([object()], set()),
        ([{"to": object()}], set()),
    ],
)
def test_rules_that_open_metadata_services(egress: Any, opened: str | set[str]) -> None:
    """What is not known before a deployment is judged during it."""
    stack = changed(runs(), "NetworkPolicy", spec={"egress": egress})
    found = broken(stack)
    assert found.keys() == ({"closed-metadata-service"} if opened else set())
    if opened:
        wanted = f"the metadata services {opened}" if opened != "the metadata services" else opened
        [message] = found["closed-metadata-service"]
        assert (
            f": NetworkPolicy scalr/runs-scalr-agent-network-policy opens {wanted} to its pods. Remove the rules that allow it" in message
        )


@pytest.mark.parametrize(
    "fields",
    [
        {"metadata": {"namespace": "elsewhere"}},
        {"spec": {"podSelector": {"matchLabels": {"app.kubernetes.io/instance": "another"}}}},
        {"spec": {"podSelector": {"matchExpressions": [{"key": "a", "operator": "Exists"}]}}},
        {"spec": {"podSelector": {"matchExpressions": [{"key": f"{LABELS}/instance", "operator": "NotIn", "values": ["runs"]}]}}},
        {"spec": {"podSelector": {"matchExpressions": [{"key": f"{LABELS}/instance", "operator": "DoesNotExist"}]}}},
        {"spec": {"podSelector": {"matchExpressions": [{"key": f"{LABELS}/instance", "operator": "Resembles"}]}}},
        {"spec": {"policyTypes": ["Ingress"]}},
        {"spec": {"policyTypes": None, "egress": []}},
    ],
)
def test_policies_that_do_not_restrict_the_pods_do_not_count(fields: dict[str, Any]) -> None:
    found = broken(changed(runs(), "NetworkPolicy", **fields))
    assert found.keys() == {"closed-metadata-service"}
    assert "no NetworkPolicy closes the metadata services to its pods. Remove task.allowMetadataService" in str(found)


@pytest.mark.parametrize(
    "fields",
    [
        {"policyTypes": None},
        {"podSelector": None},
        {"podSelector": {"matchExpressions": [{"key": f"{LABELS}/instance", "operator": "In", "values": ["other", "runs"]}]}},
        {"podSelector": {"matchExpressions": [{"key": f"{LABELS}/instance", "operator": "Exists"}]}},
        {
            "podSelector": {
                "matchExpressions": [{"key": "a", "operator": "NotIn", "values": ["b"]}, {"key": "a", "operator": "DoesNotExist"}]
            }
        },
    ],
)
def test_policies_that_restrict_the_pods_count(fields: dict[str, Any]) -> None:
    """Without types, a policy with rules for egress is one of egress; without a selector, it selects all pods."""
    assert broken(changed(runs(), "NetworkPolicy", spec=fields)) == {}
    assert broken(changed(runs(), "NetworkPolicy", spec={**fields, "egress": [{}]})).keys() == {"closed-metadata-service"}


CILIUM = {"metadata": {"name": "added", "namespace": "scalr"}}
ALL_PODS: dict[str, Any] = {"endpointSelector": {}}


def with_cilium(**spec: Any) -> list[Resource]:
    """A stack with the NetworkPolicy of the component and a CiliumNetworkPolicy of somebody else."""
    token = "kubernetes:cilium.io/v2:CiliumNetworkPolicy"
    return [*runs(), Resource(f"urn:pulumi:dev::program::{token}::added", token, {**CILIUM, "spec": {**ALL_PODS, **spec}})]


@pytest.mark.parametrize(
    ("spec", "opens"),
    [
        ({"egress": [{"toEntities": ["world"]}]}, True),
        ({"egress": [{"toEntities": ["world-ipv4"]}]}, True),
        ({"egress": [{"toEntities": ["kube-apiserver"]}]}, False),
        ({"egress": [{"toCIDR": ["169.254.169.254"]}]}, True),
        ({"egress": [{"toCIDRSet": [{"cidr": "169.254.0.0/16"}]}]}, True),
        ({"egress": [{"toCIDRSet": [{"cidr": "0.0.0.0/0", "except": ["169.254.0.0/16", "168.63.129.16/32", "100.64.0.0/10"]}]}]}, False),
        ({"egress": [{"toEndpoints": [{}]}, {}]}, False),
        ({"egress": [{"toPorts": [{"ports": [{"port": "80", "protocol": "TCP"}]}]}]}, True),
        ({"egress": [{"toEntities": ["world"], "toPorts": [{"ports": [{"port": "53"}]}]}]}, False),
        ({"egress": [{"toEntities": ["world"]}], "endpointSelector": {"matchLabels": {"k8s:io.kubernetes.pod.namespace": "scalr"}}}, True),
        ({"egress": [{"toEntities": ["world"]}], "endpointSelector": {"matchLabels": {"k8s:app": "another"}}}, False),
        ({"egress": [{"toEntities": ["world"]}], "enableDefaultDeny": {"egress": False}}, True),
        ({"egress": [{"toEntities": ["world"]}], "egressDeny": [{"toEntities": ["all"]}]}, False),
        ({"egress": [{"toEntities": ["world"]}], "egressDeny": [{"toCIDR": ["0.0.0.0/0", "::/0"]}]}, False),
        ({"egress": [{"toEntities": ["world"]}], "egressDeny": [{"toEntities": ["all"], "toPorts": [{"ports": [{"port": "22"}]}]}]}, True),
        ({"egress": object()}, False),
        ({"egress": [{"toCIDR": [object()]}]}, False),
        ({"egress": [{"toEntities": ["world"]}], "egressDeny": object()}, False),
        ({"egress": [{"toEntities": ["world"]}], "egressDeny": [{"toCIDRSet": object()}]}, False),
        ({"egress": [{"toEntities": ["world"]}], "endpointSelector": object()}, False),
    ],
)
def test_policies_of_both_kinds_add_up(spec: dict[str, Any], *, opens: bool) -> None:
    """As in Cilium: what one allows is open although the other does not allow it, and a denial beats both."""
    messages = broken(with_cilium(**spec)).get("closed-metadata-service", [])
    assert ["CiliumNetworkPolicy scalr/added opens" in message for message in messages] == [True] * opens


def test_rules_of_cilium_in_a_list_count() -> None:
    stack = with_cilium()
    inputs = {**CILIUM, "specs": [{**ALL_PODS, "egress": [{"toEntities": ["world"]}]}]}
    assert broken([*stack[:-1], stack[-1]._replace(inputs=inputs)]).keys() == {"closed-metadata-service"}


@pytest.mark.parametrize(
    ("spec", "restricts"),
    [
        ({"egress": [{}]}, True),
        ({"egressDeny": [{"toEntities": ["all"]}]}, True),
        ({"egress": [{}], "enableDefaultDeny": {"egress": False}}, False),
        ({"enableDefaultDeny": {"egress": True}}, True),
        ({"ingress": [{}]}, False),
    ],
)
def test_policies_of_cilium_restrict_pods(spec: dict[str, Any], *, restricts: bool) -> None:
    stack = [each for each in with_cilium(**spec) if each.what != "NetworkPolicy"]
    assert (broken(stack) == {}) == restricts


def test_policies_of_other_programs_are_not_read() -> None:
    """Calico's have the name of those of Kubernetes, and other fields."""
    token = "kubernetes:projectcalico.org/v3:NetworkPolicy"
    added = Resource(f"urn:pulumi:dev::program::{token}::added", token, {**CILIUM, "spec": {"selector": "app == 'other'", "egress": [{}]}})
    assert broken([*runs(), added]) == {}


def test_in_cilium_denials_count() -> None:
    network = {"egress": {"enforcedBy": "cilium"}}
    stack = resources(common={"url": "https://acme.scalr.io", "network": network}, agents={"runs": agent()})
    everywhere: dict[str, Any] = {"egress": [{"toEntities": ["world"]}]}
    assert broken(changed(stack, "CiliumNetworkPolicy", spec=everywhere)) == {}
    assert broken(changed(stack, "CiliumNetworkPolicy", spec={**everywhere, "egressDeny": []})).keys() == {"closed-metadata-service"}


def test_pods_with_unknown_labels_are_judged_when_these_are_known() -> None:
    template = {"jobTemplate": {"spec": {"template": {"metadata": object()}}}}
    assert broken(changed(runs(), "AgentTaskTemplate", spec=template)) == {}
