"""Quantities of Kubernetes, and what pods request, as Kubernetes computes it: a table from its documentation."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from scalr_agents.model import quantities


@pytest.mark.parametrize(
    ("quantity", "number"),
    [
        ("0", "0"),
        ("2", "2"),
        ("+2", "2"),
        ("-2", "-2"),
        ("1.5", "1.5"),
        ("1.", "1"),
        (".5", "0.5"),
        (2, "2"),
        (0.5, "0.5"),
        (1e-7, "0.0000001"),
        (1e22, "10000000000000000000000"),
        ("500m", "0.5"),
        ("250u", "0.00025"),
        ("100n", "0.0000001"),
        ("3k", "3000"),
        ("3M", "3000000"),
        ("3G", "3000000000"),
        ("3T", "3000000000000"),
        ("3P", "3000000000000000"),
        ("3E", "3000000000000000000"),
        ("1Ki", "1024"),
        ("1.5Gi", "1610612736"),
        ("40Gi", "42949672960"),
        ("1Ti", "1099511627776"),
        ("1Pi", "1125899906842624"),
        ("1Ei", "1152921504606846976"),
        ("512Mi", "536870912"),
        ("1e3", "1000"),
        ("1E3", "1000"),
        ("12e-3", "0.012"),
        ("1.5e+2", "150"),
    ],
)
def test_quantities_are_parsed(quantity: str | float, number: str) -> None:
    assert quantities.is_quantity(quantity)
    assert quantities.parse(quantity) == Decimal(number)


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", ".", "+", "m", "Gi", "ten", "1 Gi", " 1", "1 ", "1K", "1ki", "1gi", "1Mb", "1MB", "1GiB", "1e", "1mm", "1,5"),
        *("1_000", "0x10", "--1", "1.2.3", "nan", "inf", "1e+", "1e1.5", "1\n", "\u0663"),
    ],
)
def test_invalid_quantities_are_errors(text: str) -> None:
    assert not quantities.is_quantity(text)
    with pytest.raises(ValueError, match=r"^not a quantity$"):
        quantities.parse(text)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("6GB", "6G or 6Gi"),
        ("6gb", "6G or 6Gi"),
        ("6 GiB", "6G or 6Gi"),
        ("512mb", "512M or 512Mi"),
        ("1.5t", "1.5T or 1.5Ti"),
        ("64KB", "64k or 64Ki"),
        ("64ki", "64k or 64Ki"),
    ],
)
def test_common_size_typos_get_two_suggestions(text: str, meant: str) -> None:
    assert not quantities.is_quantity(text)
    assert quantities.refusal(text) == f"not a Kubernetes quantity; write {meant}"
    assert all(quantities.is_quantity(quantity) for quantity in meant.split(" or "))


@pytest.mark.parametrize("text", ["", "GB", "ten GB", "1,5GB", "-6GB", "500 m", None, ["6GB"]])
def test_invalid_sizes_get_examples(text: object) -> None:
    assert quantities.refusal(text) == "not a Kubernetes quantity, for instance 500m, 512Mi or 40Gi"


@pytest.mark.parametrize("value", [None, True, False, [], {}, float("nan"), float("inf"), object()])
def test_values_of_other_types_are_not_quantities(value: object) -> None:
    assert not quantities.is_quantity(value)


@pytest.mark.parametrize(
    ("quantity", "megabytes"),
    [
        ("40Gi", 40960),
        ("1.5Gi", 1536),
        ("512Mi", 512),
        ("20G", 20000),
        ("0.5G", 500),
        ("300M", 300),
        ("2.9M", 2),
        ("0.1Gi", 102),
    ],
)
def test_sizes_are_rounded_to_megabytes(quantity: str, megabytes: int) -> None:
    assert quantities.megabytes(quantity) == megabytes


@pytest.mark.parametrize("quantity", ["40", "40Ti", "40T", "1e9", "500m", "40Ki", "40k", "big", "", "40GB", "40 Gi"])
def test_other_size_suffixes_are_errors(quantity: str) -> None:
    with pytest.raises(ValueError, match="unsupported size") as caught:
        quantities.megabytes(quantity)
    assert str(caught.value) == f"unsupported size {quantity!r}; use Gi, Mi, G or M, for instance 40Gi"


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=8) | st.floats() | st.integers())
def test_every_valid_quantity_can_be_parsed(value: str | float) -> None:
    try:
        quantities.parse(value)
    except ValueError:
        parsed = False
    else:
        parsed = True
    assert quantities.is_quantity(value) == parsed


@pytest.mark.parametrize("quantity", ["0Gi", "-1Gi", "0.5Mi"])
def test_sizes_below_1_mi_are_errors(quantity: str) -> None:
    with pytest.raises(ValueError, match="is too small; give at least 1Mi"):
        quantities.megabytes(quantity)


def pod(*cpus: str, before: tuple[str, ...] = (), staying: tuple[str, ...] = ()) -> dict[str, Any]:
    def container(cpu: str) -> dict[str, Any]:
        return {"name": "c", "resources": {"requests": {"cpu": cpu}}}

    init = [*({**container(cpu), "restartPolicy": "Always"} for cpu in staying), *map(container, before)]
    return {"containers": [*map(container, cpus)], "initContainers": init}


@pytest.mark.parametrize(
    ("spec", "cores"),
    [
        (pod("1", "500m"), "1.5"),
        (pod("1", before=("3",)), "3"),
        (pod("4", before=("3",)), "4"),
        (pod("1", staying=("500m",)), "1.5"),
        (pod("1", before=("1",), staying=("500m",)), "1.5"),
        (pod("1", before=("2",), staying=("500m",)), "2.5"),
        ({**pod("1"), "overhead": {"cpu": "250m"}}, "1.25"),
    ],
)
def test_what_a_pod_requests(spec: dict[str, Any], cores: str) -> None:
    assert quantities.of_pod(spec) == {"cpu": Decimal(cores)}


def test_a_request_that_is_not_set_equals_the_limit() -> None:
    container = {"resources": {"limits": {"cpu": "2", "memory": "1Gi"}, "requests": {"cpu": "1"}}}
    assert quantities.of_container(container) == {"cpu": Decimal(1), "memory": Decimal(2**30)}
