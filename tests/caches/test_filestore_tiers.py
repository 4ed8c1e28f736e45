"""The table of Filestore's tiers, against the documentation that comes with the provider."""

import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st
from scalr_agents.caches.filestore.settings import FilestoreSettings

from tests.caches.settings import findings, parsed

TIERS = ("BASIC_HDD", "BASIC_SSD", "ZONAL", "REGIONAL", "ENTERPRISE")
ZONES = ["europe-west1-b", "us-central1-f", "northamerica-northeast2-a", "me-central2-c"]
REGIONS = ["europe-west1", "us-central1", "northamerica-northeast2", "africa-south1"]
NOWHERE = ["", "europe", "europe-west", "europe-west1-", "europe-west1-b-1", "Europe-west1", "1", "europe-west1/b"]
PLACES = {tier: ZONES if tier in ("BASIC_HDD", "BASIC_SSD", "ZONAL") else REGIONS for tier in TIERS}


def _documented() -> dict[str, frozenset[int]]:
    """Capacities in GiB by tier, from the provider's documentation of the argument."""
    package = find_spec("pulumi_gcp")
    assert package
    assert package.origin
    text = (Path(package.origin).parent / "filestore" / "_inputs.py").read_text()
    lines = dict(re.findall(r"\* ([A-Z_]+): (\d.*GiB in .*)", text))
    return {
        tier: frozenset(
            capacity
            for first, last, step in re.findall(r"(\d+)-(\d+) GiB in (\d+) GiB", line.replace("(100 or 1024)", "100"))
            for capacity in range(int(first), int(last) + 1, int(step))
        )
        for tier, line in lines.items()
    }


CAPACITIES = _documented()
EDGES = sorted({0, 1, *(edge for allowed in CAPACITIES.values() for edge in (min(allowed), max(allowed))), 10239, 10240, 12800})
capacities = st.one_of(
    st.integers(0, 110_000),
    st.sampled_from(EDGES).flatmap(lambda edge: st.integers(max(edge - 1, 0), edge + 1)),
    st.integers(0, 420).map(lambda steps: steps * 256),
    st.integers(0, 42).map(lambda steps: steps * 2560),
)


def _places_with_errors(tier: str, capacity: int, location: str, protocol: str, key: str) -> set[str]:
    """What Google would refuse."""
    basic = tier.startswith("BASIC")
    wrong = {
        "capacity": capacity not in CAPACITIES[tier],
        "location": location not in PLACES[tier],
        "protocol": basic and protocol != "NFS_V3",
        "kms_key": basic and key != "",
    }
    return {word for word, refused in wrong.items() if refused}


def _found(**words: Any) -> set[str]:
    told = findings(FilestoreSettings, {"export_options": [{"ip_ranges": ["10.0.0.0/8"]}], **words})
    assert {finding.path for finding in told if finding.severity != "error"} <= {"capacity"}
    return {finding.path for finding in told if finding.severity == "error"}


@given(
    st.sampled_from(TIERS),
    capacities,
    st.sampled_from(ZONES + REGIONS + NOWHERE),
    st.sampled_from(["NFS_V3", "NFS_V4_1"]),
    st.sampled_from(["", "projects/p/locations/l/keyRings/r/cryptoKeys/k"]),
)
def test_undocumented_capacities_are_errors(tier: str, capacity: int, location: str, protocol: str, key: str) -> None:
    found = _found(tier=tier, capacity=f"{capacity}Gi", location=location, protocol=protocol, kms_key=key)
    assert found == _places_with_errors(tier, capacity, location, protocol, key)


@pytest.mark.parametrize("tier", TIERS)
def test_capacities_at_the_limits(tier: str) -> None:
    around = sorted({capacity for edge in EDGES for capacity in range(max(edge - 2, 1), edge + 3)})
    accepted = {capacity for capacity in around if not _found(tier=tier, capacity=f"{capacity}Gi", location=PLACES[tier][0])}
    assert accepted == CAPACITIES[tier].intersection(around)


@given(st.integers(1, 102_400), st.sampled_from([("Gi", 1), ("Mi", 1024), ("Ki", 1024**2), ("", 1024**3)]))
def test_units_are_equivalent(capacity: int, unit: tuple[str, int]) -> None:
    suffix, factor = unit
    assert parsed(FilestoreSettings, {"capacity": f"{capacity * factor}{suffix}"}).capacity_gib == capacity


@given(st.sampled_from(TIERS), st.integers(0, 102_400), st.integers(1, 1023))
def test_fractions_of_a_gib_are_errors(tier: str, capacity: int, mebibytes: int) -> None:
    assert _found(tier=tier, capacity=f"{capacity * 1024 + mebibytes}Mi", location=PLACES[tier][0]) == {"capacity"}
