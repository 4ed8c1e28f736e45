"""Section `agent`: what the agent connects to, how it stops and where it keeps things."""

from typing import Annotated, Literal

from scalr_agents.charts.shared.values import NetworkMirrors, SecretReference, Tls
from scalr_agents.model.fields import Directory, InputText
from scalr_agents.model.section import ChartSection, default
from scalr_agents.model.variables import variable

ShutdownMode = Literal["graceful", "drain", "force"]


class Agent(ChartSection):
    """The agent process."""

    url: Annotated[InputText, variable("SCALR_URL")] = ""
    """The account's address, `https://<account>.scalr.io`."""
    token: Annotated[InputText, variable("SCALR_AGENT_TOKEN")] = ""
    """Token of the agent pool; becomes a Secret. In a stack file it belongs under `secrets`."""
    token_existing_secret: SecretReference = default(SecretReference)
    """An existing Secret that holds the token instead."""
    shutdown_mode: ShutdownMode = "graceful"
    """What a pod that must stop does with its run: `graceful` asks it to stop, `drain` lets it go on first, `force` kills it."""
    data_dir: Annotated[Directory, variable("SCALR_AGENT_DATA_DIR")] = "/var/lib/scalr-agent/data"
    """Where workspace data is mounted; readable, writable and executable."""
    cache_dir: Annotated[Directory, variable("SCALR_AGENT_CACHE_DIR")] = "/var/lib/scalr-agent/cache"
    """Where the cache is mounted; readable, writable and executable."""
    provider_network_mirrors: Annotated[NetworkMirrors, variable("SCALR_AGENT_PROVIDER_NETWORK_MIRRORS")] = []
    """Mirrors to take providers from, in this order, before their origin."""
    tls: Tls = default(Tls)
    """Certificate authorities that the agent trusts, and its own certificate."""
