"""Scalr's self-hosted agents on Kubernetes, as Pulumi components.

The public names are imported when they are first used, so that rendering manifests never waits for Pulumi.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scalr_agents.agent_job import AgentJob
    from scalr_agents.arguments import AgentJobArgs
    from scalr_agents.controller import AgentController
    from scalr_agents.crds import AgentCrds, AgentCrdsArgs
    from scalr_agents.errors import ArgsError
    from scalr_agents.manifests import names
    from scalr_agents.network_policy import AgentNetworkPolicy
    from scalr_agents.rbac import AgentRbac

__version__ = "0.1.0"

_HOMES = {
    "AgentController": "controller",
    "AgentCrds": "crds",
    "AgentCrdsArgs": "crds",
    "AgentJob": "agent_job",
    "AgentJobArgs": "arguments",
    "AgentNetworkPolicy": "network_policy",
    "AgentRbac": "rbac",
    "ArgsError": "errors",
    "names": "manifests",
}

__all__ = [
    "AgentController",
    "AgentCrds",
    "AgentCrdsArgs",
    "AgentJob",
    "AgentJobArgs",
    "AgentNetworkPolicy",
    "AgentRbac",
    "ArgsError",
    "__version__",
    "names",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
