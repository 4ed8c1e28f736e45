"""Section `persistence`: volumes for workspace data and for the cache."""

from scalr_agents.charts.shared.volumes import Claim, Volume
from scalr_agents.model.fields import EmptyDir, Flag, Quantity
from scalr_agents.model.section import ChartSection, default


class Data(Volume):
    """Workspace data of the run in progress."""

    empty_dir: EmptyDir = {"sizeLimit": "4Gi"}
    """Kubernetes EmptyDirVolumeSource, used when not enabled."""


class CacheClaim(Claim):
    """The claim of the cache."""

    storage: Quantity = "20Gi"
    """Size of a claim made here."""


class Cache(Volume):
    """Binaries, providers and modules."""

    empty_dir: EmptyDir = {"sizeLimit": "20Gi"}
    """Kubernetes EmptyDirVolumeSource, used when not enabled."""
    persistent_volume_claim: CacheClaim = default(CacheClaim)
    """The claim, used when enabled."""


class Persistence(ChartSection):
    """Volumes of the agent's pods."""

    enabled: Flag = False
    """Whether to keep the cache on a claim; from agent 1.2 on deprecated for `cache.enabled`."""
    persistent_volume_claim: CacheClaim = default(CacheClaim)
    """The cache's claim; from agent 1.2 on deprecated for `cache.persistentVolumeClaim`."""
    empty_dir: EmptyDir = {}
    """Kubernetes EmptyDirVolumeSource of both volumes, which were one in the chart before 0.5.64; wins over their own `emptyDir`."""
    data: Data = default(Data)
    """Workspace data."""
    cache: Cache = default(Cache)
    """The cache."""
