"""A Java program gets the types of values: a key that does not exist does not compile."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.languages import pages, projects

PROGRAM = Path("src", "main", "java", "program", "App.java")


def compiled(program: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["mvn", "--batch-mode", "--quiet", "compile"], cwd=program, capture_output=True, text=True, check=False)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    if shutil.which("mvn") is None:
        pytest.skip("Maven is not on PATH")
    return projects.copied("java", tmp_path)


def test_the_program_of_the_registrys_page_compiles(program: Path) -> None:
    (program / PROGRAM).unlink()
    (program / PROGRAM.with_name("Agents.java")).write_text(pages.program("java"))
    done = compiled(program)
    assert done.returncode == 0, done.stdout


def test_only_a_program_with_a_mistake_fails_to_compile(program: Path) -> None:
    done = compiled(program)
    assert done.returncode == 0, done.stdout
    main = program / PROGRAM
    main.write_text(main.read_text().replace("minReadySeconds(15)", "minReadySecond(15)"))
    reported = compiled(program).stdout
    assert "App.java:[46," in reported
    assert "symbol:   method minReadySecond(int)" in reported
