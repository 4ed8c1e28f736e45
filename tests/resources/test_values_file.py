"""Values files in programs."""

from pathlib import Path

import pulumi
import pytest
from scalr_agents import AgentJob, load_values

from tests.helpers.recording import run


def refused(path: Path | str) -> str:
    with pytest.raises(pulumi.RunError) as raised:  # with it, a program ends without a traceback
        load_values(path)
    return str(raised.value)


def test_a_values_file_is_read_as_helm_reads_it(tmp_path: Path) -> None:
    file = tmp_path / "values.yaml"
    file.write_text("agent: &a {debug: yes, replicaCount: 0o17}\nother: *a\n")
    assert (
        load_values(file)
        == load_values(str(file))
        == {"agent": {"debug": True, "replicaCount": 15}, "other": {"debug": True, "replicaCount": 15}}
    )


def test_an_empty_file_has_no_values(tmp_path: Path) -> None:
    (tmp_path / "values.yaml").write_text("# nothing\n")
    assert load_values(tmp_path / "values.yaml") == {}


def test_a_component_accepts_loaded_values(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "values.yaml").write_text("agent: {token: t, replicaCount: 3}\n")
    monkeypatch.chdir(tmp_path)

    def program() -> None:
        AgentJob("runs", {"namespace": "scalr", "url": "https://acme.scalr.io", "values": load_values("values.yaml")})

    recording = run(program)
    assert recording["runs-controller-deployment"].inputs["spec"]["replicas"] == 3


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a: 1\nb: [s3cr3t\n", "values.yaml:3:1: did not find expected ',' or ']'"),
        ("- s3cr3t\n", "values.yaml: expected a map at the top"),
        ("a: !!int s3cr3t\n", "values.yaml:1:4: its tag does not match its value"),
    ],
)
def test_an_invalid_values_file_has_a_short_error(content: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "values.yaml").write_text(content)
    monkeypatch.chdir(tmp_path)
    assert refused("values.yaml") == f"load_values: {message}"


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    assert refused(tmp_path / "none.yaml") == f"load_values: {tmp_path}/none.yaml: No such file or directory"
    assert refused(tmp_path) == f"load_values: {tmp_path}: Is a directory"
