"""A release: one agent of one chart in one namespace. Its contract line, and the names and labels of its objects."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, NamedTuple

from scalr_agents.model.manifests import Manifest, present

Naming = Literal["scoped", "chart"]
Labels = dict[str, str]
_LONGEST = 63
NEWEST = "1.4.0"
"""The newest agent whose published charts were compared with ours. Machines get it by default."""
NEWEST_DATED = "August 2026"
"""Month in which it was published."""
VERSION = re.compile(r"[0-9]{1,9}\.[0-9]{1,9}\.[0-9]{1,9}")
Version = tuple[int, ...]
"""The numbers of an agent version: two for all versions from MAJOR.MINOR.0, or up to the last MAJOR.MINOR.x, or three for one version."""
NAME = "app.kubernetes.io/name"
INSTANCE = "app.kubernetes.io/instance"
COMPONENT = "app.kubernetes.io/component"
CACHE_VOLUME = "cache-dir"
"""Name of the cache's volume in the pods of all charts."""


class Identity(NamedTuple):
    """The parts that object names are made of."""

    full_name: str
    base_name: str
    """Label `app.kubernetes.io/name`."""
    namespace: str
    service_account: str
    naming: Naming
    """`scoped` names contain the full name, and for cluster-scoped objects also the namespace, so that releases never conflict.

    `chart` names are those of the Helm chart, for taking over a release; two such releases may conflict.
    """

    @property
    def scoped(self) -> bool:
        return self.naming == "scoped"


@dataclass(frozen=True, kw_only=True)
class Names:
    """The names of a release's objects, including those that its values disable; empty for objects that its chart never has.

    Charts add the names that only they have.
    """

    deployment: str
    service_account: str
    token_secret: str
    env_secret: str
    network_policy: str
    ingress_policy: str
    ca_bundle_secret: str = ""
    client_cert_secret: str = ""
    data_claim: str = ""
    cache_claim: str = ""
    controller_policy: str = ""
    """Name of the policy of the controller's pods, if egress is restricted."""
    role: str = ""
    role_binding: str = ""


def full_name(base: str, release: str, override: str = "") -> str:
    """Helm's full name: the override, or `<release>-<base name>`, or the release's name if it contains the base name."""
    return cut(override or (release if base in release else f"{release}-{base}"))


def cut(name: str) -> str:
    """A name cut to the maximum length of a label."""
    return name[:_LONGEST].removesuffix("-")


class LineError(ValueError):
    """An unsupported chart or agent version. The text lists the supported ones."""


class TaskResource(NamedTuple):
    """The custom resource that holds the template of a task's Job."""

    group: str
    version: str
    kind: str
    plural: str
    singular: str
    short_names: tuple[str, ...]
    named_jobs: bool
    """Whether the resource sets the names of its Jobs (`spec.basename`)."""
    template_variable: str
    """Environment variable of the controller with the name of the object from which it starts Jobs."""

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}"

    @property
    def crd_name(self) -> str:
        return f"{self.plural}.{self.group}"


class Line(NamedTuple):
    """One chart for one range of agent versions (`oldest` and `newest` are both included)."""

    chart: str
    generation: str
    """`legacy` or `current`: the generation, which all kinds of agents share."""
    base_name: str
    """Default of the label `app.kubernetes.io/name` and of the last part of the full name."""
    default_version: str
    dated: str
    """Month in which the agents of the default version were published."""
    oldest: Version
    newest: Version | None
    """`None` for the newest line."""
    names: Callable[[Identity], Names]
    """Function that makes the names of the objects."""
    task_resource: TaskResource | None = None

    @property
    def versions(self) -> str:
        """The range as text, for messages."""
        return in_words(self.oldest, self.newest)

    def covers(self, version: str) -> bool:
        match = VERSION.match(version)
        if match is None:
            return False
        given = numbers(match[0])
        return self.oldest <= given and (self.newest is None or given[: len(self.newest)] <= self.newest)

    def tasks(self) -> TaskResource:
        """The custom resource of the line. Raises `LineError` if it has none."""
        if self.task_resource is None:
            raise LineError(f"{self.chart} has no custom resource for tasks")
        return self.task_resource


def in_words(oldest: Version, newest: Version | None) -> str:
    """A range of agent versions as text, for messages."""
    first = ".".join(map(str, oldest))
    if newest is None:
        return f"{first} or newer"
    return first if oldest == newest else f"{first} to {'.'.join(map(str, newest))}"


@cache
def numbers(version: str) -> Version:
    """A version `MAJOR.MINOR.PATCH` as comparable numbers."""
    return tuple(map(int, version.split(".")))


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
