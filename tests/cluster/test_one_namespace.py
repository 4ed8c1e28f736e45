"""A team with one namespace deploys agents there; the owner of the cluster creates cluster-scoped objects."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from scalr_agents import stack
from scalr_agents.model.findings import errors

from tests.cluster import accounts, agents, definitions
from tests.cluster.client import ApiError, Client, Manifest, Manifests, wait

_APPLY = ["create", "delete", "get", "patch"]
"""Verbs to apply and delete objects."""
KINDS = {
    "AgentTask": ("scalr.io", "atasks"),
    "AgentTaskTemplate": ("scalr.io", "agenttasktemplates"),
    "DaemonSet": ("apps", "daemonsets"),
    "Deployment": ("apps", "deployments"),
    "NetworkPolicy": ("networking.k8s.io", "networkpolicies"),
    "PersistentVolumeClaim": ("", "persistentvolumeclaims"),
    "PodDisruptionBudget": ("policy", "poddisruptionbudgets"),
    "Role": (accounts.RBAC, "roles"),
    "RoleBinding": (accounts.RBAC, "rolebindings"),
    "Secret": ("", "secrets"),
    "ServiceAccount": ("", "serviceaccounts"),
    "StatefulSet": ("apps", "statefulsets"),
}
"""Resources that agents need in their namespace, by kind: group and resource."""
_OWN_RULES = [{"apiGroups": [group], "resources": [resource], "verbs": _APPLY} for group, resource in KINDS.values()]
_OF_THE_CLUSTER = ["ClusterRole", "ClusterRoleBinding"]


def _stack(namespace: str, *, team: bool) -> Manifests:
    """The team's agents, of all kinds; or, of those of agent-job, what a stack with all permissions would have."""
    job = {"rbac": {"clusterRules": []} if team else {}, "agent": {"replicaCount": 2}, "persistence": {"data": {"enabled": True}}}
    entries: dict[str, dict[str, Any]] = {
        "job-legacy": {"kind": "agent-job", "values": job},
        "job-current": {"kind": "agent-job", "values": job, "agentVersion": "1.4.0"},
    }
    if team:
        entries["local"] = {"kind": "agent-local", "values": {"serviceAccount": {"create": True}}}
        entries["stateful"] = {"kind": "agent-local", "agentVersion": "1.4.0", "values": {"workload": {"kind": "StatefulSet"}}}
        entries["pods"] = {"kind": "agent-k8s"}
    config = {
        "kubernetes": {"crds": "expect" if team else "install"},
        "common": {"url": agents.URL},
        "agents": {name: {"namespace": namespace, **entry} for name, entry in entries.items()},
        "secrets": {name: {"token": agents.TOKEN} for name in entries},
    }
    loaded = stack.load(config, directory=Path())
    assert errors(loaded.findings) == []
    return agents.objects(loaded)


@pytest.fixture
def team(cluster: Client, namespace: str) -> Iterator[Client]:
    """The team's credential: its Role applies the kinds above. The Roles of its agents may grant only what the team has."""
    definitions.install_all(cluster)
    granted = [rule for manifest in _stack(namespace, team=True) if manifest["kind"] == "Role" for rule in manifest["rules"]]
    with cluster.as_(accounts.team(cluster, namespace, [*_OWN_RULES, *granted])) as client:
        wait(lambda: client.may("patch", "secrets", namespace), "the team's Role")
        yield client


def test_a_team_deploys_agents_with_a_credential_for_its_namespace(cluster: Client, team: Client, namespace: str) -> None:
    owned_elsewhere = [manifest for manifest in _stack(namespace, team=False) if manifest["kind"] not in KINDS]
    assert [manifest["kind"] for manifest in owned_elsewhere] == ["CustomResourceDefinition"] * 2 + _OF_THE_CLUSTER * 2
    agents.apply(cluster, owned_elsewhere)
    objects = _stack(namespace, team=True)
    assert {manifest["kind"] for manifest in objects} == set(KINDS)
    assert {manifest["metadata"]["namespace"] for manifest in objects} == {namespace}

    assert len(agents.apply(team, objects)) == len(objects)
    agents.wait_for_rollout(cluster, objects)
    for account, resource in {"job-legacy-agent-job": "atasks", "job-current-scalr-agent": "agenttasktemplates"}.items():
        with cluster.as_(cluster.token(namespace, account)) as controller:
            assert controller.may("watch", resource, namespace, group="scalr.io")
            assert controller.may("create", "jobs", namespace, group="batch")


def test_a_team_cannot_grant_permissions_it_lacks(cluster: Client, team: Client, namespace: str) -> None:
    cluster.patch("Role", "team", namespace, {"rules": _OWN_RULES})
    wait(lambda: not team.may("create", "jobs", namespace, group="batch"), "a narrower Role")
    refusal = _refusal(team, _first(_stack(namespace, team=True), "Role"))
    assert refusal.startswith("403: ")
    assert "attempting to grant RBAC permissions not currently held" in refusal
    assert '{APIGroups:["batch"], Resources:["jobs"]' in refusal


def test_a_team_needs_every_listed_permission(cluster: Client, team: Client, namespace: str) -> None:
    """Without the permission for a kind, its objects are refused."""
    cluster.patch("Role", "team", namespace, {"rules": []})
    wait(lambda: not team.may("patch", "secrets", namespace), "a narrower Role")
    objects = _stack(namespace, team=True)
    for kind, (group, resource) in KINDS.items():
        expected = f'cannot patch resource "{resource}" in API group "{group}" in the namespace "{namespace}"'
        assert expected in _refusal(team, _first(objects, kind))


def _first(objects: Manifests, kind: str) -> Manifest:
    return next(manifest for manifest in objects if manifest["kind"] == kind)


def _refusal(client: Client, manifest: Manifest) -> str:
    with pytest.raises(ApiError) as refused:
        client.apply(manifest)
    return str(refused.value)
