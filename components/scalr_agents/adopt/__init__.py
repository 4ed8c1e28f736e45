"""Takes a Helm release over: its values become an agent of a stack file, whose objects have the names and selectors of the release.

Nothing is asked of the cluster. What Helm made is known from the charts, and what differs here is said as commands to run.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from scalr_agents import lines, stack
from scalr_agents.adopt import secrets, steps
from scalr_agents.adopt.steps import Step
from scalr_agents.lines import Line
from scalr_agents.stack.model import PREFIX
from scalr_agents.stack.secrets import command
from scalr_agents.values import Finding, errors, kinds, shapes
from scalr_agents.values import words as word_values
from scalr_agents.values.findings import by_severity
from scalr_agents.values.merge import Values

__all__ = ["Adoption", "Step", "kinds_of", "take_over", "without_header"]

_HEADER = re.compile(r"\A\s*(USER-SUPPLIED|COMPUTED) VALUES:[ \t]*\r?\n")
_ABSENT = object()
_COMPUTED = "all values are given; those that are the defaults anyway are left out"


class Adoption(NamedTuple):
    """What there is to do to take a release over. With errors among the findings, the stack file cannot be used."""

    stack: Values
    """The content of a stack file with one agent, without its secrets."""
    secrets: list[str]
    """Commands that set its secrets. They have no values, so that the CLI asks for them."""
    before: list[Step]
    """What the API server wants before it lets the objects be taken over."""
    after: list[Step]
    """What is left of Helm when they are."""
    notes: list[str]
    findings: list[Finding]

    def instructions(self) -> Iterator[str]:
        """What there is to do, line by line."""
        yield from (f"note: {note}" for note in self.notes)
        parts = {
            "set the secrets, each of which is asked for": [Step("", line) for line in self.secrets],
            "right before pulumi up": self.before,
            "after pulumi up": self.after,
        }
        for title, steps_of_part in parts.items():
            yield from [f"{title}:"] if steps_of_part else []
            for why, line in steps_of_part:
                yield from [f"  # {why}"] if why else []
                yield f"  {line}"


def without_header(text: str) -> str:
    """What `helm get values` prints, without the line that it puts above the values unless it is told a format."""
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
    place = f"{PREFIX}:agents.{agent}.values"
    outdated = kinds.find(chart).modernize(values)[1]
    if outdated:
        return Adoption({}, [], [], [], [], [*outdated, _alpha()])
    own, computed = _without_defaults(line, values)
    taken = secrets.take_out(own, word_values.of(line), agent)
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
    loaded = stack.load(file | {"secrets": {agent: taken.secrets}}, directory=Path(), demand_tokens=False)
    notes = [*_assumed(line, agent_version), *([_COMPUTED] * computed)]
    findings = by_severity([*taken.findings, *(_in_file(finding, place) for finding in loaded.findings)])
    if errors(findings) or not loaded.agents:
        return Adoption({}, [], [], [], notes, findings)
    made = loaded.agents[0]
    return Adoption(
        stack={"config": {f"{PREFIX}:{word}": content for word, content in file.items()}},
        secrets=[command(agent, word) for word in taken.words],
        before=list(steps.before(made)),
        after=list(steps.after(made)),
        notes=[*notes, steps.meanwhile(line)],
        findings=findings,
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


def _in_file(finding: Finding, place: str) -> Finding:
    """Places are those of the release's values."""
    return replace(finding, path=finding.path.removeprefix(f"{place}."))


def _without_defaults(line: Line, values: Mapping[str, Any]) -> tuple[Values, bool]:
    """The values without those that the defaults say too, if all values are there, as `helm get values --all` prints them."""
    kind = kinds.find(line.chart)
    difference = kind.differences[line.generation]
    defaults = kind.model.model_validate(difference.defaults).model_dump(by_alias=True)
    if not defaults.keys() - set(difference.absent) <= values.keys():
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
