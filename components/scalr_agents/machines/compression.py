"""Compression in the gzip format (RFC 1951 and 1952), with the same result on every computer.

Different user data would replace all machines, and the output of zlib depends on its version and on the build of Python.
"""

import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import NamedTuple

_HEADER = bytes.fromhex("1f8b08000000000002ff")  # no file name, no time, unknown system
_SHORTEST, _LONGEST, _WINDOW = 3, 258, 32768
_MOST_COMPARED = 64
"""Number of earlier positions that are compared to find the longest repetition."""
_END = 256
_BYTE = 8
_LONGEST_CODE, _LONGEST_CODE_OF_LENGTHS = 15, 7
_ORDER = (16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15)


class _Repetition(NamedTuple):
    """A back-reference to text that occurred before."""

    length: int
    distance: int


class _Code(NamedTuple):
    """A symbol, and the extra bits that follow it."""

    symbol: int
    extra: int = 0
    bits: int = 0


def _steps(first: int, every: int, count: int) -> list[tuple[int, int]]:
    """The smallest value of each code and its number of extra bits, which grows by one every `every` codes."""
    found, value = [], first
    for index in range(count):
        bits = max(0, index // every - 1)
        found.append((value, bits))
        value += 1 << bits
    return found


_LENGTHS = [*_steps(_SHORTEST, 4, 28), (_LONGEST, 0)]
_DISTANCES = _steps(1, 2, 30)


def gzip(content: bytes) -> bytes:
    """The content as a gzip file."""
    return _HEADER + _deflated(content) + zlib.crc32(content).to_bytes(4, "little") + (len(content) % 2**32).to_bytes(4, "little")


def _deflated(content: bytes) -> bytes:
    """One block with dynamic Huffman codes."""
    literals: list[tuple[_Code, _Code | None]] = []
    for part in _parts(content):
        if isinstance(part, _Repetition):
            literals.append((_code(part.length, _LENGTHS, _END + 1), _code(part.distance, _DISTANCES, 0)))
        else:
            literals.append((_Code(part), None))
    literals.append((_Code(_END), None))
    distances = [distance for _, distance in literals if distance] or [_Code(0)]
    literal_lengths = _lengths(Counter(code.symbol for code, _ in literals), _LONGEST_CODE)
    distance_lengths = _lengths(Counter(code.symbol for code in distances), _LONGEST_CODE)
    bits = _Bits()
    bits.add(0b101, 3)  # the last block; dynamic codes
    _describe(bits, literal_lengths, distance_lengths)
    literal_codes, distance_codes = _codes(literal_lengths), _codes(distance_lengths)
    for code, distance in literals:
        bits.add_code(literal_codes, code)
        if distance:
            bits.add_code(distance_codes, distance)
    return bits.content()


def _parts(content: bytes) -> Iterator[int | _Repetition]:
    """The content as literal bytes and repetitions."""
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
    for place in reversed(places[-_MOST_COMPARED:]):
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
    """The length of each symbol's code, by the package-merge algorithm: optimal for codes of limited length."""
    leaves = sorted((count, (symbol,)) for symbol, count in counts.items())
    if len(leaves) == 1:
        return dict.fromkeys(counts, 1)
    packages: list[tuple[int, tuple[int, ...]]] = []
    for _ in range(longest):
        pairs = zip(packages[::2], packages[1::2], strict=False)
        packages = sorted([*leaves, *((one[0] + other[0], one[1] + other[1]) for one, other in pairs)])
    return Counter(symbol for _, symbols in packages[: 2 * len(leaves) - 2] for symbol in symbols)


def _codes(lengths: Mapping[int, int]) -> dict[int, tuple[int, int]]:
    """The canonical code of each symbol and its length: codes are assigned in order of length, then of symbol."""
    codes, code, last = {}, 0, 0
    for length, symbol in sorted((length, symbol) for symbol, length in lengths.items()):
        code <<= length - last
        codes[symbol] = int(f"{code:0{length}b}"[::-1], 2), length  # written with the highest bit first
        code, last = code + 1, length
    return codes


def _describe(bits: "_Bits", literals: Mapping[int, int], distances: Mapping[int, int]) -> None:
    """Write the lengths of all codes, which are encoded themselves."""
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
    """A sequence of bits, packed from the lowest bit of each byte."""

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
