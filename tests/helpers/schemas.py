"""Validates manifests against the schemas of Kubernetes, with no unknown field anywhere."""

import json
from functools import cache
from typing import Any

import kubernetes_validate
from kubernetes_validate import utils
from scalr_agents import charts

from tests import definitions
from tests.helpers.validated import LINES

utils.schema_contents = cache(utils.schema_contents)  # else megabytes are parsed for every object

VERSIONS: tuple[str, ...] = ("1.33", "1.35")
_CUSTOM = {line.task_resource.kind: line for line in LINES if line.task_resource}


def assert_valid(manifest: dict[str, Any]) -> None:
    """Built-in objects on every supported version, and the Job that a controller would make of a task's template on those of its agents.

    Objects of kinds that others define are valid if their definition says so.
    """
    if manifest["kind"] in definitions.definitions():
        definitions.assert_valid(manifest)
        return
    versions, line = VERSIONS, _CUSTOM.get(manifest["kind"])
    if line:
        assert sorted(manifest["spec"]) == (["basename", "jobTemplate"] if line.tasks().named_jobs else ["jobTemplate"])
        row = charts.find(line.chart).versions.row(manifest["metadata"]["labels"]["app.kubernetes.io/version"])
        versions = VERSIONS[VERSIONS.index(row.kubernetes) :]
        metadata = {"name": "task", "namespace": manifest["metadata"]["namespace"]} | manifest["spec"]["jobTemplate"].get("metadata", {})
        manifest = {"apiVersion": "batch/v1", "kind": "Job", **manifest["spec"]["jobTemplate"], "metadata": metadata}
    for version in versions:
        _validate(json.dumps(manifest, sort_keys=True), version)


@cache
def _validate(manifest: str, version: str) -> None:
    """Validate each object once, because most tests have the same objects."""
    kubernetes_validate.validate(json.loads(manifest), version, strict=True)
