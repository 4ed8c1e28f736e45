"""The unit's own command lines with a real Docker daemon, the program for the machine with TLS and signatures, and a drain."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from scalr_agents.machines import CloudNames, environment
from scalr_agents.machines.files import HostFile, files

from tests.helpers.machines import machine
from tests.helpers.stand_ins import ARN, GROUP, NAME
from tests.machines_for_real.machine import Host, Unit, unit_of

TOKEN = "s3cr3t-token"
CLOUDS = {"aws-plain": CloudNames(ARN, GROUP), "gcp-plain": CloudNames(NAME)}
OWN = HostFile("/etc/scalr-agent/secret.env", f"SCALR_AGENT_TOKEN={TOKEN}\n", "0600")


def certified(host: Host) -> str:
    """What the secret holds besides the token: the certificates of a machine whose user data has no room for them."""
    certificates = environment.certificates(machine("aws-vcs").machine)
    host.secret(**{"SCALR_AGENT_TOKEN": TOKEN, environment.CERTIFICATES: certificates})
    return certificates


def written(name: str) -> list[HostFile]:
    return files(machine(name).machine, CLOUDS.get(name, CloudNames()))


@pytest.fixture(autouse=True)
def clean(host: Host) -> Iterator[None]:
    host.secret(SCALR_AGENT_TOKEN=TOKEN, TF_TOKEN_acme="hidden-env")
    yield
    host.run("docker", "rm", "--force", "scalr-agent")


@pytest.mark.parametrize("name", ["aws-plain", "gcp-plain", "own-plain"])
def test_the_token_is_only_in_the_container(host: Host, name: str) -> None:
    if name == "own-plain":
        host.put(OWN)
    unit = unit_of(host, written(name))
    with unit.started() as agent:
        said = [agent.readline() for _ in range(3)]
        assert "SCALR_AGENT_TOKEN" in said[0]
        assert ("TF_TOKEN_acme" in said[0]) == (name != "own-plain")
        assert said[1:] == ["arguments: run\n", "a run has begun\n"]
        seen = unit.content + str(written(name)) + "".join(said) + host.output("docker", "logs", "scalr-agent") + _processes()
        assert TOKEN not in seen
        assert "hidden-env" not in seen
        # As the documents of Scalr pass it, so that whoever has the socket can read it.
        assert TOKEN in host.output("docker", "inspect", "scalr-agent")
        assert "SCALR_AGENT_NAME=machine-1" in host.output("docker", "inspect", "scalr-agent")
        unit.stop()
        assert agent.read() == "draining\nthe run has ended\n"
    assert host.output("docker", "ps", "--all", "--quiet") == ""


def _processes() -> str:
    """The arguments of all processes."""
    return "".join(file.read_text(errors="replace") for file in Path("/proc").glob("[0-9]*/cmdline") if file.exists())


def test_the_secrets_file_is_root_only_and_deleted_with_the_unit(host: Host) -> None:
    unit = unit_of(host, written("aws-plain"))
    unit.prepare()
    assert host.output("stat", "--format=%a %U", "/run/scalr-agent-secret", "/run/scalr-agent-secret/secret.env") == "700 root\n600 root\n"
    assert host.output("stat", "--file-system", "--format=%T", "/run/scalr-agent-secret") == "tmpfs\n"
    unit.stop()
    assert host.run("ls", "/run/scalr-agent-secret").returncode != 0


def test_a_new_token_is_used_at_the_next_start(host: Host) -> None:
    unit = unit_of(host, written("aws-plain"))
    with unit.started() as agent:
        agent.readline()
        host.secret(SCALR_AGENT_TOKEN="the-next-token")
    with unit.started() as agent:
        agent.readline()
        assert "the-next-token" in host.output("docker", "inspect", "scalr-agent")


def test_the_unit_starts_after_a_crash(host: Host) -> None:
    host.output("docker", "create", "--name=scalr-agent", "scalr/agent:1.4.0", "run")
    unit = unit_of(host, written("aws-plain"))
    with unit.started() as agent:
        assert "SCALR_AGENT_TOKEN" in agent.readline()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("aws-plain", f"secretsmanager.eu-west-1.amazonaws.com answers 400 (ResourceNotFoundException) for {ARN}"),
        ("gcp-plain", f"secretmanager.googleapis.com answers 404 (NOT_FOUND) for {NAME}"),
        ("own-plain", "/etc/scalr-agent/secret.env is missing or empty: write SCALR_AGENT_TOKEN=<token> into it, mode 0600"),
    ],
)
def test_a_missing_secret_is_reported(host: Host, name: str, expected: str) -> None:
    host.secret()
    host.run("rm", "--force", OWN.path)
    done = unit_of(host, written(name)).prepare()
    assert done.returncode == 1
    assert done.stderr.removeprefix("scalr-agent: ") == f"{expected}\n"


def test_a_vcs_agent_has_no_socket_and_no_directory(host: Host) -> None:
    vcs = machine("aws-vcs").machine
    plain = replace(vcs, shared=vcs.shared.model_copy(update={"image_registry": "", "http_proxy": "", "https_proxy": ""}))
    unit = unit_of(host, files(plain, CLOUDS["aws-plain"]))
    certificates = certified(host)
    with unit.started() as agent:
        assert environment.CERTIFICATES not in agent.readline()
        found = host.output("cat", environment.CA_FILE)
        assert [part[:64] for part in found.split("-----BEGIN CERTIFICATE-----\n")[1:]] == [part[:64] for part in certificates.split(",")]
        assert host.output("stat", "--format=%a %U", environment.CA_FILE) == "644 root\n"
        mounts = host.output("docker", "inspect", "--format={{range .Mounts}}{{.Source}} {{end}}", "scalr-agent")
        assert mounts.split() == ["/etc/scalr-agent/ca.pem"]


def test_the_metadata_rule_is_added_once(host: Host) -> None:
    unit = unit_of(host, written("gcp-plain"))
    for _ in range(2):
        unit.prepare()
        unit.stop()
    rules = host.output("iptables", "-S", "DOCKER-USER").splitlines()
    assert [rule for rule in rules if "169.254.169.254" in rule] == [
        "-A DOCKER-USER -d 169.254.169.254/32 -p tcp -m tcp ! --dport 53 -j REJECT --reject-with icmp-port-unreachable"
    ]


def _completed(host: Host) -> int:
    """How many lifecycle actions have been completed."""
    file = host.state / "completed"
    return len(json.loads(file.read_text())) if file.exists() else 0


@pytest.mark.parametrize(("name", "then"), [("aws-plain", []), ("gcp-plain", ["poweroff"])])
def test_a_removed_machine_stops_its_agent_first(host: Host, name: str, then: list[str], tmp_path: Path) -> None:
    asked = tmp_path / "asked"
    stand_in = tmp_path / "systemctl"
    # What systemd does with `stop` is the unit's ExecStop.
    stand_in.write_text(f'#!/bin/sh\necho "$@" >> {asked}\n[ "$1" = stop ] && docker stop scalr-agent || true\n')
    stand_in.chmod(0o755)
    host.output("mount", "--bind", str(stand_in), "/usr/bin/systemctl")
    before = _completed(host)
    leaving = host.state / "leaving"
    unit = unit_of(host, written(name))
    drain = Unit(host, next(file.content for file in written(name) if file.path.endswith("-drain.service")))
    [(command, _)] = drain.commands("ExecStart")
    try:
        with unit.started() as agent:
            agent.readline()
            leaving.touch()
            done = host.run(*command)
            assert (done.returncode, done.stderr) == (0, "")
            assert agent.read().endswith("draining\nthe run has ended\n")
        assert asked.read_text().splitlines() == ["stop scalr-agent.service", *then]
        assert _completed(host) - before == (1 if name == "aws-plain" else 0)
    finally:
        leaving.unlink(missing_ok=True)
        host.output("umount", "/usr/bin/systemctl")
