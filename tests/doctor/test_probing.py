"""Running probes: what is told of one whose pod does not start, and that nothing is left. tests/cluster runs them for real."""

from collections.abc import Mapping
from typing import Any

import pytest
from kubernetes.client import ApiClient, Configuration
from scalr_agents.cluster.answers import Found, Hidden, Json, Listed
from scalr_agents.cluster.api import Api, Query
from scalr_agents.cluster.objects import Event, Pod
from scalr_agents.doctor import probing

from tests.doctor.clusters import needs_of
from tests.helpers.answers_of_cluster import event, listed, pod

STARTING = [{"name": "runner", "state": {"waiting": {"reason": "ContainerCreating"}}}]
NO_IMAGE = [{"name": "runner", "state": {"waiting": {"reason": "ErrImagePull", "message": "not found"}}}]
NO_NODE = [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "no node"}]
NO_SHELL = [{"name": "runner", "state": {"terminated": {"reason": "StartError", "message": "no such file: /bin/sh", "exitCode": 128}}}]
NO_MOUNT = [event("probe-x", "FailedMount", 'secret "regcred" not found')]


class Probed(Api):
    """In place of the API of a cluster with the pods and events of a probe."""

    def __init__(self, pods: list[Json], events: list[Json], log: str = "") -> None:
        super().__init__(ApiClient(Configuration()), "the cluster")
        self.items: Mapping[type[Any], list[Json]] = {Pod: pods, Event: events}
        self.log = log
        self.jobs: list[str] = []
        self.is_interrupted = False
        """Whether somebody presses Ctrl-C before it says that a Job is created."""

    def create(self, path: str, manifest: Json) -> None:
        self.jobs.append(f"{path}/{manifest['metadata']['name']}")
        if self.is_interrupted:
            raise KeyboardInterrupt

    def delete(self, path: str) -> None:
        self.jobs.remove(path)

    def get(self, path: str, query: Query = (), accept: str = "") -> Found[Json]:
        return {"metadata": {"name": "probe"}, "status": {"conditions": [{"type": "Complete", "status": "True"}]}}

    def listed(self, kind: type[Any], path: str, query: Query = (), accept: str = "") -> Listed[Any] | Hidden:
        return listed(kind, self.items[kind])

    def text(self, path: str, query: Query = ()) -> Found[str]:
        return self.log


def told(api: Probed) -> list[str]:
    found = probing.run(api, needs_of(), "", 1)
    assert api.jobs == []
    return [f"{finding.severity}: {finding.message}" for finding in found]


@pytest.mark.parametrize(
    ("status", "events", "reason"),
    [
        ({"phase": "Pending", "containerStatuses": STARTING}, NO_MOUNT, 'FailedMount: secret "regcred" not found'),
        ({"phase": "Pending", "containerStatuses": STARTING}, [], "no event says why"),
        ({"phase": "Pending", "conditions": NO_NODE}, [], "Unschedulable: no node"),
        ({"phase": "Pending", "containerStatuses": NO_IMAGE}, NO_MOUNT,
         'ErrImagePull in runner: not found; FailedMount: secret "regcred" not found'),
        ({"phase": "Failed", "containerStatuses": NO_SHELL}, [], "StartError in runner: no such file: /bin/sh"),
    ],
)  # fmt: skip
def test_a_pod_that_does_not_start_says_why(status: dict[str, Any], events: list[Json], reason: str) -> None:
    assert told(Probed([pod("probe-x", {}, job="probe", status=status)], events)) == [f"error: its pod did not start: {reason}"]


def test_a_pod_that_is_not_created_says_why() -> None:
    refused = event("probe", "FailedCreate", "exceeded quota", "Job")
    assert told(Probed([], [refused])) == ["error: its pod was not created: FailedCreate: exceeded quota"]


def test_an_interrupt_leaves_no_job() -> None:
    api = Probed([], [])
    api.is_interrupted = True
    with pytest.raises(KeyboardInterrupt):
        probing.run(api, needs_of(), "", 1)
    assert api.jobs == []


def test_what_a_pod_printed_is_told() -> None:
    ran = pod("probe-x", {}, job="probe", status={"phase": "Succeeded"})
    assert told(Probed([ran], [], "scalr-agents-probe|dns|a|ok|\nscalr-agents-probe|end|c|ok|\n")) == [
        "note: ran on node node-a",
        "note: DNS name a: works",
    ]
