"""Objects as an API server answers them, and an API that answers them, for the tests of status and logs."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from kubernetes.client import ApiClient, Configuration
from pydantic_core import to_json
from scalr_agents.charts.shared.agent import AnyAgent
from scalr_agents.charts.shared.pods import WORKLOADS, templates
from scalr_agents.cluster import paths
from scalr_agents.cluster.answers import Found, Hidden, Listed, page, understood
from scalr_agents.cluster.api import Api, Query
from scalr_agents.cluster.objects import Claim, Event, Job, Object, Pod, Started, Workload
from scalr_agents.cluster.view import View
from scalr_agents.model.maps import Values, merge

from tests.helpers.samples import URL, load

Json = dict[str, Any]

NAMESPACE = "scalr"
MADE, NOW = "2026-05-01T11:30:00Z", datetime(2026, 5, 1, 12, 0, tzinfo=UTC)
BASE: Values = {"common": {"url": URL}, "agents": {"runs": {"kind": "agent-job", "agentVersion": "1.4.0", "namespace": NAMESPACE}}}
OF_RUNS = {"app.kubernetes.io/name": "scalr-agent", "app.kubernetes.io/instance": "runs", "app.kubernetes.io/component": "task"}
OF_AGENTS = OF_RUNS | {"app.kubernetes.io/component": "agent"}


def agent(**runs: Any) -> AnyAgent:
    """The one agent of a stack."""
    [found] = load(merge(BASE, {"agents": {"runs": runs}})).agents
    return found


def item(name: str, **content: Any) -> Json:
    metadata = {"name": name, "namespace": NAMESPACE, "uid": f"uid-of-{name}", "creationTimestamp": MADE}
    return merge({"metadata": metadata, "status": {}}, content)


def pod(name: str, labels: dict[str, str], *, job: str = "", **content: Any) -> Json:
    """A pod with these labels, of a Job or of no owner; it runs."""
    owned = {"ownerReferences": [{"kind": "Job", "name": job}]} if job else {}
    named = labels | ({"batch.kubernetes.io/job-name": job} if job else {})
    spec = {"nodeName": "node-a", "containers": [{"name": each} for each in (("runner", "worker") if job else ("agent",))]}
    status = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
    return merge(item(name, metadata={"labels": named, **owned}, spec=spec, status=status), content)


def job(name: str, labels: dict[str, str] | None = None, **content: Any) -> Json:
    return merge(item(name, spec={"template": {"metadata": {"labels": labels or OF_RUNS}}}), content)


def event(about: str, reason: str, message: str, kind: str = "Pod") -> Json:
    involved = {"kind": kind, "name": about, "uid": f"uid-of-{about}"}
    return item(f"{about}.1", involvedObject=involved, reason=reason, message=message, lastTimestamp="2026-05-01T11:50:00Z")


def ended(name: str, **terminated: Any) -> Json:
    """The status of a container that ended."""
    return {"name": name, "state": {"terminated": {"exitCode": 1, "finishedAt": "2026-05-01T11:58:00Z", **terminated}}}


def deployed(agent: AnyAgent, **content: Any) -> dict[str, Json]:
    """What makes an agent's pods as the stack file says, with all of them ready; by path. `content` changes all workloads."""
    found = {}
    for _, maker, _ in templates(agent.objects):
        number = maker["spec"].get("replicas", 1)
        ready = {"status": {"readyReplicas": number, "numberReady": 1, "desiredNumberScheduled": 1}}
        found[paths.path(maker)] = merge(merge(maker, ready), content if maker["kind"] in WORKLOADS else {})
    return found


def listed(kind: type[Object], items: Sequence[Json]) -> Listed[Any]:
    """Objects of a list as they are read."""
    found = page(kind, to_json({"items": items, "metadata": {}}))
    assert found
    return Listed(found.items, found.odd)


def workloads(made: dict[str, Json]) -> dict[str, Workload | None]:
    """What makes pods, as it is read."""
    return {path: understood(Workload, item)[0] for path, item in made.items()}


def snapshot(agent: AnyAgent, **lists: Sequence[Json]) -> View:
    """A cluster with an agent as the stack file says, and these objects."""
    kinds: dict[str, type[Object]] = {"pods": Pod, "jobs": Job, "events": Event, "started": Started, "claims": Claim}
    found = {(kind, NAMESPACE): listed(kind, lists.get(word, ())) for word, kind in kinds.items()}
    return View(at=NOW, lists=found, objects=workloads(deployed(agent)))


class Described(Api):
    """In place of the API: objects by path, and lists by the last part of theirs."""

    def __init__(self, objects: Mapping[str, Any]) -> None:
        super().__init__(ApiClient(Configuration()), "the cluster")
        self.objects = dict(objects)

    def reach(self) -> str:
        return "v1.36.3"

    def get(self, path: str, query: Query = (), accept: str = "") -> Found[Json]:
        found: Found[Json] = self.objects.get(path)
        return found

    def listed(self, kind: type[Any], path: str, query: Query = (), accept: str = "") -> Listed[Any] | Hidden:
        found: list[Json] | Hidden = self.objects.get("started" if kind is Started else path.rpartition("/")[2], [])
        return found if isinstance(found, Hidden) else listed(kind, found)
