"""Accounts: of agents, as their controllers use them, and of teams with few rights."""

import itertools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import NamedTuple

from scalr_agents.model.release import Line

from tests.cluster import agents
from tests.cluster.client import Client, Manifest, Manifests, wait

RBAC = "rbac.authorization.k8s.io"
_numbers = itertools.count(1)


class Controller(NamedTuple):
    """An agent's controller, represented by its service account."""

    line: Line
    api: Client
    """The API with the rights of the account."""
    cluster: Client
    """The API with the rights of an administrator."""
    namespace: str
    elsewhere: str
    """Somebody else's namespace."""
    objects: Manifests

    @property
    def id(self) -> str:
        return agents.line_id(self.line)

    def its(self, kind: str) -> Manifest:
        """The one object of a kind that the agent has."""
        [found] = [manifest for manifest in self.objects if manifest["kind"] == kind]
        return found


def team(cluster: Client, namespace: str, rules: Sequence[Manifest] = (), *, cluster_role: str = "") -> str:
    """The token of an account `team`, which has these rules in its namespace, those of a ClusterRole, or none."""
    metadata = {"name": "team", "namespace": namespace}
    cluster.create({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata})
    if rules:
        cluster.create({"apiVersion": f"{RBAC}/v1", "kind": "Role", "metadata": metadata, "rules": list(rules)})
    if rules or cluster_role:
        role = {"apiGroup": RBAC, "kind": "ClusterRole" if cluster_role else "Role", "name": cluster_role or "team"}
        subjects = [{"kind": "ServiceAccount", **metadata}]
        cluster.create({"apiVersion": f"{RBAC}/v1", "kind": "RoleBinding", "metadata": metadata, "roleRef": role, "subjects": subjects})
    return cluster.token(namespace, "team")


@contextmanager
def at_work(cluster: Client, line: Line) -> Iterator[Controller]:
    """A controller of a line in a namespace of its own."""
    number = next(_numbers)
    namespace, elsewhere = f"account-{number}", f"account-{number}-elsewhere"
    for name in (namespace, elsewhere):
        cluster.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    objects = agents.release(line, namespace, values={"serviceAccount": {"create": True}})
    agents.apply(cluster, objects)
    with cluster.as_(cluster.token(namespace, f"runs-{line.base_name}")) as api:
        wait_for_roles(api, objects)
        yield Controller(line, api, cluster, namespace, elsewhere, objects)
    for name in (namespace, elsewhere):
        cluster.delete("Namespace", name)


def wait_for_roles(api: Client, objects: Manifests) -> None:
    """Wait until the server knows of the roles among the objects that they are this account's; this takes a moment."""
    for role in objects:
        if role["kind"] in ("Role", "ClusterRole"):
            rule, namespace = role["rules"][0], role["metadata"].get("namespace")
            probe = partial(api.may, rule["verbs"][0], rule["resources"][0], namespace, group=rule["apiGroups"][0])
            wait(probe, f"{role['kind']} {role['metadata']['name']}")
