"""The checks of EFS file systems: what each finds, where, and what it lets pass."""

from typing import Any

import pytest
from scalr_agents.caches.efs import EfsSettings

from tests.caches.settings import parsed

PLACE: dict[str, Any] = {
    "vpc_id": "vpc-0a1b2c3d",
    "subnets": {"eu-west-1a": "subnet-0a", "eu-west-1b": "subnet-0b"},
    "clients": {"security_groups": ["sg-0a1b"], "cidrs": ["10.0.0.0/16"]},
}
CLUSTER = {"eks_cluster": "prod"}
EXISTING = {"file_system_id": "fs-0a1b2c3d"}


@pytest.mark.parametrize(
    ("given", "network"),
    [(PLACE, True), (CLUSTER, True), ({}, True), (EXISTING, False), ({**EXISTING, **CLUSTER}, True), ({**EXISTING, **PLACE}, True)],
)
def test_places_of_mount_targets(given: dict[str, Any], *, network: bool) -> None:
    assert parsed(EfsSettings, given).has_network is network
