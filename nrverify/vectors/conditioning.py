"""The tolerance hint: how far double precision may miss, from the condition of a function at its inputs.

Rounding an input x_i to a double moves it by up to 2⁻⁵³ in relative terms, and so the result by κ_i·2⁻⁵³ with
κ_i = |x_i ∂f/∂x_i / f|; a sensible formula adds roundings of the same kind, one for each operation. The hint is

    tolerance = n·2⁻⁵³·(1 + Σ κ_i),   with 1/|f| added to the sum where f is the logarithm of a computed number,

n = 16 operations for a closed form or the root of one, n = 1024 where a series, a recursion or an integral is taken,
n = 65536 for an integral equation.

Integers are exact in double precision and do not count. At a tie (x at an atom, s = t) a step may jump or leave the
domain while the tie itself is exact: the smaller of the two one-sided differences counts, and a jump does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from nrverify.vectors.ball import Uncertain
from nrverify.vectors.case import Exact, Function, Invalid
from nrverify.vectors.decimals import ends, upper

STEP = Fraction(1, 2**64)
"""Relative change of an input: small enough for a derivative, far above the radius of the balls."""
_UNIT = Fraction(1, 2**53)
"""Half a unit in the last place of a double: what rounding an input does."""
_JUMP = 2**40  # no condition number: with it a double would keep no digit that matters

Inputs = Mapping[str, Exact | tuple[Exact, ...]]
Evaluate = Callable[[Inputs], Mapping[str, Any]]


def tolerances(function: Function, inputs: Inputs, evaluate: Evaluate) -> dict[str, str]:
    """The tolerance of each output at these inputs."""
    here = {name: _middle(result) for name, result in evaluate(inputs).items()}
    total = {name: Fraction(1) for name in here}
    for pair in _perturbed(function, inputs):
        moves = [move for step in pair if (move := _moves(evaluate, step, here)) is not None]
        for name in here:
            total[name] += min((move[name] for move in moves if move[name] < _JUMP), default=Fraction(0))
    for name in function.logarithms:
        if here[name] != 0:
            total[name] += 1 / abs(here[name])
    return {name: "0" if here[name] == 0 else upper(function.roundings * _UNIT * total[name]) for name in here}


def _moves(evaluate: Evaluate, inputs: Inputs, here: Mapping[str, Fraction]) -> dict[str, Fraction] | None:
    """κ for one perturbed input, by output; None outside the domain."""
    try:
        there = {name: _middle(result) for name, result in evaluate(inputs).items()}
    except (Invalid, Uncertain):
        return None
    return {
        name: abs(there[name] - value) / abs(value) / STEP if value else Fraction(0) for name, value in here.items()
    }


def _perturbed(function: Function, inputs: Inputs) -> Iterator[tuple[Inputs, Inputs]]:
    """Each real input moved up and down by a relative step, one number at a time; equal entries of a list together."""
    for name, value in inputs.items():
        if function.inputs[name].kind not in ("real", "reals"):
            continue
        if isinstance(value, tuple):
            for number in dict.fromkeys(value):
                up, down = (
                    {**inputs, name: tuple(moved if entry == number else entry for entry in value)}
                    for moved in _steps(number)
                )
                yield up, down
        elif isinstance(value, Fraction):
            up, down = ({**inputs, name: moved} for moved in _steps(value))
            yield up, down


def _steps(number: Exact) -> tuple[Exact, Exact]:
    return Fraction(number) * (1 + STEP), Fraction(number) * (1 - STEP)


def _middle(result: Any) -> Fraction:
    low, high = ends(result)
    return (low + high) / 2
