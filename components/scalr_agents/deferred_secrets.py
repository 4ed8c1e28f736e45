"""What an agent's manifests need of secrets that are known only during deployment."""

from dataclasses import replace
from typing import Any

import pulumi

from scalr_agents import manifests
from scalr_agents.manifests import mirrors, secrets
from scalr_agents.options import deferred
from scalr_agents.values import Checked
from scalr_agents.values.fields import Deferred, is_deferred
from scalr_agents.values.inputs import Inputs
from scalr_agents.values.mirrors import filled


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
    """Rolls the pods when a secret changes that is known only during deployment. A digest tells nothing, so diffs may show it."""
    held = secrets.contents(manifests.held(checked, inputs))
    if not any(map(is_deferred, held)):
        return None
    return deferred(pulumi.Output.unsecret(pulumi.Output.all(*held).apply(manifests.digest)))
