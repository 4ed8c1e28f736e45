"""The checks of claims on caches, and of the CSI driver of EFS."""

from typing import Any

from scalr_agents.caches.efs import EfsClaimSettings, EfsCsiDriverSettings
from scalr_agents.caches.filestore.settings import FilestoreClaimSettings
from scalr_agents.caches.storage_class import StorageClassClaimSettings
from scalr_agents.model.section import Section

from tests.caches.settings import parsed

INSTANCE = "projects/acme-infra/locations/europe-west1-b/instances/nfs-1"
PLACE: dict[str, Any] = {"namespace": "scalr", "release": "runs"}
NEEDED: dict[type[Section], dict[str, Any]] = {
    EfsClaimSettings: {**PLACE, "file_system_id": "fs-00000a1b"},
    FilestoreClaimSettings: {**PLACE, "instance_id": INSTANCE, "ip_address": "10.9.8.7"},
    StorageClassClaimSettings: {**PLACE, "storage_class_name": "agents"},
    EfsCsiDriverSettings: {"cluster_name": "prod"},
}


def test_every_agent_has_its_own_directory() -> None:
    needed = NEEDED[EfsClaimSettings]
    assert parsed(EfsClaimSettings, needed).directory == "/scalr-agent-cache/scalr/runs"
    assert parsed(EfsClaimSettings, {**needed, "path": "/cache"}).directory == "/cache"
