"""Each promise is kept by the stacks that the components make, and broken by the change that it is about."""

import base64
import gzip
import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from scalr_agents.model.merge import merge
from scalr_agents.promises import PROMISES, checked
from scalr_agents.promises.resources import Resource

from tests.helpers.programs import REPOSITORY, TOKEN
from tests.promises.stacks import EC2, EFS, GCE, agent, broken, changed, resources

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
        assert f"closes {wanted} to its pods" in found["closed-metadata-service"][0]


@pytest.mark.parametrize(
    "fields",
    [
        {"metadata": {"namespace": "elsewhere"}},
        {"spec": {"podSelector": {"matchLabels": {"app.kubernetes.io/instance": "another"}}}},
        {"spec": {"podSelector": {"matchExpressions": [{"key": "a", "operator": "Exists"}]}}},
        {"spec": {"policyTypes": ["Ingress"]}},
    ],
)
def test_policies_that_do_not_restrict_the_pods_do_not_count(fields: dict[str, Any]) -> None:
    assert broken(changed(runs(), "NetworkPolicy", **fields)).keys() == {"closed-metadata-service"}


def test_in_cilium_denials_count() -> None:
    network = {"egress": {"enforcedBy": "cilium"}}
    stack = resources(common={"url": "https://acme.scalr.io", "network": network}, agents={"runs": agent()})
    assert broken(changed(stack, "CiliumNetworkPolicy", spec={"egressDeny": []})).keys() == {"closed-metadata-service"}


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
        ("LaunchTemplate", {"userData": "no base64"}, ""),
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
    assert broken([made])["no-plain-tokens"] == [
        "ConfigMap settings: the secret in key 'api_token' is in plain text. Move it into a Secret.",
        "ConfigMap settings: the secret in key 'more' is in plain text. Move it into a Secret.",
    ]


def test_excepted_namespaces_are_not_judged() -> None:
    """Only where a promise knows exceptions: nothing excuses a secret in plain text."""
    values = {
        "task": {"allowMetadataService": True},
        "agent": {"extraEnv": {"SCALR_AGENT_TOKEN": SECRET}, "controller": {"securityContext": {"allowPrivilegeEscalation": True}}},
    }
    stack = resources(agents={"one": agent(values=values), "two": agent(), "vcs": agent("agent-local")})
    excepted = {"exceptNamespaces": ["scalr"]}
    assert broken(stack).keys() == {promise.name for promise in PROMISES if promise.has_exceptions} | {"no-plain-tokens"}
    assert broken(stack, excepted).keys() == {"no-plain-tokens"}
    assert broken(stack, {"exceptNamespaces": ["other"]}) == broken(stack)


def test_only_promises_of_other_kinds_are_advice() -> None:
    assert [promise.name for promise in PROMISES if not promise.mandatory] == ["closed-metadata-service-of-other-kinds"]


def test_the_page_lists_all_policies() -> None:
    page = (REPOSITORY / "docs" / "policy-pack.md").read_text(encoding="utf-8")
    levels = dict(re.findall(r"^\| `([\w-]+)` \| (\w+) \|", page, re.MULTILINE))
    assert levels == {promise.name: "mandatory" if promise.mandatory else "advisory" for promise in PROMISES}
    [sentence] = re.findall(r"^All policies but (.*) accept namespaces", page, re.MULTILINE)
    assert set(re.findall(r"`([\w-]+)`", sentence)) == {promise.name for promise in PROMISES if not promise.has_exceptions}
    [together] = re.findall(r"^- Policies that judge several resources together \((.*)\)", page, re.MULTILINE)
    assert set(re.findall(r"`([\w-]+)`", together)) == {promise.name for promise in PROMISES if promise.whole_stack}


@pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: promise.name)
def test_any_inputs_are_judged(promise: Any) -> None:
    """Policies see whatever a program registers, also what is no valid object, or is not known yet."""
    above = "scalr-agents:index:AgentJob"
    types = {each.type for each in resources(caches=EFS, agents={"runs": agent(cache="web")}, machines={"a": EC2, "g": GCE})}
    for token in types:
        for value in (None, object(), [], [None], {}, "text", 1.5):
            shapes: list[dict[str, Any]] = [
                {},
                {"metadata": value},
                {"spec": value},
                {"metadata": {"namespace": value, "labels": value, "annotations": value}},
            ]
            shapes += [{"spec": {"template": {"metadata": value, "spec": {"containers": [value, {"env": value}], "volumes": value}}}}]
            shapes += [{"metadataOptions": value, "userData": value, "encrypted": value, "policy": value}]
            shapes += [merge({"spec": {"podSelector": {}, "policyTypes": value}}, {"spec": {"egress": value, "csi": value}})]
            for inputs in shapes:
                checked(promise, [Resource(f"urn:pulumi:dev::p::{above}${token}::it", token, inputs)], {})
