"""The programs under `examples/`, and the configuration that they document."""

import re
from pathlib import Path
from typing import NamedTuple

EXAMPLES = Path(__file__).parents[2] / "examples"
PROGRAMS = sorted({path.parent.name for path in EXAMPLES.glob("*/__main__.py")} - {"pool"})
"""`pool` imports an SDK that is generated: tests/engine/test_pool.py runs it."""
_COMMAND = re.compile(r"^(?:# )?pulumi config set (--secret )?([\w:]+)(?: +([^\s(#]+))?(?: |$)", re.MULTILINE)


class Setting(NamedTuple):
    """A `pulumi config set` of an example."""

    key: str
    value: str
    """Empty if the CLI prompts for it."""
    secret: bool


def settings(example: str) -> list[Setting]:
    """The configuration that an example documents."""
    texts = [EXAMPLES / example / name for name in ("__main__.py", "README.md")]
    commands = [found for text in texts if text.exists() for found in _COMMAND.findall(text.read_text(encoding="utf-8"))]
    return [Setting(key, value, bool(secret)) for secret, key, value in commands]
