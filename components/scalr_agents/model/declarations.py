"""What a type says about the content of a value, as metadata of its annotation: `SubnetId = Annotated[InputText, Form(...)]`.

pydantic decides whether a value has the right type: text or number, list or map, known now or an output. It passes over what is declared
here; `judge` reads it. So a value that is wrong stays in the model, the others are judged beside it, and everything is found at once. What
the package computes with (quantities, versions) is a validator in `fields` instead: only usable values pass.
"""

import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from scalr_agents.model import signs
from scalr_agents.model.findings import Path, Severity
from scalr_agents.model.messages import describe

Problems = Iterator[tuple[Path, str]]
_LONGEST_ECHO = 200


@dataclass(frozen=True, kw_only=True)
class Declaration:
    """Something that holds for every value that is set and known: outputs of other resources are not judged."""

    severity: Severity = "error"

    def problems(self, _value: Any, /) -> Problems:
        """What is wrong, with the path below the value."""
        yield from ()


def _as_meant(given: str) -> Sequence[str]:
    return given.strip(), given.strip().lower()


@dataclass(frozen=True, kw_only=True)
class Form(Declaration):
    """The form of a text. All are refused in the same words: what was given, what is expected, and what was probably meant."""

    expected: str
    """What is allowed, with its shape or an example: `the ID of a subnet, for instance subnet-0a1b2c3d`."""
    test: str | Callable[[str], bool]
    """A regular expression, or a function."""
    longest: int = 0
    """The largest number of characters, if there is one."""
    meant: Callable[[str], Sequence[str]] = _as_meant
    """What a wrong text may mean. The first one that passes the test is offered."""
    look_up: str = ""
    """A command that finds the right value. `{}` is the given one, quoted for a shell."""
    repeated: bool = True
    """Whether messages repeat a wrong text: not where a secret may be in it by mistake, as in free text or before the `@` of a registry."""

    def accepts(self, text: str) -> bool:
        fits = not self.longest or len(text) <= self.longest
        return fits and bool(re.fullmatch(self.test, text, re.ASCII) if isinstance(self.test, str) else self.test(text))

    def problems(self, value: Any, /) -> Problems:
        if self.accepts(value):
            return
        shown = f"{len(value)} characters" if 0 < self.longest < len(value) else _shown(value, repeated=self.repeated)
        near = next((text for text in self.meant(value) if self.accepts(text)), "") if self.repeated else ""
        look_up = self.look_up.format(shlex.quote(value)) if shown == repr(value) else ""
        advice = f"; did you mean {near!r}?" if near else f". Look it up: {look_up}" if look_up else ""
        yield (), f"given {shown}; expected {self.expected}{advice}"


@dataclass(frozen=True)
class OneOf(Declaration):
    """One of some numbers or texts. A text that is always known has a `Literal` instead."""

    allowed: Sequence[object]

    def problems(self, value: Any, /) -> Problems:
        if value not in self.allowed:
            yield (), f"given {_shown(value)}; allowed: {', '.join(map(str, self.allowed))}"


@dataclass(frozen=True)
class Unique(Declaration):
    """A list without equal items, or a map without equal values. Outputs are not compared."""

    advice: str = "remove one of them"

    def problems(self, value: Any, /) -> Problems:
        first: dict[str, object] = {}
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            if isinstance(item, str) and first.setdefault(item, key) != key:
                yield (key,), f"{item!r} is given twice; {self.advice}"


@dataclass(frozen=True)
class Rule(Declaration):
    """What no form says, in its own words: a function returns what is wrong with a value, or nothing."""

    check: Callable[[Any], str]

    def problems(self, value: Any, /) -> Problems:
        if problem := self.check(value):
            yield (), problem


def caution(check: Callable[[Any], str]) -> Rule:
    """A warning on a value that works."""
    return Rule(check, severity="warning")


@dataclass(frozen=True)
class Required(Declaration):
    """The setting must be set, although its field has a default: stack files are read whatever they lack."""

    because: str = ""

    @property
    def text(self) -> str:
        return f"missing: {self.because}" if self.because else "missing"


REQUIRED = Required()


def _shown(value: object, *, repeated: bool = True) -> str:
    text = repr(value)
    return text if repeated and len(text) <= _LONGEST_ECHO and not signs.in_text(text) else describe(value, repeated=False)
