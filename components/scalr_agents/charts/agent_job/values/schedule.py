"""Value `task.buffer.schedule`: times of the week with another number of placeholders."""

import re
from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field

from scalr_agents.charts.shared.values import Image
from scalr_agents.model.fields import ImageTag, Repository, Text
from scalr_agents.model.forms import integral, refuse
from scalr_agents.model.messages import COMPLETE
from scalr_agents.model.section import ChartSection

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
DAY, WEEK = 24 * 60, 7 * 24 * 60
"""Minutes."""
REGISTRY = "registry.k8s.io/"
"""Where Kubernetes publishes the image of kubectl."""
_TIME = "([01][0-9]|2[0-3]):[0-5][0-9]"
_DAY = f"(?:{'|'.join(DAYS)})"
_DAYS = f"{_DAY}(?:-{_DAY})?"


def _unquoted(value: Any) -> Any:
    if isinstance(value, int | float) and not isinstance(value, bool):
        refuse(COMPLETE, 'a number; quote the time, for instance "18:00", because YAML 1.1 reads 18:00 as 1080')
    return value


def _time(value: str) -> str:
    if not re.fullmatch(_TIME, value):
        refuse("time", 'not a time of the day; write HH:MM, from "00:00" to "23:59"')
    return value


def _days(value: str) -> str:
    if not re.fullmatch(_DAYS, value):
        refuse("days", f"not a day or a range of days; write {', '.join(DAYS)}, or for instance mon-fri")
    return value


Time = Annotated[str, AfterValidator(_time), BeforeValidator(_unquoted)]


class BufferWindow(ChartSection):
    """A time of the week with its own number of placeholders."""

    days: list[Annotated[str, AfterValidator(_days)]] = Field(["mon-sun"], min_length=1)
    """Days on which it begins: `mon` to `sun`, or ranges such as `mon-fri`. Default: every day."""
    begin: Time = Field(alias="from")
    """When it begins, `HH:MM`. Quote it."""
    end: Time = Field(alias="to")
    """When it ends, `HH:MM`. If that is not after `from`, it ends on the next day."""
    timezone: Text = "UTC"
    """Time zone of both, a name of the IANA database such as `Europe/Berlin`. All windows of a schedule have the same one."""
    replicas: Annotated[int, Field(ge=0, le=2**31 - 1), BeforeValidator(integral)]
    """Number of placeholders in this time."""

    @property
    def begins(self) -> list[int]:
        """When it begins, in minutes from Monday, in order."""
        return sorted({day * DAY + _minutes(self.begin) for entry in self.days for day in _each(entry)})

    @property
    def minutes(self) -> int:
        """How long it is."""
        return (_minutes(self.end) - _minutes(self.begin)) % DAY


def _minutes(time: str) -> int:
    hours, _, minutes = time.partition(":")
    return int(hours) * 60 + int(minutes)


def _each(entry: str) -> Iterator[int]:
    """The days of an entry, which may go over the end of the week."""
    first, _, last = entry.partition("-")
    begin = DAYS.index(first)
    number = (DAYS.index(last or first) - begin) % len(DAYS)
    return ((begin + index) % len(DAYS) for index in range(number + 1))


class KubectlImage(Image):
    """Image of the Jobs that change the number of placeholders. It must contain `kubectl`, version 1.33 or newer."""

    repository: Repository = f"{REGISTRY}kubectl"
    """Repository, without tag. With `global.imageRegistry`, `registry.k8s.io` is replaced by it."""
    tag: ImageTag = "v1.36.4"
    """Tag."""
