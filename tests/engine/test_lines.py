"""Moving an agent between the lines does what docs/agent-versions.md says."""

from itertools import pairwise
from typing import Any

from tests.engine.stacks import Branch, Deployed, Outcome

ACCOUNT = {"runs-rbac-service-account"}
RBAC = {"runs-rbac-cluster-role", "runs-rbac-cluster-role-binding", "runs-rbac-role", "runs-rbac-role-binding"}
SECRET = {"runs-controller-token-secret"}
DEPLOYMENT, TEMPLATE = "runs-controller-deployment", "runs-controller-task-template"
OTHERS = {*ACCOUNT, *RBAC, *SECRET, "runs-network-policy-egress", "runs-controller-task-budget"}
DEFINITIONS = {"agent-crds-agenttasktemplates", "agent-crds-atasks"}
VERSION = 'metadata.labels["app.kubernetes.io/version"]'
CURRENT = {"agents.runs.agentVersion": "1.4.0"}
NAMES_STAY = {"agents.runs.values.nameOverride": "agent-job"}
BACK: dict[str, Any] = {"agents.runs.agentVersion": None}


def moved(deployed: Deployed, branch: Branch, words: dict[str, Any]) -> tuple[Outcome, Any]:
    stack = branch(deployed)
    stack.edit(words)
    outcome = stack.up()
    assert not outcome.failed, outcome.output
    assert stack.preview().steps == {}
    return outcome, stack


def test_moving_in_place_keeps_names(local: Deployed, branch: Branch) -> None:
    move, stack = moved(local, branch, CURRENT | NAMES_STAY)
    assert move.all("update") == {*OTHERS, DEPLOYMENT}
    assert move.all("replace") == set()
    assert move.all("create") == {TEMPLATE, "agent-crds-agenttasktemplates"}
    assert move.all("delete") == {TEMPLATE, "agent-crds-atasks"}
    labels_alone = [name for name, paths in move.differences.items() if paths == {VERSION}]
    assert set(labels_alone) == OTHERS - {"runs-rbac-role", "runs-rbac-cluster-role"}
    assert not any("selector" in path for paths in move.differences.values() for path in paths)
    order = [("create", TEMPLATE), ("update", DEPLOYMENT), ("delete", TEMPLATE)]
    steps = [move.call(*step) for step in order]
    assert [step.inputs["kind"] for step in steps] == ["AgentTaskTemplate", "Deployment", "AgentTask"]
    assert all(earlier.ended <= later.began for earlier, later in pairwise(steps))
    assert move.call("update", "runs-rbac-role").ended <= steps[1].began
    assert [name for name in move.called("delete") if name in DEFINITIONS] == []
    assert {key for key in stack.cluster.objects if key.startswith(("AgentTask", "CustomResource"))} == {
        "AgentTaskTemplate/scalr-agents/runs-agent-job-task-template",
        "CustomResourceDefinition//agenttasktemplates.scalr.io",
        "CustomResourceDefinition//atasks.scalr.io",
    }


def test_moving_back_is_the_same_step(local: Deployed, branch: Branch) -> None:
    there, stack = moved(local, branch, CURRENT | NAMES_STAY)
    stack.edit(BACK)
    back = stack.up()
    assert not back.failed, back.output
    assert {name: set(steps) for name, steps in back.steps.items() if name not in DEFINITIONS} == {
        name: set(steps) for name, steps in there.steps.items() if name not in DEFINITIONS
    }
    assert back.call("create", TEMPLATE).ended <= back.call("update", DEPLOYMENT).began
    before = local.stack.cluster.objects
    assert {key: value for key, value in stack.cluster.objects.items() if "agenttasktemplates" not in key} == before


def test_moving_by_replacement_creates_before_deleting(local: Deployed, branch: Branch) -> None:
    move, stack = moved(local, branch, CURRENT)
    assert move.all("replace") == {*OTHERS, DEPLOYMENT}
    assert move.all("update") == set()
    assert move.all("create") == {TEMPLATE, "agent-crds-agenttasktemplates"}
    assert move.all("delete") == {TEMPLATE, "agent-crds-atasks"}
    created, deleted = ([call for call in move.calls if call.operation == operation] for operation in ("create", "delete"))
    assert (len(created), len(deleted)) == (11, 10)
    assert max(call.ended for call in created) <= min(call.began for call in deleted)
    assert deleted[0].name == DEPLOYMENT
    assert all(deleted[0].ended <= call.began for call in deleted[1:])
    names = {key.split("/")[2] for key in stack.cluster.objects if not key.startswith(("Namespace", "CustomResource"))}
    assert all("runs-scalr-agent" in name for name in names)


def test_the_full_name_is_not_enough_to_move_in_place(local: Deployed, branch: Branch) -> None:
    move, _ = moved(local, branch, CURRENT | {"agents.runs.values.fullnameOverride": "runs-agent-job"})
    assert move.all("replace") == {DEPLOYMENT}
    assert move.all("update") == OTHERS
    assert move.call("delete", DEPLOYMENT).ended <= move.call("create", DEPLOYMENT).began


def test_a_version_of_the_same_line_changes_images_and_labels(local: Deployed, branch: Branch) -> None:
    upgrade, _ = moved(local, branch, {"agents.runs.agentVersion": "0.58.0"})
    assert upgrade.steps == dict.fromkeys([*OTHERS, TEMPLATE, DEPLOYMENT], ("update",))
    image, task = "spec.template.spec.containers[0].image", "spec.jobTemplate.spec.template.spec"
    assert upgrade.differences[DEPLOYMENT] == {VERSION, image}
    assert upgrade.differences[TEMPLATE] == {VERSION, f"{task}.containers[0].image", f"{task}.containers[1].image"}
    assert all(upgrade.differences[name] == {VERSION} for name in OTHERS)
