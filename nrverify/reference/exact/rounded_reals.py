"""What exact mechanisms of real-valued noise have in common: the value, the grid, the bits and the session."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy.typing as npt

from nrverify.reference.arguments import real_value
from nrverify.reference.exact import arguments
from nrverify.reference.exact.bits import Bits, Tape, source
from nrverify.reference.exact.refinement import START
from nrverify.reference.exact.session import Session


class RoundedReals:
    """Releases of independent coordinates of one process, each correctly rounded."""

    coordinate: ClassVar[type[Any]]
    """The class of a coordinate, made from its value, the grid, the bits and the digits read at first."""

    def __init__(
        self,
        value: npt.ArrayLike,
        granularity: float | None = None,
        bits: Bits | None = None,
        *,
        precision: int = START,
    ) -> None:
        numbers = real_value(value)
        grid, digits = arguments.granularity(granularity), arguments.precision(precision)
        tape, make = Tape(source(bits)), type(self).coordinate
        self._session = Session([make(x, grid, tape, digits) for x in numbers.ravel().tolist()], numbers)

    def release(self, t: float) -> Any:
        """f(x) and the noise at t, rounded, in the shape of the value.

        ValueError if t increases, is not positive or not finite.
        """
        return self._session.release(t)
