"""mypy, and pyright, which is in many editors, report the mistakes in the values of a program, and nothing else."""

import json
import re
import subprocess
import sys
from pathlib import Path

import scalr_agents

from tests.package import distribution

PROGRAM = """\
import pulumi
from scalr_agents import AgentJob, AgentJobValues, AgentK8s, AgentLocal, load_values

config = pulumi.Config()
token = config.require_secret("token")
web: AgentJobValues = {"agent": {"replicaCount": 2, "token": token}, "global": {"proxy": {"enabled": True, "httpProxy": token}}}
AgentJob("web", {"namespace": "scalr", "values": web})
AgentJob("file", {"namespace": "scalr", "values": load_values("values.yaml")})
AgentJob("more", {"namespace": "scalr", "values": {**web, "rbac": {"rules": [{"verbs": ["get"]}]}}})
AgentJob("null", {"namespace": "scalr", "values": {"agent": {"replicaCount": None, "affinity": {"nodeAffinity": {}}, "debug": 1}}})
AgentK8s("k8s", {"namespace": "scalr", "values": {"agent": {"container_task_cpu_limit": 4}}})
AgentJob("a", {"namespace": "scalr", "values": {"agent": {"replicaCont": 2}}})  # wrong
AgentJob("b", {"namespace": "scalr", "values": {"agent": {"replicaCount": "2"}}})  # wrong
AgentJob("c", {"namespace": "scalr", "values": {"global": {"prox": {}}}})  # wrong
AgentJob("d", {"namespace": "scalr", "values": {"agent": {"replicaCount": token}}})  # wrong
AgentJob("e", {"namespace": "scalr", "values": {"rbac": {"rules": [{"resources": ["pods"]}]}}})  # wrong
AgentLocal("f", {"namespace": "scalr", "values": {"agent": {"shutdownMode": "drian"}}})  # wrong
AgentLocal("g", {"namespace": "scalr", "values": web})  # wrong
AgentK8s("h", {"namespace": "scalr", "values": {"agent": {"replicaCount": 2}}})  # wrong
"""
WRONG = {number for number, line in enumerate(PROGRAM.splitlines(), start=1) if line.endswith("# wrong")}
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


def test_pyright_finds_the_mistakes_in_values_and_nothing_else(node_modules: Path, tmp_path: Path) -> None:
    """In a program that uses the wheel."""
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "pyrightconfig.json").write_text(json.dumps({"typeCheckingMode": "strict"}))
    distribution.build(tmp_path / "dist", 1_790_000_000)
    python = distribution.install(tmp_path / "dist", tmp_path / "venv")
    command: list[str | Path] = [node_modules / ".bin" / "pyright", "--pythonpath", python, "--outputjson", "program.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    errors = [found for found in json.loads(done.stdout)["generalDiagnostics"] if found["severity"] == "error"]
    assert {found["range"]["start"]["line"] + 1 for found in errors} == WRONG, done.stdout
