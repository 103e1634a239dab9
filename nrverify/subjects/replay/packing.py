"""Answers as plain numbers: a shape, floats and integers, from which the answer is made again exactly.

One `Packing` for each kind of request. The answer of `Scalar` is kept with its arguments: it is a function of each,
however many are asked at a time.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nrverify.subjects.outputs import Outputs

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Shape = Sequence[int]
Packed = tuple[list[int], Floats, Integers]

NO_FLOATS: Floats = np.empty(0)
"""For an answer without any."""
NO_INTEGERS: Integers = np.empty(0, dtype=np.int64)
"""For an answer without any."""
MOST = 2**40
"""No length in a shape is beyond this: products of them must stay exact."""


@dataclass(frozen=True)
class Packing:
    """How the answers to one kind of request are packed."""

    rank: int | tuple[int, ...]
    """How many numbers the shape of an answer has, or may have."""
    pack: Callable[[Any], Packed]
    """(shape, floats, integers) of an answer."""
    counts: Callable[[Shape], tuple[int, int]]
    """How many floats and how many integers an answer of a shape has."""
    unpack: Callable[[Shape, Floats, Integers], Any]
    """The answer again; `ValueError` when the lengths do not add up."""

    def sizes(self, shape: Shape) -> tuple[int, int]:
        """As `counts`; `ValueError` when no answer has that shape."""
        ranks = self.rank if isinstance(self.rank, tuple) else (self.rank,)
        if len(shape) not in ranks or not all(type(n) is int and 0 <= n < MOST for n in shape):
            raise ValueError(f"shape is {list(shape)!r:.80}: it must be {ranks[0]} integers from 0 to 2^40")
        return self.counts(shape)


def _pack_runs(answer: list[list[int]]) -> Packed:
    bits = [bit for printed in answer for bit in printed]
    return [len(answer), len(bits)], NO_FLOATS, _integers([*map(len, answer), *bits])


def _unpack_runs(shape: Shape, floats: Floats, integers: Integers) -> list[list[int]]:
    return [part.tolist() for part in _parts(integers[shape[0] :], integers[: shape[0]])]


def _pack_stopped(answer: list[tuple[Floats, list[int]]]) -> Packed:
    releases = [shown for shown, _ in answer]
    bits = [bit for _, printed in answer for bit in printed]
    lengths = [length for shown, printed in answer for length in (len(shown), len(printed))]
    d = releases[0].shape[1] if releases else 0
    shape = [len(answer), d, sum(map(len, releases)), len(bits)]
    return shape, np.concatenate([NO_FLOATS, *map(_floats, releases)]), _integers([*lengths, *bits])


def _unpack_stopped(shape: Shape, floats: Floats, integers: Integers) -> list[tuple[Floats, list[int]]]:
    runs = shape[0]
    shown, printed = integers[0 : 2 * runs : 2], integers[1 : 2 * runs : 2]
    releases = _parts(floats.reshape(shape[2], shape[1]), shown)
    bits = _parts(integers[2 * runs :], printed)
    return [(own, part.tolist()) for own, part in zip(releases, bits, strict=True)]


def _pack_two(shape: Sequence[int], first: Any, second: Any) -> Packed:
    return list(shape), np.concatenate([_floats(first), _floats(second)]), NO_INTEGERS


def _unpack_played(shape: Shape, floats: Floats, integers: Integers) -> tuple[Floats, Floats]:
    size = math.prod(shape)
    return floats[:size].reshape(shape), floats[size:].reshape(shape[:2])


def _parts(numbers: NDArray[Any], lengths: Integers) -> list[NDArray[Any]]:
    ends = np.cumsum(lengths)
    if (lengths < 0).any() or (lengths > len(numbers)).any() or (ends[-1] if ends.size else 0) != len(numbers):
        raise ValueError("the lengths of the parts of an answer do not add up")
    return np.split(numbers, ends[:-1]) if ends.size else []


def _floats(numbers: Any) -> Floats:
    return np.ascontiguousarray(numbers, dtype=np.float64).ravel()


def _integers(numbers: Any) -> Integers:
    return np.ascontiguousarray(numbers, dtype=np.int64).ravel()


def _pack_outputs(answer: Outputs) -> Packed:
    """Outputs of any kind as JSON, eight bytes of it in an integer."""
    text = json.dumps([answer.outputs, answer.spent, answer.features], separators=(",", ":")).encode()
    padded = text + b" " * (-len(text) % 8)
    return [len(padded) // 8], NO_FLOATS, np.frombuffer(padded, dtype="<i8").astype(np.int64)


def _unpack_outputs(shape: Shape, floats: Floats, integers: Integers) -> Outputs:
    try:
        outputs, spent, features = json.loads(integers.astype("<i8").tobytes())
    except (ValueError, TypeError, RecursionError):
        raise ValueError("the outputs of a run are not JSON") from None
    wanted = [part for part in (outputs, spent, features) if part is not None]
    if not all(isinstance(part, list) and len(part) == len(outputs) for part in wanted):
        raise ValueError("the outputs of a run and what belongs to them do not add up")
    return Outputs(outputs, spent, features)


_OUTPUTS = Packing(1, _pack_outputs, counts=lambda shape: (0, shape[0]), unpack=_unpack_outputs)

_TRANSCRIPTS = Packing(
    3,
    pack=lambda answer: (list(answer.shape), _floats(answer), NO_INTEGERS),
    counts=lambda shape: (math.prod(shape), 0),
    unpack=lambda shape, floats, integers: floats.reshape(shape),
)
"""Releases (n, k, d)."""

PACKINGS = {
    "sample": _TRANSCRIPTS,
    "play_schedule": _TRANSCRIPTS,
    "play": Packing(
        3,
        pack=lambda answer: _pack_two(answer[0].shape, *answer),
        counts=lambda shape: (math.prod(shape) + shape[0] * shape[1], 0),
        unpack=_unpack_played,
    ),
    "scalar": Packing(
        1,
        pack=lambda answer: _pack_two(answer[1].shape, *answer),
        counts=lambda shape: (2 * shape[0], 0),
        unpack=lambda shape, floats, integers: (floats[: shape[0]], floats[shape[0] :]),
    ),
    "run_many": Packing(
        (1, 2),
        pack=lambda answer: (list(answer.shape), NO_FLOATS, _integers(answer)),
        counts=lambda shape: (0, math.prod(shape)),
        unpack=lambda shape, floats, integers: integers.reshape(shape),
    ),
    "run": Packing(2, _pack_runs, counts=lambda shape: (0, shape[0] + shape[1]), unpack=_unpack_runs),
    "run_stopping": Packing(
        4,
        _pack_stopped,
        counts=lambda shape: (shape[1] * shape[2], 2 * shape[0] + shape[3]),
        unpack=_unpack_stopped,
    ),
    "run_any": _OUTPUTS,
    "run_many_any": _OUTPUTS,
    "interact": _OUTPUTS,
}
"""By the method of the request. Shapes of `run` are (runs, all bits), of `run_stopping` (runs, d, all releases, all
bits); a `Refusal` is answered in words."""
