"""Caches of a stack file, and the plain stack with them."""

from typing import Any

from scalr_agents.model.maps import merge

from tests.helpers.kinds import TOKEN
from tests.helpers.plain import PLAIN

EFS: dict[str, Any] = {"efs": {"eksCluster": "prod"}}
NODES: dict[str, Any] = {"exportOptions": [{"ipRanges": ["10.0.0.0/8"]}]}
FILESTORE: dict[str, Any] = {"filestore": {"location": "europe-west1-b", **NODES}}
DYNAMIC: dict[str, Any] = {"storageClass": {"name": "agents"}}
EXISTING: dict[str, Any] = {"claim": "mine"}
INSTANCE = {"instanceId": "projects/acme-infra/locations/europe-west1-b/instances/nfs-1"}


def with_cache(cache: dict[str, Any], *, name: str = "shared", **agent: Any) -> dict[str, Any]:
    """The agent of the plain stack with a cache."""
    return {"caches": {name: cache}, "agents": {"runs": {"cache": name, **agent}}}


def with_agents(cache: dict[str, Any], *names: str, **agent: Any) -> dict[str, Any]:
    """Several agents on one cache, beside the one of the plain stack."""
    changed = with_cache(cache, **agent)
    for name in names:
        changed["agents"][name] = merge(PLAIN, {"cache": "shared", **agent})
    return changed | {"secrets": {name: {"token": TOKEN} for name in names}}
