"""SDKs of packages, as `pulumi package add` generates them."""

import subprocess
from pathlib import Path

from tests import tools


def generate(schema: Path, language: str, directory: Path) -> None:
    """Write the SDK of a language, `nodejs` for instance, into a directory."""
    command: list[str | Path] = [tools.binary("generate-sdk"), schema, language, directory]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
