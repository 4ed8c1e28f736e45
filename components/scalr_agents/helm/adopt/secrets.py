"""Secrets among the values of a release: they are taken out, to be set where a stack keeps them."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from scalr_agents.charts.shared import plain_secrets
from scalr_agents.charts.shared.contract import MIRRORS_VARIABLE, SCALR_PREFIX
from scalr_agents.charts.shared.mirrors import host_of
from scalr_agents.charts.shared.plain_secrets import LISTS, OF_CONTROLLERS, OF_RUNS, OF_WORKERS, SENTRY, VARIABLES
from scalr_agents.charts.shared.settings import Settings
from scalr_agents.model import signs
from scalr_agents.model.fields import is_set
from scalr_agents.model.findings import Finding, dotted, entry, error, warning
from scalr_agents.model.merge import Values, lookup
from scalr_agents.stack.secrets import env, in_values, mirror_token, place_of
from scalr_agents.stack.source import Sealed

_OF_DEPLOYMENTS = (*OF_CONTROLLERS, VARIABLES)
"""Where values give variables to the pods of a Deployment."""
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
        return env(self.name)

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


def take_out(values: Mapping[str, Any], settings: Settings) -> Taken:
    """Take the secrets out of values. Those that an existing Secret wins over are left out for good."""
    referred = plain_secrets.referred(values)
    variables, findings = _variables(values, referred)
    rest = _without_variables(values, variables.keys())
    taken = []
    for path, word in in_values(settings):
        *section, key = path.split(".")
        existing = settings.existing_token if word == "token" else (*section, "clientCertSecret", "name")
        if (word == "token" or is_set(lookup(rest, *section, key))) and not is_set(lookup(rest, *existing)):
            taken.append(Secret(path, word))
        rest = _without(rest, *section, key)
    rest, tokens, mirror_findings = _without_mirror_tokens(rest)
    taken += [*tokens, *(_variable(name, paths) for name, paths in variables.items())]
    plain = list(dict.fromkeys(_plain(rest)))
    texts = {text for path, _ in in_values(settings) for text in plain_secrets.texts(lookup(values, *path.split(".")))}
    texts |= set(plain_secrets.texts(values)) - set(plain_secrets.texts(rest))
    return Taken(rest, taken, plain, [*findings, *mirror_findings, *_left(rest, referred), *_wider(variables, settings)], texts)


def _variables(values: Mapping[str, Any], referred: Collection[str]) -> tuple[dict[str, list[str]], list[Finding]]:
    """Secret variables with the places where they stand, and those of which a stack cannot keep one value."""
    found: dict[str, list[tuple[str, Any]]] = {}
    for variable in plain_secrets.variables(values):
        if variable.name and plain_secrets.is_secret(variable.name, variable.value, referred):
            found.setdefault(variable.name, []).append((variable.section, variable.value))
    findings = []
    for name, places in found.items():
        here = entry(places[0][0], name)
        if any(value != places[0][1] for _, value in places):
            others = " and ".join(path for path, _ in places[1:])
            findings.append(error(here, f"a secret, and another one in {others}: a stack keeps one for each name"))
        if name.startswith(SCALR_PREFIX) and all(path == OF_RUNS for path, _ in places):
            findings.append(error(here, f"a secret, and a stack gives runs no secret {SCALR_PREFIX}* variables; rename it"))
        if any(signs.references(value) for _, value in places):
            message = "a secret from now on, in which Kubernetes resolves no $(NAME): write out what it refers to when you set it"
            findings.append(warning(here, message))
    return {name: [path for path, _ in places] for name, places in found.items()}, findings


def _variable(name: str, paths: list[str]) -> Secret:
    deployed = any(path in _OF_DEPLOYMENTS for path in paths)
    return Secret(entry(paths[0], name), "env", name, variable=name if deployed else "")


def _without_variables(given: Mapping[str, Any], names: Collection[str]) -> Values:
    """The values without variables of these names, and without the maps and lists that they leave empty."""
    rest = {key: _thinned(key, content, names) for key, content in given.items()}
    return {key: content for key, content in rest.items() if content or not given[key]}


def _thinned(key: str, content: Any, names: Collection[str]) -> Any:
    if key == VARIABLES and isinstance(content, list):
        return [item for item in content if str(lookup(item, "name")) not in names]
    if not isinstance(content, Mapping):
        return content
    if key == VARIABLES:
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
            findings.append(error(here, f"another token for {host}: a stack keeps one for each host"))
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
            if key == VARIABLES and isinstance(content, Mapping):
                yield from (name for name, value in content.items() if signs.is_plain(value))
            elif key in LISTS and isinstance(content, list):
                variables = ((lookup(item, "name"), lookup(item, "value")) for item in content)
                yield from (name for name, value in variables if isinstance(name, str) and signs.is_plain(value))
            else:
                yield from _plain(content)


def _left(values: Mapping[str, Any], referred: Collection[str]) -> Iterator[Finding]:
    """Secrets where a stack has no place for them."""
    in_url = "write $(NAME) in its place, and give the variable NAME, which becomes a secret"
    for finding in plain_secrets.elsewhere(values, referred, in_url):
        if finding.path == SENTRY and "URL" in finding.message:
            yield warning(finding.path, "stays in plain text, as the chart has it: who reads it can send events to Sentry")
        else:
            yield finding


def _wider(variables: Mapping[str, list[str]], settings: Settings) -> Iterator[Finding]:
    """Variables that more containers get than before."""
    if settings.line.task_resource is None:
        return
    for name, paths in variables.items():
        had = {
            "controllers": any(path in OF_CONTROLLERS for path in paths),
            "workers": any(path in OF_WORKERS for path in paths),
            "runs": OF_RUNS in paths or name.startswith(SCALR_PREFIX),
        }
        if more := " and ".join(who for who, before in had.items() if not before):
            yield warning(entry(paths[0], name), f"a secret variable of the stack, which {more} get too from now on")
