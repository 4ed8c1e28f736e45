"""Secrets among the values of a release: they are taken out, to be set where a stack keeps them."""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from scalr_agents.adopt import signs
from scalr_agents.contract import MIRRORS_VARIABLE, SCALR_PREFIX
from scalr_agents.stack.secrets import in_values, mirror_token, place_of
from scalr_agents.stack.source import Sealed
from scalr_agents.values import Finding
from scalr_agents.values.fields import is_set
from scalr_agents.values.findings import dotted, entry
from scalr_agents.values.merge import Values, lookup
from scalr_agents.values.mirrors import host_of
from scalr_agents.values.words import Words

_VARIABLES = "extraEnv"
_OF_RUNS = "task.runner.extraEnv"
_OF_ALL_BUT_RUNS = "agent.extraEnv"
_OF_CONTROLLERS = (_OF_ALL_BUT_RUNS, "agent.controller.extraEnv")
_OF_WORKERS = (_OF_ALL_BUT_RUNS, "task.worker.extraEnv")
_OF_DEPLOYMENTS = (*_OF_CONTROLLERS, _VARIABLES)
"""Where values give variables to the pods of a Deployment."""
_LISTS = ("env", _VARIABLES)
_SENTRY = ("agent", "sentryDsn")
_MIRRORS = ("agent", "providerNetworkMirrors")


class Secret(NamedTuple):
    """A secret as a stack keeps it: by itself, or by its name in a section."""

    origin: str
    """Where it stood among the values."""
    section: str
    name: str = ""
    variable: str = ""
    """The variable of a Deployment that has held it in plain text."""

    @property
    def word(self) -> str:
        """What stands for it in a command; the dots of a name separate no words."""
        if not self.name:
            return self.section
        if self.section == "mirrorTokens":
            return mirror_token(self.name)
        return f"{self.section}.{self.name}" if re.fullmatch(r"\w+", self.name) else f'{self.section}["{self.name}"]'

    def places(self, agent: str) -> set[str]:
        """Where findings see it in the stack."""
        return {place_of(agent, self.word), place_of(agent, entry(self.section, self.name) if self.name else self.section)}


class Taken(NamedTuple):
    """Values without their secrets."""

    values: Values
    secrets: list[Secret]
    plain: list[str]
    """Names of the variables that stay as they are."""
    findings: list[Finding]
    texts: Collection[str]
    """What has been taken out."""

    def sealed(self, agent: str) -> Values:
        """What belongs under the stack's `secrets`, as if it were set."""
        content: Values = {}
        for secret in self.secrets:
            sealed = Sealed(place_of(agent, secret.word))
            content |= {secret.section: {**content.get(secret.section, {}), secret.name: sealed} if secret.name else sealed}
        return content


def take_out(values: Mapping[str, Any], words: Words) -> Taken:
    """Take the secrets out of values. Those that an existing Secret wins over are left out for good."""
    referred = _referred(values)
    variables, findings = _variables(values, referred)
    rest = _without_variables(values, variables.keys())
    taken = []
    for path, word in in_values(words):
        *section, key = path.split(".")
        existing = words.existing_token if word == "token" else (*section, "clientCertSecret", "name")
        if (word == "token" or is_set(lookup(rest, *section, key))) and not is_set(lookup(rest, *existing)):
            taken.append(Secret(path, word))
        rest = _without(rest, *section, key)
    rest, tokens, mirror_findings = _without_mirror_tokens(rest)
    taken += [*tokens, *(_variable(name, paths) for name, paths in variables.items())]
    plain = list(dict.fromkeys(_plain(rest)))
    texts = {text for path, _ in in_values(words) for text in _texts(lookup(values, *path.split(".")))}
    texts |= set(_texts(values)) - set(_texts(rest))
    return Taken(rest, taken, plain, [*findings, *mirror_findings, *_left(rest, (), referred), *_wider(variables, words)], texts)


def _referred(values: Mapping[str, Any]) -> set[str]:
    """The variables that secrets are made of, by references in texts and in one another."""
    names = {name for text in _texts(values) for name in signs.secret_references(text)}
    made_of = [(name, signs.references(value)) for _, name, value in _given_variables(values, ())]
    while more := {other for name, others in made_of if name in names or signs.named_like_a_secret(name) for other in others} - names:
        names |= more
    return names


def _texts(given: Any) -> Iterator[str]:
    if isinstance(given, str):
        yield given
    for item in given.values() if isinstance(given, Mapping) else given if isinstance(given, list) else ():
        yield from _texts(item)


def _variables(values: Mapping[str, Any], referred: Collection[str]) -> tuple[dict[str, list[str]], list[Finding]]:
    """Secret variables with the places where they stand, and those of which a stack cannot keep one value."""
    found: dict[str, list[tuple[str, Any]]] = {}
    for path, name, value in _given_variables(values, ()):
        if name and _is_secret(name, value, referred):
            found.setdefault(name, []).append((path, value))
    findings = []
    for name, places in found.items():
        here = entry(places[0][0], name)
        if any(value != places[0][1] for _, value in places):
            others = " and ".join(path for path, _ in places[1:])
            findings.append(Finding("error", here, f"a secret, and another one in {others}: a stack keeps one for each name"))
        if name.startswith(SCALR_PREFIX) and all(path == _OF_RUNS for path, _ in places):
            findings.append(Finding("error", here, f"a secret, and a stack gives runs no secret {SCALR_PREFIX}* variables; rename it"))
        if any(signs.references(value) for _, value in places):
            message = "a secret from now on, in which Kubernetes resolves no $(NAME): write out what it refers to when you set it"
            findings.append(Finding("warning", here, message))
    return {name: [path for path, _ in places] for name, places in found.items()}, findings


def _variable(name: str, paths: list[str]) -> Secret:
    deployed = any(path in _OF_DEPLOYMENTS for path in paths)
    return Secret(entry(paths[0], name), "env", name, variable=name if deployed else "")


def _is_secret(name: str, value: Any, referred: Collection[str]) -> bool:
    return signs.is_secret(name, value) or (name in referred and signs.is_plain(value))


def _given_variables(given: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[tuple[str, str, Any]]:
    """Everything in maps and lists of variables: path, name, value."""
    for key, content in given.items():
        here = (*path, str(key))
        if key == _VARIABLES and isinstance(content, Mapping):
            yield from ((dotted(here), str(name), value) for name, value in content.items())
        elif key == _VARIABLES and isinstance(content, list):
            yield from ((dotted(here), str(lookup(item, "name")), lookup(item, "value")) for item in content)
        elif isinstance(content, Mapping):
            yield from _given_variables(content, here)


def _without_variables(given: Mapping[str, Any], names: Collection[str]) -> Values:
    """The values without variables of these names, and without the maps and lists that they leave empty."""
    rest = {key: _thinned(key, content, names) for key, content in given.items()}
    return {key: content for key, content in rest.items() if content or not given[key]}


def _thinned(key: str, content: Any, names: Collection[str]) -> Any:
    if key == _VARIABLES and isinstance(content, list):
        return [item for item in content if str(lookup(item, "name")) not in names]
    if not isinstance(content, Mapping):
        return content
    if key == _VARIABLES:
        return {name: value for name, value in content.items() if str(name) not in names}
    return _without_variables(content, names)


def _without_mirror_tokens(values: Values) -> tuple[Values, list[Secret], list[Finding]]:
    """The values with mirrors without tokens, these tokens, one for each host, and findings on hosts with several."""
    mirrors = lookup(values, *_MIRRORS)
    if not isinstance(mirrors, list):
        return values, [], []
    tokens: dict[str, Any] = {}
    secrets, findings = [], []
    for index, mirror in enumerate(mirrors):
        token, host, here = lookup(mirror, "token"), host_of(lookup(mirror, "url")), dotted((*_MIRRORS, index, "token"))
        if not is_set(token) or not host:
            continue
        if host not in tokens:
            tokens[host] = token
            secrets.append(Secret(here, "mirrorTokens", host, variable=MIRRORS_VARIABLE))
        elif tokens[host] != token:
            findings.append(Finding("error", here, f"another token for {host}: a stack keeps one for each host"))
    rest = [_without(mirror, "token") if isinstance(mirror, Mapping) else mirror for mirror in mirrors]
    return values | {"agent": {**values["agent"], "providerNetworkMirrors": rest}}, secrets, findings


def _without(values: Mapping[str, Any], key: str, *below: str) -> Values:
    """The values without what stands at a path, and without the maps that it leaves empty."""
    content = values.get(key)
    if below and not isinstance(content, Mapping):
        return dict(values)
    rest = _without(content, *below) if isinstance(content, Mapping) and below else {}
    if rest == content:
        return dict(values)
    return {other: rest if other == key else value for other, value in values.items() if other != key or rest}


def _plain(given: Any) -> Iterator[str]:
    """Names of the variables, wherever they stand, that have a text of their own."""
    if isinstance(given, list):
        for item in given:
            yield from _plain(item)
    elif isinstance(given, Mapping):
        for key, content in given.items():
            if key == _VARIABLES and isinstance(content, Mapping):
                yield from (name for name, value in content.items() if signs.is_plain(value))
            elif key in _LISTS and isinstance(content, list):
                variables = ((lookup(item, "name"), lookup(item, "value")) for item in content)
                yield from (name for name, value in variables if isinstance(name, str) and signs.is_plain(value))
            else:
                yield from _plain(content)


def _left(given: Any, path: tuple[str | int, ...], referred: Collection[str]) -> Iterator[Finding]:
    """Secrets where a stack has no place for them."""
    within, key = ("", "", *path)[-2:]
    if isinstance(given, Mapping):
        name, value = given.get("name"), given.get("value")
        if within in _LISTS and isinstance(key, int) and isinstance(name, str) and _is_secret(name, value, referred):
            yield Finding("error", f"{dotted(path)}.value", f"{name} holds a secret; put it into a Secret, and refer to that (valueFrom)")
        else:
            for word, content in given.items():
                yield from _left(content, (*path, str(word)), referred)
    elif isinstance(given, list):
        for index, item in enumerate(given):
            yield from _left(item, (*path, index), referred)
    elif path == _SENTRY and isinstance(given, str) and "URL" in signs.in_text(given):
        yield Finding("warning", dotted(path), "stays in plain text, as the chart has it: who reads it can send events to Sentry")
    elif isinstance(given, str) and (found := signs.in_text(given)):
        in_url = "write $(NAME) in its place, and give the variable NAME, which becomes a secret"
        advice = in_url if "URL" in found else "put it into a Secret, and refer to that"
        yield Finding("error", dotted(path), f"{found}; {advice}")
    elif _seems_secret(within, key, given):
        yield Finding("warning", dotted(path), "seems to hold a secret in plain text; put it into a Secret, and refer to that")


def _seems_secret(within: str | int, key: str | int, given: Any) -> bool:
    """Whether an annotation, or an argument of a command, counts as a secret by its name or by what stands in it."""
    if isinstance(key, str):
        return str(within).lower().endswith("annotations") and signs.is_secret(key.rpartition("/")[2], given)
    return within in ("args", "command") and isinstance(given, str) and signs.says_one(given)


def _wider(variables: Mapping[str, list[str]], words: Words) -> Iterator[Finding]:
    """Variables that more containers get than before."""
    if words.line.task_resource is None:
        return
    for name, paths in variables.items():
        had = {
            "controllers": any(path in _OF_CONTROLLERS for path in paths),
            "workers": any(path in _OF_WORKERS for path in paths),
            "runs": _OF_RUNS in paths or name.startswith(SCALR_PREFIX),
        }
        if more := " and ".join(who for who, before in had.items() if not before):
            yield Finding("warning", entry(paths[0], name), f"a secret variable of the stack, which {more} get too from now on")
