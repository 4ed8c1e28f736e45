"""The values of the charts as types of the package's schema, from the models that validate them.

A property without `plain` may be an output. Sections are never plain, because what is in a plain object cannot be an output.
"""

import builtins
import json
import re
import types
import typing
from typing import Annotated, Any, get_args, get_origin

from pydantic import BaseModel, ValidationError, WithJsonSchema
from pydantic.fields import FieldInfo
from scalr_agents import charts
from scalr_agents.model.maps import Deferred
from scalr_agents.stack.schema import descriptions

from tests.package import versions

PREFIX = "scalr-agents:index:"
SECRETS = {"clientKey", "token"}
"""Values that become Secrets."""
NULLABLE = "nullable"
"""Marks, for Python, what may be `None`. The schema has no word for it: `null` and nothing are the same in Pulumi."""

Spec = dict[str, Any]
"""A part of the schema: https://www.pulumi.com/docs/iac/guides/building-extending/packages/schema/."""
_PRIMITIVE = {str: "string", bool: "boolean", int: "integer", float: "number"}
ANY = {"$ref": "pulumi.json#/Any"}


def of_chart(chart: str) -> dict[str, Spec]:
    """The types of the values of a chart by name. A section comes before the one that contains it."""
    found: dict[str, Spec] = {}
    _Chart(chart, found).section(charts.find(chart).model)
    return found


def prefix(chart: str) -> str:
    """What the names of a chart's types begin with: `AgentJob`."""
    return "".join(map(str.capitalize, chart.split("-")))


def common_name(chart: str, model: type[BaseModel]) -> str:
    """What the names of a section and of its enumerations begin with."""
    return f"{prefix(chart)}{model.__name__.removeprefix(prefix(chart)).removesuffix('Values')}"


def reference(name: str) -> Spec:
    return {"$ref": f"#/types/{PREFIX}{name}"}


class _Chart:
    """Collects the types of one chart. Charts share models, but not the names of types: the contract of each chart is its own."""

    def __init__(self, chart: str, found: dict[str, Spec]) -> None:
        self.chart, self.found = chart, found
        self.places = _places(charts.find(chart).model)

    def section(self, model: type[BaseModel]) -> Spec:
        name = f"{common_name(self.chart, model)}Values"
        if name not in self.found:
            properties = {field.alias or attribute: self._property(model, attribute) for attribute, field in model.model_fields.items()}
            required = [field.alias or attribute for attribute, field in model.model_fields.items() if field.is_required()]
            self.found[name] = {"type": "object", "description": " ".join((model.__doc__ or "").split()), "properties": properties} | (
                {"required": required} if required else {}
            )
        return reference(name)

    def _property(self, model: type[BaseModel], attribute: str) -> Spec:
        field = model.model_fields[attribute]
        key = field.alias or attribute
        name = f"{common_name(self.chart, model)}{_member(key)}"
        described = with_default(descriptions(model)[attribute], None if field.is_required() else field.default)
        return (
            self._type(Annotated[field.annotation, *field.metadata, None], name)
            | ({"secret": True} if key in SECRETS else {})
            | ({NULLABLE: True} if _takes_null(model, key) else {})
            | {"description": " ".join([described, *self._of_versions(model, key, field)])}
        )

    def _of_versions(self, model: type[BaseModel], key: str, field: FieldInfo) -> list[str]:
        """What differs with older agents, in sentences; with their paths, if the places of a section do not have it in common."""
        texts = {path: ". ".join(self._differences(path, field)) for path in (f"{at}{key}" for at in self.places.get(model, []))}
        if len(set(texts.values())) == 1:
            return [f"{text}." for text in {*texts.values()} if text]
        return [f"`{path}`: {text}." for path, text in texts.items() if text]

    def _differences(self, path: str, field: FieldInfo) -> list[str]:
        known, older = (
            versions.only(self.chart, path),
            "" if _is_section(field) else versions.older_defaults(self.chart, path, field.default),
        )
        return [*([f"Only {known}"] if known else []), *([f"Older defaults: {older}"] if older else [])]

    def _type(self, annotation: Any, name: str) -> Spec:
        """The type of a field. `name` is that of its enumeration, if it is one."""
        arguments = get_args(annotation)
        match get_origin(annotation):
            case typing.Annotated:
                written = next((each.json_schema or {} for each in arguments[1:] if isinstance(each, WithJsonSchema)), None)
                found = _one_of([{"type": each} for each in written["type"]]) if written else self._type(arguments[0], name)
            case typing.Literal:
                self.found[name] = {"type": "string", "enum": [{"name": _member(value), "value": value} for value in arguments]}
                found = reference(name) | {"plain": True}
            case typing.Union | types.UnionType:
                choices = [self._type(each, name) for each in arguments if each not in (Deferred, types.NoneType)]
                found = choices[0] if len(choices) == 1 else _one_of(choices)
                if Deferred in arguments:
                    del found["plain"]
            case builtins.dict:
                content = self._type(arguments[1], name)
                found = ANY if content is ANY else {"type": "object", "additionalProperties": content, "plain": True}
            case builtins.list:
                found = {"type": "array", "items": self._type(arguments[0], name), "plain": True}
            case _ if isinstance(annotation, type) and issubclass(annotation, BaseModel):
                found = self.section(annotation)
            case _:
                found = ANY if annotation is Any else {"type": _PRIMITIVE[annotation], "plain": True}
        return found


def _places(model: type[BaseModel], at: str = "") -> dict[type[BaseModel], list[str]]:
    """Where each section stands in the values, as the beginning of the paths of its keys. Items of lists have no place."""
    found = {model: [at]}
    for name, field in model.model_fields.items():
        if isinstance(field.annotation, type) and _is_section(field):
            for inner, places in _places(field.annotation, f"{at}{field.alias or name}.").items():
                found[inner] = [*found.get(inner, []), *places]
    return found


def _is_section(field: FieldInfo) -> bool:
    return isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel)


def _one_of(choices: list[Spec]) -> Spec:
    return {"oneOf": [{**choice, "plain": True} for choice in choices], "plain": True}


def _member(text: str) -> str:
    """A key, or a value of an enumeration, as a name: `grace-shutdown` as `GraceShutdown`."""
    return "".join(part[:1].upper() + part[1:] for part in re.split("[-_]", text)) or "Default"


def _takes_null(model: type[BaseModel], key: str) -> bool:
    try:
        model.model_validate({key: None})
    except ValidationError as problem:
        return all(error["loc"][:1] != (key,) for error in problem.errors())
    return True


def with_default(text: str, default: Any) -> str:
    """The docstring of a field, with its default if that is a constant, unless it says it."""
    constant = isinstance(default, str | int | float) and default != "" and "Default:" not in text
    return f"{text} Default: `{default if isinstance(default, str) else json.dumps(default)}`." if constant else text
