"""Mutated answers of a cluster, through everything that reads them: no traceback, and nothing hidden but what was mutated.

    python -m tests.view.fuzz [mutations of each kind of answer] [seed]

Every round breaks one object of a list, or one whole answer, in one to three places. Then `status`, `logs`, `impact` and `doctor` are made
of it. It fails if one of them raises anything, if another object of the list or another list is not read as before, or if an object is
lost without a note.
"""

import json
import random
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from copy import deepcopy
from functools import partial
from typing import Any

from scalr_agents.cluster import api, paths
from scalr_agents.cluster.answers import Listed
from scalr_agents.cluster.api import Api, Query, _Response
from scalr_agents.cluster.objects import Claim, Event, Job, Object, Pod, Started, Workload
from scalr_agents.day2 import changes, impact, logs, status
from scalr_agents.doctor import command
from scalr_agents.doctor.needs import Needs
from scalr_agents.doctor.objects import DaemonSet, DriversOfNode, Node, Occupant, StorageClass, Volume

from tests.helpers import answers_of_cluster as objects
from tests.helpers.samples import URL, load

Json = dict[str, Any]
NAMESPACE = objects.NAMESPACE
CACHE = {"persistence": {"cache": {"enabled": True}}}
AGENTS = {
    "runs": {"kind": "agent-job", "agentVersion": "1.4.0", "namespace": NAMESPACE, "values": CACHE, "prePull": True},
    "local": {"kind": "agent-local", "agentVersion": "1.4.0", "namespace": NAMESPACE, "values": {"workload": {"kind": "StatefulSet"}}},
    "k8s": {"kind": "agent-k8s", "namespace": NAMESPACE},
}
STACK = load({"common": {"url": URL}, "agents": AGENTS})
NEEDS = Needs.of(STACK)
DEEP: Any = 1
for _ in range(150):
    DEEP = {"a": DEEP}
HOSTILE: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2**63, 2**70, 10**400, 0.5, 1e308, "", "x", "x" * 5_000, "0", "True", "\x1b[2J\u202e\n", "9" * 400, "1%",
    "Failed", "2026-05-01T11:30:00Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59-23:59", "../../secrets", [], [None], [[]], ["x"] * 2_000,
    [{}], [{"name": None}], {}, {"": ""}, {"name": "x"}, {"a": []}, {"cpu": "1e99", "memory": -1}, DEEP, [DEEP],
)  # fmt: skip
BODIES = (
    b"", b"null", b"[]", b"{}", b"<html>", b"\xff", b'{"items": null}', b'{"items": {}}', b'{"items": [1, [], null]}', b'{"a":' * 5_000,
    b'{"items": [' + b"[" * 5_000, b'{"items": [NaN]}', b'{"items": [1e999]}', b'{"items": ["\\ud800"]}', b"9" * 5_000,
)  # fmt: skip


def healthy() -> dict[type[Any], tuple[str, list[Json]]]:
    """Objects of all kinds, in all states that something is told of, and where they are listed."""
    name = "runs-scalr-agent-run-{}-plan"
    pod = name + "-x7abc"
    pulling = {"name": "runner", "state": {"waiting": {"reason": "ImagePullBackOff", "message": "away"}}}
    killed = objects.ended("runner", reason="OOMKilled")
    failed = {"type": "Failed", "status": "True", "reason": "BackoffLimitExceeded", "lastTransitionTime": "2026-05-01T11:59:00Z"}
    homeless = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "no node"}
    mounts = {"volumes": [{"name": "c", "persistentVolumeClaim": {"claimName": "runs-scalr-agent-cache"}}]}
    before = {"terminated": {"exitCode": 1, "reason": "Error", "finishedAt": "2026-05-01T11:50:00Z"}}
    restarts = {"name": "agent", "restartCount": 3, "state": {"running": {}}, "lastState": before}
    late = objects.event(name.format(6), "DeadlineExceeded", "late", "Job") | {"series": {"lastObservedTime": "2026-05-01T11:51:00.5Z"}}
    size = {"spec": {"resources": {"requests": {"storage": "40Gi"}}}, "status": {"phase": "Bound", "capacity": {"storage": "40Gi"}}}
    taint = {"key": "pool", "value": "a", "effect": "NoSchedule"}
    info = {"kubeletVersion": "v1.36.3", "containerRuntimeVersion": "containerd://2.1.4"}
    room = {"cpu": "3920m", "memory": "8Gi", "pods": "110"}
    node = {"metadata": {"name": "node-a", "labels": {"pool": "a"}}, "status": {"allocatable": room, "nodeInfo": info}}
    requests = {"containers": [{"name": "a", "resources": {"requests": {"cpu": "500m"}, "limits": {"memory": "1Gi"}}}]}
    default = {"storageclass.kubernetes.io/is-default-class": "true"}
    local = {"name": "agent", "env": [{"name": "SCALR_AGENT_DRIVER", "value": "local"}]}
    labels = {"app.kubernetes.io/instance": "old", "app.kubernetes.io/name": "agent-local"}
    gone: Json = {
        "metadata": {"name": "old", "namespace": NAMESPACE, "labels": labels},
        "spec": {"replicas": 1, "template": {"spec": {"containers": [local], "terminationGracePeriodSeconds": 60}}},
        "status": {"replicas": 1},
    }
    plugin = {"template": {"spec": {"containers": [{"name": "cilium", "command": ["agent"], "args": ["--policy"]}]}}}

    def of(kind: type[Object], *items: Json) -> tuple[str, list[Json]]:
        path = kind.resource.path(NAMESPACE)
        return (f"{path}?started" if kind is Started else path), list(items)

    return {
        Pod: of(
            Pod,
            objects.pod(pod.format(1), objects.OF_RUNS, job=name.format(1), spec=mounts),
            objects.pod(pod.format(2), objects.OF_RUNS, job=name.format(2), status={"phase": "Pending", "containerStatuses": [pulling]}),
            objects.pod(pod.format(3), objects.OF_RUNS, job=name.format(3), status={"phase": "Failed", "containerStatuses": [killed]}),
            objects.pod("controller-x", objects.OF_AGENTS, status={"containerStatuses": [restarts]}),
            objects.pod("bare", {}, status={"phase": "Pending", "conditions": [homeless]}),
        ),
        Job: of(
            Job,
            *(objects.job(name.format(number)) for number in (1, 2, 4)),
            objects.job(name.format(3), status={"conditions": [failed]}),
        ),
        Event: of(
            Event,
            objects.event(pod.format(2), "Failed", "pull"),
            objects.event(name.format(4), "FailedCreate", "exceeded quota", "Job"),
            objects.event(pod.format(5), "FailedScheduling", "no node"),
            late,
        ),
        Started: of(Started, objects.event(pod.format(7), "Started", "")),
        Claim: of(Claim, objects.item("runs-scalr-agent-cache", **size), objects.item("another", **size)),
        Node: ("/api/v1/nodes", [node, {**node, "metadata": {"name": "node-b"}, "spec": {"taints": [taint]}}]),
        Occupant: (
            "/api/v1/pods",
            [{"metadata": {"name": name}, "spec": {"nodeName": "node-a", "priority": 0, **requests}} for name in "ab"],
        ),
        DriversOfNode: ("/apis/storage.k8s.io/v1/csinodes", [{"metadata": {"name": "node-a"}, "spec": {"drivers": [{"name": "efs"}]}}]),
        StorageClass: ("/apis/storage.k8s.io/v1/storageclasses", [{"metadata": {"name": "a", "annotations": default}}]),
        Volume: (
            "/api/v1/persistentvolumes",
            [{"metadata": {"name": "v"}, "spec": {"storageClassName": "a", "claimRef": {"namespace": "x", "name": "y"}}, "status": {}}],
        ),
        DaemonSet: ("/apis/apps/v1/daemonsets", [{"metadata": {"name": "cilium"}, "spec": plugin}]),
        Workload: ("/apis/apps/v1/deployments", [gone, {**gone, "metadata": {**gone["metadata"], "name": "another"}}]),
    }


def single() -> dict[str, Json]:
    """Objects that are read by their names, by path."""
    use = {"pvcRef": {"name": "runs-scalr-agent-cache", "namespace": NAMESPACE}, "usedBytes": 5, "capacityBytes": 10}
    version = {"name": "v1", "served": True}
    managed = {"annotations": {"meta.helm.sh/release-name": "a"}, "managedFields": [{"manager": "pulumi-kubernetes-1a2b"}]}
    made = {
        paths.path(manifest): {**manifest, "metadata": manifest["metadata"] | managed, "status": {"replicas": 2, "readyReplicas": 1}}
        for manifest in NEEDS.own.values()
    }
    definitions = {
        f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{name}": {"name": name, **managed} for name in NEEDS.definitions
    }
    return {
        **made,
        **{path: {"metadata": metadata, "spec": {"versions": [version]}} for path, metadata in definitions.items()},
        "/api/v1/nodes/node-a/proxy/stats/summary": {"pods": [{"volume": [use]}]},
        f"/api/v1/namespaces/{NAMESPACE}": {
            "metadata": {"name": NAMESPACE, "labels": {"pod-security.kubernetes.io/enforce": "restricted"}}
        },
        "/apis": {"groups": [{"name": "metrics.k8s.io"}]},
    }


class Cluster(Api):
    """A cluster whose answers are these bodies, by path. What is submitted with a dry run has a path of its own."""

    def __init__(self) -> None:
        self.name = "the cluster"
        self.healthy = {path: json.dumps({"items": items, "metadata": {}}).encode() for path, items in healthy().values()}
        self.healthy |= {path: json.dumps(item).encode() for path, item in single().items()}
        self.healthy |= {f"{paths.path(manifest)}?dry-run": json.dumps(manifest).encode() for manifest in NEEDS.own.values()}
        self.bodies = self.healthy

    def _request(self, method: str, path: str, query: Query = (), accept: str = "", body: Any = None, form: str = "") -> _Response:
        if path == "/version":
            return _Response(200, b'{"gitVersion": "v1.37.2"}')
        if method == "POST":
            allowed = b'{"status": {"allowed": true}}'
            return _Response(201, allowed if "selfsubject" in path else json.dumps(body).encode())
        suffix = "?dry-run" if method == "PATCH" else "?started" if ("fieldSelector", "reason=Started") in query else ""
        found = self.bodies.get(f"{path}{suffix}")
        return _Response(404) if found is None else _Response(200, found)


def places(item: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """All paths of an object."""
    yield path
    inner = item.items() if isinstance(item, dict) else enumerate(item) if isinstance(item, list) else ()
    for key, value in inner:
        yield from places(value, (*path, key))


def mutated(item: Any, rng: random.Random) -> Any:
    """An object that is broken in one to three places. It stays below 200 levels, beyond which an answer as a whole is not read."""
    item = deepcopy(item)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        path = rng.choice([path for path in places(item) if len(path) < 30])
        if not path:
            return deepcopy(rng.choice(HOSTILE))
        holder = item
        for part in path[:-1]:
            holder = holder[part]
        match rng.randrange(4):
            case 0:
                del holder[path[-1]]
            case 1 if isinstance(holder, dict):
                holder[rng.choice(("name", "items", "status", "x" * 300, "\x1b[2J"))] = deepcopy(rng.choice(HOSTILE))
            case _:
                holder[path[-1]] = deepcopy(rng.choice(HOSTILE))
    return item


def told_of_agents(cluster: Api) -> list[str]:
    """What `status`, `logs` and `impact` tell of a cluster. Whatever they raise, but for sentences that they end with, is a fault."""
    view = status.look(cluster, STACK.agents)
    found = status.of(STACK.agents, view)
    lines = status.as_text(found, view.notes)
    json.loads(status.as_json(found, view.notes))
    for agent in STACK.agents:
        for run in ("", "run-1", "x"):
            with suppress(logs.LogsError):
                lines += [source.path for source in logs.sources(agent, run, view)]
    happens = impact.of(NEEDS, changes.ask(cluster, NEEDS), view)
    json.loads(impact.as_json(happens))
    return [*lines, *impact.as_text(happens)]


def told_by_doctor(cluster: Api) -> list[str]:
    """What `doctor` finds."""
    return list(map(str, command.examine(NEEDS, command.ask(cluster, NEEDS))))


def check_object(kind: type[Any], cluster: Cluster, rng: random.Random) -> None:
    """Break one object of a list, and look at all others."""
    path, items = healthy()[kind]
    broken = rng.randrange(len(items))
    sound = read(cluster, cluster.healthy, kind)
    answer: list[Any] = [mutated(item, rng) if place == broken else item for place, item in enumerate(items)]
    cluster.bodies = cluster.healthy | {path: json.dumps({"items": answer, "metadata": {}}).encode()}
    found = read(cluster, cluster.bodies, kind)
    others = [item for place, item in enumerate(sound.items) if place != broken]
    assert all(item in found.items for item in others), "another object is hidden"
    assert len(found.items) == len(items) or (len(found.items) == len(items) - 1 and found.odd), "an object is lost without a note"
    lines = told_by_doctor(cluster) if kind.__module__ == Node.__module__ else told_of_agents(cluster)
    assert not found.odd or any("not understood" in line for line in lines), "what is not understood is not told"


def read(cluster: Cluster, bodies: dict[str, bytes], kind: type[Any]) -> Listed[Any]:
    cluster.bodies = bodies
    path, _, started = healthy()[kind][0].partition("?")
    found = cluster.listed(kind, path, [("fieldSelector", "reason=Started")] if started else [])
    assert isinstance(found, Listed), "a whole list is hidden"
    return found


def check_answer(cluster: Cluster, rng: random.Random) -> None:
    """Break a whole answer: all lists but that one are as before, which those above have shown for each object."""
    path = rng.choice(list(cluster.healthy))
    whole = cluster.healthy[path]
    match rng.randrange(3):
        case 0:
            body = rng.choice(BODIES)
        case 1:
            cut = rng.randrange(len(whole))
            body = whole[:cut] + bytes(rng.randrange(256) for _ in range(rng.randrange(3))) + whole[cut + rng.randrange(3) :]
        case _:
            body = json.dumps(mutated(json.loads(whole), rng)).encode()
    cluster.bodies = cluster.healthy | {path: body}
    told_of_agents(cluster)
    told_by_doctor(cluster)


def main(count: int = 10_000, seed: int = 1) -> None:
    """Try all kinds of mutations; fail at the first fault with its seed."""
    cluster = Cluster()
    lines = [*told_of_agents(cluster), *told_by_doctor(cluster)]
    assert any("gone before it started" in line for line in lines)
    assert any(line.split()[:5] == ["old", "agent-local", "removed", "-", "end"] for line in lines)
    assert not [line for line in lines if "not understood" in line]
    checks: dict[str, Callable[[random.Random], None]] = {kind.__name__: partial(check_object, kind, cluster) for kind in healthy()}
    checks["answers"] = partial(check_answer, cluster)
    for name, check in checks.items():
        for number in range(count):
            try:
                check(random.Random(f"{name}-{seed}-{number}"))
            except BaseException:
                print(f"{name}: mutation {number} of seed {seed}", file=sys.stderr)
                raise
        print(f"{name:13} {count} mutations", flush=True)


if __name__ == "__main__":
    api.AT_ONCE = 1  # nothing waits for a network, and threads take time to start
    main(*map(int, sys.argv[1:]))
