"""The schema of the package is current, complete, and matches the models of values."""

import json
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError
from scalr_agents import charts
from scalr_agents.model.maps import Placeholder

from tests.package import schema, values
from tests.package.values import SECRETS
from tests.resources import host

PACKAGE: dict[str, Any] = json.loads(schema.FILE.read_text(encoding="utf-8"))
CHARTS = list(charts.CHARTS)


def properties() -> dict[str, dict[str, Any]]:
    """All arguments, outputs and keys, by where they are."""
    parts = {**PACKAGE["types"], **PACKAGE["resources"]}
    return {
        f"{token} {name}": spec
        for token, each in parts.items()
        for kind in ("properties", "inputProperties")
        for name, spec in each.get(kind, {}).items()
    }


def test_the_host_serves_the_schema() -> None:
    assert json.loads(host.provider().schema) == PACKAGE


def test_everything_is_described() -> None:
    named = {**{token: each for token, each in {**PACKAGE["resources"], **PACKAGE["types"]}.items() if "enum" not in each}, **properties()}
    assert [at for at, spec in named.items() if not spec.get("description")] == []


def test_tokens_are_secret() -> None:
    all_names = {at.partition(":index:")[2]: spec for at, spec in properties().items()}
    secret = {name for name, spec in all_names.items() if spec.get("secret")}
    tokens = {name for name in all_names if name.endswith(" token")} - {"SecretsFromArgs token"}  # which only says where the token is
    assert secret == tokens | {"AgentJobTlsValues clientKey", "AgentLocalTlsValues clientKey"}
    assert {at.split()[1] for at in secret} == SECRETS


def test_every_reference_leads_to_a_type_and_every_type_is_used() -> None:
    used = {part["$ref"].removeprefix("#/types/") for part in schema.parts(PACKAGE) if part.get("$ref", "").startswith("#/types/")}
    assert used == set(PACKAGE["types"])


def models(model: type[BaseModel], found: dict[str, type[BaseModel]]) -> dict[str, type[BaseModel]]:
    """The sections of a chart by name."""
    found[model.__name__] = model
    for field in model.model_fields.values():
        for inner in (field.annotation, *getattr(field.annotation, "__args__", ())):
            if isinstance(inner, type) and issubclass(inner, BaseModel):
                models(inner, found)
    return found


@pytest.mark.parametrize("chart", CHARTS)
def test_values_may_be_outputs_where_the_schema_says_so(chart: str) -> None:
    output = Placeholder()
    types = values.of_chart(chart)
    for model in models(charts.find(chart).model, {}).values():
        name = f"{values.common_name(chart, model)}Values"
        for key, spec in types[name]["properties"].items():
            content = spec.get("items", spec.get("additionalProperties", spec))
            if content.get("type") == "string":
                given = {"array": [output], "object": {"a": output}, "string": output}[spec["type"]]
                assert _accepts(model, key, given) == ("plain" not in content), (name, key)


def _accepts(model: type[BaseModel], key: str, value: Any) -> bool:
    try:
        model.model_validate({key: value})
    except ValidationError as problem:
        return all(error["loc"][:1] != (key,) for error in problem.errors())
    return True
