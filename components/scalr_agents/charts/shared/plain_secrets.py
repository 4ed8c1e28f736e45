"""Secrets in plain text among values, recognized by their form: in variables, and in other places."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from scalr_agents.model import secret_patterns
from scalr_agents.model.findings import Finding, Path, dotted, entry, error, warning
from scalr_agents.model.maps import lookup

VARIABLES = "extraEnv"
"""The key of maps and lists of variables."""
OF_RUNS = "task.runner.extraEnv"
OF_CONTROLLERS = ("agent.extraEnv", "agent.controller.extraEnv")
OF_WORKERS = ("agent.extraEnv", "task.worker.extraEnv")
"""Values of agent-job that set variables of controllers and workers."""
SENTRY = "agent.sentryDsn"
"""The Sentry DSN, which charts accept only in plain text. Whoever reads it can send events to Sentry."""
LISTS = ("env", VARIABLES)
"""Keys of lists of variables, also in containers that a user adds."""


class Variable(NamedTuple):
    """An environment variable among values."""

    section: str
    """The map or list that contains it."""
    name: str
    value: Any
    place: str
    """Path of its value."""


def variables(values: Mapping[str, Any]) -> Iterator[Variable]:
    """All variables in maps and lists."""
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
    """Names of the variables that are part of a secret, through references in strings and in one another."""
    made_of = defaultdict[str, set[str]](set)
    for variable in variables(values):
        made_of[variable.name] |= secret_patterns.references(variable.value)
    names = {name for text in texts(values) for name in secret_patterns.secret_references(text)}
    waiting = [*names, *filter(secret_patterns.named_like_a_secret, made_of)]
    while waiting:
        more = made_of.pop(waiting.pop(), set())
        names |= more
        waiting += more
    return names


def texts(given: Any) -> Iterator[str]:
    """All strings among values."""
    if isinstance(given, str):
        yield given
    for item in given.values() if isinstance(given, Mapping) else given if isinstance(given, list) else ():
        yield from texts(item)


def is_secret(name: str, value: Any, referred_to: Collection[str]) -> bool:
    """Whether a variable contains a secret, or part of one."""
    return secret_patterns.is_secret(name, value) or (name in referred_to and secret_patterns.is_plain(value))


def elsewhere(given: Any, referred_to: Collection[str], in_url: str, path: Path = ()) -> Iterator[Finding]:
    """Secrets outside of our variables. Certain ones are errors, others warnings; `in_url` is the advice for one in a URL."""
    within, key = ("", "", *path)[-2:]
    if isinstance(given, Mapping):
        name, value = given.get("name"), given.get("value")
        if within in LISTS and isinstance(key, int) and isinstance(name, str) and is_secret(name, value, referred_to):
            yield error(f"{dotted(path)}.value", f"{name} contains a secret; put it into a Secret and refer to it with valueFrom")
        else:
            for word, content in given.items():
                yield from elsewhere(content, referred_to, in_url, (*path, str(word)))
    elif isinstance(given, list):
        for index, item in enumerate(given):
            yield from elsewhere(item, referred_to, in_url, (*path, index))
    elif isinstance(given, str) and (found := secret_patterns.in_text(given)):
        advice = in_url if "URL" in found else "put it into a Secret and refer to it"
        yield error(dotted(path), f"{found}; {advice}")
    elif _seems_secret(within, key, given):
        yield warning(dotted(path), "seems to contain a secret in plain text; put it into a Secret and refer to it")


def _seems_secret(within: str | int, key: str | int, given: Any) -> bool:
    """Whether an annotation or a command argument counts as a secret, by its name or its content."""
    if isinstance(key, str):
        return str(within).lower().endswith("annotations") and secret_patterns.is_secret(key.rpartition("/")[2], given)
    return within in ("args", "command") and isinstance(given, str) and secret_patterns.announces_secret(given)
