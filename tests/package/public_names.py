"""What users depend on who write no program in another language: keys of the stack file, commands and options, and names in Python."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import click
import scalr_agents
from scalr_agents.cli import main
from scalr_agents.stack import schema

KEY, VALUE = "key", "value"
VALUES = "values"
"""The key of a chart's values, which are types of the package's schema."""


class Item(NamedTuple):
    """A part of the contract, as a line of the file says it."""

    name: str
    """For instance `AgentJob.values`. Outputs are set apart: `AgentJob > namespace`."""
    kind: str
    type: str = ""
    required: bool = False

    def __str__(self) -> str:
        return f"{self.name}: {'required ' if self.required else ''}{self.kind}{f' {self.type}' if self.type else ''}"


def names() -> Iterator[Item]:
    """The public names in Python."""
    yield from (Item(f"scalr_agents.{name}", "name") for name in scalr_agents.__all__)


def commands() -> Iterator[Item]:
    """Commands and options."""
    found = _of_command(main, main.make_context("scalr-agents", [], resilient_parsing=True))
    yield from (Item(command, "command") for command in found)


def stack_keys() -> Iterator[Item]:
    """All keys in the schema of a stack file, with types and defaults, and the words that they allow.

    Names of entries are `*`; an allowed word follows its key: `scalr-agents:kubernetes.crds="install"`.
    """
    whole = schema.stack_file()
    yield from _below(whole["properties"]["config"], "", whole["definitions"], ())


def _of_command(command: click.Command, context: click.Context) -> Iterator[str]:
    for parameter in command.get_params(context):
        yield from (f"{context.command_path} {option}" for option in (*parameter.opts, *parameter.secondary_opts) if option[:1] == "-")
    for name, inner in command.commands.items() if isinstance(command, click.Group) else ():
        yield f"{context.command_path} {name}"
        yield from _of_command(inner, click.Context(inner, info_name=name, parent=context))


def _below(spec: Mapping[str, Any], at: str, definitions: Mapping[str, Any], inside: tuple[str, ...]) -> Iterator[Item]:
    if reference := spec.get("$ref", "").rpartition("/")[2]:
        if reference not in inside:
            yield from _below(definitions[reference], at, definitions, (*inside, reference))
        return
    yield from (
        Item(f"{at}={json.dumps(choice)}", VALUE) for choice in [*spec.get("enum", ()), *([spec["const"]] if "const" in spec else ())]
    )
    for key, inner in spec.get("properties", {}).items():
        here = f"{at}.{key}" if at else key
        yield Item(here, KEY, f"{_type(inner)}{_default(inner)}", key in spec.get("required", ()))
        if key != VALUES:
            yield from _below(inner, here, definitions, inside)
    for inner in (*spec.get("anyOf", ()), *spec.get("allOf", ()), *([spec["items"]] if "items" in spec else ())):
        yield from _below(inner, at, definitions, inside)
    if isinstance(entries := spec.get("additionalProperties"), dict):
        yield from _below(entries, f"{at}.*", definitions, inside)


def _type(spec: Mapping[str, Any]) -> str:
    if "$ref" in spec or "properties" in spec:
        return "section"
    if "anyOf" in spec:
        return " or ".join(dict.fromkeys(_type(choice) for choice in spec["anyOf"] if choice.get("type") != "null"))
    if isinstance(entries := spec.get("additionalProperties"), dict):
        return f"map of {_type(entries)}"
    return f"list of {_type(spec['items'])}" if "items" in spec else str(spec.get("type", "any"))


def _default(spec: Mapping[str, Any]) -> str:
    default = next((each["default"] for each in (spec, *spec.get("anyOf", ())) if "default" in each), None)
    return "" if default in (None, "", [], {}) else f" = {json.dumps(default)}"
