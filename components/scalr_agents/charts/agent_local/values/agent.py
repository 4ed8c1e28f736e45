"""Section `agent`: what the agent connects to, how it stops and where it keeps things."""

from typing import Literal

from scalr_agents.charts.shared.values import NetworkMirrors, SecretReference, Tls
from scalr_agents.model.fields import Directory, InputText
from scalr_agents.model.section import ChartSection, default

ShutdownMode = Literal["graceful", "drain", "force"]


class Agent(ChartSection):
    """The agent process."""

    url: InputText = ""
    """`SCALR_URL`: the account's address, `https://<account>.scalr.io`."""
    token: InputText = ""
    """Token of the agent pool; becomes a Secret. In a stack file it belongs under `secrets`."""
    token_existing_secret: SecretReference = default(SecretReference)
    """An existing Secret that holds the token instead."""
    shutdown_mode: ShutdownMode = "graceful"
    """What a pod that must stop does with its run: `graceful` asks it to stop, `drain` lets it go on first, `force` kills it."""
    data_dir: Directory = "/var/lib/scalr-agent/data"
    """`SCALR_AGENT_DATA_DIR`: where workspace data is mounted; readable, writable and executable."""
    cache_dir: Directory = "/var/lib/scalr-agent/cache"
    """`SCALR_AGENT_CACHE_DIR`: where the cache is mounted; readable, writable and executable."""
    provider_network_mirrors: NetworkMirrors = []
    """`SCALR_AGENT_PROVIDER_NETWORK_MIRRORS`: mirrors to take providers from, in this order, before their origin."""
    tls: Tls = default(Tls)
    """Certificate authorities that the agent trusts, and its own certificate."""
