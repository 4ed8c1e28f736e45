"""Chart and versions of a release, as far as its metadata, its manifest or options tell."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from scalr_agents import charts
from scalr_agents.model import yaml_io
from scalr_agents.model.manifests import Manifest
from scalr_agents.model.merge import lookup

_TABLE = re.compile(r"^([A-Z_]+): *(.*?) *$", re.MULTILINE)
_CHART_LABEL = re.compile(r"(.+?)-(\d.*)")


class AboutError(ValueError):
    """Chart or version of a release is unknown or contradictory; the text says why."""


class About(NamedTuple):
    """What one source tells about a release. Empty where it tells nothing."""

    source: str
    """Name of the source in messages."""
    chart: str = ""
    chart_version: str = ""
    agent_version: str = ""


def of_metadata(text: str, release: str, namespace: str) -> About:
    """The output of `helm get metadata`, in any of its formats. Raises `AboutError` if it is about another release."""
    said = _read(text)
    for word, expected in (("name", release), ("namespace", namespace)):
        if said.get(word, expected) != expected:
            raise AboutError(f"the metadata belongs to another release: its {word} is {said[word]!r}, expected {expected!r}")
    if said.get("chart") not in charts.CHARTS:
        found = f"the chart {said['chart']!r}" if said.get("chart") else "no chart"
        raise AboutError(
            f"the metadata names {found}; expected one of {', '.join(charts.CHARTS)}; give the output of helm get metadata {release}"
        )
    return About("the metadata", said["chart"], said.get("version", ""), said.get("appversion", ""))


def _read(text: str) -> dict[str, str]:
    """The fields of the metadata, with names in lower case and without underscores."""
    if _TABLE.match(text.lstrip()):
        said: Mapping[str, Any] = dict(_TABLE.findall(text))
    else:
        try:
            said = yaml_io.load_values(text)
        except yaml_io.YamlError as problem:
            raise AboutError(f"the metadata is not valid YAML: {problem}") from None
    return {word.lower().replace("_", ""): content for word, content in said.items() if isinstance(content, str)}


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
    said = {}
    for word in ("chart", "chart_version", "agent_version"):
        saying = [(source, content) for source in sources if (content := getattr(source, word))]
        for source, content in saying[1:]:
            first, known = saying[0]
            if content != known:
                raise AboutError(
                    f"{first.source} gives {word.replace('_', ' ')} {known!r}, but {source.source} gives {content!r}; correct one of them"
                )
        said[word] = saying[0][1] if saying else ""
    return About("", **said)


def completed(about: About) -> About:
    """Complete the agent version from the chart version, and the other way round, if they were published together.

    Raises `AboutError` for a chart version whose agent version is not known.
    """
    published = charts.find(about.chart).versions.published
    if about.chart_version and not about.agent_version:
        agents = [one.agent for one in published if one.chart == about.chart_version]
        if not agents:
            raise AboutError(f"{about.chart} {about.chart_version} is not known; set --agent-version to APP VERSION of helm list")
        return about._replace(agent_version=agents[0])
    together = [one.chart for one in published if one.agent == about.agent_version]
    return about if about.chart_version or not together else about._replace(chart_version=together[0])
