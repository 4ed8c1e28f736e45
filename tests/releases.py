"""Releases that Helm has made, and what taking them over gives.

`tests/golden/helm` has some of every chart, each with its values and the objects that Helm made of them. More may be given:
`SCALR_AGENTS_CHART_CASES` names a directory with files of cases, `{chart, agent_version, cases: [{release, namespace, values, objects}]}`.
"""

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from scalr_agents import adopt, stack, yaml_io
from scalr_agents.manifests.objects import Manifest
from scalr_agents.stack.source import Sealed
from scalr_agents.values.merge import Values, merge

from tests.test_cli import TOKEN

GOLDEN = Path(__file__).parent / "golden" / "helm"
MORE = os.environ.get("SCALR_AGENTS_CHART_CASES")
URL = "https://acme.scalr.io"
CERTIFICATE = "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n"
KEY = "-----BEGIN PRIVATE KEY-----\nMAA=\n-----END PRIVATE KEY-----\n"
MIRROR = {"url": "https://m.acme:8443/providers/", "include": ["a/*/*"]}


class Case(NamedTuple):
    """A release, and what Helm made of its values."""

    chart: str
    version: str
    release: str
    namespace: str
    values: Values
    objects: list[Manifest]

    @property
    def generation(self) -> str:
        return "legacy" if self.version.startswith("0.") else "current"


def golden() -> Iterator[tuple[str, Case]]:
    for directory in sorted(GOLDEN.iterdir()):
        about = yaml.safe_load((directory / "release.yaml").read_text())
        given_values = yaml_io.load_values((directory / "values.yaml").read_text())
        objects = list(yaml.safe_load_all((directory / "objects.yaml").read_text()))
        yield directory.name, Case(about["kind"], about["agentVersion"], about["release"], about["namespace"], given_values, objects)


def more() -> Iterator[tuple[str, Case]]:
    for file in sorted(Path(MORE).glob("*.json")) if MORE else ():
        suite = json.loads(file.read_text())
        for number, case in enumerate(suite["cases"]):
            about = suite["chart"], f"{suite['agent_version']}.0", case["release"], case["namespace"]
            yield f"{file.stem}-{number}-{case['name']}", Case(*about, case["values"], case["objects"])


CASES = dict([*golden(), *more()])


def take_over(case: Case) -> adopt.Adoption:
    return adopt.take_over(case.values, chart=case.chart, release=case.release, namespace=case.namespace, agent_version=case.version)


def loaded(adopted: adopt.Adoption) -> stack.Stack:
    """What is printed as Pulumi and the command line read it, with the secrets that are asked for."""
    content = yaml_io.load_stack_file(yaml_io.dump([adopted.stack]))["config"]
    config: dict[str, Any] = {key.removeprefix("scalr-agents:"): entry for key, entry in content.items()}
    ((agent, _),) = config["agents"].items()
    secrets: dict[str, Any] = {}
    for line in adopted.secrets:
        place = line.removeprefix("pulumi config set --secret --path 'scalr-agents:secrets.").removesuffix("'")
        word = place.removeprefix(f"{agent}.").replace('["', ".", 1).removesuffix('"]')
        section, _, name = word.partition(".")
        secrets |= {section: {**secrets.get(section, {}), name: Sealed(place)} if name else Sealed(place)}
    return stack.load(config | {"secrets": {agent: secrets}}, directory=Path())


def printed(adopted: adopt.Adoption) -> str:
    """Everything that the command prints."""
    return "\n".join([adopted.file(), *adopted.notes, *map(str, adopted.findings)])


def of_values(given_values: Mapping[str, Any], chart: str = "agent-job", version: str | None = None) -> adopt.Adoption:
    given_values = merge({"agent": {"url": URL, "token": TOKEN}}, given_values)
    return adopt.take_over(given_values, chart=chart, release="runs", namespace="scalr", agent_version=version)
