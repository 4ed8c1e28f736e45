"""The differences between agent versions as data: a table per chart, with a row for every version from which something differs.

Values, manifests and `adopt` read the table; no other code compares versions. To support another chart version, add an entry to
`published`, and a row to `rows` if its agents differ from those before. A row, and an entry, says only what changes.

Values of earlier forms of a chart (`Moved`) are reported with where they have moved to, and `convert-values` moves them.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from typing import Any, Generic, NamedTuple, Self, TypeVar

from scalr_agents.charts.shared.corrections import Rule
from scalr_agents.model.findings import Finding, Path, error
from scalr_agents.model.maps import has, lookup, merge, without
from scalr_agents.model.release import VERSION, Line, LineError, Version, in_words, numbers

_LONGEST_ECHO = 40
_MINOR = 2
"""How many numbers name all versions MAJOR.MINOR.x."""


class Handover(NamedTuple):
    """Differences of a Helm release that updating its objects in place does not resolve."""

    selectors: bool = False
    """The chart has one selector for several workloads."""
    task_budget: bool = False
    """The chart has a budget of task pods with `maxUnavailable`, which excludes `minAvailable`."""
    idle_policy: bool = False
    """The chart always creates a NetworkPolicy, whatever the values are."""
    job_restart_policy: bool = False
    """The chart sets `restartPolicy` on Jobs, which have no such field."""
    meanwhile: str = "pulumi up rolls the controllers once; runs continue"
    """What happens to runs during the handover."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """The agents from one version up to the next row."""

    since: Version
    kubernetes: str
    """The oldest supported Kubernetes version."""
    before: Mapping[str, Any] = field(default_factory=dict)
    """The defaults of earlier agents that these changed. The model has those of the newest."""
    new: tuple[str, ...] = ()
    """Dotted paths of values, or of sections, that earlier agents do not support."""
    gone: tuple[str, ...] = ()
    """Dotted paths of values, or of sections, that these agents no longer support."""
    handover: Handover = field(default_factory=Handover)
    """What is needed to take a release over from Helm."""

    def then(self, since: Version, *, before: Mapping[str, Any] | None = None, **changes: Any) -> Self:
        """The row after this one: what it does not change, such as `new`, applies to these agents only or is as before."""
        return replace(self, since=since, before=before or {}, **{"new": (), "gone": (), **changes})


R = TypeVar("R", bound=Row)


class Published(NamedTuple):
    """A version of a chart that Scalr has published."""

    chart: str
    """Version of the chart."""
    agent: str
    """Version of its agents."""
    defaults: Mapping[str, Any] = {}
    """Its defaults that differ from ours; `null` for values that it does not have."""
    corrected: Mapping[str, Any] = {}
    """Its defaults that we correct; a release that is taken over gets ours. `null` for values that it does not have."""

    def then(self, *following: tuple[str, str]) -> tuple["Published", ...]:
        """This version, and following ones (chart and agent) with the same differences."""
        return (self, *(self._replace(chart=chart, agent=agent) for chart, agent in following))


_History = Sequence[tuple[Version, bool]]
"""The first versions of agents with which a value came (true) or went."""


@dataclass(frozen=True)
class Table(Generic[R]):
    """The versions of the agents of one chart."""

    chart: str
    lines: Sequence[Line]
    """Contract lines, oldest first; the first one is that of the chart's default version."""
    rows: Sequence[R]
    """Rows, oldest first."""
    published: Sequence[Published]
    """The published charts that were compared with ours, oldest first."""
    ours: tuple[str, ...]
    """Paths of values, or of sections, that only this package has."""
    corrections: Sequence[Rule]
    """Where our objects differ from those of the published charts."""

    def default_version_notice(self) -> str:
        """What is deployed if nobody names a version, for a message."""
        line, newest = self.line(), self.published[-1]
        return (
            f"the values and objects of agents {line.default_version} of {line.dated}; name the version. The newest that was compared with "
            f"its chart is {newest.agent}, for Kubernetes {self.row(newest.agent).kubernetes} or newer"
        )

    def line(self, version: str | None = None) -> Line:
        """The line of an agent version; `None` means the chart's default version. Raises `LineError` for an unsupported version."""
        if version is None:
            return self.lines[0]
        if not VERSION.fullmatch(version):
            whole = f"{version}.0"
            if VERSION.fullmatch(whole) and any(line.covers(whole) for line in self.lines):
                raise LineError(f"agent version {version!r} is incomplete; write {whole}")
            raise LineError(f"agent version {version[:_LONGEST_ECHO]!r} does not have the form MAJOR.MINOR.PATCH, for instance 0.57.0")
        for line in self.lines:
            if line.covers(version):
                return line
        supported = "; ".join(line.versions for line in self.lines)
        raise LineError(f"{self.chart} does not support agent version {version}; supported: {supported}")

    def row(self, version: str) -> R:
        """The row of a supported version."""
        at = numbers(version)
        return next(row for row in reversed(self.rows) if row.since <= at)

    def defaults(self, version: str) -> Mapping[str, Any]:
        """The defaults of a supported version that differ from those of the model."""
        return self._defaults[self.row(version).since]

    def supports(self, version: str, path: str) -> bool:
        """Whether agents of a version support a value."""
        return not f"{path}.".startswith(self._unsupported_prefixes[self.row(version).since])

    def unsupported(self, version: str) -> Sequence[str]:
        """The values, or sections, that agents of a version do not support."""
        return self._unsupported[self.row(version).since]

    def unsupported_range(self, version: str, path: str) -> str:
        """The range of agent versions around a version that do not support a value, as text."""
        at = numbers(version)
        return [text for first, text, supports in self._ranges(path) if not supports and first <= at][-1]

    def supported_range(self, path: str) -> str:
        """The agent versions that support a value, as text."""
        return ", ".join(text for _, text, supports in self._ranges(path) if supports)

    def running_on(self, kubernetes: Version) -> str:
        """The agent versions that run on a Kubernetes version, as text; empty if none do. Newer agents never need an older Kubernetes."""
        rows = [row for row in self.rows if numbers(row.kubernetes) <= kubernetes]
        return self.span(rows) if rows else ""

    def is_newer(self, version: str) -> bool:
        """Whether a version is newer than all charts that were compared with ours."""
        return numbers(version) > numbers(self.published[-1].agent)

    @cached_property
    def _defaults(self) -> Mapping[Version, Mapping[str, Any]]:
        """The defaults of each row: what newer rows changed, the nearest change last."""
        found: dict[Version, Mapping[str, Any]] = {}
        older: Mapping[str, Any] = {}
        for row in reversed(self.rows):
            found[row.since] = older
            older = merge(older, row.before)
        return found

    @cached_property
    def _unsupported(self) -> Mapping[Version, Sequence[str]]:
        """The values that the agents of each row do not support."""
        histories = {path: self._history(path) for path in dict.fromkeys(path for _, path, _ in self._changes)}
        return {row.since: [path for path, history in histories.items() if not _is_supported(history, row)] for row in self.rows}

    @cached_property
    def _changes(self) -> Sequence[tuple[Version, str, bool]]:
        """The values, or sections, that came or went with each row, oldest first, and whether they came."""
        return [(row.since, path, is_new) for row in self.rows for is_new, paths in ((False, row.gone), (True, row.new)) for path in paths]

    @cached_property
    def _unsupported_prefixes(self) -> Mapping[Version, tuple[str, ...]]:
        """The same, as `supports` asks for them: many times for each agent."""
        return {since: tuple(f"{path}." for path in paths) for since, paths in self._unsupported.items()}

    def _history(self, path: str) -> _History:
        """When a value came or went, oldest first. Some values came, went, and came back."""
        return [(since, is_new) for since, other, is_new in self._changes if f"{path}.".startswith(f"{other}.")]

    def _ranges(self, path: str) -> list[tuple[Version, str, bool]]:
        """Ranges of agents that all support a value, or all do not: the first version, the range as text, and whether they support it."""
        found, history = [], self._history(path)
        for supports, group in groupby(self.rows, lambda row: _is_supported(history, row)):
            rows = list(group)
            found.append((rows[0].since, self.span(rows), supports))
        return found

    def span(self, rows: Sequence[Row]) -> str:
        """The versions of rows that follow each other, as text: in full where a part of a minor version has rows of its own."""
        first, line = rows[0].since, self._line(rows[-1])
        following = next((row.since for row in self.rows if row.since > rows[-1].since and self._line(row) is line), None)
        if following is None:
            return in_words(first, line.newest)
        last = max(version for one in self.published if (version := numbers(one.agent)) < following)
        is_exact = last[:_MINOR] in (following[:_MINOR], first[:_MINOR] if len(first) > _MINOR else None)
        return in_words(first, last if is_exact else last[:_MINOR])

    def _line(self, row: Row) -> Line:
        return next(line for line in reversed(self.lines) if line.oldest <= row.since)


def _is_supported(history: _History, row: Row) -> bool:
    """Whether the agents of a row support a value with a history."""
    until_now = [is_new for since, is_new in history if since <= row.since]
    return until_now[-1] if until_now else not (history and history[0][1])


class Moved(NamedTuple):
    """A value of an earlier form, and where it is now. Paths are dotted."""

    old: str
    to: tuple[str, ...] = ()
    """Its present places; it goes to each of them. Empty: it has no successor."""
    form: str = ""
    """How its form differs now, or why it has no successor."""
    note: str = ""
    """What changes although the value is converted."""
    change: Callable[[Any], Any] = lambda value: value
    """Its present form. An empty one need not be set. Raises `ValueError` for a value that has none, with the reason."""
    is_section: bool = False
    """Whether the present chart has a section at the old path, so that a map there is not the old value."""
    is_default: bool = False
    """Whether it applies only to those of its present places that are not set."""
    displaces: str = ""
    """Where what is at its present place goes, unless something is set there."""

    @property
    def message(self) -> str:
        """The error on the value."""
        if not self.to:
            return f"an alpha value without a successor; remove it: {self.form}"
        form = f", {self.form}" if self.form else ""
        return f"an alpha value; use {' and '.join(self.to)} instead{form} (scalr-agents convert-values)"

    def is_given(self, values: Mapping[str, Any]) -> bool:
        """Whether these values have it."""
        path = self.old.split(".")
        return has(values, path) and not (self.is_section and isinstance(lookup(values, *path), Mapping))


def without_moved(values: Mapping[str, Any], moved: Iterable[Moved]) -> tuple[Mapping[str, Any], list[Finding], list[Path]]:
    """The values without those that have moved, an error for each of those, and their new paths."""
    found = [each for each in moved if each.is_given(values)]
    rest = values
    for each in found:
        rest = without(rest, *each.old.split("."))
    return rest, [error(each.old, each.message) for each in found], [tuple(path.split(".")) for each in found for path in each.to]
