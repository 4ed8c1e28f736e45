"""Nodes. Any that a test adds is run by the control plane's kwok, like those that are always there."""

from collections.abc import Mapping, Sequence
from typing import Any

from tests.cluster.client import Client


def add(client: Client, name: str, labels: Mapping[str, str], taints: Sequence[Mapping[str, Any]] = ()) -> None:
    """A node in a zone of its own; it is ready a moment later."""
    built_in = {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "topology.kubernetes.io/zone": f"zone-{name}"}
    metadata = {"name": name, "labels": {**built_in, **labels}}
    client.create({"apiVersion": "v1", "kind": "Node", "metadata": metadata, "spec": {"taints": list(taints)}})


def is_ready(client: Client, name: str) -> bool:
    """Whether the node's taints allow pods."""
    node = client.get("Node", name)
    ready = any(condition["type"] == "Ready" and condition["status"] == "True" for condition in node["status"].get("conditions", ()))
    return ready and not any(taint["key"].startswith("node.kubernetes.io/") for taint in node["spec"].get("taints", ()))
