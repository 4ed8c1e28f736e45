"""Kubernetes objects of an agent, as plain data.

The functions here are pure: values in, objects out. Nothing of Pulumi is imported, and nothing is read from anywhere.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any

from scalr_agents import charts as chart_values
from scalr_agents.charts import Checked, Finding, ValuesError
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.charts.shared.manifests import crds
from scalr_agents.charts.shared.manifests.objects import Manifest
from scalr_agents.charts.shared.manifests.secrets import Held, digest
from scalr_agents.model.lines import ChartName, LineError
from scalr_agents.model.release import Names, Naming

__all__ = ["by_role", "digest", "held", "names", "objects", "render", "with_definitions"]


def render(chart: str, values: Mapping[str, Any], *, release: str, namespace: str, agent_version: str | None = None) -> list[Manifest]:
    """All objects of a release, custom resource definitions first, in the order in which they must be applied.

    `chart` is `agent-job`; `values` is what a values file of the chart holds; `release` and `namespace` are Helm's;
    `agent_version` selects the contract line and is the default image tag (default: 0.57.0).

    Raises `scalr_agents.charts.ValuesError`, whose text lists every finding, if there is an error among them.
    """
    with _line_errors():
        checked = chart_values.load(chart, values, release=release, namespace=namespace, agent_version=agent_version)
    _refuse_errors(checked.findings)
    return with_definitions(checked)


def with_definitions(checked: Checked) -> list[Manifest]:
    """The objects of a release whose values are validated, after the definitions that they need."""
    return list(crds.objects(checked.release.line).values()) + objects(checked, Inputs())


def objects(checked: Checked, inputs: Inputs) -> list[Manifest]:
    """The objects of a release whose values are validated, without the definitions it shares with others."""
    return list(by_role(checked, inputs).values())


def by_role(checked: Checked, inputs: Inputs) -> dict[str, Manifest]:
    """The same, each by its role, which is the last part of its name in Pulumi."""
    groups = _kind(checked).groups(checked.values, checked.release, inputs)
    return {role: manifest for group in groups for role, manifest in group.items()}


def held(checked: Checked, inputs: Inputs) -> Held:
    """What the Secrets of a release hold."""
    found: Held = _kind(checked).held(checked.values, inputs)
    return found


def _kind(checked: Checked) -> ModuleType:
    """The module that makes the objects of a kind. Only what is used is imported."""
    return import_module(f"scalr_agents.charts.{checked.release.line.chart.replace('-', '_')}.manifests")


def names(
    chart: ChartName,
    release: str,
    namespace: str,
    *,
    values: Mapping[str, Any] | None = None,
    agent_version: str | None = None,
    naming: Naming = "scoped",
) -> Names:
    """The names of a release's objects, before any of them exists; an IRSA trust policy needs the service account's.

    `values` matter where they name things (`nameOverride`, `fullnameOverride`, `serviceAccount`); `naming` is `scoped`, or
    `chart` for the names that the Helm chart uses. Raises `ValuesError` for values or names that cannot be.
    """
    with _line_errors():
        described, _, findings, _ = chart_values.identify(
            chart, values or {}, release=release, namespace=namespace, agent_version=agent_version, naming=naming
        )
    _refuse_errors(findings)
    return described.names


@contextmanager
def _line_errors() -> Iterator[None]:
    try:
        yield
    except LineError as problem:
        raise ValuesError([Finding("error", "", str(problem))]) from None


def _refuse_errors(findings: list[Finding]) -> None:
    if chart_values.errors(findings):
        raise ValuesError(findings)
