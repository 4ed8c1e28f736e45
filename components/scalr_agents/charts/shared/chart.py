"""The definition of a chart."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeVar

from pydantic.alias_generators import to_camel

from scalr_agents.charts.shared.corrections import Rule
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.charts.shared.manifests.secrets import SecretData
from scalr_agents.charts.shared.moved import Moved
from scalr_agents.charts.shared.network.destinations import Pods
from scalr_agents.charts.shared.settings import Settings
from scalr_agents.charts.shared.values import ReleaseValues
from scalr_agents.charts.shared.versions import Table
from scalr_agents.model.findings import Finding
from scalr_agents.model.manifests import Manifest
from scalr_agents.model.names import Labels
from scalr_agents.model.parse import places
from scalr_agents.model.release import Release

V = TypeVar("V", bound=ReleaseValues)
Group = dict[str, Manifest]
"""Objects by role. The role is the last part of the object's Pulumi resource name and never changes."""


class Runs(NamedTuple):
    """How the runs of an agent show in the cluster, for charts that start pods for them."""

    names: str
    """Pattern (RE2) of the names of their Jobs, which begin the names of their pods; empty if the agent chooses the names of its pods."""
    schedule_seconds: int
    """Seconds after which the agent gives up a run whose pod has no node."""
    start_seconds: int
    """Seconds after which the agent gives up a run whose pod has not started."""


_OTHER_NAMES = {"replicas": "replicaCount"}
"""Names that users expect for a value."""


def _nothing_in_common(_values: Any) -> tuple[Labels, Mapping[str, Any]]:
    return {}, {}


def _no_caches(_values: Any) -> int:
    return 0


@dataclass(frozen=True, kw_only=True)
class Chart(Generic[V]):
    """A chart: one way to run an agent, with everything that is specific to it.

    One model of the values serves all versions: that of the newest, with its defaults. The differences of older versions are data in
    `versions`.
    """

    name: str
    values: type[V]
    versions: Table[Any]
    settings: type[Settings]
    check: Callable[[V, Release, Inputs], Iterator[Finding]]
    """Cross-checks on values that are valid one by one."""
    groups: Mapping[str, Callable[[V, Release, Inputs], Group]]
    """Functions that make the objects, by group, in the order in which they must be applied. One component owns each group."""
    secret_data: Callable[[V, Inputs], SecretData]
    """Contents of the Secrets."""
    pods: Callable[[V, Release, Inputs], Sequence[Pods]]
    """Its pods, and what they connect to."""
    corrections: Sequence[Rule]
    """Where the objects differ from those of the published chart."""
    common: Callable[[V], tuple[Labels, Mapping[str, Any]]] = _nothing_in_common
    """Labels and annotations that all objects get."""
    moved: Mapping[str, Moved] = field(default_factory=dict)
    """Values of earlier forms of the chart, and where they are now."""
    hints: Mapping[str, str] = field(default_factory=dict)
    """What to write instead of keys that the chart does not have here, by their path."""
    serves_vcs: bool = False
    """Whether its agents can also serve VCS providers."""
    owns_node_directory: bool = False
    """Whether its agents need a dedicated directory on their nodes."""
    pre_pulls: bool = False
    """Whether its images can be pulled to nodes before runs need them."""
    scales: bool = False
    """Whether the number of its agents can follow their load."""
    is_restricted: bool = True
    """Whether its pods pass PodSecurity `restricted`."""
    closing_metadata: str = ""
    """How its users block the metadata services, as an imperative."""
    metadata_switch: str = ""
    """The value that blocks the metadata service, if the chart allows access by default; else empty."""
    longest_run_seconds: Callable[[V], int | None] | None = None
    """Seconds that the pod of a run may exist, for charts whose runs have pods that mount claims; returns `None` for no limit."""
    cache_megabytes: Callable[[V], int] = _no_caches
    """The size in MB that the caches of an agent may grow to on the volume for them, as far as the values limit it."""
    runs: Callable[[V, Release], Runs] | None = None
    """How its runs show in the cluster, for charts that start pods for them."""
    runs_at_once: str = ""
    """What its users set instead of a concurrency, which only machines have."""
    further_images: str = ""
    """Note for users on images that its agents choose themselves."""

    @property
    def starts_pods(self) -> bool:
        """Whether its agents start pods in their namespace."""
        return self.runs is not None

    def keys(self) -> frozenset[str]:
        """The keys at the top of its values."""
        return frozenset(field.alias or name for name, field in self.values.model_fields.items())

    def place_of(self, key: str) -> str:
        """The message on a key outside of `values` by which a user may mean a value; empty if there is no such value."""
        meant = _OTHER_NAMES.get(key, key)
        paths = [f"values.{path}" for path in places(self.values, meant) or places(self.values, to_camel(meant))]
        return f"unknown key {key!r}; it is a value of {self.name}: write {' or '.join(paths)}" if paths else ""
