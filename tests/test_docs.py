"""The documentation is current: names, values, tests, links and examples in it exist."""

import ast
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from scalr_agents import charts, stack
from scalr_agents.machines.gcp import FAMILIES
from scalr_agents.model.findings import errors
from scalr_agents.model.maps import lookup, merge
from scalr_agents.model.release import Line
from scalr_agents.stack import source

from tests import site
from tests.helpers.agent_job import CURRENT, LEGACY, LINES, MINIMUM
from tests.tools import MODULES

REPOSITORY = Path(__file__).parent.parent
FOLDERS = [REPOSITORY / name for name in ("docs", "examples")]
PAGES = sorted([*REPOSITORY.glob("*.md"), *(page for folder in FOLDERS for page in folder.rglob("*.md") if "venv" not in page.parts)])
DIFFERENCES = (REPOSITORY / "docs" / "helm-differences.md").read_text()
REFUSED: list[tuple[str, str]] = re.findall(
    r"^\| `([^`]+: [^`]+)` \| (.*) \|$",
    DIFFERENCES.partition("## Values a chart accepts and we refuse")[2].partition("### `null`")[0],
    re.MULTILINE,
)


@pytest.mark.parametrize("line", LINES.values(), ids=LINES)
def test_the_page_about_versions_matches_the_lines(line: Line) -> None:
    page = (REPOSITORY / "docs" / "agent-versions.md").read_text()
    table = page.partition("## The two lines")[2].partition("## ")[0]
    least = charts.find("agent-job").versions.row(line.default_version).kubernetes
    facts = [line.versions, line.default_version, line.tasks().kind, line.tasks().crd_name, least, line.base_name]
    assert [fact for fact in facts if fact not in table] == []
    pods = (
        pod
        for manifest in charts.render("agent-job", MINIMUM, release="runs", namespace="scalr", agent_version=line.default_version)
        for pod in _pods(manifest)
    )
    assert {container["image"] for pod in pods for container in pod["containers"] if f"`{container['image']}`" not in table} == set()


def test_the_tested_versions_are_those_that_the_tests_build() -> None:
    table = (REPOSITORY / "docs" / "compatibility.md").read_text().partition("## Tested versions")[2]
    pinned = {module.name: module.version.removeprefix("v") for module in MODULES}
    listed = re.findall(r"^\| (Kubernetes|Pulumi CLI|Helm)\b.* \| ([\d.]+)(?: and ([\d.]+))? \|$", table, re.MULTILINE)
    assert listed == [
        ("Kubernetes", pinned["kubernetes"], ""),
        ("Pulumi CLI", pinned["pulumi"], ""),
        ("Helm", pinned["helm"], pinned["helm4"]),
    ]


def _pods(manifest: dict[str, Any]) -> list[dict[str, Any]]:
    """The pods that an object makes."""
    job = lookup(manifest, "spec", "jobTemplate", "spec", "template", "spec")
    deployed = lookup(manifest, "spec", "template", "spec")
    return [pod for pod in (job, deployed) if pod]


def test_make_help_lists_every_target() -> None:
    listed = subprocess.run(["make", "help"], cwd=REPOSITORY, capture_output=True, text=True, check=True).stdout
    declared = (REPOSITORY / "Makefile").read_text().partition(".PHONY: ")[2].partition("\n\n")[0].replace("\\", "")
    assert set(re.findall(r"^([a-z-]+) ", listed, re.MULTILINE)) == set(declared.split())


def test_every_correction_has_its_test() -> None:
    named = set(re.findall(r"(tests/[\w/]+\.py)::(test_\w+)", DIFFERENCES))
    defined = {
        (file, node.name)
        for file in {file for file, _ in named}
        for node in ast.parse((REPOSITORY / file).read_text()).body
        if isinstance(node, ast.FunctionDef)
    }
    assert named <= defined


@pytest.mark.parametrize(("example", "reason"), REFUSED, ids=[example for example, _ in REFUSED])
def test_values_listed_as_refused_are_refused(example: str, reason: str) -> None:
    given: dict[str, Any] = yaml.safe_load(example)
    unset = {"agent": {"token": ""}} if example.startswith("agent: {tokenExistingSecret") else {}
    version = CURRENT if reason.startswith("current line:") else LEGACY
    found = charts.check("agent-job", merge(merge(MINIMUM, unset), given), release="runs", namespace="scalr", agent_version=version)
    assert errors(found) != []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_links_lead_to_existing_files(page: Path) -> None:
    targets = [target.partition("#")[0] for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text()) if "://" not in target]
    assert [target for target in targets if target and not (page.parent / target).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_anchors_lead_to_headings(page: Path) -> None:
    targets = [target.partition("#") for target in re.findall(r"\]\(([^)\s]*#[^)\s]+)\)", page.read_text()) if "://" not in target]
    pages = {file: (page.parent / file) if file else page for file, _, _ in targets}
    assert [f"{file}#{anchor}" for file, _, anchor in targets if anchor not in _anchors(pages[file])] == []


def _anchors(page: Path) -> set[str]:
    """What GitHub makes of the headings of a page."""
    without_code = re.sub(r"^ *```.*?^ *```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.*)$", without_code, re.MULTILINE)
    return {site.anchor(heading) for heading in headings}


WRITTEN = [
    file
    for pattern in ("*.md", "docs/**/*.md", "components/**/*.py", "examples/**/*.py", "examples/**/*.txt", "examples/**/*.md")
    for file in REPOSITORY.glob(pattern)
]


def test_no_page_installs_the_package_from_an_index() -> None:
    """Until the first release, the name is not registered on PyPI, so a package of somebody else could be installed."""
    command = re.compile(r"(?:pip install|uv add|poetry add)[^\n]*?[\s'\"](scalr[-_]agents\S*(?: @ \S+)?)")
    named = [(str(file.relative_to(REPOSITORY)), name) for file in WRITTEN for name in command.findall(file.read_text())]
    assert [(file, name) for file, name in named if " @ git+" not in name] == []


def test_stack_files_in_pages_have_no_unknown_key(tmp_path: Path) -> None:
    (tmp_path / "Pulumi.yaml").write_text("name: scalr-agents\n")
    for page in PAGES:
        for block in re.findall(r"^```yaml\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL):
            if not re.search(r"^config:", block, re.MULTILINE) or re.search(r"^runtime:", block, re.MULTILINE):  # a program in YAML
                continue
            (tmp_path / "Pulumi.it.yaml").write_text(block)
            loaded = stack.load(source.read(tmp_path, "it").config, directory=tmp_path, demand_tokens=False)
            assert [str(finding) for finding in loaded.findings if "unknown key" in finding.message] == []


def test_the_machines_page_lists_google_s_families() -> None:
    page = (REPOSITORY / "docs" / "machines.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([a-z0-9, ]+) \| (x86_64|arm64) \| `([a-z-]+)` \|$", page, re.MULTILINE)
    listed = {name: (cpu, disk) for names, cpu, disk in rows for name in names.split(", ")}
    assert listed == {name: (family.architecture, family.disk) for name, family in FAMILIES.items()}


def test_messages_in_the_versions_page_are_current() -> None:
    page = (REPOSITORY / "docs" / "agent-versions.md").read_text()
    shown = re.findall(r"^(?:error|warning): .*$", page, re.MULTILINE)
    given = {"agent": {"image": {"tag": "1.4.0"}}, "task": {"startupTimeoutSeconds": 60}}
    found = charts.check("agent-job", merge(MINIMUM, given), release="runs", namespace="scalr")
    assert sorted(shown) == sorted(map(str, found))
