"""The policies of an agent's pods, and what these connect to."""

from scalr_agents.charts.agent_local.manifests import environment
from scalr_agents.charts.agent_local.values import AgentLocalValues
from scalr_agents.charts.shared.chart import Group
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.charts.shared.network import default_policy, policies
from scalr_agents.charts.shared.network.destinations import PUBLIC, Pods
from scalr_agents.model.release import Release


def objects(values: AgentLocalValues, release: Release, inputs: Inputs) -> Group:
    """The policy of the pods, unless they may reach the metadata service; more if the network is restricted."""
    default = {} if values.allow_metadata_service else {"egress": default_policy.policy(release)}
    return policies.objects(pods(values, release, inputs), release, inputs, default) if inputs.network else default


def pods(values: AgentLocalValues, release: Release, inputs: Inputs) -> list[Pods]:
    """All pods. Each is agent and runner."""
    return [
        Pods(
            "agent",
            None,
            "egress",
            release.names.network_policy,
            environment.environment(values, release, inputs),
            mirrors=[str(mirror.url) for mirror in values.agent.provider_network_mirrors],
            downloads=PUBLIC,
            token=values.service_account.automount_token,
            metadata_service=reaches_metadata_service(values, inputs),
        )
    ]


def reaches_metadata_service(values: AgentLocalValues, inputs: Inputs) -> bool:
    """Whether the pods may reach the metadata service. If egress is restricted, only a value opens it, not its default."""
    return values.allow_metadata_service and (inputs.egress is None or "allow_metadata_service" in values.model_fields_set)
