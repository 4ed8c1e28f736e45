"""Deprecated keys work, and warn with the version that no longer has them."""

import pkgutil
from collections.abc import Iterator
from importlib import import_module
from typing import Annotated, Any

import pytest
import scalr_agents
from packaging.version import Version
from pydantic import BaseModel, Field
from scalr_agents.caches.efs.settings import EfsSettings
from scalr_agents.machines.settings import Ec2Settings
from scalr_agents.model import parse as shapes
from scalr_agents.model.deprecation import Deprecated
from scalr_agents.model.fields import Text
from scalr_agents.model.section import Section, default
from scalr_agents.resources import validation
from scalr_agents.stack.model import StackFile

from tests.helpers.recording import run

WARNING = "deprecated; version 9.0.0 will not have it: use image"


class Container(Section):
    """A section with a key that goes."""

    image: Text = ""
    image_tag: Annotated[Text, Deprecated("9.0.0", "use image")] = ""


class Pods(Section):
    """Sections at each place where one can be."""

    main: Container = default(Container)
    others: list[Container] = Field([])
    named: dict[str, Container] = Field({})


OLD = {"imageTag": "1.4.0"}


@pytest.mark.parametrize(
    ("given", "path"),
    [({"main": OLD}, "main.imageTag"), ({"others": [{}, OLD]}, "others[1].imageTag"), ({"named": {"a": OLD}}, "named.a.imageTag")],
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
        validation.validate("Pods", "web", Container, {"image_tag": "1.4.0"}, lambda _: ())

    recording = run(program)
    assert recording.log == [("warning", f"web: image_tag: {WARNING}")]


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


def _below(model: type[BaseModel]) -> Iterator[type[BaseModel]]:
    for each in model.__subclasses__():
        yield each
        yield from _below(each)
