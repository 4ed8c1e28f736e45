"""A release: one agent of one chart in one namespace, and what its objects are called."""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from scalr_agents.model.lines import Line

Naming = Literal["scoped", "chart"]
Labels = dict[str, str]

_NAME = "app.kubernetes.io/name"
_INSTANCE = "app.kubernetes.io/instance"
COMPONENT = "app.kubernetes.io/component"
_LONGEST_NAME = 63


class Names(NamedTuple):
    """The names of a release's objects, whether or not its values make them all; empty for what its kind never makes."""

    deployment: str
    service_account: str
    token_secret: str
    env_secret: str
    network_policy: str
    task_template: str = ""
    worker: str = ""
    ca_bundle_secret: str = ""
    client_cert_secret: str = ""
    data_claim: str = ""
    cache_claim: str = ""
    deprecated_cache_claim: str = ""
    """The cache's claim where deprecated values ask for it."""
    role: str = ""
    role_binding: str = ""
    cluster_role: str = ""
    cluster_role_binding: str = ""
    controller_budget: str = ""
    task_budget: str = ""
    persistent_volume: str = ""
    storage_class: str = ""
    buffer: str = ""
    buffer_priority: str = ""
    cache_preparation: str = ""


class Release(NamedTuple):
    """What every object of an agent has in common."""

    line: Line
    name: str
    namespace: str
    version: str
    """The agent's version: the default image tag and the label `app.kubernetes.io/version`."""
    base_name: str
    """Label `app.kubernetes.io/name`."""
    full_name: str
    """First part of the objects' names."""
    names: Names
    common_labels: Labels
    """Labels of all objects."""
    common_annotations: Mapping[str, Any]
    """Annotations of all objects."""

    def selector(self, component: str | None = None) -> Labels:
        """The labels that select the pods of a component (`agent` or `task`), or all of them."""
        labels = {_NAME: self.base_name, _INSTANCE: self.name}
        return labels | {COMPONENT: component} if component else labels

    def labels(self, component: str | None = None) -> Labels:
        """The labels of an object."""
        labels = {
            _NAME: self.base_name,
            _INSTANCE: self.name,
            **self.common_labels,
            "app.kubernetes.io/version": self.version,
            "app.kubernetes.io/managed-by": "pulumi",
        }
        return labels | {COMPONENT: component} if component else labels

    def metadata(self, name: str, component: str | None = None, **more: Any) -> dict[str, Any]:
        """The metadata of a namespaced object."""
        return {"name": name, "namespace": self.namespace, "labels": self.labels(component), **self._annotations(), **more}

    def cluster_metadata(self, name: str) -> dict[str, Any]:
        """The metadata of a cluster-scoped object."""
        return {"name": name, "labels": self.labels(), **self._annotations()}

    def _annotations(self) -> dict[str, Any]:
        return {"annotations": dict(self.common_annotations)} if self.common_annotations else {}


def fullname(line: Line, release: str, name_override: str = "", fullname_override: str = "") -> str:
    """Helm's full name: the override, or the release's name with the chart's name appended unless it is part of it."""
    base = name_override or line.base_name
    return _cut(fullname_override or (release if base in release else f"{release}-{base}"))


def base_name(line: Line, name_override: str = "") -> str:
    return _cut(name_override or line.base_name)


def _cut(name: str) -> str:
    return name[:_LONGEST_NAME].removesuffix("-")
