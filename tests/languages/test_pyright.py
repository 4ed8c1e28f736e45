"""pyright, which is in many editors, reports mistakes in values."""

import json
import subprocess
import sys
from pathlib import Path

import scalr_agents

from tests.package.program import PROGRAM, WRONG


def test_pyright_finds_the_mistakes_in_values_and_nothing_else(node_modules: Path, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    package = str(Path(scalr_agents.__file__).parents[1])
    (tmp_path / "pyrightconfig.json").write_text(json.dumps({"extraPaths": [package], "typeCheckingMode": "strict"}))
    command: list[str | Path] = [node_modules / ".bin" / "pyright", "--pythonpath", sys.executable, "--outputjson", "program.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    errors = [found for found in json.loads(done.stdout)["generalDiagnostics"] if found["severity"] == "error"]
    assert {found["range"]["start"]["line"] + 1 for found in errors} == WRONG, done.stdout
