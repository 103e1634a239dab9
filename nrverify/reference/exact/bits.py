"""Fair bits, as infinite strings of which a finite beginning is read when it is needed.

A real number is refined long after others have been drawn. So that its value does not depend on the order in which
bits are read, `Tape` gives each string its own places on one endless tape; `Stream` is for strings that are read to
the end of their use before the next one begins.
"""

from __future__ import annotations

import itertools
import secrets
from collections.abc import Iterator
from typing import Any, Protocol

WORD = 64
"""Bits read at once: one machine word decides all but 2^-64 of the coins."""


class Bits(Protocol):
    """What `bits=` takes: `getrandbits(k)` returns k fresh fair bits, an integer in [0, 2^k), as random.Random does."""

    def getrandbits(self, k: int, /) -> int: ...


class Strings(Protocol):
    """A source of independent infinite strings of fair bits."""

    def string(self) -> Digits: ...


class Digits:
    """The binary digits of one uniform real in [0, 1], read block by block."""

    def __init__(self, blocks: Iterator[tuple[int, int]], word: int = WORD) -> None:
        self._blocks = blocks
        self._read = 0
        self._length = 0
        self.word = word

    def first(self, length: int) -> int:
        """The first `length` digits as an integer k: the real lies in [k, k + 1] / 2^length."""
        while self._length < length:
            width, block = next(self._blocks)
            self._read = self._read << width | block
            self._length += width
        return self._read >> (self._length - length)


class Tape:
    """One endless random string, split into infinitely many infinite ones by a fixed rule.

    The tape is a sequence of slots. Block l of string i, of WORD·2^l bits, is slot (2i + 1)·2^l − 1: every slot belongs
    to exactly one block, and its width depends on its number alone. What a string holds is thus a function of the tape,
    whichever strings are read and how far; the tape itself is read from left to right.
    """

    def __init__(self, bits: Bits) -> None:
        self._bits = bits
        self._strings = 0
        self._slots_read = 0
        self._ahead: dict[int, int] = {}

    def string(self) -> Digits:
        """The next string."""
        index = self._strings
        self._strings += 1
        return Digits(self._blocks(index))

    def _blocks(self, index: int) -> Iterator[tuple[int, int]]:
        for level in itertools.count():
            yield WORD << level, self._slot(((2 * index + 1) << level) - 1)

    def _slot(self, place: int) -> int:
        while self._slots_read <= place:
            following = self._slots_read + 1
            self._ahead[self._slots_read] = self._bits.getrandbits(WORD * (following & -following))
            self._slots_read = following
        return self._ahead.pop(place)


class Stream:
    """Strings read one after the other from the same bits; a string must not be read after the next has begun."""

    def __init__(self, bits: Bits, word: int = WORD) -> None:
        self._bits = bits
        self._word = word

    def string(self) -> Digits:
        """A string that begins with the next bit."""
        return Digits(self._words(), self._word)

    def _words(self) -> Iterator[tuple[int, int]]:
        while True:
            yield self._word, self._bits.getrandbits(self._word)


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
        return secrets.SystemRandom()
    if callable(getattr(bits, "getrandbits", None)):
        return bits  # type: ignore[no-any-return]
    if callable(getattr(bits, "bytes", None)):
        return _NumpyBits(bits)
    raise ValueError(
        f"bits is {bits!r}: it must be None or have a method getrandbits(k) that returns k fair bits; "
        "omit it for the system's cryptographic source, or give random.Random(seed) in a test"
    )
