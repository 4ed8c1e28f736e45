"""What a cluster has of a stack's agents at one moment, as the API server answers it. Secrets are not read."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime

from scalr_agents.charts.shared.agent import AnyAgent
from scalr_agents.charts.shared.pods import claims_of, templates
from scalr_agents.cluster import paths
from scalr_agents.cluster.answers import Found, Hidden, Json, Seen
from scalr_agents.cluster.api import AT_ONCE, Api, Query

_RESOURCES: Mapping[str, tuple[str, Query]] = {
    "pods": ("/api/v1", ()),
    "jobs.batch": ("/apis/batch/v1", ()),
    "events": ("/api/v1", [("fieldSelector", "type=Warning")]),
    "persistentvolumeclaims": ("/api/v1", ()),
}
"""What is listed in the namespaces of agents, by the name that `kubectl auth can-i` has for it."""
_STATS = "the use of claims"


@dataclass(frozen=True, kw_only=True)
class Snapshot:
    """Objects of the cluster."""

    at: datetime
    lists: Mapping[tuple[str, str], Seen[list[Json]]] = field(default_factory=dict)
    """By resource and namespace."""
    makers: Mapping[str, Found[Json]] = field(default_factory=dict)
    """What makes the pods of agents, by its path."""
    stats: Mapping[str, Found[Json]] = field(default_factory=dict)
    """What the kubelets tell of their pods, by node."""

    def items(self, resource: str, namespace: str) -> list[Json]:
        """The objects of a resource in a namespace, as far as they can be seen."""
        found = self.lists.get((resource, namespace), [])
        return [] if isinstance(found, Hidden) else found

    def sees(self, resource: str, namespace: str) -> bool:
        return not isinstance(self.lists.get((resource, namespace), []), Hidden)

    def notes(self) -> Iterator[str]:
        """What could not be seen, and why."""
        hidden: dict[str, object] = {f"{what} in namespace {place}": found for (what, place), found in self.lists.items()}
        for path, found in self.makers.items():
            _, _, group, _, _, namespace, plural, _ = path.split("/")
            hidden[f"{plural}.{group} in namespace {namespace}"] = found
        hidden |= {f"{_STATS} on node {node}": found for node, found in self.stats.items()}
        yield from (f"{what}: cannot be seen: {found.reason}" for what, found in hidden.items() if isinstance(found, Hidden))


def read(api: Api, agents: Sequence[AnyAgent], *, stats: bool = True) -> Snapshot:
    """What the cluster has of these agents, with or without what the kubelets tell. Raises `ClusterError`."""
    api.get("/version")  # first and alone, so that a cluster that cannot be reached is found once
    namespaces = dict.fromkeys(agent.release.namespace for agent in agents)
    lists = [(resource, namespace) for resource in _RESOURCES for namespace in namespaces]
    makers = [paths.path(maker, [agent]) for agent in agents for _, maker, _ in templates(agent.objects)]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        made = pool.map(api.get, makers)
        listed = dict(zip(lists, pool.map(lambda key: _list(api, *key), lists), strict=True))
        now = Snapshot(at=datetime.now(UTC), lists=listed, makers=dict(zip(makers, made, strict=True)))
        if not stats:
            return now
        nodes = list(dict.fromkeys(_nodes_with_claims(pod for namespace in namespaces for pod in now.items("pods", namespace))))
        found = pool.map(lambda node: api.get(f"/api/v1/nodes/{node}/proxy/stats/summary"), nodes)
        return Snapshot(at=now.at, lists=listed, makers=now.makers, stats=dict(zip(nodes, found, strict=True)))


def _list(api: Api, resource: str, namespace: str) -> Seen[list[Json]]:
    root, query = _RESOURCES[resource]
    return api.items(f"{root}/namespaces/{namespace}/{resource.partition('.')[0]}", query)


def _nodes_with_claims(pods: Iterator[Json]) -> Iterator[str]:
    """The nodes of running pods that mount claims."""
    for pod in pods:
        if pod["status"].get("phase") == "Running" and any(claims_of(pod["spec"])):
            yield pod["spec"]["nodeName"]
