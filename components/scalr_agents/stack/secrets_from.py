"""Secrets that an agent of a stack takes from a store outside of the cluster."""

from collections.abc import Iterator
from typing import Any

from scalr_agents.charts.shared import secrets_from
from scalr_agents.charts.shared.contract import MIRRORS_VARIABLE
from scalr_agents.charts.shared.secrets_from import SecretsFrom
from scalr_agents.charts.shared.settings import Settings
from scalr_agents.model.findings import Finding, Path, dotted, error
from scalr_agents.model.forms import is_set
from scalr_agents.model.layers import Layer, combine
from scalr_agents.model.merge import lookup
from scalr_agents.model.spelling import in_stack_files
from scalr_agents.stack.model import AgentSecrets, place
from scalr_agents.stack.secrets import place_of

KEY = "secretsFrom"


def layers(
    agent: str, given: SecretsFrom | None, secrets: AgentSecrets, below: list[Layer], settings: Settings
) -> tuple[list[Layer], list[Finding]]:
    """The layers with an agent's secrets from a store, which go on top of those `below`, and the findings on them."""
    if given is None:
        return [], []
    here = (*place(agent), KEY)
    made, findings = secrets_from.layers(given, settings, here, in_stack_files)
    findings += _given_twice(agent, given, secrets)
    if given.token and is_set(lookup(combine(below), *settings.existing_token)):
        where = ".".join(settings.existing_token)
        findings.append(error((*here, "token"), f"given together with an existing Secret in {where}; keep one of them"))
        made = [layer for layer in made if layer.place != (*here, "token")]
    return made, findings


def _given_twice(agent: str, given: SecretsFrom, secrets: AgentSecrets) -> Iterator[Finding]:
    for key in ("token", "env", "client_key"):
        if getattr(given, key) and is_set(getattr(secrets, key)):
            here = in_stack_files(key)
            yield error(place_of(agent, here), f"given together with {dotted((*place(agent), KEY, here))}; keep one of them")


def located(agent: str, given: SecretsFrom | None, path: Path) -> Path | None:
    """The path in the stack file of a variable from a store that a finding is about; `path` is the path in the agent's inputs."""
    ours = given is not None and path[:1] == ("secret_env",) and path[-1] in given.env
    return (*place(agent), KEY, "env", path[-1]) if ours else None


def misplaced(agent: str, given: Any) -> Iterator[Finding]:
    """An error for tokens of mirrors, which cannot come from a store one by one."""
    if isinstance(given, dict) and "mirrorTokens" in given:
        message = (
            "unknown key 'mirrorTokens': the agent reads the list of mirrors and their tokens as one value; put the whole list into the "
            f"store, as JSON, and name it in env.{MIRRORS_VARIABLE}, or set the tokens with pulumi under {place_of(agent, 'mirrorTokens')}"
        )
        yield error((*place(agent), KEY, "mirrorTokens"), message)
