"""The types of values as TypedDicts, in the form that the formatter gives them."""

import keyword
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path

import scalr_agents
from scalr_agents import charts

from tests.package import values
from tests.package.values import NULLABLE, Spec

_DIRECTORY = Path(scalr_agents.__file__).parent / "resources" / "values"
_WIDTH = 140
_INDENT = "    "
_PRIMITIVES = {"string": "str", "boolean": "bool", "integer": "int", "number": "float"}


def files() -> dict[Path, str]:
    """The modules, by file."""
    return {_DIRECTORY / f"{chart.replace('-', '_')}.py": _module(chart) for chart in charts.CHARTS}


def _module(chart: str) -> str:
    types = values.of_chart(chart)
    classes = "".join(text for name, spec in types.items() if "properties" in spec for text in _typed_dict(name, spec, types))
    shapes = [name for name in ("Mapping", "Sequence") if f"{name}[" in classes]
    words = ["Any", "Literal", *(["Required"] if "Required[" in classes else []), "TypedDict"]
    return (
        f'"""The values of the chart `{chart}`. `make schema` writes this file."""\n\n'
        f"from collections.abc import {', '.join(shapes)}\nfrom typing import {', '.join(words)}\n\nimport pulumi\n{classes}"
    )


def _typed_dict(name: str, spec: Spec, types: Mapping[str, Spec]) -> Iterator[str]:
    """A class. Its keys that are keywords of Python cannot be attributes, so it inherits all keys if there is one."""
    annotations = {key: _annotation(each, types, required=key in spec.get("required", ())) for key, each in spec["properties"].items()}
    keywords = {key: annotations.pop(key) for key in [*annotations] if keyword.iskeyword(key)}
    attributes = "".join(
        f"{_INDENT}{key}: {annotation}\n{docstring(spec['properties'][key]['description'])}" for key, annotation in annotations.items()
    )
    if not keywords:
        yield f"\n\nclass {name}(TypedDict, total=False):\n{docstring(spec['description'])}\n{attributes}"
        return
    entries = ", ".join(f'"{key}": {annotation}' for key, annotation in keywords.items())
    yield f'\n\n_{name}Keywords = TypedDict("_{name}Keywords", {{{entries}}}, total=False)\n'
    yield f"\n\nclass _{name}Attributes(TypedDict, total=False):\n{attributes}"
    yield f"\n\nclass {name}(_{name}Attributes, _{name}Keywords):\n{docstring(spec['description'])}"


def docstring(text: str) -> str:
    """A docstring in a class."""
    return textwrap.fill(f'"""{text}"""', _WIDTH, initial_indent=_INDENT, subsequent_indent=_INDENT, break_on_hyphens=False) + "\n"


def _annotation(spec: Spec, types: Mapping[str, Spec], *, required: bool = False) -> str:
    written = _type(spec, types)
    if NULLABLE in spec and written != "Any":
        written += " | None"
    return f"Required[{written}]" if required else written


def _type(spec: Spec, types: Mapping[str, Spec]) -> str:
    match spec:
        case {"$ref": reference}:
            return _named(reference.rpartition(":")[2], types)
        case {"oneOf": choices}:
            return " | ".join(_type(choice, types) for choice in choices)
        case {"additionalProperties": content}:
            return f"Mapping[str, {_type(content, types)}]"
        case {"items": content}:
            return f"Sequence[{_type(content, types)}]"
    primitive = _PRIMITIVES[spec["type"]]
    return primitive if "plain" in spec else f"pulumi.Input[{primitive}]"


def _named(name: str, types: Mapping[str, Spec]) -> str:
    if name not in types:
        return "Any"
    if "enum" not in types[name]:
        return name
    allowed = ", ".join(f'"{each["value"]}"' for each in types[name]["enum"])
    return f"Literal[{allowed}]"
