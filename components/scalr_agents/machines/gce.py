"""The settings of agents on Compute Engine: machines in a regional managed instance group."""

import re
from collections.abc import Mapping
from typing import Annotated, ClassVar, NamedTuple

from pydantic import BeforeValidator, Field

from scalr_agents.machines import instance_types
from scalr_agents.machines.settings import MOST_EGRESS_PORTS, Arguments, Port, Volume, count
from scalr_agents.model import google
from scalr_agents.model.fields import InputText
from scalr_agents.model.findings import Findings, error
from scalr_agents.model.forms import REQUIRED, Form, caution, integral
from scalr_agents.model.relations import Is, Relations, check
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


class GceVolume(Volume):
    """The machine's disk. It holds the system, Docker's images and the data of runs."""

    kms_key: google.DiskKmsKey = ""
    """Full name of the Cloud KMS key that encrypts the disk. Default: the key that Google manages. The disk is always encrypted."""


def _room(kind: str, concurrency: int, memory_per_run: str) -> Findings:
    yield from instance_types.room(("machine_type",), kind, instance_types.gce_memory(kind), concurrency, memory_per_run)


def _known_family(kind: str) -> str:
    known = ", ".join(instance_types.GOOGLE_FAMILIES)
    text = f"unknown family: an x86_64 image and a pd-balanced disk are used; known: {known}"
    return "" if instance_types.gce_family(kind) else text


def _architecture(image: str, kind: str) -> Findings:
    family = instance_types.gce_family(kind)
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
        check("machine_type", "concurrency", "memory_per_run", unless=Is("role", "vcs"), by=_room),
    )


class GceArguments(GceSettings, Arguments):
    """Arguments of `GceAgents`."""
