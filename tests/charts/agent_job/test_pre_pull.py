"""The DaemonSet that keeps the images of tasks on their nodes, on both lines."""

import pytest
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.model.merge import merge
from scalr_agents.stack import pod_security

from tests.charts.agent_job.nodes import HARDENED, NAMES, PLACEMENT, containers, labels_of, made_of, metadata, pod_of
from tests.helpers.agent_job import CURRENT, LEGACY

IMAGES = {LEGACY: ("scalr/agent-runner:0.57.0", "scalr/agent:0.57.0"), CURRENT: ("scalr/runner:0.2.0", "scalr/agent:1.4.0")}
ON = Inputs(pre_pull=True)


@pytest.mark.parametrize("version", [LEGACY, CURRENT])
def test_the_daemon_set(version: str) -> None:
    made = made_of({}, version, ON, base={})
    full, labels = f"runs-{NAMES[version]}", labels_of(version, "pre-pull")
    asleep = {
        "imagePullPolicy": "IfNotPresent",
        "command": ["sleep", "infinity"],
        "securityContext": {**HARDENED, "runAsUser": 65534, "runAsGroup": 65534, "runAsNonRoot": True, "readOnlyRootFilesystem": True},
        "resources": {"requests": {"cpu": "1m", "memory": "4Mi"}, "limits": {"cpu": "50m", "memory": "32Mi"}},
    }
    assert made["pre-pull"] == {
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
                        {"name": name, "image": image, **asleep} for name, image in zip(("runner", "worker"), IMAGES[version], strict=True)
                    ],
                },
            },
        },
    }


def test_it_runs_on_the_nodes_of_tasks_without_their_rights() -> None:
    privileged = {"securityContext": {"privileged": True, "allowPrivilegeEscalation": True}}
    task = {
        **PLACEMENT,
        "podLabels": {"only": "tasks"},
        "podSecurityContext": {"runAsUser": 2000},
        "runner": privileged,
        "worker": privileged,
    }
    pod = pod_of(made_of(merge({"global": {"imagePullSecrets": [{"name": "regcred"}]}}, {"task": task}), inputs=ON)["pre-pull"])
    assert {key: pod["spec"].get(key) for key in PLACEMENT} == PLACEMENT
    assert pod["spec"]["imagePullSecrets"] == [{"name": "regcred"}]
    assert pod["metadata"]["labels"] == labels_of(CURRENT, "pre-pull")
    assert pod_security.violations(pod["spec"], "restricted") == []


def test_its_disk_is_accounted_for() -> None:
    made = containers(made_of({}, inputs=Inputs(pre_pull=True, disk=True))["pre-pull"])
    assert {name: each["resources"]["limits"]["ephemeral-storage"] for name, each in made.items()} == {"runner": "50Mi", "worker": "50Mi"}
