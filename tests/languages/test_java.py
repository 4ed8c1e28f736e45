"""A Java program gets the types of values: a key that does not exist does not compile."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.helpers import sdk
from tests.package import schema

PROGRAM = Path(__file__).parent / "java"


def compiled(program: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["mvn", "--batch-mode", "--quiet", "compile"], cwd=program, capture_output=True, text=True, check=False)


def test_only_a_program_with_a_mistake_fails_to_compile(tmp_path: Path) -> None:
    if shutil.which("mvn") is None:
        pytest.skip("Maven is not on PATH")
    shutil.copytree(PROGRAM, tmp_path, dirs_exist_ok=True)
    sdk.generate(schema.FILE, "java", tmp_path)
    done = compiled(tmp_path)
    assert done.returncode == 0, done.stdout
    main = tmp_path / "src" / "main" / "java" / "program" / "Program.java"
    main.write_text(main.read_text().replace("replicaCount(2)", "replicaCont(2)"))
    said = compiled(tmp_path).stdout
    assert "Program.java:[19,54] cannot find symbol" in said
    assert "symbol:   method replicaCont(int)" in said
