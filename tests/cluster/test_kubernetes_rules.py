"""The rules on Kubernetes types and the API server agree, in both directions."""

from typing import Any

import pytest

from tests.cluster.client import ApiError, Client
from tests.helpers.pod_specs import ACCEPTED, MISTAKES, name_of


def is_accepted(cluster: Client, spec: dict[str, Any]) -> bool:
    """Whether the API server accepts a pod with this fragment, by server-side apply as the provider uses it."""
    containers = [{"image": "x", **container} for container in spec.get("containers", [{"name": "x"}])]
    metadata = {"name": "x", "namespace": "default"}
    try:
        cluster.apply({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {**spec, "containers": containers}}, dry_run=True)
    except ApiError:
        return False
    return True


@pytest.mark.parametrize("row", MISTAKES, ids=name_of)
def test_the_api_server_refuses_reported_mistakes(row: dict[str, Any], cluster: Client) -> None:
    assert is_accepted(cluster, row["spec"]) == row.get("never_starts", False)


@pytest.mark.parametrize("spec", ACCEPTED, ids=str)
def test_the_api_server_accepts_other_values(spec: dict[str, Any], cluster: Client) -> None:
    assert is_accepted(cluster, spec)
