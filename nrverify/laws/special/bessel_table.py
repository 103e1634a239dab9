"""log(e^{-x} I_n(x)) at integers n for few arguments x: worked out once for each, and looked up for many rows.

The sums of narrow Skellam laws ask for the same few values over and over.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nrverify.laws.special.bessel import log_scaled
from nrverify.laws.validation.times import Floats

Rows = NDArray[np.intp]

NARROW = 8.0
"""Laws of a smaller deviation are summed point by point, so that few orders reach: the others are worked out."""
BEYOND = 96
"""So many orders beyond the largest point asked for: the tail of a narrow law ends within them."""
PAYS = 8
"""Values of a table for each row that it serves, of which a sum looks up 32 or more."""


class OrderTable:
    """The values for some rows, each of an argument; at orders up to `most`."""

    def __init__(self, x: Floats, rows: Rows, most: int) -> None:
        """`x` has the argument of every row; those of `rows` are in the table."""
        self._most = most
        values, places = np.unique(x[rows], return_inverse=True)
        self._place = np.zeros(x.size, dtype=np.intp)
        self._place[rows] = places
        self._values = np.asarray(log_scaled(np.arange(most + 1.0), values[:, None])).ravel()

    def __call__(self, rows: Rows, orders: Floats) -> Floats:
        """The values at integers (n, m) of rows (n,), all within the table."""
        place = np.abs(orders).astype(np.intp)
        place += (self._place[rows] * (self._most + 1))[:, None]
        return np.asarray(self._values[place])

    def reaches(self, orders: Floats) -> NDArray[np.bool_]:
        """Which rows of points (n, m) are integers within the table."""
        return np.asarray(((np.abs(orders) <= self._most) & (orders == np.rint(orders))).all(axis=1))


def worthwhile(narrow: NDArray[np.bool_], most: float, *arguments: Floats) -> int | None:
    """The largest order of tables for the narrow rows of these arguments; None where they would not pay."""
    served = int(np.count_nonzero(narrow))
    if not served or not most < 2**20:
        return None
    size = int(most) + BEYOND
    different = sum(np.unique(x[narrow]).size for x in arguments)
    return size if different * size <= PAYS * served else None
