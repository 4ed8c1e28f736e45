"""Compression in the format of gzip (RFC 1951 and 1952), with the same result on every computer.

Compressed user data that differs would replace all machines. What zlib makes of a text depends on its version and on who has built Python.
"""

import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import NamedTuple

_HEADER = bytes.fromhex("1f8b08000000000002ff")  # no name, no time, unknown system
_SHORTEST, _LONGEST, _WINDOW = 3, 258, 32768
_MOST_TRIED = 64
"""Places that are compared for the longest repetition."""
_END = 256
_BYTE = 8
_LONGEST_CODE, _LONGEST_CODE_OF_LENGTHS = 15, 7
_ORDER = (16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15)


class _Repetition(NamedTuple):
    """Text that was there before."""

    length: int
    distance: int


class _Code(NamedTuple):
    """A symbol, and the bits that follow it."""

    symbol: int
    extra: int = 0
    bits: int = 0


def _steps(first: int, every: int, count: int) -> list[tuple[int, int]]:
    """Smallest values of codes with their numbers of further bits, which grow with every so many codes."""
    found, value = [], first
    for index in range(count):
        bits = max(0, index // every - 1)
        found.append((value, bits))
        value += 1 << bits
    return found


_LENGTHS = [*_steps(_SHORTEST, 4, 28), (_LONGEST, 0)]
_DISTANCES = _steps(1, 2, 30)


def gzip(content: bytes) -> bytes:
    """The content as a file of gzip."""
    return _HEADER + _deflated(content) + zlib.crc32(content).to_bytes(4, "little") + (len(content) % 2**32).to_bytes(4, "little")


def _deflated(content: bytes) -> bytes:
    """One block with codes of its own."""
    literals: list[tuple[_Code, _Code | None]] = []
    for part in _parts(content):
        if isinstance(part, _Repetition):
            literals.append((_code(part.length, _LENGTHS, _END + 1), _code(part.distance, _DISTANCES, 0)))
        else:
            literals.append((_Code(part), None))
    literals.append((_Code(_END), None))
    distances = [distance for _, distance in literals if distance] or [_Code(0)]
    of_literals = _lengths(Counter(code.symbol for code, _ in literals), _LONGEST_CODE)
    of_distances = _lengths(Counter(code.symbol for code in distances), _LONGEST_CODE)
    bits = _Bits()
    bits.add(0b101, 3)  # the last block; dynamic codes
    _describe(bits, of_literals, of_distances)
    words, places = _codes(of_literals), _codes(of_distances)
    for code, distance in literals:
        bits.add_code(words, code)
        if distance:
            bits.add_code(places, distance)
    return bits.content()


def _parts(content: bytes) -> Iterator[int | _Repetition]:
    """A text as its characters and repetitions."""
    seen = defaultdict[bytes, list[int]](list)
    position = 0
    while position < len(content):
        found = _longest(content, position, seen[content[position : position + _SHORTEST]])
        yield found or content[position]
        for passed in range(position, position + (found.length if found else 1)):
            seen[content[passed : passed + _SHORTEST]].append(passed)
        position += found.length if found else 1


def _longest(content: bytes, position: int, places: list[int]) -> _Repetition | None:
    best = None
    for place in reversed(places[-_MOST_TRIED:]):
        if position - place > _WINDOW:
            break
        length = 0
        while length < _LONGEST and position + length < len(content) and content[place + length] == content[position + length]:
            length += 1
        if length >= _SHORTEST and (best is None or length > best.length):
            best = _Repetition(length, position - place)
    return best


def _code(value: int, steps: list[tuple[int, int]], first: int) -> _Code:
    index = max(index for index, (smallest, _) in enumerate(steps) if smallest <= value)
    smallest, bits = steps[index]
    return _Code(first + index, value - smallest, bits)


def _lengths(counts: Mapping[int, int], longest: int) -> dict[int, int]:
    """The length of each symbol's code, by the package-merge algorithm: the shortest text that codes of limited length allow."""
    leaves = sorted((count, (symbol,)) for symbol, count in counts.items())
    if len(leaves) == 1:
        return dict.fromkeys(counts, 1)
    packages: list[tuple[int, tuple[int, ...]]] = []
    for _ in range(longest):
        pairs = zip(packages[::2], packages[1::2], strict=False)
        packages = sorted([*leaves, *((one[0] + other[0], one[1] + other[1]) for one, other in pairs)])
    return Counter(symbol for _, symbols in packages[: 2 * len(leaves) - 2] for symbol in symbols)


def _codes(lengths: Mapping[int, int]) -> dict[int, tuple[int, int]]:
    """The code of each symbol and its length: codes count upwards, first by length and then by symbol."""
    codes, code, last = {}, 0, 0
    for length, symbol in sorted((length, symbol) for symbol, length in lengths.items()):
        code <<= length - last
        codes[symbol] = int(f"{code:0{length}b}"[::-1], 2), length  # they stand with their highest bit first
        code, last = code + 1, length
    return codes


def _describe(bits: "_Bits", literals: Mapping[int, int], distances: Mapping[int, int]) -> None:
    """The lengths of all codes, themselves in a code."""
    numbers = max(literals) + 1, max(distances) + 1
    described = [lengths.get(symbol, 0) for lengths, number in zip((literals, distances), numbers, strict=True) for symbol in range(number)]
    lengths = _lengths(Counter(described), _LONGEST_CODE_OF_LENGTHS)
    listed = [lengths.get(symbol, 0) for symbol in _ORDER]
    while not listed[-1]:
        listed.pop()
    bits.add(numbers[0] - 257, 5)
    bits.add(numbers[1] - 1, 5)
    bits.add(len(listed) - 4, 4)
    for length in listed:
        bits.add(length, 3)
    codes = _codes(lengths)
    for length in described:
        bits.add(*codes[length])


class _Bits:
    """A text of bits, the lowest bit of each byte first."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._pending = self._number = 0

    def add(self, value: int, number: int) -> None:
        self._pending |= value << self._number
        self._number += number
        while self._number >= _BYTE:
            self._bytes.append(self._pending & 0xFF)
            self._pending >>= _BYTE
            self._number -= _BYTE

    def add_code(self, codes: Mapping[int, tuple[int, int]], code: _Code) -> None:
        self.add(*codes[code.symbol])
        self.add(code.extra, code.bits)

    def content(self) -> bytes:
        return bytes(self._bytes) + (bytes([self._pending]) if self._number else b"")
