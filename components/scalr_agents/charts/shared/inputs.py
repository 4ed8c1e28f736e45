"""Inputs of an agent in addition to the chart's values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from scalr_agents.charts.shared.network.settings import Egress, Network
from scalr_agents.charts.shared.scaling import Scaling
from scalr_agents.model.fields import Cloud
from scalr_agents.model.maps import Deferred, Placeholder
from scalr_agents.model.section import Spelling, in_programs


@dataclass(frozen=True)
class ClusterValue(Placeholder):
    """A value that only the cluster knows. A deferred value."""

    place: str

    def __str__(self) -> str:
        return f"<cluster {self.place}>"


@dataclass(frozen=True)
class Inputs:
    """Settings that no chart has. Each may be known only during deployment."""

    agent_image: str | Deferred | None = None
    """Complete reference of the agent's image, optionally with a digest. Default: composed from `agent.image`."""
    runner_image: str | Deferred | None = None
    """Complete reference of the runner's image, optionally with a digest. Default: composed from `task.runner.image`."""
    secret_env: Mapping[str, str | Deferred] = field(default_factory=dict)
    """Environment variables that become a Secret. All containers get them, except that the runner gets no `SCALR_*` variables."""
    mirror_tokens: Mapping[str, str | Deferred] = field(default_factory=dict)
    """Tokens of provider network mirrors by host, `host` or `host:port`."""
    network_mirrors: str | Deferred | None = None
    """JSON list of the mirrors with these tokens, as the agent reads it. Default: composed if all tokens are known."""
    token_needed: bool = True
    """Whether the token is required; not for permissions and network policy alone."""
    rollout_timeout_seconds: int | None = None
    """Seconds after which a rollout counts as failed. Default: rollouts are not waited for."""
    network: Network | None = None
    """What the pods may connect to. Default: what the chart's values say."""
    api_server: Sequence[str] | Deferred = ClusterValue("addresses of the API server")
    """Networks of the cluster's API server, or the rule of a NetworkPolicy that allows it. Default: looked up during deployment."""
    cloud: Cloud | None = None
    """The cloud whose metadata service the pods use. Default: not known."""
    disk: bool = False
    """Whether pods request and limit what they write to the disk of their node. Default: as in the charts, which do neither."""
    pre_pull: bool = False
    """Whether nodes get the images of tasks before a task needs them. Default: with the first task."""
    scaling: Scaling | None = None
    """How the number of agents follows their load. Default: it is the one of the values."""
    spelling: Spelling = in_programs
    """How the user writes the keys of these settings, for findings."""

    @property
    def egress(self) -> Egress | None:
        """The restriction of what the pods connect to, if there is one."""
        return self.network.egress if self.network else None
