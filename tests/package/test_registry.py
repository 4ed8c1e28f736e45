"""What the Pulumi Registry checks of a package before it lists it, and what it shows.

The checks are from the repository pulumi/registry: `tools/resourcedocsgen`, `scripts/ci/community-package` and `scripts/lint`.
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.package import schema

REPOSITORY = Path(__file__).parents[2]
PACKAGE: dict[str, Any] = json.loads(schema.FILE.read_text(encoding="utf-8"))
PAGES = ["_index.md", "installation-configuration.md"]
LANGUAGES = {"go", "python", "typescript", "yaml"}
ADDRESS = "https://git.example/acme/scalr-agents"


@pytest.mark.parametrize("page", PAGES)
def test_pages_have_front_matter_and_work_away_from_the_repository(page: str) -> None:
    """Links lead to the web, the title is that of the front matter, and shortcodes of Hugo have no space that would end them."""
    start, front, rest = (REPOSITORY / "docs" / page).read_text(encoding="utf-8").split("---\n", 2)
    fields = yaml.safe_load(front)
    assert (start, set(fields)) == ("", {"title", "meta_desc", "layout"})
    assert all(isinstance(text, str) and text.strip() for text in fields.values())
    assert rest.strip()
    prose = re.sub(r"^```.*?^```", "", rest, flags=re.MULTILINE | re.DOTALL)
    targets = re.findall(r"(?:\]\(|(?:src|href)=[\"'])([^)\"']*)", prose)
    assert [target for target in targets if not target.startswith("https://")] == []
    assert re.findall(r"^# .*", prose, re.MULTILINE) == []
    assert re.findall(r"\{\{\s+[<%]", rest) == []


def test_the_chooser_has_a_program_in_each_language_with_an_example() -> None:
    text = (REPOSITORY / "docs" / "_index.md").read_text(encoding="utf-8")
    [chooser] = re.findall(r'\{\{< chooser language "(.*?)" >\}\}(.*?)\{\{< /chooser >\}\}', text, re.DOTALL)
    shown = re.findall(r"\{\{% choosable language (\w+) %\}\}\s+```(\w+)\n.*?```\s+\{\{% /choosable %\}\}", chooser[1], re.DOTALL)
    assert shown == [(language, language) for language in chooser[0].split(",")]
    examples = {path.name for path in (REPOSITORY / "examples").iterdir()}
    assert {language for language, _ in shown} == {"python", *(examples & LANGUAGES)} == LANGUAGES


def test_a_project_with_a_repository_gives_the_schema_its_addresses() -> None:
    assert schema.about(schema.PROJECT | {"urls": {"Repository": ADDRESS}}, "0.9.1") == schema.about(schema.PROJECT, "0.9.1") | {
        "repository": ADDRESS,
        "logoUrl": f"{ADDRESS}/raw/v0.9.1/docs/logo.png",
    }


def test_releases_on_github_are_where_the_schema_sends_programs_for_the_plugin() -> None:
    about = schema.about(schema.PROJECT | {"urls": {"Repository": "https://github.com/acme/scalr-agents"}}, "0.9.1")
    assert about["pluginDownloadURL"] == "github://api.github.com/acme/scalr-agents"
