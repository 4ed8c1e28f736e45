"""The contract lines of the agent: which versions speak which custom resource.

A line is a range of agent versions that read the same environment variables and the same custom resource. What differs from
line to line is data here, and what differs within one is in the `versions` of each chart:
the rest of the package compares no versions.
"""

import re
from typing import Literal, NamedTuple

ChartName = Literal["agent-job", "agent-local", "agent-k8s"]

_LONGEST_ECHO = 40
_VERSION = re.compile(r"([0-9]{1,9})\.([0-9]{1,9})\.([0-9]{1,9})")


class LineError(ValueError):
    """A chart or an agent version that this package does not know; the text says what it knows."""


class TaskResource(NamedTuple):
    """The custom resource that holds the template of a task's Job."""

    group: str
    version: str
    kind: str
    plural: str
    singular: str
    short_names: tuple[str, ...]
    named_jobs: bool
    """Whether an object says what its Jobs are called (`spec.basename`)."""
    template_variable: str
    """Environment variable of the controller that names the object of this kind to start Jobs from."""

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}"

    @property
    def crd_name(self) -> str:
        return f"{self.plural}.{self.group}"


class Line(NamedTuple):
    """One chart for one range of agent versions (`oldest` and `newest` are `major, minor`, both included)."""

    chart: str
    generation: str
    """`legacy` or `current`: what the agents of all kinds have in common."""
    base_name: str
    """Default of the label `app.kubernetes.io/name` and of the last part of object names."""
    default_version: str
    oldest: tuple[int, int]
    newest: tuple[int, int] | None
    """`None` where there is no newer line."""
    kubernetes: str
    """The oldest Kubernetes that runs it."""
    task_resource: TaskResource | None = None

    @property
    def versions(self) -> str:
        """The range in words, for messages."""
        return in_words(self.oldest, self.newest)

    def covers(self, version: str) -> bool:
        match = _VERSION.match(version)
        if match is None:
            return False
        given = (int(match[1]), int(match[2]))
        return self.oldest <= given and (self.newest is None or given <= self.newest)

    def tasks(self) -> TaskResource:
        """The custom resource of a line that has one."""
        if self.task_resource is None:
            raise LineError(f"{self.chart} has no custom resource for tasks")
        return self.task_resource


AGENT_TASK = TaskResource(
    group="scalr.io",
    version="v1",
    kind="AgentTask",
    plural="atasks",
    singular="atask",
    short_names=("at",),
    named_jobs=False,
    template_variable="SCALR_AGENT_KUBERNETES_JOB_TEMPLATE",
)
AGENT_TASK_TEMPLATE = TaskResource(
    group="scalr.io",
    version="v1",
    kind="AgentTaskTemplate",
    plural="agenttasktemplates",
    singular="agenttasktemplate",
    short_names=("att",),
    named_jobs=True,
    template_variable="SCALR_AGENT_KUBERNETES_TASK_TEMPLATE",
)

LINES = (
    Line(
        chart="agent-job",
        generation="legacy",
        base_name="agent-job",
        default_version="0.57.0",
        oldest=(0, 57),
        newest=(0, 60),
        kubernetes="1.33",
        task_resource=AGENT_TASK,
    ),
    Line(
        chart="agent-job",
        generation="current",
        base_name="scalr-agent",
        default_version="1.4.0",
        oldest=(1, 2),
        newest=None,
        kubernetes="1.35",
        task_resource=AGENT_TASK_TEMPLATE,
    ),
    Line(
        chart="agent-local",
        generation="legacy",
        base_name="agent-local",
        default_version="0.59.0",
        oldest=(0, 57),
        newest=(0, 60),
        kubernetes="1.33",
    ),
    Line(
        chart="agent-local",
        generation="current",
        base_name="agent-local",
        default_version="1.4.0",
        oldest=(1, 2),
        newest=None,
        kubernetes="1.33",
    ),
    Line(
        chart="agent-k8s",
        generation="legacy",
        base_name="agent-k8s",
        default_version="0.53.0",
        oldest=(0, 53),
        newest=(0, 60),
        kubernetes="1.29",
    ),
    Line(
        chart="agent-k8s",
        generation="current",
        base_name="agent-k8s",
        default_version="1.4.0",
        oldest=(1, 2),
        newest=None,
        kubernetes="1.29",
    ),
)

CHARTS = tuple(dict.fromkeys(line.chart for line in LINES))


def in_words(oldest: tuple[int, int], newest: tuple[int, int] | None) -> str:
    """A range of agent versions, for messages."""
    first = f"{oldest[0]}.{oldest[1]}"
    if newest is None:
        return f"{first} or newer"
    return first if oldest == newest else f"{first} to {newest[0]}.{newest[1]}"


def select(chart: str, agent_version: str | None = None) -> Line:
    """The line of `chart` that `agent_version` belongs to; `None` means the chart's default version.

    Raises `LineError` for a chart or a version that no line covers.
    """
    lines = [line for line in LINES if line.chart == chart]
    if not lines:
        raise LineError(f"unknown chart {chart[:_LONGEST_ECHO]!r}; allowed: {', '.join(CHARTS)}")
    if agent_version is None:
        return lines[0]
    if not _VERSION.fullmatch(agent_version):
        whole = f"{agent_version}.0"
        if _VERSION.fullmatch(whole) and any(line.covers(whole) for line in lines):
            raise LineError(f"agent version {agent_version!r} is not complete; write {whole}")
        raise LineError(f"agent version {agent_version[:_LONGEST_ECHO]!r} is not of the form MAJOR.MINOR.PATCH, for instance 0.57.0")
    for line in lines:
        if line.covers(agent_version):
            return line
    supported = "; ".join(line.versions for line in lines)
    raise LineError(f"no {chart} for agent version {agent_version}; supported: {supported}")
