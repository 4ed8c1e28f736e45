"""Memory and architecture of common machine types. Types that are not here are left to the cloud."""

import re

GIB = 1024**3

_EC2_SIZES = {"medium": 1, "large": 2, "xlarge": 4}
"""vCPUs by size; `<n>xlarge` has 4 n."""
_BURSTABLE = {"nano": 0.5, "micro": 1.0, "small": 2.0, "medium": 4.0, "large": 8.0, "xlarge": 16.0, "2xlarge": 32.0}
"""GiB by size, of the families t3, t3a and t4g."""
_EC2_PER_CPU = {"c": 2.0, "m": 4.0, "r": 8.0}
"""GiB per vCPU of the compute, general and memory families."""
_EC2_FAMILY = re.compile(r"([cmr])([5-8])(g|i|a|gd|id|ad|d|n|gn|in)?\.(\w+)")
_GCE_SHARED = {"e2-micro": 1.0, "e2-small": 2.0, "e2-medium": 4.0, "f1-micro": 0.6, "g1-small": 1.7}
_GCE_PER_CPU = {
    **{f"{family}-standard": 4.0 for family in ("e2", "n2", "n2d", "n4", "t2d", "t2a", "c3d", "c3", "c4", "c4a")},
    **{f"{family}-highmem": 8.0 for family in ("e2", "n2", "n2d", "n4", "c3d", "c3")},
    **{f"{family}-highcpu": 1.0 for family in ("e2", "n2", "n2d")},
    "n1-standard": 3.75,
    "n1-highmem": 6.5,
    "n1-highcpu": 0.9,
}


def ec2_memory(instance_type: str) -> float | None:
    """Bytes of memory, if the type is known."""
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


def ec2_architecture(instance_type: str) -> str | None:
    """`arm64` or `x86_64`, if the type is known."""
    if ec2_memory(instance_type) is None:
        return None
    return "arm64" if re.match(r"t4g|[cmr][5-8]g", instance_type) else "x86_64"


def gce_disk_type(machine_type: str) -> str:
    """The kind of boot disk that the newest families of machines demand, and that all others take."""
    return "hyperdisk-balanced" if re.match(r"(n4|c4|c4a|c4d)-", machine_type) else "pd-balanced"


def gce_memory(machine_type: str) -> float | None:
    """Bytes of memory, if the type is known. `custom` types say it themselves."""
    if custom := re.fullmatch(r"(?:\w+-)?custom-[0-9]+-([0-9]+)(?:-ext)?", machine_type):
        return int(custom[1]) * 1024 * 1024
    if machine_type in _GCE_SHARED:
        return _GCE_SHARED[machine_type] * GIB
    kind, _, cpus = machine_type.rpartition("-")
    return _GCE_PER_CPU[kind] * int(cpus) * GIB if kind in _GCE_PER_CPU and cpus.isdecimal() else None
