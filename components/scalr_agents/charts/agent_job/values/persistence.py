"""Section `persistence`: volumes for workspace data and for the shared cache."""

from typing import Literal

from scalr_agents.charts.shared.values import Image, resources
from scalr_agents.charts.shared.volumes import Claim, Volume
from scalr_agents.model.fields import AccessMode, EmptyDir, Flag, ImageTag, OptionalDirectory, Quantity, Repository, Resources
from scalr_agents.model.section import ChartSection, default


class CacheClaim(Claim):
    """The claim of the shared cache, which all task pods and the controllers mount."""

    storage: Quantity = "90Gi"
    """Size of the created claim."""
    access_mode: AccessMode = "ReadWriteMany"
    """Access mode of the created claim. Several pods require ReadWriteMany; anything else is a warning."""


class Data(Volume):
    """Workspace data of a run."""

    enabled: Flag = False
    """Whether to use a claim. Default: an emptyDir, which is deleted with the run's pod."""
    empty_dir: EmptyDir = {"sizeLimit": "4Gi"}
    """Kubernetes EmptyDirVolumeSource, used if `enabled` is false."""
    persistent_volume_claim: Claim = default(Claim)
    """The claim, used if `enabled` is true."""


class PreparationImage(Image):
    """Image of the pods that prepare nodes. It must contain a shell, `stat`, `chown`, `chmod` and `sleep`."""

    repository: Repository = "busybox"
    """Repository, without tag."""
    tag: ImageTag = "1.37"
    """Tag."""


class Preparation(ChartSection):
    """A DaemonSet that makes the tasks' user the owner of the directory, on every node that tasks may use. Not in the chart."""

    enabled: Flag = False
    """Whether to prepare the nodes. Kubernetes creates the directory for root, but tasks do not run as root. If false, change the owner
    yourself. Requires `persistence.cache.enabled` and `persistence.cache.hostPath.path`."""
    image: PreparationImage = default(PreparationImage)
    """Image."""
    resources: Resources = resources("10m", "16Mi", "50m", "64Mi")
    """Resources of the DaemonSet's containers."""


class HostPath(ChartSection):
    """A directory of each node."""

    path: OptionalDirectory = ""
    """Absolute path. Default: none; the cache is on the claim."""
    type: Literal["", "Directory", "DirectoryOrCreate"] = "DirectoryOrCreate"
    """Kubernetes field `hostPath.type`."""
    preparation: Preparation = default(Preparation)
    """Preparation of the directory on the nodes."""


class Cache(Volume):
    """The cache of binaries, providers and modules, which runs share."""

    enabled: Flag = False
    """Whether to use a claim or `hostPath`. Default: an emptyDir, so that every run downloads everything."""
    empty_dir: EmptyDir = {"sizeLimit": "1Gi"}
    """Kubernetes EmptyDirVolumeSource, used if `enabled` is false."""
    persistent_volume_claim: CacheClaim = default(CacheClaim)
    """The claim, used if `enabled` is true."""
    host_path: HostPath = default(HostPath)
    """A directory of each node for the cache of task pods, used if `enabled` is true. Takes precedence over the claim; controllers then use
    an emptyDir."""


class Persistence(ChartSection):
    """Volumes of the task pods. The controllers mount the cache too."""

    data: Data = default(Data)
    """Workspace data."""
    cache: Cache = default(Cache)
    """The shared cache."""
