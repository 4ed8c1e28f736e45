"""A StatefulSet of agents: its claims, which are no objects of the stack, and its pods."""

from typing import Any

import pytest
from scalr_agents.doctor import dry_run, permissions
from scalr_agents.doctor.needs import Needs
from scalr_agents.model.manifests import Key
from scalr_agents.stack import graph

from tests.doctor.clusters import claim, found, ready, volume
from tests.helpers import samples

CLAIM = Key("PersistentVolumeClaim", "scalr", "cache-dir-vcs-agent-local-0")
CACHE = {"enabled": True, "persistentVolumeClaim": {"storageClassName": "fast"}}
AGENT = {
    "kind": "agent-local",
    "namespace": "scalr",
    "agentVersion": "1.4.0",
    "values": {"workload": {"kind": "StatefulSet"}, "persistence": {"cache": CACHE}, "allowMetadataService": False},
}


def needs_of() -> Needs:
    return Needs.of(samples.load({"common": {"url": samples.URL}, "namespaces": {"scalr": {}}, "agents": {"vcs": AGENT}}))


def test_a_ready_cluster_has_no_findings() -> None:
    assert found(needs_of(), ready(needs_of())) == []


def test_claims_are_no_references() -> None:
    needs = needs_of()
    assert needs.references == []
    assert list(needs.claims) == [CLAIM]
    assert CLAIM not in needs.own


@pytest.mark.parametrize(
    ("facts", "count"),
    [
        ({"classes": []}, 1),
        ({"classes": [], "volumes": [volume("fast")]}, 0),
        ({"classes": [], "contents": {CLAIM: claim("Bound")}}, 0),
    ],
)
def test_the_class_of_claims_must_exist(facts: dict[str, Any], count: int) -> None:
    message = "claim scalr/cache-dir-vcs-agent-local-0: its storage class fast does not exist, and no volume is free for it"
    assert [message in finding for finding in found(needs_of(), ready(needs_of(), **facts))] == count * [True]


def test_permissions() -> None:
    allowed = {(each.verb, each.what) for each in permissions.needed(needs_of()) if each.namespace == "scalr"}
    assert {(verb, "statefulsets.apps") for verb in ("create", "get", "list", "watch", "patch", "delete")} <= allowed
    assert {("watch", "pods")} <= allowed
    assert not {("watch", "replicasets.apps"), ("create", "persistentvolumeclaims")} & allowed


def test_its_pods_are_submitted_with_their_claims() -> None:
    needs = needs_of()
    planned, left_out = dry_run.planned(needs, ready(needs))
    submitted = {each.subject: each.manifest for each in planned}
    assert left_out == {}
    assert "StatefulSet scalr/vcs-agent-local" in submitted
    pod = submitted["pods of agent vcs"]
    [owner] = pod["metadata"]["ownerReferences"]
    assert (owner["apiVersion"], owner["kind"], owner["name"]) == ("apps/v1", "StatefulSet", "vcs-agent-local")
    volumes = {volume["name"]: volume for volume in pod["spec"]["volumes"]}
    assert volumes["cache-dir"] == {"name": "cache-dir", "persistentVolumeClaim": {"claimName": CLAIM.name}}
    assert {mount["name"] for mount in pod["spec"]["containers"][0]["volumeMounts"]} == set(volumes)


def test_the_picture_shows_the_claim_of_the_first_agent() -> None:
    picture = graph.of(needs_of().stack)
    assert [(edge.source, edge.target) for edge in picture.edges if edge.kind == "mounts"] == [
        ("pods vcs/agent", f"claim scalr/{CLAIM.name}")
    ]
