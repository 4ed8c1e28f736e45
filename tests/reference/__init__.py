"""The reference in docs/reference/, and what is generated in pages that are written by hand. `make schema` writes both."""

from pathlib import Path

from scalr_agents import charts

from tests.reference import command_line, components, values

DIRECTORY = Path(__file__).parents[2] / "docs" / "reference"


def pages() -> dict[str, str]:
    """The pages of the directory, by file name; index.md is written by hand."""
    of_charts = {f"{chart}.md": values.page(chart) for chart in charts.CHARTS}
    return of_charts | {"components.md": components.page(), "command-line.md": command_line.page()}
