"""Vectors of the utility of the threshold mechanisms: how far below the threshold a round may halt (R12)."""

from __future__ import annotations

from fractions import Fraction

from nrverify.vectors import domain
from nrverify.vectors.ball import Ball, ball
from nrverify.vectors.case import Flag, Function, case, real


def margin_tail(eta: Fraction, epsilon: Fraction, sensitivity: Fraction) -> dict[str, Ball]:
    """P(ξ − ζ > η) = (2/3)q − q²/6, q = e^(−ηε/4Δ), for η ≥ 0; one minus that of −η for η < 0."""
    domain.positive(epsilon=epsilon, sensitivity=sensitivity)
    q = ball(-abs(eta) * epsilon / (4 * sensitivity)).exp()
    beyond = q * 2 / 3 - q * q / 6
    return {"probability": beyond if eta >= 0 else 1 - beyond}


def utility_margin(probability: Fraction, epsilon: Fraction, sensitivity: Fraction) -> dict[str, Ball | Fraction]:
    """−(4Δ/ε) log(2 − √(4 − 6p)) for p ≤ ½, antisymmetric about ½."""
    domain.positive(epsilon=epsilon, sensitivity=sensitivity)
    domain.probability(probability=probability)
    if probability == Fraction(1, 2):
        return {"eta": Fraction(0)}
    p = ball(min(probability, 1 - probability))
    eta = -ball(4 * sensitivity / epsilon) * (2 - (4 - 6 * p).sqrt()).log()
    return {"eta": eta if probability < Fraction(1, 2) else -eta}


_INPUTS = {"epsilon": real("ε of the round"), "sensitivity": real("Δ of the utilities")}
_FLAGS = {
    "equal-scales": Flag("both noises of scale 4Δ/ε", "another law: the guarantee on utility is wrong"),
    "union-bound": Flag("P(|ξ| ≥ η/2) + P(|ζ| ≥ η/2)", "far too large: a guarantee much weaker than the truth"),
    "missing-sensitivity": Flag("Δ is left out", "the guarantee is wrong for every Δ other than 1"),
    "unchecked": Flag("the input is not checked", "a probability or a margin that is none"),
}

TAIL = Function(
    name="threshold-margin-tail",
    statement="P(ξ − ζ > η) for ξ ~ Lap(4Δ/ε), ζ ~ Lap(2Δ/ε) independent: (2/3)q − q²/6 with q = e^(−ηε/4Δ) for η ≥ 0, "
    "and 1 − P(ξ − ζ > −η) for η < 0. A round halts with utility η below the threshold with at most this probability.",
    domain="epsilon > 0, sensitivity > 0, eta finite",
    inputs={"eta": real("η"), **_INPUTS},
    outputs={"probability": "P(ξ − ζ > η)"},
    flags={**_FLAGS, "negative": Flag("the formula for η ≥ 0 is used for η < 0", "no probability")},
    evaluate=margin_tail,
    cases=(
        case(1, "η = 0: one half", "union-bound", eta="0", epsilon="1", sensitivity="1"),
        case(2, "a positive margin", "equal-scales union-bound", eta="6", epsilon="1", sensitivity="1"),
        case(3, "another sensitivity", "equal-scales union-bound missing-sensitivity", eta="10", epsilon="0.5",
             sensitivity="2.5"),
        case(4, "a negative margin", "equal-scales union-bound negative", eta="-3", epsilon="2", sensitivity="1"),
        case(5, "far out", "equal-scales union-bound", eta="2000", epsilon="1", sensitivity="1"),
        case(6, "ε = 0", "unchecked", eta="1", epsilon="0", sensitivity="1"),
        case(7, "a negative sensitivity", "unchecked", eta="1", epsilon="1", sensitivity="-1"),
    ),
)  # fmt: skip

MARGIN = Function(
    name="threshold-utility-margin",
    statement="The η with P(ξ − ζ > η) = p, ξ ~ Lap(4Δ/ε), ζ ~ Lap(2Δ/ε): −(4Δ/ε)·log(2 − √(4 − 6p)) for p ≤ ½, and "
    "minus that of 1 − p for p > ½.",
    domain="0 < probability < 1, epsilon > 0, sensitivity > 0",
    inputs={"probability": real("p"), **_INPUTS},
    outputs={"eta": "η"},
    flags={
        "paper-margin": Flag(
            "(4Δ/ε)·log(2/p), as in the paper's proposition", "three times as safe as claimed: the margin is too wide"
        ),
        "cancellation": Flag("2 − √(4 − 6p) is computed as it is written", "few digits, or log 0, for tiny p"),
        "missing-sensitivity": _FLAGS["missing-sensitivity"],
        "unchecked": _FLAGS["unchecked"],
    },
    evaluate=utility_margin,
    cases=(
        case(1, "p = 0.05", "paper-margin", probability="0.05", epsilon="1", sensitivity="1"),
        case(2, "another sensitivity", "paper-margin missing-sensitivity", probability="0.01", epsilon="0.5",
             sensitivity="2.5"),
        case(3, "p = ½: no margin", "paper-margin", probability="0.5", epsilon="1", sensitivity="1"),
        case(4, "p > ½: a negative margin", "paper-margin", probability="0.875", epsilon="2", sensitivity="1"),
        case(5, "p = 10⁻³⁰⁰", "paper-margin cancellation", probability="1e-300", epsilon="1", sensitivity="1"),
        case(6, "p = 10⁻⁹", "paper-margin cancellation", probability="1e-9", epsilon="1", sensitivity="1"),
        case(7, "p = 0", "unchecked", probability="0", epsilon="1", sensitivity="1"),
        case(8, "p = 1", "unchecked", probability="1", epsilon="1", sensitivity="1"),
        case(9, "ε = 0", "unchecked", probability="0.1", epsilon="0", sensitivity="1"),
    ),
)  # fmt: skip
