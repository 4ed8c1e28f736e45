"""Taking Helm releases over with `pulumi up`: what exists is updated, nothing is replaced, and the switch back changes nothing."""

import re
from collections.abc import Callable, Mapping
from typing import Any

import pytest
import yaml
from scalr_agents.migration import adopt

from tests.engine.cluster import UNCHANGEABLE, Cluster
from tests.engine.provider import changes
from tests.engine.stacks import Deployment
from tests.helpers.releases import GOLDEN, Case, has_no_task_budget, identity, take_over

WORKLOADS = {"Deployment", "DaemonSet"}
CONNECTION = {"context": "kind-kind", "clusterIdentifier": "kind"}

Fresh = Callable[[str], Deployment]


class HelmsCluster(Cluster):
    """A cluster with the objects of a release. Changes of immutable fields are refused."""

    def __init__(self, case: Case) -> None:
        namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": case.namespace}}
        helms = {"/".join(identity(manifest)): manifest for manifest in case.objects}
        volumes = [key.split("/")[2] for key in helms if key.startswith("PersistentVolume/")]
        for key, manifest in helms.items():
            if key.startswith("PersistentVolumeClaim/") and volumes:
                helms[key] = manifest | {"spec": manifest["spec"] | {"volumeName": volumes[0]}}  # it is bound
        super().__init__([(f"Namespace//{case.namespace}", namespace), *helms.items()])

    def _missing(self, inputs: Mapping[str, Any]) -> str:
        key = "/".join(identity(dict(inputs)))
        fixed = UNCHANGEABLE.get(inputs["kind"], ())
        changed = [path for path in changes(self.objects.get(key, inputs), inputs) if path.startswith(fixed)]
        return f"{key}: {changed[0]}: field is immutable" if changed else super()._missing(inputs)


def stack_of(name: str, fresh: Fresh) -> tuple[Deployment, adopt.Adoption]:
    """A stack with the printed file, on a cluster with the release."""
    case = GOLDEN[name]
    adopted = take_over(case)
    stack = fresh("local")
    content = yaml.safe_load(stack.file.read_text(encoding="utf-8"))
    stack.file.write_text(yaml.safe_dump(content | adopted.stack), encoding="utf-8")
    stack.edit({f"kubernetes.{word}": value for word, value in CONNECTION.items()})
    stack.set_secrets({f"{case.release}.token": "s3cr3t-token"})
    stack.cluster = HelmsCluster(case)
    return stack, adopted


@pytest.mark.parametrize("name", ["agent-job-legacy", "agent-job-current-claim", "agent-local-legacy-claim", "agent-local-current"])
def test_existing_objects_are_taken_over(name: str, fresh: Fresh) -> None:
    stack, _ = stack_of(name, fresh)
    before = set(stack.cluster.objects)
    taken = stack.up()
    assert not taken.failed, taken.output
    assert {step for steps in taken.steps.values() for step in steps} == {"create"}
    assert (taken.called("update"), taken.called("delete")) == ([], [])
    new = set(stack.cluster.objects) - before
    assert {key.split("/")[0] for key in new} == ({"PodDisruptionBudget"} if has_no_task_budget(GOLDEN[name]) else set())
    assert before <= set(stack.cluster.objects)
    assert stack.preview().steps == {}

    stack.edit({"kubernetes.upsertExisting": False})
    back = stack.up()
    assert (back.failed, back.steps) == (False, {"cluster": ("update",)})
    assert back.differences == {"cluster": {"upsertExistingObjects", "enablePatchForce"}}
    assert [call.name for call in back.calls if call.operation in {"create", "update", "delete"}] == []
    assert stack.preview().steps == {}


@pytest.mark.parametrize("name", ["agent-k8s-legacy-efs", "agent-k8s-current"])
def test_the_workloads_of_agent_k8s_are_deleted_first(name: str, fresh: Fresh) -> None:
    stack, adopted = stack_of(name, fresh)
    [before] = adopted.before
    refused = stack.up()
    assert refused.failed
    workloads = [key for key in stack.cluster.objects if key.split("/")[0] in WORKLOADS]
    assert len(workloads) == 2
    named = set(re.findall(r"(\S+): spec\.selector\S*: field is immutable", refused.output))
    assert named  # the first that fails ends the update
    assert named <= set(workloads)
    assert refused.called("delete") == []
    for key in workloads:
        kind, _, workload = key.split("/")
        assert f" {kind.lower()}/{workload} " in before.command
        del stack.cluster.objects[key]

    made = stack.up()
    assert not made.failed, made.output
    assert made.called("delete") == made.called("update") == []
    assert len(made.called("create")) == 2
    assert stack.preview().steps == {}
