"""What differs between agent versions, as data: a table for each chart, with a row for every version from which something differs.

Values, manifests and `adopt` ask the table, and nothing else compares versions. Support for another chart is a line in `published`, and
a row in `rows` where its agents differ from those before.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import groupby
from typing import Any, Generic, NamedTuple, TypeVar

from scalr_agents.model.lines import VERSION, Line, LineError, in_words

_LONGEST_ECHO = 40
Minor = tuple[int, int]
"""Major and minor number of an agent version."""


class Handover(NamedTuple):
    """What the chart makes otherwise, where an update of its release alone does not get there."""

    selectors: bool = False
    """One selector for several workloads."""
    task_budget: bool = False
    """A budget of task pods by `maxUnavailable`, beside which `minAvailable` cannot stand."""
    idle_policy: bool = False
    """A NetworkPolicy that is made whatever the values say."""
    job_restart_policy: bool = False
    """`restartPolicy` on Jobs, which have no such field."""
    meanwhile: str = "pulumi up rolls the controllers once; runs go on"
    """What becomes of runs."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """The agents from one version on, until the next row."""

    since: Minor
    defaults: Mapping[str, Any] = field(default_factory=dict)
    """Their defaults where these are not those of the model. A row takes none from the row before."""
    new: tuple[str, ...] = ()
    """Values that agents before do not know, or sections of values; dotted."""
    gone: tuple[str, ...] = ()
    """Values that they do not know any more, or sections of values; dotted."""
    handover: Handover = field(default_factory=Handover)
    """What taking a release of theirs over from Helm needs."""


R = TypeVar("R", bound=Row)


@dataclass(frozen=True)
class Published:
    """A chart that Scalr has published."""

    chart: str
    """Its version."""
    agent: str
    """The version of its agents."""
    defaults: Mapping[str, Any] = field(default_factory=dict)
    """Its defaults where they are not ours; `null` for what it does not have."""
    corrected: Mapping[str, Any] = field(default_factory=dict)
    """Its defaults where ours are a correction, which a release gets that is taken over; `null` for what it does not have."""


@dataclass(frozen=True)
class Table(Generic[R]):
    """The versions of the agents of one chart."""

    chart: str
    lines: Sequence[Line]
    """The oldest first, which is that of the chart's default version."""
    rows: Sequence[R]
    """The oldest first."""
    published: Sequence[Published]
    """The charts that were compared with, the oldest first."""
    ours: tuple[str, ...]
    """Values that are not the chart's, or sections of values."""

    def line(self, version: str | None = None) -> Line:
        """The line that an agent version belongs to; `None` means the chart's default version. Raises `LineError` where there is none."""
        if version is None:
            return self.lines[0]
        if not VERSION.fullmatch(version):
            whole = f"{version}.0"
            if VERSION.fullmatch(whole) and any(line.covers(whole) for line in self.lines):
                raise LineError(f"agent version {version!r} is not complete; write {whole}")
            raise LineError(f"agent version {version[:_LONGEST_ECHO]!r} is not of the form MAJOR.MINOR.PATCH, for instance 0.57.0")
        for line in self.lines:
            if line.covers(version):
                return line
        supported = "; ".join(line.versions for line in self.lines)
        raise LineError(f"no {self.chart} for agent version {version}; supported: {supported}")

    def row(self, version: str) -> R:
        """The row of a supported version."""
        at = numbers(version)[:2]
        return next(row for row in reversed(self.rows) if row.since <= at)

    def knows(self, version: str, path: str) -> bool:
        """Whether agents of a supported version know a value."""
        return not _is_within(path, self.unknown(version))

    def unknown(self, version: str) -> Sequence[str]:
        """The values that agents of a supported version do not know, or sections of values."""
        return self._unknown[self.row(version).since]

    def ignorant(self, version: str, path: str) -> str:
        """The agents around a version that do not know a value, in words."""
        at = numbers(version)[:2]
        return [text for first, text, knows in self._ranges(path) if not knows and first <= at][-1]

    def knowing(self, path: str) -> str:
        """The agents that know a value, in words."""
        return " or ".join(text for _, text, knows in self._ranges(path) if knows)

    def is_newer(self, version: str) -> bool:
        """Whether a version is newer than all charts that were compared with."""
        return numbers(version) > numbers(self.published[-1].agent)

    @cached_property
    def _unknown(self) -> Mapping[Minor, Sequence[str]]:
        """The values that the agents of each row do not know."""
        named = [path for row in self.rows for path in (*row.new, *row.gone)]
        return {row.since: [path for path in named if not self._knows(row, path)] for row in self.rows}

    def _knows(self, row: Row, path: str) -> bool:
        introduced = any(_is_within(path, other.new) for other in self.rows if other.since > row.since)
        removed = any(_is_within(path, other.gone) for other in self.rows if other.since <= row.since)
        return not introduced and not removed

    def _ranges(self, path: str) -> list[tuple[Minor, str, bool]]:
        """Agents that all know a value, or all do not: the first, all of them in words, and whether they do."""
        found = []
        for knows, group in groupby(self.rows, lambda row: self._knows(row, path)):
            rows = list(group)
            found.append((rows[0].since, in_words(rows[0].since, self._last(rows[-1])), knows))
        return found

    def _last(self, row: Row) -> Minor | None:
        """The newest version of a row; `None` where it has no end."""
        line = self._line(row)
        following = [other.since for other in self.rows if other.since > row.since and self._line(other) is line]
        return (following[0][0], following[0][1] - 1) if following else line.newest

    def _line(self, row: Row) -> Line:
        return self.line(f"{row.since[0]}.{row.since[1]}.0")


@cache
def numbers(version: str) -> tuple[int, ...]:
    """A version `MAJOR.MINOR.PATCH` as numbers to compare."""
    return tuple(map(int, version.split(".")))


def _is_within(path: str, others: Sequence[str]) -> bool:
    return any(f"{path}.".startswith(f"{other}.") for other in others)
