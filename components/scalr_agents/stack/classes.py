"""The classes of agents: named sizes, translated into the values of each kind."""

from collections.abc import Callable, Iterator, Mapping

from scalr_agents.charts.shared.settings import Settings
from scalr_agents.model.findings import Finding, error, nearest, warning
from scalr_agents.model.layers import Layer
from scalr_agents.model.merge import Values
from scalr_agents.stack import common
from scalr_agents.stack.model import PREFIX, AgentClass, AgentEntry, place

_PLACE = f"{PREFIX}:classes"


def layers(agent: str, entry: AgentEntry, classes: Mapping[str, AgentClass], settings: Settings) -> tuple[list[Layer], list[Finding]]:
    """An agent's class as layers of its values, and errors for keys that its chart or contract line has no value for."""
    if not entry.class_:
        return [], []
    here, given = (_PLACE, entry.class_), classes.get(entry.class_)
    if given is None:
        message = f"no class {entry.class_!r}; {nearest(entry.class_, classes)}"
        return [], [error((*place(agent), "class"), message, [here])]
    translated, findings = common.translated(here, _given(given, settings), agent)
    return [*translated, *common.nodes(here, given.nodes, settings)], findings


def _given(size: AgentClass, settings: Settings) -> Iterator[tuple[str, Callable[[], Values]]]:
    """The keys that are set, and how each becomes values."""
    if size.resources:
        yield "resources", lambda: settings.resources(size.resources)
    if (disk := size.disk) is not None:
        yield "disk", lambda: settings.disk(disk)
    if (deadline := size.deadline_seconds) is not None:
        yield "deadlineSeconds", lambda: settings.deadline(deadline)
    if (replicas := size.buffer) is not None:
        yield "buffer", lambda: settings.buffer(replicas)


def unused(classes: Mapping[str, AgentClass], agents: Mapping[str, AgentEntry]) -> Iterator[Finding]:
    """Warnings for classes that no agent has."""
    used = {agent.class_ for agent in agents.values()}
    for name in (name for name in classes if name not in used):
        message = f"no agent uses this class; set {PREFIX}:agents.<name>.class to its name"
        yield warning((_PLACE, name), message, [(f"{PREFIX}:agents",)])
