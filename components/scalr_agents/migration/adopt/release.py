"""What is known of a Helm release: its chart and versions, the defaults of its chart, and the values that a stack must set to keep its own.

Metadata, manifest and options tell of chart and versions. Our defaults are not always those of the chart.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pydantic import BaseModel

from scalr_agents import charts
from scalr_agents.charts.shared.versions import Published
from scalr_agents.model import parse, yaml_io
from scalr_agents.model.findings import Finding, warning
from scalr_agents.model.manifests import Manifest
from scalr_agents.model.maps import Values, coalesce, leaves, lookup, merge, without
from scalr_agents.model.release import VERSION, LineError, numbers

_COMPUTED = "all values are given; those equal to the defaults are left out"
_UNSEEN = "the defaults of the chart are not known: values that the release unsets with null are not found; check them"
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


class Own(NamedTuple):
    """The values of a release, as far as they are known."""

    stack: Values
    """Those that a stack must set."""
    release: Values
    """All of them."""
    findings: Sequence[Finding] = ()
    notes: Sequence[str] = ()


def own_values(given: Mapping[str, Any], about: About, version: str) -> Own:
    """The values that a stack must set so that a release keeps its values. `given` are all of them, or those that its user set.

    `version` is the agent version, which `about` may not have.
    """
    chart, table = about.chart, charts.find(about.chart).versions
    release = next((one for one in table.published if (one.chart, one.agent) == (about.chart_version, about.agent_version)), None)
    defaults = of_chart(chart, release) if release else _defaults(chart, version)
    complete = _are_complete(chart, given, defaults)
    if not about.agent_version:
        message = (
            "the version of the release is not known; give --metadata, --chart-version or --agent-version. Otherwise the release may "
            f"change in unexpected ways, since these would be {table.default_version_notice()}"
        )
        return Own(_changed_values(chart, version, given, None) if complete else dict(given), dict(given), [warning(chart, message)])
    if complete:
        return Own(_changed_values(chart, version, given, release), dict(given), notes=[_COMPUTED, *([] if release else [_UNSEEN])])
    if release is None:
        name = f"{chart} {about.chart_version or f'of agents {about.agent_version}'}"
        message = "its defaults are not known, so values that are not given may change; give the output of helm get values --all"
        return Own(dict(given), dict(given), [warning(name, message)])
    kept = _changed_values(chart, version, defaults, release)
    in_order = merge(merge(given, kept), given)
    note = f"the values have no chart defaults; those of {chart} {release.chart} are assumed (helm get values --all prints all values)"
    others = ", ".join(".".join(path) for path in leaves(kept))
    notes = [f"{note}; these differ from ours and are kept: {others}" if others else note]
    return Own(in_order, coalesce(defaults, given), notes=notes)


def our_defaults(chart: str, version: str) -> Values:
    """Our defaults for agents of a version."""
    given = charts.find(chart).versions.defaults(version)
    made: Values = charts.find(chart).model.model_validate(given).model_dump(by_alias=True)
    return made


def of_chart(chart: str, published: Published) -> Values:
    """The defaults of a published chart."""
    return coalesce(coalesce(_defaults(chart, published.agent), published.corrected), published.defaults)


def _defaults(chart: str, version: str) -> Values:
    """Our defaults for the values that the chart has too."""
    table, values = charts.find(chart).versions, our_defaults(chart, version)
    for path in (*table.unsupported(version), *table.ours):
        values = without(values, *path.split("."))
    return values


def _are_complete(chart: str, given: Mapping[str, Any], defaults: Mapping[str, Any]) -> bool:
    """Whether these are all values of a release, as `helm get values --all` prints them, and not only those that its user set.

    Helm prints all sections. Users who copy the chart's values file rarely copy all of them.
    """
    needed = [path for path in _sections(charts.find(chart).model) if isinstance(lookup(defaults, *path), Mapping)]
    return all(isinstance(lookup(given, *path), Mapping) for path in needed)


def _changed_values(chart: str, version: str, given: Mapping[str, Any], release: Published | None) -> Values:
    """The values of a release that differ from our defaults.

    A chart default that is missing was unset, and becomes a `null`. Chart defaults that we correct are left out.
    """
    found = charts.find(chart)
    meant, findings, _ = parse.parse(found.model, merge(found.versions.defaults(version), given))
    if findings:
        return dict(given)  # the findings come from their validation
    known = our_defaults(chart, version)
    changed = _changed(given, meant.model_dump(by_alias=True), known, release.corrected if release else {})
    return merge(changed, _unset(given, of_chart(chart, release) if release else {}, known))


def _changed(given: Mapping[str, Any], meant: Mapping[str, Any], known: Mapping[str, Any], corrected: Mapping[str, Any] | None) -> Values:
    """The given values that differ from the known ones; `meant` are the given ones in the same form as the known ones."""
    found: Values = {}
    for key, value in given.items():
        if isinstance(value, Mapping) and isinstance(known.get(key), Mapping):
            if below := _changed(value, meant[key], known[key], (corrected or {}).get(key)):
                found[key] = below
        elif key not in known or (meant.get(key) != known[key] and not (corrected and key in corrected and corrected[key] == value)):
            found[key] = value
    return found


def _unset(given: Mapping[str, Any], defaults: Mapping[str, Any], known: Mapping[str, Any]) -> Values:
    """A `null` for each of our defaults that the chart has too, but the values do not."""
    found: Values = {}
    for key, default in defaults.items():
        if key not in given:
            found |= {key: None} if known.get(key) else {}
        elif all(isinstance(side.get(key), Mapping) for side in (defaults, given, known)) and (
            below := _unset(given[key], default, known[key])
        ):
            found[key] = below
    return found


def _sections(model: type[BaseModel], path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The paths of all sections."""
    for key, section in parse.sections(model).items():
        yield *path, key
        yield from _sections(section, (*path, key))
