"""SDKs of packages, as `pulumi package add` generates them."""

import subprocess
from pathlib import Path

from tests import tools

LANGUAGES = {"go": "go", "typescript": "nodejs"}
"""Languages of examples with an SDK that is generated, as the generator names them."""


def generate(schema: Path, language: str, directory: Path) -> None:
    """Write the SDK of a language, one of `LANGUAGES` or `python`, into a directory."""
    command: list[str | Path] = [tools.binary("generate-sdk"), schema, LANGUAGES.get(language, language), directory]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
