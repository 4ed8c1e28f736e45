"""Every document is accepted by the program that reads it."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import scalr_agents.machines
from scalr_agents.machines import CloudNames
from scalr_agents.machines.files import files, setup

from tests import tools
from tests.helpers.machines import CASES, machine
from tests.helpers.stand_ins import ARN, GROUP, NAME
from tests.machines_for_real.machine import without

NAMES = {"aws": CloudNames(ARN, GROUP), "gcp": CloudNames(NAME), "own": CloudNames()}
SCRIPTS = sorted(Path(scalr_agents.machines.__file__).parent.glob("*.sh"))


def program(name: str) -> str:
    found = shutil.which(name)
    if not found:
        without(f"{name} is not on PATH")
    return str(found)


def accepted(*command: str, env: dict[str, str] | None = None) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **(env or {})})
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.mark.parametrize("name", CASES)
def test_cloud_init_accepts_the_user_data(name: str, tmp_path: Path) -> None:
    file = tmp_path / "user-data"
    file.write_text(machine(name).document("cloud-init"))
    assert "Valid cloud-config" in accepted(program("cloud-init"), "schema", "--config-file", str(file))


TARGETS = ("network-online", "multi-user", "sysinit", "basic", "shutdown")
FROM_ELSEWHERE = "[Unit]\nDescription=from elsewhere\n[Service]\nExecStart=/usr/bin/docker\n"


def _root(name: str, root: Path) -> list[str]:
    """The file system of a machine, with stubs for what others bring; the names of its units."""
    each = machine(name).machine
    written = [(file.path, file.content, file.mode) for file in (*files(each, NAMES[each.platform]), *setup(each))]
    others = [(f"/etc/systemd/system/{unit}.service", FROM_ELSEWHERE, "0644") for unit in ("docker", "scalr-docker")]
    if not each.in_docker:
        others.append(("/etc/systemd/system/scalr-agent.service", FROM_ELSEWHERE, "0644"))
    stubs = [(path, "#!/bin/sh\n", "0755") for path in ("/usr/bin/docker", "/bin/sh")]
    targets = [(f"/etc/systemd/system/{target}.target", "[Unit]\nDescription=x\n", "0644") for target in TARGETS]
    for path, content, mode in (*others, *stubs, *targets, *written):
        file = root / path.removeprefix("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
        file.chmod(int(mode, 8))
    return sorted({path for path, _, _ in (*others, *written) if path.endswith(".service")})


@pytest.mark.parametrize("name", CASES)
def test_systemd_accepts_units_and_drop_ins(name: str, tmp_path: Path) -> None:
    units = _root(name, tmp_path)
    said = accepted(program("systemd-analyze"), "verify", "--man=no", "--recursive-errors=yes", f"--root={tmp_path}", *units)
    assert [line for line in said.splitlines() if "scalr-agent" in line] == []


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_shellcheck_has_no_complaint(script: Path) -> None:
    assert accepted(program("shellcheck"), str(script)) == ""


@pytest.mark.parametrize("name", CASES)
def test_shellcheck_has_no_complaint_about_commands_in_units(name: str, tmp_path: Path) -> None:
    text = machine(name).document("systemd")
    for index, command in enumerate(re.findall(r"^ExecStartPre=\+?/bin/sh -c '(.*)'$", text, re.MULTILINE)):
        file = tmp_path / f"{index}.sh"
        file.write_text(f"#!/bin/sh\n{command}\n")
        assert accepted(program("shellcheck"), str(file)) == ""


@pytest.mark.parametrize("name", CASES)
def test_compose_reads_the_intended_values(name: str, tmp_path: Path) -> None:
    if not tools.built("docker-compose"):
        without("docker-compose is not built: run `make control-plane`")
    secrets = tmp_path / "secret.env"
    secrets.write_text('SCALR_AGENT_TOKEN=s3cr3t-$token\nQUOTED="x" y\n')
    file = tmp_path / "compose.yaml"
    file.write_text(machine(name).document("compose").replace("/etc/scalr-agent/secret.env", str(secrets)))
    read = json.loads(accepted(str(tools.binary("docker-compose")), "--file", str(file), "config", "--format=json", "--no-interpolate"))
    interpolated = json.loads(accepted(str(tools.binary("docker-compose")), "--file", str(file), "config", "--format=json"))
    service = interpolated["services"]["scalr-agent"]
    assert read["services"].keys() == {"scalr-agent"}
    assert service["restart"] == "unless-stopped"
    variables = {key: value.replace("$$", "$") for key, value in service["environment"].items()}
    assert variables["SCALR_AGENT_TOKEN"] == "s3cr3t-$token"
    assert variables["QUOTED"] == '"x" y'
    if name == "aws-everything":
        assert variables["TF_LOG"] == 'a "b" 100% $c \\d'
