"""A Go program gets the types of values: a key that does not exist does not compile."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests import sdk
from tests.package import schema

PROGRAM = Path(__file__).parent / "go"
MODULE = "module example.com/pulumi-scalr-agents/sdk/go/scalr-agents\n\ngo 1.25.11\n\nrequire github.com/pulumi/pulumi/sdk/v3 v3.255.0\n"


def vet(program: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "GOFLAGS": "-mod=mod", "GOWORK": "off", "CGO_ENABLED": "0"}
    return subprocess.run(["go", "vet", "."], cwd=program, env=environment, capture_output=True, text=True, check=False)


def test_only_a_mistake_does_not_compile(tmp_path: Path) -> None:
    if shutil.which("go") is None:
        pytest.skip("Go is not on PATH")
    shutil.copytree(PROGRAM, tmp_path, dirs_exist_ok=True)
    sdk.generate(schema.FILE, "go", tmp_path / "go")
    (tmp_path / "go" / "scalragents" / "go.mod").write_text(MODULE)
    done = vet(tmp_path)
    assert done.returncode == 0, done.stderr
    main = tmp_path / "main.go"
    main.write_text(main.read_text().replace("ReplicaCount:", "ReplicaCont:"))
    assert "unknown field ReplicaCont in struct literal of type scalragents.AgentJobAgentValuesArgs" in vet(tmp_path).stderr
