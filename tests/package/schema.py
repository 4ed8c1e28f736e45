"""The schema of the package: what the component host finds in the classes, completed with what it has no means to find."""

import inspect
import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import scalr_agents
from pulumi.provider.experimental.analyzer import Analyzer
from pulumi.provider.experimental.schema import generate_schema
from scalr_agents import charts
from scalr_agents.model.section import in_stack_files

from tests.package import plugin, values
from tests.package.values import NULLABLE, PREFIX, Spec
from tests.resources import host

FILE = Path(scalr_agents.__file__).parents[1] / "schema.json"
PROJECT: dict[str, Any] = tomllib.loads((FILE.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LOGO = "docs/logo.png"
_GO = "example.com/pulumi-scalr-agents/sdk/go/scalragents"
"""The import path of the SDK in Go programs. Without this line, it would change with the address of the repository."""
_SNAKE = re.compile(r"\b[a-z]+(?:_[a-z]+)+\b")
_OF_PULUMI = {"dependsOn", "enablePatchForce", "upsertExistingObjects"}
"""Names of Pulumi and its Kubernetes provider in descriptions."""
_SECRET = "token"
"""The secret argument. Maps of secrets are not marked: SDKs would make the whole map a secret, but its keys must be known."""


def about(project: Mapping[str, Any], version: str) -> Spec:
    """What the Pulumi Registry shows of the package. Addresses are known if its project names the repository.

    The registry installs the plugin from the address in the schema of a tag. `make dist` can write another one into that of a release.
    """
    repository = project.get("urls", {}).get("Repository")
    described = {
        "displayName": "Scalr agents",
        "description": "Scalr's self-hosted agents on Kubernetes and on virtual machines",
        "keywords": [*project["keywords"], "category/infrastructure", "kind/component"],
        "license": project["license"],
        "publisher": project["authors"][0]["name"],
    }
    if repository is None:
        return described
    described |= {"repository": repository, "logoUrl": f"{repository}/raw/v{version}/{LOGO}"}
    address = plugin.of_project(project)
    return described | ({"pluginDownloadURL": address} if address else {})


def written(schema: Spec) -> str:
    return json.dumps(schema, indent=1, ensure_ascii=False) + "\n"


def whole() -> Spec:
    """The schema of the package."""
    module = host.load()
    found = Analyzer(module.NAME).analyze(module.COMPONENTS)
    components, types = found["component_definitions"], found["type_definitions"]
    schema: Spec = generate_schema(module.NAME, scalr_agents.__version__, None, components, types, [*found["dependencies"]]).to_json()
    for component in module.COMPONENTS:
        arguments = schema["resources"][f"{PREFIX}{component.__name__}"]["inputProperties"]
        if "values" in arguments:
            arguments["values"] = {"description": arguments["values"]["description"]} | values.reference(_values(component))
        if _SECRET in arguments:
            arguments[_SECRET]["secret"] = True
    _respell(schema)
    for chart in charts.CHARTS:
        schema["types"] |= {f"{PREFIX}{name}": spec for name, spec in values.of_chart(chart).items()}
    for part in parts(schema):
        part.pop(NULLABLE, None)
        if isinstance(part.get("description"), str):
            part["description"] = inspect.cleandoc(part["description"])
        if "properties" in schema["types"].get(part.get("$ref", "").removeprefix("#/types/"), {}):
            part.pop("plain", None)  # in a plain object nothing can be an output
    schema["language"]["go"]["importBasePath"] = _GO
    schema["language"]["python"]["packageName"] = scalr_agents.__name__  # the package itself, which documentation names in place of an SDK
    described = about(PROJECT, scalr_agents.__version__)
    return {"name": schema.pop("name"), **described, **{key: spec for key, spec in schema.items() if key not in described}}


def _respell(schema: Spec) -> None:
    """Writes the names of arguments and outputs in descriptions as the schema does: docstrings have `on_delete`, it has `onDelete`."""
    known = _OF_PULUMI.union(*(part[key] for part in parts(schema) for key in ("inputProperties", "properties") if key in part))

    def respelled(name: re.Match[str]) -> str:
        spelled = in_stack_files(name[0])
        return spelled if spelled in known else name[0]

    for part in parts(schema):
        if isinstance(part.get("description"), str):
            part["description"] = re.sub(r"`[^`]+`", lambda code: _SNAKE.sub(respelled, code[0]), part["description"])


def _values(component: type) -> str:
    """The name of the type of a component's values."""
    arguments: type = inspect.get_annotations(vars(component)["__init__"])["args"]
    return f"{arguments.__name__.removesuffix('Args')}Values"


def parts(content: Any) -> Iterator[Spec]:
    """All maps in a schema."""
    if isinstance(content, dict):
        yield content
    for inner in content.values() if isinstance(content, dict) else content if isinstance(content, list) else ():
        yield from parts(inner)
