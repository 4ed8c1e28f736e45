"""Scalr's self-hosted agents on Kubernetes and on virtual machines, as Pulumi components.

The public names are imported on first use, so that rendering manifests does not import Pulumi.
"""

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scalr_agents.charts import (
        names as names,
        render as render,
    )
    from scalr_agents.model.findings import ValuesError as ValuesError
    from scalr_agents.resources.arguments.agents import (
        AgentCrdsArgs as AgentCrdsArgs,
        AgentJobArgs as AgentJobArgs,
        AgentK8sArgs as AgentK8sArgs,
        AgentLocalArgs as AgentLocalArgs,
        EgressArgs as EgressArgs,
        EgressEntryArgs as EgressEntryArgs,
        NetworkArgs as NetworkArgs,
        RemoteSecretArgs as RemoteSecretArgs,
        ScalingArgs as ScalingArgs,
        SecretsFromArgs as SecretsFromArgs,
        SecretStoreArgs as SecretStoreArgs,
    )
    from scalr_agents.resources.arguments.caches import (
        CacheStorageClassArgs as CacheStorageClassArgs,
        EfsCacheArgs as EfsCacheArgs,
        EfsClaimArgs as EfsClaimArgs,
        EfsClientsArgs as EfsClientsArgs,
        EfsCsiDriverArgs as EfsCsiDriverArgs,
        FilestoreCacheArgs as FilestoreCacheArgs,
        FilestoreClaimArgs as FilestoreClaimArgs,
        FilestoreExportOptionArgs as FilestoreExportOptionArgs,
        StorageClassClaimArgs as StorageClassClaimArgs,
    )
    from scalr_agents.resources.arguments.machines import (
        Ec2AgentsArgs as Ec2AgentsArgs,
        GceAgentsArgs as GceAgentsArgs,
        MachinePackageArgs as MachinePackageArgs,
        MachineVolumeArgs as MachineVolumeArgs,
    )
    from scalr_agents.resources.aws.ec2_agents import Ec2Agents as Ec2Agents
    from scalr_agents.resources.aws.efs_cache import EfsCache as EfsCache
    from scalr_agents.resources.aws.efs_claim import EfsClaim as EfsClaim
    from scalr_agents.resources.aws.efs_csi_driver import EfsCsiDriver as EfsCsiDriver
    from scalr_agents.resources.functions import load_values as load_values
    from scalr_agents.resources.gcp.filestore_cache import FilestoreCache as FilestoreCache
    from scalr_agents.resources.gcp.filestore_claim import FilestoreClaim as FilestoreClaim
    from scalr_agents.resources.gcp.gce_agents import GceAgents as GceAgents
    from scalr_agents.resources.kubernetes.agent_job import (
        AgentController as AgentController,
        AgentJob as AgentJob,
        AgentNetworkPolicy as AgentNetworkPolicy,
        AgentRbac as AgentRbac,
    )
    from scalr_agents.resources.kubernetes.agent_k8s import AgentK8s as AgentK8s
    from scalr_agents.resources.kubernetes.agent_local import AgentLocal as AgentLocal
    from scalr_agents.resources.kubernetes.crds import (
        AgentCrds as AgentCrds,
    )
    from scalr_agents.resources.kubernetes.storage_class import (
        CacheStorageClass as CacheStorageClass,
        StorageClassClaim as StorageClassClaim,
    )
    from scalr_agents.resources.validation import ArgsError as ArgsError
    from scalr_agents.resources.values.agent_job import AgentJobValues as AgentJobValues
    from scalr_agents.resources.values.agent_k8s import AgentK8sValues as AgentK8sValues
    from scalr_agents.resources.values.agent_local import AgentLocalValues as AgentLocalValues

__version__ = "0.2.0"

_MODULE_OF = {
    "AgentController": "resources.kubernetes.agent_job",
    "AgentCrds": "resources.kubernetes.crds",
    "AgentCrdsArgs": "resources.arguments.agents",
    "AgentJob": "resources.kubernetes.agent_job",
    "AgentJobArgs": "resources.arguments.agents",
    "AgentJobValues": "resources.values.agent_job",
    "AgentK8s": "resources.kubernetes.agent_k8s",
    "AgentK8sArgs": "resources.arguments.agents",
    "AgentK8sValues": "resources.values.agent_k8s",
    "AgentLocal": "resources.kubernetes.agent_local",
    "AgentLocalArgs": "resources.arguments.agents",
    "AgentLocalValues": "resources.values.agent_local",
    "AgentNetworkPolicy": "resources.kubernetes.agent_job",
    "AgentRbac": "resources.kubernetes.agent_job",
    "ArgsError": "resources.validation",
    "CacheStorageClass": "resources.kubernetes.storage_class",
    "CacheStorageClassArgs": "resources.arguments.caches",
    "Ec2Agents": "resources.aws.ec2_agents",
    "Ec2AgentsArgs": "resources.arguments.machines",
    "EfsCache": "resources.aws.efs_cache",
    "EfsCacheArgs": "resources.arguments.caches",
    "EfsClaim": "resources.aws.efs_claim",
    "EfsClaimArgs": "resources.arguments.caches",
    "EfsClientsArgs": "resources.arguments.caches",
    "EfsCsiDriver": "resources.aws.efs_csi_driver",
    "EfsCsiDriverArgs": "resources.arguments.caches",
    "EgressArgs": "resources.arguments.agents",
    "EgressEntryArgs": "resources.arguments.agents",
    "FilestoreCache": "resources.gcp.filestore_cache",
    "FilestoreCacheArgs": "resources.arguments.caches",
    "FilestoreClaim": "resources.gcp.filestore_claim",
    "FilestoreClaimArgs": "resources.arguments.caches",
    "FilestoreExportOptionArgs": "resources.arguments.caches",
    "GceAgents": "resources.gcp.gce_agents",
    "GceAgentsArgs": "resources.arguments.machines",
    "MachinePackageArgs": "resources.arguments.machines",
    "MachineVolumeArgs": "resources.arguments.machines",
    "RemoteSecretArgs": "resources.arguments.agents",
    "ScalingArgs": "resources.arguments.agents",
    "SecretStoreArgs": "resources.arguments.agents",
    "SecretsFromArgs": "resources.arguments.agents",
    "NetworkArgs": "resources.arguments.agents",
    "StorageClassClaim": "resources.kubernetes.storage_class",
    "StorageClassClaimArgs": "resources.arguments.caches",
    "ValuesError": "model.findings",
    "load_values": "resources.functions",
    "names": "charts",
    "render": "charts",
}
_MODULE_IN_PROGRAMS = {"names": "resources.functions", "render": "resources.functions"}
"""Where Pulumi is loaded, so that an error is printed as Pulumi's own errors are."""

__all__ = ["__version__"]
__all__ += list(_MODULE_OF)


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    modules = _MODULE_OF | _MODULE_IN_PROGRAMS if "pulumi" in sys.modules else _MODULE_OF
    try:
        return getattr(import_module(f"{__name__}.{modules[name]}"), name)
    except ModuleNotFoundError as problem:
        needed = {"pulumi_aws": "pulumi-aws>=7.20,<8", "pulumi_gcp": "pulumi-gcp>=9.10,<11"}.get(problem.name or "")
        if needed is None:
            raise
        advice = f"run: {sys.executable} -m pip install '{needed}'"
        raise ModuleNotFoundError(f"{name} needs {problem.name}: {advice}", name=problem.name) from None
