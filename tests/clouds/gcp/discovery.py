"""An API as Google's discovery document describes it: its methods and the schemas of their requests."""

import base64
import binascii
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any

Json = dict[str, Any]


class RefusedError(Exception):
    """A request that Google refuses."""

    def __init__(self, code: int, status: str, message: str) -> None:
        super().__init__(message)
        self.code, self.status, self.message = code, status, message


def invalid(message: str) -> RefusedError:
    """An invalid request."""
    return RefusedError(HTTPStatus.BAD_REQUEST, "INVALID_ARGUMENT", message)


@dataclass(frozen=True)
class Method:
    """A method of an API."""

    id: str
    verb: str
    path: re.Pattern[str]
    content: Json
    document: "Document"

    def check(self, query: Mapping[str, str], body: Any) -> Iterator[str]:
        """What is wrong with a request."""
        known = {**self.document.content.get("parameters", {}), **self.content.get("parameters", {})}
        for name, value in query.items():
            if name not in known:
                yield f"Unknown query parameter {name!r} of {self.id}"
            elif value not in known[name].get("enum", [value]):
                yield f"{name}={value!r}: allowed: {', '.join(known[name]['enum'])}"
        if "request" in self.content:
            yield from self.document.check(self.content["request"], body, self.content["request"]["$ref"])
        elif body:
            yield f"{self.id} takes no body"


class Document:
    """A discovery document."""

    def __init__(self, name: str, file: Path) -> None:
        self.name = name
        self.content: Json = json.loads(file.read_text(encoding="utf-8"))

    def methods(self) -> Iterator[Method]:
        """All methods, those with the fewest variables in their paths first."""
        found = sorted(self._within(self.content), key=lambda content: content["path"].count("{"))
        for content in found:
            # `{+name}` stands for several segments, which the flat path has one by one.
            parts = re.split(r"\{[^}]+\}", str(content.get("flatPath", content["path"])))
            path = re.compile(f"/{self.name}/" + "([^/:]+)".join(map(re.escape, parts)))
            yield Method(content["id"], content["httpMethod"], path, content, self)

    def check(self, schema: Json, value: Any, path: str) -> Iterator[str]:
        """What is wrong with a value. A null is the same as an absent field."""
        schema = self.content["schemas"][schema["$ref"]] if "$ref" in schema else schema
        if value is None:
            return
        match schema.get("type"):
            case "object":
                yield from self._object(schema, value, path)
            case "array":
                if not isinstance(value, list):
                    yield f"{path}: expected a list, given {value!r}"
                    return
                for index, item in enumerate(value):
                    yield from self.check(schema["items"], item, f"{path}[{index}]")
            case kind:
                yield from _leaf(kind, schema, value, path)

    def _object(self, schema: Json, value: Any, path: str) -> Iterator[str]:
        if not isinstance(value, dict):
            yield f"{path}: expected an object, given {value!r}"
            return
        known, others = schema.get("properties", {}), schema.get("additionalProperties")
        for name, item in value.items():
            if name in known:
                yield from self.check(known[name], item, f"{path}.{name}")
            elif others is not None:
                yield from self.check(others, item, f"{path}[{name!r}]")
            else:
                yield f"Unknown name {name!r} at {path!r}: Cannot find field."

    def _within(self, content: Json) -> Iterator[Json]:
        yield from content.get("methods", {}).values()
        for resource in content.get("resources", {}).values():
            yield from self._within(resource)


def _leaf(kind: str | None, schema: Json, value: Any, path: str) -> Iterator[str]:
    if kind == "string":
        yield from _text(schema, value, path)
    elif kind == "integer":
        if isinstance(value, bool) or not re.fullmatch(r"-?\d+", str(value)):
            yield f"{path}: expected a whole number, given {value!r}"
    elif kind == "number":
        if isinstance(value, bool) or not isinstance(value, int | float):
            yield f"{path}: expected a number, given {value!r}"
    elif kind == "boolean" and not isinstance(value, bool):
        yield f"{path}: expected a boolean, given {value!r}"


def _text(schema: Json, value: Any, path: str) -> Iterator[str]:
    if schema.get("format") in {"int64", "uint64"}:
        if isinstance(value, bool) or not re.fullmatch(r"-?\d+", str(value)):
            yield f"{path}: expected {schema['format']}, given {value!r}"
        return
    if not isinstance(value, str):
        yield f"{path}: expected a string, given {value!r}"
        return
    if schema.get("format") == "byte" and not _is_base64(value):
        yield f"{path}: expected base64"
    if value and value not in schema.get("enum", [value]):
        yield f"Invalid value at {path!r}: {value!r}, allowed: {', '.join(schema['enum'])}"
    if value and "pattern" in schema and not re.fullmatch(schema["pattern"], value):
        yield f"Invalid value for field {path!r}: {value!r}. Must be a match of regex {schema['pattern']!r}"


def _is_base64(value: str) -> bool:
    try:
        base64.b64decode(value, validate=True)
    except binascii.Error:
        return False
    return True
