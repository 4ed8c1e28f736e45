"""A release: one agent of one chart in one namespace, and what its objects are called."""

from typing import Any, Literal, NamedTuple

from scalr_agents.lines import Line

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
    role: str = ""
    role_binding: str = ""
    cluster_role: str = ""
    cluster_role_binding: str = ""
    controller_budget: str = ""
    task_budget: str = ""
    persistent_volume: str = ""
    storage_class: str = ""


class Release(NamedTuple):
    """What every object of an agent has in common."""

    line: Line
    name: str
    namespace: str
    version: str
    """The agent's version: the default image tag and the label `app.kubernetes.io/version`."""
    base_name: str
    """Label `app.kubernetes.io/name`."""
    names: Names

    def selector(self, component: str) -> Labels:
        """The labels that select the pods of a component (`agent` or `task`)."""
        return {_NAME: self.base_name, _INSTANCE: self.name, COMPONENT: component}

    def labels(self, component: str | None = None) -> Labels:
        """The labels of an object."""
        labels = {
            _NAME: self.base_name,
            _INSTANCE: self.name,
            "app.kubernetes.io/version": self.version,
            "app.kubernetes.io/managed-by": "pulumi",
        }
        return labels | {COMPONENT: component} if component else labels

    def metadata(self, name: str, component: str | None = None, **more: Any) -> dict[str, Any]:
        """The metadata of a namespaced object."""
        return {"name": name, "namespace": self.namespace, "labels": self.labels(component), **more}

    def cluster_metadata(self, name: str) -> dict[str, Any]:
        """The metadata of a cluster-scoped object."""
        return {"name": name, "labels": self.labels()}


def fullname(line: Line, release: str, name_override: str = "", fullname_override: str = "") -> str:
    """Helm's full name: the override, or the release's name with the chart's name appended unless it is part of it."""
    base = name_override or line.base_name
    return _cut(fullname_override or (release if base in release else f"{release}-{base}"))


def base_name(line: Line, name_override: str = "") -> str:
    return _cut(name_override or line.base_name)


def _cut(name: str) -> str:
    return name[:_LONGEST_NAME].removesuffix("-")
