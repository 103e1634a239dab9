"""Answers as plain numbers: a shape, floats and integers, from which the answer is made again exactly.

The answer of scalar() is kept with its arguments: it is a function of each, however many are asked at a time.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

NO_FLOATS: Floats = np.empty(0)
NO_INTEGERS: Integers = np.empty(0, dtype=np.int64)

RANKS = {"sample": 3, "play": 3, "scalar": 1, "run_many": 1, "run": 2, "run_stopping": 4}
"""How many numbers the shape of an answer has: runs and bits in all; runs, d, releases in all and bits in all."""


def packed(method: str, answer: Any) -> tuple[list[int], Floats, Integers]:
    """(shape, floats, integers) of an answer."""
    if method == "sample":
        return list(answer.shape), _floats(answer), NO_INTEGERS
    if method == "scalar":
        arguments, values = answer
        return list(values.shape), np.concatenate([_floats(arguments), _floats(values)]), NO_INTEGERS
    if method == "play":
        releases, asked = answer
        return list(releases.shape), np.concatenate([_floats(releases), _floats(asked)]), NO_INTEGERS
    if method == "run_many":
        return list(answer.shape), NO_FLOATS, _integers(answer)
    if method == "run":
        bits = [bit for printed in answer for bit in printed]
        return [len(answer), len(bits)], NO_FLOATS, _integers([*map(len, answer), *bits])
    releases = [shown for shown, _ in answer]
    bits = [bit for _, printed in answer for bit in printed]
    lengths = [length for shown, printed in answer for length in (len(shown), len(printed))]
    d = releases[0].shape[1] if releases else 0
    shape = [len(answer), d, sum(map(len, releases)), len(bits)]
    return shape, np.concatenate([NO_FLOATS, *map(_floats, releases)]), _integers([*lengths, *bits])


def counts(method: str, shape: Sequence[int]) -> tuple[int, int]:
    """How many floats and how many integers an answer of that shape has; `ValueError` when it can be none."""
    if len(shape) != RANKS[method] or not all(type(n) is int and 0 <= n < 2**40 for n in shape):
        raise ValueError(f"no answer of {method}() has the shape {list(shape)!r:.80}")
    if method == "play":
        return math.prod(shape) + shape[0] * shape[1], 0
    if method == "sample":
        return math.prod(shape), 0
    if method == "scalar":
        return 2 * shape[0], 0
    if method == "run_many":
        return 0, shape[0]
    if method == "run":
        return 0, shape[0] + shape[1]
    return shape[1] * shape[2], 2 * shape[0] + shape[3]


def unpacked(method: str, shape: Sequence[int], floats: Floats, integers: Integers) -> Any:
    """The answer again; `ValueError` when the lengths do not add up."""
    if method == "sample":
        return floats.reshape(shape)
    if method == "scalar":
        return floats[: shape[0]], floats[shape[0] :]
    if method == "play":
        size = math.prod(shape)
        return floats[:size].reshape(shape), floats[size:].reshape(shape[:2])
    if method == "run_many":
        return integers
    runs = shape[0]
    if method == "run":
        return [part.tolist() for part in _parts(integers[runs:], integers[:runs])]
    shown, printed = integers[0 : 2 * runs : 2], integers[1 : 2 * runs : 2]
    releases = _parts(floats.reshape(shape[2], shape[1]), shown)
    bits = _parts(integers[2 * runs :], printed)
    return [(own, part.tolist()) for own, part in zip(releases, bits, strict=True)]


def _parts(numbers: NDArray[Any], lengths: Integers) -> list[NDArray[Any]]:
    ends = np.cumsum(lengths)
    if (lengths < 0).any() or (lengths > len(numbers)).any() or (ends[-1] if ends.size else 0) != len(numbers):
        raise ValueError("the lengths of the parts of an answer do not add up")
    return np.split(numbers, ends[:-1]) if ends.size else []


def _floats(numbers: Any) -> Floats:
    return np.ascontiguousarray(numbers, dtype=np.float64).ravel()


def _integers(numbers: Any) -> Integers:
    return np.ascontiguousarray(numbers, dtype=np.int64).ravel()
