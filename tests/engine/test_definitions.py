"""Definitions outlive stacks and programs. A later deployment uses them again, and leaves those of others as they are."""

import copy
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pulumi
import pytest
from pulumi import automation
from scalr_agents import AgentCrds
from scalr_agents.charts.agent_job.versions import TABLE
from scalr_agents.charts.shared import crds

from tests.engine import programs
from tests.engine.stacks import Deployment, up

NAME = "atasks.scalr.io"
KEY = f"CustomResourceDefinition//{NAME}"
FORCED = {"PULUMI_K8S_ENABLE_PATCH_FORCE": "true"}
ADVICE = (
    f"error: The cluster has a CustomResourceDefinition '{NAME}' with other content, which others installed. To use it as it is, "
    "remove AgentCrds from the program, or set kubernetes.crds to expect in the stack file. To replace it, also for everybody else who "
    "uses it, run once:\n      PULUMI_K8S_ENABLE_PATCH_FORCE=true pulumi up"
)
[LEGACY] = crds.objects(TABLE.line("0.57.0")).values()


def definitions() -> None:
    """A program with only a definition."""
    AgentCrds("crds", {"agent_version": "0.57.0"})


def definitions_of_before() -> None:
    """The same as an earlier version of this project registered it."""
    owner = pulumi.ComponentResource("scalr-agents:index:AgentCrds", "crds")
    opts = pulumi.ResourceOptions(parent=owner, retain_on_delete=True, version=version("pulumi-kubernetes"))
    pulumi.CustomResource("kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition", "crds-atasks", LEGACY, opts)


@pytest.fixture
def program(command: automation.PulumiCommand, tmp_path: Path) -> Deployment:
    return programs.of(tmp_path / "program", command, definitions)


@pytest.fixture(params=["program", "stack"])
def either(request: pytest.FixtureRequest, fresh: Callable[[str], Deployment]) -> Deployment:
    """What installs the definition: a program, or the stack of a stack file."""
    if request.param == "program":
        made: Deployment = request.getfixturevalue("program")
        return made
    stack = fresh("local")
    stack.set_secrets({"runs.token": "token-of-runs"})
    return stack


def other() -> dict[str, Any]:
    """An older definition that another tool has installed, with fewer fields."""
    definition = copy.deepcopy(LEGACY)
    definition["metadata"]["annotations"] = {"meta.helm.sh/release-name": "agents"}
    del definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["description"]
    definition["spec"]["names"]["shortNames"] = ["at"]
    return definition


@pytest.fixture(params=[*programs.ON_KUBERNETES, "page"])
def whole(request: pytest.FixtureRequest, command: automation.PulumiCommand, tmp_path: Path) -> Deployment:
    """A program of this repository, with an agent. Only one creates the namespace that it needs."""
    name: str = request.param
    made = programs.of_the_page(tmp_path / "it", command) if name == "page" else programs.example(name, tmp_path / "it", command)
    if name != "importing":
        namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "scalr-payments"}}
        made.cluster.objects["Namespace//scalr-payments"] = namespace
    return made


def test_a_program_is_deployed_again_after_destroy(whole: Deployment) -> None:
    first = up(whole)
    deployed = copy.deepcopy(whole.cluster.objects)
    gone = whole.destroy()
    assert (gone.failed, whole.resources()) == (False, {})
    assert {key for key in deployed if key.startswith("CustomResourceDefinition/")} <= whole.cluster.objects.keys()
    again = up(whole)
    assert again.steps == first.steps
    assert whole.cluster.objects == deployed
    assert whole.preview().steps == {}


def test_our_changed_definition_is_reused(program: Deployment) -> None:
    """A later version of this project deploys again what an earlier one has left."""
    up(program)
    assert not program.destroy().failed
    left = program.cluster.objects[KEY]
    del left["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["description"]
    up(program)
    assert program.cluster.objects[KEY]["spec"] == LEGACY["spec"]


def test_foreign_definitions_are_not_overwritten(either: Deployment) -> None:
    either.cluster.objects[KEY] = other()
    refused = either.up()
    assert refused.failed
    assert ADVICE in refused.output, refused.output
    assert either.cluster.objects[KEY] == other()
    either.variables = FORCED
    up(either)
    assert either.cluster.objects[KEY]["spec"] == LEGACY["spec"]
    either.variables = {}
    assert either.preview().steps == {}


def test_identical_foreign_definitions_are_shared(either: Deployment) -> None:
    either.cluster.objects[KEY] = copy.deepcopy(LEGACY)
    up(either)
    assert either.cluster.objects[KEY]["spec"] == LEGACY["spec"]


def test_upsert_takes_over_definitions(fresh: Callable[[str], Deployment]) -> None:
    stack = fresh("local")
    stack.set_secrets({"runs.token": "token-of-runs"})
    stack.edit({"kubernetes.upsertExisting": True})
    stack.cluster.objects[KEY] = other()
    up(stack)
    assert stack.cluster.objects[KEY]["spec"] == LEGACY["spec"]


def test_definitions_of_an_earlier_version_are_kept(program: Deployment) -> None:
    """It is removed from the state, but not from the cluster."""
    program.program = definitions_of_before
    up(program)
    program.program = definitions
    moved = up(program)
    assert moved.steps == {"crds-atasks": ("create", "delete")}
    assert [(call.operation, call.name) for call in moved.calls if call.operation != "configure"] == [("create", "crds-atasks")]
    assert program.cluster.objects[KEY]["spec"] == LEGACY["spec"]
    assert program.preview().steps == {}
