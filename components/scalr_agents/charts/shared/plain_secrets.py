"""Secrets in plain text among values, by their look: variables that hold one, and other places that seem to."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from scalr_agents.model import signs
from scalr_agents.model.findings import Finding, Path, dotted, entry, error, warning
from scalr_agents.model.merge import lookup

VARIABLES = "extraEnv"
"""The key of maps and lists of variables."""
OF_RUNS = "task.runner.extraEnv"
OF_CONTROLLERS = ("agent.extraEnv", "agent.controller.extraEnv")
OF_WORKERS = ("agent.extraEnv", "task.worker.extraEnv")
"""Where values of agent-job give variables to runs, and to controllers and workers."""
SENTRY = "agent.sentryDsn"
"""The address of Sentry, for which a chart has no other place. Who reads it can send events there."""
LISTS = ("env", VARIABLES)
"""Keys of lists of variables, in containers that a user adds too."""


class Variable(NamedTuple):
    """An environment variable among values."""

    section: str
    """The map or list that it stands in."""
    name: str
    value: Any
    place: str
    """Where its value stands."""


def variables(values: Mapping[str, Any]) -> Iterator[Variable]:
    """Everything in maps and lists of variables."""
    yield from _variables(values, ())


def _variables(given: Mapping[str, Any], path: Path) -> Iterator[Variable]:
    for key, content in given.items():
        here = (*path, str(key))
        section = dotted(here)
        if key == VARIABLES and isinstance(content, Mapping):
            yield from (Variable(section, str(name), value, entry(section, str(name))) for name, value in content.items())
        elif key == VARIABLES and isinstance(content, list):
            for index, item in enumerate(content):
                yield Variable(section, str(lookup(item, "name")), lookup(item, "value"), dotted((*here, index, "value")))
        elif isinstance(content, Mapping):
            yield from _variables(content, here)


def referred(values: Mapping[str, Any]) -> set[str]:
    """The variables that secrets are made of, by references in texts and in one another."""
    made_of = defaultdict[str, set[str]](set)
    for variable in variables(values):
        made_of[variable.name] |= signs.references(variable.value)
    names = {name for text in texts(values) for name in signs.secret_references(text)}
    waiting = [*names, *filter(signs.named_like_a_secret, made_of)]
    while waiting:
        more = made_of.pop(waiting.pop(), set())
        names |= more
        waiting += more
    return names


def texts(given: Any) -> Iterator[str]:
    """Every text among values."""
    if isinstance(given, str):
        yield given
    for item in given.values() if isinstance(given, Mapping) else given if isinstance(given, list) else ():
        yield from texts(item)


def is_secret(name: str, value: Any, referred_to: Collection[str]) -> bool:
    """Whether a variable holds a secret, or a part of one."""
    return signs.is_secret(name, value) or (name in referred_to and signs.is_plain(value))


def elsewhere(given: Any, referred_to: Collection[str], in_url: str, path: Path = ()) -> Iterator[Finding]:
    """Secrets that no variable of ours holds. Those of which there is no doubt are errors; `in_url` is what to do about one in a URL."""
    within, key = ("", "", *path)[-2:]
    if isinstance(given, Mapping):
        name, value = given.get("name"), given.get("value")
        if within in LISTS and isinstance(key, int) and isinstance(name, str) and is_secret(name, value, referred_to):
            yield error(f"{dotted(path)}.value", f"{name} holds a secret; put it into a Secret, and refer to that (valueFrom)")
        else:
            for word, content in given.items():
                yield from elsewhere(content, referred_to, in_url, (*path, str(word)))
    elif isinstance(given, list):
        for index, item in enumerate(given):
            yield from elsewhere(item, referred_to, in_url, (*path, index))
    elif isinstance(given, str) and (found := signs.in_text(given)):
        advice = in_url if "URL" in found else "put it into a Secret, and refer to that"
        yield error(dotted(path), f"{found}; {advice}")
    elif _seems_secret(within, key, given):
        yield warning(dotted(path), "seems to hold a secret in plain text; put it into a Secret, and refer to that")


def _seems_secret(within: str | int, key: str | int, given: Any) -> bool:
    """Whether an annotation, or an argument of a command, counts as a secret by its name or by what stands in it."""
    if isinstance(key, str):
        return str(within).lower().endswith("annotations") and signs.is_secret(key.rpartition("/")[2], given)
    return within in ("args", "command") and isinstance(given, str) and signs.says_one(given)
