"""Takes over a Helm release: its values become an agent of a stack file, whose objects have the names and selectors of the release.

The cluster is not queried. The charts tell what Helm created; where the objects here differ, there are commands to run.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from scalr_agents import charts, stack
from scalr_agents.charts.shared.loading import identify
from scalr_agents.charts.shared.versions import without_moved
from scalr_agents.migration.adopt import changes, secrets, steps
from scalr_agents.migration.adopt.release import About, AboutError, completed, own_values, supported
from scalr_agents.migration.adopt.steps import Step
from scalr_agents.model import parse, yaml_io
from scalr_agents.model.findings import Finding, as_path, by_severity, error, errors, starts
from scalr_agents.model.manifests import Manifest
from scalr_agents.model.maps import Values
from scalr_agents.stack.model import PREFIX, place
from scalr_agents.stack.secrets import command

__all__ = ["AboutError", "Adoption", "Step", "charts_of", "take_over", "without_header"]

_HEADER = re.compile(r"\A\s*(USER-SUPPLIED|COMPUTED) VALUES:[ \t]*(?=\r?\n)")
_NOT_COMPARED = "changes on the cluster are not listed; give the manifest with --manifest to list them"
_ALPHA = (
    "values of the chart's alpha. If APP VERSION of the release is below 0.57, first upgrade it with converted values (scalr-agents "
    "convert-values) to a chart of 0.57 or newer. Otherwise the chart ignores these values: remove them"
)
_DEADLINE = ("task", "job", "activeDeadlineSeconds")
"""A warning on it is about how the release runs already, and not about taking it over."""


@dataclass(frozen=True)
class Adoption:
    """What to do to take over a release. If there are errors among the findings, everything else is empty."""

    findings: list[Finding]
    stack: Values = field(default_factory=dict)
    """The content of a stack file with one agent, without its secrets."""
    secrets: list[str] = field(default_factory=list)
    """Commands that set its secrets. They have no values: the CLI asks for them."""
    before: list[Step] = field(default_factory=list)
    """Steps without which the API server would reject the objects."""
    after: list[Step] = field(default_factory=list)
    """Steps that remove what Helm leaves behind."""
    notes: list[str] = field(default_factory=list)
    changes: list[str] = field(default_factory=list)
    """What corrections change on the cluster, line by line, grouped by row of docs/helm-differences.md. Other changes are findings."""

    def file(self) -> str:
        """The stack file, with the steps as comments."""
        return "".join(f"# {line}\n" for line in self.instructions()) + yaml_io.dump([self.stack])

    def write(self, path: Path) -> None:
        """Write the stack file, if it does not exist: an existing one may have secrets that are nowhere else."""
        with path.open("x", encoding="utf-8") as handle:
            handle.write(self.file())

    def listing(self) -> Iterator[str]:
        """What corrections change on the cluster. No line has a secret."""
        if self.changes:
            yield "changes by the corrections of docs/helm-differences.md:"
            yield from (f"  {line}" for line in self.changes)

    def instructions(self) -> Iterator[str]:
        """The steps, line by line. No line has a secret."""
        parts = {
            "set the secrets (the command asks for the value)": [Step("", line) for line in self.secrets],
            "right before pulumi up": self.before,
            "after pulumi up": self.after,
        }
        for title, part in parts.items():
            yield from [f"{title}:"] if part else []
            for why, line in part:
                yield from [f"  # {why}"] if why else []
                yield f"  {line}"


def without_header(text: str) -> str:
    """The output of `helm get values`, with an empty line in place of the header that it prints if no format is given."""
    return _HEADER.sub("", text, count=1)


def charts_of(values: Mapping[str, Any]) -> list[str]:
    """The charts that these values may belong to: all keys and types match."""
    every = {kind: charts.find(kind) for kind in charts.CHARTS}
    return [kind for kind, chart in every.items() if not parse.parse(chart.model, without_moved(values, chart.moved)[0])[1]]


def take_over(
    values: Mapping[str, Any],
    *,
    chart: str,
    release: str,
    namespace: str,
    agent_version: str | None = None,
    chart_version: str | None = None,
    manifest: Sequence[Manifest] | None = None,
) -> Adoption:
    """The stack file that takes over a release, and all other steps.

    `values` are those of the release: either all (`helm get values --all`), or those that its user set, completed with the defaults of
    its chart, if these are known. `agent_version` is its APP VERSION. Default: that of the chart's version, otherwise the default of
    the kind. `manifest` has the objects that Helm created; with it, all changes are listed.

    Raises `LineError` for a chart or an agent version that does not exist, and `AboutError` for a chart whose agent version is not
    known. Findings and changes never repeat what may be a secret.
    """
    known = completed(About("", chart, chart_version or "", agent_version or ""))
    found = charts.find(chart)
    version = known.agent_version or found.versions.line().default_version
    supported(chart, version)
    settings = found.settings(found.versions, version)
    agent = release.replace(".", "-")
    if outdated := without_moved(values, found.moved)[1]:
        return Adoption([*outdated, error("", _ALPHA)])
    own = own_values(values, known, version)
    misshapen = identify(found, own.stack, release=release, namespace=namespace, agent_version=version).findings
    taken = secrets.take_out(own.stack, settings)
    file: Values = {
        "kubernetes": {"upsertExisting": True},
        "namespaces": {namespace: {"create": False}},
        "agents": {
            agent: {
                "kind": chart,
                "namespace": namespace,
                "release": release,
                "names": "chart",
                "agentVersion": version,
                **({"values": taken.values} if taken.values else {}),
            }
        },
    }
    loaded = stack.load(file | {"secrets": {agent: taken.sealed(agent)}}, directory=Path(), demand_tokens=False)
    in_values = [_in_values(finding, agent, taken.secrets) for finding in loaded.findings]
    about_secrets = [finding for finding in taken.findings if not any(starts(finding.at, other.at) for other in misshapen)]
    refused = {finding.at for finding in errors(about_secrets)}
    once = [finding for finding in in_values if finding.severity == "error" or finding.at not in refused]
    reported = {finding.at for finding in errors(in_values)}  # the stack may explain better what is wrong with the same value
    shapes = [finding for finding in misshapen if finding.at not in reported]
    findings = [*own.findings, *(each for each in [*shapes, *about_secrets, *once] if each.severity == "error" or each.at != _DEADLINE)]
    if loaded.agents and manifest is not None:
        ours, theirs = ({(item["kind"], item["metadata"]["name"]) for item in objects} for objects in (loaded.agents[0].objects, manifest))
        if ours.isdisjoint(theirs):
            findings.append(error("manifest", f"has no object of release {release!r}; give the output of helm get manifest {release}"))
    if errors(findings) or not loaded.agents:
        return Adoption(by_severity(findings))
    made = loaded.agents[0]
    plain = [f"these variables stay in plain text; check that none is a secret: {', '.join(taken.plain)}"] if taken.plain else []
    listed = None if manifest is None else changes.compare(made, manifest, known, own.release, taken.texts)
    return Adoption(
        by_severity([*findings, *(listed.findings() if listed else ())]),
        stack={"config": {f"{PREFIX}:{key}": content for key, content in file.items()}},
        secrets=[command(agent, secret.key) for secret in taken.secrets],
        before=list(steps.before(made, {secret.variable for secret in taken.secrets}, manifest or ())),
        after=list(steps.after(made)),
        notes=[*own.notes, *([] if listed else [_NOT_COMPARED]), *plain, made.row.handover.meanwhile],
        changes=list(listed.lines()) if listed else [],
    )


def _in_values(finding: Finding, agent: str, taken: list[secrets.Secret]) -> Finding:
    """The finding with its path in the release's values: the user has no stack file yet."""
    origins = {as_path(where): as_path(secret.origin) for secret in taken for where in secret.places(agent)}
    own = finding.at[2:] if starts(finding.at, place(agent)) else finding.at
    return replace(finding, at=origins.get(finding.at) or (own[1:] if own[:1] == ("values",) else own))
