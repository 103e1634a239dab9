"""Skellam laws asked for many at once: nearby tails of one law are added up together, of different laws never."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from flint import arb
from numpy.typing import NDArray

from nrverify.laws.skellam import Skellam
from nrverify.ledger import certificate, supports
from nrverify.ledger.enclosure import Enclosure
from nrverify.ledger.record import Record

PROCESS = Skellam(0.25)
"""With μ = t/2, so that a mistaken rate is not hidden by μ = t."""

Marginals = tuple[float, int]
MARGINALS: tuple[Marginals, ...] = tuple((t, x) for t in (3.0, 40.0, 41.0) for x in (-4, 0, 6))
"""(t, x): every point close to points of the other laws."""

Bridges = tuple[float, float, int, int]
BRIDGES: tuple[Bridges, ...] = tuple(
    (s, t, k, x) for s, t, k in ((20.0, 50.0, 3), (20.0, 60.0, 3), (30.0, 60.0, 3), (20.0, 50.0, 5)) for x in (-2, 5)
)
"""(s, t, k, x): laws that differ from the first in one of X_s, X_t − X_s and k alone."""


def marginals(t: Any, x: Any) -> Any:
    """P(X_t ≤ x), P(X_t < x) and P(X_t > x)."""
    law = PROCESS.marginal(t)
    return np.array([law.cdf(x), law.cdf_left(x), law.sf(x)])


def bridges(s: Any, t: Any, k: Any, x: Any) -> Any:
    """The same for X_s given X_t = k."""
    law = PROCESS.bridge(s, t, k)
    return np.array([law.cdf(x), law.cdf_left(x), law.sf(x)])


def as_asked(columns: list[NDArray[Any]]) -> list[NDArray[Any]]:
    """The parameters of each row."""
    return columns


@certificate(
    {"N13": supports, "N14": supports},
    rejects={
        "the time of the first row for all": {"given": lambda columns: [0 * columns[0] + columns[0][0], *columns[1:]]},
        "the points in reverse": {"given": lambda columns: [*columns[:-1], columns[-1][::-1]]},
    },
)
def many_laws_at_once(
    enclosure: Enclosure, given: Callable[[list[NDArray[Any]]], list[NDArray[Any]]] = as_asked
) -> None:
    """Rows of different laws in one call are what they are alone, to 1e-13, whatever the order."""
    each = Enclosure(Record())
    rows: tuple[tuple[str, Callable[..., Any], Any], ...] = (
        ("X_t", marginals, MARGINALS),
        ("X_s given X_t", bridges, BRIDGES),
    )
    for name, law, asked in rows:
        shuffled = np.random.default_rng(3).permutation(np.array(asked))
        together = law(*given([column.copy() for column in shuffled.T]))
        for parameters in np.unique(shuffled[:, :-1], axis=0):
            own = (shuffled[:, :-1] == parameters).all(axis=1)
            alone = law(*parameters, shuffled[own, -1])
            for number, single in zip(together[:, own].flat, alone.flat, strict=True):
                each.agrees(f"{name}, {parameters}", number, arb(float(single)), 1e-13)
        enclosure.checked(name, f"{len(asked)} rows agree with one call for each law")
