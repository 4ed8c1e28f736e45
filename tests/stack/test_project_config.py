"""Settings that the stacks of a project share. tests/engine holds the same table against the engine."""

from pathlib import Path
from typing import Any

import pytest
from scalr_agents import stack
from scalr_agents.model.findings import FindingsError
from scalr_agents.stack import positions, source
from scalr_agents.stack.source import Sealed, Source

from tests.stack.project_configs import ACCEPTED, CIPHERTEXT, REFUSED, Accepted, Refused

SALT = "encryptionsalt: v1:abc="


def _read(directory: Path, case: Accepted | Refused) -> Source:
    project = case.project.replace(CIPHERTEXT, "v1:abc=")
    (directory / "Pulumi.yaml").write_text(f"name: {case.name}\nruntime: none\nconfig: {project}\n")
    (directory / "Pulumi.dev.yaml").write_text(f"{SALT}\nconfig: {case.stack.replace(CIPHERTEXT, 'v1:abc=')}\n")
    return source.read(directory, "dev")


def _opened(content: Any) -> Any:
    if isinstance(content, dict):
        return {key: _opened(value) for key, value in content.items()}
    return "s3cr3t" if isinstance(content, Sealed) else content


@pytest.mark.parametrize("case", ACCEPTED, ids=lambda case: f"{case.project} {case.stack}")
def test_project_configuration_that_the_engine_accepts(tmp_path: Path, case: Accepted) -> None:
    assert _opened(_read(tmp_path, case).config) == case.config


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: f"{case.project} {case.stack}")
def test_project_configuration_that_cannot_be_read(tmp_path: Path, case: Refused) -> None:
    with pytest.raises(FindingsError) as caught:
        _read(tmp_path, case)
    assert [f"{finding.path}: {finding.message}" for finding in caught.value.findings] == [case.finding]


def test_findings_on_project_configuration_are_located(tmp_path: Path) -> None:
    with pytest.raises(FindingsError) as caught:
        _read(tmp_path, Refused("\n  aws:region: x\n  common: {url: u}", "{}", ""))
    assert str(caught.value).startswith(f"{tmp_path}/Pulumi.yaml:5:3: error: config.common: Pulumi refuses settings")


@pytest.mark.parametrize(
    ("project", "given", "config"),
    [
        ("{common: null}", "{}", {}),
        ("{common: 5.5}", "{}", {"common": 5.5}),
        ("{common: {value: false}}", "{}", {"common": False}),
        ("{common: {value: 0}}", "{}", {"common": 0}),
        ("{common: {default: {url: u}}}", "{common: null}", {"common": None}),
        ("{common: {value: {url: u}, default: {url: v}}}", "{}", {"common": {"url": "u"}}),
        ("{common: {type: map, description: 5, value: x}}", "{}", {"common": "x"}),
        ("{secrets.runs.token: {value: {secure: <ciphertext>}}}", "{}", {"secrets": {"runs": {"token": {"secure": "v1:abc="}}}}),
        ("{common: {}}", "{}", {}),
        ("{a: {type: integer}}", "{a: x}", {"a": "x"}),
        ("{common.url: u}", "{common: [a]}", {"common": ["a"]}),
        ("{common.labels.team: u}", "{common: {labels: x}}", {"common": {"labels": "x"}}),
    ],
)
def test_what_only_the_engine_refuses_is_read_nevertheless(tmp_path: Path, project: str, given: str, config: dict[str, Any]) -> None:
    assert _read(tmp_path, Accepted(project, given, config)).config == config


@pytest.mark.parametrize(
    ("key", "message"),
    [
        *((key, "not a key of Pulumi's configuration") for key in ("'scalr-agents:'", "':'", "''")),
        ("'common.x[0]'", "an item of a list; share the whole list"),  # the engine supports it, but it is not needed
    ],
)
def test_other_keys_are_errors(tmp_path: Path, key: str, message: str) -> None:
    with pytest.raises(FindingsError) as caught:
        _read(tmp_path, Refused(f"{{{key}: u}}", "{}", ""))
    assert [finding.message.partition(",")[0] for finding in caught.value.findings] == [message]


def test_findings_on_shared_settings_are_located_in_the_project_file(tmp_path: Path) -> None:
    read = _read(tmp_path, Accepted("\n  common.urll: u\n  common.labels.team: {value: 5}", "{common: {agentVersoin: x}}", {}))
    found = positions.locate(stack.load(read.config, directory=tmp_path).findings, read)
    assert [(str(finding.position), finding.path) for finding in found if finding.severity == "error"] == [
        (f"{tmp_path}/Pulumi.yaml:5:24", "scalr-agents:common.labels.team"),
        (f"{tmp_path}/Pulumi.dev.yaml:2:19", "scalr-agents:common.agentVersoin"),
        (f"{tmp_path}/Pulumi.yaml:4:3", "scalr-agents:common.urll"),
    ]


def test_the_earlier_name_of_stack_config_dir_is_read(tmp_path: Path) -> None:
    (tmp_path / "Pulumi.yaml").write_text("name: scalr-agents\nconfig: envs\n")
    assert source.stack_directory(tmp_path) == tmp_path / "envs"
