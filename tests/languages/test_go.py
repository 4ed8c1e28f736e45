"""A Go program gets the types of values: a key that does not exist does not compile."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.languages import projects

PAGE = projects.EXAMPLES.parent / "docs" / "_index.md"


def vet(program: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "GOWORK": "off", "CGO_ENABLED": "0"}
    return subprocess.run(["go", "vet", "-trimpath", "."], cwd=program, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    if shutil.which("go") is None:
        pytest.skip("Go is not on PATH")
    return projects.copied("go", tmp_path)


def test_the_program_of_the_registrys_page_compiles(program: Path) -> None:
    [shown] = re.findall(r"^```go\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    (program / "main.go").write_text(shown)
    done = vet(program)
    assert done.returncode == 0, done.stderr


def test_only_a_program_with_a_mistake_fails_to_compile(program: Path) -> None:
    done = vet(program)
    assert done.returncode == 0, done.stderr
    main = program / "main.go"
    main.write_text(main.read_text().replace("MinReadySeconds:", "MinReadySecond:"))
    assert "unknown field MinReadySecond in struct literal of type scalragents.AgentJobAgentValuesArgs" in vet(program).stderr
