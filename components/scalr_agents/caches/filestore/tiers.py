"""The service tiers of Filestore: what each supports."""

from typing import Literal, NamedTuple

Tier = Literal["BASIC_HDD", "BASIC_SSD", "ZONAL", "REGIONAL", "ENTERPRISE"]
Protocol = Literal["NFS_V3", "NFS_V4_1"]


class Sizes(NamedTuple):
    """Allowed capacities in GiB: from smallest to largest, in steps."""

    smallest: int
    largest: int
    step: int
    prefixes: tuple[int, ...]
    """Prefix lengths of the network that an instance takes for itself with DIRECT_PEERING."""

    def has(self, capacity: int) -> bool:
        return self.smallest <= capacity <= self.largest and (capacity - self.smallest) % self.step == 0

    def __str__(self) -> str:
        return f"{self.smallest} to {self.largest} GiB" + (f" in steps of {self.step}" if self.step > 1 else "")


class TierRules(NamedTuple):
    """What a service tier supports."""

    regional: bool
    """Whether the tier is regional; otherwise it is zonal."""
    sizes: tuple[Sizes, ...]
    basic: bool = False
    """Basic tiers support only NFS 3, no customer-managed keys and no deletion protection."""


SMALL = Sizes(100, 10239, 1, (26,))
TIERS: dict[Tier, TierRules] = {
    "BASIC_HDD": TierRules(regional=False, sizes=(Sizes(1024, 65433, 1, (29,)),), basic=True),
    "BASIC_SSD": TierRules(regional=False, sizes=(Sizes(2560, 65433, 1, (29,)),), basic=True),
    "ZONAL": TierRules(regional=False, sizes=(SMALL, Sizes(10240, 102400, 2560, (24,)))),
    "REGIONAL": TierRules(regional=True, sizes=(SMALL, Sizes(10240, 102400, 2560, (24, 26)))),
    "ENTERPRISE": TierRules(regional=True, sizes=(Sizes(1024, 10240, 256, (26,)),)),
}
"""Capacities from the documentation of Google's provider 8.0.0. Networks from the reference of Filestore's API, which does not mention
large regional instances."""
