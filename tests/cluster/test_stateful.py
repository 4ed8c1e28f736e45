"""agent-local as a StatefulSet on a real control plane: each agent has a claim of its own, which is kept and found again."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from scalr_agents.model.maps import Values, merge

from tests.cluster import agents
from tests.cluster.client import Client, Manifest, wait
from tests.cluster.conftest import NewNamespace
from tests.helpers.validated import LINES

NAME = "runs-agent-local"
LONGEST_NAME = 52
[_LINE] = [line for line in LINES if (line.chart, line.generation) == ("agent-local", "current")]
_UNREADY = 'state: {waiting: {reason: CrashLoopBackOff, message: "back-off"}}'


class Agents:
    """A StatefulSet in a namespace of its own, and volumes for the claims of its pods."""

    def __init__(self, cluster: Client, namespace: str) -> None:
        self.cluster, self.namespace = cluster, namespace
        self.volumes = [f"{namespace}-{number}" for number in range(4)]
        for name in self.volumes:
            spec = {
                "accessModes": ["ReadWriteOnce"],
                "capacity": {"storage": "90Gi"},
                "nfs": {"server": "10.1.2.3", "path": f"/{name}"},
                "persistentVolumeReclaimPolicy": "Retain",
                "storageClassName": namespace,
            }
            cluster.create({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name}, "spec": spec})

    def objects(self, replicas: int, values: Values | None = None) -> list[Manifest]:
        claim = {"storageClassName": self.namespace, "annotations": {"backup": "daily"}}
        own: dict[str, Any] = {
            "replicaCount": replicas,
            "workload": {"kind": "StatefulSet"},
            "persistence": {"cache": {"enabled": True, "persistentVolumeClaim": claim}},
        }
        return agents.release(_LINE, self.namespace, values=merge(own, values or {}))

    def scale(self, replicas: int, values: Values | None = None) -> Manifest:
        """Apply it with a number of replicas and wait for them; what the cluster has then."""
        objects = self.objects(replicas, values)
        *_, made = agents.apply(self.cluster, objects)
        wait(lambda: self.is_done(replicas), f"{replicas} agents")
        return made

    def is_done(self, replicas: int) -> bool:
        stateful_set = self.cluster.get("StatefulSet", NAME, self.namespace)
        seen = stateful_set["status"].get("observedGeneration") == stateful_set["metadata"]["generation"]
        return seen and agents.replicas(stateful_set) == (replicas, replicas) and len(self.pods()) == replicas

    def pods(self) -> list[Manifest]:
        selected = {"app.kubernetes.io/name": "agent-local", "app.kubernetes.io/instance": "runs"}
        return sorted(self.cluster.list("Pod", self.namespace, selected), key=lambda pod: str(pod["metadata"]["name"]))

    def claims(self) -> dict[str, str]:
        """The claims that are there and bound: their ids, by name."""
        found = self.cluster.list("PersistentVolumeClaim", self.namespace)
        return {claim["metadata"]["name"]: claim["metadata"]["uid"] for claim in found if claim["status"]["phase"] == "Bound"}

    def delete(self) -> None:
        self.cluster.delete("StatefulSet", NAME, self.namespace)
        wait(lambda: not self.pods() and not self.cluster.find("StatefulSet", NAME, self.namespace), "its end")


@pytest.fixture
def stateful(cluster: Client, new_namespace: NewNamespace) -> Iterator[Agents]:
    made = Agents(cluster, new_namespace("restricted"))
    yield made
    for name in made.volumes:
        cluster.delete("PersistentVolume", name)


def _claim(number: int) -> str:
    return f"cache-dir-{NAME}-{number}"


def test_each_agent_has_a_name_and_a_claim_of_its_own_which_stays(stateful: Agents, cluster: Client) -> None:
    made = stateful.scale(2)
    assert [pod["metadata"]["name"] for pod in stateful.pods()] == [f"{NAME}-0", f"{NAME}-1"]
    for number, pod in enumerate(stateful.pods()):
        mounted = [volume["persistentVolumeClaim"]["claimName"] for volume in pod["spec"]["volumes"] if "persistentVolumeClaim" in volume]
        assert mounted == [_claim(number)]
    claims = [cluster.get("PersistentVolumeClaim", _claim(number), stateful.namespace) for number in range(2)]
    assert len({claim["spec"]["volumeName"] for claim in claims}) == 2
    assert {claim["metadata"]["annotations"]["backup"] for claim in claims} == {"daily"}
    assert {claim["metadata"]["labels"]["app.kubernetes.io/instance"] for claim in claims} == {"runs"}
    again = stateful.scale(2)
    assert again["metadata"]["generation"] == made["metadata"]["generation"]
    pods = {pod["metadata"]["uid"] for pod in stateful.pods()}
    stateful.scale(2, {"image": {"tag": "1.4.1"}})
    assert pods.isdisjoint(pod["metadata"]["uid"] for pod in stateful.pods())
    kept = stateful.claims()
    assert kept == {claim["metadata"]["name"]: claim["metadata"]["uid"] for claim in claims}
    stateful.scale(1)
    assert stateful.claims() == kept
    stateful.delete()
    stateful.scale(2)
    assert stateful.claims() == kept


def test_claims_are_deleted_if_the_values_say_so(stateful: Agents) -> None:
    values = {"workload": {"statefulSet": {"persistentVolumeClaimRetentionPolicy": {"whenScaled": "Delete", "whenDeleted": "Delete"}}}}
    stateful.scale(3, values)
    stateful.scale(1, values)
    wait(lambda: stateful.claims().keys() == {_claim(0)}, "the end of two claims")
    stateful.delete()
    wait(lambda: not stateful.claims(), "the end of the last one")


def test_a_rollout_that_hangs_can_be_corrected(stateful: Agents, cluster: Client) -> None:
    """With the pod management policy `OrderedReady`, somebody would have to delete the pod that is not ready."""
    stateful.scale(2)
    agents.apply(cluster, stateful.objects(2, {"podAnnotations": {"scalr-agents.test/unready": _UNREADY}}))
    wait(lambda: [_is_ready(pod) for pod in stateful.pods()] == [True, False], "an agent that is not ready")
    stateful.scale(2)
    assert [_is_ready(pod) for pod in stateful.pods()] == [True, True]


def _is_ready(pod: Manifest) -> bool:
    return any(each["type"] == "Ready" and each["status"] == "True" for each in pod["status"].get("conditions", ()))


@pytest.mark.parametrize("length", [LONGEST_NAME, LONGEST_NAME + 1])
def test_a_longer_name_has_no_pods(length: int, stateful: Agents, cluster: Client) -> None:
    """The reason for the check of the name."""
    *others, stateful_set = stateful.objects(1)
    name = length * "a"
    agents.apply(cluster, [*others, {**stateful_set, "metadata": {**stateful_set["metadata"], "name": name}}])

    def refused() -> bool:
        events = cluster.list("Event", stateful.namespace)
        return any(each["reason"] == "FailedCreate" and "must be no more than 63" in each["message"] for each in events)

    as_expected: Callable[[], bool] = (lambda: len(stateful.pods()) == 1) if length == LONGEST_NAME else refused
    wait(as_expected, "a pod" if length == LONGEST_NAME else "the event that says why there is none")
