"""What a chart is."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.charts.shared.manifests.objects import Manifest
from scalr_agents.charts.shared.manifests.secrets import Held
from scalr_agents.charts.shared.moved import Moved
from scalr_agents.charts.shared.settings import Settings
from scalr_agents.charts.shared.values import ReleaseValues
from scalr_agents.charts.shared.versions import Table
from scalr_agents.model.findings import Finding
from scalr_agents.model.names import Labels
from scalr_agents.model.release import Release

if TYPE_CHECKING:
    from scalr_agents.charts.shared.corrections import Rule

V = TypeVar("V", bound=ReleaseValues)
Group = dict[str, Manifest]
"""Objects by role. The role is the last part of an object's name in Pulumi and never changes."""


def _nothing_in_common(_values: Any) -> tuple[Labels, Mapping[str, Any]]:
    return {}, {}


@dataclass(frozen=True, kw_only=True)
class Chart(Generic[V]):
    """One of the things that an agent can be, with all that is decided about it.

    There is one model of its values for all versions: that of the newest, with the newest defaults. What differs in older ones is data
    in `versions`.
    """

    name: str
    values: type[V]
    versions: Table[Any]
    settings: type[Settings]
    check: Callable[[V, Release, Inputs], Iterator[Finding]]
    """What is wrong with valid values, or odd about them."""
    groups: Mapping[str, Callable[[V, Release, Inputs], Group]]
    """What makes the objects, in the order in which they must be applied, by the group that one component owns."""
    held: Callable[[V, Inputs], Held]
    """What the Secrets hold."""
    corrections: "Callable[[], Sequence[Rule]]"
    """Where the objects differ from those of the published chart."""
    common: Callable[[V], tuple[Labels, Mapping[str, Any]]] = _nothing_in_common
    """Labels and annotations of all objects."""
    moved: Mapping[str, Moved] = field(default_factory=dict)
    """Values of earlier shapes of the chart, and where they are now."""
    serves_vcs: bool = False
    """Whether its agents serve VCS providers too."""
    starts_pods: bool = True
    """Whether its agents may start pods in their namespace."""
    owns_node_directory: bool = False
    """Whether its agents need a directory of their nodes for themselves."""
    metadata_switch: str = ""
    """The value that closes the metadata service, where it is open unless something else is said."""
    longest_run_seconds: Callable[[V], int | None] | None = None
    """How long the pod of a run may be there, where runs have pods that mount claims; `None` for no limit."""
    further_images: str = ""
    """What is to be said of images that its agents choose themselves."""

    def keys(self) -> frozenset[str]:
        """The keys at the top of its values."""
        return frozenset(field.alias or name for name, field in self.values.model_fields.items())
