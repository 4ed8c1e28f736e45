"""The pages of the documentation site. `make docs` builds it, with MkDocs, and fails at a link or an anchor that leads nowhere."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import reference, site, site_index, site_tables
from tests.helpers import mermaid

PAGES = {"index.md": "README.md", "caches.md": "docs/caches.md", "adr/0001-core.md": "docs/adr/0001-core.md", "LICENSED.md": "LICENSED.md"}
TITLES = {"index.md": "scalr-agents", "caches.md": "Caches", "adr/0001-core.md": "Core", "decisions.md": "Architecture decisions"}


@pytest.mark.parametrize(
    ("page", "text", "expected"),
    [
        ("index.md", "[a](docs/caches.md#efs), [b](docs/adr)", "[a](caches.md#efs), [b](decisions.md)"),
        ("caches.md", "[start](../README.md#set-up), [this](#efs)", "[start](index.md#set-up), [this](#efs)"),
        ("adr/0001-core.md", "[caches](../caches.md) and [licence](../../LICENSE)", "[caches](../caches.md) and licence"),
        ("caches.md", "[`stacks/`](../stacks) and [a [b]](../components/schema.json)", "`stacks/` and a [b]"),
        ("index.md", "[docs/caches.md](docs/caches.md#efs)", "[Caches](caches.md#efs)"),
        ("adr/0001-core.md", "[`caches.md`](../caches.md), [../caches.md](../caches.md)", "[Caches](../caches.md), [Caches](../caches.md)"),
        ("caches.md", "[gone](../gone.md), [web](https://a.example/b)", "[gone](../gone.md), [web](https://a.example/b)"),
        ("caches.md", "```md\n[code](../LICENSE)\n```\n", "```md\n[code](../LICENSE)\n```\n"),
    ],
)
def test_links_lead_to_site_pages_or_become_text(page: str, text: str, expected: str) -> None:
    assert site.linked(text, PAGES[page], page, PAGES, TITLES) == expected


@pytest.mark.parametrize(
    ("text", "title"),
    [("# Values of `agent-job`\n\n## Other\n", "Values of agent-job"), ("---\ntitle: Scalr agents\n---\n\n## Example\n", "Scalr agents")],
)
def test_the_title_of_a_page(text: str, title: str) -> None:
    assert site.title(text) == title


def test_only_the_list_of_headings_is_removed() -> None:
    """The site has it beside the page."""
    kept = "- [one](#one) is a list of this section\n"
    assert site.without_contents(f"# Page\n\nText.\n\n- [one](#one)\n- [two](#two) and [three](#three)\n\n## One\n\n{kept}") == (
        f"# Page\n\nText.\n\n## One\n\n{kept}"
    )
    assert (
        site.without_contents(f"# Page\n\n- [other](other.md)\n\n## One\n\n{kept}") == f"# Page\n\n- [other](other.md)\n\n## One\n\n{kept}"
    )


@pytest.mark.parametrize(
    ("page", "text", "expected"),
    [
        ("caches.md", "# Caches\n", "---\nsearch: {boost: 1}\n---\n\n# Caches\n"),
        ("reference/agent-k8s.md", "# Values\n", "---\nsearch: {boost: 0.1}\n---\n\n# Values\n"),
        ("_index.md", "---\ntitle: Scalr agents\n---\n", "---\nsearch: {boost: 1}\ntitle: Scalr agents\n---\n"),
    ],
)
def test_pages_have_a_search_weight(page: str, text: str, expected: str) -> None:
    assert site.boosted(text, page) == expected


def test_table_cells_have_labels_and_breakable_names() -> None:
    table = "<table><thead><tr><th>Key</th><th><em>Goes</em> to</th></tr></thead>{}</table>"
    given = '<tr><td><code>agent.replicaCount</code></td><td style="x"><a href="a/very.long.address">SCALR_URL</a></td></tr>'
    expected = (
        '<tr><td data-label="Key"><code>agent.<wbr>replica<wbr>Count</code></td>'
        '<td data-label="Goes to" style="x"><a href="a/very.long.address">SCALR_URL</a></td></tr>'
    )
    assert (
        site_tables.on_page_content(f"<p>agent.replicaCount</p>{table.format(given)}")
        == f"<p>agent.replicaCount</p>{table.format(expected)}"
    )


def test_every_page_of_the_repository_is_in_the_navigation() -> None:
    config = (site.REPOSITORY / "mkdocs.yml").read_text()
    listed = set(re.findall(r"[\w/-]+\.md$", config.partition("\nnav:\n")[2], re.MULTILINE))
    assert listed == {page for page in site.pages() if not page.startswith("adr/")}


def test_every_decision_is_listed() -> None:
    listed = site.pages()["decisions.md"]
    assert "- [0001: A functional core under the components](adr/0001-functional-core.md)\n" in listed
    assert [page for page in site.sources() if page.startswith("adr/") and f"]({page})" not in listed] == []


def test_anchors_are_those_of_the_web_view() -> None:
    assert site.anchor("caches.<name>.efs: What's `new` - and_old") == "cachesnameefs-whats-new---and_old"


def test_pages_with_diagrams_include_the_library() -> None:
    text = "```mermaid\nflowchart LR\n```\n"
    assert site.with_library(text, "adr/0001-core.md") == f'{text}\n<script src="../assets/mermaid.min.js"></script>\n'
    assert site.with_library("no picture\n", "index.md") == "no picture\n"


def test_an_unpinned_package_is_refused(tmp_path: Path) -> None:
    package = tmp_path / "mermaid-1.0.0.tgz"
    package.write_bytes(b"another one")
    with pytest.raises(ValueError, match="not the package that is pinned"):
        mermaid.extracted(package, tmp_path)


def _rows(page: str) -> Iterator[list[str]]:
    for line in reference.pages()[page].splitlines():
        if line.startswith("| `"):
            yield [cell.strip() for cell in line.strip("|").split(" | ")]


def test_values_have_their_types_defaults_and_variables() -> None:
    rows = {row[0].strip("`"): row[1:] for row in _rows("agent-k8s.md")}
    assert rows["agent.worker_drain_timeout"][:2] == ["whole number", "`3600`"]
    assert rows["agent.worker_drain_timeout"][3] == "`SCALR_AGENT_WORKER_DRAIN_TIMEOUT`"
    assert rows["workerTolerations"][3] == "`SCALR_AGENT_KUBERNETES_TASK_TOLERATIONS`, Kubernetes `[]Toleration`"
    assert rows["agent.debug"][0] == "string, number or boolean"


def test_the_reference_is_current() -> None:
    written = {file.name: file.read_text(encoding="utf-8") for file in reference.DIRECTORY.iterdir()}
    written.pop("index.md")
    stale = [name for name, text in reference.pages().items() if written.pop(name, "") != text]
    assert (stale, written) == ([], {}), "run make schema"


@pytest.mark.parametrize(
    ("page", "summary"),
    [
        (
            "# Caches\n\n<!-- generated -->\n\nWith [EFS](efs.md), a\ncache is shared: all read it. More.\n\nRest.\n",
            "With EFS, a cache is shared: all read it.",
        ),
        ("---\ntitle: Start\nmeta_desc: Run agents.\n---\n\nText.\n", "Run agents."),
        ("---\nsearch: {boost: 1}\n---\n\n# Page\n\n- [one](#one)\n- two\n", ""),
    ],
)
def test_the_summary_of_a_page(page: str, summary: str) -> None:
    assert site_index.summary(page) == summary


def test_the_index_for_language_models_follows_the_navigation() -> None:
    config = "site_name: Site\nhook: !!python/name:a.b\nnav: [{Start: index.md}, {Guides: [caches.md, {Names: reference/index.md}]}]\n"
    pages = {"index.md": "# Site\n\nIt is. And does.\n", "caches.md": "# Shared\n\nOne. Two.\n", "reference/index.md": "# Reference\n"}
    assert site_index.text(config, pages, {"caches.md": "Shared"}) == (
        "# Site\n\n> It is. And does.\n\n## Guides\n\n- [Shared](caches.html): One.\n- [Names](reference/index.html)\n"
    )
