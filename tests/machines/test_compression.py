"""User data in the gzip format: the same bytes everywhere, readable by every program."""

import gzip
import hashlib
import zlib

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scalr_agents.machines import compression

from tests.helpers.machines import machine

TEXTS = st.text(alphabet=st.sampled_from("ab \n:é"), max_size=400).map(str.encode)


@given(st.one_of(st.binary(max_size=600), TEXTS))
@example(b"")
@example(b"a")
@example(b"ab" * 20_000)
@example(bytes(range(256)) * 3)
@example(b"a" * 10 + b"\x00" * 40_000 + b"a" * 10)
def test_other_programs_can_decompress(content: bytes) -> None:
    assert gzip.decompress(compression.gzip(content)) == content


def test_codes_of_maximum_length() -> None:
    """Counts that grow like Fibonacci's numbers make the longest codes, of which the format allows fifteen bits."""
    counts = [1, 1]
    while len(counts) < 22:
        counts.append(sum(counts[-2:]))
    order = [symbol for symbol, count in enumerate(counts) for _ in range(count)]
    mixed = bytes(symbol for _, symbol in sorted((hashlib.sha256(f"{at}".encode()).digest(), symbol) for at, symbol in enumerate(order)))
    assert gzip.decompress(compression.gzip(mixed)) == mixed


def test_output_is_stable() -> None:
    """Other bytes would replace all machines whose user data exceeds 16 KiB."""
    assert compression.gzip(b"a")[:12].hex() == "1f8b08000000000002ff05c0"
    long = "".join(f"{number * number % 977}: agents of pool {number}\n" for number in range(2000)).encode()
    assert hashlib.sha256(compression.gzip(long)).hexdigest() == "8bc3aac4d8eb5280296942f4accde6d26d86cceb4c46e2c6042cd76226581f92"


@pytest.mark.parametrize("name", ["aws-plain", "aws-everything"])
def test_output_is_about_as_short_as_zlib(name: str) -> None:
    content = machine(name).document("cloud-init").encode()
    assert len(compression.gzip(content)) < 1.05 * len(zlib.compress(content, 9, wbits=31))
