"""The defaults of a release's chart, and the values that a stack must set because our defaults differ."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pydantic import BaseModel

from scalr_agents import charts
from scalr_agents.charts.shared.versions import Published, Table
from scalr_agents.migration.adopt.about import About
from scalr_agents.model import parse as shapes
from scalr_agents.model.findings import Finding, warning
from scalr_agents.model.merge import Values, coalesce, leaves, lookup, merge, without

_COMPUTED = "all values are given; those equal to the defaults are left out"
_UNSEEN = "the defaults of the chart are not known: values that the release unsets with null are not found; check them"


class Own(NamedTuple):
    """The values of a release, as far as they are known."""

    stack: Values
    """Those that a stack must set."""
    release: Values
    """All of them."""
    findings: Sequence[Finding] = ()
    notes: Sequence[str] = ()


def own(given: Mapping[str, Any], about: About, version: str) -> Own:
    """The values that a stack must set so that a release keeps its values. `given` are all of them, or those that its user set.

    `version` is the agent version, which `about` may not have.
    """
    chart = about.chart
    release = _published(charts.find(chart).versions, about)
    defaults = of_chart(chart, release) if release else _known(chart, version)
    complete = _are_complete(chart, given, defaults)
    if not about.agent_version:
        return Own(_other(chart, version, given, None) if complete else dict(given), dict(given), [_unpromised(chart)])
    if complete:
        return Own(_other(chart, version, given, release), dict(given), notes=[_COMPUTED, *([] if release else [_UNSEEN])])
    if release is None:
        return Own(dict(given), dict(given), [_unknown(about)])
    kept = _other(chart, version, defaults, release)
    in_order = merge(merge(given, kept), given)
    note = f"the values have no chart defaults; those of {chart} {release.chart} are assumed (helm get values --all prints all values)"
    others = ", ".join(".".join(path) for path in leaves(kept))
    notes = [f"{note}; these differ from ours and are kept: {others}" if others else note]
    return Own(in_order, coalesce(defaults, given), notes=notes)


def _unpromised(chart: str) -> Finding:
    message = (
        "the version of the release is not known; give --metadata, --chart-version or --agent-version. Otherwise the release may change in "
        f"unexpected ways, since these would be {charts.find(chart).versions.default_version_notice()}"
    )
    return warning(chart, message)


def _unknown(about: About) -> Finding:
    chart = f"{about.chart} {about.chart_version or f'of agents {about.agent_version}'}"
    message = "its defaults are not known, so values that are not given may change; give the output of helm get values --all"
    return warning(chart, message)


def _published(table: Table[Any], about: About) -> Published | None:
    """The chart of a release, if its defaults are known."""
    return next((one for one in table.published if (one.chart, one.agent) == (about.chart_version, about.agent_version)), None)


def ours(chart: str, version: str) -> Values:
    """Our defaults for agents of a version."""
    given = charts.find(chart).versions.defaults(version)
    made: Values = charts.find(chart).model.model_validate(given).model_dump(by_alias=True)
    return made


def of_chart(chart: str, published: Published) -> Values:
    """The defaults of a published chart."""
    return coalesce(coalesce(_known(chart, published.agent), published.corrected), published.defaults)


def _known(chart: str, version: str) -> Values:
    """Our defaults for the values that the chart has too."""
    table, values = charts.find(chart).versions, ours(chart, version)
    for path in (*table.unsupported(version), *table.ours):
        values = without(values, *path.split("."))
    return values


def _are_complete(chart: str, given: Mapping[str, Any], defaults: Mapping[str, Any]) -> bool:
    """Whether these are all values of a release, as `helm get values --all` prints them, and not only those that its user set.

    Helm prints all sections. Users who copy the chart's values file rarely copy all of them.
    """
    needed = [path for path in _sections(charts.find(chart).model) if isinstance(lookup(defaults, *path), Mapping)]
    return all(isinstance(lookup(given, *path), Mapping) for path in needed)


def _other(chart: str, version: str, given: Mapping[str, Any], release: Published | None) -> Values:
    """The values of a release that differ from our defaults.

    A chart default that is missing was unset, and becomes a `null`. Chart defaults that we correct are left out.
    """
    found = charts.find(chart)
    meant, findings, _ = shapes.parse(found.model, merge(found.versions.defaults(version), given))
    if findings:
        return dict(given)  # the findings come from their validation
    known, defaults, corrected = ours(chart, version), of_chart(chart, release) if release else {}, release.corrected if release else {}
    return merge(_different(given, meant.model_dump(by_alias=True), known, corrected), _unset(given, defaults, known))


def _different(given: Mapping[str, Any], meant: Mapping[str, Any], known: Mapping[str, Any], corrected: Mapping[str, Any] | None) -> Values:
    """The given values that differ from the known ones; `meant` are the given ones in the same form as the known ones."""
    found: Values = {}
    for key, value in given.items():
        if isinstance(value, Mapping) and isinstance(known.get(key), Mapping):
            if below := _different(value, meant[key], known[key], (corrected or {}).get(key)):
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
    for name, field in model.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            here = (*path, field.alias or name)
            yield here
            yield from _sections(field.annotation, here)
