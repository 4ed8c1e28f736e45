"""The pinned releases of `requirements/`."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

DEPLOYED = ("core", "kubernetes", "clouds")
"""The layers that a deployment runs on."""
LAYERS = {name: (Path(__file__).parents[2] / "requirements" / f"{name}.txt").read_text() for name in (*DEPLOYED, "dev", "docs")}
PIN = re.compile(r"^([a-z0-9-]+)==(\S+)(?: ; [^\\\n]*[^\\\s])?((?: \\\n    --hash=sha256:[0-9a-f]{64})*)$", re.MULTILINE)


class Pin(NamedTuple):
    """A release, and the SHA-256 hashes of its files."""

    name: str
    version: str
    hashes: tuple[str, ...]


def pins(text: str) -> Iterator[Pin]:
    for found in PIN.finditer(text):
        yield Pin(found[1], found[2], tuple(re.findall(r"sha256:([0-9a-f]{64})", found[3])))
