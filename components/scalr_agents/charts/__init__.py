"""The charts: finding one by name, and rendering and checking its values.

Everything here is pure: values go in, findings and objects come out. Pulumi is not imported, and no files are read.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

from scalr_agents.charts.shared.agent import identify, load
from scalr_agents.charts.shared.chart import Chart
from scalr_agents.model.findings import Finding, ValuesError, error, errors
from scalr_agents.model.lines import LineError
from scalr_agents.model.manifests import Manifest
from scalr_agents.model.names import Names, Naming

if TYPE_CHECKING:
    from scalr_agents.charts.agent_job.values import AgentJobValues
    from scalr_agents.charts.agent_k8s.values import AgentK8sValues
    from scalr_agents.charts.agent_local.values import AgentLocalValues

ChartName = Literal["agent-job", "agent-local", "agent-k8s"]
_LONGEST_ECHO = 40


def _agent_job() -> "Chart[AgentJobValues]":
    from scalr_agents.charts.agent_job import CHART

    return CHART


def _agent_local() -> "Chart[AgentLocalValues]":
    from scalr_agents.charts.agent_local import CHART

    return CHART


def _agent_k8s() -> "Chart[AgentK8sValues]":
    from scalr_agents.charts.agent_k8s import CHART

    return CHART


_CHARTS: Mapping[ChartName, Callable[[], Chart[Any]]] = {"agent-job": _agent_job, "agent-local": _agent_local, "agent-k8s": _agent_k8s}
CHARTS = tuple(_CHARTS)
"""The names of the charts."""


def find(name: str) -> Chart[Any]:
    """A chart by its name, imported when it is needed. Raises `LineError` if the chart does not exist."""
    for known, chart in _CHARTS.items():
        if known == name:
            return chart()
    raise LineError(f"unknown chart {name[:_LONGEST_ECHO]!r}; allowed: {', '.join(CHARTS)}")


def having(key: str) -> list[str]:
    """The names of the charts with a value of this name at the top."""
    return [name for name, chart in _CHARTS.items() if {key} <= chart().keys()]


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
        described, _, findings, _ = identify(
            find(chart), values or {}, release=release, namespace=namespace, agent_version=agent_version, naming=naming
        )
    _refuse_errors(findings)
    return described.names


@contextmanager
def _line_errors() -> Iterator[None]:
    try:
        yield
    except LineError as problem:
        raise ValuesError([error("", str(problem))]) from None


def _refuse_errors(findings: list[Finding]) -> None:
    if errors(findings):
        raise ValuesError(findings)
