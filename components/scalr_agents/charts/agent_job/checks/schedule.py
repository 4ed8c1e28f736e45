"""Cross-checks of agent-job on the schedule of placeholders."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import combinations
from zoneinfo import ZoneInfo, available_timezones

from scalr_agents.charts.agent_job.checks import images
from scalr_agents.charts.agent_job.values import AgentJobValues
from scalr_agents.charts.agent_job.values.schedule import DAY, DAYS, WEEK, BufferWindow
from scalr_agents.model.findings import Findings, error, warning

_PATH, _IMAGE = "task.buffer.schedule", "task.buffer.kubectlImage"


def check(values: AgentJobValues) -> Findings:
    windows, image = values.task.buffer.schedule, values.task.buffer.kubectl_image
    if not windows:
        if "kubectl_image" in values.task.buffer.model_fields_set:
            yield warning(_IMAGE, f"has no effect: {_PATH} is empty")
        return
    yield from _times(windows)
    yield from _zones(windows)
    if not values.rbac.create:
        yield warning(
            _PATH, "rbac.create is false: grant its service account get and patch on deployments/scale of the placeholders yourself"
        )
    yield from images.of_others(_IMAGE, image)


def _times(windows: Sequence[BufferWindow]) -> Findings:
    for index, window in enumerate(windows):
        if not window.minutes:
            yield error(
                f"{_PATH}[{index}].to", f"equals from; for the whole day, set another number of {_PATH.rpartition('.')[0]}.replicas"
            )
    for (first, one), (second, other) in combinations(enumerate(windows), 2):
        if (both := next(_common(one, other), None)) is not None:
            yield error(
                f"{_PATH}[{second}]",
                f"overlaps {_PATH}[{first}] on {_written(both)}; let one end where the other begins",
            )


def _common(one: BufferWindow, other: BufferWindow) -> Iterator[int]:
    """The minutes of the week in which one of two windows begins and the other is not over."""
    for first, second in ((one, other), (other, one)):
        yield from (begin for begin in first.begins if any((begin - each) % WEEK < second.minutes for each in second.begins))


def _written(minute: int) -> str:
    return f"{DAYS[minute // DAY]} at {minute % DAY // 60:02}:{minute % 60:02}"


def _zones(windows: Sequence[BufferWindow]) -> Findings:
    """A system without a database of time zones cannot tell; the API server can."""
    known = available_timezones()
    for index, window in enumerate(windows):
        path = f"{_PATH}[{index}].timezone"
        if known and window.timezone not in known:
            yield error(path, "not a time zone of the IANA database, for instance Europe/Berlin")
        elif window.timezone != windows[0].timezone:
            yield error(
                path, f"another one than that of {_PATH}[0], so that windows could overlap when clocks change; write all times in one"
            )
        elif known:
            yield from _skipped(index, window)


def _skipped(index: int, window: BufferWindow) -> Findings:
    """Warnings for times that do not exist on a day of the year 2027, which stands for every year."""
    zone, first = ZoneInfo(window.timezone), datetime(2027, 1, 4, tzinfo=UTC).replace(tzinfo=None)  # a Monday
    ends = [begin + window.minutes for begin in window.begins]
    for key, minutes in (("from", window.begins), ("to", ends)):
        for at in (first + timedelta(weeks=week, minutes=minute) for week in range(52) for minute in minutes):
            if at.replace(tzinfo=zone).astimezone(UTC).astimezone(zone).replace(tzinfo=None) != at:
                yield warning(
                    f"{_PATH}[{index}].{key}",
                    f"does not exist on the day when clocks go forward (in 2027 {at:%Y-%m-%d}), so that the number does not change then; "
                    "choose a time before or after that hour",
                )
                break
