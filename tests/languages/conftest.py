"""What programs in other languages need. A test is skipped, with the reason, if it is missing."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import tools
from tests.languages import node
from tests.package import schema

Generate = Callable[[str, Path], None]


@pytest.fixture(scope="session")
def node_modules() -> Path:
    if not node.modules().exists():
        pytest.skip("the packages of tests/languages/package.json are missing: run `make test-languages` where npm is installed")
    return node.modules()


@pytest.fixture
def generate() -> Generate:
    """Writes the SDK of a language into a directory, from the committed schema."""
    if not tools.built("pulumi"):
        pytest.skip("the Pulumi CLI is not built: run `make control-plane`")

    def run(language: str, directory: Path) -> None:
        host = f"pulumi-language-{language}"
        if shutil.which(host) is None:
            pytest.skip(f"{host}, a part of Pulumi's releases, is not on PATH")
        command: list[str | Path] = [tools.binary("pulumi"), "package", "gen-sdk", schema.FILE, "--language", language, "--out", directory]
        quiet = {**os.environ, "PULUMI_SKIP_UPDATE_CHECK": "true", "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true"}
        done = subprocess.run(command, env=quiet, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr

    return run
