"""Memory, architecture and boot disk of common machine types. Other types are not checked."""

import re
from collections.abc import Mapping
from typing import Literal, NamedTuple

from scalr_agents.model import quantities
from scalr_agents.model.findings import Findings, Path, warning

GIB = 1024**3
_SYSTEM_BYTES = GIB
"""Memory reserved for the operating system."""
Cpu = Literal["x86_64", "arm64"]

_EC2_SIZES = {"medium": 1, "large": 2, "xlarge": 4}
"""vCPUs by size. `<n>xlarge` has 4 n."""
_BURSTABLE = {"nano": 0.5, "micro": 1.0, "small": 2.0, "medium": 4.0, "large": 8.0, "xlarge": 16.0, "2xlarge": 32.0}
"""GiB of memory by size, of the families t3, t3a and t4g."""
_EC2_PER_CPU = {"c": 2.0, "m": 4.0, "r": 8.0}
"""GiB of memory per vCPU, of the compute, general-purpose and memory families."""
_EC2_FAMILY = re.compile(r"([cmr])([5-8])(g|i|a|gd|id|ad|d|n|gn|in)?\.(\w+)")


class Family(NamedTuple):
    """A family of machine types of Google Cloud."""

    disk: str = "pd-balanced"
    """Type of the boot disk. The newest families do not support Persistent Disk, the oldest do not support Hyperdisk."""
    architecture: Cpu = "x86_64"
    gib_per_cpu: Mapping[str, float] = {}
    """GiB of memory per vCPU of predefined types, by the middle part of their names."""


_USUAL = {"standard": 4.0, "highmem": 8.0}
_USUAL_HIGHCPU = {**_USUAL, "highcpu": 1.0}
_HYPERDISK = "hyperdisk-balanced"
GOOGLE_FAMILIES: Mapping[str, Family] = {
    "c2": Family(gib_per_cpu={"standard": 4.0}),
    "c2d": Family(gib_per_cpu={**_USUAL, "highcpu": 2.0}),
    "c3": Family(gib_per_cpu={**_USUAL, "highcpu": 2.0}),
    "c3d": Family(gib_per_cpu={**_USUAL, "highcpu": 2.0}),
    "c4": Family(_HYPERDISK, gib_per_cpu={"standard": 3.75, "highmem": 7.75, "highcpu": 2.0}),
    "c4a": Family(_HYPERDISK, "arm64", {**_USUAL, "highcpu": 2.0}),
    "c4d": Family(_HYPERDISK, gib_per_cpu={"standard": 3.875, "highmem": 7.875, "highcpu": 1.875}),
    "e2": Family(gib_per_cpu=_USUAL_HIGHCPU),
    "f1": Family(),
    "g1": Family(),
    "n1": Family(gib_per_cpu={"standard": 3.75, "highmem": 6.5, "highcpu": 0.9}),
    "n2": Family(gib_per_cpu=_USUAL_HIGHCPU),
    "n2d": Family(gib_per_cpu=_USUAL_HIGHCPU),
    "n4": Family(_HYPERDISK, gib_per_cpu={**_USUAL, "highcpu": 2.0}),
    "n4a": Family(_HYPERDISK, "arm64", {**_USUAL, "highcpu": 2.0}),
    "n4d": Family(_HYPERDISK, gib_per_cpu={**_USUAL, "highcpu": 2.0}),
    "t2a": Family(architecture="arm64", gib_per_cpu={"standard": 4.0}),
    "t2d": Family(gib_per_cpu={"standard": 4.0}),
}
"""The general-purpose and compute-optimized families, from https://cloud.google.com/compute/docs/machine-resource and
https://cloud.google.com/compute/docs/disks/hyperdisks, as of March 2026."""
_GCE_SHARED = {"e2-micro": 1.0, "e2-small": 2.0, "e2-medium": 4.0, "f1-micro": 0.6, "g1-small": 1.7}
_CUSTOM = re.compile(r"(?:(?P<family>\w+)-)?custom-[0-9]+-(?P<megabytes>[0-9]+)(?:-ext)?")
_UBUNTU_ON_GCE = "projects/ubuntu-os-cloud/global/images/family/ubuntu-2204-lts"


def ec2_memory(instance_type: str) -> float | None:
    """Memory in bytes, or `None` for unknown types."""
    family, _, size = instance_type.partition(".")
    if family in ("t3", "t3a", "t4g"):
        gib = _BURSTABLE.get(size)
        return gib * GIB if gib else None
    match = _EC2_FAMILY.fullmatch(instance_type)
    cpus = _ec2_cpus(size)
    return _EC2_PER_CPU[match[1]] * cpus * GIB if match and cpus else None


def _ec2_cpus(size: str) -> int:
    number = re.fullmatch(r"([0-9]+)xlarge", size)
    return 4 * int(number[1]) if number else _EC2_SIZES.get(size, 0)


def ec2_architecture(instance_type: str) -> Cpu | None:
    """The architecture, or `None` for unknown types."""
    if ec2_memory(instance_type) is None:
        return None
    return "arm64" if re.match(r"t4g|[cmr][5-8]g", instance_type) else "x86_64"


def gce_family(machine_type: str) -> Family | None:
    """The family of a machine type, or `None` for unknown families. `custom-<vCPUs>-<MB>` belongs to n1."""
    return GOOGLE_FAMILIES.get("n1" if machine_type.startswith("custom-") else machine_type.partition("-")[0])


def gce_image(machine_type: str) -> str:
    """The default image of machines: Ubuntu for the architecture of their type."""
    family = gce_family(machine_type)
    return f"{_UBUNTU_ON_GCE}-arm64" if family and family.architecture == "arm64" else _UBUNTU_ON_GCE


def gce_disk_type(machine_type: str) -> str:
    """The type of boot disk that a machine type supports."""
    return (gce_family(machine_type) or Family()).disk


def gce_memory(machine_type: str) -> float | None:
    """Memory in bytes, or `None` for unknown types. The names of `custom` types contain it."""
    if custom := _CUSTOM.fullmatch(machine_type):
        return int(custom["megabytes"]) * 1024 * 1024
    if machine_type in _GCE_SHARED:
        return _GCE_SHARED[machine_type] * GIB
    series, _, cpus = machine_type.rpartition("-")
    family = gce_family(machine_type)
    per_cpu = family.gib_per_cpu.get(series.partition("-")[2]) if family else None
    return per_cpu * int(cpus) * GIB if per_cpu and cpus.isdecimal() else None


def room(at: Path, kind: str, memory: float | None, concurrency: int, memory_per_run: str) -> Findings:
    """A warning if a type has less memory than its runs need."""
    needed = concurrency * quantities.parse(memory_per_run) + _SYSTEM_BYTES
    if memory is not None and needed > memory:
        available, required = memory / GIB, float(needed) / GIB
        message = (
            f"{kind} has {available:g} GiB of memory, but {concurrency} runs of {memory_per_run} and 1 GiB for the system "
            f"need {required:.1f} GiB; use a larger type, or fewer concurrent runs"
        )
        yield warning(at, message)
