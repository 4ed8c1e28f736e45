"""Releases that Helm has made, and what taking them over gives.

`tests/golden/helm` has some of every chart, and of every row of its versions: each with its values and the objects that Helm made of
them. More may be given: `SCALR_AGENTS_CHART_CASES` names directories with files of cases, separated by colons,
`{chart, agent_version, cases: [{release, namespace, values, objects, agent_version}]}`.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from scalr_agents import charts, stack
from scalr_agents.migration import adopt
from scalr_agents.migration.adopt.release import of_chart
from scalr_agents.model import yaml_io
from scalr_agents.model.manifests import Manifest
from scalr_agents.model.maps import Values, merge, without_nulls
from scalr_agents.model.release import numbers
from scalr_agents.stack.source import Sealed

from tests.helpers.command_line import TOKEN

_DIRECTORY = Path(__file__).parents[1] / "golden" / "helm"
MORE = os.environ.get("SCALR_AGENTS_CHART_CASES", "")
URL = "https://acme.scalr.io"
CLUSTER_SCOPED = {"CustomResourceDefinition", "ClusterRole", "ClusterRoleBinding", "PersistentVolume", "StorageClass"}
CERTIFICATE = "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n"
KEY = "-----BEGIN PRIVATE KEY-----\nMAA=\n-----END PRIVATE KEY-----\n"
MIRROR = {"url": "https://m.acme:8443/providers/", "include": ["a/*/*"]}
PLAIN = {"agent-job": "0.58.0", "agent-local": "0.60.0", "agent-k8s": "0.53.0"}
"""Versions whose charts have the defaults that we have."""
_MEMORY: Values = {"task": {"runner": {"resources": {"limits": {"memory": "2048Mi"}}}}}
KEPT: Mapping[tuple[str, str], Values] = {("agent-job", version): _MEMORY for version in ("1.2.0", "1.2.1", "1.3.0", "1.4.0")}
"""Defaults of a chart that are not ours."""
_DOCUMENTED = {("agent-job", "0.57.0"): "0.5.65", ("agent-local", "0.59.0"): "0.5.64"}
"""The charts whose defaults releases have that were made in the state of their documentation, not as published."""
_LATER = merge(_MEMORY, {"task": {"runner": {"resources": {"limits": {"memory": "8192Mi"}}}}})
"""What the chart after 0.6.5 has otherwise, of which some releases with agents 1.4.0 are."""


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
        return charts.find(self.chart).versions.line(self.version).generation

    @property
    def chart_version(self) -> str:
        labels = next(item for item in self.objects if item["kind"] == "Deployment")["metadata"]["labels"]
        return str(labels["helm.sh/chart"]).removeprefix(f"{self.chart}-")

    def __repr__(self) -> str:
        return f"Case({self.chart} {self.version}, {self.values})"

    @property
    def whole(self) -> Values:
        """All values of the release, as `helm get values --all` prints them."""
        return without_nulls(self.with_nulls)

    @property
    def with_nulls(self) -> Values:
        """The same with a `null` for each default of the chart that is unset."""
        return merge(self.defaults, self.values)

    @property
    def defaults(self) -> Values:
        """The defaults of its chart."""
        known = _DOCUMENTED.get((self.chart, self.version), self.chart_version)
        (published,) = [one for one in charts.find(self.chart).versions.published if one.chart == known]
        given = of_chart(self.chart, published)
        later = self.chart == "agent-job" and self.version == "1.4.0" and _memory_of_runs(self.objects) == "8192Mi"
        return merge(given, _LATER) if later else given


def _memory_of_runs(objects: Sequence[Manifest]) -> str | None:
    (task,) = [item for item in objects if item["kind"] == "AgentTaskTemplate"]
    runner = task["spec"]["jobTemplate"]["spec"]["template"]["spec"]["containers"][0]
    memory: str | None = runner["resources"].get("limits", {}).get("memory")
    return memory


def _golden() -> Iterator[tuple[str, Case]]:
    for directory in sorted(_DIRECTORY.iterdir()):
        about = yaml.load((directory / "release.yaml").read_text(), Loader=yaml.CSafeLoader)
        given_values = yaml_io.load_values((directory / "values.yaml").read_text())
        objects = list(yaml.load_all((directory / "objects.yaml").read_text(), Loader=yaml.CSafeLoader))
        yield directory.name, Case(about["kind"], about["agentVersion"], about["release"], about["namespace"], given_values, objects)


def _more() -> Iterator[tuple[str, Case]]:
    for file in (file for directory in filter(None, MORE.split(os.pathsep)) for file in sorted(Path(directory).glob("*.json"))):
        suite = json.loads(file.read_text())
        for number, case in enumerate(suite["cases"]):
            version = case.get("agent_version") or f"{suite['agent_version']}.0"
            about = suite["chart"], version, case["release"], case["namespace"]
            yield f"{file.parent.name}-{file.stem}-{number}-{case['name']}", Case(*about, case["values"], case["objects"])


GOLDEN = dict(_golden())
CASES = {**GOLDEN, **dict(_more())}


def take_over(case: Case, *, given: Values | None = None, manifest: Sequence[Manifest] | None = None) -> adopt.Adoption:
    """With all values of the release, or those that are given."""
    return adopt.take_over(
        case.whole if given is None else given,
        chart=case.chart,
        release=case.release,
        namespace=case.namespace,
        agent_version=case.version,
        chart_version=case.chart_version,
        manifest=manifest,
    )


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
    return "\n".join([adopted.file(), *adopted.notes, *adopted.listing(), *map(str, adopted.findings)])


def of_values(given_values: Mapping[str, Any], chart: str = "agent-job", version: str | None = None) -> adopt.Adoption:
    """With the values of a user. Without a version one is taken whose chart has our defaults."""
    given_values = merge({"agent": {"url": URL, "token": TOKEN}}, given_values)
    return adopt.take_over(given_values, chart=chart, release="runs", namespace="scalr", agent_version=version or PLAIN[chart])


def identity(manifest: Manifest) -> tuple[str, str, str]:
    kind, metadata = manifest["kind"], manifest["metadata"]
    return kind, "" if kind in CLUSTER_SCOPED else metadata["namespace"], metadata["name"]


def is_idle_policy(case: Case) -> bool:
    """Whether the chart made a policy that its values did not ask for."""
    return case.chart == "agent-local" and numbers(case.version) < (0, 62) and case.values.get("allowMetadataService", True)


def has_no_task_budget(case: Case) -> bool:
    """Whether it is of a chart without a budget of task pods."""
    return case.chart == "agent-job" and numbers(case.version) < (1, 1)
