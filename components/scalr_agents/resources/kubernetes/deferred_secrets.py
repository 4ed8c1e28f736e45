"""Parts of an agent's manifests that depend on secrets, and that only a deployment can compute."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from secrets import token_hex
from typing import Any

import pulumi

from scalr_agents.charts.shared import mirrors
from scalr_agents.charts.shared.agent import A, AnyAgent
from scalr_agents.charts.shared.manifests import secrets
from scalr_agents.charts.shared.mirrors import TOKENS, filled
from scalr_agents.model.findings import entry
from scalr_agents.model.forms import Deferred, is_deferred
from scalr_agents.resources.options import deferred, parsed, when_registered

_Known = Mapping[str, Mapping[str, Any]]


def with_mirrors(agent: A) -> A:
    """The agent with its list of mirrors, if only the deployment knows their tokens. The list is one string, so all of it is a secret."""
    tokens: dict[str, Any] = dict(agent.inputs.mirror_tokens)
    if not any(map(is_deferred, tokens.values())):
        return agent
    listed = agent.values.agent.provider_network_mirrors

    def as_json(known: Mapping[str, Any]) -> str | Deferred:
        return mirrors.as_json(filled(listed, {host: str(token) for host, token in known.items()}))

    network_mirrors = deferred(pulumi.Output.secret(tokens).apply(as_json))
    return replace(agent, inputs=replace(agent.inputs, network_mirrors=network_mirrors))


def digest(owner: pulumi.ComponentResource, name: str, agent: AnyAgent) -> str | Deferred | None:
    """The digest of all secrets of an agent. When a secret changes, the digest changes, and the pods are replaced.

    `owner` is the component, called `name`. Diffs may show a digest, because it reveals no secret.
    """
    secret_data, tokens = agent.secret_data, dict(agent.inputs.mirror_tokens)
    key = _key(owner, name) if secrets.needs_key(secret_data) else None
    if key is None and not any(map(is_deferred, secrets.contents(secret_data))):
        return secrets.known_digest(secret_data)

    def made(known: list[Any]) -> str:
        content, known_tokens, random_key = known
        _refuse(agent, [*_unfit(content), *(entry(TOKENS, host) for host, token in known_tokens.items() if not _is_text(token))])
        return secrets.digest(content, random_key)

    given = when_registered(owner, pulumi.Output.all(secret_data, tokens, key or ""))
    return deferred(pulumi.Output.unsecret(parsed(given, made)))


def _key(owner: pulumi.ComponentResource, name: str) -> pulumi.Output[str]:
    """A random key for the digest. The first one stays in the state, encrypted.

    The value comes from `input`, which keeps the first key too: with the mocks of tests of programs there is no other output.
    """
    opts = pulumi.ResourceOptions(parent=owner, ignore_changes=["input"])
    key: pulumi.Output[str] = pulumi.Stash(f"{name}-digest-key", opts, pulumi.Output.secret(token_hex(32))).input
    return key


def _refuse(agent: AnyAgent, unfit: list[str]) -> None:
    """Fails before a pod is created with a secret that is not a string. The content is not repeated."""
    if unfit:
        what = ", ".join(unfit)
        raise ValueError(f"agent {agent.release.name!r} cannot be deployed: these outputs are empty or not a string: {what}")


def _unfit(secret_data: _Known) -> Iterator[str]:
    """The secrets that have no content. A variable may be an empty string."""
    for role, data in secret_data.items():
        if role == "env":
            yield from (f"variable {name}" for name, value in data.items() if not isinstance(value, str))
        elif not all(map(_is_text, data.values())):
            yield role


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value)
