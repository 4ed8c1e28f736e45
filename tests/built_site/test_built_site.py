"""What the built documentation site contains. `make docs` runs this after it has built the site."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests import site

DIRECTORY = site.REPOSITORY / "build" / "site"
PAGES = sorted(file.relative_to(DIRECTORY).with_suffix("").as_posix() for file in DIRECTORY.rglob("*.html") if file.name != "404.html")
INDEX: list[dict[str, Any]] = json.loads((DIRECTORY / "search" / "search_index.json").read_text(encoding="utf-8"))["docs"]


def article(page: str) -> str:
    """The content of a page, without what the theme has around it."""
    html = Path(DIRECTORY / f"{page}.html").read_text(encoding="utf-8")
    return html.partition("<article")[2].partition("</article>")[0]


def boosts(page: str) -> set[float]:
    """How much the sections of a page count in the search."""
    return {section.get("boost", 1) for section in INDEX if section["location"].partition("#")[0] == f"{page}.html"}


def test_all_pages_are_built() -> None:
    assert {f"{page}.md" for page in PAGES} == set(site.pages())


@pytest.mark.parametrize("page", PAGES)
def test_link_texts_are_page_titles(page: str) -> None:
    texts = re.findall(r"<a [^>]*href=[^>]*>(.*?)</a>", article(page), re.DOTALL)
    assert [text for text in texts if re.search(r"\.md(?:</code>)?$", text)] == []


@pytest.mark.parametrize("page", PAGES)
def test_no_page_has_a_second_table_of_contents(page: str) -> None:
    above = article(page).partition("<h2")[0]
    assert re.findall(r'<li>\s*<a href="#[^"]*">', above) == []


@pytest.mark.parametrize("page", PAGES)
def test_table_cells_name_their_column(page: str) -> None:
    cells = re.findall(r"<td\b[^>]*>", article(page))
    assert [cell for cell in cells if 'data-label="' not in cell] == []


@pytest.mark.parametrize("page", ["agent-job", "reference/agent-job", "reference/components", "stack-file"])
def test_the_style_matches_the_description_column(page: str) -> None:
    assert 'td[data-label="Meaning"]' in (DIRECTORY / "assets" / "site.css").read_text(encoding="utf-8")
    assert '<td data-label="Meaning">' in article(page)


def test_the_search_finds_irsa_in_the_guide_of_agent_job() -> None:
    found = {section["location"] for section in INDEX if "IRSA" in section["text"]}
    assert "agent-job.html#cloud-identities-for-runs" in found


def test_guides_rank_above_agent_k8s_and_the_reference() -> None:
    guides = ["agent-job", "agent-local", "stack-file", "caches", "network", "operations", "machines", "choosing"]
    assert [boosts(page) for page in guides] == [{1}] * len(guides)
    assert boosts("agent-k8s") == {0.2}
    assert boosts("reference/agent-k8s") == {0.1}
    assert boosts("reference/agent-job") == {0.3}


def test_the_search_finds_names_with_line_breaks() -> None:
    assert any("agent.binaryCache.sizeLimit" in section["text"] for section in INDEX)


def test_the_index_for_language_models_names_built_pages() -> None:
    index = (DIRECTORY / "llms.txt").read_text(encoding="utf-8")
    named = re.findall(r"^- \[.+?\]\((.+?)\.html\)", index, re.MULTILINE)
    assert sorted([*named, "index"]) == [page for page in PAGES if not page.startswith("adr/")]
