"""Takes a Helm release over: its values become an agent of a stack file, whose objects have the names and selectors of the release.

Nothing is asked of the cluster. What Helm made is known from the charts, and what differs here is said as commands to run.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from scalr_agents import lines, stack, versions, yaml_io
from scalr_agents.adopt import secrets, steps
from scalr_agents.adopt.steps import Step
from scalr_agents.lines import Line
from scalr_agents.stack.model import PREFIX
from scalr_agents.stack.secrets import command
from scalr_agents.values import Finding, errors, identify, kinds, shapes
from scalr_agents.values import words as word_values
from scalr_agents.values.findings import by_severity
from scalr_agents.values.merge import Values

__all__ = ["Adoption", "Step", "kinds_of", "take_over", "without_header"]

_HEADER = re.compile(r"\A\s*(USER-SUPPLIED|COMPUTED) VALUES:[ \t]*(?=\r?\n)")
_ABSENT = object()
_COMPUTED = "all values are given; those that are the defaults anyway are left out"
_DEADLINE = "task.job.activeDeadlineSeconds"


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

    def file(self) -> str:
        """The stack file, with what there is to do as comments."""
        return "".join(f"# {line}\n" for line in self.instructions()) + yaml_io.dump([self.stack])

    def write(self, path: Path) -> None:
        """Write the stack file where none is yet: another one may have secrets that are nowhere else."""
        with path.open("x", encoding="utf-8") as handle:
            handle.write(self.file())

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
    return [chart for chart in lines.CHARTS if _fit(chart, values)]


def _fit(chart: str, values: Mapping[str, Any]) -> bool:
    kind = kinds.find(chart)
    return not shapes.parse(kind.model, kind.modernize(values)[0])[1]


def take_over(values: Mapping[str, Any], *, chart: str, release: str, namespace: str, agent_version: str | None = None) -> Adoption:
    """The stack file that takes a release over, and everything to do besides.

    `values` are those of the release, `agent_version` is its APP VERSION (default: the kind's). Raises `lines.LineError` for a kind or a
    version that does not exist. Findings name keys and never repeat what may be a secret.
    """
    line = lines.select(chart, agent_version)
    agent = release.replace(".", "-")
    outdated = kinds.find(chart).modernize(values)[1]
    if outdated:
        return Adoption([*outdated, _alpha()])
    own, computed = _without_defaults(chart, agent_version or line.default_version, values)
    _, _, misshapen, _ = identify(chart, own, release=release, namespace=namespace, agent_version=agent_version)
    taken = secrets.take_out(own, word_values.of(line))
    file: Values = {
        "kubernetes": {"upsertExisting": True},
        "namespaces": {namespace: {"create": False}},
        "agents": {
            agent: {
                "kind": chart,
                "namespace": namespace,
                "release": release,
                "names": "chart",
                "agentVersion": agent_version or line.default_version,
                **({"values": taken.values} if taken.values else {}),
            }
        },
    }
    loaded = stack.load(file | {"secrets": {agent: taken.sealed(agent)}}, directory=Path(), demand_tokens=False)
    in_values = [_in_values(finding, agent, taken.secrets) for finding in loaded.findings]
    about_secrets = [finding for finding in taken.findings if not _is_within(finding, misshapen)]
    refused = {finding.path for finding in errors(about_secrets)}
    once = [finding for finding in in_values if finding.severity == "error" or finding.path not in refused]
    findings = [finding for finding in by_severity([*misshapen, *about_secrets, *once]) if not _is_old_news(finding)]
    if errors(findings) or not loaded.agents:
        return Adoption(findings)
    made = loaded.agents[0]
    return Adoption(
        findings,
        stack={"config": {f"{PREFIX}:{word}": content for word, content in file.items()}},
        secrets=[command(agent, secret.word) for secret in taken.secrets],
        before=list(steps.before(made, {secret.variable for secret in taken.secrets})),
        after=list(steps.after(made)),
        notes=[*_assumed(line, agent_version), *([_COMPUTED] * computed), *_plain(taken.plain), steps.meanwhile(line)],
    )


def _alpha() -> Finding:
    message = (
        "values of the chart's alpha. If APP VERSION of the release is below 0.57, upgrade it with converted values (scalr-agents "
        "convert-values) to a chart of 0.57 or newer first; else its chart ignores them: remove them from the values"
    )
    return Finding("error", "", message)


def _assumed(line: Line, agent_version: str | None) -> list[str]:
    if agent_version:
        return []
    return [f"agent version {line.default_version} assumed: compare APP VERSION in helm list, and give another one with --agent-version"]


def _plain(names: list[str]) -> list[str]:
    return [f"variables left in plain text, look at them: {', '.join(names)}"] if names else []


def _in_values(finding: Finding, agent: str, taken: list[secrets.Secret]) -> Finding:
    """The finding with its place in the release's values, which are all that the user has yet."""
    origins = {place: secret.origin for secret in taken for place in secret.places(agent)}
    place = f"{PREFIX}:agents.{agent}."
    return replace(finding, path=origins.get(finding.path) or finding.path.removeprefix(place).removeprefix("values."))


def _is_within(finding: Finding, others: list[Finding]) -> bool:
    """Whether it is about a part of what others are about."""
    return any(f"{finding.path}.".startswith((f"{other.path}.", f"{other.path}[")) for other in others)


def _is_old_news(finding: Finding) -> bool:
    """Whether a warning is about how a release has been running all along, and not about taking it over."""
    return finding.severity == "warning" and finding.path == _DEADLINE


def _without_defaults(chart: str, version: str, values: Mapping[str, Any]) -> tuple[Values, bool]:
    """The values without those that the defaults say too, if all values are there, as `helm get values --all` prints them."""
    table = versions.find(chart)
    defaults = kinds.find(chart).model.model_validate(table.row(version).defaults).model_dump(by_alias=True)
    if not defaults.keys() - set(table.unknown(version)) <= values.keys():
        return dict(values), False
    return _other_than(defaults, values), True


def _other_than(defaults: Mapping[str, Any], values: Mapping[str, Any]) -> Values:
    other: Values = {}
    for key, value in values.items():
        default = defaults.get(key, _ABSENT)
        rest = _other_than(default, value) if isinstance(default, Mapping) and isinstance(value, Mapping) else value
        if value != default and (rest or rest == value):
            other[key] = rest
    return other
