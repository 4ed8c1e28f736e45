"""Each promise is kept by the stacks that the components make, and broken by the change that it is about."""

import base64
import copy
import functools
import gzip
import json
import re
from collections.abc import Callable, Iterator
from typing import Any, cast

import pytest
import scalr_agents
from hypothesis import given, settings
from hypothesis import strategies as st
from scalr_agents.promises import EXCEPTIONS, PROMISES
from scalr_agents.promises.resources import KINDS, Resource
from scalr_agents.resources.arguments import AgentJobArgs

from tests.helpers.programs import REPOSITORY, TOKEN
from tests.helpers.recording import run
from tests.promises.stacks import EC2, EFS, GCE, agent, broken, changed, resources, seen

LABELS = "app.kubernetes.io"
SECRET = "ghp_0123456789abcdefghij"
CLOSED_LOCAL = agent(
    "agent-local", namespace="vcs", role="vcs", values={"allowMetadataService": False}, nodes={"selector": {"pool": "vcs"}}
)
WHOLE = "Remove the value or the transformation that changes the security of these pods."


def runs(**words: Any) -> list[Resource]:
    return resources(agents={"runs": agent(**words)})


@pytest.mark.parametrize("version", ["0.57.0", "1.4.0"])
def test_agents_and_caches_keep_all_promises(version: str) -> None:
    stack = resources(
        caches=EFS,
        agents={"runs": agent(cache="web", agentVersion=version, nodes={"selector": {"pool": "runs"}}), "vcs": CLOSED_LOCAL},
    )
    assert broken(stack) == {}


@pytest.mark.parametrize(
    "egress", [{"enforcedBy": "cilium"}, {"enforcedBy": "gke"}, {"enforcedBy": "kubernetes", "only": [{"cidr": "10.0.0.0/8"}]}]
)
def test_closed_networks_keep_all_promises(egress: dict[str, Any]) -> None:
    common = {"url": "https://acme.scalr.io", "network": {"egress": egress}, "proxy": {"https": "http://10.0.0.1:3128"}}
    assert broken(resources(common=common, agents={"runs": agent()})) == {}


@pytest.mark.parametrize("role", ["runs", "vcs"])
def test_machines_keep_all_promises(role: str) -> None:
    assert broken(resources(machines={"aws": {**EC2, "role": role}, "gcp": {**GCE, "role": role}})) == {}


def test_resources_of_others_are_not_judged() -> None:
    """A policy of a program's own resources is for the program's owner to write."""
    stack = [
        each._replace(urn=each.urn.replace("scalr-agents:index:", "acme:index:"))
        for each in resources(agents={"runs": agent(values={"task": {"allowMetadataService": True}})}, machines={"m": EC2})
    ]
    assert broken(stack) == {}


@pytest.mark.parametrize(
    ("make", "name", "message"),
    [
        (
            lambda: runs(values={"task": {"allowMetadataService": True}}),
            "closed-metadata-service",
            (
                "AgentTaskTemplate scalr/runs-scalr-agent-task-template: no NetworkPolicy closes the metadata services to its pods. "
                "Remove task.allowMetadataService: true, or list the namespace in exceptNamespaces."
            ),
        ),
        (
            lambda: resources(agents={"vcs": agent("agent-local")}),
            "closed-metadata-service-of-other-kinds",
            (
                "Deployment scalr/vcs-agent-local: no NetworkPolicy closes the metadata services to its pods. "
                "Set allowMetadataService: false, or list the namespace in exceptNamespaces."
            ),
        ),
        (
            lambda: resources(machines={"m": {**EC2, "allowMetadataService": True}}),
            "closed-metadata-service-of-machines",
            (
                "LaunchTemplate m-launch-template: containers reach the metadata service: it must require tokens and answer over one hop "
                "only. Remove allowMetadataService: true, and transformations of metadataOptions."
            ),
        ),
        (
            lambda: resources(machines={"m": {**GCE, "allowMetadataService": True}}),
            "closed-metadata-service-of-machines",
            (
                "InstanceTemplate m-template: containers reach the metadata service: the user data has no rule that blocks it. "
                "Remove allowMetadataService: true, and transformations of the user data."
            ),
        ),
        (
            lambda: runs(values={"agent": {"controller": {"securityContext": {"allowPrivilegeEscalation": True}}}}),
            "restricted-pods",
            f"Deployment scalr/runs-scalr-agent: container 'controller' does not set allowPrivilegeEscalation to false. {WHOLE}",
        ),
        (
            lambda: runs(values={"agent": {"extraEnv": {"SCALR_AGENT_TOKEN": SECRET}}}),
            "no-plain-tokens",
            (
                "Deployment scalr/runs-scalr-agent: variable SCALR_AGENT_TOKEN of container 'controller' is in plain text. "
                "Set it as a secret, so that the pod reads it from a Secret."
            ),
        ),
        (
            lambda: resources(agents={"one": agent(), "two": agent()}),
            "namespace-per-agent",
            (
                "Deployment scalr/two-scalr-agent: agent 'two' shares namespace 'scalr' with agent 'one', so that each can act "
                "as the other. Give each agent a namespace of its own, or list this one in exceptNamespaces."
            ),
        ),
    ],
)
def test_values_that_break_a_promise(make: Callable[[], list[Resource]], name: str, message: str) -> None:
    found = broken(make())
    assert message in found[name]
    assert found.keys() == {name}
    assert SECRET not in json.dumps(found)
    assert TOKEN not in json.dumps(found)


def test_a_controller_alone_is_judged() -> None:
    """In programs that use the parts of `AgentJob`."""
    controller = {"securityContext": {"allowPrivilegeEscalation": True}}
    values = {"task": {"allowMetadataService": True}, "agent": {"extraEnv": {"SCALR_AGENT_TOKEN": SECRET}, "controller": controller}}
    args = {"namespace": "scalr", "url": "https://acme.scalr.io", "token": TOKEN, "values": values}

    def program() -> None:
        for name in ("one", "two"):
            scalr_agents.AgentController(name, cast(AgentJobArgs, args))

    mandatory = {"closed-metadata-service", "restricted-pods", "no-plain-tokens"}
    assert broken(list(seen(run(program)))).keys() == mandatory | {"namespace-per-agent"}


def test_every_component_with_pods_has_a_kind() -> None:
    classes = {name for name in scalr_agents.__all__ if name.startswith("Agent") and not name.endswith(("Args", "Values"))}
    assert classes == KINDS.keys() | {"AgentCrds", "AgentNetworkPolicy", "AgentRbac"}


def test_agent_k8s_is_reported_where_it_can_be_closed() -> None:
    """Its pods are not restricted, by design; SECURITY.md says so, and no policy asks for it."""
    stack = {"closed": resources(agents={"old": agent("agent-k8s", values={"restrictMetadataService": True})})}
    stack["open"] = resources(agents={"old": agent("agent-k8s")})
    found = {name: broken(each) for name, each in stack.items()}
    assert found["closed"] == {}
    assert found["open"].keys() == {"closed-metadata-service-of-other-kinds"}
    assert "DaemonSet scalr/old-agent-k8s-worker" in str(found["open"])
    assert "restrictMetadataService: true" in str(found["open"])


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


def test_clusters_are_apart() -> None:
    """Agents of the same namespace in two clusters do not meet, and a policy closes nothing in the other cluster."""
    stack = resources(agents={"one": agent(), "two": agent()})
    assert broken(stack).keys() == {"namespace-per-agent"}
    apart = [each._replace(provider="urn:two" if "two-" in each.urn else "urn:one") for each in stack]
    assert broken(apart) == {}
    moved = [each._replace(provider="urn:three") if each.what == "NetworkPolicy" else each for each in apart]
    assert broken(moved).keys() == {"closed-metadata-service"}


def denial(**fields: Any) -> str:
    """A policy of a file system that denies mounts, with other fields than its usual ones."""
    usual = {"Effect": "Deny", "Principal": {"AWS": "*"}, "Action": "elasticfilesystem:Client*"}
    return json.dumps({"Statement": [{**usual, "Condition": {"Null": {POINT: "true"}}, **fields}]})


POINT = "elasticfilesystem:AccessPointArn"
DENIALS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("", {}),
    ("", {"Principal": "*", "Action": ["elasticfilesystem:ClientRootAccess", "elasticfilesystem:clientmount"]}),
    ("", {"Condition": {"ArnNotLike": {POINT.lower(): ["arn:aws:elasticfilesystem:eu-west-1:111122223333:access-point/*"]}}}),
    ("open", {"Condition": {"Null": {POINT: "false"}}}),
    ("open", {"Condition": {"StringLike": {POINT: "*"}}}),
    ("open", {"Condition": {"Null": {POINT: "true", "aws:SourceVpc": "false"}}}),
    ("open", {"Condition": {"Null": {POINT: "true"}, "Bool": {"aws:SecureTransport": "false"}}}),
    ("open", {"Condition": {}}),
    ("open", {"Action": "elasticfilesystem:ClientRootAccess"}),
    ("open", {"Principal": {"AWS": "arn:aws:iam::111122223333:role/driver"}}),
    ("open", {"Effect": "Allow"}),
)


def test_in_cilium_denials_count() -> None:
    network = {"egress": {"enforcedBy": "cilium"}}
    stack = resources(common={"url": "https://acme.scalr.io", "network": network}, agents={"runs": agent()})
    everywhere: dict[str, Any] = {"egress": [{"toEntities": ["world"]}]}
    assert broken(changed(stack, "CiliumNetworkPolicy", spec=everywhere)) == {}
    assert broken(changed(stack, "CiliumNetworkPolicy", spec={**everywhere, "egressDeny": []})).keys() == {"closed-metadata-service"}


@pytest.mark.parametrize(
    ("what", "fields", "problem"),
    [
        (
            "PersistentVolume",
            {"spec": {"csi": {"volumeHandle": "fs-0123456789"}}},
            "mounts the whole file system fs-0123456789, as any user",
        ),
        ("FileSystem", {"encrypted": False}, "is not encrypted at rest"),
        ("FileSystemPolicy", {"policy": json.dumps({"Statement": [{"Effect": "Allow"}]})}, "lets clients mount without an access point"),
        ("FileSystemPolicy", {"policy": json.dumps({"Statement": {"Effect": "Deny"}})}, "lets clients mount without an access point"),
        *(
            ("FileSystemPolicy", {"policy": denial(**fields)}, problem and "lets clients mount without an access point")
            for problem, fields in DENIALS
        ),
        ("PersistentVolume", {"spec": {"csi": {"volumeHandle": "fs-01:/web:fsap-01"}}}, ""),
        ("PersistentVolume", {"spec": {"csi": {"volumeHandle": "fs-01:/web"}}}, "mounts the whole file system fs-01:/web, as any user"),
        ("PersistentVolume", {"spec": {"csi": {"volumeHandle": "fs-01:fsap-01"}}}, "mounts the whole file system fs-01:fsap-01"),
        ("FileSystemPolicy", {"policy": "{"}, "lets clients mount without an access point"),
        ("FileSystem", {"encrypted": object()}, ""),
        ("FileSystemPolicy", {"policy": object()}, ""),
        ("PersistentVolume", {"spec": {"csi": {"volumeHandle": object()}}}, ""),
    ],
)
def test_caches(what: str, fields: dict[str, Any], problem: str) -> None:
    stack = changed(resources(caches=EFS, agents={"runs": agent(cache="web")}), what, **fields)
    found = broken(stack)
    assert found.keys() == ({"caches-with-access-points"} if problem else set())
    assert problem in str(found)


def user_data(text: str, *, zipped: bool = False) -> str:
    return base64.b64encode(gzip.compress(text.encode()) if zipped else text.encode()).decode()


WRAPPED = "\n".join(re.findall(".{1,20}", user_data(f"#!/bin/sh\nexport API_TOKEN={SECRET}\n")))
"""As `base64` prints it."""


@pytest.mark.parametrize(
    ("what", "fields", "place"),
    [
        ("Deployment", {"metadata": {"annotations": {"note": f"token: {SECRET}"}}}, "the secret in annotation 'note'"),
        (
            "AgentTaskTemplate",
            {"spec": {"jobTemplate": {"spec": {"template": {"metadata": {"annotations": {"note": SECRET}}}}}}},
            "the secret in annotation of the pods 'note'",
        ),
        ("LaunchTemplate", {"userData": user_data(f"#!/bin/sh\nexport API_TOKEN={SECRET}\n")}, "line 2 of the user data"),
        ("LaunchTemplate", {"userData": user_data(f"a\nb\n  {SECRET}\n", zipped=True)}, "line 3 of the user data"),
        *(
            ("LaunchTemplate", {"userData": user_data(f"#!/bin/sh\n{line}\n")}, "line 2 of the user data")
            for line in (
                "docker run -e API_TOKEN=hunter2 acme/tool",
                'docker run "--env=api_token=hunter2" acme/tool',
                "curl https://example.com/?api_key=hunter2",
                "tool --password='hunter2 & more'",
                "  - api-token: hunter2  # of the tool",
                "password = hunter2",
                '{"user": "a", "dbPassword": "hunter2"}',
            )
        ),
        *(
            ("LaunchTemplate", {"userData": user_data(f"#!/bin/sh\n{line}\n")}, "")
            for line in (
                'API_TOKEN=$(cat /run/token) API_SECRET=$SECRET PASSWORD="$1"',
                "curl -H 'X-aws-ec2-metadata-token-ttl-seconds: 60'",
                '{"Authorization": f"Bearer {token}"}',
                "def sign(token: str, key: bytes) -> str:",
                "echo 'the key: use another one'",
                "gpgkey=https://example.com/gpg USE_TOKEN=true",
            )
        ),
        ("LaunchTemplate", {"userData": WRAPPED}, "line 2 of the user data"),
        ("LaunchTemplate", {"userData": "no base64"}, ""),
        ("LaunchTemplate", {"userData": "nötig"}, ""),
        ("LaunchTemplate", {"userData": base64.b64encode(gzip.compress(b"text" * 99)[:12] + b"\xff" * 9).decode()}, ""),
        ("LaunchTemplate", {"userData": object()}, ""),
        ("InstanceTemplate", {"metadata": {"startup": "", "user-data": "X_PASSWORD='hunter2'"}}, "line 1 of the user data"),
    ],
)
def test_secrets_in_plain_text(what: str, fields: dict[str, Any], place: str) -> None:
    stack = changed(resources(agents={"runs": agent()}, machines={"aws": EC2, "gcp": GCE}), what, **fields)
    found = broken(stack).get("no-plain-tokens", [])
    assert [place in message for message in found] == ([True] if place else [])
    assert SECRET not in str(found)
    assert "hunter2" not in str(found)


def test_secrets_in_config_maps_are_found() -> None:
    [network_policy] = [each for each in runs() if each.what == "NetworkPolicy"]
    made = network_policy._replace(
        type="kubernetes:core/v1:ConfigMap",
        inputs={"metadata": {"name": "settings"}, "data": {"api_token": "hunter2", "log": "debug", "more": f"password={SECRET}"}},
    )
    packed = made._replace(
        inputs={"metadata": {"name": "settings"}, "binaryData": {"packed": user_data(f"password={SECRET}"), "b": "/w=="}}
    )
    assert broken([made])["no-plain-tokens"] == [
        "ConfigMap settings: the secret in key 'api_token' is in plain text. Move it into a Secret.",
        "ConfigMap settings: the secret in key 'more' is in plain text. Move it into a Secret.",
    ]
    assert broken([packed])["no-plain-tokens"] == [
        "ConfigMap settings: the secret in binary key 'packed' is in plain text. Move it into a Secret.",
    ]


def test_excepted_namespaces_are_not_judged() -> None:
    """Only where a promise has such exceptions: a secret in plain text is one in every namespace."""
    values = {
        "task": {"allowMetadataService": True},
        "agent": {"extraEnv": {"SCALR_AGENT_TOKEN": SECRET}, "controller": {"securityContext": {"allowPrivilegeEscalation": True}}},
    }
    stack = resources(agents={"one": agent(values=values), "two": agent(), "vcs": agent("agent-local")})
    excepted = {"exceptNamespaces": ["scalr"]}
    known = {promise.name for promise in PROMISES if promise.exceptions == "exceptNamespaces"}
    assert broken(stack).keys() == known | {"no-plain-tokens"}
    assert broken(stack, excepted).keys() == {"no-plain-tokens"}
    assert broken(stack, {"exceptNamespaces": ["other"]}) == broken(stack)


def test_excepted_variables_are_judged_by_the_form_of_their_value() -> None:
    settings = {"TF_VAR_key_pair": "prod", "TF_VAR_partition_key": SECRET}
    stack = changed(
        resources(agents={"runs": agent(values={"agent": {"extraEnv": settings}})}, machines={"aws": EC2}),
        "LaunchTemplate",
        userData=user_data("GPG_KEY=0123abcd tool\n"),
    )
    found = {"TF_VAR_key_pair", "TF_VAR_partition_key", "line 1 of the user data"}

    def named(*excepted: str) -> set[str]:
        messages = broken(stack, {"exceptVariables": [*excepted]}).get("no-plain-tokens", [])
        return {each for each in found if each in str(messages)}

    assert named() == found
    assert named("TF_VAR_key_pair") == found - {"TF_VAR_key_pair"}
    assert named(*settings, "GPG_KEY") == {"TF_VAR_partition_key"}


def test_only_what_security_promises_is_mandatory() -> None:
    """It promises closed metadata services of agent-job only, and a namespace for each trust domain, which no resource names."""
    advice = [promise.name for promise in PROMISES if not promise.mandatory]
    assert advice == ["closed-metadata-service-of-other-kinds", "namespace-per-agent"]


def test_the_page_lists_all_policies() -> None:
    page = (REPOSITORY / "docs" / "policy-pack.md").read_text(encoding="utf-8")
    levels = dict(re.findall(r"^\| `([\w-]+)` \| (\w+) \|", page, re.MULTILINE))
    assert levels == {promise.name: "mandatory" if promise.mandatory else "advisory" for promise in PROMISES}
    for exceptions, meaning in EXCEPTIONS.items():
        [row] = re.findall(rf"^\| `{exceptions}` \| (.*) \| (.*) \|$", page, re.MULTILINE)
        assert set(re.findall(r"`([\w-]+)`", row[0])) == {promise.name for promise in PROMISES if promise.exceptions == exceptions}
        assert row[1] == meaning
    [together] = re.findall(r"^- Policies that judge several resources together \((.*)\)", page, re.MULTILINE)
    assert set(re.findall(r"`([\w-]+)`", together)) == {promise.name for promise in PROMISES if promise.whole_stack}


UNKNOWN = object()
SHAPES: list[Any] = [UNKNOWN, [], [UNKNOWN], {}, {"a": UNKNOWN}, "text", "nötig", 1.5, True, None]


@functools.cache
def real() -> list[Resource]:
    cilium = {"egress": {"enforcedBy": "cilium"}}
    common = {"url": "https://acme.scalr.io"}
    agents = {"runs": agent(cache="web"), "vcs": agent("agent-local", values={"allowMetadataService": False}, namespace="vcs")}
    stack = resources(common=common, caches=EFS, agents=agents, machines={"a": EC2, "g": GCE})
    closed = resources(common={**common, "network": cilium}, agents={"closed": agent(namespace="closed")})
    return [*stack, *(each for each in closed if each.component)]


def paths(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The paths of all that a value contains."""
    for key, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield (*path, key)
        yield from paths(item, (*path, key))


def replaced(value: Any, path: tuple[str | int, ...], other: Any) -> Any:
    """A copy with something else at a path."""
    if not path:
        return other
    copied = copy.copy(value)
    copied[path[0]] = replaced(value[path[0]], path[1:], other)
    return copied


@functools.cache
def places() -> list[tuple[int, tuple[str | int, ...]]]:
    return [(index, path) for index, each in enumerate(real()) if each.component for path in paths(each.inputs)]


@given(place=st.deferred(lambda: st.sampled_from(places())), value=st.sampled_from(SHAPES))
@settings(max_examples=100)
def test_any_inputs_are_judged(place: tuple[int, tuple[str | int, ...]], value: Any) -> None:
    """Policies see whatever a program registers, also what is no valid object, or is not known yet."""
    index, path = place
    stack = list(real())
    stack[index] = stack[index]._replace(inputs=replaced(stack[index].inputs, path, value))
    found = broken(stack)
    assert "object at 0x" not in str(found)
    if value is UNKNOWN:
        assert found == {}
