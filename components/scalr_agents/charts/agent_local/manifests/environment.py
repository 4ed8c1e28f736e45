"""The environment of the agent's container, and what its Secrets hold."""

from scalr_agents.charts.agent_local.values import AgentLocalValues
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.charts.shared.manifests import environment as env
from scalr_agents.charts.shared.manifests import secrets, tls
from scalr_agents.charts.shared.values import grace_seconds
from scalr_agents.model import variables
from scalr_agents.model.release import Release

_RESULT_SECONDS = 10
"""Seconds reserved at the end to kill remaining processes and to report to Scalr."""
_DRAINED_SECONDS = 60
"""Seconds that a run has to stop after the drain timed out."""


def secret_data(values: AgentLocalValues, inputs: Inputs) -> secrets.SecretData:
    """Contents of the Secrets of a release."""
    agent = values.agent
    return {
        "token": secrets.token(agent.token, agent.token_existing_secret.name),
        "env": secrets.environment(inputs, agent.provider_network_mirrors),
        "ca-bundle": secrets.ca_bundle(agent.tls),
        "client-cert": secrets.client_cert(agent.tls),
    }


def environment(values: AgentLocalValues, release: Release, inputs: Inputs) -> env.Env:
    """The user's variables come first, so that ours can refer to them; ours take precedence. The checks reject conflicting ones."""
    agent, names = values.agent, release.names
    secret, key = secrets.token_reference(agent.token_existing_secret, names.token_secret)
    return env.each_once(
        env.out_of_secret(secret_data(values, inputs)["env"], names.env_secret),
        [
            env.given(values.extra_env),
            env.from_field("SCALR_AGENT_NAME", "metadata.name"),
            env.variables(
                variables.of(agent, "url")
                | {
                    "SCALR_AGENT_DRIVER": "local",
                    "SCALR_AGENT_CONCURRENCY": 1,
                    "SCALR_AGENT_DISCONNECT_ON_STOP": 1,
                    **_shutdown(values),
                    **variables.of(agent, "data_dir", "cache_dir"),
                }
            ),
            env.network_mirrors(agent.provider_network_mirrors),
            env.from_secret("SCALR_AGENT_TOKEN", secret, key),
            tls.environment(agent.tls, names),
        ],
    )


def _shutdown(values: AgentLocalValues) -> dict[str, env.Setting]:
    """The agent's shutdown timeouts, which together fit into the grace period."""
    grace = grace_seconds(values.termination_grace_period_seconds)
    modes: dict[str, dict[str, env.Setting]] = {
        "graceful": {
            "SCALR_AGENT_WORKER_ON_STOP_ACTION": "grace-shutdown",
            "SCALR_AGENT_WORKER_GRACE_SHUTDOWN_TIMEOUT": grace - _RESULT_SECONDS,
        },
        "drain": {
            "SCALR_AGENT_WORKER_ON_STOP_ACTION": "drain",
            "SCALR_AGENT_WORKER_DRAIN_TIMEOUT": grace - _DRAINED_SECONDS - _RESULT_SECONDS,
            "SCALR_AGENT_WORKER_GRACE_SHUTDOWN_TIMEOUT": _DRAINED_SECONDS,
        },
        "force": {"SCALR_AGENT_WORKER_ON_STOP_ACTION": "force-shutdown"},
    }
    return modes[values.agent.shutdown_mode]
