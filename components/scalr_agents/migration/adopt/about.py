"""Chart and versions of a release, as far as its metadata, its manifest or options tell."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from scalr_agents import charts
from scalr_agents.charts.shared.versions import Published
from scalr_agents.model import yaml_io
from scalr_agents.model.lines import VERSION, LineError, numbers
from scalr_agents.model.manifests import Manifest
from scalr_agents.model.merge import lookup

_TABLE = re.compile(r"^([A-Z_]+): *(.*?) *$", re.MULTILINE)
_CHART_LABEL = re.compile(r"(.+?)-(\d.*)")


class AboutError(ValueError):
    """Chart or version of a release is unknown or contradictory; the text says why."""


class About(NamedTuple):
    """What one source contains about a release; empty if it has nothing."""

    source: str
    """Name of the source in messages."""
    chart: str = ""
    chart_version: str = ""
    agent_version: str = ""


def of_metadata(text: str, release: str, namespace: str) -> About:
    """The output of `helm get metadata`, in any of its formats. Raises `AboutError` if it is about another release."""
    found = _read(text)
    for field, expected in (("name", release), ("namespace", namespace)):
        if found.get(field, expected) != expected:
            raise AboutError(f"the metadata belongs to another release: its {field} is {found[field]!r}, expected {expected!r}")
    if found.get("chart") not in charts.CHARTS:
        named = f"the chart {found['chart']!r}" if found.get("chart") else "no chart"
        raise AboutError(
            f"the metadata names {named}; expected one of {', '.join(charts.CHARTS)}; give the output of helm get metadata {release}"
        )
    return About("the metadata", found["chart"], found.get("version", ""), found.get("appversion", ""))


def _read(text: str) -> dict[str, str]:
    """The fields of the metadata, with names in lower case and without underscores."""
    if _TABLE.match(text.lstrip()):
        found: Mapping[str, Any] = dict(_TABLE.findall(text))
    else:
        try:
            found = yaml_io.load_values(text)
        except yaml_io.YamlError as problem:
            raise AboutError(f"the metadata is not valid YAML: {problem}") from None
    return {field.lower().replace("_", ""): content for field, content in found.items() if isinstance(content, str)}


def of_manifest(objects: Sequence[Manifest]) -> About:
    """Chart and versions from the labels of the Deployment."""
    labels = [lookup(item, "metadata", "labels") for item in objects if item.get("kind") == "Deployment"]
    for given in labels:
        chart = _CHART_LABEL.fullmatch(str(lookup(given, "helm.sh/chart") or ""))
        if chart and chart[1] in charts.CHARTS:
            return About("the manifest", chart[1], chart[2], str(lookup(given, "app.kubernetes.io/version") or ""))
    return About("the manifest")


def joined(sources: Sequence[About]) -> About:
    """Combine the sources. Raises `AboutError` if two of them contradict each other."""
    found = {}
    for field in ("chart", "chart_version", "agent_version"):
        known = [(source, content) for source in sources if (content := getattr(source, field))]
        for source, content in known[1:]:
            first, expected = known[0]
            if content != expected:
                raise AboutError(
                    f"{first.source} gives {field.replace('_', ' ')} {expected!r}, but {source.source} gives {content!r}; "
                    "correct one of them"
                )
        found[field] = known[0][1] if known else ""
    return About("", **found)


def completed(about: About) -> About:
    """Complete the agent version from the chart version, and the other way round, if they were published together.

    Raises `AboutError` for a chart version whose agent version is not known, or that is too old.
    """
    published = charts.find(about.chart).versions.published
    if about.chart_version and not about.agent_version:
        agents = [one.agent for one in published if one.chart == about.chart_version]
        if not agents:
            if VERSION.fullmatch(about.chart_version) and numbers(about.chart_version) < numbers(published[0].chart):
                problem = f"{about.chart} {about.chart_version} is older than all charts whose releases can be taken over"
                raise AboutError(f"{problem}. {_upgrade(about.chart, published[0])}")
            raise AboutError(f"{about.chart} {about.chart_version} is not known; set --agent-version to APP VERSION of helm list")
        return about._replace(agent_version=agents[0])
    together = [one.chart for one in published if one.agent == about.agent_version]
    return about if about.chart_version or not together else about._replace(chart_version=together[0])


def supported(chart: str, version: str) -> None:
    """Raise `LineError` for agents that cannot be taken over, with the chart that their release must be upgraded to first."""
    table = charts.find(chart).versions
    try:
        table.line(version)
    except LineError as problem:
        later = next((one for one in table.published if VERSION.fullmatch(version) and numbers(one.agent) > numbers(version)), None)
        raise LineError(f"{problem}. {_upgrade(chart, later)}" if later else str(problem)) from None


def _upgrade(chart: str, to: Published) -> str:
    """The next step of a release that is too old."""
    alpha = "; for values of the alpha, see scalr-agents convert-values" if charts.find(chart).moved else ""
    return f"First upgrade the release with Helm to chart {to.chart} (agents {to.agent}){alpha}. Then adopt it"
