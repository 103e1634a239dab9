"""Vectors of Skellam noise: the law of a release, and of the next one given the last (N14)."""

from __future__ import annotations

import math
from fractions import Fraction

from flint import arb

from nrverify.vectors import domain
from nrverify.vectors.ball import Ball, ball
from nrverify.vectors.case import SUMMED, Flag, Function, case, integer, real
from nrverify.vectors.skellam_sums import at_least, bridge_at_least, bridge_mass, mass, ratio


def marginal(rate: Fraction, time: Fraction, x: Fraction) -> dict[str, Ball]:
    """P(X_t = x), P(X_t ≤ x), P(X_t > x)."""
    domain.positive(rate=rate, time=time)
    variance, below = 2 * rate * time, math.floor(x)
    pmf = mass(below, variance) if below == x else Fraction(0)
    return {"pmf": pmf, "cdf": at_least(-below, variance), "sf": at_least(below + 1, variance)}


def bridge(rate: Fraction, s: Fraction, t: Fraction, given: Fraction, x: Fraction) -> dict[str, Ball]:
    """P(X_s = x | X_t = given), P(X_s ≤ x | …), P(X_s > x | …)."""
    domain.positive(rate=rate)
    domain.times(s, t)
    before, after, k, below = 2 * rate * s, 2 * rate * (t - s), int(given), math.floor(x)
    pmf = bridge_mass(below, before, after, k) if below == x else Fraction(0)
    lower = bridge_at_least(-below, before, after, -k)
    return {"pmf": _plain(pmf), "cdf": _plain(lower), "sf": _plain(bridge_at_least(below + 1, before, after, k))}


def moments(rate: Fraction, s: Fraction, t: Fraction, given: Fraction) -> dict[str, Ball | Fraction]:
    """mean given·s/t; variance (s/t)(1−s/t)(|k| + μ I_{|k|+1}(μ)/I_|k|(μ)), the second factor E[all Poisson events]."""
    domain.positive(rate=rate)
    domain.times(s, t)
    share, mu, k = s / t, ball(2 * rate * t), int(abs(given))
    events = k + mu * ratio(k, mu)
    return {"mean": given * share, "variance": Fraction(0) if s == t else ball(share * (1 - share)) * events}


def _plain(probability: Ball | Fraction) -> Ball | Fraction:
    """Sure and impossible events as exact numbers."""
    if isinstance(probability, arb) and probability.is_exact():
        return Fraction(int(probability.unique_fmpz()))
    return probability


_RATE = real("rate of each of the two Poisson processes")
_FLAGS = {
    "missing-2": Flag(
        "μ = rate·t for 2·rate·t: one Poisson process is forgotten", "half the noise: the loss exceeds the claimed one"
    ),
    "missing-scale": Flag("e^(−μ) is left out of e^(−μ)I_k(μ)", "no probability"),
    "gaussian": Flag("the density of a Gaussian of the same variance", "at small μ and in the tails ε is not kept"),
    "left-limit": Flag(
        "P(X < x) for P(X ≤ x) at an integer", "a transform built on it is not uniform: a correct sampler is refuted"
    ),
    "tail": Flag("the upper tail is computed as 1 − cdf", "0 or noise where the true tail is 10⁻²⁰"),
    "underflow": Flag("I_k(μ) overflows before e^(−μ) is multiplied", "NaN for μ above 700"),
    "unchecked": Flag("the input is not checked", "NaN, or a law that is none"),
}

MARGINAL = Function(
    name="skellam-marginal",
    statement="Skellam noise X_t, the difference of two independent Poisson variables of mean rate·t each; "
    "μ = 2·rate·t is its variance: P(X_t = k) = e^(−μ)·I_|k|(μ), I_k the modified Bessel function of the first kind.",
    domain="rate > 0, time > 0, x finite (P(X_t = x) = 0 where x is no integer)",
    inputs={"rate": _RATE, "time": real("t"), "x": real("where the law is asked")},
    outputs={"pmf": "P(X_t = x)", "cdf": "P(X_t ≤ x)", "sf": "P(X_t > x)"},
    flags=_FLAGS,
    evaluate=marginal,
    roundings=SUMMED,
    cases=(
        case(1, "at 0", "missing-2 missing-scale gaussian left-limit", rate="1", time="1", x="0"),
        case(2, "at 3", "missing-2 missing-scale gaussian left-limit", rate="0.5", time="3", x="3"),
        case(3, "a negative point", "missing-2 missing-scale gaussian left-limit", rate="2", time="2.25", x="-4"),
        case(4, "between two integers", "missing-2 missing-scale gaussian", rate="1", time="1", x="1.5"),
        case(5, "between two negative integers", "missing-2 missing-scale gaussian", rate="1", time="1", x="-1.5"),
        case(6, "far in the upper tail", "missing-2 missing-scale gaussian left-limit tail", rate="1", time="0.5",
             x="30"),
        case(7, "little noise", "missing-2 missing-scale gaussian left-limit tail", rate="1", time="1e-9", x="2"),
        case(8, "much noise", "missing-2 missing-scale gaussian left-limit underflow", rate="10", time="100", x="25"),
        case(9, "rate 0", "unchecked", rate="0", time="1", x="0"),
        case(10, "a negative time", "unchecked", rate="1", time="-1", x="0"),
    ),
)  # fmt: skip

_BRIDGE_INPUTS = {
    "rate": _RATE,
    "s": real("the time of the next, less noisy release"),
    "t": real("the time of the last release"),
    "given": integer("the noise X_t of the last release, an integer"),
}
_BRIDGE_FLAGS = {
    "missing-2": _FLAGS["missing-2"],
    "thinned-difference": Flag(
        "the difference itself is thinned: Binomial(|given|, s/t) with the sign of given",
        "too little noise when given is near 0, none at all when it is 0: the release reveals f(x)",
    ),
    "fresh-noise": Flag(
        "independent noise for every release", "releases can be averaged: the loss adds up over the looks"
    ),
    "whole-time": Flag("variance of t for that of t − s in the second factor", "the law of the next release is wrong"),
}

BRIDGE = Function(
    name="skellam-bridge",
    statement="P(X_s = j | X_t = k) = I_|j|(2·rate·s)·I_|k−j|(2·rate·(t−s))/I_|k|(2·rate·t) for Skellam noise, its "
    "distribution function and upper tail; for s = t all mass is at k.",
    domain="rate > 0, 0 < s ≤ t, given an integer, x finite (P(X_s = x) = 0 where x is no integer)",
    inputs={**_BRIDGE_INPUTS, "x": real("where the law is asked")},
    outputs={
        "pmf": "P(X_s = x | X_t = given)",
        "cdf": "P(X_s ≤ x | X_t = given)",
        "sf": "P(X_s > x | X_t = given)",
    },
    flags={
        **_BRIDGE_FLAGS,
        "left-limit": _FLAGS["left-limit"],
        "tail": _FLAGS["tail"],
        "unchecked": _FLAGS["unchecked"],
    },
    evaluate=bridge,
    roundings=SUMMED,
    cases=(
        case(1, "half the time", "missing-2 thinned-difference fresh-noise whole-time left-limit", rate="1", s="1",
             t="2", given="3", x="2"),
        case(2, "given = 0: the noise is not 0", "missing-2 thinned-difference fresh-noise whole-time left-limit",
             rate="1", s="1", t="3", given="0", x="1"),
        case(3, "a negative value", "missing-2 thinned-difference fresh-noise whole-time left-limit", rate="2.5",
             s="0.3", t="1", given="-4", x="-2"),
        case(4, "between two integers", "missing-2 thinned-difference fresh-noise whole-time", rate="1", s="1",
             t="2", given="3", x="0.5"),
        case(5, "equal times, at the value", "fresh-noise whole-time left-limit", rate="1", s="2", t="2", given="5",
             x="5"),
        case(6, "equal times, below the value", "fresh-noise whole-time", rate="1", s="2", t="2", given="5", x="4"),
        case(7, "far in the upper tail", "missing-2 fresh-noise whole-time left-limit tail", rate="1", s="0.5",
             t="1", given="-2", x="15"),
        case(8, "much noise", "missing-2 thinned-difference fresh-noise whole-time left-limit", rate="1", s="60",
             t="150", given="20", x="3"),
        case(9, "little noise, a large value", "missing-2 thinned-difference fresh-noise whole-time left-limit",
             rate="1", s="0.0005", t="0.001", given="12", x="5"),
        case(10, "s > t", "unchecked", rate="1", s="2", t="1", given="0", x="0"),
        case(11, "a value that is no integer", "unchecked", rate="1", s="1", t="2", given="0.5", x="0"),
        case(12, "rate 0", "unchecked", rate="0", s="1", t="2", given="0", x="0"),
    ),
)  # fmt: skip

MOMENTS = Function(
    name="skellam-bridge-moments",
    statement="Mean and variance of Skellam noise X_s given X_t = k: k·s/t and (s/t)(1 − s/t)·(|k| + "
    "μ·I_{|k|+1}(μ)/I_|k|(μ)), μ = 2·rate·t. To test a sampler.",
    domain="rate > 0, 0 < s ≤ t, given an integer",
    inputs=_BRIDGE_INPUTS,
    outputs={"mean": "E[X_s | X_t = given]", "variance": "Var[X_s | X_t = given]"},
    flags={
        **_BRIDGE_FLAGS,
        "gaussian": Flag("variance 2·rate·s(t−s)/t, as for Brownian noise", "too much or too little noise"),
        "unchecked": _FLAGS["unchecked"],
    },
    evaluate=moments,
    roundings=SUMMED,
    cases=(
        case(1, "half the time", "missing-2 thinned-difference fresh-noise whole-time gaussian", rate="1", s="1",
             t="2", given="3"),
        case(2, "given = 0", "missing-2 thinned-difference fresh-noise whole-time gaussian", rate="1", s="1", t="3",
             given="0"),
        case(3, "a negative value", "missing-2 thinned-difference fresh-noise whole-time gaussian", rate="2.5",
             s="0.3", t="1", given="-4"),
        case(4, "equal times", "fresh-noise whole-time", rate="1", s="2", t="2", given="5"),
        case(5, "a value far from typical", "missing-2 thinned-difference fresh-noise whole-time gaussian",
             rate="0.5", s="0.1", t="0.4", given="9"),
        case(6, "s > t", "unchecked", rate="1", s="2", t="1", given="0"),
        case(7, "rate 0", "unchecked", rate="0", s="1", t="2", given="0"),
    ),
)  # fmt: skip
