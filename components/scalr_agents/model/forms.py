"""The forms of values: names, labels, hosts and images as Kubernetes and registries accept them, and how a type declares one:
`SubnetId = Annotated[InputText, Form(...)]`.

pydantic decides whether a value has the right type: text or number, list or map, known now or an output. It passes over what is declared
here; `judge` reads it. So a wrong value stays in the model, the others are judged beside it, and everything is found at once. What the
package computes with (quantities, versions) is a validator in `fields` instead: only usable values pass.
"""

import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from ipaddress import IPv6Address
from typing import Any, NoReturn

from pydantic_core import PydanticCustomError

from scalr_agents.model.findings import Path, Severity
from scalr_agents.model.texts import describe

_LONGEST_NAME = 253
LONGEST_LABEL = 63
_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_HOST = re.compile(r"[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*")
_DNS_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_LABEL_VALUE = re.compile(r"([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?")
_KEY_NAME = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?")
NO_LABEL_VALUE = "not a valid label value: use at most 63 letters, digits, '-', '_' and '.'"
OUTSIDE_OF_NODE = "contains '..', which Kubernetes rejects in a path of the node"
_SECRET_KEY = re.compile(r"[-._a-zA-Z0-9]{1,253}")
_PART = "[a-z0-9]+(?:(?:[.]|_{1,2}|-+)[a-z0-9]+)*"
_REGISTRY_HOST = r"(?:[A-Za-z0-9]+(?:[.-]+[A-Za-z0-9]+)*|\[[0-9a-fA-F:]+\])(?::[0-9]+)?"
REPOSITORY = re.compile(f"(?:{_REGISTRY_HOST}/)?{_PART}(?:/{_PART})*")
TAG = "[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}"
_IMAGE = re.compile(f"{REPOSITORY.pattern}(?::{TAG})?(?:@[a-z0-9+._-]+:[0-9a-f]{{32,}})?")
REGISTRY = re.compile(f"(?:{_REGISTRY_HOST}|{_PART})(?:/{_PART})*")
ENV_NAME = re.compile(r"[-._a-zA-Z][-._a-zA-Z0-9]*")
ESCALATING = "CAP_SYS_ADMIN"
"""The capability with which Kubernetes rejects `allowPrivilegeEscalation: false`; it compares this exact spelling."""
Problems = Iterator[tuple[Path, str]]
"""What is wrong with a value: the paths of its parts, which are empty for the value itself, and the messages."""
_LONGEST_ECHO = 200
"""ARNs are long."""


def is_env_name(name: str) -> bool:
    return bool(ENV_NAME.fullmatch(name))


def is_dns_label(name: str) -> bool:
    """Whether a string is a valid name of a container, a volume or a namespace."""
    return len(name) <= LONGEST_LABEL and bool(_DNS_LABEL.fullmatch(name))


def is_subdomain(name: str) -> bool:
    """Whether a string is a valid name of an object."""
    return len(name) <= _LONGEST_NAME and bool(_SUBDOMAIN.fullmatch(name))


def is_label_key(key: str) -> bool:
    """Whether a string is a valid key of a label, an annotation or a taint."""
    prefix, slash, name = key.rpartition("/")
    return len(name) <= LONGEST_LABEL and bool(_KEY_NAME.fullmatch(name)) and (not slash or is_subdomain(prefix))


def is_label_value(value: str) -> bool:
    """Whether a string is a valid value of a label or a taint."""
    return len(value) <= LONGEST_LABEL and bool(_LABEL_VALUE.fullmatch(value))


def is_secret_key(key: str) -> bool:
    """Whether a string is a valid key of a Secret or ConfigMap."""
    return bool(_SECRET_KEY.fullmatch(key)) and key not in (".", "..")


def is_host(name: str) -> bool:
    """Whether a string in lower case is a host name, which may have underscores, or an IP address."""
    if ":" not in name:
        return len(name) <= _LONGEST_NAME and bool(_HOST.fullmatch(name))
    try:
        return IPv6Address(name).scope_id is None
    except ValueError:
        return False


def is_image(text: str) -> bool:
    """Whether a string has the form of a complete image reference: repository, then tag and digest if it has them."""
    return bool(_IMAGE.fullmatch(text))


def refuse(kind: str, message: str) -> NoReturn:
    """Reject the value that is being validated; `message` says what is allowed."""
    raise PydanticCustomError(kind, "{reason}", {"reason": message})


def integral(value: Any) -> Any:
    """Whole floats as integers, because component hosts pass all numbers as floats."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


@dataclass(frozen=True, kw_only=True)
class Declaration:
    """Something that holds for every value that is set and known: outputs of other resources are not judged."""

    severity: Severity = "error"

    def problems(self, value: Any, /) -> Problems:
        raise NotImplementedError


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
    """Whether messages repeat a wrong text. Not where a secret may be in it by mistake: in free text, or where a login can stand."""

    def accepts(self, text: str) -> bool:
        fits = not self.longest or len(text) <= self.longest
        return fits and bool(re.fullmatch(self.test, text, re.ASCII) if isinstance(self.test, str) else self.test(text))

    def problems(self, value: str, /) -> Problems:
        if self.accepts(value):
            return
        is_long = 0 < self.longest < len(value)
        given = f"{len(value)} characters" if is_long else as_given(value, repeated=self.repeated)
        yield (), f"given {given}; expected {self.expected}{self._advice(value) if given == repr(value) else ''}"

    def _advice(self, given: str) -> str:
        """What was meant, or how to find it. It contains what was given, so it is only for a text that the message repeats."""
        if near := next(filter(self.accepts, self.meant(given)), ""):
            return f"; did you mean {near!r}?"
        return f". Look it up: {self.look_up.format(shlex.quote(given))}" if self.look_up else ""


@dataclass(frozen=True)
class OneOf(Declaration):
    """One of some numbers or texts. A text that is always known has a `Literal` instead."""

    allowed: Sequence[object]

    def problems(self, value: object, /) -> Problems:
        if value not in self.allowed:
            yield (), f"given {as_given(value)}; allowed: {', '.join(map(str, self.allowed))}"


@dataclass(frozen=True)
class Unique(Declaration):
    """A list without equal items, or a map without equal values. Outputs are not compared."""

    advice: str = "remove one of them"

    def problems(self, value: Any, /) -> Problems:
        first: dict[str, object] = {}
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            if isinstance(item, str) and first.setdefault(item, key) != key:
                yield (key,), f"{as_given(item)} is given twice; {self.advice}"


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
class Required:
    """The setting must be set, although its field has a default: stack files are read whatever they lack."""

    because: str = ""

    @property
    def text(self) -> str:
        return f"missing: {self.because}" if self.because else "missing"


REQUIRED = Required()


def as_given(value: object, *, repeated: bool = True) -> str:
    """A value as messages repeat it, unless it may be a secret."""
    return describe(value, repeated=repeated, longest=_LONGEST_ECHO).removeprefix("the number ")
