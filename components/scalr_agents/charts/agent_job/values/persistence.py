"""Section `persistence`: volumes for workspace data and for the shared cache."""

from typing import Literal

from scalr_agents.charts.shared.values import Image, resources
from scalr_agents.charts.shared.volumes import Claim, Volume
from scalr_agents.model.fields import AccessMode, EmptyDir, Flag, ImageTag, OptionalDirectory, Quantity, Repository, Resources
from scalr_agents.model.section import ChartSection, default


class CacheClaim(Claim):
    """The claim of the shared cache; all task pods and the controllers mount it."""

    storage: Quantity = "90Gi"
    """Size of a claim made here."""
    access_mode: AccessMode = "ReadWriteMany"
    """Access mode of a claim made here; several pods need ReadWriteMany."""


class Data(Volume):
    """Workspace data of a run."""

    enabled: Flag = False
    """Whether to keep it on a claim. Default: an emptyDir, gone with the run."""
    empty_dir: EmptyDir = {"sizeLimit": "4Gi"}
    """Kubernetes EmptyDirVolumeSource, used when not enabled."""
    persistent_volume_claim: Claim = default(Claim)
    """The claim, used when enabled."""


class PreparationImage(Image):
    """Image of the pods that prepare nodes: it needs a shell, `stat`, `chown`, `chmod` and `sleep`."""

    repository: Repository = "busybox"
    """Repository, without tag."""
    tag: ImageTag = "1.37"
    """Tag."""


class Preparation(ChartSection):
    """A DaemonSet that gives the directory to the user of the tasks, on every node that tasks may use. Not in the chart."""

    enabled: Flag = False
    """Whether to prepare the nodes. Kubernetes makes the directory for root, and tasks are not root: somebody must."""
    image: PreparationImage = default(PreparationImage)
    """Image."""
    resources: Resources = resources("10m", "16Mi", "50m", "64Mi")
    """Resources of its containers."""


class HostPath(ChartSection):
    """A directory of the node."""

    path: OptionalDirectory = ""
    """Absolute path. Default: none, the cache is on the claim."""
    type: Literal["", "Directory", "DirectoryOrCreate"] = "DirectoryOrCreate"
    """Kubernetes field `hostPath.type`."""
    preparation: Preparation = default(Preparation)
    """How the directory gets its owner."""


class Cache(Volume):
    """Binaries, providers and modules, shared by runs."""

    enabled: Flag = False
    """Whether to keep it on a claim. Default: an emptyDir, every run downloads."""
    empty_dir: EmptyDir = {"sizeLimit": "1Gi"}
    """Kubernetes EmptyDirVolumeSource, used when not enabled."""
    persistent_volume_claim: CacheClaim = default(CacheClaim)
    """The claim, used when enabled."""
    host_path: HostPath = default(HostPath)
    """A directory of the node for the cache of task pods, used when enabled; wins over the claim. Controllers then have an emptyDir."""


class Persistence(ChartSection):
    """Volumes of the task pods; the controllers mount the cache too."""

    data: Data = default(Data)
    """Workspace data."""
    cache: Cache = default(Cache)
    """The shared cache."""
