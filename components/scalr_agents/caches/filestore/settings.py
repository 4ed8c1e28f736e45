"""The settings of a Filestore instance and of its network, and of the volume that agents mount."""

import re
from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from scalr_agents.caches.filestore.tiers import SMALL, TIERS, Protocol, Sizes, Tier
from scalr_agents.model import quantities
from scalr_agents.model.fields import InputMap, InputText, Quantity, Text
from scalr_agents.model.forms import integral
from scalr_agents.model.section import Section

INSTANCE = re.compile(r"projects/(?P<project>[^/]+)/locations/(?P<location>[^/]+)/instances/(?P<name>[^/]+)")
NETWORK = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?|(.*/)?projects/(?P<project>[^/]+)/global/networks/[^/]+")

ConnectMode = Literal["DIRECT_PEERING", "PRIVATE_SERVICE_ACCESS"]
ShareAccess = Literal["READ_WRITE", "READ_ONLY"]
SquashMode = Literal["NO_ROOT_SQUASH", "ROOT_SQUASH"]
AnonymousId = Annotated[int | None, Field(ge=0, lt=2**32), BeforeValidator(integral)]


class ExportOption(Section):
    """Clients that may mount the share, and how they access it."""

    ip_ranges: list[str] = []
    """IPv4 addresses and networks of the clients. Default: the whole VPC."""
    access_mode: ShareAccess = "READ_WRITE"
    """Access of these clients: `READ_WRITE` or `READ_ONLY`."""
    squash_mode: SquashMode = "NO_ROOT_SQUASH"
    """Whether a client's root is root on the share. The kubelet, which runs as root, needs this to give the volume to the pods' group."""
    anon_uid: AnonymousId = None
    """User ID of a squashed root, at least 1. Only with `ROOT_SQUASH`."""
    anon_gid: AnonymousId = None
    """Group ID of a squashed root, at least 1. Only with `ROOT_SQUASH`."""


class FilestoreSettings(Section):
    """A Filestore instance: a new one, or an existing one given by its ID."""

    instance_id: InputText = ""
    """ID of an existing instance, `projects/<project>/locations/<location>/instances/<name>`. Its address and share are looked up."""
    tier: Tier = "BASIC_HDD"
    """Service tier."""
    location: Text = ""
    """Zone for the tiers BASIC_HDD, BASIC_SSD and ZONAL; region for REGIONAL and ENTERPRISE. Required for a new instance."""
    project: Text = ""
    """Google Cloud project. Default: the provider's project."""
    capacity: Quantity = "1Ti"
    """Size of the share. The tier determines the allowed range and steps."""
    share_name: Text = "cache"
    """Name of the share."""
    network: InputText = "default"
    """Name of the VPC network, or its full path for a shared VPC."""
    connect_mode: ConnectMode = "DIRECT_PEERING"
    """How the network connects to the instance. A shared VPC requires PRIVATE_SERVICE_ACCESS."""
    reserved_ip_range: InputText = ""
    """IP range of the instance: a network for DIRECT_PEERING, the name of an allocated range for PRIVATE_SERVICE_ACCESS. Default: any."""
    protocol: Protocol = "NFS_V3"
    """NFS version. Basic tiers support only NFS_V3."""
    export_options: Sequence[ExportOption] = []
    """Clients that may mount the share. Default: all hosts of the network."""
    kms_key: InputText = ""
    """Full resource name of the Cloud KMS key. Default: a Google-managed key."""
    labels: InputMap = {}
    """Labels of the instance."""

    @property
    def capacity_gib(self) -> int:
        """Size of the share in GiB, the unit of the Filestore API."""
        return int(quantities.parse(self.capacity) / quantities.GIBIBYTE)

    @property
    def size_range(self) -> Sizes | None:
        """The range of its capacity; none if it is not allowed."""
        return next((sizes for sizes in TIERS[self.tier].sizes if sizes.has(self.capacity_gib)), None)

    @property
    def size_class(self) -> str | None:
        """What of its size cannot change in place: `small` or `large`, for a tier that has both."""
        both = len(TIERS[self.tier].sizes) > 1
        return ("small" if self.size_range == SMALL else "large") if both else None


class FilestoreClaimSettings(Section):
    """The volume of an instance, for the agents of one namespace."""

    namespace: str
    release: str
    instance_id: InputText
    share_name: InputText = "cache"
    ip_address: InputText
    capacity: InputText = "1Ti"
    protocol: InputText = "NFS_V3"


def instance_parts(instance_id: str) -> dict[str, str]:
    """Project, location and name of an instance."""
    match = INSTANCE.fullmatch(instance_id)
    if match is None:
        raise ValueError(f"{instance_id!r} is not the ID of a Filestore instance")
    return match.groupdict()


def network(given: str, project: str | None) -> str:
    """A network as Filestore takes it: its name if it is in the project of the instance, its path otherwise.

    The provider takes another spelling for another network, and so for another instance. `project` is None if it is not known.
    """
    match = NETWORK.fullmatch(given)
    if match is None or not match["project"]:
        return given
    name = given.rpartition("/")[2]
    return name if match["project"] == project else f"projects/{match['project']}/global/networks/{name}"
