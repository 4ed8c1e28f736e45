"""Contract lines: ranges of agent versions that read the same environment variables and the same custom resource."""

import re
from collections.abc import Callable
from typing import NamedTuple

from scalr_agents.model.names import Identity, Names

VERSION = re.compile(r"([0-9]{1,9})\.([0-9]{1,9})\.([0-9]{1,9})")


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
    names: Callable[[Identity], Names]
    """Names of the objects."""
    task_resource: TaskResource | None = None

    @property
    def versions(self) -> str:
        """The range in words, for messages."""
        return in_words(self.oldest, self.newest)

    def covers(self, version: str) -> bool:
        match = VERSION.match(version)
        if match is None:
            return False
        given = (int(match[1]), int(match[2]))
        return self.oldest <= given and (self.newest is None or given <= self.newest)

    def tasks(self) -> TaskResource:
        """The custom resource of a line that has one."""
        if self.task_resource is None:
            raise LineError(f"{self.chart} has no custom resource for tasks")
        return self.task_resource


def in_words(oldest: tuple[int, int], newest: tuple[int, int] | None) -> str:
    """A range of agent versions, for messages."""
    first = f"{oldest[0]}.{oldest[1]}"
    if newest is None:
        return f"{first} or newer"
    return first if oldest == newest else f"{first} to {newest[0]}.{newest[1]}"
