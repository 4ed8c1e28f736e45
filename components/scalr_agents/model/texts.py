"""Texts that are printed or written: characters that may not stand in them, and how messages repeat what was given."""

import re
from collections.abc import Iterable, Mapping

from scalr_agents.model import secret_patterns

_CONTROL = "\\x00-\\x08\\x0a-\\x1f\\x7f-\\x9f\\u2028\\u2029"
"""Without the tab, which is white space to all programs."""
_TURNING = "\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069"
_TURNS = re.compile(f"[{_TURNING}]")
_NOT_IN_LINE = re.compile(f"[{_CONTROL}]")
_NOT_PRINTED = re.compile(f"[{_CONTROL}{_TURNING}\\ud800-\\udfff]")
COMPLETE = "complete"
"""The type of a pydantic error whose message is complete."""
_TEXT_IN_KEY = re.compile(r"(?<=\w)[:=].*", re.DOTALL)
_BOOLEAN_WORDS = ("true", "false", "yes", "no")
_HARMLESS = (*_BOOLEAN_WORDS, "on", "off", "enabled", "disabled", "none", "null", "all", "default", "auto")
"""Words that are shown in every field: no secret is one of them."""
_LONGEST_ECHO = 40
_LONGEST_KEY = 316
"""The maximum length of a key in Kubernetes: a domain, a slash and a name."""


def is_one_line(text: str) -> bool:
    """Whether a text can stand in a line of a file: no control characters but tabs, and nothing that a program takes for a line's end."""
    return not _NOT_IN_LINE.search(text)


def turns(text: str) -> bool:
    """Whether a text has characters that turn the direction of what follows, so that a reader sees another text than a program."""
    return bool(_TURNS.search(text))


def without_turns(text: str) -> str:
    """A text with escapes in place of these characters, as strings in quotes have them in YAML and JSON."""
    return _TURNS.sub(_as_escape, text)


def lines(each: list[str]) -> str:
    """Lines as the text of a file. Raises `ValueError` if one has a control character, whatever let it through."""
    if not all(map(is_one_line, each)):
        raise ValueError("a line of a file on the machine contains a control character")
    return "".join(f"{line}\n" for line in each)


def escaped(text: str) -> str:
    """A text as it is printed in one line: what is no text as Python writes it in a string, a line break as `\\n`."""
    return _NOT_PRINTED.sub(_as_escape, text)


def shell_word(text: str) -> str:
    """A text as one word for a shell, in quotes."""
    inner = text.replace("'", "'\\''")
    return f"'{inner}'"


def _as_escape(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode("ascii")


def shown(key: str) -> str:
    """A key in a form that is safe to print: `token:abc`, without a space, is a key that contains a secret, and so may be a long key."""
    return _TEXT_IN_KEY.sub("", key[:_LONGEST_KEY])


def describe(value: object, *, repeated: bool, longest: int = _LONGEST_ECHO) -> str:
    """Describe the given value. Set `repeated` to include it, for fields in which nobody would put a secret, even by mistake.

    A text is included if it has at most `longest` characters and does not look like a secret in the wrong field.
    """
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int | float):
        return _number(value, repeated=repeated)
    if isinstance(value, str):
        is_shown = value.lower() in _HARMLESS or (repeated and 0 < len(value) <= longest and not secret_patterns.looks_secret(value))
        return repr(value) if is_shown else "a string" if value else "an empty string"
    if isinstance(value, Mapping):
        return "a map"
    return "a list" if isinstance(value, list | tuple) else f"an object ({type(value).__name__})"


def too_long(name: str, longest: int) -> str:
    """The end of a message on the form of a name: its length, if it is too long."""
    return f"; given {len(name)} characters" if len(name) > longest else ""


def _number(value: float, *, repeated: bool) -> str:
    if abs(value) >= 10**_LONGEST_ECHO:  # Python refuses to format numbers with thousands of digits
        return f"a number with more than {_LONGEST_ECHO} digits"
    return f"the number {value}" if repeated else "a number"


def expected(what: str, value: object, *, repeated: bool) -> str:
    """The message that another type was expected, and how to write what was probably meant."""
    message = f"expected {what}, given {describe(value, repeated=repeated)}"
    if what == "a string" and isinstance(value, bool | int | float):
        return f"{message}; quote it"
    if what == "true or false" and isinstance(value, str) and value.lower() in _BOOLEAN_WORDS:
        return f"{message}; write it without quotes, as true or false"
    if what == "a whole number" and isinstance(value, str) and value.isdecimal():
        return f"{message}; write it without quotes"
    return message


def listed(names: Iterable[str], most: int = 5) -> str:
    """Names for a message, shortened if there are many."""
    known = list(names)
    more = f" and {len(known) - most} more" if len(known) > most else ""
    return ", ".join(known[:most]) + more
