"""The command `impact`: it connects to the cluster of a stack, compares, and prints."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from scalr_agents.charts.shared.manifests import secrets
from scalr_agents.cluster.api import Api
from scalr_agents.doctor.needs import KEPT, Needs
from scalr_agents.impact import changes, effects
from scalr_agents.impact.changes import Change
from scalr_agents.impact.effects import Effect
from scalr_agents.live import snapshot
from scalr_agents.model.manifests import key_of
from scalr_agents.printing import age, table
from scalr_agents.stack import Stack

_HEAD = ("AGENT", "KIND", "CONTROLLERS", "RUNS", "THEN", "LONGEST WAIT")
_FIELDS = 3
"""How many fields of an object are printed."""
_VERBS = {
    "created": "is created",
    "changed": "changes in place",
    "scaled-in": "loses pods",
    "restarted": "restarts",
    "replaced": "is replaced",
    "removed": "is not in the stack file: it is removed if this stack deployed it",
    "rejected": "is rejected by the API server",
    "unknown": "cannot be judged",
}
_MATTERING = ("rejected", "unknown", "replaced", "removed", "restarted", "scaled-in", "created", "changed")
"""What is printed, the most important first."""


@dataclass(frozen=True, kw_only=True)
class Impact:
    """What a deployment does."""

    agents: Sequence[Effect]
    changes: Sequence[Change]
    """Of objects that do not stay as they are, the most important first."""
    notes: Sequence[str]

    @property
    def is_complete(self) -> bool:
        """Whether everything could be judged, and would be accepted."""
        judged = not any(change.what in ("rejected", "unknown") for change in self.changes)
        return judged and not any(each.then == "unknown" for each in self.agents)


def examine(api: Api, stack: Stack) -> Impact:
    """What deploying a stack to a cluster does. Raises `ClusterError`."""
    needs = Needs.of(stack)
    now = snapshot.read(api, stack.agents, stats=False)
    found = changes.read(api, needs)
    listed = sorted((change for change in found if change.what in _MATTERING), key=lambda each: _MATTERING.index(each.what))
    return Impact(
        agents=effects.of(stack.agents, found, now),
        changes=listed,
        notes=[*now.notes(), *_notes(stack, needs)],
    )


def _notes(stack: Stack, needs: Needs) -> Iterator[str]:
    """What only Pulumi can tell."""
    encrypted = [agent.name for agent in stack.agents if agent.secret_data and secrets.known_digest(agent.secret_data) is None]
    if encrypted:
        yield f"contents of Secrets are not compared: if one has changed, the pods that use it restart too (agents {', '.join(encrypted)})"
    for manifest in needs.objects:
        if manifest["kind"] not in KEPT and changes.is_deferred(manifest):
            yield f"{key_of(manifest).place} has values that are known only during deployment; see pulumi preview"
    if stack.caches or stack.machines:
        yield "caches of a cloud and machines are not in the cluster; see pulumi preview"


def as_json(found: Impact) -> str:
    """What `impact -o json` prints."""
    content = {
        "agents": [each.as_json() for each in found.agents],
        "objects": [_as_json(change) for change in found.changes],
        "notes": list(found.notes),
    }
    return json.dumps(content, indent=2) + "\n"


def _as_json(change: Change) -> dict[str, Any]:
    return {**change.key._asdict(), "change": change.what, "fields": list(change.fields), "reason": change.reason}


def as_text(found: Impact) -> list[str]:
    """Lines for people: a table of the agents, and each object that changes. Texts of the cluster are not escaped yet."""
    runs = [f"{each.name}: run {run.name}: {run.phase} for {age(run.seconds)}" for each in found.agents for run in each.runs or ()]
    return [*table([_HEAD, *map(_row, found.agents)]), *runs, *map(_line, found.changes), *(f"note: {note}" for note in found.notes)]


def _row(effect: Effect) -> tuple[str, ...]:
    controllers = ", ".join(dict.fromkeys(each.what for each in effect.workloads))
    runs = "-" if effect.runs is None else str(len(effect.runs))
    then = f"{effect.then} ({effect.pods} pods)" if effect.pods else effect.then
    waits, seconds = effect.then in ("wait", "end"), effect.longest_wait_seconds
    return effect.name, effect.kind, controllers, runs, then, ("no limit" if seconds is None else age(seconds)) if waits else "-"


def _line(change: Change) -> str:
    shown = ", ".join(change.fields[:_FIELDS])
    more = f" and {len(change.fields) - _FIELDS} more" if len(change.fields) > _FIELDS else ""
    return ": ".join(filter(None, [f"{change.key.place} {_VERBS[change.what]}", change.reason, f"{shown}{more}"]))
