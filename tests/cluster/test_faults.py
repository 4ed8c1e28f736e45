"""After a failure, the user repeats the command: existing objects stay, and missing ones are created."""

import threading

from tests.cluster import agents
from tests.cluster.client import Client, Manifests, UnreachableError, wait
from tests.cluster.control_plane import ControlPlane

_AGENTS = 10
_BEFORE_THE_FAULT = 20
_SECONDS = 30


class _Apply(threading.Thread):
    """Applies objects until the API server does not answer."""

    def __init__(self, cluster: Client, objects: Manifests) -> None:
        super().__init__(daemon=True)
        self._cluster, self._objects = cluster, objects
        self.applied: Manifests = []
        self.problem: UnreachableError | None = None

    def run(self) -> None:
        try:
            for manifest in self._objects:
                self.applied.append(self._cluster.apply(manifest))
        except UnreachableError as problem:
            self.problem = problem


def test_an_interrupted_apply_can_be_repeated(control_plane: ControlPlane, cluster: Client, namespace: str) -> None:
    objects = agents.objects(agents.side_by_side(_AGENTS, namespace))
    first = _Apply(cluster, objects)
    first.start()
    wait(lambda: len(first.applied) >= _BEFORE_THE_FAULT, "the first objects")
    control_plane.kill_api_server()
    first.join(_SECONDS)
    assert first.problem is not None
    assert _BEFORE_THE_FAULT <= len(first.applied) < len(objects)

    control_plane.start_api_server()
    second = agents.apply(cluster, objects)
    identities = [manifest["metadata"]["uid"] for manifest in second]
    assert identities[: len(first.applied)] == [manifest["metadata"]["uid"] for manifest in first.applied]
    assert len(set(identities)) == len(objects)
    assert {manifest["metadata"].get("generation", 1) for manifest in second} == {1}

    agents.wait_for_rollout(cluster, objects)
    counts = {kind: len(cluster.list(kind, namespace)) for kind in ("Deployment", "ReplicaSet", "Pod", "AgentTask")}
    assert counts == dict.fromkeys(counts, _AGENTS)
