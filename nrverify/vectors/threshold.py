"""Vectors of the threshold mechanisms: the exact law of their output, and its privacy loss (R02, R05).

The law is in closed form, piecewise sums of y^k e^{ry} carried through the rounds as balls with exact rates
(`nrverify.symbolic.tools.exponential_polynomials`): no quadrature.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from nrverify.symbolic.tools.exponential_polynomials import halting_balls
from nrverify.vectors import domain
from nrverify.vectors.ball import Ball
from nrverify.vectors.case import SUMMED, Flag, Function, Input, Invalid, case, real, reals

Rounds = Sequence[Fraction]


def probability(
    bits: Rounds, utilities: Rounds, epsilons: Rounds, threshold: Fraction, sensitivity: Fraction
) -> dict[str, Ball]:
    """P(the mechanism prints these bits)."""
    found = _output(bits, utilities, epsilons, threshold, sensitivity)
    return {"probability": found, "log_probability": found.log()}


def loss(
    bits: Rounds, utilities: Rounds, neighbour: Rounds, epsilons: Rounds, threshold: Fraction, sensitivity: Fraction
) -> dict[str, Ball | Fraction]:
    """log P(bits) under `utilities` − log P(bits) under `neighbour`."""
    domain.same_length(utilities=utilities, neighbour=neighbour)
    own = _output(bits, utilities, epsilons, threshold, sensitivity)
    other = _output(bits, neighbour, epsilons, threshold, sensitivity)
    if utilities[: len(bits)] == neighbour[: len(bits)]:
        return {"loss": Fraction(0)}
    return {"loss": (own / other).log()}


def worst_loss(epsilons: Rounds) -> dict[str, Fraction]:
    """min(ε_n, ¼ Σ_{i ≤ n} ε_i)."""
    _check_epsilons(epsilons)
    return {"loss": min(epsilons[-1], sum(epsilons, Fraction(0)) / 4)}


def _output(bits: Rounds, utilities: Rounds, epsilons: Rounds, threshold: Fraction, sensitivity: Fraction) -> Ball:
    _check_epsilons(epsilons)
    domain.same_length(utilities=utilities, epsilons=epsilons)
    domain.positive(sensitivity=sensitivity)
    rounds = len(bits)
    if not 0 < rounds <= len(epsilons):
        raise Invalid("bits must have at least one entry and at most one for each round")
    if any(bit not in (0, 1) for bit in bits) or any(bits[:-1]):
        raise Invalid("bits must be zeros with at most one 1, at the end")
    margins = [utility - threshold for utility in utilities[:rounds]]
    scales = [sensitivity / epsilon for epsilon in epsilons[:rounds]]
    law = halting_balls(margins, [2 * scale for scale in scales], [4 * scale for scale in scales])
    return law[rounds - 1] if bits[-1] == 1 else law[rounds]


def _check_epsilons(epsilons: Rounds) -> None:
    if not epsilons:
        raise Invalid("epsilons must have at least one entry")
    domain.positive(**{"every epsilon": min(epsilons)})
    if any(later < earlier for earlier, later in pairwise(epsilons)):
        raise Invalid("epsilons must not decrease")


_MECHANISM = (
    "Round n halts (prints 1) when u_n + ξ_n ≥ τ + ζ_n, else prints 0: ξ_n ~ Lap(4Δ/ε_n) independent, ζ_n the Laplace "
    "noise-reduction process (see laplace-bridge-cdf) at time 2Δ/ε_n. Equal ε's are AboveThreshold, where ζ is drawn "
    "once"
)
_INPUTS = {
    "bits": Input("bits", "the output: zeros, and a final 1 where the mechanism has halted"),
    "utilities": reals("u_n for each round; those after the last bit do not matter"),
    "epsilons": reals("ε_n for each round, non-decreasing"),
    "threshold": real("τ"),
    "sensitivity": real("Δ of the utilities"),
}
_FLAGS = {
    "query-noise": Flag("query noise Lap(2Δ/ε) for Lap(4Δ/ε)", "the privacy loss is up to 3ε/2 where ε was promised"),
    "threshold-noise": Flag("threshold noise Lap(Δ/ε) for Lap(2Δ/ε)", "the loss exceeds ε: the threshold is exposed"),
    "redrawn-threshold": Flag(
        "the threshold noise is drawn afresh in every round",
        "another law, whose loss is not bounded by ε: it adds up over the rounds",
    ),
    "frozen-threshold": Flag(
        "the threshold noise stays at its first scale when ε grows", "the output is less accurate than it should be"
    ),
    "atom-s-over-t": Flag(
        "the threshold noise repeats with probability s/t for (s/t)²",
        "ζ_n is not Laplace, and the bound ε_n has no proof",
    ),
    "reversed": Flag("halts when u_n + ξ_n < τ + ζ_n", "the mechanism answers the opposite question"),
    "missing-sensitivity": Flag("noise is not scaled by Δ", "for sensitivities above 1 the loss is Δ times as large"),
    "unchecked": Flag("the input is not checked", "a law of something that is no run of the mechanism"),
}

PROBABILITY = Function(
    name="threshold-probability",
    statement=f"P(the threshold mechanism prints these bits). {_MECHANISM}.",
    domain="every ε > 0, ε's non-decreasing; as many utilities as ε's; bits are zeros with at most one 1, at the end, "
    "no more than rounds; sensitivity > 0",
    inputs=_INPUTS,
    outputs={"probability": "P(bits)", "log_probability": "its natural logarithm"},
    flags=_FLAGS,
    evaluate=probability,
    roundings=SUMMED,
    logarithms=frozenset({"log_probability"}),
    cases=(
        case(1, "one round, at the threshold: one half", "", bits=["1"], utilities=["0"], epsilons=["1"],
             threshold="0", sensitivity="1"),
        case(2, "one round, above", "query-noise threshold-noise reversed", bits=["1"], utilities=["5"],
             epsilons=["1"], threshold="2", sensitivity="1"),
        case(3, "one round, below, another sensitivity",
             "query-noise threshold-noise reversed missing-sensitivity", bits=["1"], utilities=["-3"],
             epsilons=["0.5"], threshold="1", sensitivity="2"),
        case(4, "no halt in one round", "query-noise threshold-noise reversed", bits=["0"], utilities=["5"],
             epsilons=["1"], threshold="2", sensitivity="1"),
        case(5, "AboveThreshold halts in round 2", "query-noise threshold-noise redrawn-threshold reversed",
             bits=["0", "1"], utilities=["-1", "3"], epsilons=["1", "1"], threshold="0", sensitivity="1"),
        case(6, "AboveThreshold, three rounds", "query-noise threshold-noise redrawn-threshold reversed",
             bits=["0", "0", "1"], utilities=["-2", "1", "4"], epsilons=["0.75", "0.75", "0.75"], threshold="1",
             sensitivity="1"),
        case(7, "AboveThreshold, no halt in three rounds",
             "query-noise threshold-noise redrawn-threshold reversed missing-sensitivity", bits=["0", "0", "0"],
             utilities=["-2", "1", "-4"], epsilons=["2", "2", "2"], threshold="1", sensitivity="3"),
        case(8, "growing ε, two rounds",
             "query-noise threshold-noise redrawn-threshold frozen-threshold atom-s-over-t reversed",
             bits=["0", "1"], utilities=["-1", "3"], epsilons=["1", "2"], threshold="0", sensitivity="1"),
        case(9, "growing ε, three rounds",
             "query-noise threshold-noise redrawn-threshold frozen-threshold atom-s-over-t reversed",
             bits=["0", "0", "1"], utilities=["0.5", "-1", "2"], epsilons=["0.5", "1", "2"], threshold="0.25",
             sensitivity="1"),
        case(10, "growing and repeated ε, no halt",
             "query-noise threshold-noise redrawn-threshold frozen-threshold atom-s-over-t reversed",
             bits=["0", "0", "0"], utilities=["1", "2", "-3"], epsilons=["0.4", "1", "1"], threshold="0",
             sensitivity="1"),
        case(11, "halts early: later rounds do not matter", "query-noise threshold-noise reversed", bits=["1"],
             utilities=["2", "100", "-100"], epsilons=["1", "2", "4"], threshold="0", sensitivity="1"),
        case(12, "ties: utilities at the threshold in every round",
             "query-noise threshold-noise redrawn-threshold frozen-threshold atom-s-over-t", bits=["0", "0", "1"],
             utilities=["3", "3", "3"], epsilons=["1", "1.5", "3"], threshold="3", sensitivity="1"),
        case(13, "a rare output: 10⁻⁵⁰",
             "query-noise threshold-noise redrawn-threshold frozen-threshold atom-s-over-t reversed",
             bits=["0", "1"], utilities=["250", "-250"], epsilons=["1", "1.25"], threshold="0", sensitivity="1"),
        case(14, "hardly any privacy", "query-noise threshold-noise redrawn-threshold reversed", bits=["0", "1"],
             utilities=["0.01", "0.02"], epsilons=["100", "100"], threshold="0", sensitivity="1"),
        case(15, "five rounds of growing ε",
             "query-noise threshold-noise redrawn-threshold frozen-threshold atom-s-over-t reversed",
             bits=["0", "0", "0", "0", "1"], utilities=["-2", "-1", "0", "1", "2"],
             epsilons=["0.5", "0.625", "0.75", "1", "1.5"], threshold="0", sensitivity="1"),
        case(16, "bits after a 1", "unchecked", bits=["1", "0"], utilities=["0", "0"], epsilons=["1", "1"],
             threshold="0", sensitivity="1"),
        case(17, "ε decreases", "unchecked", bits=["0", "1"], utilities=["0", "0"], epsilons=["2", "1"],
             threshold="0", sensitivity="1"),
        case(18, "more bits than rounds", "unchecked", bits=["0", "0"], utilities=["0"], epsilons=["1"],
             threshold="0", sensitivity="1"),
        case(19, "ε = 0", "unchecked", bits=["1"], utilities=["0"], epsilons=["0"], threshold="0", sensitivity="1"),
        case(20, "a bit that is neither 0 nor 1", "unchecked", bits=["2"], utilities=["0"], epsilons=["1"],
             threshold="0", sensitivity="1"),
        case(21, "no bits", "unchecked", bits=[], utilities=["0"], epsilons=["1"], threshold="0", sensitivity="1"),
    ),
)  # fmt: skip

LOSS = Function(
    name="threshold-loss",
    statement=f"Privacy loss of an output of the threshold mechanism: log P(bits | utilities) − "
    f"log P(bits | neighbour). {_MECHANISM}.",
    domain="as for threshold-probability, for both lists of utilities",
    inputs={"bits": _INPUTS["bits"], "utilities": _INPUTS["utilities"],
            "neighbour": reals("the utilities for the neighbouring data"), "epsilons": _INPUTS["epsilons"],
            "threshold": _INPUTS["threshold"], "sensitivity": _INPUTS["sensitivity"]},
    outputs={"loss": "log P(bits | utilities) − log P(bits | neighbour)"},
    flags={"swapped": Flag("utilities and neighbour change places", "the sign of the loss is wrong"),
           **{name: flag for name, flag in _FLAGS.items() if name != "reversed"}},
    evaluate=loss,
    roundings=SUMMED,
    logarithms=frozenset({"loss"}),
    cases=(
        case(1, "one round", "swapped query-noise threshold-noise", bits=["1"], utilities=["0"], neighbour=["-1"],
             epsilons=["1"], threshold="0", sensitivity="1"),
        case(2, "AboveThreshold, worst signs", "swapped query-noise threshold-noise redrawn-threshold",
             bits=["0", "0", "1"], utilities=["1", "1", "-1"], neighbour=["2", "2", "-2"],
             epsilons=["1", "1", "1"], threshold="0", sensitivity="1"),
        case(3, "AboveThreshold, near the supremum ε", "swapped query-noise threshold-noise redrawn-threshold",
             bits=["0", "0", "0", "0", "1"], utilities=["40", "40", "40", "40", "-40"],
             neighbour=["41", "41", "41", "41", "-41"], epsilons=["1", "1", "1", "1", "1"], threshold="0",
             sensitivity="1"),
        case(4, "growing ε", "swapped query-noise threshold-noise redrawn-threshold frozen-threshold atom-s-over-t",
             bits=["0", "1"], utilities=["1", "-1"], neighbour=["2", "-2"], epsilons=["1", "2"], threshold="0",
             sensitivity="1"),
        case(5, "another sensitivity",
             "swapped query-noise threshold-noise redrawn-threshold frozen-threshold atom-s-over-t "
             "missing-sensitivity", bits=["0", "0"], utilities=["3", "1"], neighbour=["0", "4"],
             epsilons=["0.5", "1.5"], threshold="1", sensitivity="3"),
        case(6, "the same utilities: no loss", "", bits=["0", "1"], utilities=["1", "2"], neighbour=["1", "2"],
             epsilons=["1", "2"], threshold="0", sensitivity="1"),
        case(7, "utilities that differ after the halt only: no loss", "", bits=["1"], utilities=["1", "2"],
             neighbour=["1", "3"], epsilons=["1", "2"], threshold="0", sensitivity="1"),
        case(8, "a decreasing ε", "unchecked", bits=["0", "1"], utilities=["0", "1"], neighbour=["1", "0"],
             epsilons=["2", "1"], threshold="0", sensitivity="1"),
        case(9, "a neighbour of another length", "unchecked", bits=["1"], utilities=["0", "1"], neighbour=["1"],
             epsilons=["1", "1"], threshold="0", sensitivity="1"),
    ),
)  # fmt: skip

WORST = Function(
    name="threshold-worst-loss",
    statement="No halt in round n of a threshold mechanism has a larger privacy loss than min(ε_n, ¼·Σ_{i≤n} ε_i), "
    "whatever the utilities.",
    domain="every ε > 0, non-decreasing, at least one",
    inputs={"epsilons": _INPUTS["epsilons"]},
    outputs={"loss": "min(ε_n, ¼·Σ ε_i)"},
    flags={
        "half-for-quarter": Flag("½ for ¼ in the sum", "the bound is larger than it needs to be"),
        "sum-only": Flag("¼·Σ ε_i alone", "over many rounds the bound grows without need"),
        "last-only": Flag("ε_n alone, as in the paper's theorem", "true, but up to 4 times too large for few rounds"),
        "unchecked": Flag("the input is not checked", "a bound for something that is no run of the mechanism"),
    },
    evaluate=worst_loss,
    cases=(
        case(1, "one round: a quarter of ε", "half-for-quarter last-only", epsilons=["1"]),
        case(2, "three equal rounds", "half-for-quarter last-only", epsilons=["1", "1", "1"]),
        case(3, "ten equal rounds: ε", "sum-only",
             epsilons=["0.5", "0.5", "0.5", "0.5", "0.5", "0.5", "0.5", "0.5", "0.5", "0.5"]),
        case(4, "doubling: less than ε_n/2", "half-for-quarter last-only", epsilons=["0.1", "0.2", "0.4", "0.8"]),
        case(5, "tiny ε's", "half-for-quarter last-only", epsilons=["1e-300", "1e-300"]),
        case(6, "a decreasing ε", "unchecked", epsilons=["2", "1"]),
        case(7, "no rounds", "unchecked", epsilons=[]),
        case(8, "a negative ε", "unchecked", epsilons=["-1"]),
    ),
)  # fmt: skip
