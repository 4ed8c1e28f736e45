"""The page of the components, with their inputs and outputs, from the schema of the package."""

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from scalr_agents import charts

from tests.package import schema, values
from tests.reference.words import INPUT, Schema, cell, paragraphs

_WORDS = {"string": "string", "boolean": "boolean", "integer": "whole number", "number": "number"}
_SHARED = re.compile(r"Takes the arguments of `(\w+)`")
"""What a description says of a component with the inputs of another one."""
_HEAD = """\
# Components

<!-- `make schema` writes this page. -->

The components of the package, in the spelling of its schema: programs in Python write `agentVersion` as `agent_version`. What is marked
*(input)* may be an output of another resource; all else must be known before the deployment. Start with
[In your own program](../programs.md), or in other languages with
[installation and configuration](../installation-configuration.md).
"""


def page() -> str:
    package = json.loads(schema.FILE.read_text(encoding="utf-8"))
    return _HEAD + "".join(_components(package))


def _components(package: Schema) -> Iterator[str]:
    for token, spec in package["resources"].items():
        inputs, shared = spec.get("inputProperties", {}), _SHARED.search(spec["description"])
        description = spec["description"].replace(f"`{shared[1]}`", _named(shared[1])) if shared else spec["description"]
        yield f"\n## {_name(token)}\n\n{paragraphs(description)}\n"
        if not shared or inputs != package["resources"][f"{values.PREFIX}{shared[1]}"]["inputProperties"]:
            yield from _table("Inputs", inputs, spec.get("requiredInputs", ()))
        yield from _table("Outputs", spec.get("properties", {}), None)
    yield "\n## Types\n\nTypes of inputs. The types of values are on the pages of the charts.\n"
    for token, spec in package["types"].items():
        if "properties" in spec and not _of_values(_name(token)):
            yield f"\n### {_name(token)}\n\n{paragraphs(spec.get('description', ''))}\n"
            yield from _table("", spec["properties"], spec.get("required", ()))


def _table(title: str, properties: dict[str, Schema], required: Any) -> Iterator[str]:
    """A table of properties. Outputs have no word on what is required: they are always there, or as their description says."""
    if not properties:
        return
    yield f"\n**{title}**\n" if title else ""
    yield "\n| Name | Type | Meaning |\n|---|---|---|\n"
    for key, spec in properties.items():
        words = _type(spec) + (", required" if required is not None and key in required else "")
        yield f"| `{key}` | {words if required is not None else words.replace(f' {INPUT}', '')} | {cell(spec.get('description', ''))} |\n"


def _type(spec: Schema) -> str:
    match spec:
        case {"$ref": reference}:
            return _named(_name(reference))
        case {"oneOf": choices}:
            return " or ".join(_type(choice) for choice in choices)
        case {"additionalProperties": content}:
            return f"map of {_type(content)}"
        case {"items": content}:
            return f"list of {_type(content)}"
    return _WORDS[spec["type"]] + ("" if "plain" in spec else f" {INPUT}")


def _named(name: str) -> str:
    if name == "Any":
        return "anything"
    chart = _of_values(name)
    return f"[values of {chart}]({chart}.md)" if chart else f"[{name}](#{name.lower()})"


@cache
def _of_values(name: str) -> str:
    """The chart whose values a type describes; empty for other types."""
    of_charts = {chart: values.of_chart(chart) for chart in charts.CHARTS}
    return next((chart for chart, types in of_charts.items() if name in types), "")


def _name(token: str) -> str:
    return re.split(r"[:/]", token)[-1]
