"""Section `persistence`: volumes for workspace data and for the shared cache."""

from scalr_agents.values.fields import AccessMode, Flag, InputName, KubernetesMap, Quantity, SubPath, Text
from scalr_agents.values.section import ChartSection, default


class Claim(ChartSection):
    """A PersistentVolumeClaim, existing or made here."""

    claim_name: InputName = ""
    """Name of an existing claim. Default: one is made."""
    storage_class_name: Text = ""
    """Storage class of a claim made here; empty is the cluster's default, `-` is none (static volumes)."""
    storage: Quantity = "4Gi"
    """Size of a claim made here."""
    access_mode: AccessMode = "ReadWriteOnce"
    """Access mode of a claim made here."""
    sub_path: SubPath = ""
    """Directory inside the volume, so that several releases can share one."""


class CacheClaim(Claim):
    """The claim of the shared cache; all task pods and the controllers mount it."""

    storage: Quantity = "90Gi"
    """Size of a claim made here."""
    access_mode: AccessMode = "ReadWriteMany"
    """Access mode of a claim made here; several pods need ReadWriteMany."""


class Data(ChartSection):
    """Workspace data of a run."""

    enabled: Flag = False
    """Whether to keep it on a claim. Default: an emptyDir, gone with the run."""
    empty_dir: KubernetesMap = {"sizeLimit": "4Gi"}
    """Kubernetes EmptyDirVolumeSource, used when not enabled."""
    persistent_volume_claim: Claim = default(Claim)
    """The claim, used when enabled."""


class Cache(ChartSection):
    """Binaries, providers and modules, shared by runs."""

    enabled: Flag = False
    """Whether to keep it on a claim. Default: an emptyDir, every run downloads."""
    empty_dir: KubernetesMap = {"sizeLimit": "1Gi"}
    """Kubernetes EmptyDirVolumeSource, used when not enabled."""
    persistent_volume_claim: CacheClaim = default(CacheClaim)
    """The claim, used when enabled."""


class Persistence(ChartSection):
    """Volumes of the task pods; the controllers mount the cache too."""

    data: Data = default(Data)
    """Workspace data."""
    cache: Cache = default(Cache)
    """The shared cache."""
