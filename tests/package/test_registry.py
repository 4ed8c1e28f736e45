"""What the Pulumi Registry checks of a package before it lists it (`resourcedocsgen` in pulumi/registry), and what it shows."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from trove_classifiers import classifiers

from tests.package import schema

REPOSITORY = Path(__file__).parents[2]
PACKAGE: dict[str, Any] = json.loads(schema.FILE.read_text(encoding="utf-8"))
CATEGORIES = {"cloud", "database", "infrastructure", "monitoring", "network", "utility", "vcs"}
ADDRESS = "https://git.example/acme/scalr-agents"


def test_the_name_matches_the_type_tokens() -> None:
    assert PACKAGE["name"] == "scalr-agents"
    assert {token.partition(":")[0] for token in PACKAGE["resources"]} == {"scalr-agents"}


def test_the_version_is_a_semantic_one() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?", PACKAGE["version"])


def test_the_keywords_have_category_and_kind() -> None:
    found = [keyword.removeprefix("category/") for keyword in PACKAGE["keywords"] if keyword.startswith("category/")]
    assert (len(found), set(found) - CATEGORIES) == (1, set())
    assert [keyword for keyword in PACKAGE["keywords"] if keyword.startswith("kind/")] == ["kind/component"]


def test_publisher_and_texts_are_given() -> None:
    assert PACKAGE["publisher"] == "The scalr-agents authors"
    assert all(PACKAGE[key] for key in ("displayName", "description", "license"))


@pytest.mark.parametrize("page", ["_index.md", "installation-configuration.md"])
def test_the_pages_begin_with_front_matter(page: str) -> None:
    start, front, rest = (REPOSITORY / "docs" / page).read_text(encoding="utf-8").split("---\n", 2)
    assert (start, set(yaml.safe_load(front))) == ("", {"title", "meta_desc", "layout"})
    assert rest.strip()


def test_a_project_with_a_repository_gives_the_schema_its_addresses() -> None:
    assert schema.about(schema.PROJECT | {"urls": {"Repository": ADDRESS}}, "0.9.1") == schema.about(schema.PROJECT, "0.9.1") | {
        "repository": ADDRESS,
        "logoUrl": f"{ADDRESS}/raw/v0.9.1/docs/logo.png",
    }


def test_releases_on_github_are_where_the_schema_sends_programs_for_the_plugin() -> None:
    about = schema.about(schema.PROJECT | {"urls": {"Repository": "https://github.com/acme/scalr-agents"}}, "0.9.1")
    assert about["pluginDownloadURL"] == "github://api.github.com/acme/scalr-agents"


def test_programs_in_go_import_the_sdk_as_before_whatever_the_repository() -> None:
    imported = f'scalr "{PACKAGE["language"]["go"]["importBasePath"]}"'
    assert imported in (REPOSITORY / "examples" / "go" / "main.go").read_text(encoding="utf-8")


def test_the_logo_is_a_square_png() -> None:
    head = (REPOSITORY / schema.LOGO).read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    assert (int.from_bytes(head[16:20]), int.from_bytes(head[20:24])) == (256, 256)


def test_the_classifiers_are_valid() -> None:
    assert set(schema.PROJECT["classifiers"]) - classifiers == set()
