"""mypy reports mistakes in values."""

import re
import subprocess
import sys
from pathlib import Path

import scalr_agents

from tests.languages.program import PROGRAM, WRONG

CONFIG = """\
[mypy]
strict = True
[mypy-scalr_agents.*,pulumi.*]
follow_imports = silent
[mypy-pulumi_aws.*,pulumi_gcp.*]
follow_imports = skip
"""
"""Without the SDKs of the clouds, which take minutes."""


def test_mypy_finds_the_mistakes_in_values_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "mypy.ini").write_text(CONFIG)
    command = [sys.executable, "-m", "mypy", "--config-file", "mypy.ini", "program.py"]
    package = {"MYPYPATH": str(Path(scalr_agents.__file__).parents[1])}
    done = subprocess.run(command, cwd=tmp_path, env=package, capture_output=True, text=True, check=False)
    assert {int(line) for line in re.findall(r"^program\.py:(\d+): error", done.stdout, re.MULTILINE)} == WRONG, done.stdout + done.stderr
