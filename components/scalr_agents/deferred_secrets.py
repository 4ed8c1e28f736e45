"""What an agent's manifests need of secrets that are known only during deployment."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pulumi

from scalr_agents import manifests
from scalr_agents.manifests import mirrors, secrets
from scalr_agents.options import deferred, parsed
from scalr_agents.values import Checked
from scalr_agents.values.fields import Deferred, is_deferred
from scalr_agents.values.inputs import Inputs
from scalr_agents.values.mirrors import filled

_Known = Mapping[str, Mapping[str, str]]


def complete(checked: Checked, inputs: Inputs) -> Inputs:
    """The inputs with what the core makes of known secrets alone: the list of mirrors, and the digest of all secrets."""
    inputs = replace(inputs, network_mirrors=_network_mirrors(checked, inputs))
    return replace(inputs, secrets_digest=_digest(checked, inputs))


def _network_mirrors(checked: Checked, inputs: Inputs) -> Deferred | None:
    """The list of mirrors is one text, and so a secret as a whole."""
    tokens: dict[str, Any] = dict(inputs.mirror_tokens)
    if not any(map(is_deferred, tokens.values())):
        return None
    listed = checked.values.agent.provider_network_mirrors
    return deferred(pulumi.Output.secret(tokens).apply(lambda known: mirrors.as_json(filled(listed, known))))


def _digest(checked: Checked, inputs: Inputs) -> Deferred | None:
    """Rolls the pods when a secret changes that is known only during deployment. A digest tells nothing, so diffs may show it.

    No pod is made with a secret that turns out to be empty.
    """
    held = manifests.held(checked, inputs)
    if not any(map(is_deferred, secrets.contents(held))):
        return None

    def digest(known: _Known) -> str:
        if missing := list(_missing(known)):
            what = ", ".join(missing)
            raise ValueError(f"agent {checked.release.name!r} cannot be deployed: empty, and taken from an output: {what}")
        return manifests.digest(secrets.contents(known))

    return deferred(pulumi.Output.unsecret(parsed(pulumi.Output.from_input(held), digest)))


def _missing(held: _Known) -> Iterator[str]:
    """What has no content. A variable may be an empty text."""
    for role, data in held.items():
        if role == "env":
            yield from (f"variable {name}" for name, value in data.items() if value is None)
        elif not all(data.values()):
            yield role
