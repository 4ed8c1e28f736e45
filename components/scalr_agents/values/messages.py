"""Messages about a value of the wrong shape: what is allowed and what was given, unless that may be a secret."""

import re
from collections.abc import Mapping

COMPLETE = "complete"
"""The kind of an error of pydantic whose message says everything."""

_TEXT_IN_KEY = re.compile(r"(?<=\w)[:=].*", re.DOTALL)
_BOOLEAN_WORDS = ("true", "false", "yes", "no")
_LONGEST_ECHO = 40
_LARGEST_ECHO = 10**_LONGEST_ECHO
_LONGEST_KEY = 316
"""The longest key that Kubernetes knows: a domain, a slash and a name."""


def shown(key: str) -> str:
    """A key as it may be repeated: `token:abc`, for want of a space, is a key with a secret in it, and so may be a long one."""
    return _TEXT_IN_KEY.sub("", key[:_LONGEST_KEY])


def describe(value: object, *, repeated: bool) -> str:
    """What was given, in words. A field in which nobody would put a secret, not even by mistake, has it `repeated`."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return f"the number {value}" if repeated and abs(value) < _LARGEST_ECHO else "a number"
    if isinstance(value, str):
        return repr(value) if value and repeated and len(value) <= _LONGEST_ECHO else "a string" if value else "an empty string"
    if isinstance(value, Mapping):
        return "a map"
    return "a list" if isinstance(value, list | tuple) else f"an object ({type(value).__name__})"


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
