"""Manifests as plain data."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from scalr_agents.model.maps import is_empty

Manifest = dict[str, Any]
"""A Kubernetes object as in the API: camelCase keys, JSON types; leaves may be deferred."""


class Key(NamedTuple):
    """An object: its kind, namespace (empty for the cluster) and name."""

    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"

    @property
    def place(self) -> str:
        """The object with its namespace."""
        return f"{self.kind} {self.namespace}/{self.name}" if self.namespace else str(self)


def key_of(manifest: Manifest) -> Key:
    metadata = manifest["metadata"]
    return Key(manifest["kind"], metadata.get("namespace", ""), metadata["name"])


def present(fields: Mapping[str, Any]) -> Manifest:
    """The fields without `None` and without empty strings, maps and lists. Zero and false are kept."""
    return {key: value for key, value in fields.items() if not is_empty(value)}


class Kind(NamedTuple):
    """A kind of the objects that charts and stacks make."""

    api_version: str
    name: str
    in_namespace: bool = True


KINDS = (
    Kind("v1", "ConfigMap"),
    Kind("v1", "LimitRange"),
    Kind("v1", "PersistentVolume", in_namespace=False),
    Kind("v1", "PersistentVolumeClaim"),
    Kind("v1", "ResourceQuota"),
    Kind("v1", "Secret"),
    Kind("v1", "ServiceAccount"),
    Kind("apps/v1", "DaemonSet"),
    Kind("apps/v1", "Deployment"),
    Kind("apps/v1", "StatefulSet"),
    Kind("autoscaling/v2", "HorizontalPodAutoscaler"),
    Kind("cilium.io/v2", "CiliumNetworkPolicy"),
    Kind("external-secrets.io/v1", "ExternalSecret"),
    Kind("monitoring.coreos.com/v1", "PrometheusRule"),
    Kind("networking.gke.io/v1alpha1", "FQDNNetworkPolicy"),
    Kind("networking.k8s.io/v1", "NetworkPolicy"),
    Kind("policy/v1", "PodDisruptionBudget"),
    Kind("rbac.authorization.k8s.io/v1", "ClusterRole", in_namespace=False),
    Kind("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", in_namespace=False),
    Kind("rbac.authorization.k8s.io/v1", "Role"),
    Kind("rbac.authorization.k8s.io/v1", "RoleBinding"),
    Kind("scheduling.k8s.io/v1", "PriorityClass", in_namespace=False),
    Kind("storage.k8s.io/v1", "StorageClass", in_namespace=False),
)
"""The kinds of the objects that charts and stacks make and delete, beside the task resources of the lines."""
