"""Scalr's self-hosted agents on Kubernetes, as Pulumi components.

The public names are imported when they are first used, so that rendering manifests never waits for Pulumi.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scalr_agents.agent_job import AgentJob
    from scalr_agents.agent_k8s import AgentK8s
    from scalr_agents.agent_local import AgentLocal
    from scalr_agents.arguments import AgentJobArgs, AgentK8sArgs, AgentLocalArgs
    from scalr_agents.cache_storage_class import CacheStorageClass, CacheStorageClassArgs
    from scalr_agents.controller import AgentController
    from scalr_agents.crds import AgentCrds, AgentCrdsArgs
    from scalr_agents.efs_cache import EfsCache, EfsCacheArgs, EfsClientsArgs
    from scalr_agents.efs_claim import EfsClaim, EfsClaimArgs
    from scalr_agents.efs_csi_driver import EfsCsiDriver, EfsCsiDriverArgs
    from scalr_agents.errors import ArgsError
    from scalr_agents.filestore_cache import FilestoreCache, FilestoreCacheArgs, FilestoreExportOptionArgs
    from scalr_agents.filestore_claim import FilestoreClaim, FilestoreClaimArgs
    from scalr_agents.manifests import names
    from scalr_agents.network_policy import AgentNetworkPolicy
    from scalr_agents.rbac import AgentRbac
    from scalr_agents.storage_class_claim import StorageClassClaim, StorageClassClaimArgs

__version__ = "0.1.0"

_HOMES = {
    "AgentController": "controller",
    "AgentCrds": "crds",
    "AgentCrdsArgs": "crds",
    "AgentJob": "agent_job",
    "AgentJobArgs": "arguments",
    "AgentK8s": "agent_k8s",
    "AgentK8sArgs": "arguments",
    "AgentLocal": "agent_local",
    "AgentLocalArgs": "arguments",
    "AgentNetworkPolicy": "network_policy",
    "AgentRbac": "rbac",
    "ArgsError": "errors",
    "CacheStorageClass": "cache_storage_class",
    "CacheStorageClassArgs": "cache_storage_class",
    "EfsCache": "efs_cache",
    "EfsCacheArgs": "efs_cache",
    "EfsClaim": "efs_claim",
    "EfsClaimArgs": "efs_claim",
    "EfsClientsArgs": "efs_cache",
    "EfsCsiDriver": "efs_csi_driver",
    "EfsCsiDriverArgs": "efs_csi_driver",
    "FilestoreCache": "filestore_cache",
    "FilestoreCacheArgs": "filestore_cache",
    "FilestoreClaim": "filestore_claim",
    "FilestoreClaimArgs": "filestore_claim",
    "FilestoreExportOptionArgs": "filestore_cache",
    "StorageClassClaim": "storage_class_claim",
    "StorageClassClaimArgs": "storage_class_claim",
    "names": "manifests",
}

__all__ = [
    "AgentController",
    "AgentCrds",
    "AgentCrdsArgs",
    "AgentJob",
    "AgentJobArgs",
    "AgentK8s",
    "AgentK8sArgs",
    "AgentLocal",
    "AgentLocalArgs",
    "AgentNetworkPolicy",
    "AgentRbac",
    "ArgsError",
    "CacheStorageClass",
    "CacheStorageClassArgs",
    "EfsCache",
    "EfsCacheArgs",
    "EfsClaim",
    "EfsClaimArgs",
    "EfsClientsArgs",
    "EfsCsiDriver",
    "EfsCsiDriverArgs",
    "FilestoreCache",
    "FilestoreCacheArgs",
    "FilestoreClaim",
    "FilestoreClaimArgs",
    "FilestoreExportOptionArgs",
    "StorageClassClaim",
    "StorageClassClaimArgs",
    "__version__",
    "names",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    except ModuleNotFoundError as problem:
        cloud = {"pulumi_aws": "aws", "pulumi_gcp": "gcp"}.get(problem.name or "")
        if cloud is None:
            raise
        advice = f"install the package with its extra [{cloud}], as its README.md shows"
        raise ModuleNotFoundError(f"{name} needs {problem.name}: {advice}", name=problem.name) from None
