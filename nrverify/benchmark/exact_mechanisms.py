"""What a release of an exact mechanism takes: the price of last bits that tell nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from nrverify.benchmark.measure import median_seconds
from nrverify.benchmark.row import Row

SESSIONS, TIMES = 100, (8.0, 4.0, 3.0, 1.0, 0.5)
"""Releases after the first follow the bridge, which takes longer than the first does."""
REPEATS = 5
"""The median of five ignores two that were disturbed."""
MOST_MICROSECONDS = 250.0
"""A thousand releases in a quarter of a second, beside a query that seldom takes less."""


def released(mechanism: Callable[[float], Any]) -> int:
    """How many releases some sessions have made, each of its own."""
    made = 0
    for _ in range(SESSIONS):
        session = mechanism(1.0)
        for time in TIMES:
            session.release(time)
            made += 1
    return made


def rows() -> Iterator[Row]:
    """Each mechanism with bits of the system's own source: at most 250 µs a release."""
    from nrverify.reference.exact import ExactBrownian, ExactDiscreteLaplace, ExactLaplace

    mechanisms: dict[str, Callable[[float], Any]] = {
        "brownian": ExactBrownian,
        "laplace": ExactLaplace,
        "discrete-laplace": lambda value: ExactDiscreteLaplace(int(value)),
    }
    for name, mechanism in mechanisms.items():
        seconds = median_seconds(partial(released, mechanism), REPEATS)
        each = 1e6 * seconds / (SESSIONS * len(TIMES))
        yield Row(f"exact {name} mechanism, one release", each, "microseconds", MOST_MICROSECONDS, seconds, None)
