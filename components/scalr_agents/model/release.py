"""A release: one agent of one chart in one namespace, and the names of its objects."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from scalr_agents.model.lines import Line
from scalr_agents.model.manifests import Manifest, present
from scalr_agents.model.names import Labels, Names

NAME = "app.kubernetes.io/name"
INSTANCE = "app.kubernetes.io/instance"
COMPONENT = "app.kubernetes.io/component"
CACHE_VOLUME = "cache-dir"
"""Name of the cache's volume in the pods of all charts."""
_NONE: Mapping[str, str] = {}


class Release(NamedTuple):
    """What all objects of an agent have in common."""

    line: Line
    name: str
    namespace: str
    version: str
    """The agent version: default image tag, and value of the label `app.kubernetes.io/version`."""
    base_name: str
    """Value of the label `app.kubernetes.io/name`."""
    full_name: str
    """First part of all object names."""
    names: Names
    common_labels: Labels
    """Labels of all objects."""
    common_annotations: Mapping[str, Any]
    """Annotations of all objects."""

    def selector(self, component: str | None = None) -> Labels:
        """The labels that select the pods of a component (`agent` or `task`), or all pods."""
        labels = {NAME: self.base_name, INSTANCE: self.name}
        return labels | {COMPONENT: component} if component else labels

    def labels(self, component: str | None = None) -> Labels:
        """The labels of an object."""
        labels = {
            NAME: self.base_name,
            INSTANCE: self.name,
            **self.common_labels,
            "app.kubernetes.io/version": self.version,
            "app.kubernetes.io/managed-by": "pulumi",
        }
        return labels | {COMPONENT: component} if component else labels

    def metadata(
        self, name: str, component: str | None = None, *, annotations: Mapping[str, Any] = _NONE, labels: Mapping[str, str] = _NONE
    ) -> Manifest:
        """The metadata of a namespaced object. Its own annotations and labels take precedence over the common ones."""
        return {
            "name": name,
            "namespace": self.namespace,
            "labels": {**self.labels(component), **labels},
            **present({"annotations": {**self.common_annotations, **annotations}}),
        }

    def cluster_metadata(self, name: str) -> Manifest:
        """The metadata of a cluster-scoped object."""
        return {"name": name, "labels": self.labels(), **present({"annotations": dict(self.common_annotations)})}
