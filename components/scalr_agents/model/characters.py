"""Characters that are no text: they end lines, move the cursor, or turn the direction of what follows."""

import re

_CONTROL = "\\x00-\\x08\\x0a-\\x1f\\x7f-\\x9f\\u2028\\u2029"
"""Without the tab, which is white space to all programs."""
_TURNING = "\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069"
_TURNS = re.compile(f"[{_TURNING}]")
_NOT_IN_LINE = re.compile(f"[{_CONTROL}]")
_NOT_PRINTED = re.compile(f"[{_CONTROL}{_TURNING}\\ud800-\\udfff]")


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
