"""Volumes backed by a claim or by an emptyDir."""

from scalr_agents.model.fields import AccessMode, EmptyDir, Flag, InputName, Quantity, StorageClassName, SubPath
from scalr_agents.model.section import ChartSection, default


class Claim(ChartSection):
    """A PersistentVolumeClaim: an existing one, or one that is created."""

    claim_name: InputName = ""
    """Name of an existing claim. Default: a claim is created."""
    storage_class_name: StorageClassName = ""
    """Storage class of the created claim. `-` means none, for static volumes. Default: the cluster's default class."""
    storage: Quantity = "4Gi"
    """Size of the created claim."""
    access_mode: AccessMode = "ReadWriteOnce"
    """Access mode of the created claim."""
    sub_path: SubPath = ""
    """Directory inside the volume, so that several releases can share a volume. Default: the root of the volume."""


class Volume(ChartSection):
    """A volume of a pod."""

    enabled: Flag = False
    """Whether to use a claim. Default: an emptyDir, which is deleted with the pod."""
    empty_dir: EmptyDir = {}
    """Kubernetes EmptyDirVolumeSource, used if `enabled` is false."""
    persistent_volume_claim: Claim = default(Claim)
    """The claim, used if `enabled` is true."""
