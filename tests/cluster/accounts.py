"""The accounts of agents, as their controllers use them."""

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import NamedTuple

from scalr_agents.model.lines import Line

from tests.cluster import agents
from tests.cluster.client import Client, Manifest, Manifests, wait

_SECONDS = 10
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
            wait(probe, _SECONDS, f"{role['kind']} {role['metadata']['name']}")
