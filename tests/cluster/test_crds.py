"""Definitions belong to the cluster: they are upgraded with existing objects, shared by stacks, and used again."""

import re
from copy import deepcopy
from http import HTTPStatus

import pytest
from scalr_agents.model.release import Line

from tests.cluster import agents, definitions, runs
from tests.cluster.client import ApiError, Client, Manifest, wait
from tests.cluster.conftest import NewNamespace

_KIND = "CustomResourceDefinition"
_UNKNOWN_FIELD = r"\.spec\.basename: field not declared in schema"
_OURS = "scalr-agents"
"""The field manager under which components apply definitions."""
_HELM = {"meta.helm.sh/release-name": "agents"}


def _id(line: Line) -> str:
    return line.generation


@pytest.fixture
def clean(cluster: Client) -> Client:
    """A cluster without our definitions and objects."""
    names = {definitions.of(line)["metadata"]["name"] for line in definitions.LINES_WITH_ONE}
    for name in names & _installed(cluster):
        cluster.delete(_KIND, name)
    wait(lambda: not names & _installed(cluster), "the removal of the definitions")
    return cluster


def _installed(cluster: Client) -> set[str]:
    return {found["metadata"]["name"] for found in cluster.list(_KIND)}


def _older(line: Line) -> Manifest:
    """An older definition, as Helm may have installed it, with fewer fields."""
    older = deepcopy(definitions.of(line))
    older["metadata"]["annotations"] = _HELM
    older["spec"]["names"]["shortNames"] = []
    schema = older["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    del schema["description"]
    schema["properties"]["spec"]["properties"].pop("basename", None)
    return older


def _task(line: Line, namespace: str, name: str) -> Manifest:
    [task] = runs.tasks(agents.release(line, namespace, name=name))
    return task


@pytest.mark.parametrize("line", definitions.LINES_WITH_ONE, ids=_id)
def test_an_older_definition_is_upgraded_with_objects(line: Line, clean: Client, new_namespace: NewNamespace) -> None:
    before = definitions.install(clean, _older(line), "helm")
    assert before["metadata"]["generation"] == 1
    existing = [_task(line, new_namespace(), "runs") for _ in range(2)]
    for task in existing:
        task["spec"].pop("basename", None)
    kept = [clean.apply(task, manager="helm") for task in existing]

    definition = definitions.of(line)
    with pytest.raises(ApiError, match=r'conflicts? with "helm"') as refused:
        clean.apply(definition, force=False)
    assert refused.value.status == HTTPStatus.CONFLICT
    upgraded = definitions.install(clean, definition, force=True)
    assert upgraded["metadata"]["uid"] == before["metadata"]["uid"]
    assert upgraded["metadata"]["generation"] == 2
    assert upgraded["metadata"]["annotations"] == _HELM
    assert upgraded["spec"] == {**definition["spec"], "conversion": {"strategy": "None"}}
    assert [clean.current(task) for task in existing] == kept
    assert definitions.install(clean, definition)["metadata"]["generation"] == 2


def test_an_upgrade_adds_fields(clean: Client, namespace: str) -> None:
    """Jobs have a name of their own on the current line; the older definition refuses it."""
    line = definitions.LINES_WITH_ONE[1]
    definitions.install(clean, _older(line), "helm")
    task = _task(line, namespace, "runs")
    assert task["spec"]["basename"] == "runs-scalr-agent"
    with pytest.raises(ApiError, match=_UNKNOWN_FIELD):
        clean.apply(task)
    definitions.install(clean, definitions.of(line), force=True)
    wait(lambda: _accepts(clean, task), "the new field")
    assert clean.current(task)["spec"] == task["spec"]


def _accepts(cluster: Client, task: Manifest) -> bool:
    """Whether a task is accepted. The server takes a moment to follow its definition."""
    try:
        cluster.apply(task)
    except ApiError as problem:
        if problem.status not in definitions.NOT_YET and not re.search(_UNKNOWN_FIELD, problem.message):
            raise
        return False
    return True


@pytest.mark.parametrize("line", definitions.LINES_WITH_ONE, ids=_id)
def test_two_stacks_install_the_same_definition(line: Line, clean: Client) -> None:
    first = definitions.install(clean, definitions.of(line), "pulumi-kubernetes-1")
    second = definitions.install(clean, definitions.of(line), "pulumi-kubernetes-2")
    assert [each["metadata"]["generation"] for each in (first, second)] == [1, 1]
    assert second["metadata"]["uid"] == first["metadata"]["uid"]
    assert second["spec"] == first["spec"]
    managers = [each["manager"] for each in second["metadata"]["managedFields"] if each["operation"] == "Apply"]
    assert sorted(managers) == ["pulumi-kubernetes-1", "pulumi-kubernetes-2"]


@pytest.mark.parametrize("line", definitions.LINES_WITH_ONE, ids=_id)
def test_a_kept_definition_is_reused(line: Line, clean: Client) -> None:
    """Without force: a definition that an earlier version has applied, and an equal one that the provider has created."""
    older = _older(line)
    annotations = older["metadata"].pop("annotations")
    left = definitions.install(clean, older, _OURS)
    changed = definitions.install(clean, definitions.of(line), _OURS)
    assert (left["metadata"]["generation"], changed["metadata"]["generation"]) == (1, 2)
    older["metadata"]["annotations"] = annotations
    with pytest.raises(ApiError, match=rf'conflicts? with "{_OURS}"'):
        clean.apply(older, manager="helm", force=False)
