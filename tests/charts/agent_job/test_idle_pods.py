"""Pods that wait on the nodes of tasks, on both lines: placeholders that reserve room, and the DaemonSet that keeps images."""

from dataclasses import replace
from typing import Any

import pytest
from scalr_agents.charts.shared import contract
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.model.maps import merge
from scalr_agents.stack import pod_security

from tests.charts.agent_job.nodes import (
    BUFFER,
    CACHE,
    COMPONENT,
    HARDENED,
    MIRROR,
    NAMES,
    PLACEMENT,
    containers,
    labels_of,
    made_of,
    metadata,
    pod_of,
)
from tests.helpers.agent_job import CURRENT, LEGACY, nested

RUNNER = {**HARDENED, "runAsNonRoot": True, "privileged": False, "readOnlyRootFilesystem": True}
POD = {
    "runAsNonRoot": True,
    "runAsUser": 1000,
    "runAsGroup": 1000,
    "fsGroup": 1000,
    "fsGroupChangePolicy": "OnRootMismatch",
    "seccompProfile": {"type": "RuntimeDefault"},
}
ON = Inputs(pre_pull=True)
ASLEEP = {"imagePullPolicy": "IfNotPresent", "command": ["sleep", "infinity"]}
on_both_lines = pytest.mark.parametrize("version", [LEGACY, CURRENT])

SIZES: dict[str, dict[str, dict[str, Any]]] = {
    LEGACY: {
        "runner": {"requests": {"cpu": "500m", "memory": "512Mi"}, "limits": {"cpu": "4000m", "memory": "2048Mi"}},
        "worker": {"requests": {"cpu": "250m", "memory": "256Mi"}, "limits": {"cpu": "2000m", "memory": "1024Mi"}},
    },
    CURRENT: {
        "runner": {"requests": {"cpu": "500m", "memory": "512Mi"}, "limits": {"cpu": "4000m", "memory": "8192Mi"}},
        "worker": {"requests": {"cpu": "250m", "memory": "256Mi"}, "limits": {"memory": "1024Mi"}},
    },
}
IMAGES = {LEGACY: ("scalr/agent-runner:0.57.0", "scalr/agent:0.57.0"), CURRENT: ("scalr/runner:0.2.0", "scalr/agent:1.4.0")}


@on_both_lines
def test_the_placeholder_objects(version: str) -> None:
    made, full = made_of({}, version), f"runs-{NAMES[version]}"
    runner, agent = IMAGES[version]
    assert made["buffer"] == {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": metadata(version, f"{full}-buffer", "buffer"),
        "spec": {
            "replicas": 2,
            "strategy": {"type": "Recreate"},
            "selector": {"matchLabels": labels_of(version, "buffer")},
            "template": {
                "metadata": {"labels": labels_of(version, "buffer")},
                "spec": {
                    "priorityClassName": f"scalr.{full}-buffer",
                    "serviceAccountName": full,
                    "automountServiceAccountToken": False,
                    "securityContext": POD,
                    "terminationGracePeriodSeconds": 1,
                    "containers": [
                        {"name": "runner", "image": runner, **ASLEEP, "securityContext": RUNNER, "resources": SIZES[version]["runner"]},
                        {"name": "worker", "image": agent, **ASLEEP, "securityContext": HARDENED, "resources": SIZES[version]["worker"]},
                    ],
                },
            },
        },
    }
    assert made["buffer-priority"] == {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": metadata(version, f"scalr.{full}-buffer", None),
        "value": -10,
        "globalDefault": False,
        "preemptionPolicy": "Never",
        "description": "Placeholders for tasks of Scalr agents; they give way to any other pod.",
    }
    assert "cache-preparation" not in made


@on_both_lines
def test_the_daemon_set_of_images(version: str) -> None:
    full, labels = f"runs-{NAMES[version]}", labels_of(version, "pre-pull")
    unprivileged = {**HARDENED, "runAsUser": 65534, "runAsGroup": 65534, "runAsNonRoot": True, "readOnlyRootFilesystem": True}
    size = {"requests": {"cpu": "1m", "memory": "4Mi"}, "limits": {"cpu": "50m", "memory": "32Mi"}}
    assert made_of({}, version, ON, base={})["pre-pull"] == {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": metadata(version, f"{full}-pre-pull", "pre-pull"),
        "spec": {
            "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "100%"}},
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {
                    "serviceAccountName": full,
                    "automountServiceAccountToken": False,
                    "terminationGracePeriodSeconds": 1,
                    "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}},
                    "containers": [
                        {"name": name, "image": image, **ASLEEP, "securityContext": unprivileged, "resources": size}
                        for name, image in zip(("runner", "worker"), IMAGES[version], strict=True)
                    ],
                },
            },
        },
    }


def test_pods_that_keep_images_have_no_rights_of_tasks() -> None:
    privileged = {"securityContext": {"privileged": True, "allowPrivilegeEscalation": True}}
    task = {"podSecurityContext": {"runAsUser": 2000}, "runner": privileged, "worker": privileged}
    assert pod_security.violations(pod_of(made_of({"task": task}, inputs=ON)["pre-pull"])["spec"], "restricted") == []


def test_the_disk_of_pods_that_keep_images() -> None:
    made = containers(made_of({}, inputs=replace(ON, disk=True))["pre-pull"])
    assert {name: each["resources"]["limits"]["ephemeral-storage"] for name, each in made.items()} == {"runner": "50Mi", "worker": "50Mi"}


@on_both_lines
def test_null_leaves_the_number_of_placeholders_to_an_autoscaler(version: str) -> None:
    fixed, left = made_of({}, version), made_of(nested("task.buffer.replicas", None), version)
    assert {"replicas": 2, **left["buffer"]["spec"]} == fixed["buffer"]["spec"]
    assert "replicas" not in left["buffer"]["spec"]
    assert left["buffer-priority"] == fixed["buffer-priority"]
    assert left.keys() == fixed.keys()


@on_both_lines
def test_an_existing_priority_class_is_used(version: str) -> None:
    made = made_of(nested("task.buffer.priorityClassName", "batch-low"), version)
    assert "buffer-priority" not in made
    assert pod_of(made["buffer"])["spec"]["priorityClassName"] == "batch-low"


SIDECARS = [
    {"name": "proxy", "image": "acme/proxy:1", "resources": {"requests": {"cpu": "1"}}, "command": ["/proxy"]},
    {"name": "small", "image": "acme/small:1"},
    {"name": "none", "image": "acme/none:1", "resources": {}},
]


@on_both_lines
def test_placeholders_are_as_large_as_a_task(version: str) -> None:
    sizes = {"requests": {"cpu": 3, "memory": None}, "limits": {"cpu": None, "memory": "9Gi"}}
    task = {"worker": {"resources": {"limits": {"cpu": 2}}}, "runner": {"resources": sizes}, "sidecars": SIDECARS}
    made = made_of({"task": task}, version)
    given, kept = containers(made["task-template"]), containers(made["buffer"])
    assert given["runner"]["resources"] == {"requests": {"cpu": 3}, "limits": {"memory": "9Gi"}}
    assert {name: container["resources"] for name, container in kept.items()} == {
        name: container["resources"] for name, container in given.items() if container.get("resources")
    }
    assert list(kept) == ["runner", "worker", "proxy"]
    assert kept["proxy"] == kept["worker"] | {"name": "proxy", "resources": {"requests": {"cpu": "1"}}}


def test_containers_without_resources_are_kept_for_their_images() -> None:
    kept = containers(made_of({"task": {"worker": {"resources": None}, "runner": {"resources": None}}})["buffer"])
    assert [(name, "resources" in container) for name, container in kept.items()] == [("runner", False), ("worker", False)]


@pytest.mark.parametrize(
    ("version", "given", "inputs"),
    [
        (LEGACY, {"global": {"imageRegistry": "mirror.acme"}}, Inputs()),
        (LEGACY, {"agent": {"image": {"tag": "0.58.1", "pullPolicy": "Always"}}}, Inputs()),
        (LEGACY, {"task": {"worker": {"image": {"repository": "acme/worker", "pullPolicy": "Never"}}}}, Inputs()),
        (LEGACY, {"task": {"runner": {"image": {"tag": "0.58.1", "pullPolicy": "Always"}}}}, Inputs()),
        (LEGACY, {}, Inputs(agent_image="a:1", runner_image="r:2")),
        (CURRENT, {"global": MIRROR}, Inputs()),
        (CURRENT, {"agent": {"image": {"repository": "acme/agent", "tag": "9"}}}, Inputs()),
        (CURRENT, {"task": {"runner": {"image": {"repository": "acme/runner", "tag": "9"}}}}, Inputs()),
        (CURRENT, {"global": MIRROR}, Inputs(agent_image="a:1", runner_image="r:2")),
    ],
)
def test_placeholders_and_the_daemon_set_pull_the_images_of_tasks(version: str, given: dict[str, Any], inputs: Inputs) -> None:
    made = made_of(given, version, replace(inputs, pre_pull=True))

    def images(role: str) -> list[tuple[str, str, str]]:
        return [(name, container["image"], container["imagePullPolicy"]) for name, container in containers(made[role]).items()]

    assert images("buffer") == images("pre-pull") == images("task-template")
    assert images("buffer") != [(*pair, "IfNotPresent") for pair in zip(("runner", "worker"), IMAGES[version], strict=True)]


GLOBAL = {"global": {"podAnnotations": {"team": "web"}, "podLabels": {"team": "web"}, "imagePullSecrets": [{"name": "regcred"}]}}


@pytest.mark.parametrize(
    ("version", "role"), [(LEGACY, "buffer"), (CURRENT, "buffer"), (CURRENT, "pre-pull"), (CURRENT, "cache-preparation")]
)
def test_idle_pods_use_task_nodes_with_their_own_labels(version: str, role: str) -> None:
    own = {"podAnnotations": {"only": "tasks"}, "podLabels": {"only": "tasks"}, **PLACEMENT}
    given = merge(GLOBAL, {"task": own, "agent": {"replicaCount": 2}})
    made = made_of(given, version, ON, base=merge(BUFFER, CACHE) if version == CURRENT else BUFFER)
    task, pod = pod_of(made["task-template"]), pod_of(made[role])
    assert {key: pod["spec"].get(key) for key in PLACEMENT} == {key: task["spec"][key] for key in PLACEMENT} == PLACEMENT
    assert pod["spec"]["imagePullSecrets"] == [{"name": "regcred"}]
    assert pod["metadata"] == {"annotations": {"team": "web"}, "labels": {"team": "web", **labels_of(version, role)}}
    assert contract.UNEVICTABLE_ANNOTATIONS.keys() <= task["metadata"]["annotations"].keys()
    others = {
        "budget": made["budget"]["spec"]["selector"],
        "task-budget": made["task-budget"]["spec"]["selector"],
        "egress": {"matchLabels": made["egress"]["spec"]["podSelector"]["matchLabels"]},
        "deployment": made["deployment"]["spec"]["selector"],
    }
    matching = [name for name, selector in others.items() if selector["matchLabels"].items() <= pod["metadata"]["labels"].items()]
    assert matching == []
    assert made[role]["spec"]["selector"]["matchLabels"].items() <= pod["metadata"]["labels"].items()


def test_common_labels_do_not_change_selectors() -> None:
    labels = {COMPONENT: "task", "team": "web"}
    made = made_of({"global": {"labels": labels, "annotations": {"owner": "web"}}}, base=merge(BUFFER, CACHE))
    for role in ("buffer", "cache-preparation"):
        assert pod_of(made[role])["metadata"]["labels"] == {"team": "web", **labels_of(CURRENT, role)}
        assert made[role]["spec"]["selector"] == {"matchLabels": labels_of(CURRENT, role)}
        assert made[role]["metadata"]["annotations"] == {"owner": "web"}
    assert made["buffer-priority"]["metadata"]["annotations"] == {"owner": "web"}


@on_both_lines
def test_placeholders_run_as_tasks_do(version: str) -> None:
    task = {
        "podSecurityContext": {"runAsUser": 2000, "supplementalGroups": [7]},
        "worker": {"securityContext": {"runAsUser": 3000}},
        "runner": {"securityContext": {"readOnlyRootFilesystem": False}},
    }
    made = made_of({"global": {"podSecurityContext": {"fsGroup": 4000}}, "task": task}, version)
    pods = [pod_of(made[role])["spec"] for role in ("buffer", "task-template")]
    assert (
        pods[0]["securityContext"] == pods[1]["securityContext"] == {**POD, "runAsUser": 2000, "fsGroup": 4000, "supplementalGroups": [7]}
    )
    kept, given = (containers(made[role]) for role in ("buffer", "task-template"))
    for name in ("runner", "worker"):
        assert kept[name]["securityContext"] == given[name]["securityContext"]
