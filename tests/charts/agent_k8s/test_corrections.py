"""Corrections of the chart of agent-k8s."""

import json
from typing import Any

import pytest
from scalr_agents import charts
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.model.maps import merge

from tests.helpers.agent_job import nested
from tests.helpers.agent_k8s import EFS, FULL, MINIMUM, SECRETS, WORKLOADS, decoded, objects
from tests.helpers.pods import container, environment, pod

SELECTOR = {"app.kubernetes.io/name": "agent-k8s", "app.kubernetes.io/instance": "runs"}
COMPONENT = "app.kubernetes.io/component"
ARN = {"eks.amazonaws.com/role-arn": "arn:aws:iam::111122223333:role/runs"}


def _objects(given: dict[str, Any], **more: Any) -> dict[str, dict[str, Any]]:
    return objects(merge(MINIMUM, given), **more)


def test_controller_and_workers_have_selectors_of_their_own() -> None:
    made = objects(FULL)
    for role, component in zip(WORKLOADS, ("controller", "worker"), strict=True):
        own = {**SELECTOR, COMPONENT: component}
        assert made[role]["spec"]["selector"]["matchLabels"] == own
        assert pod(made, role)["metadata"]["labels"] == own
    assert made["egress"]["spec"]["podSelector"]["matchLabels"] == SELECTOR


def test_two_releases_do_not_collide() -> None:
    def identities(release: str, namespace: str) -> set[tuple[str, str, str]]:
        made = charts.render("agent-k8s", FULL, release=release, namespace=namespace)
        return {(one["kind"], one["metadata"].get("namespace", ""), one["metadata"]["name"]) for one in made}

    first = identities("runs", "scalr")
    assert len(first) == 10
    assert not first & identities("more", "scalr")
    assert not first & identities("runs", "other")


def test_cluster_scoped_objects_have_no_namespace() -> None:
    made = objects(FULL, SECRETS)
    assert {role for role, manifest in made.items() if "namespace" not in manifest["metadata"]} == {"storage-class", "volume"}


def test_the_volume_is_reserved_for_its_claim() -> None:
    made = objects(FULL)
    claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "name": "runs-agent-k8s-data", "namespace": "scalr"}
    assert made["volume"]["spec"]["claimRef"] == claim
    assert made["claim"]["spec"]["volumeName"] == made["volume"]["metadata"]["name"]


@pytest.mark.parametrize(
    ("account", "made", "name"),
    [
        ({}, ["service-account", "role", "role-binding"], "runs-agent-k8s"),
        ({"create": False, "name": "brought"}, ["role", "role-binding"], "brought"),
        ({"create": False}, [], "default"),
    ],
)
def test_an_existing_account_gets_the_role(account: dict[str, Any], made: list[str], name: str) -> None:
    rendered = _objects({"serviceAccount": account})
    assert [role for role in rendered if role in ("service-account", "role", "role-binding")] == made
    assert {pod(rendered, role)["spec"]["serviceAccountName"] for role in WORKLOADS} == {name}
    if made:
        assert rendered["role-binding"]["subjects"] == [{"kind": "ServiceAccount", "name": name, "namespace": "scalr"}]


def test_labels_of_the_account() -> None:
    assert _objects({"serviceAccount": {"labels": {"team": "platform"}}})["service-account"]["metadata"]["labels"]["team"] == "platform"


def test_the_default_data_home_warns() -> None:
    def found(given: dict[str, Any]) -> list[str]:
        return [finding.path for finding in charts.check("agent-k8s", merge(MINIMUM, given), release="runs", namespace="scalr")]

    assert "agent.data_home" in found({})
    assert "agent.data_home" not in found(nested("agent.data_home", "/var/lib/runs"))
    assert "agent.data_home" not in found({"efsVolumeHandle": EFS})


def test_component_annotations_override_pod_annotations() -> None:
    given = {
        "podAnnotations": {"a": "all", "b": "all"},
        "controllerPodAnnotations": {"a": "controller"},
        "workerPodAnnotations": {"a": "worker"},
    }
    made = _objects(given)
    found = [{key: pod(made, role)["metadata"]["annotations"].get(key) for key in "ab"} for role in WORKLOADS]
    assert found == [{"a": "controller", "b": "all"}, {"a": "worker", "b": "all"}]


def test_the_network_policy_covers_run_pods() -> None:
    made = _objects({"restrictMetadataService": True, "agent": {"kubernetes_task_labels": {"team": "platform", COMPONENT: "worker"}}})
    labels = json.loads(decoded(environment(made, "deployment")["SCALR_AGENT_KUBERNETES_TASK_LABELS"]))
    assert labels == {"team": "platform", **SELECTOR, COMPONENT: "task"}
    policy = made["egress"]["spec"]
    assert policy["podSelector"]["matchLabels"].items() <= labels.items()
    for role in WORKLOADS:
        assert not made[role]["spec"]["selector"]["matchLabels"].items() <= labels.items()
    everywhere, *_ = policy["egress"][2]["to"]
    assert everywhere == {
        "ipBlock": {"cidr": "0.0.0.0/0", "except": ["169.254.0.0/16", "168.63.129.16/32", "100.100.100.200/32", "100.96.0.96/32"]}
    }


def test_own_secret_has_key_token_and_no_annotations() -> None:
    made = _objects({"agent": {"tokenExistingSecretKey": "custom"}, "serviceAccount": {"annotations": ARN}})
    assert made["token-secret"]["stringData"] == {"token": "s3cr3t-token"}
    assert "annotations" not in made["token-secret"]["metadata"]
    assert made["service-account"]["metadata"]["annotations"] == ARN
    for role in WORKLOADS:
        token = next(variable for variable in container(made, role)["env"] if variable["name"] == "SCALR_AGENT_TOKEN")
        assert token["valueFrom"]["secretKeyRef"] == {"name": "runs-agent-k8s", "key": "token", "optional": False}


def test_pods_roll_when_a_secret_changes() -> None:
    def digests(given: dict[str, Any], inputs: Inputs | None = None) -> list[Any]:
        made = _objects(given, inputs=inputs)
        return [pod(made, role)["metadata"].get("annotations", {}).get("checksum/secrets") for role in WORKLOADS]

    first = digests({})
    assert first[0] == first[1] is not None
    assert digests({"agent": {"debug": True}}) == first
    assert digests({"agent": {"token": "another"}}) != first
    assert digests({}, SECRETS) != first
    assert digests({"agent": {"token": None, "tokenExistingSecret": "pool"}}) == [None, None]
