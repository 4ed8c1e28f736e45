"""Section `persistence`: volumes for workspace data and for the cache."""

from scalr_agents.charts.shared import volumes
from scalr_agents.model.fields import Annotations, EmptyDir, Flag, Quantity
from scalr_agents.model.section import ChartSection, default


class Claim(volumes.Claim):
    """A PersistentVolumeClaim: an existing one, or one that is created."""

    annotations: Annotations = {}
    """Annotations of the created claim, for instance for backups. Not in the chart up to 0.6.5."""


class Data(volumes.Volume):
    """Workspace data of the run in progress."""

    empty_dir: EmptyDir = {"sizeLimit": "4Gi"}
    """Kubernetes EmptyDirVolumeSource, used if `enabled` is false."""
    persistent_volume_claim: Claim = default(Claim)
    """The claim, used if `enabled` is true."""


class CacheClaim(Claim):
    """The claim of the cache."""

    storage: Quantity = "20Gi"
    """Size of the created claim."""


class Cache(volumes.Volume):
    """The cache of binaries, providers and modules."""

    empty_dir: EmptyDir = {"sizeLimit": "20Gi"}
    """Kubernetes EmptyDirVolumeSource, used if `enabled` is false."""
    persistent_volume_claim: CacheClaim = default(CacheClaim)
    """The claim, used if `enabled` is true."""


class Persistence(ChartSection):
    """Volumes of the agent's pods."""

    enabled: Flag = False
    """Whether to use a claim for the cache. Deprecated from agent 1.2; use `cache.enabled`."""
    persistent_volume_claim: CacheClaim = default(CacheClaim)
    """The cache's claim. Deprecated from agent 1.2; use `cache.persistentVolumeClaim`."""
    empty_dir: EmptyDir = {}
    """Kubernetes EmptyDirVolumeSource of both volumes, which were one volume in charts before 0.5.64. Takes precedence over their own
    `emptyDir`."""
    data: Data = default(Data)
    """Workspace data."""
    cache: Cache = default(Cache)
    """The cache."""
