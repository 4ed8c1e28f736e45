"""Mistakes that a cluster or a cloud would accept, or refuse much later: each is reported at its place."""

from pathlib import Path

import botocore.session
import pytest
from scalr_agents.model.aws import AWS_REGIONS
from scalr_agents.stack import source


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
