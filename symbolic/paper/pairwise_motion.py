"""Definition brownian, item (3): independence of B_s alone does not make a Brownian motion (claim P09).

The counterexample weights Brownian paths on [0, 3] by 1 + c s_1 s_2 s_3, s_i the sign of the deviation of the midpoint
of [i−1, i] from its chord. Any two times leave one of the three intervals untouched, whose sign averages out.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, product

import sympy as sp
from flint import acb, arb, ctx

from nrverify.ledger import certificate, derivation, refuted, supports
from nrverify.ledger.assumptions import GAUSSIAN
from nrverify.ledger.enclosure import PRECISION, Ball, Enclosure
from nrverify.ledger.proof import Expr, Proof
from nrverify.symbolic.tools.gaussian_paths import Functional, covariance, motion, variance

INTERVALS = (1, 2, 3)
"""The fewest for which signs can be independent in pairs and dependent together."""
COUPLING = sp.Symbol("c", real=True)
HALF, QUARTER = sp.Rational(1, 2), sp.Rational(1, 4)

Past = tuple[tuple[int, ...], ...]
"""Products of signs of earlier intervals, each given by the intervals it multiplies."""

ALL_OF_THE_PAST: Past = ((), (1,), (2,), (1, 2))
"""Of two earlier intervals: the empty product, each sign, and both."""
ONE_TIME_ONLY: Past = ((), (1,), (2,))
"""Without the product of both, which two times tell and one does not."""


def midpoint_deviation(start: Expr) -> Functional:
    """B at the midpoint of [start, start + 1] minus the mean of its values at the ends."""
    chord: Functional = HALF * (motion(start) + motion(start + 1))
    return motion(start + HALF) - chord


def expectation(signs: tuple[int, ...], intervals: tuple[int, ...] = INTERVALS) -> Expr:
    """E of the product of the named signs under the weight 1 + c Π s_i, by summing over all sign patterns."""
    total = sp.S.Zero
    for pattern in product((1, -1), repeat=len(intervals)):
        sign = dict(zip(intervals, pattern, strict=True))
        total += sp.prod(sign[i] for i in signs) * (1 + COUPLING * sp.prod(pattern))
    return sp.expand(total / 2 ** len(intervals))


@derivation(
    {"P09": refuted("independent of B_s alone")},
    rejects={
        "independent of B_s alone": {"past": ONE_TIME_ONLY},
        "only two intervals, which two times can touch": {"intervals": (1, 2)},
    },
    assumes=(GAUSSIAN,),
)
def brownian_definition(proof: Proof, past: Past = ALL_OF_THE_PAST, intervals: tuple[int, ...] = INTERVALS) -> None:
    """Independence of all of the past forces c = 0; independence of B_s alone admits every c, Brownian or not."""
    time, step = sp.symbols("u k", positive=True)
    deviation = midpoint_deviation(time)
    proof.equal(
        "The midpoint deviation on [u, u+1] is N(0, 1/4): its sign is a fair coin", variance(deviation), QUARTER
    )
    proof.equal("It is uncorrelated with the path after it", covariance(deviation, motion(time + 1 + step)), 0)
    proof.equal("and at its end", covariance(deviation, motion(time + 1)), 0)
    proof.equal("and at its start", covariance(deviation, motion(time)), 0)
    proof.equal("and before it", covariance(midpoint_deviation(time + step), motion(time)), 0)
    first = midpoint_deviation(sp.S.Zero)
    proof.equal("The same on [0, 1], where B_0 = 0", variance(first), QUARTER)
    proof.note("Hence", "each sign is independent of the path outside its interval, of all other signs too")

    proof.equal("The weighted law has total mass 1", expectation((), intervals), 1)
    for pair in combinations(intervals, 2):
        free = [interval for interval in intervals if interval not in pair]
        name = f"Times inside intervals {pair[0]} and {pair[1]} leave one interval untouched"
        proof.equal(name, len(free), 1)
        proof.equal(f"so E[s_{pair[0]} s_{pair[1]}] = 0 as for Brownian motion", expectation(pair, intervals), 0)
    for interval in intervals:
        proof.equal(f"and E[s_{interval}] = 0", expectation((interval,), intervals), 0)
    proof.note(
        "So for every c", "all laws at two times are Brownian: B_0 = 0, continuity, item (3) as printed and (4) hold"
    )

    conditions = [expectation((*signs, 3), intervals) for signs in past]
    proof.note(
        "Independent of the past asked for", "E[s_3 · s] = 0 for the products s of earlier signs: " + str(conditions)
    )
    forced = {COUPLING: 0} if any(condition != 0 for condition in conditions) else {}
    proof.equal(
        "An admissible process has E[s_1 s_2 s_3] = 0, as Brownian motion has", expectation(INTERVALS).subs(forced), 0
    )
    value, neighbour, middle, end = sp.symbols("f f' B_{1/2} B_1", real=True)
    read = (value + middle) - HALF * (neighbour + value + end)
    shifted = (middle - HALF * end) + HALF * (value - neighbour)
    proof.equal("As noise: read with f(x') as the start, the first deviation moves by (f − f')/2", read, shifted)


def infinite_loss(sensitivity: Ball) -> Ball:
    """Φ(Δ) − 1/2."""
    return (sensitivity / arb(2).sqrt()).erf() / 2


def half_scale(sensitivity: Ball) -> Ball:
    """A wrong form: Φ(Δ/2) − 1/2."""
    return infinite_loss(sensitivity / 2)


def both_signs(sensitivity: Ball) -> Ball:
    """A wrong form: both signs counted, 2Φ(Δ) − 1."""
    return 2 * infinite_loss(sensitivity)


@certificate(
    {"P09": supports},
    rejects={"Φ(Δ/2) − 1/2": {"probability": half_scale}, "2Φ(Δ) − 1": {"probability": both_signs}},
)
def infinite_loss_probability(enclosure: Enclosure, probability: Callable[[Ball], Ball] = infinite_loss) -> None:
    """As noise, with c = 1 and looks at 3, 2.5, …, 0.5, it loses infinitely much with probability Φ(Δ) − 1/2."""
    enclosure.note("Looks", "s_2 and s_3 follow from the releases alone; s_1 also from the value, since B_0 = 0")
    enclosure.note(
        "Neighbour", "under f(x') the first midpoint deviation is read as D + (f(x) − f(x'))/2, D ~ N(0, 1/4)"
    )
    enclosure.note("Impossible", "a transcript whose signs then multiply to −1 has density 0 under x': −Δ/2 < D < 0")
    with ctx.workprec(PRECISION):
        for numerator, denominator in ((1, 4), (1, 1), (3, 2)):
            sensitivity = arb(numerator) / denominator
            area = acb.integral(_deviation_density, -sensitivity / 2, 0).real
            gap = abs(probability(sensitivity) - area)
            enclosure.less(f"Δ = {numerator}/{denominator}: P(−Δ/2 < D < 0) = Φ(Δ) − 1/2", gap, arb(10) ** -25)
        enclosure.less("At Δ = 1 the probability exceeds 0.3413", arb("0.3413"), probability(arb(1)))
        enclosure.less("and is below 0.3414", probability(arb(1)), arb("0.3414"))


def _deviation_density(x: Ball, analytic: bool) -> Ball:
    """The density of N(0, 1/4)."""
    return (-2 * x * x).exp() * (arb(2) / arb.pi()).sqrt()
