"""JSON Schema of the stack file, for editors to complete and check it."""

import ast
import inspect
from functools import cache
from itertools import pairwise
from types import ModuleType
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, models_json_schema

from scalr_agents.charts import CHARTS, find
from scalr_agents.model.marks import described
from scalr_agents.stack.caches import CachesOfFile
from scalr_agents.stack.machines import MachinesOfFile
from scalr_agents.stack.model import PREFIX, StackFile

_DIALECT = "http://json-schema.org/draft-07/schema#"
_CHART_VALUES: dict[str, type[BaseModel]] = {chart: find(chart).model for chart in CHARTS}


def stack_file() -> dict[str, Any]:
    """The schema of `Pulumi.<stack>.yaml`. It allows any keys of other packages and of Pulumi itself."""
    models: list[type[BaseModel]] = [StackFile, CachesOfFile, MachinesOfFile, *_CHART_VALUES.values()]
    _, definitions = models_json_schema(
        [(model, "validation") for model in models], ref_template="#/definitions/{model}", schema_generator=_Generator
    )
    known = definitions["$defs"]
    keys = known.pop("StackFile")["properties"] | known.pop("CachesOfFile")["properties"] | known.pop("MachinesOfFile")["properties"]
    known["AgentSecrets"] = _or_sealed(known["AgentSecrets"])
    known["AgentEntry"] |= {"allOf": [_values_of(kind, model) for kind, model in _CHART_VALUES.items()]}
    return {
        "$schema": _DIALECT,
        "title": "Stack file of scalr-agents",
        "type": "object",
        "properties": {
            "config": {
                "type": "object",
                "properties": {f"{PREFIX}:{key}": content for key, content in keys.items()},
                "patternProperties": {f"^{PREFIX}:(?!({'|'.join(keys)})$)": False},
            }
        },
        "definitions": known,
    }


def _values_of(kind: str, model: type[BaseModel]) -> dict[str, Any]:
    return {
        "if": {"properties": {"kind": {"const": kind}}},
        "then": {"properties": {"values": {"$ref": f"#/definitions/{model.__name__}"}}},
    }


def _or_sealed(schema: Any) -> Any:
    """Allows what `pulumi config set --secret` writes in place of every string."""
    if isinstance(schema, list):
        return [_or_sealed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if schema.get("type") == "string":
        sealed = {"type": "object", "required": ["secure"], "properties": {"secure": {"type": "string"}}, "additionalProperties": False}
        return {"anyOf": [{"type": "string"}, sealed]}
    return {key: value if key == "propertyNames" else _or_sealed(value) for key, value in schema.items()}


class _Generator(GenerateJsonSchema):
    """Adds the docstrings of fields as descriptions, which only the source has, and names definitions."""

    def normalize_name(self, name: str) -> str:
        """The name of a definition is that of its class. Classes of one name have their chart in front; a module may move."""
        *modules, own = name.removeprefix("scalr_agents.").removeprefix("charts.").split(".")
        chart = "".join(map(str.capitalize, modules[0].split("_"))) if modules else ""
        return super().normalize_name(f"{chart}{own}")

    def model_schema(self, schema: Any) -> dict[str, Any]:
        result = super().model_schema(schema)
        model = schema["cls"]
        documented = descriptions(model)
        for name, field in model.model_fields.items():
            key = field.alias or name
            result["properties"][key] = _nullable(result["properties"][key]) | {"description": documented[name]}
        result.pop("title", None)
        return result


def _nullable(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of a field, which allows `null` to unset a default or for an empty map, without titles and defaults of whole sections."""
    schema = {key: value for key, value in schema.items() if key != "title" and not (key == "default" and "$ref" in schema)}
    entries = schema.get("additionalProperties")
    if isinstance(entries, dict) and "$ref" in entries:
        schema["additionalProperties"] = {"anyOf": [entries, {"type": "null"}]}
    return {"anyOf": [schema, {"type": "null"}]} if "type" in schema and "default" in schema else schema


def descriptions(model: type[BaseModel]) -> dict[str, str]:
    """The descriptions of a model's fields: their docstrings, and the environment variables that they set."""
    documented = {name: text for base in reversed(model.__mro__) for name, text in _docstrings(base).items()}
    return {name: described(field, documented.get(name) or field.description or "") for name, field in model.model_fields.items()}


@cache
def _docstrings(model: type) -> dict[str, str]:
    """The strings below the fields of a class."""
    tree = (
        _tree(inspect.getmodule(model))
        if issubclass(model, BaseModel) and model.__module__.startswith("scalr_agents")
        else ast.Module([], [])
    )
    body = next((node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == model.__name__), [])
    return {
        field.target.id: " ".join(inspect.cleandoc(text.value.value).split())
        for field, text in pairwise(body)
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
        if isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant) and isinstance(text.value.value, str)
    }


@cache
def _tree(module: ModuleType | None) -> ast.Module:
    return ast.parse(inspect.getsource(module)) if module else ast.Module([], [])
