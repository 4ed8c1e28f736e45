"""Section `agent`: connection, shutdown and directories of the agent."""

from typing import Annotated, Literal

from scalr_agents.charts.shared.values import NetworkMirrors, SecretReference, Tls
from scalr_agents.model.fields import Directory, InputText
from scalr_agents.model.section import ChartSection, default
from scalr_agents.model.variables import variable

ShutdownMode = Literal["graceful", "drain", "force"]


class Agent(ChartSection):
    """The agent process."""

    url: Annotated[InputText, variable("SCALR_URL")] = ""
    """URL of the Scalr account, `https://<account>.scalr.io`."""
    token: Annotated[InputText, variable("SCALR_AGENT_TOKEN")] = ""
    """Token of the agent pool. Becomes a Secret. In a stack file, set it under `secrets`."""
    token_existing_secret: SecretReference = default(SecretReference)
    """An existing Secret with the token, instead of `token`."""
    shutdown_mode: ShutdownMode = "graceful"
    """What a stopping pod does with its run: `graceful` asks it to stop, `drain` first waits for it to finish, `force` kills it."""
    data_dir: Annotated[Directory, variable("SCALR_AGENT_DATA_DIR")] = "/var/lib/scalr-agent/data"
    """Mount path of workspace data. Must be readable, writable and executable."""
    cache_dir: Annotated[Directory, variable("SCALR_AGENT_CACHE_DIR")] = "/var/lib/scalr-agent/cache"
    """Mount path of the cache. Must be readable, writable and executable."""
    provider_network_mirrors: Annotated[NetworkMirrors, variable("SCALR_AGENT_PROVIDER_NETWORK_MIRRORS")] = []
    """Mirrors to download providers from, tried in this order before the origin registry."""
    tls: Tls = default(Tls)
    """Certificate authorities that the agent trusts, and its client certificate."""
