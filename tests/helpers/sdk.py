"""SDKs of packages, as `pulumi package add` generates them."""

import subprocess
from pathlib import Path

from tests import tools

LANGUAGES = {"csharp": "csharp", "go": "go", "java": "java", "typescript": "nodejs"}
"""Languages with an SDK that is generated, as the generator names them."""
_LOGO = Path(__file__).parents[2] / "docs" / "logo.png"


def generate(schema: Path, language: str, directory: Path) -> None:
    """Write the SDK of a language, one of `LANGUAGES` or `python`, into a directory."""
    command: list[str | Path] = [tools.binary("generate-sdk"), schema, LANGUAGES.get(language, language), directory, _LOGO]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
