"""The tables of the documentation site, prepared for docs/site.css. MkDocs calls this as a hook.

On a narrow screen a table becomes a list: each cell says which column it is from. Long names may break
between their parts.
"""

import re
from typing import Any

_TABLE = re.compile(r"<table>.*?</table>", re.DOTALL)
_HEAD = re.compile(r"<th\b[^>]*>(.*?)</th>", re.DOTALL)
_ROW = re.compile(r"<tr>.*?</tr>", re.DOTALL)
_CELL = re.compile(r"<td\b")
_LONG = re.compile(r"[^\s<>]{16,}(?=[^<>]*<)")
"""A long word, outside of tags."""
_BREAK = re.compile(r"(?<=[._/:])(?=\w)|(?<=[a-z])(?=[A-Z])")
_TAG = re.compile(r"<[^>]*>")


def on_page_content(html: str, **_: Any) -> str:
    return _TABLE.sub(lambda table: labelled(table[0]), html)


def labelled(table: str) -> str:
    """A table whose cells have the heading of their column."""
    labels = [_TAG.sub("", head).replace('"', "&quot;") for head in _HEAD.findall(table)]

    def row(found: re.Match[str]) -> str:
        columns = iter(labels)
        return _CELL.sub(lambda _: f'<td data-label="{next(columns)}"', found[0])

    return _ROW.sub(row, _LONG.sub(lambda word: _BREAK.sub("<wbr>", word[0]), table))
