"""What users depend on who write no program in another language: keys of the stack file, commands and options, and names in Python."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import click
import scalr_agents
from scalr_agents.cli import main
from scalr_agents.stack import schema

VALUES = "values"
"""The key of a chart's values, which are types of the package's schema."""


def names() -> Iterator[str]:
    """The public names in Python."""
    yield from (f"scalr_agents.{name}" for name in scalr_agents.__all__)


def commands() -> Iterator[str]:
    """Commands and options."""
    yield from _of_command(main, main.make_context("scalr-agents", [], resilient_parsing=True))


class Key(NamedTuple):
    """A key of the stack file, or a word that it allows."""

    path: str
    """Names of entries are `*`; an allowed word follows its key: `scalr-agents:kubernetes.crds="install"`."""
    form: str = ""
    """Its type and default: `list of string`, `integer = 300`. Empty for an allowed word."""
    required: bool = False


def stack_keys() -> Iterator[Key]:
    """All keys in the schema of a stack file."""
    whole = schema.stack_file()
    yield from _below(whole["properties"]["config"], "", whole["definitions"], ())


def _of_command(command: click.Command, context: click.Context) -> Iterator[str]:
    for parameter in command.get_params(context):
        yield from (f"{context.command_path} {option}" for option in (*parameter.opts, *parameter.secondary_opts) if option[:1] == "-")
    for name, inner in command.commands.items() if isinstance(command, click.Group) else ():
        yield f"{context.command_path} {name}"
        yield from _of_command(inner, click.Context(inner, info_name=name, parent=context))


def _below(spec: Mapping[str, Any], at: str, definitions: Mapping[str, Any], inside: tuple[str, ...]) -> Iterator[Key]:
    if reference := spec.get("$ref", "").rpartition("/")[2]:
        if reference not in inside:
            yield from _below(definitions[reference], at, definitions, (*inside, reference))
        return
    yield from (Key(f"{at}={json.dumps(choice)}") for choice in [*spec.get("enum", ()), *([spec["const"]] if "const" in spec else ())])
    for key, inner in spec.get("properties", {}).items():
        here = f"{at}.{key}" if at else key
        yield Key(here, f"{_type(inner)}{_default(inner)}", key in spec.get("required", ()))
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
