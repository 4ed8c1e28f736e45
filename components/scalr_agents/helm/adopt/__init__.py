"""Takes a Helm release over: its values become an agent of a stack file, whose objects have the names and selectors of the release.

Nothing is asked of the cluster. What Helm made is known from the charts, and what differs here is said as commands to run.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from scalr_agents import charts, stack
from scalr_agents.charts.shared import moved
from scalr_agents.charts.shared.agent import AnyAgent, identify
from scalr_agents.charts.shared.manifests.objects import Manifest
from scalr_agents.helm.adopt import defaults, listing, secrets, steps
from scalr_agents.helm.adopt.about import About, AboutError, completed
from scalr_agents.helm.adopt.steps import Step
from scalr_agents.model import parse, yaml_io
from scalr_agents.model.findings import Finding, as_path, by_severity, error, errors, starts
from scalr_agents.model.merge import Values
from scalr_agents.stack.model import PREFIX, place
from scalr_agents.stack.secrets import command

__all__ = ["AboutError", "Adoption", "Step", "kinds_of", "take_over", "without_header"]

_HEADER = re.compile(r"\A\s*(USER-SUPPLIED|COMPUTED) VALUES:[ \t]*(?=\r?\n)")
_NOT_COMPARED = "no manifest is given: what changes on the cluster is not listed (--manifest)"
_DEADLINE = ("task", "job", "activeDeadlineSeconds")


@dataclass(frozen=True)
class Adoption:
    """What there is to do to take a release over. With errors among the findings, that is all there is."""

    findings: list[Finding]
    stack: Values = field(default_factory=dict)
    """The content of a stack file with one agent, without its secrets."""
    secrets: list[str] = field(default_factory=list)
    """Commands that set its secrets. They have no values, so that the CLI asks for them."""
    before: list[Step] = field(default_factory=list)
    """What the API server wants before it lets the objects be taken over."""
    after: list[Step] = field(default_factory=list)
    """What is left of Helm when they are."""
    notes: list[str] = field(default_factory=list)
    changes: list[str] = field(default_factory=list)
    """What the corrections change on the cluster, line by line, by the rows of docs/helm-differences.md. Other changes are findings."""

    def file(self) -> str:
        """The stack file, with what there is to do as comments."""
        return "".join(f"# {line}\n" for line in self.instructions()) + yaml_io.dump([self.stack])

    def write(self, path: Path) -> None:
        """Write the stack file where none is yet: another one may have secrets that are nowhere else."""
        with path.open("x", encoding="utf-8") as handle:
            handle.write(self.file())

    def listing(self) -> Iterator[str]:
        """What the corrections change on the cluster. No line has a secret."""
        if self.changes:
            yield "what the corrections of docs/helm-differences.md change:"
            yield from (f"  {line}" for line in self.changes)

    def instructions(self) -> Iterator[str]:
        """What there is to do, line by line. No line has a secret."""
        parts = {
            "set the secrets, each of which is asked for": [Step("", line) for line in self.secrets],
            "right before pulumi up": self.before,
            "after pulumi up": self.after,
        }
        for title, part in parts.items():
            yield from [f"{title}:"] if part else []
            for why, line in part:
                yield from [f"  # {why}"] if why else []
                yield f"  {line}"


def without_header(text: str) -> str:
    """What `helm get values` prints, with nothing in the line that it puts above the values unless it is told a format."""
    return _HEADER.sub("", text, count=1)


def kinds_of(values: Mapping[str, Any]) -> list[str]:
    """The kinds whose values these may be: all of their keys and types fit."""
    return [chart for chart in charts.CHARTS if _fit(chart, values)]


def _fit(chart: str, values: Mapping[str, Any]) -> bool:
    found = charts.find(chart)
    return not parse.parse(found.values, moved.without(values, found.moved)[0])[1]


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
    """The stack file that takes a release over, and everything to do besides.

    `values` are those of the release: all of them (`helm get values --all`), or those of its user, below which the defaults of its
    chart are assumed, if they are known. `agent_version` is its APP VERSION; it follows from the version of the chart, and without
    either the kind's default is assumed. `manifest` is what Helm has made: what becomes otherwise is listed.

    Raises `LineError` for a kind or an agent version that does not exist, and `AboutError` for a chart whose agents are not
    known. Findings and changes never repeat what may be a secret.
    """
    known = completed(About("", chart, chart_version or "", agent_version or ""))
    found = charts.find(chart)
    version = known.agent_version or found.versions.line().default_version
    found.versions.line(version)
    agent = release.replace(".", "-")
    _, outdated, _ = moved.without(values, found.moved)
    if outdated:
        return Adoption([*outdated, _alpha()])
    own = defaults.own(values, known, version)
    _, _, misshapen, _ = identify(found, own.stack, release=release, namespace=namespace, agent_version=version)
    taken = secrets.take_out(own.stack, found.settings(found.versions, version))
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
    about_secrets = [finding for finding in taken.findings if not _is_within(finding, misshapen)]
    refused = {finding.at for finding in errors(about_secrets)}
    once = [finding for finding in in_values if finding.severity == "error" or finding.at not in refused]
    findings = [*own.findings, *(finding for finding in [*misshapen, *about_secrets, *once] if not _is_old_news(finding))]
    if loaded.agents and manifest is not None:
        findings += _is_of_another(manifest, loaded.agents[0])
    if errors(findings) or not loaded.agents:
        return Adoption(by_severity(findings))
    made = loaded.agents[0]
    listed = None if manifest is None else listing.compare(made, manifest, known, own.release, taken.texts)
    return Adoption(
        by_severity([*findings, *(listed.findings() if listed else ())]),
        stack={"config": {f"{PREFIX}:{word}": content for word, content in file.items()}},
        secrets=[command(agent, secret.word) for secret in taken.secrets],
        before=list(steps.before(made, {secret.variable for secret in taken.secrets}, manifest or ())),
        after=list(steps.after(made)),
        notes=[*own.notes, *([] if listed else [_NOT_COMPARED]), *_plain(taken.plain), steps.handover_of(made).meanwhile],
        changes=list(listed.lines()) if listed else [],
    )


def _is_of_another(manifest: Sequence[Manifest], agent: AnyAgent) -> Iterator[Finding]:
    ours, theirs = ({(item["kind"], item["metadata"]["name"]) for item in objects} for objects in (agent.objects, manifest))
    if ours.isdisjoint(theirs):
        release = agent.release
        message = f"has none of the objects of release {release.name!r}; give what helm get manifest {release.name} prints"
        yield error("manifest", message)


def _alpha() -> Finding:
    message = (
        "values of the chart's alpha. If APP VERSION of the release is below 0.57, upgrade it with converted values (scalr-agents "
        "convert-values) to a chart of 0.57 or newer first; else its chart ignores them: remove them from the values"
    )
    return error("", message)


def _plain(names: list[str]) -> list[str]:
    return [f"variables left in plain text, look at them: {', '.join(names)}"] if names else []


def _in_values(finding: Finding, agent: str, taken: list[secrets.Secret]) -> Finding:
    """The finding with its place in the release's values, which are all that the user has yet."""
    origins = {as_path(where): as_path(secret.origin) for secret in taken for where in secret.places(agent)}
    own = finding.at[2:] if starts(finding.at, place(agent)) else finding.at
    return replace(finding, at=origins.get(finding.at) or (own[1:] if own[:1] == ("values",) else own))


def _is_within(finding: Finding, others: list[Finding]) -> bool:
    """Whether it is about a part of what others are about."""
    return any(starts(finding.at, other.at) for other in others)


def _is_old_news(finding: Finding) -> bool:
    """Whether a warning is about how a release has been running all along, and not about taking it over."""
    return finding.severity == "warning" and finding.at == _DEADLINE
