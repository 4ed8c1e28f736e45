"""What a user may say about an agent: the values of its chart, validated.

`load` turns a values file's content into a typed model; `check` gives the findings alone. Validation has two passes, shapes and
then cross-checks on what is valid, joined in one list.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from scalr_agents.charts import kinds
from scalr_agents.charts.shared import checks, versions
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.model import lines
from scalr_agents.model import parse as shapes
from scalr_agents.model.fields import is_subdomain
from scalr_agents.model.findings import Finding, FindingsError, Path, ValuesError, by_severity, dotted, errors, warnings
from scalr_agents.model.layers import Layer
from scalr_agents.model.merge import merge
from scalr_agents.model.release import Naming, Release, base_name, fullname

__all__ = ["Checked", "Finding", "FindingsError", "ValuesError", "check", "errors", "identify", "load", "misshapen_sections", "warnings"]


class Checked(NamedTuple):
    """Values after validation. With errors among the findings, what they concern has its default instead."""

    values: Any
    """The typed values, of the model of the release's kind."""
    release: Release
    findings: list[Finding]


def load(
    chart: str,
    values: Mapping[str, Any],
    *,
    release: str,
    namespace: str,
    agent_version: str | None = None,
    naming: Naming = "scoped",
    inputs: Inputs | None = None,
) -> Checked:
    """Validate the values of a chart for one release.

    Raises `lines.LineError` for a chart or an agent version that does not exist; everything else is a finding.
    """
    described, model, findings, left_out = identify(
        chart, values, release=release, namespace=namespace, agent_version=agent_version, naming=naming
    )
    cross_checked = kinds.find(chart).check(model, described, inputs or Inputs())
    findings += _without(left_out, cross_checked)
    return Checked(model, described, by_severity(findings))


def check(chart: str, values: Mapping[str, Any], *, release: str, namespace: str, agent_version: str | None = None) -> list[Finding]:
    """Everything that is wrong or odd about the values, errors first.

    Arguments are those of `helm template`: the chart's name, the content of a values file, the release's name and namespace;
    `agent_version` (default: the chart's own) selects the contract line.
    """
    try:
        return load(chart, values, release=release, namespace=namespace, agent_version=agent_version).findings
    except lines.LineError as problem:
        return [Finding("error", "", str(problem))]


def identify(
    chart: str,
    values: Mapping[str, Any],
    *,
    release: str,
    namespace: str,
    agent_version: str | None = None,
    naming: Naming = "scoped",
) -> tuple[Release, Any, list[Finding], list[Path]]:
    """The first pass: the release that values describe, the typed values, the findings on shapes and what these left out."""
    line = lines.select(chart, agent_version)
    version = agent_version or line.default_version
    kind, table = kinds.find(chart), versions.find(chart)
    values, outdated, moved = kind.modernize(values)
    model, findings, left_out = shapes.parse(kind.model, merge(table.row(version).defaults, values))
    unknown = list(kinds.unknown_to(chart, version, values))
    findings = [*outdated, *_without(moved, [*findings, *unknown]), *_newer(version, table)]
    left_out = [*left_out, *moved, *(tuple(finding.path.split(".")) for finding in unknown)]
    labels, annotations = kind.common(model)
    full, base = fullname(line, release, model.name_override, model.fullname_override), base_name(line, model.name_override)
    names = kind.names[line.generation](full, namespace, _service_account(model, full), naming)
    described = Release(
        line=line,
        name=release,
        namespace=namespace,
        version=version,
        full_name=full,
        base_name=base,
        common_labels=labels,
        common_annotations=annotations,
        names=kind.chart_names(names, base) if naming == "chart" else names,
    )
    return described, model, findings + _check_place(release, namespace, full), left_out


def misshapen_sections(chart: str, layer: Layer) -> list[Finding]:
    """Sections that a layer gives as something else than a map: a layer above would hide them."""
    kind = kinds.find(chart)
    given, outdated, _ = kind.modernize(layer.values)
    found = [*outdated, *shapes.misshapen_sections(kind.model, given)]
    return [layer.own(finding) for finding in found]


def _newer(version: str, table: versions.Table[Any]) -> list[Finding]:
    if not table.is_newer(version):
        return []
    newest = table.published[-1]
    message = (
        f"{version} is newer than {newest.agent}, the newest agent whose chart these objects were compared with "
        f"({table.chart} {newest.chart}): read what has changed since, and try it on one agent first"
    )
    return [checks.warning("agent_version", message)]


def _service_account(values: Any, full: str) -> str:
    """Name of the pods' service account: every kind has the section."""
    account = values.service_account
    return str(account.name or (full if account.create else "default"))


def _check_place(release: str, namespace: str, full: str) -> list[Finding]:
    findings = list(checks.place(release, namespace))
    if is_subdomain(release) and not is_subdomain(full):
        findings.append(checks.error("fullnameOverride", f"makes object names that Kubernetes refuses: {full!r}"))
    return findings


def _without(left_out: list[Path], findings: Iterable[Finding]) -> Iterator[Finding]:
    """The findings but for those about something that was left out, which would speak of a default nobody chose."""
    cuts = [dotted(cut) for cut in left_out]
    for finding in findings:
        if not any(_overlap(path, cut) for cut in cuts for path in (finding.path, *finding.presumes) if path):
            yield finding


def _overlap(one: str, other: str) -> bool:
    """Whether a path is the other, or leads through it."""
    return one == other or one.startswith((f"{other}.", f"{other}[")) or other.startswith(f"{one}.")
