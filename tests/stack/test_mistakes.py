"""Mistakes that would otherwise be noticed only in the cluster: each is a finding that names the correction."""

from pathlib import Path

import pytest
from scalr_agents import stack
from scalr_agents.stack import caches, source

from tests.helpers.plain import PLAIN


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
