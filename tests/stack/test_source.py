"""A stack's configuration, read from its files as Pulumi reads them."""

from pathlib import Path
from typing import Any

import pytest
from scalr_agents.model.findings import FindingsError
from scalr_agents.stack import source
from scalr_agents.stack.source import Sealed, SourceError

PROJECT = "name: scalr-agents\nruntime: python\n"


def _project(directory: Path, stack: str, project: str = PROJECT, name: str = "dev") -> Path:
    (directory / "Pulumi.yaml").write_text(project, encoding="utf-8")
    (directory / f"Pulumi.{name}.yaml").write_text(stack, encoding="utf-8")
    return directory


def _config(directory: Path, stack: str, project: str = PROJECT) -> dict[str, Any]:
    return dict(source.read(_project(directory, stack, project), "dev").config)


@pytest.mark.parametrize(
    ("stack", "config"),
    [
        ("", {}),
        ("config:\n", {}),
        ("config: {}\n", {}),
        ("encryptionsalt: v1:abc=\n", {}),
        ("config:\n  common: {url: u}\n", {"common": {"url": "u"}}),
        ("config:\n  scalr-agents:common: {url: u}\n", {"common": {"url": "u"}}),
        ("config:\n  common: {url: u}\n  scalr-agents:agents: {}\n", {"common": {"url": "u"}, "agents": {}}),
        ("config:\n  common: 1\n  scalr-agents:common: 2\n", {"common": 2}),
        ("config:\n  scalr-agents:common: 2\n  common: 1\n", {"common": 1}),
        ("config:\n  scalr-agents:secrets.runs.token: x\n", {"secrets.runs.token": "x"}),
        ("config:\n  aws:region: eu-west-1\n  kubernetes:context: c\n  scalr-agents-more:common: 1\n", {}),
        ("encryptionsalt: v1:abc=\nsecretsprovider: passphrase\nconfig:\n  aws:region: x\n  common: {a: yes}\n", {"common": {"a": "yes"}}),
        ('config:\n  common: \'{"url": "u"}\'\n', {"common": '{"url": "u"}'}),
        ("config:\n  common: null\n", {"common": None}),
    ],
)
def test_the_keys_of_our_namespace_are_read(tmp_path: Path, stack: str, config: dict[str, Any]) -> None:
    assert _config(tmp_path, stack) == config


def test_other_projects_need_the_namespace_in_keys(tmp_path: Path) -> None:
    project = "name: platform\nruntime: python\nconfig:\n  common: {value: 1}\n  scalr-agents:kubernetes: {value: {context: c}}\n"
    stack = "config:\n  agents: {}\n  platform:secrets: {}\n  scalr-agents:common: {url: u}\n"
    assert _config(tmp_path, stack, project) == {"kubernetes": {"context": "c"}, "common": {"url": "u"}}


@pytest.mark.parametrize(
    ("content", "sealed"),
    [
        ("secrets: {secure: v1:x}", {"secrets": Sealed("scalr-agents:secrets")}),
        ("secrets: {runs: {token: {secure: v1:x}}}", {"secrets": {"runs": {"token": Sealed("scalr-agents:secrets.runs.token")}}}),
        ("scalr-agents:a: [x, {b: {secure: v1:x}}]", {"a": ["x", {"b": Sealed("scalr-agents:a[1].b")}]}),
        ("a: [{secure: v1:x}, [{secure: v1:y}]]", {"a": [Sealed("scalr-agents:a[0]"), [Sealed("scalr-agents:a[1][0]")]]}),
        ("a: {secure: v1:x, more: 1}", {"a": {"secure": "v1:x", "more": 1}}),
        ("aws:secretKey: {secure: v1:x}", {}),
    ],
)
def test_encrypted_values_stay_sealed_with_their_path(tmp_path: Path, content: str, sealed: dict[str, Any]) -> None:
    assert _config(tmp_path, f"encryptionsalt: v1:abc=\nconfig:\n  {content}\n") == sealed


@pytest.mark.parametrize(
    ("stack", "imported"),
    [
        ("config: {}\n", False),
        ("environment:\n", False),
        ("environment: aws-prod\n", True),
        ("environment:\n  - aws-prod\n  - scalr/prod\n", True),
        ("environment:\n  imports: [aws-prod]\n", True),
    ],
)
def test_an_environment_is_reported(tmp_path: Path, stack: str, imported: bool) -> None:
    assert source.read(_project(tmp_path, stack), "dev").environment is imported


def test_stack_config_dir_is_used(tmp_path: Path) -> None:
    _project(tmp_path, "config: {common: root}\n", f"{PROJECT}stackConfigDir: stacks\n")
    (tmp_path / "stacks").mkdir()
    (tmp_path / "stacks" / "Pulumi.dev.yaml").write_text("config: {common: own}\n", encoding="utf-8")
    read = source.read(tmp_path, "dev")
    assert (read.directory, read.file, read.config) == (tmp_path / "stacks", tmp_path / "stacks" / "Pulumi.dev.yaml", {"common": "own"})
    assert source.stack_directory(tmp_path) == tmp_path / "stacks"
    assert source.stack_directory(_project(tmp_path, "")) == tmp_path


def test_stacks_are_listed_by_their_files(tmp_path: Path) -> None:
    for name in ("Pulumi.yaml", "Pulumi.prod.yaml", "Pulumi.aws-dev.yaml", "Pulumi.eu.west.yaml", "Pulumi.x.json", "other.yaml"):
        (tmp_path / name).touch()
    assert source.stacks(tmp_path) == ["aws-dev", "eu.west", "prod"]
    assert source.stacks(tmp_path / "nowhere") == []


@pytest.mark.parametrize(("others", "named"), [([], "none"), (["prod"], "prod"), (["prod", "aws-dev"], "aws-dev, prod")])
def test_a_missing_stack_gets_the_existing_names(tmp_path: Path, others: list[str], named: str) -> None:
    (tmp_path / "Pulumi.yaml").write_text(PROJECT, encoding="utf-8")
    for other in others:
        (tmp_path / f"Pulumi.{other}.yaml").touch()
    with pytest.raises(SourceError) as caught:
        source.read(tmp_path, "dev")
    assert str(caught.value) == f"no stack 'dev': {tmp_path}/Pulumi.dev.yaml does not exist; stacks: {named}"


def test_the_name_of_a_stack_has_at_most_100_characters(tmp_path: Path) -> None:
    (tmp_path / "Pulumi.yaml").write_text(PROJECT)
    with pytest.raises(SourceError) as caught:
        source.read(tmp_path, "a" * 300)
    assert str(caught.value) == "not a name of a stack: Pulumi allows at most 100 characters; given 300 characters"


@pytest.mark.parametrize("broken", ["Pulumi.yaml", "Pulumi.dev.yaml"])
@pytest.mark.parametrize(
    ("content", "place", "problem"),
    [
        (b"config: [1\nb: 2\n", ":2:2", "did not find expected ',' or ']'"),
        (b"config:\n  a: 1\n  a: 2\n", ":3:3", "duplicate key: it is already in line 2"),
        (b"- a\n", "", "expected a map at the top"),
        (b"a: \xff\n", "", "not a text file in UTF-8"),
    ],
)
def test_a_broken_file_is_a_finding(tmp_path: Path, broken: str, content: bytes, place: str, problem: str) -> None:
    _project(tmp_path, "config: {}\n")
    (tmp_path / broken).write_bytes(content)
    with pytest.raises(FindingsError) as caught:
        source.read(tmp_path, "dev")
    assert str(caught.value) == f"{tmp_path / broken}{place}: error: {problem}"


def test_configuration_must_be_a_map(tmp_path: Path) -> None:
    with pytest.raises(FindingsError) as caught:
        source.read(_project(tmp_path, "encryptionsalt: x\nconfig: [a]\n"), "dev")
    assert str(caught.value) == f"{tmp_path}/Pulumi.dev.yaml:2:1: error: config: expected a map"


@pytest.mark.parametrize("content", ["agent: {replicaCount: 2}\n", "- a\n"])
def test_a_values_file_is_not_a_stack_file(tmp_path: Path, content: str) -> None:
    (tmp_path / "values.yaml").write_text(content)
    with pytest.raises(FindingsError):
        source.read_file(tmp_path / "values.yaml", None)


def test_a_single_stack_file_uses_our_project_name(tmp_path: Path) -> None:
    (tmp_path / "any.yaml").write_text("config:\n  common: {url: a}\n  other:common: {url: b}\n  scalr-agents:agents: {}\n")
    read = source.read_file(tmp_path / "any.yaml", None)
    assert (dict(read.config), read.directory, set(read.others)) == ({"common": {"url": "a"}, "agents": {}}, tmp_path, {"other:common"})


def test_a_stack_file_has_the_defaults_of_its_project(tmp_path: Path) -> None:
    project = _project(tmp_path, "config: {agents: {}}\n", f"{PROJECT}config:\n  common: {{value: {{url: u}}}}\n  aws:region: eu-west-1\n")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "any.yaml").write_text("config: {agents: {}}\n")
    assert source.project_of(tmp_path / "elsewhere" / "any.yaml") == project
    read = source.read_file(tmp_path / "elsewhere" / "any.yaml", project)
    assert (dict(read.config), set(read.others)) == ({"common": {"url": "u"}, "agents": {}}, {"aws:region"})


@pytest.mark.parametrize(
    ("project", "there", "advice"),
    [
        (PROJECT, "stacks", "with `stackConfigDir: stacks` in Pulumi.yaml"),
        (f"{PROJECT}stackConfigDir: envs\n", "stacks", "with `stackConfigDir: stacks` in Pulumi.yaml"),
        (f"{PROJECT}stackConfigDir: envs\n", ".", "without `stackConfigDir` in Pulumi.yaml"),
    ],
)
def test_a_misplaced_stack_file_is_reported(tmp_path: Path, project: str, there: str, advice: str) -> None:
    file = tmp_path / there / "Pulumi.dev.yaml"
    file.parent.mkdir(exist_ok=True)
    (tmp_path / "Pulumi.yaml").write_text(project)
    file.write_text("config: {}\n")
    with pytest.raises(SourceError) as caught:
        source.read(tmp_path, "dev")
    assert str(caught.value).endswith(f"; stacks: none. There is {file}: Pulumi reads it only {advice}; correct that, or move the file")
    (found,) = source.unread(source.read_file(file, tmp_path))
    assert (found.severity, found.message) == ("warning", f"Pulumi reads this file only {advice}; correct that, or move the file")


@pytest.mark.parametrize("name", ["stacks/Pulumi.dev.yaml", "other/any.yaml"])
def test_stack_files_that_pulumi_reads_and_other_files(tmp_path: Path, name: str) -> None:
    (tmp_path / "Pulumi.yaml").write_text(f"{PROJECT}stackConfigDir: stacks\n")
    (tmp_path / name).parent.mkdir()
    (tmp_path / name).write_text("config: {}\n")
    for project in (tmp_path, None):
        assert list(source.unread(source.read_file(tmp_path / name, project))) == []


def test_a_missing_project_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SourceError) as caught:
        source.read(tmp_path, "dev")
    assert str(caught.value) == f"{tmp_path}/Pulumi.yaml: No such file or directory"


@pytest.mark.parametrize("start", [".", "stacks", "stacks/values"])
def test_the_nearest_project_above_is_used(tmp_path: Path, start: str) -> None:
    inner = tmp_path / "outer" / "inner"
    (inner / "stacks" / "values").mkdir(parents=True)
    (inner / "stacks" / "values" / "Pulumi.yaml").mkdir()
    for directory in (tmp_path / "outer", inner):
        (directory / "Pulumi.yaml").write_text(PROJECT, encoding="utf-8")
    assert source.find_project(inner / start) == inner


def test_a_missing_project_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SourceError) as caught:
        source.find_project(tmp_path)
    assert str(caught.value) == f"no Pulumi.yaml in {tmp_path} or a directory above it; name the project's directory with --project"


@pytest.mark.parametrize(
    ("key", "meant", "severity"),
    [
        ("scalr-agent:namespaces", "scalr-agents:namespaces", "error"),
        ("scalr_agents:agents", "scalr-agents:agents", "error"),
        ("Scalr-agents:secrets", "scalr-agents:secrets", "error"),
        ("scalr-agent:comon", "scalr-agents:common", "error"),
        ("scalr-agent:common.url", "scalr-agents:common", "error"),
        ("scalr-agent:region", "scalr-agents:region", "warning"),
        ("aws:region", None, ""),
        ("kubernetes:context", None, ""),
        ("agents:common", None, ""),
    ],
)
def test_a_typo_in_the_namespace_is_reported(tmp_path: Path, key: str, meant: str | None, severity: str) -> None:
    read = source.read(_project(tmp_path, f"config:\n  {key}: x\n"), "dev")
    message = f"has no effect, because it is not a key of scalr-agents; did you mean '{meant}'?"
    assert [str(finding) for finding in source.misspelt(read)] == ([f"{severity}: {key}: {message}"] if meant else [])
