"""What a program hands to an agent beside the chart's values."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from scalr_agents.model.fields import Deferred


@dataclass(frozen=True)
class Inputs:
    """Settings that no chart has; every one may be known only during deployment."""

    agent_image: str | Deferred | None = None
    """Complete reference of the agent's image, a digest too. Default: `agent.image`."""
    runner_image: str | Deferred | None = None
    """Complete reference of the runner's image, a digest too. Default: `task.runner.image`."""
    secret_env: Mapping[str, str | Deferred] = field(default_factory=dict)
    """Environment variables that become a Secret: all containers of the agent get them, the runner those not named `SCALR_*`."""
    mirror_tokens: Mapping[str, str | Deferred] = field(default_factory=dict)
    """Tokens of provider network mirrors, by the mirror's host, with its port if it has one."""
    network_mirrors: str | Deferred | None = None
    """The list of mirrors with these tokens, as the agent reads it. Default: composed, if they are all known."""
    token_needed: bool = True
    """Whether what is made needs the token: permissions and network policy alone do not."""
    rollout_timeout_seconds: int | None = None
    """Seconds after which a rollout is given up. Default: nobody waits for one."""
