"""The definition of ExternalSecrets, and whether an object is one: the operator's own schema, without unknown fields."""

from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import yaml

_FILE = Path(__file__).with_suffix(".yaml")


@cache
def definition() -> dict[str, Any]:
    """The CustomResourceDefinition of the operator, as a cluster has it."""
    content: dict[str, Any] = yaml.safe_load(_FILE.read_text(encoding="utf-8"))
    return content


def assert_valid(manifest: dict[str, Any]) -> None:
    """The API server would drop unknown fields in silence: here they are an error."""
    [version] = definition()["spec"]["versions"]
    assert manifest["apiVersion"] == f"{definition()['spec']['group']}/{version['name']}"
    jsonschema.validate(manifest["spec"], _strict(version["schema"]["openAPIV3Schema"]["properties"]["spec"]))


def _strict(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_strict(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {"additionalProperties": False} if isinstance(schema.get("properties"), dict) and schema.get("type") == "object" else {}
    return {key: _strict(value) for key, value in schema.items()} | closed
