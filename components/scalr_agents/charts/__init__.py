"""The charts: which there are, and what becomes of their values.

Everything here is pure: values go in, findings and objects come out. Nothing of Pulumi is imported, and nothing is read from anywhere.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

from scalr_agents.charts.shared.agent import identify, load
from scalr_agents.charts.shared.chart import Chart
from scalr_agents.charts.shared.manifests.objects import Manifest
from scalr_agents.model.findings import Finding, ValuesError, error, errors
from scalr_agents.model.lines import LineError
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
    """A chart by its name. Only what is used is imported. Raises `LineError` for a chart that does not exist."""
    for known, chart in _CHARTS.items():
        if known == name:
            return chart()
    raise LineError(f"unknown chart {name[:_LONGEST_ECHO]!r}; allowed: {', '.join(CHARTS)}")


def render(chart: str, values: Mapping[str, Any], *, release: str, namespace: str, agent_version: str | None = None) -> list[Manifest]:
    """All objects of a release, custom resource definitions first, in the order in which they must be applied.

    `chart` is `agent-job`, `agent-local` or `agent-k8s`; `values` is what a values file of the chart holds; `release` and `namespace`
    are Helm's; `agent_version` selects the contract line and is the default image tag (default: that of the chart's oldest line).

    Raises `ValuesError`, whose text lists every finding, if there is an error among them.
    """
    with _line_errors():
        agent = load(find(chart), values, release=release, namespace=namespace, agent_version=agent_version)
    _refuse_errors(agent.findings)
    return agent.with_definitions()


def check(chart: str, values: Mapping[str, Any], *, release: str, namespace: str, agent_version: str | None = None) -> list[Finding]:
    """Everything that is wrong or odd about values, errors first. The arguments are those of `render`."""
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
    """The names of a release's objects, before any of them exists; an IRSA trust policy needs the service account's.

    `values` matter where they name things (`nameOverride`, `fullnameOverride`, `serviceAccount`); `naming` is `scoped`, or
    `chart` for the names that the Helm chart uses. Raises `ValuesError` for values or names that cannot be.
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
