"""What the threshold laws accept: utilities, non-decreasing epsilons, and the bits a mechanism prints."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nrverify.laws.validation.times import Floats, positive, real


def checked_number(name: str, argument: float, *, above_zero: bool = False) -> float:
    """One finite number, where asked above 0."""
    number = positive(name, argument) if above_zero else real(name, argument)
    if number.ndim:
        raise ValueError(f"{name} is {argument!r}: it must be one number; pass a float")
    return float(number)


def checked_epsilons(epsilons: ArrayLike) -> Floats:
    """0 < ε_1 ≤ ε_2 ≤ …, at least one."""
    numbers = positive("epsilons", epsilons)
    _require_sequence("epsilons", numbers)
    falls = np.flatnonzero(np.diff(numbers) < 0)
    if falls.size:
        n = int(falls[0])
        raise ValueError(
            f"epsilons fall from {numbers[n]} in round {n + 1} to {numbers[n + 1]} in round {n + 2}; "
            "noise is only ever reduced: give them in non-decreasing order"
        )
    return numbers


def checked_utilities(name: str, utilities: ArrayLike, rounds: int) -> Floats:
    """One finite utility for each round."""
    numbers = real(name, utilities)
    _require_sequence(name, numbers)
    if len(numbers) != rounds:
        raise ValueError(f"{name} has {len(numbers)} entries and epsilons {rounds}; give one of each for every round")
    return numbers


def checked_bits(bits: Any, rounds: int, positives: int = 1) -> list[int]:
    """The bits printed: at most `positives` ones, and nothing after the last of them."""
    try:
        printed: NDArray[np.float64] = np.asarray(bits, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"bits is {bits!r}: it must be a sequence of 0 and 1") from None
    _require_sequence("bits", printed)
    if not np.all((printed == 0) | (printed == 1)):
        raise ValueError(f"bits is {bits!r}: it must be 0 or 1; 1 is a round above the threshold")
    if printed[:-1].sum() >= positives:
        which = "a 1" if positives == 1 else f"the {positives} ones of positives = {positives}"
        raise ValueError(
            f"bits = {bits!r} go on after {which}; the mechanism halts there: they must end with that 1, cut them"
        )
    if len(printed) > rounds:
        raise ValueError(
            f"bits is {bits!r}: it has {len(printed)} entries but there are {rounds} rounds; extend the utilities"
        )
    return [int(bit) for bit in printed]


def _require_sequence(name: str, numbers: NDArray[np.float64]) -> None:
    if numbers.ndim != 1 or numbers.size == 0:
        raise ValueError(f"{name} of shape {numbers.shape} must be a sequence of at least one round; pass a list")
