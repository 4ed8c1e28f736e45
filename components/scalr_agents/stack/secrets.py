"""The secrets of a stack's agents: under `secrets`, or in a store outside of the cluster, and nowhere else."""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from scalr_agents.charts.shared import external_secrets, plain_secrets
from scalr_agents.charts.shared.contract import MIRRORS_VARIABLE, SCALR_PREFIX
from scalr_agents.charts.shared.environment import host_of
from scalr_agents.charts.shared.external_secrets import External, SecretsFrom
from scalr_agents.charts.shared.mirrors import TOKENS
from scalr_agents.charts.shared.settings import NoValueError, Settings, translated
from scalr_agents.model.findings import Finding, Path, as_path, dotted, error, nearest, warning
from scalr_agents.model.judge import judge
from scalr_agents.model.maps import everything, is_set, lookup
from scalr_agents.model.origins import Layer, combine
from scalr_agents.model.section import by_alias, in_stack_files
from scalr_agents.model.texts import shell_word
from scalr_agents.stack.model import PREFIX, AgentSecrets, StackFile, place
from scalr_agents.stack.source import Sealed

MISPLACED = ("token", "clientKey")
"""Secrets that users may try to set directly on an agent."""
FROM_STORE = "secretsFrom"
_TOKEN = ("agent", "token")
_WITHOUT_SECRETS = tuple(f"{PREFIX}:{key}" for key in ("kubernetes", "namespaces", "caches"))
_OPEN_KEYS = StackFile.model_fields.keys() - {"secrets"}


def place_of(agent: str, key: str = "token") -> str:
    """The path at which a secret of an agent belongs."""
    return f"{PREFIX}:secrets.{agent}.{key}"


def command(agent: str, key: str = "token") -> str:
    """The command that sets a secret. It has no value: the CLI asks for it, so that it is not in the shell's history."""
    return f"pulumi config set --secret --path {shell_word(place_of(agent, key))}"


def env(name: str) -> str:
    """The key of a secret variable, quoted if its name has dots or other special characters."""
    return f"env.{name}" if re.fullmatch(r"\w+", name) else f'env["{name}"]'


def mirror_token(host: str) -> str:
    """The key of a mirror's token, quoted because its host name has dots."""
    return f'mirrorTokens["{host}"]'


def located(agent: str, path: Path) -> Path | None:
    """The path in the stack file of a secret that a finding is about; `path` is the path in the agent's inputs."""
    words = {"secret_env": "env", TOKENS: "mirrorTokens"}
    return (f"{PREFIX}:secrets", agent, words[str(path[0])], path[1]) if path[1:] and path[0] in words else None


def misplaced(config: Mapping[str, Any]) -> Iterator[Finding]:
    """Findings on secrets that are encrypted outside of `secrets`, or not encrypted in it."""
    for key, content in config.items():
        for sealed in _sealed(content) if key in _OPEN_KEYS else ():
            yield misplaced_at(as_path(sealed.place))
    secrets = config.get("secrets")
    for agent, given in secrets.items() if isinstance(secrets, dict) else ():
        for key, value in _plain_or_sealed(given):
            if isinstance(value, str) and value:
                yield warning(place_of(agent, key), f"is in this file in plain text; encrypt it with: {command(agent, key)}")


def placeholders(config: Mapping[str, Any]) -> Iterator[Finding]:
    """Errors for what stands in place of encrypted values. Pulumi refuses the stack file because of them."""
    for sealed in _sealed(config.get("secrets")):
        if not sealed.encrypted:
            message = f"placeholder, not an encrypted value; run: pulumi config set --secret --path {shell_word(sealed.place)}"
            yield error(sealed.place, message)


def misplaced_at(at: Path) -> Finding:
    """An error for an encrypted value outside of `secrets`: Pulumi would pass the whole key that contains it in plain text."""
    if at[-1] == "url" or at[0] in _WITHOUT_SECRETS or (at[0] == f"{PREFIX}:common" and "proxy" not in at):
        return error(at, "not a secret; set it without --secret, because Pulumi would show the value here")
    agent = str(at[1]) if at[0] == f"{PREFIX}:agents" and len(at) > 1 else "<agent>"
    message = (
        f"secrets belong under {PREFIX}:secrets, because Pulumi would show them here; remove this and run: {command(agent, _target(at))}"
    )
    return error(at, message)


def _target(at: Path) -> str:
    """The key under `secrets` that a secret at a place of an agent belongs to."""
    match at[2:]:
        case (str(key),) | ("secretsFrom", str(key)) if key in MISPLACED:
            return key
        case ("secretsFrom", "env", str(name)):
            return env(name)
    return "token" if at[-2:] == _TOKEN else "env.<NAME>"


def _plain_or_sealed(given: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(given, dict):
        env, mirrors = given.get("env"), given.get("mirrorTokens")
        yield from ((key, given.get(key)) for key in ("token", "clientKey"))
        yield from ((f"env.{name}", value) for name, value in env.items()) if isinstance(env, dict) else ()
        yield from ((mirror_token(host), value) for host, value in mirrors.items()) if isinstance(mirrors, dict) else ()


def _sealed(content: Any) -> Iterator[Sealed]:
    return (each for _, each in everything(content) if isinstance(each, Sealed))


def opened(secrets: Any, agents: Any) -> Any:
    """The content of `secrets`. A map that is encrypted as a whole counts as the token of its agent."""
    if isinstance(secrets, Sealed):
        secrets = dict.fromkeys(agents if isinstance(agents, dict) else (), secrets)
    if not isinstance(secrets, dict):
        return secrets
    return {agent: {"token": content} if isinstance(content, Sealed) else content for agent, content in secrets.items()}


def of_nobody(secrets: Mapping[str, AgentSecrets], agents: Mapping[str, Any]) -> Iterator[Finding]:
    """Errors for secrets of agents or machines that the stack file does not have. One that has errors counts as one that it has."""
    names = [name for name in agents if isinstance(name, str)]  # other keys have a finding of their own
    for name in sorted(secrets.keys() - set(names)):
        yield error(
            (f"{PREFIX}:secrets", name),
            f"no agent or machine has this name; {nearest(name, names)}; "
            f"remove these secrets with: pulumi config rm --path '{PREFIX}:secrets.{name}'",
        )


def in_the_open(agent: str, layers: list[Layer], settings: Settings) -> Iterator[Finding]:
    """Errors for secrets in plain text among the values, at the places where the agent's chart and contract line expect secrets."""
    known = dict(in_values(settings))
    for layer in layers:
        for path, key in known.items():
            if is_set(lookup(layer.values, *path.split("."))):
                what = "token" if key == "token" else "private key"
                yield layer.at_source(error(path, f"a {what} in plain text; remove it and run: {command(agent, key)}"))
        mirrors = lookup(layer.values, "agent", "providerNetworkMirrors")
        for index, mirror in enumerate(mirrors if isinstance(mirrors, list) else ()):
            if is_set(lookup(mirror, "token")):
                path = f"agent.providerNetworkMirrors[{index}].token"
                target = mirror_token(host_of(lookup(mirror, "url")) or "<HOST>")
                yield layer.at_source(error(path, f"a token in plain text; remove it and run: {command(agent, target)}"))


def seeming(agent: str, layers: list[Layer]) -> Iterator[Finding]:
    """Warnings for values that look like secrets. A chart accepts them in plain text, and everybody who may read a pod can read them."""
    referred = plain_secrets.referred(combine(layers))
    in_url = f"write $(NAME) in its place, and run: {command(agent, 'env.NAME')}"
    for layer in layers:
        for variable in plain_secrets.variables(layer.values):
            if variable.name and plain_secrets.is_secret(variable.name, variable.value, referred):
                message = f"seems to contain a secret in plain text; {_moved(agent, variable)}"
                yield layer.at_source(warning(variable.place, message))
        for finding in plain_secrets.elsewhere(layer.values, referred, in_url):
            if finding.path != plain_secrets.SENTRY:
                yield layer.at_source(replace(finding, severity="warning"))


def _moved(agent: str, variable: plain_secrets.Variable) -> str:
    """How to make a variable a secret one, and whether runs that did not get it before get it then."""
    configures = variable.name.startswith(SCALR_PREFIX)
    if configures and variable.section == plain_secrets.OF_RUNS:
        return f"runs get no secret variables named {SCALR_PREFIX}*; rename it, and set it under {place_of(agent, 'env')}"
    wider = variable.section in (*plain_secrets.OF_CONTROLLERS, *plain_secrets.OF_WORKERS) and not configures
    return f"remove it and run: {command(agent, env(variable.name))}{' (runs then get it too)' if wider else ''}"


def has_token(given: AgentSecrets) -> bool:
    """Whether there is a token. White space alone is none."""
    return bool(given.token.strip()) if isinstance(given.token, str) else is_set(given.token)


def in_values(settings: Settings) -> Iterator[tuple[str, str]]:
    """The paths of secrets among the values, each with its key under `secrets`."""
    yield "agent.token", "token"
    with suppress(NoValueError):
        (section,) = settings.client_cert(None, None)
        yield f"{section}.tls.clientKey", "clientKey"


def layers(
    agent: str, secrets: AgentSecrets, below: list[Layer], settings: Settings, *, demanded: bool
) -> tuple[list[Layer], list[Finding]]:
    """The layers with an agent's secrets, which go on top of those `below`, and the findings on them."""
    made, findings = _token(agent, secrets, below, settings, demanded=demanded)
    if is_set(secrets.client_key):
        key, refused = translated((f"{PREFIX}:secrets", agent), [("clientKey", partial(settings.client_cert, None, secrets.client_key))])
        return [*made, *key], [*findings, *refused]
    return made, findings


def _token(
    agent: str, secrets: AgentSecrets, below: list[Layer], settings: Settings, *, demanded: bool
) -> tuple[list[Layer], list[Finding]]:
    here = place_of(agent)
    existing = is_set(lookup(combine(below), *settings.existing_token))
    if existing and is_set(secrets.token):
        return [], [error(here, _beside_existing(settings))]
    if existing or isinstance(lookup(combine(below), *_TOKEN), External):
        return [], []
    missing = [error(here, f"missing; run: {command(agent)}")] if demanded and not has_token(secrets) else []
    content = secrets.token if has_token(secrets) else Sealed(here)
    return [Layer(as_path(here), settings.token(content), from_setting=True)], missing


def _beside_existing(settings: Settings) -> str:
    return f"given together with an existing Secret in {'.'.join(settings.existing_token)}; keep one of them"


def store_layers(
    agent: str, given: SecretsFrom | None, secrets: AgentSecrets, below: list[Layer], settings: Settings
) -> tuple[list[Layer], list[Finding]]:
    """The layers with an agent's secrets from a store, which go on top of those `below`, and the findings on them."""
    if given is None:
        return [], []
    here = (*place(agent), FROM_STORE)
    made, findings = external_secrets.layers(given, settings, here, in_stack_files)
    findings += [*(finding.under(here) for finding in judge(given, by_alias)), *_given_twice(agent, given, secrets)]
    if given.token and is_set(lookup(combine(below), *settings.existing_token)):
        findings.append(error((*here, "token"), _beside_existing(settings)))
        made = [layer for layer in made if layer.place != (*here, "token")]
    return made, findings


def _given_twice(agent: str, given: SecretsFrom, secrets: AgentSecrets) -> Iterator[Finding]:
    for key in ("token", "env", "client_key"):
        if getattr(given, key) and is_set(getattr(secrets, key)):
            here = in_stack_files(key)
            yield error(place_of(agent, here), f"given together with {dotted((*place(agent), FROM_STORE, here))}; keep one of them")


def located_in_store(agent: str, given: SecretsFrom | None, path: Path) -> Path | None:
    """The path in the stack file of a variable from a store that a finding is about; `path` is the path in the agent's inputs."""
    ours = given is not None and path[:1] == ("secret_env",) and path[-1] in given.env
    return (*place(agent), FROM_STORE, "env", path[-1]) if ours else None


def misplaced_in_store(agent: str, given: Any) -> Iterator[Finding]:
    """An error for tokens of mirrors, which cannot come from a store one by one."""
    if isinstance(given, dict) and "mirrorTokens" in given:
        message = (
            "unknown key 'mirrorTokens': the agent reads the list of mirrors and their tokens as one value; put the whole list into the "
            f"store, as JSON, and name it in env.{MIRRORS_VARIABLE}, or set the tokens with pulumi under {place_of(agent, 'mirrorTokens')}"
        )
        yield error((*place(agent), FROM_STORE, "mirrorTokens"), message)
