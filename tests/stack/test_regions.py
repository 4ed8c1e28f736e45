"""Regions that are missing or do not exist: what no entry of the catalogue has, since they are other keys than those of the stack."""

from pathlib import Path

import botocore.session
import pytest
from scalr_agents import stack
from scalr_agents.model.aws import AWS_REGIONS
from scalr_agents.stack import caches, source

from tests.helpers.plain import PLAIN


@pytest.mark.parametrize(
    ("region", "message"),
    [
        ("eu-wst-1", "not a known AWS region; did you mean 'eu-west-1'?"),
        ("eu-west-1", None),
        ("cn-north-1", None),
    ],
)
def test_unknown_regions_are_warnings(tmp_path: Path, region: str, message: str | None) -> None:
    (tmp_path / "Pulumi.yaml").write_text("name: scalr-agents\nruntime: python\n")
    (tmp_path / "Pulumi.dev.yaml").write_text(f"config:\n  aws:region: {region}\n")
    found = [(each.severity, each.path, each.message) for each in source.unknown_region(source.read(tmp_path, "dev"))]
    assert found == ([("warning", "aws:region", message)] if message else [])


def test_known_regions_match_the_sdk() -> None:
    session = botocore.session.get_session()
    known = {region for partition in session.get_available_partitions() for region in session.get_available_regions("ec2", partition)}
    assert set(AWS_REGIONS) == known


@pytest.mark.parametrize(
    ("keys", "environment", "warned"),
    [
        ("aws:region: eu-west-1", "", False),
        ("aws:profile: prod", "", False),
        ("aws:region:", "", True),
        ("gcp:project: acme", "", True),
        ("", "", True),
        ("", "environment: [acme/prod]", False),
    ],
)
def test_efs_without_a_region_is_a_warning(tmp_path: Path, keys: str, environment: str, *, warned: bool) -> None:
    (tmp_path / "Pulumi.yaml").write_text("name: scalr-agents\n")
    words = "caches: {one: {efs: {eksCluster: prod}}, two: {storageClass: {name: x}}}"
    (tmp_path / "Pulumi.dev.yaml").write_text(f"{environment}\nconfig:\n  {keys}\n  {words}\n  agents: {{runs: {PLAIN}}}\n")
    read = source.read(tmp_path, "dev")
    loaded = stack.load(read.config, directory=tmp_path)
    found = [(finding.severity, finding.path) for finding in caches.without_region(loaded.caches, read)]
    assert found == ([("warning", "scalr-agents:caches.one.efs")] if warned else [])
