"""Hosted workflows and forms: pinned, with few permissions, and nothing in them that cannot be run elsewhere."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
import yaml
from scalr_agents import charts
from scalr_agents.cli import main

from tests import github, tools

REPOSITORY = github.REPOSITORY
FILES = github.SCHEMAS["github-workflows"]
WORKFLOWS: dict[str, dict[Any, Any]] = {file.stem: yaml.safe_load(file.read_text()) for file in FILES}
FORMS = [yaml.safe_load(file.read_text()) for file in github.SCHEMAS["github-issue-forms"]]
MAKE = re.compile(r"(?:sudo --preserve-env env \"PATH=\$PATH\" |VERSION=\"\$\{GITHUB_REF_NAME#v\}\" )?make (?:-s )?(.*?)(?: > \S+)?")
OTHER_COMMANDS = {
    "gh release create": "GitHub's own command line, with a permission that only this step needs",
}
"""What steps run besides make, by how it starts, and why."""
WRITES = {
    ("release", "attest"): {"attestations", "id-token"},
    ("release", "pypi"): {"id-token"},
    ("release", "github"): {"contents"},
    ("release", "pages"): {"id-token", "pages"},
}
"""The permissions of jobs that are more than reading."""


def jobs() -> Iterator[tuple[str, str, dict[str, Any]]]:
    for workflow, content in WORKFLOWS.items():
        yield from ((workflow, name, job) for name, job in content["jobs"].items())


def runs(job: dict[str, Any]) -> Iterator[str]:
    """What the steps of a job run, once for each job of its matrix."""
    matrix = job.get("strategy", {}).get("matrix", {})
    [[name, values]] = matrix.items() or [("", [""])]
    for value in values:
        for step in job["steps"]:
            command = str(step.get("run", ""))
            for variable, text in step.get("env", {}).items():
                command = command.replace(f'"${variable}"', text.replace(f"${{{{ matrix.{name} }}}}", value))
            yield command


def inputs(job: dict[str, Any], action: str) -> list[dict[str, Any]]:
    """What the steps of a job with an action give it."""
    return [step.get("with", {}) for step in job["steps"] if step.get("uses", "").startswith(f"{action}@")]


def targets(command: str) -> list[str]:
    """The targets of make that a command asks for."""
    called = MAKE.fullmatch(command)
    return [word for word in called[1].split() if "=" not in word] if called else []


def test_workflows_are_found() -> None:
    assert list(WORKFLOWS) == ["ci", "release"]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_actions_are_pinned_by_digest_with_their_version(file: Path) -> None:
    used = re.findall(r"\buses: *(.*)", file.read_text())
    assert used
    assert [action for action in used if not re.fullmatch(r"[\w-]+/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", action)] == []


def test_an_action_has_one_version() -> None:
    used = {action for file in FILES for action in re.findall(r"\buses: *([\w-]+/[\w-]+)\S*(@.*)", file.read_text())}
    assert len(used) == len({name for name, _ in used})


def test_steps_call_make() -> None:
    phony = re.findall(r"^\.PHONY: ((?:.*\\\n)*.*)", (REPOSITORY / "Makefile").read_text(), re.MULTILINE)
    known = set(" ".join(phony).split())
    for workflow, name, job in jobs():
        for command in filter(None, runs(job)):
            wanted = targets(command)
            assert wanted or any(command.startswith(other) for other in OTHER_COMMANDS), f"{workflow}, {name}: {command}"
            assert set(wanted) <= known, f"{workflow}, {name}: {command}"


def test_jobs_write_only_what_they_publish() -> None:
    assert {workflow: content["permissions"] for workflow, content in WORKFLOWS.items()} == {workflow: {} for workflow in WORKFLOWS}
    rights = {(workflow, name): {each for each, right in job["permissions"].items() if right != "read"} for workflow, name, job in jobs()}
    assert {job: written for job, written in rights.items() if written} == WRITES


def test_no_credentials_are_left_in_clones() -> None:
    clones = [step for _, _, job in jobs() for step in job["steps"] if step.get("uses", "").startswith("actions/checkout@")]
    assert clones
    assert [clone for clone in clones if clone["with"] != {"persist-credentials": False}] == []


def test_every_job_ends() -> None:
    assert [(workflow, name) for workflow, name, job in jobs() if not 0 < job["timeout-minutes"] <= 60] == []


def test_all_versions_of_python_are_tested() -> None:
    project = tomllib.loads((REPOSITORY / "components" / "pyproject.toml").read_text())["project"]
    said = [each.rpartition(" ")[2] for each in project["classifiers"] if each.startswith("Programming Language :: Python :: 3.")]
    tested = WORKFLOWS["ci"]["jobs"]["test"]
    assert tested["strategy"]["matrix"]["python"] == said
    assert f">={said[0]}" == project["requires-python"]
    set_up = {
        name: step["with"]["python-version"] for _, name, job in jobs() for step in job["steps"] if "python-version" in step.get("with", {})
    }
    assert set_up.pop("test") == "${{ matrix.python }}"
    assert set(set_up.values()) == {said[0]}


def test_what_runs_on_one_machine_is_what_is_hosted() -> None:
    here = {target for line in (REPOSITORY / ".ci" / "run").read_text().splitlines() for target in targets(line)}
    hosted = {target for job in WORKFLOWS["ci"]["jobs"].values() for command in runs(job) for target in targets(command)}
    assert {"check", "test", "test-cluster", "test-node"} <= here
    assert here - hosted == set()
    assert hosted - here == {"dist", "clouds", "node"}  # the targets of the tests build the last two themselves


def test_hooks_before_commits_run_all_checks() -> None:
    [checks] = re.findall(r"^check: (.*)", (REPOSITORY / "Makefile").read_text(), re.MULTILINE)
    [repository] = yaml.safe_load((REPOSITORY / ".pre-commit-config.yaml").read_text())["repos"]
    assert repository["repo"] == "local"
    assert [hook["entry"] for hook in repository["hooks"]] == [f"make {target}" for target in checks.split()]
    assert {hook["pass_filenames"] for hook in repository["hooks"]} == {False}


def test_programs_are_cached_where_they_are_built() -> None:
    """With a key of what decides about them, and the same one wherever they are used."""
    caches = [step["with"] for _, _, job in jobs() for step in job["steps"] if step.get("uses", "").startswith("actions/cache")]
    key = "tools-${{ runner.os }}-${{ hashFiles('tests/tools/__init__.py', 'tests/tools/**/go.*', 'tests/tools/**/*.go') }}"
    assert [cache for cache in caches if cache != {"path": "~/.cache/scalr-agents/tools", "key": key}] == []
    assert len(caches) == 1 + len([job for _, _, job in jobs() if job.get("needs") == "programs"])


def test_a_release_first_compares_tag_and_version() -> None:
    release = WORKFLOWS["release"]
    assert release[True] == {"push": {"tags": ["v*"]}}  # `on`, which YAML 1.1 reads as a boolean
    first, *_ = filter(None, runs(release["jobs"]["build"]))
    assert first == 'VERSION="${GITHUB_REF_NAME#v}" make release-notes'
    assert {name: job.get("needs") for name, job in release["jobs"].items()} == {
        "build": None,
        "attest": "build",
        "pypi": "attest",
        "github": "attest",
        "pages": "attest",
    }


def test_a_release_is_tested_built_attested_and_published() -> None:
    jobs = WORKFLOWS["release"]["jobs"]
    assert [command for command in runs(jobs["build"]) if command][1:] == [
        "make check test",
        'make dist PLUGIN_DOWNLOAD_URL="github://api.github.com/$GITHUB_REPOSITORY"',
        "make docs",
    ]
    kept = {each["name"]: each["path"].split() for each in inputs(jobs["build"], "actions/upload-artifact")}
    assert kept == {"dist": ["dist/"], "python": ["dist/*.whl", "dist/scalr_agents-*.tar.gz"]}
    assert [each["path"] for each in inputs(jobs["build"], "actions/upload-pages-artifact")] == ["build/site"]
    fetched = {name: [each["name"] for each in inputs(job, "actions/download-artifact")] for name, job in jobs.items()}
    assert fetched == {"build": [], "attest": ["dist"], "pypi": ["python"], "github": ["dist"], "pages": []}
    assert inputs(jobs["attest"], "actions/attest") == [{"subject-path": "dist/*"}]
    assert inputs(jobs["pypi"], "pypa/gh-action-pypi-publish") == [{"skip-existing": True}]
    assert [command for command in runs(jobs["github"]) if command] == [
        'VERSION="${GITHUB_REF_NAME#v}" make -s release-notes > notes.md',
        'gh release create "$GITHUB_REF_NAME" --verify-tag --title "$GITHUB_REF_NAME" --notes-file notes.md dist/*',
    ]
    assert inputs(jobs["pages"], "actions/deploy-pages") == [{}]


def test_forms_offer_all_kinds_and_ask_for_versions() -> None:
    assert len(FORMS) == 2
    for form in FORMS:
        fields = {field["id"]: field["attributes"] for field in form["body"] if "id" in field}
        assert fields["kind"]["options"] == [*charts.CHARTS, "machines", "none of them"]
        assert "scalr-agents --version" in fields["version"]["description"]
        assert "agent-version" in fields
        assert "Do not paste tokens" in form["body"][0]["attributes"]["value"]


def test_the_command_in_the_form_exists() -> None:
    [(command, option, value)] = re.findall(r"`scalr-agents ([a-z]+) (-[a-z]) ([a-z]+) STACK`", str(FORMS))
    [parameter] = [parameter for parameter in main.commands[command].params if option in parameter.opts]
    assert isinstance(parameter.type, click.Choice)
    assert value in parameter.type.choices


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """The linters that `make github` would run, by name, where nothing is built or on PATH."""
    names: list[str] = []

    def reports(program: Path, *_: Path | str) -> bool:
        names.append(program.name)
        return False

    monkeypatch.setattr(github, "_reports", reports)
    monkeypatch.setenv("SCALR_AGENTS_TOOLS", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CI", raising=False)
    return names


def test_without_go_one_linter_is_left_out(ran: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    github.main()
    assert ran == [*["check-jsonschema"] * len(github.SCHEMAS), "zizmor"]
    assert capsys.readouterr().err == "Go is not on PATH, and actionlint is built with it: the workflows are checked without\n"


def test_with_ci_none_is_left_out(ran: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    with pytest.raises(SystemExit, match=r"^Go is not on PATH;"):
        github.main()


def test_a_report_is_a_failure(ran: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    reports = github._reports
    monkeypatch.setattr(github, "_reports", lambda *command: reports(*command) or command[0].name == "check-jsonschema")
    with pytest.raises(SystemExit, match=r"^1$"):
        github.main()
    assert ran[-1] == "zizmor"  # the others run all the same


def test_what_is_built_is_run_without_go(ran: list[str]) -> None:
    [module] = [module for module in tools.MODULES if module.name == "actionlint"]
    module.output.mkdir(parents=True)
    (module.output / "actionlint").touch()
    github.main()
    assert ran[-1] == "actionlint"


@pytest.mark.parametrize(
    ("schema", "mistake"),
    [
        ("github-workflows", "{on: push}"),
        ("renovate", '{"extends": 1}'),
        ("github-issue-forms", "{name: a, description: b, body: []}"),
        ("github-issue-config", "{blank: 1}"),
    ],
)
def test_a_schema_is_one(schema: str, mistake: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "it.yml"
    file.write_text(mistake)
    monkeypatch.setattr(github, "SCHEMAS", {schema: [file]})
    commands = list(github.schema_checks())
    assert len(commands) == 1
    assert github._reports(*commands[0])
