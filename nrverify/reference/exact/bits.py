"""Fair bits, as infinite strings of which a finite beginning is read when it is needed.

A real number is refined long after others have been drawn. So that its value does not depend on the order in which
bits are read, `Tape` gives each string its own places on one endless tape; `Stream` is for strings that are read to
the end of their use before the next one begins.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from typing import Any, Protocol

BLOCK = 128
"""Bits in the first block of a string on the tape: as many as a release reads of it, all but 2^-100 of the time."""

GROWTH = 16
"""Each further block of a string is so many times as long and as far away: one slot in GROWTH holds a second block, so
that nearly all bits read from left to right are bits in use."""

WORD = 64
"""Bits of a stream read at once: one machine word decides all but 2^-64 of the coins."""

AHEAD = 8
"""Words of a stream fetched by one call, which costs hardly more than one word does."""

SYSTEM = secrets.SystemRandom()
"""The operating system's cryptographic generator; it has no state, so that all sessions may share it."""


class Bits(Protocol):
    """What `bits=` takes: `getrandbits(k)` returns k fresh fair bits, an integer in [0, 2^k), as random.Random does."""

    def getrandbits(self, k: int, /) -> int: ...


class Strings(Protocol):
    """A source of independent infinite strings of fair bits."""

    def string(self) -> Digits: ...


class Digits:
    """The binary digits of one uniform real in [0, 1], read block by block."""

    def __init__(self, blocks: Iterator[tuple[int, int]], word: int = WORD) -> None:
        self.word = word
        self.restart(blocks)

    def restart(self, blocks: Iterator[tuple[int, int]]) -> None:
        """Forget what was read, and go on with another string."""
        self._blocks = blocks
        self._read = 0
        self._length = 0

    def first(self, length: int) -> int:
        """The first `length` digits as an integer k: the real lies in [k, k + 1] / 2^length."""
        while self._length < length:
            width, block = next(self._blocks)
            self._read = self._read << width | block
            self._length += width
        return self._read >> (self._length - length)


class Tape:
    """One endless random string, split into infinitely many infinite ones by a fixed rule.

    The tape is a sequence of slots, numbered from 1. Every number is m·G^l, G = GROWTH, with one l and one m that G
    does not divide: slot m·G^l, of BLOCK·G^l bits, is block l of the string with number m. What a string holds is thus
    a function of the tape, whichever strings are read and how far; the tape itself is read from left to right.
    """

    def __init__(self, bits: Bits) -> None:
        self._bits = bits
        self._number = 0
        self._slots_read = 0
        self._ahead: dict[int, int] = {}

    def string(self) -> Digits:
        """The next string."""
        self._number += 1 if (self._number + 1) % GROWTH else 2
        return Digits(self._blocks(self._number), BLOCK)

    def _blocks(self, number: int) -> Iterator[tuple[int, int]]:
        factor = 1
        while True:
            yield BLOCK * factor, self._slot(number * factor)
            factor *= GROWTH

    def _slot(self, number: int) -> int:
        while self._slots_read < number:
            self._slots_read += 1
            self._ahead[self._slots_read] = self._bits.getrandbits(BLOCK * _power(self._slots_read))
        return self._ahead.pop(number)


def _power(number: int) -> int:
    """The largest power of GROWTH that divides the number."""
    power = 1
    while number % (power * GROWTH) == 0:
        power *= GROWTH
    return power


class Stream:
    """Strings read one after the other from the same bits; a string is not read after the next has begun."""

    def __init__(self, bits: Bits, word: int = WORD, ahead: int = AHEAD) -> None:
        self._words = _words(bits, word, ahead)
        self._digits = Digits(self._words, word)

    def string(self) -> Digits:
        """A string that begins with the next word."""
        self._digits.restart(self._words)
        return self._digits


def _words(bits: Bits, word: int, ahead: int) -> Iterator[tuple[int, int]]:
    mask = (1 << word) - 1
    while True:
        fetched = bits.getrandbits(word * ahead)
        for _ in range(ahead):
            yield word, fetched & mask
            fetched >>= word


class _NumpyBits:
    """A numpy Generator as a source of bits."""

    def __init__(self, rng: Any) -> None:
        self._rng = rng

    def getrandbits(self, k: int, /) -> int:
        length = (k + 7) // 8
        return int.from_bytes(self._rng.bytes(length), "little") >> (8 * length - k)


def source(bits: Any) -> Bits:
    """`bits` as given, or the operating system's cryptographic generator for None."""
    if bits is None:
        return SYSTEM
    if callable(getattr(bits, "getrandbits", None)):
        return bits  # type: ignore[no-any-return]
    if callable(getattr(bits, "bytes", None)):
        return _NumpyBits(bits)
    raise ValueError(
        f"bits is {bits!r}: it must be None or have a method getrandbits(k) that returns k fair bits; "
        "omit it for the system's cryptographic source, or give random.Random(seed) in a test"
    )
