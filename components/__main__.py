"""Hosts the components, so that programs in any Pulumi language can use them (`pulumi package add`)."""

import scalr_agents
from pulumi.provider.experimental import component_provider_host

if __name__ == "__main__":
    component_provider_host(
        name="scalr-agents",
        version=scalr_agents.__version__,
        components=[
            scalr_agents.AgentController,
            scalr_agents.AgentCrds,
            scalr_agents.AgentJob,
            scalr_agents.AgentNetworkPolicy,
            scalr_agents.AgentRbac,
        ],
    )
