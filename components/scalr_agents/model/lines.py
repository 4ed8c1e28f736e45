"""Contract lines: ranges of agent versions with the same environment variables and the same custom resource."""

import re
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from scalr_agents.model.names import Identity, Names

NEWEST = "1.4.0"
"""The newest agent whose published charts were compared with ours. Machines get it by default."""
NEWEST_DATED = "August 2026"
"""Month in which it was published."""
VERSION = re.compile(r"[0-9]{1,9}\.[0-9]{1,9}\.[0-9]{1,9}")
Version = tuple[int, ...]
"""The numbers of an agent version: two for all versions from MAJOR.MINOR.0, or up to the last MAJOR.MINOR.x, or three for one version."""


class LineError(ValueError):
    """An unsupported chart or agent version. The text lists the supported ones."""


class TaskResource(NamedTuple):
    """The custom resource that holds the template of a task's Job."""

    group: str
    version: str
    kind: str
    plural: str
    singular: str
    short_names: tuple[str, ...]
    named_jobs: bool
    """Whether the resource sets the names of its Jobs (`spec.basename`)."""
    template_variable: str
    """Environment variable of the controller with the name of the object from which it starts Jobs."""

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}"

    @property
    def crd_name(self) -> str:
        return f"{self.plural}.{self.group}"


class Line(NamedTuple):
    """One chart for one range of agent versions (`oldest` and `newest` are both included)."""

    chart: str
    generation: str
    """`legacy` or `current`: the generation, which all kinds of agents share."""
    base_name: str
    """Default of the label `app.kubernetes.io/name` and of the last part of the full name."""
    default_version: str
    dated: str
    """Month in which the agents of the default version were published."""
    oldest: Version
    newest: Version | None
    """`None` for the newest line."""
    names: Callable[[Identity], Names]
    """Function that makes the names of the objects."""
    task_resource: TaskResource | None = None

    @property
    def versions(self) -> str:
        """The range as text, for messages."""
        return in_words(self.oldest, self.newest)

    def covers(self, version: str) -> bool:
        match = VERSION.match(version)
        if match is None:
            return False
        given = numbers(match[0])
        return self.oldest <= given and (self.newest is None or given[: len(self.newest)] <= self.newest)

    def tasks(self) -> TaskResource:
        """The custom resource of the line. Raises `LineError` if it has none."""
        if self.task_resource is None:
            raise LineError(f"{self.chart} has no custom resource for tasks")
        return self.task_resource


def in_words(oldest: Version, newest: Version | None) -> str:
    """A range of agent versions as text, for messages."""
    first = ".".join(map(str, oldest))
    if newest is None:
        return f"{first} or newer"
    return first if oldest == newest else f"{first} to {'.'.join(map(str, newest))}"


@cache
def numbers(version: str) -> Version:
    """A version `MAJOR.MINOR.PATCH` as comparable numbers."""
    return tuple(map(int, version.split(".")))
