"""The program that runs on machines, against stand-ins of both clouds. `tests/machines_for_real` runs it as systemd does."""

import ast
import json
import re
import sys
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from scalr_agents.machines import environment, files, on_machine
from scalr_agents.model import texts

from tests.helpers.stand_ins import ARN, GROUP, INSTANCE, NAME, Cloud, serve


@pytest.fixture
def cloud(monkeypatch: pytest.MonkeyPatch) -> Iterator[Cloud]:
    """Both clouds. Connections to their services are answered at once, those to the metadata service by a server."""
    cloud = Cloud()
    server = serve(cloud.metadata)

    def answer(connection: HTTPConnection, method: str, path: str, headers: dict[str, str], body: str, whom: str) -> tuple[int, str]:
        if connection.port == on_machine.HTTPS:
            return cloud.service(connection.host, method, path, headers, body)
        return original(connection, method, path, headers, body, whom)

    original = on_machine.answer
    monkeypatch.setattr(on_machine, "answer", answer)
    monkeypatch.setattr(on_machine, "METADATA", server.server_address)
    for name in ("HTTPS_PROXY", "https_proxy"):
        monkeypatch.delenv(name, raising=False)
    yield cloud
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(
    ("proxy", "place", "behind"),
    [
        ("", ("acme.io", 443), None),
        ("http://proxy.acme.io", ("proxy.acme.io", 3128), "acme.io"),
        ("http://proxy.acme.io:8080", ("proxy.acme.io", 8080), "acme.io"),
    ],
)
def test_services_are_asked_through_the_proxy(
    proxy: str, place: tuple[str, int], behind: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[HTTPConnection] = []

    def answer(connection: HTTPConnection, *_: object) -> tuple[int, str]:
        asked.append(connection)
        return 200, ""

    monkeypatch.setattr(on_machine, "answer", answer)
    monkeypatch.setattr("urllib.request.getproxies_environment", lambda: {"https": proxy})
    on_machine.https("acme.io", "GET", "/", {}, "", "a secret")
    assert [(each.host, each.port, vars(each)["_tunnel_host"]) for each in asked] == [(*place, behind)]


@pytest.mark.parametrize("secret", [ARN, NAME])
def test_the_secrets_file_is_readable_only_by_root(cloud: Cloud, secret: str, tmp_path: Path) -> None:
    file = tmp_path / "secret.env"
    cloud.content = json.dumps({"SCALR_AGENT_TOKEN": "s3cr3t-token", "TF_TOKEN_acme": "x"})
    on_machine.main(["secrets", secret, str(file)])
    assert file.read_text() == "SCALR_AGENT_TOKEN=s3cr3t-token\nTF_TOKEN_acme=x\n"
    assert file.stat().st_mode & 0o777 == 0o600
    cloud.content = json.dumps({"SCALR_AGENT_TOKEN": "next"})
    on_machine.main(["secrets", secret, str(file), "--quoted"])
    assert file.read_text() == 'SCALR_AGENT_TOKEN="next"\n'
    assert list(tmp_path.iterdir()) == [file]


def test_certificates_are_readable_by_everyone_and_no_variable(cloud: Cloud, tmp_path: Path) -> None:
    """Programs on machines from before there were any take them for a variable, so the name must be one."""
    file = tmp_path / "ca.pem"
    cloud.content = json.dumps({"SCALR_AGENT_TOKEN": "t", environment.CERTIFICATES: "MAA=,MAEB"})
    on_machine.main(["certificates", ARN, str(file)])
    assert file.read_text() == "".join(f"-----BEGIN CERTIFICATE-----\n{each}\n-----END CERTIFICATE-----\n" for each in ("MAA=", "MAEB"))
    assert file.stat().st_mode & 0o777 == 0o644
    assert on_machine.lines(cloud.content, quoted=False) == "SCALR_AGENT_TOKEN=t\n"
    assert re.fullmatch(r"[A-Za-z_][A-Za-z0-9_.-]*", environment.CERTIFICATES)
    cloud.content = json.dumps({"SCALR_AGENT_TOKEN": "t"})
    with pytest.raises(on_machine.HostError, match="the secret does not contain certificates"):
        on_machine.main(["certificates", ARN, str(file)])


@pytest.mark.parametrize(("proxy", "port"), [("http://proxy.acme", 3128), ("http://proxy.acme:8080", 8080)])
def test_a_proxy_without_a_port_is_asked_on_3128(proxy: str, port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", proxy)
    asked: list[Any] = []

    def answer(connection: HTTPConnection, *_: object) -> tuple[int, str]:
        asked.append((connection.host, connection.port))
        return 200, ""

    monkeypatch.setattr(on_machine, "answer", answer)
    on_machine.https("secretmanager.googleapis.com", "GET", "/", {}, "", "it")
    assert asked == [("proxy.acme", port)]


@pytest.mark.parametrize(
    ("secret", "expected"),
    [
        (ARN, f"secretsmanager.eu-west-1.amazonaws.com answers 400 (ResourceNotFoundException) for {ARN}"),
        (NAME, f"secretmanager.googleapis.com answers 404 (NOT_FOUND) for {NAME}"),
    ],
)
def test_a_missing_secret_is_reported(cloud: Cloud, secret: str, expected: str, tmp_path: Path) -> None:
    cloud.content = ""
    with pytest.raises(on_machine.HostError) as raised:
        on_machine.main(["secrets", secret, str(tmp_path / "secret.env")])
    assert str(raised.value) == expected
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("s3cr3t-token", "the secret is not a JSON object of environment variables"),
        ("[1]", "the secret is not a JSON object of environment variables"),
        ('{"A": "x"}', "the secret does not contain a token of an agent pool"),
        ('{"SCALR_AGENT_TOKEN": ""}', "the secret does not contain a token of an agent pool"),
        ('{"SCALR_AGENT_TOKEN": "t", "A": "s3cr3t\\nB=x"}', "the secret's variable A is not a string of one line"),
        ('{"SCALR_AGENT_TOKEN": "t", "A": 1}', "the secret's variable A is not a string of one line"),
        ('{"SCALR_AGENT_TOKEN": "t", "A B": "x"}', "the secret's variable A B is not a string of one line"),
    ],
)
def test_invalid_secrets_are_refused_and_not_repeated(content: str, expected: str) -> None:
    with pytest.raises(on_machine.HostError) as raised:
        on_machine.lines(content, quoted=False)
    assert str(raised.value) == expected


def test_a_wrong_signature_is_refused(cloud: Cloud, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The stand-in is as strict as AWS. Otherwise, a wrong signature would pass the other tests."""
    sign = on_machine.sign
    monkeypatch.setattr(on_machine, "sign", lambda headers, body, *more: sign(headers, body + " ", *more))
    with pytest.raises(on_machine.HostError, match=r"answers 403 \(InvalidSignatureException\)"):
        on_machine.main(["secrets", ARN, str(tmp_path / "secret.env")])


@pytest.mark.parametrize(
    ("arguments", "then"), [(["aws", GROUP, "drain"], []), (["gcp"], [["/usr/bin/systemctl", "poweroff"]])], ids=["aws", "gcp"]
)
def test_the_agent_is_stopped_before_the_machine_is_removed(
    cloud: Cloud, arguments: list[str], then: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[Any] = []

    def wait(_: int) -> None:
        done.append("waited")
        cloud.leaving = True

    def run(command: list[str], **_: Any) -> None:
        assert cloud.completed == []  # the cloud goes on only when the runs have ended
        done.append(command)

    monkeypatch.setattr("time.sleep", wait)
    monkeypatch.setattr("subprocess.run", run)
    on_machine.main(["drain", *arguments])
    assert done == ["waited", ["/usr/bin/systemctl", "stop", "scalr-agent.service"], *then]
    action = {"AutoScalingGroupName": GROUP, "LifecycleHookName": "drain", "InstanceId": INSTANCE, "LifecycleActionResult": "CONTINUE"}
    expected = [{"Action": "CompleteLifecycleAction", "Version": "2011-01-01", **action}]
    assert cloud.completed == (expected if arguments[0] == "aws" else [])


def test_an_unreachable_service_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_machine, "METADATA", ("127.0.0.1", 1))
    with pytest.raises(on_machine.HostError, match="cannot reach the metadata service: "):
        on_machine.aws_metadata("instance-id")


@pytest.mark.parametrize(("platform", "other"), [("aws", "gcp"), ("gcp", "aws")])
def test_it_runs_on_python_3_8_without_dependencies_and_has_what_its_cloud_needs(platform: str, other: str) -> None:
    source = files.program("on_machine.py", platform)
    assert f"def from_{platform}(" in source
    assert f"def from_{other}(" not in source
    tree = ast.parse(source, feature_version=(3, 8))
    names = [name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in (alias.name for alias in node.names)]
    names += [str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert {name.partition(".")[0] for name in names} <= set(sys.stdlib_module_names)
    assert source.startswith("#!/usr/bin/python3 -I\n")


def test_the_control_characters_match_the_package() -> None:
    """The program on the machine cannot import the package, so it has a copy of them."""
    refused = [chr(code) for code in range(0x3000) if re.search(on_machine.CONTROL, chr(code))]
    assert refused == [chr(code) for code in range(0x3000) if not texts.is_one_line(chr(code))]
