"""Validates manifests against the schemas of Kubernetes, with no unknown field anywhere."""

from typing import Any

import kubernetes_validate
from scalr_agents import lines

VERSIONS = ("1.33", "1.35")
_CUSTOM = {line.task_resource.kind for line in lines.LINES}


def assert_valid(manifest: dict[str, Any]) -> None:
    """Every built-in object, and the Job that the controller would make of a task's template, on every supported version."""
    if manifest["kind"] in _CUSTOM:
        assert sorted(manifest["spec"]) == ["jobTemplate"]
        metadata = {"name": "task", "namespace": manifest["metadata"]["namespace"]}
        manifest = {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, **manifest["spec"]["jobTemplate"]}
    for version in VERSIONS:
        kubernetes_validate.validate(manifest, version, strict=True)
