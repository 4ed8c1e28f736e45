"""Agents on Compute Engine, in a regional managed instance group: their settings, and what their machine types require."""

import re
from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal, NamedTuple

from pydantic import BeforeValidator, Field

from scalr_agents.machines.settings import MOST_EGRESS_PORTS, Arguments, Port, Volume, count
from scalr_agents.model import google
from scalr_agents.model.fields import InputText
from scalr_agents.model.findings import Findings, error
from scalr_agents.model.forms import REQUIRED, Form, caution, integral
from scalr_agents.model.relations import Relations, check
from scalr_agents.model.section import Section, default

_SUBNETWORK = (
    r"(?P<bare>[a-z]([-a-z0-9]*[a-z0-9])?)"
    r"|(?:https://(?:www|compute)\.googleapis\.com/compute/[^/]+/)?(?:projects/(?P<project>[^/]+)/)?"
    r"regions/(?P<region>[^/]+)/subnetworks/(?P<name>[^/]+)"
)
_SUBNETWORK_FORM = Form(
    expected="the name of a subnetwork, its path or its URL: projects/<project>/regions/<region>/subnetworks/<name>", test=_SUBNETWORK
)
_IMAGES: Mapping[str, tuple[str, ...]] = {"arm64": ("arm64", "aarch64"), "x86_64": ("ubuntu-2204-lts", "amd64", "x86-64")}
"""Parts of image names that identify their architecture."""


class Subnetwork(NamedTuple):
    """Where a subnetwork is."""

    name: str
    region: str
    project: str | None
    """`None` means the project of the provider."""


def subnetwork(given: str, region: str) -> Subnetwork:
    """Parse the name, the path or the URL of a subnetwork. Raises `ValueError` if it is invalid or in another region."""
    match = re.fullmatch(_SUBNETWORK, given)
    if match is None:
        raise ValueError(f"expected {_SUBNETWORK_FORM.expected}")
    if match["bare"]:
        return Subnetwork(match["bare"], region, None)
    if region and match["region"] != region:
        raise ValueError(f"is in region {match['region']}, but the machines are in {region}")
    return Subnetwork(match["name"], match["region"], match["project"])


def _in_region(given: str, region: str) -> Findings:
    try:
        subnetwork(given, region)
    except ValueError as problem:
        yield error("subnetwork", str(problem))


class Family(NamedTuple):
    """What a family of machine types requires."""

    disk: str = "pd-balanced"
    """Type of the boot disk. The newest families do not support Persistent Disk, the oldest do not support Hyperdisk."""
    architecture: Literal["x86_64", "arm64"] = "x86_64"


_HYPERDISK = "hyperdisk-balanced"
FAMILIES: Mapping[str, Family] = {
    **{name: Family() for name in ("c2", "c2d", "c3", "c3d", "e2", "f1", "g1", "n1", "n2", "n2d", "t2d")},
    **{name: Family(_HYPERDISK) for name in ("c4", "c4d", "n4", "n4d")},
    **{name: Family(_HYPERDISK, "arm64") for name in ("c4a", "n4a")},
    "t2a": Family(architecture="arm64"),
}
"""The general-purpose and compute-optimized families, from https://cloud.google.com/compute/docs/machine-resource and
https://cloud.google.com/compute/docs/disks/hyperdisks, as of March 2026."""
_UBUNTU = "projects/ubuntu-os-cloud/global/images/family/ubuntu-2204-lts"


def _family(machine_type: str) -> Family | None:
    """The family of a machine type, or `None` for unknown families. `custom-<vCPUs>-<MB>` belongs to n1."""
    return FAMILIES.get("n1" if machine_type.startswith("custom-") else machine_type.partition("-")[0])


def default_image(machine_type: str) -> str:
    """The default image of machines: Ubuntu for the architecture of their type."""
    family = _family(machine_type)
    return f"{_UBUNTU}-arm64" if family and family.architecture == "arm64" else _UBUNTU


def disk_type(machine_type: str) -> str:
    """The type of boot disk that a machine type supports."""
    return (_family(machine_type) or Family()).disk


class GceVolume(Volume):
    """The machine's disk. It holds the system, Docker's images and the data of runs."""

    kms_key: google.DiskKmsKey = ""
    """Full name of the Cloud KMS key that encrypts the disk. Default: the key that Google manages. The disk is always encrypted."""


def _known_family(kind: str) -> str:
    known = ", ".join(sorted(FAMILIES))
    text = f"unknown family: an x86_64 image and a pd-balanced disk are used; known: {known}"
    return "" if _family(kind) else text


def _architecture(image: str, kind: str) -> Findings:
    family = _family(kind)
    named = next((cpu for cpu, parts in _IMAGES.items() if any(part in image for part in parts)), None)
    if family and named and named != family.architecture:
        message = f"is an image for {named}, but {kind} is {family.architecture}; remove it to use Ubuntu, or set another image"
        yield error("machine_image", message)


class GceSettings(Section):
    """Machines in a regional managed instance group on Google Cloud."""

    region: Annotated[google.Region, REQUIRED] = ""
    """Region of the group. Required."""
    subnetwork: Annotated[InputText, REQUIRED, _SUBNETWORK_FORM] = ""
    """Name of the subnetwork, or its full path or URL for a shared VPC. It needs Cloud NAT or a proxy. Required."""
    machine_type: Annotated[google.MachineType, REQUIRED, caution(_known_family)] = ""
    """Machine type. Required."""
    min: Annotated[int, Field(ge=1), BeforeValidator(integral)] = 1
    """Minimum number of machines."""
    max: Annotated[int, Field(gt=0), BeforeValidator(integral)] | None = None
    """Maximum number of machines. Default: as many as `min`. Between the two, the group scales with CPU use."""
    machine_image: google.ImageName = Field("", alias="image")
    """Image of the machines. It must have cloud-init. Default: Ubuntu 22.04 LTS, for the architecture of `machineType`."""
    egress_ports: Annotated[list[Port], Field(max_length=MOST_EGRESS_PORTS)] = []
    """Further TCP ports that the firewall rules open for egress, for instance 80 for updates of Ubuntu's packages."""
    volume: GceVolume = default(GceVolume)
    """Boot disk of the machines."""
    service_account: google.ServiceAccount = ""
    """Email of an existing service account, which may be the identity of runs. Default: a new account that can read only the agent's
    secret."""
    labels: google.Labels = {}
    """Labels of all Google Cloud resources that support them."""

    relations: ClassVar[Relations] = (
        check("subnetwork", "region", when="region", by=_in_region),
        check("max", "min", by=count, named="min"),
        check("machine_image", "machine_type", by=_architecture),
    )


class GceArguments(GceSettings, Arguments):
    """Arguments of `GceAgents`."""
