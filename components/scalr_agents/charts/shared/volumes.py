"""Volumes that are on a claim or in an emptyDir."""

from scalr_agents.model.fields import AccessMode, EmptyDir, Flag, InputName, Quantity, SubPath, Text
from scalr_agents.model.section import ChartSection, default


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


class Volume(ChartSection):
    """A volume of a pod."""

    enabled: Flag = False
    """Whether to keep it on a claim. Default: an emptyDir, gone with the pod."""
    empty_dir: EmptyDir = {}
    """Kubernetes EmptyDirVolumeSource, used when not enabled."""
    persistent_volume_claim: Claim = default(Claim)
    """The claim, used when enabled."""
