"""Secrets among the values of a release: they are taken out, to be set where a stack keeps them."""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from scalr_agents.contract import SCALR_PREFIX
from scalr_agents.stack.secrets import place_of
from scalr_agents.stack.source import Sealed
from scalr_agents.values import Finding
from scalr_agents.values.fields import is_set
from scalr_agents.values.findings import dotted, entry
from scalr_agents.values.merge import Values, lookup
from scalr_agents.values.mirrors import host_of
from scalr_agents.values.proxies import holds_password
from scalr_agents.values.words import Words

_SECRET_NAME = re.compile(r"(TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|(PRIVATE|API|ACCESS)_?KEY)$|^TF_TOKEN_", re.IGNORECASE)
"""Variables that hold a secret, by their names."""
_VARIABLES = "extraEnv"
_OF_RUNS = "task.runner.extraEnv"
_TLS = (("global", "tls"), ("agent", "tls"))
"""Where values have certificates, by kind."""
_PRIVATE_KEY = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----")
_REFERENCE = re.compile(r"\$\([^()]+\)")


class Taken(NamedTuple):
    """Values without their secrets."""

    values: Values
    secrets: Values
    """What belongs under the stack's `secrets`, as if it were set."""
    words: list[str]
    """The words of the commands that set it."""
    findings: list[Finding]


def take_out(values: Mapping[str, Any], words: Words, agent: str) -> Taken:
    """Take the secrets out of values. Those that an existing Secret wins over are left out for good."""
    variables, findings = _variables(values)
    rest = _without(_without_variables(values, list(variables)), "agent", "token")
    taken = [] if is_set(lookup(rest, *words.existing_token)) else [("token", "")]
    for section in _TLS:
        if is_set(lookup(rest, *section, "clientKey")) and not is_set(lookup(rest, *section, "clientCertSecret", "name")):
            taken.append(("clientKey", ""))
        rest = _without(rest, *section, "clientKey")
    rest, tokens, mirror_findings = _without_mirror_tokens(rest)
    taken += [*(("mirrorTokens", host) for host in tokens), *(("env", name) for name in variables)]
    secrets: Values = {}
    for word, name in taken:
        sealed = Sealed(place_of(agent, _word(word, name)))
        secrets |= {word: {**secrets.get(word, {}), name: sealed} if name else sealed}
    return Taken(
        rest,
        secrets,
        [_word(word, name) for word, name in taken],
        [*findings, *mirror_findings, *_left(rest, ()), *_wider(variables, words)],
    )


def _word(word: str, name: str) -> str:
    """A word of a command; the dots of a name separate no words."""
    if not name:
        return word
    return f"{word}.{name}" if re.fullmatch(r"\w+", name) else f'{word}["{name}"]'


def _variables(values: Mapping[str, Any]) -> tuple[dict[str, list[str]], list[Finding]]:
    """Secret variables with the places where they stand, and those of which a stack cannot keep one value."""
    found: dict[str, list[tuple[str, Any]]] = {}
    for path, name, value in _given_variables(values, ()):
        if name and _is_secret(name, value):
            found.setdefault(name, []).append((path, value))
    findings = []
    for name, places in found.items():
        here = entry(places[0][0], name)
        if any(value != places[0][1] for _, value in places):
            others = " and ".join(path for path, _ in places[1:])
            findings.append(Finding("error", here, f"a secret, and another one in {others}: a stack keeps one for each name"))
        if name.startswith(SCALR_PREFIX) and all(path == _OF_RUNS for path, _ in places):
            findings.append(Finding("error", here, f"a secret, and a stack gives runs no secret {SCALR_PREFIX}* variables; rename it"))
    return {name: [path for path, _ in places] for name, places in found.items()}, findings


def _is_secret(name: str, value: Any) -> bool:
    """Whether a variable holds a secret; a reference to another variable is none."""
    if not is_set(value) or (isinstance(value, str) and _REFERENCE.fullmatch(value)):
        return False
    return bool(_SECRET_NAME.search(name)) or holds_password(value)


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
        return [item for item in content if lookup(item, "name") not in names]
    if not isinstance(content, Mapping):
        return content
    if key == _VARIABLES:
        return {name: value for name, value in content.items() if name not in names}
    return _without_variables(content, names)


def _without_mirror_tokens(values: Values) -> tuple[Values, list[str], list[Finding]]:
    """The values with mirrors without tokens, the hosts that have one, and findings on those with several."""
    mirrors = lookup(values, "agent", "providerNetworkMirrors")
    if not isinstance(mirrors, list):
        return values, [], []
    tokens: dict[str, Any] = {}
    findings = []
    for index, mirror in enumerate(mirrors):
        token, host = lookup(mirror, "token"), host_of(lookup(mirror, "url"))
        if is_set(token) and tokens.setdefault(host, token) != token:
            here = f"agent.providerNetworkMirrors[{index}].token"
            findings.append(Finding("error", here, f"another token for {host}: a stack keeps one for each host"))
    rest = [_without(mirror, "token") if isinstance(mirror, Mapping) else mirror for mirror in mirrors]
    return values | {"agent": {**values["agent"], "providerNetworkMirrors": rest}}, list(filter(None, tokens)), findings


def _without(values: Mapping[str, Any], key: str, *below: str) -> Values:
    """The values without what stands at a path, and without the maps that it leaves empty."""
    content = values.get(key)
    if below and not isinstance(content, Mapping):
        return dict(values)
    rest = _without(content, *below) if isinstance(content, Mapping) and below else {}
    if rest == content:
        return dict(values)
    return {other: rest if other == key else value for other, value in values.items() if other != key or rest}


def _left(given: Any, path: tuple[str | int, ...]) -> Iterator[Finding]:
    """Secrets where a stack has no place for them."""
    if isinstance(given, Mapping):
        name, value = given.get("name"), given.get("value")
        if path and isinstance(path[-1], int) and isinstance(name, str) and _is_secret(name, value):
            yield Finding("error", f"{dotted(path)}.value", f"{name} holds a secret; put it into a Secret, and refer to that (valueFrom)")
        else:
            for key, content in given.items():
                yield from _left(content, (*path, str(key)))
    elif isinstance(given, list):
        for index, item in enumerate(given):
            yield from _left(item, (*path, index))
    elif isinstance(given, str) and _PRIVATE_KEY.search(given):
        yield Finding("error", dotted(path), "a private key; put it into a Secret, and refer to that")
    elif holds_password(given):
        advice = "write $(NAME) in its place, and give the variable NAME, which becomes a secret"
        yield Finding("error", dotted(path), f"a URL with a password; {advice}")


def _wider(variables: Mapping[str, list[str]], words: Words) -> Iterator[Finding]:
    """Variables that more containers get than before."""
    if words.line.task_resource is None:
        return
    for name, paths in variables.items():
        if _OF_RUNS not in paths and not name.startswith(SCALR_PREFIX):
            yield Finding("warning", entry(paths[0], name), "a secret variable of the stack, which runs get too from now on")
