"""The charts: finding one by name, and rendering and checking its values.

Everything here is pure: values go in, findings and objects come out. Pulumi is not imported, and no files are read.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, get_args, overload

from scalr_agents.charts.shared.agent import Chart
from scalr_agents.charts.shared.loading import identify, load
from scalr_agents.model.findings import Finding, ValuesError, error, errors
from scalr_agents.model.manifests import Manifest
from scalr_agents.model.release import LineError, Names, Naming

if TYPE_CHECKING:
    from scalr_agents.charts.agent_job.versions import JobNames
    from scalr_agents.charts.agent_k8s.versions import K8sNames
    from scalr_agents.charts.agent_local.versions import LocalNames

ChartName = Literal["agent-job", "agent-local", "agent-k8s"]
CHARTS: tuple[ChartName, ...] = get_args(ChartName)
"""The names of the charts."""
_CLASSES: Mapping[str, str] = {"agent-job": "JobAgent", "agent-local": "LocalAgent", "agent-k8s": "K8sAgent"}
"""The class of each, in its package. It has another name than the component."""
_LONGEST_ECHO = 40


def find(name: str) -> Chart:
    """A chart by its name: the class of its agents, imported when it is needed. Raises `LineError` if the chart does not exist."""
    if name not in _CLASSES:
        raise LineError(f"unknown chart {name[:_LONGEST_ECHO]!r}; allowed: {', '.join(CHARTS)}")
    chart: Chart = getattr(import_module(f"{__name__}.{name.replace('-', '_')}"), _CLASSES[name])
    return chart


def having(key: str) -> list[str]:
    """The names of the charts with a value of this name at the top."""
    return [name for name in CHARTS if {key} <= find(name).keys()]


def render(chart: str, values: Mapping[str, Any], *, release: str, namespace: str, agent_version: str | None = None) -> list[Manifest]:
    """All objects of a release, custom resource definitions first, in the order in which they must be applied.

    `chart` is `agent-job`, `agent-local` or `agent-k8s`; `values` is the content of a values file; `release` and `namespace` have the
    same meaning as in Helm; `agent_version` selects the contract line and is the default image tag (default: that of the oldest line).

    Raises `ValuesError`, whose text lists all findings, if one of them is an error.
    """
    with _line_errors():
        agent = load(find(chart), values, release=release, namespace=namespace, agent_version=agent_version)
    _refuse_errors(agent.findings)
    return agent.with_definitions()


def check(chart: str, values: Mapping[str, Any], *, release: str, namespace: str, agent_version: str | None = None) -> list[Finding]:
    """All findings on values, errors first. Takes the same arguments as `render`."""
    try:
        return load(find(chart), values, release=release, namespace=namespace, agent_version=agent_version).findings
    except LineError as problem:
        return [error("", str(problem))]


@overload
def names(
    chart: Literal["agent-job"],
    release: str,
    namespace: str,
    *,
    values: Mapping[str, Any] | None = ...,
    agent_version: str | None = ...,
    naming: Naming = ...,
) -> "JobNames": ...


@overload
def names(
    chart: Literal["agent-local"],
    release: str,
    namespace: str,
    *,
    values: Mapping[str, Any] | None = ...,
    agent_version: str | None = ...,
    naming: Naming = ...,
) -> "LocalNames": ...


@overload
def names(
    chart: Literal["agent-k8s"],
    release: str,
    namespace: str,
    *,
    values: Mapping[str, Any] | None = ...,
    agent_version: str | None = ...,
    naming: Naming = ...,
) -> "K8sNames": ...


@overload
def names(
    chart: str,
    release: str,
    namespace: str,
    *,
    values: Mapping[str, Any] | None = ...,
    agent_version: str | None = ...,
    naming: Naming = ...,
) -> "Names": ...
def names(
    chart: str,
    release: str,
    namespace: str,
    *,
    values: Mapping[str, Any] | None = None,
    agent_version: str | None = None,
    naming: Naming = "scoped",
) -> Names:
    """The names of a release's objects before they exist, for instance the service account's for an IRSA trust policy.

    Only `nameOverride`, `fullnameOverride` and `serviceAccount` of `values` affect names. `naming` is `scoped`, or `chart` for the
    names that the Helm chart uses. Raises `ValuesError` for invalid values or names.
    """
    with _line_errors():
        found = identify(find(chart), values or {}, release=release, namespace=namespace, agent_version=agent_version, naming=naming)
    _refuse_errors(found.findings)
    return found.release.names


@contextmanager
def _line_errors() -> Iterator[None]:
    try:
        yield
    except LineError as problem:
        raise ValuesError([error("", str(problem))]) from None


def _refuse_errors(findings: list[Finding]) -> None:
    if errors(findings):
        raise ValuesError(findings)
