"""The documents stay true: names, values, tests, links and examples that they speak of exist."""

import ast
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from scalr_agents import stack, values
from scalr_agents.stack import source
from scalr_agents.values.merge import merge

from tests.manifests.changes import MINIMUM, value_paths

REPOSITORY = Path(__file__).parent.parent
PAGES = sorted([*REPOSITORY.glob("*.md"), *(REPOSITORY / "docs").rglob("*.md")])
DIFFERENCES = (REPOSITORY / "docs" / "helm-differences.md").read_text()
REFUSED = re.findall(
    r"^\| `([^`]+: [^`]+)` \|", DIFFERENCES.partition("## Values a chart accepts and we refuse")[2].partition("### `null`")[0], re.MULTILINE
)


def test_every_value_is_documented() -> None:
    page = (REPOSITORY / "docs" / "agent-job.md").read_text()
    assert [leaf for leaf in value_paths() if f"`{leaf}`" not in page] == []


def test_every_correction_has_its_test() -> None:
    named = set(re.findall(r"\btest_\w+", DIFFERENCES)) - {"test_corrections"}
    tree = ast.parse((REPOSITORY / "tests" / "manifests" / "test_corrections.py").read_text())
    defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    assert len(named) == 18
    assert named <= defined


def test_the_list_of_refused_values_is_read() -> None:
    assert len(REFUSED) > 35


@pytest.mark.parametrize("example", REFUSED)
def test_what_the_differences_call_refused_is_refused(example: str) -> None:
    given: dict[str, Any] = yaml.safe_load(example)
    unset = {"agent": {"token": ""}} if example.startswith("agent: {tokenExistingSecret") else {}
    found = values.check("agent-job", merge(merge(MINIMUM, unset), given), release="runs", namespace="scalr")
    assert values.errors(found) != []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_links_lead_somewhere(page: Path) -> None:
    targets = [target.partition("#")[0] for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text()) if "://" not in target]
    assert [target for target in targets if target and not (page.parent / target).exists()] == []


def test_the_readme_shows_the_two_commands_and_every_page() -> None:
    readme = (REPOSITORY / "README.md").read_text()
    assert "make render" in readme
    assert "make test" in readme
    assert [page.name for page in (REPOSITORY / "docs").glob("*.md") if f"docs/{page.name}" not in readme] == []


def test_stack_files_in_the_documents_have_no_unknown_word(tmp_path: Path) -> None:
    (tmp_path / "Pulumi.yaml").write_text("name: scalr-agents\n")
    for page in PAGES:
        for block in re.findall(r"^```yaml\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL):
            if not re.search(r"^config:", block, re.MULTILINE):
                continue
            (tmp_path / "Pulumi.it.yaml").write_text(block)
            loaded = stack.load(source.read(tmp_path, "it").config, directory=tmp_path, demand_tokens=False)
            assert [str(finding) for finding in loaded.findings if "unknown key" in finding.message] == []
