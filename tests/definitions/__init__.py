"""Definitions of kinds that are not ours, as their projects publish them: what a policy of theirs may contain."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import yaml

Definition = dict[str, Any]


@cache
def definitions() -> Mapping[str, Definition]:
    """The definitions by the kind that they define."""
    files = sorted(Path(__file__).parent.glob("*.yaml"))
    found = [yaml.load(file.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader) for file in files]
    return {definition["spec"]["names"]["kind"]: definition for definition in found}


def assert_valid(manifest: Mapping[str, Any]) -> None:
    """An object as its definition wants it, without unknown fields: the API server would drop or refuse them."""
    _validator(manifest["kind"], manifest["apiVersion"]).validate(manifest)


@cache
def _validator(kind: str, api_version: str) -> jsonschema.Draft4Validator:
    """OpenAPI 3.0 is closest to the fourth draft of JSON Schema."""
    spec = definitions()[kind]["spec"]
    [version] = [each for each in spec["versions"] if api_version == f"{spec['group']}/{each['name']}"]
    return jsonschema.Draft4Validator(_strict(version["schema"]["openAPIV3Schema"]))


def _strict(schema: Any) -> Any:
    """A schema that allows no other properties than it has. Metadata are those of every object; branches of `anyOf` repeat a part only."""
    if not isinstance(schema, dict):
        return schema
    made = {key: value for key, value in schema.items() if key not in ("properties", "items")}
    if "items" in schema:
        made["items"] = _strict(schema["items"])
    if "properties" in schema:
        made["properties"] = {key: _strict(value) for key, value in schema["properties"].items()}
        made["additionalProperties"] = False
    if schema.get("x-kubernetes-int-or-string"):
        made["type"] = ["integer", "string"]
    return made
