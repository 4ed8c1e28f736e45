"""Messages about a value of the wrong shape: what is allowed and what was given, unless that may be a secret."""

import re
from collections.abc import Mapping

COMPLETE = "complete"
"""The kind of an error of pydantic whose message says everything."""

_TEXT_IN_KEY = re.compile(r"(?<=\w)[:=].*", re.DOTALL)
_BOOLEAN_WORDS = ("true", "false", "yes", "no")
_LONGEST_ECHO = 40
_LONGEST_KEY = 316
"""The longest key that Kubernetes knows: a domain, a slash and a name."""


def shown(key: str) -> str:
    """A key as it may be repeated: `token:abc`, for want of a space, is a key with a secret in it, and so may be a long one."""
    return _TEXT_IN_KEY.sub("", key[:_LONGEST_KEY])


def describe(value: object, *, repeated: bool) -> str:
    """What was given, in words. A field in which nobody would put a secret, not even by mistake, has it `repeated`."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int | float):
        return _number(value, repeated=repeated)
    if isinstance(value, str):
        return repr(value) if repeated and _may_be_shown(value) else "a string" if value else "an empty string"
    if isinstance(value, Mapping):
        return "a map"
    return "a list" if isinstance(value, list | tuple) else f"an object ({type(value).__name__})"


def _may_be_shown(text: str) -> bool:
    """Whether a short text does not look like a secret that has got into the wrong field."""
    from scalr_agents.model import signs

    return 0 < len(text) <= _LONGEST_ECHO and not signs.in_text(text)


def _number(value: float, *, repeated: bool) -> str:
    if abs(value) >= 10**_LONGEST_ECHO:  # Python does not even write a number of thousands of digits
        return f"a number with more than {_LONGEST_ECHO} digits"
    return f"the number {value}" if repeated else "a number"


def expected(what: str, value: object, *, repeated: bool) -> str:
    """That something else was expected, and how to write what was probably meant."""
    message = f"expected {what}, given {describe(value, repeated=repeated)}"
    if what == "a string" and isinstance(value, bool | int | float):
        return f"{message}; quote it"
    if what == "true or false" and isinstance(value, str) and value.lower() in _BOOLEAN_WORDS:
        return f"{message}; write it without quotes, as true or false"
    if what == "a whole number" and isinstance(value, str) and value.isdecimal():
        return f"{message}; write it without quotes"
    return message
