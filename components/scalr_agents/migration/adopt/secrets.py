"""Takes secrets out of the values of a release. A stack has them under `secrets`."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from scalr_agents.charts.shared import plain_secrets
from scalr_agents.charts.shared.contract import MIRRORS_VARIABLE, SCALR_PREFIX
from scalr_agents.charts.shared.environment import host_of
from scalr_agents.charts.shared.plain_secrets import LISTS, OF_CONTROLLERS, OF_RUNS, OF_WORKERS, SENTRY, VARIABLES
from scalr_agents.charts.shared.settings import Settings
from scalr_agents.model import secret_patterns
from scalr_agents.model.findings import Finding, dotted, entry, error, warning
from scalr_agents.model.maps import Values, is_set, lookup, without
from scalr_agents.stack.secrets import env, in_values, mirror_token, place_of
from scalr_agents.stack.source import Sealed

_OF_DEPLOYMENTS = (*OF_CONTROLLERS, VARIABLES)
"""Paths of variables for the pods of a Deployment."""
_MIRRORS = ("agent", "providerNetworkMirrors")


class Secret(NamedTuple):
    """A secret of a stack: a key of its own, or a name in a section."""

    origin: str
    """Its path among the values."""
    section: str
    name: str = ""
    variable: str = ""
    """The variable of a Deployment that had it in plain text."""

    @property
    def key(self) -> str:
        """Its key in commands, quoted if its name has dots."""
        if not self.name:
            return self.section
        if self.section == "mirrorTokens":
            return mirror_token(self.name)
        return env(self.name)

    def places(self, agent: str) -> set[str]:
        """Its paths in findings on the stack."""
        return {place_of(agent, self.key), place_of(agent, entry(self.section, self.name) if self.name else self.section)}


class Taken(NamedTuple):
    """Values without their secrets."""

    values: Values
    secrets: list[Secret]
    plain: list[str]
    """Names of variables that stay in the values."""
    findings: list[Finding]
    texts: Collection[str]
    """The texts that were taken out."""

    def sealed(self, agent: str) -> Values:
        """The content of the stack's `secrets`, as if they were set."""
        content: Values = {}
        for secret in self.secrets:
            sealed = Sealed(place_of(agent, secret.key))
            content |= {secret.section: {**content.get(secret.section, {}), secret.name: sealed} if secret.name else sealed}
        return content


def take_out(values: Mapping[str, Any], settings: Settings) -> Taken:
    """Take the secrets out of values. Those that an existing Secret overrides are dropped."""
    referred = plain_secrets.referred(values)
    variables, findings = _secret_variables(values, referred)
    rest = _without_variables(values, variables.keys())
    taken = []
    for path, key in in_values(settings):
        *section, last = path.split(".")
        existing = settings.existing_token if key == "token" else (*section, "clientCertSecret", "name")
        if (key == "token" or is_set(lookup(rest, *section, last))) and not is_set(lookup(rest, *existing)):
            taken.append(Secret(path, key))
        rest = without(rest, *section, last)
    rest, tokens, mirror_findings = _without_mirror_tokens(rest)
    taken += tokens
    for name, paths in variables.items():
        taken.append(Secret(entry(paths[0], name), "env", name, variable=name if any(path in _OF_DEPLOYMENTS for path in paths) else ""))
    plain = list(dict.fromkeys(_plain_variables(rest)))
    texts = {text for path, _ in in_values(settings) for text in plain_secrets.texts(lookup(values, *path.split(".")))}
    texts |= set(plain_secrets.texts(values)) - set(plain_secrets.texts(rest))
    findings += [*mirror_findings, *_secrets_elsewhere(rest, referred), *_with_new_readers(variables, settings)]
    return Taken(rest, taken, plain, findings, texts)


def _secret_variables(values: Mapping[str, Any], referred: Collection[str]) -> tuple[dict[str, list[str]], list[Finding]]:
    """Secret variables with their paths, and findings on those that a stack cannot have."""
    found: dict[str, list[tuple[str, Any]]] = {}
    for variable in plain_secrets.variables(values):
        if variable.name and plain_secrets.is_secret(variable.name, variable.value, referred):
            found.setdefault(variable.name, []).append((variable.section, variable.value))
    findings = []
    for name, places in found.items():
        here = entry(places[0][0], name)
        if any(value != places[0][1] for _, value in places):
            others = " and ".join(path for path, _ in places[1:])
            findings.append(
                error(here, f"a secret with another value in {others}; a stack has one value for each name: rename one of them")
            )
        if name.startswith(SCALR_PREFIX) and all(path == OF_RUNS for path, _ in places):
            findings.append(error(here, f"a secret, but runs of a stack get no secret variables named {SCALR_PREFIX}*; rename it"))
        if any(secret_patterns.references(value) for _, value in places):
            message = "becomes a Secret; Kubernetes does not expand $(NAME) there, so enter the resolved value"
            findings.append(warning(here, message))
    return {name: [path for path, _ in places] for name, places in found.items()}, findings


def _without_variables(given: Mapping[str, Any], names: Collection[str]) -> Values:
    """The values without variables of these names, and without the maps and lists that they leave empty."""
    rest: Values = {}
    for key, content in given.items():
        left = content
        if key == VARIABLES and isinstance(content, list):
            left = [item for item in content if str(lookup(item, "name")) not in names]
        elif key == VARIABLES and isinstance(content, Mapping):
            left = {name: value for name, value in content.items() if str(name) not in names}
        elif isinstance(content, Mapping):
            left = _without_variables(content, names)
        if left or not content:
            rest[key] = left
    return rest


def _without_mirror_tokens(values: Values) -> tuple[Values, list[Secret], list[Finding]]:
    """The values without tokens of mirrors, one token for each host, and findings on hosts with several tokens."""
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
            findings.append(error(here, f"another token for {host}; a stack has one token for each host: remove one of them"))
    rest = [without(mirror, "token") if isinstance(mirror, Mapping) else mirror for mirror in mirrors]
    return values | {"agent": {**values["agent"], "providerNetworkMirrors": rest}}, secrets, findings


def _plain_variables(given: Any) -> Iterator[str]:
    """Names of all variables with a plain value, at any path."""
    if isinstance(given, list):
        for item in given:
            yield from _plain_variables(item)
    elif isinstance(given, Mapping):
        for key, content in given.items():
            if key == VARIABLES and isinstance(content, Mapping):
                yield from (name for name, value in content.items() if secret_patterns.is_plain(value))
            elif key in LISTS and isinstance(content, list):
                variables = ((lookup(item, "name"), lookup(item, "value")) for item in content)
                yield from (name for name, value in variables if isinstance(name, str) and secret_patterns.is_plain(value))
            else:
                yield from _plain_variables(content)


def _secrets_elsewhere(values: Mapping[str, Any], referred: Collection[str]) -> Iterator[Finding]:
    """Findings on secrets at paths that a stack has no key for."""
    in_url = "write $(NAME) in its place, and add a variable NAME with it, which becomes a secret"
    for finding in plain_secrets.elsewhere(values, referred, in_url):
        if finding.path == SENTRY and "URL" in finding.message:
            yield warning(finding.path, "stays in plain text, as in the chart; everybody who can read it can send events to Sentry")
        else:
            yield finding


def _with_new_readers(variables: Mapping[str, list[str]], settings: Settings) -> Iterator[Finding]:
    """Warnings for variables that more containers get than before."""
    if settings.line.task_resource is None:
        return
    for name, paths in variables.items():
        had = {
            "controllers": any(path in OF_CONTROLLERS for path in paths),
            "workers": any(path in OF_WORKERS for path in paths),
            "runs": OF_RUNS in paths or name.startswith(SCALR_PREFIX),
        }
        if more := " and ".join(who for who, before in had.items() if not before):
            yield warning(entry(paths[0], name), f"becomes a secret variable of the stack, which {more} then get too")
