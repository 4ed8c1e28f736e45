"""The definitions of AgentCrds, and the advice on one in the cluster that is not ours."""

from typing import Any

import pytest
from scalr_agents.resources.kubernetes.crds import conflict

from tests.helpers.components import record
from tests.helpers.provider_errors import not_created

_VERSION = "apiextensions.k8s.io/v1"
_ONE = f'Apply failed with 1 conflict: conflict with "helm" using {_VERSION}: .spec.versions'
_TWO = (
    f'Apply failed with 3 conflicts: conflicts with "kubectl-client-side-apply" using {_VERSION}:\n- .spec.names.shortNames\n'
    f'- .spec.versions\nconflicts with "helm" using {_VERSION}:\n- .spec.scope'
)


@pytest.mark.parametrize(("refusal", "owners"), [(_ONE, "helm"), (_TWO, "helm and kubectl-client-side-apply")])
def test_the_advice_names_owners_and_solutions(refusal: str, owners: str) -> None:
    assert conflict("atasks.scalr.io", [not_created("urn", refusal)]) == (
        f"The cluster has a CustomResourceDefinition 'atasks.scalr.io' with other content, which {owners} installed. To use it as it is, "
        "remove AgentCrds from the program, or set kubernetes.crds to expect in the stack file. To replace it, also for everybody else "
        "who uses it, run once:\n  PULUMI_K8S_ENABLE_PATCH_FORCE=true pulumi up"
    )


@pytest.mark.parametrize("refusal", ["is forbidden: cannot patch resource", 'conflict with "\x1b[31m" using v1: .spec', ""])
def test_other_refusals_have_no_advice(refusal: str) -> None:
    assert conflict("atasks.scalr.io", [not_created("urn", refusal)]) is None


@pytest.mark.parametrize(
    ("args", "plurals"),
    [
        ({}, ["atasks", "agenttasktemplates"]),
        ({"agent_version": None}, ["atasks", "agenttasktemplates"]),
        ({"agent_version": "0.58.0"}, ["atasks"]),
        ({"agent_version": "1.2.0"}, ["agenttasktemplates"]),
    ],
    ids=["all", "none", "legacy", "current"],
)
def test_agent_crds_of_one_or_both_lines(args: dict[str, Any], plurals: list[str]) -> None:
    recording = record("AgentCrds", args)
    children = recording.of_type("kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinitionPatch")
    assert {child.name: child.inputs["metadata"]["name"] for child in children} == {
        f"it-{plural}": f"{plural}.scalr.io" for plural in plurals
    }
    assert len(children) == len(plurals)
    assert {(child.parent, child.retain) for child in children} == {("it", True)}
    assert recording.outputs["it"] == {"crdNames": [f"{plural}.scalr.io" for plural in plurals]}
