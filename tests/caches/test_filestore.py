"""The checks of Filestore instances: what each finds, where, and what it lets pass."""

from typing import Any

import pytest
from scalr_agents.caches.filestore.kind import volume_handle
from scalr_agents.caches.filestore.settings import FilestoreSettings, instance_parts, network

from tests.caches.settings import parsed

NODES: dict[str, Any] = {"ip_ranges": ["10.0.0.0/8"]}
PLACE: dict[str, Any] = {"location": "europe-west1-b", "export_options": [NODES]}
REGIONAL: dict[str, Any] = {"tier": "REGIONAL", "location": "europe-west1", "export_options": [NODES]}
EXISTING: dict[str, Any] = {"instance_id": "projects/acme-infra/locations/europe-west1-b/instances/nfs-1"}


@pytest.mark.parametrize(
    ("given", "project", "expected"),
    [
        ("default", None, "default"),
        ("default", "acme", "default"),
        ("projects/acme/global/networks/default", "acme", "default"),
        ("https://www.googleapis.com/compute/v1/projects/acme/global/networks/default", "acme", "default"),
        ("projects/acme/global/networks/default", None, "projects/acme/global/networks/default"),
        ("https://www.googleapis.com/compute/v1/projects/host/global/networks/shared", "acme", "projects/host/global/networks/shared"),
    ],
)
def test_network_names_are_normalized(given: str, project: str | None, expected: str) -> None:
    assert network(given, project) == expected


@pytest.mark.parametrize(("capacity", "expected"), [("100Gi", "small"), ("9984Gi", "small"), ("10Ti", "large"), ("100Ti", "large")])
def test_capacity_ranges(capacity: str, expected: str) -> None:
    assert parsed(FilestoreSettings, {**REGIONAL, "capacity": capacity}).size_class == expected
    assert parsed(FilestoreSettings, {**PLACE, "capacity": capacity}).size_class is None


def test_the_parts_of_an_id_and_the_handle_of_its_share() -> None:
    identity = EXISTING["instance_id"]
    assert instance_parts(identity) == {"project": "acme-infra", "location": "europe-west1-b", "name": "nfs-1"}
    assert volume_handle(identity, "vol1") == "modeInstance/europe-west1-b/nfs-1/vol1"


@pytest.mark.parametrize("identity", ["nfs-1", "/projects/p/locations/l/instances/i", "projects/p/locations/l/instances/i/x"])
def test_invalid_ids_have_no_parts(identity: str) -> None:
    with pytest.raises(ValueError, match="is not the ID of a Filestore instance"):
        instance_parts(identity)
