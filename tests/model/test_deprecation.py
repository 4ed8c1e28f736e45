"""Deprecated keys work, and warn with the version that no longer has them."""

import pkgutil
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, cast

import pytest
import scalr_agents
from packaging.version import Version
from pydantic import BaseModel, Field
from scalr_agents import stack
from scalr_agents.caches.efs import EfsSettings
from scalr_agents.charts.agent_job import JobAgent
from scalr_agents.charts.agent_job.values import Agent, Rbac
from scalr_agents.charts.shared.loading import load
from scalr_agents.machines.aws import Ec2Settings
from scalr_agents.model import parse as shapes
from scalr_agents.model.fields import Text
from scalr_agents.model.findings import Finding
from scalr_agents.model.marks import Deprecated, has_deprecated
from scalr_agents.model.section import Section, default
from scalr_agents.resources import validation
from scalr_agents.resources.arguments.agents import AgentJobArgs
from scalr_agents.resources.kubernetes import agents
from scalr_agents.stack.model import StackFile

from tests.helpers.recording import run

WARNING = "deprecated, will be removed in version 9.0.0: use image"


class Container(Section):
    """A section with a key that goes."""

    image: Text = ""
    image_tag: Annotated[Text, Deprecated("9.0.0", "use image")] = ""


class Pods(Section):
    """Sections at each place where one can be."""

    main: Container = default(Container)
    others: list[Container] = Field([])
    named: dict[str, Container] = Field({})
    kept: Sequence[Container] = ()


OLD = {"imageTag": "1.4.0"}


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ({"main": OLD}, "main.imageTag"),
        ({"others": [{}, OLD]}, "others[1].imageTag"),
        ({"named": {"a": OLD}}, "named.a.imageTag"),
        ({"kept": (OLD,)}, "kept[0].imageTag"),
    ],
)
def test_a_deprecated_key_works_and_warns(given: dict[str, Any], path: str) -> None:
    parsed, findings, left_out = shapes.parse(Pods, given)
    assert [str(finding) for finding in findings] == [f"warning: {path}: {WARNING}"]
    assert (left_out, "1.4.0" in str(parsed)) == ([], True)


def test_keys_that_are_not_given_do_not_warn() -> None:
    assert shapes.parse(Pods, {"main": {"image": "agent"}, "others": [{}]})[1] == []


def test_it_warns_beside_errors() -> None:
    _, findings, _ = shapes.parse(Pods, {"main": {"imageTag": "1.4.0", "imag": "agent"}})
    assert [finding.severity for finding in findings] == ["error", "warning"]


def test_arguments_warn_in_their_own_spelling() -> None:
    def program() -> None:
        validation.validate("Pods", "web", Container, {"image_tag": "1.4.0"}, then=lambda _: ())

    recording = run(program)
    assert recording.log == [("warning", f"web: image_tag: {WARNING}")]


OF_AGENT = {"url": "https://acme.scalr.io", "token": "s3cr3t-token"}
RULES: list[Any] = [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]


@pytest.fixture
def deprecated_values(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Of agent-job: two that a stack and a program set with keys of their own, and one whose default depends on the version."""
    for model in (JobAgent.model, Agent, Rbac):
        model.model_validate({})  # their schemas are built at the first use, and stay: without the marks
    for section, name in ((Agent, "url"), (Agent, "token"), (Rbac, "rules")):
        field = section.model_fields[name]
        monkeypatch.setattr(field, "metadata", [*field.metadata, Deprecated("9.0.0", "use image")])
    has_deprecated.cache_clear()
    yield
    has_deprecated.cache_clear()


def _deprecated(findings: Sequence[Finding]) -> list[str]:
    return [finding.path for finding in findings if finding.message == WARNING]


@pytest.mark.usefixtures("deprecated_values")
@pytest.mark.parametrize("version", ["0.57.0", "1.1.0", "1.4.0"])
@pytest.mark.parametrize(("rbac", "found"), [({}, []), ({"rules": RULES}, ["rbac.rules"])])
def test_defaults_of_a_version_do_not_warn(version: str, rbac: dict[str, Any], found: list[str]) -> None:
    values = {"agent": OF_AGENT, "rbac": rbac}
    loaded = load(JobAgent, values, release="runs", namespace="scalr", agent_version=version)
    assert sorted(_deprecated(loaded.findings)) == ["agent.token", "agent.url", *found]


@pytest.mark.usefixtures("deprecated_values")
def test_settings_of_a_stack_do_not_warn() -> None:
    def findings(values: dict[str, Any]) -> list[str]:
        agent = {"kind": "agent-job", "namespace": "scalr", "values": values}
        config = {"common": {"url": OF_AGENT["url"]}, "agents": {"runs": agent}, "secrets": {"runs": {"token": OF_AGENT["token"]}}}
        return _deprecated(stack.load(config, directory=Path()).findings)

    assert findings({}) == []
    assert findings({"agent": {"url": OF_AGENT["url"]}}) == ["scalr-agents:agents.runs.values.agent.url"]


@pytest.mark.usefixtures("deprecated_values")
def test_flat_arguments_do_not_warn() -> None:
    def log(**args: Any) -> list[str]:
        def program() -> None:
            agents.agent_job("AgentJob", "runs", cast(AgentJobArgs, {"namespace": "scalr", "token": OF_AGENT["token"], **args}))

        return [message for _, message in run(program).log if "deprecated" in message]

    assert log(url=OF_AGENT["url"]) == []
    assert log(values={"agent": {"url": OF_AGENT["url"]}}) == [f"runs: values.agent.url: {WARNING}"]


def test_editors_show_deprecated_keys() -> None:
    fields = Container.model_json_schema()["properties"]
    assert {name for name, field in fields.items() if field.get("deprecated")} == {"imageTag"}


def test_no_key_outlives_its_version() -> None:
    """A key that warns that a version will not have it is removed from that version."""
    for module in pkgutil.walk_packages(scalr_agents.__path__, "scalr_agents."):
        if module.name not in ("scalr_agents.__main__", "scalr_agents.machines.on_machine"):
            import_module(module.name)
    marks = {
        (f"{model.__module__}.{name}", mark)
        for model in _below(Section)
        for name, field in model.model_fields.items()
        for mark in field.metadata
        if isinstance(mark, Deprecated)
    }
    assert [at for at, mark in marks if Version(mark.until) <= Version(scalr_agents.__version__)] == []
    assert (f"{__name__}.image_tag", Deprecated("9.0.0", "use image")) in marks
    assert {StackFile, Ec2Settings, EfsSettings} <= set(_below(Section))
    assert {Container, Pods} <= {model for model in _below(Section) if has_deprecated(model)}


def _below(model: type[BaseModel]) -> Iterator[type[BaseModel]]:
    for each in model.__subclasses__():
        yield each
        yield from _below(each)
