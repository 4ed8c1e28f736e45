"""Hosts the components, so that programs in any Pulumi language can use them (`pulumi package add`)."""

import sys
from pathlib import Path
from typing import Any

import scalr_agents
from pulumi import InputPropertiesError
from pulumi.provider import ConstructResult, main
from pulumi.provider.experimental.component import ComponentProvider
from pulumi.provider.server import ComponentInitError

NAME = "scalr-agents"
COMPONENTS = [
    scalr_agents.AgentController,
    scalr_agents.AgentCrds,
    scalr_agents.AgentJob,
    scalr_agents.AgentK8s,
    scalr_agents.AgentLocal,
    scalr_agents.AgentNetworkPolicy,
    scalr_agents.AgentRbac,
    scalr_agents.CacheStorageClass,
    scalr_agents.Ec2Agents,
    scalr_agents.EfsCache,
    scalr_agents.EfsClaim,
    scalr_agents.EfsCsiDriver,
    scalr_agents.FilestoreCache,
    scalr_agents.FilestoreClaim,
    scalr_agents.GceAgents,
    scalr_agents.StorageClassClaim,
]


class Provider(ComponentProvider):
    """Has the complete schema, with the types of values. Returns findings to the caller as an error of its arguments.

    The host alone would find a smaller schema in the classes, and report findings as a failure of the provider.
    """

    def __init__(self) -> None:
        super().__init__(COMPONENTS, NAME, version=scalr_agents.__version__)
        self.schema = (Path(__file__).parent / "schema.json").read_text(encoding="utf-8")

    def construct(self, *args: Any, **kwargs: Any) -> ConstructResult:
        try:
            return super().construct(*args, **kwargs)
        except ComponentInitError as failure:
            if isinstance(failure.inner, scalr_agents.ArgsError):
                raise InputPropertiesError(failure.inner.message, failure.inner.errors) from None
            raise


if __name__ == "__main__":
    main(Provider(), sys.argv[1:])
