"""pyright, which is in many editors, reports mistakes in values to users of the wheel."""

import json
import subprocess
from pathlib import Path

from tests.languages.program import PROGRAM, WRONG
from tests.package import distribution

EPOCH = 1_790_000_000


def test_pyright_finds_the_mistakes_in_values_and_nothing_else(node_modules: Path, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "pyrightconfig.json").write_text(json.dumps({"typeCheckingMode": "strict"}))
    distribution.build(tmp_path / "dist", EPOCH)
    python = distribution.install(tmp_path / "dist", tmp_path / "venv")
    command: list[str | Path] = [node_modules / ".bin" / "pyright", "--pythonpath", python, "--outputjson", "program.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    errors = [found for found in json.loads(done.stdout)["generalDiagnostics"] if found["severity"] == "error"]
    assert {found["range"]["start"]["line"] + 1 for found in errors} == WRONG, done.stdout
