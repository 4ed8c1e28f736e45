"""The programs on the page of the Pulumi Registry."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "_index.md"


def program(language: str) -> str:
    """The program in a language."""
    [found] = re.findall(rf"^```{language}\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return str(found)
