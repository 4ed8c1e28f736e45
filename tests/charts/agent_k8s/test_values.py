"""The objects of agent-k8s: what every value changes, both lines, and names."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from scalr_agents import charts
from scalr_agents.charts.agent_k8s.values import AgentK8sValues
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.model.maps import merge
from scalr_agents.stack import pod_security

from tests.helpers.agent_job import nested, value_paths
from tests.helpers.agent_k8s import EFS, FULL, MINIMUM, SECRETS, VERSIONS, WORKLOADS, changes, objects
from tests.helpers.opaque import Later
from tests.helpers.pods import container, environment, pod
from tests.helpers.schemas import assert_valid

TABLE: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "values_table.yaml").read_text())
ABSENT = charts.find("agent-k8s").versions.unsupported(VERSIONS["legacy"])
DIGEST = "digest"


def _objects(given: dict[str, Any], **more: Any) -> dict[str, dict[str, Any]]:
    return objects(merge(MINIMUM, given), **more)


def test_the_table_has_every_value_once() -> None:
    assert [row["value"] for row in TABLE] == list(value_paths(AgentK8sValues))


@pytest.mark.parametrize(
    ("row", "line"),
    [(row, line) for row in TABLE for line in VERSIONS if line == "current" or row["value"] not in (*ABSENT, "resources")],
    ids=lambda part: part if isinstance(part, str) else part["value"],
)
def test_effects_of_each_value(row: dict[str, Any], line: str) -> None:
    before = merge(MINIMUM | {"image": {"tag": "1.4.0"}}, row.get("given", {}))
    made = objects(merge(before, nested(row["value"], row["set"])), digest=DIGEST, line=line)
    assert changes(objects(before, digest=DIGEST, line=line), made) == row["changes"]
    for manifest in made.values():
        assert_valid(manifest)


def test_differences_between_the_lines() -> None:
    neutral = {"image": {"tag": "1.0.0"}}
    found = changes(_objects(neutral, line="legacy"), _objects(neutral, line="current"))
    own = {path: value for path, value in found.items() if "app.kubernetes.io/version" not in path}
    image, mode = "SCALR_AGENT_CONTAINER_TASK_IMAGE", "SCALR_AGENT_CONTAINER_TASK_IMAGE_MODE"
    assert own == {
        f"both: env[{image}]": {"name": image, "value": "scalr/runner:0.2.0"},
        f"both: env[{mode}]": {"name": mode, "value": "legacy"},
        "both: resources.limits": None,
    }
    assert container(_objects(neutral, line="legacy"), "daemon-set")["resources"]["limits"] == {"cpu": "1000m", "memory": "1024Mi"}


NAMES = [
    ("service-account", "FN", "FN"),
    ("role", "FN-role", "agent-k8s-role"),
    ("role-binding", "FN-role-binding", "agent-k8s-role-binding"),
    ("egress", "FN-network-policy", "agent-k8s-network-policy"),
    ("token-secret", "FN", "agents"),
    ("env-secret", "FN-env", "FN-env"),
    ("storage-class", "scalr.FN-efs", "agent-k8s-efs-sc"),
    ("volume", "scalr.FN-data", "agent-k8s-efs-pv"),
    ("claim", "FN-data", "agent-k8s-efs-claim"),
    ("deployment", "FN-controller", "FN-controller"),
    ("daemon-set", "FN-worker", "FN-worker"),
]
"""Names of the objects in their order, ours and those of the chart. `FN` is the full name."""


@pytest.mark.parametrize("line", ["legacy", "current"])
@pytest.mark.parametrize(("naming", "column"), [("scoped", 1), ("chart", 2)])
def test_names_in_order(naming: str, column: int, line: str) -> None:
    made = objects(merge(FULL, {"nameOverride": "agents"}), SECRETS, line=line, naming=naming)
    expected = [(row[0], row[column].replace("FN", "runs-agents")) for row in NAMES]
    assert [(role, manifest["metadata"]["name"]) for role, manifest in made.items()] == expected
    assert made["volume"]["spec"]["claimRef"]["name"] == made["claim"]["metadata"]["name"]
    assert made["role-binding"]["roleRef"]["name"] == made["role"]["metadata"]["name"]


def test_a_complete_image_reference_takes_precedence() -> None:
    reference = f"acme/agent@sha256:{64 * '0'}"
    made = objects(merge(MINIMUM, {"image": {"repository": "x", "tag": "1"}}), Inputs(agent_image=reference))
    assert [container(made, role)["image"] for role in WORKLOADS] == [reference, reference]


def test_null_leaves_a_number_to_the_agent_and_the_grace_period_to_kubernetes() -> None:
    made = _objects({"agent": {"worker_drain_timeout": None, "container_task_cpu_limit": None}, "terminationGracePeriodSeconds": None})
    for role in WORKLOADS:
        found = environment(made, role)
        assert not {"SCALR_AGENT_WORKER_DRAIN_TIMEOUT", "SCALR_AGENT_CONTAINER_TASK_CPU_LIMIT"} & found.keys()
        assert "terminationGracePeriodSeconds" not in pod(made, role)["spec"]


def test_secret_variables_are_in_a_secret_and_take_precedence() -> None:
    made = objects(merge(MINIMUM, {"extraEnv": {"TF_TOKEN": "plain"}}), SECRETS)
    assert made["env-secret"]["stringData"] == {"TF_TOKEN": "s3cr3t-variable"}
    for role in WORKLOADS:
        given = [variable for variable in container(made, role)["env"] if variable["name"] == "TF_TOKEN"]
        reference = {"name": "runs-agent-k8s-env", "key": "TF_TOKEN", "optional": False}
        assert given == [{"name": "TF_TOKEN", "valueFrom": {"secretKeyRef": reference}}]


def test_extra_variables_override_ours_once() -> None:
    made = _objects({"extraEnv": {"SCALR_AGENT_DATA_DIR": "/elsewhere"}})
    names = [variable["name"] for variable in container(made, "daemon-set")["env"]]
    assert len(names) == len(set(names))
    assert environment(made, "daemon-set")["SCALR_AGENT_DATA_DIR"] == "/elsewhere"


def test_outputs_are_carried_unchanged() -> None:
    handle, url, token, bundle, arn = Later(), Later(), Later(), Later(), Later()
    given = {
        "agent": {"url": url, "token": token, "ca_cert": bundle},
        "efsVolumeHandle": handle,
        "serviceAccount": {"annotations": {"role": arn}},
    }
    made = objects(given)
    assert made["volume"]["spec"]["csi"]["volumeHandle"] is handle
    assert made["token-secret"]["stringData"]["token"] is token
    assert made["service-account"]["metadata"]["annotations"]["role"] is arn
    for role in WORKLOADS:
        found = environment(made, role)
        assert (found["SCALR_URL"] is url, found["SCALR_AGENT_CA_CERT"] is bundle) == (True, True)
        assert "annotations" not in pod(made, role)["metadata"]


def test_efs_is_for_workers_and_the_controller_stays_ephemeral() -> None:
    made = objects(FULL)
    assert pod(made, "deployment")["spec"]["volumes"] == [{"name": "data-home", "emptyDir": {}}]
    claim = made["claim"]["metadata"]["name"]
    assert pod(made, "daemon-set")["spec"]["volumes"] == [{"name": "data-home", "persistentVolumeClaim": {"claimName": claim}}]
    for role in WORKLOADS:
        assert environment(made, role)["SCALR_AGENT_KUBERNETES_EFS_CLAIM_NAME"] == claim


def test_pods_without_node_and_root_pass_restricted() -> None:
    security = {"runAsUser": 1000, "runAsGroup": 1000, "runAsNonRoot": True, "allowPrivilegeEscalation": False}
    given = {"efsVolumeHandle": EFS, "securityContext": security}
    made = _objects(given | {"podSecurityContext": {"runAsNonRoot": True, "fsGroup": 1000, "seccompProfile": {"type": "RuntimeDefault"}}})
    assert [pod_security.violations(pod(made, role)["spec"], "restricted") for role in WORKLOADS] == [[], []]
    assert pod_security.violations(pod(_objects({"efsVolumeHandle": EFS}), "daemon-set")["spec"], "baseline") == []
    assert pod_security.violations(pod(_objects({}), "daemon-set")["spec"], "baseline") != []
