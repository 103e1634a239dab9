"""Losses and failure probabilities added up: the threshold test on the Brownian mechanism, and composition.

Serves the claim of a total cost 2ε_N, Corollary aug_bm, and the remark on naive composition in the conclusion.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import sympy as sp
from flint import arb, ctx

from nrverify.ledger import certificate, derivation, holds, needs, supports
from nrverify.ledger.assumptions import DENSITIES, UNION_BOUND
from nrverify.ledger.enclosure import PRECISION, Enclosure
from nrverify.ledger.proof import Expr, Proof
from nrverify.symbolic.tools.normal import tail_ball


@certificate(
    {"R10": needs("with probability 1, as printed")},
    rejects={
        "with probability 1, as printed": {"allowed": 0.0},
        "0.8 ε_N in all with the same δ": {"total": 0.8},
    },
)
def total_cost(enclosure: Enclosure, allowed: float = 1e-6, total: float = 2.0) -> None:
    """Releases and test together cost at most 2ε_N with probability ≥ 1 − δ, and more with a positive probability.

    One look at the time where the linear boundary, tuned at ε = 0.3 and δ = 1e-6, is ε (Δ = 1); the utility is the same
    for both databases and far above the threshold, so that the test halts there and adds nothing.
    """
    with ctx.workprec(PRECISION):
        epsilon, log_odds = arb(3) / 10, (arb(10) ** 6).log()
        time = 1 / (2 * ((log_odds + epsilon).sqrt() - log_odds.sqrt()) ** 2)
        enclosure.note("The look", f"t = {time.str(15)}, where the loss is 1/2t + B_t/t, normal and unbounded")
        exceeds = tail_ball((total * epsilon * time - arb(1) / 2) / time.sqrt())
        enclosure.less("P(loss > total) is positive", arb(0), exceeds)
        enclosure.less("P(loss > total) is at most what is allowed", exceeds, arb(allowed))


def falling_boundary(time: Expr) -> Expr:
    """The linear boundary Δ(Δ/2 + b)/t + Δa, with one letter for each constant."""
    return sp.Symbol("k", positive=True) / time + sp.Symbol("f", positive=True)


def rising_boundary(time: Expr) -> Expr:
    """The same plus t: larger, so also a δ-privacy boundary, but increasing for large t."""
    return falling_boundary(time) + time


def any_failure(first: int, second: int) -> int:
    """1 where the bound fails at some round."""
    return max(first, second)


@derivation(
    {"R11": needs("a boundary that increases somewhere")},
    rejects={
        "a boundary that increases somewhere": {"boundary": rising_boundary},
        "a boundary for the last round alone": {"event": lambda first, second: second},
        "the test free of charge": {"charge": 0},
    },
    uses=(
        "threshold_privacy.both_bounds",
        "boundary_algebra.uniform_in_time",
        "boundary_algebra.boundaries_decrease",
    ),
)
def stopped_by_the_test(
    proof: Proof,
    boundary: Callable[[Expr], Expr] = falling_boundary,
    event: Callable[[int, int], int] = any_failure,
    charge: int = 1,
) -> None:
    """With ψ non-increasing, ψ(T_n) ≤ ε_max and N < ∞, the procedure is (2ψ(T_N), δ)-ex-post private."""
    later, earlier = sp.symbols("s h", positive=True)
    proof.note(
        "Levels", "ε_n = ψ(T_n) is known before round n; the test reads Z at 2Δ_u/ε_n, which must not increase in n"
    )
    grown = sp.factor(boundary(later) - boundary(later + earlier))
    proof.nonnegative("T_n = s ≤ T_{n−1} = s + h gives ε_n ≥ ε_{n−1}", grown)
    proof.note("Boundary", "by definition P(∃n: ℒ^{BM}_{1:n} ≥ ψ(T_n)) ≤ δ: all rounds at once")
    covered = [
        (first, second)[halted - 1] <= event(first, second) for first, second, halted in product((0, 1), (0, 1), (1, 2))
    ]
    proof.true(
        "Whichever of two rounds fail and whichever N is chosen, a failure at N lies in that event", all(covered)
    )
    level, slack = sp.symbols("psi k", positive=True)
    proof.note("Outside the event", "ℒ^{BM}_{1:N} = ψ(T_N) − k, k > 0, at the round N whatever made it stop (R06)")
    proof.note("Theorem rat", "ℒ ≤ ℒ^{BM}_{1:N} + ε_N with ε_N = ψ(T_N)")
    claimed = (1 + charge) * level
    proof.nonnegative("The claim covers both bounds at their values", claimed - (level + level))
    proof.positive("and the total is strictly below it", claimed - ((level - slack) + level))


@derivation(
    {"E13": holds, "R10": supports, "X03": supports},
    rejects={
        "the larger δ only": {"failure": lambda first, second: sp.Max(first, second)},
        "the larger ℰ only": {"level": lambda first, second: sp.Max(first, second)},
    },
    uses=("preliminaries.reference_measure",),
    assumes=(
        DENSITIES,
        UNION_BOUND,
    ),
)
def naive_composition(
    proof: Proof,
    failure: Callable[[Expr, Expr], Expr] = lambda first, second: first + second,
    level: Callable[[Expr, Expr], Expr] = lambda first, second: first + second,
) -> None:
    """Two ex-post guarantees, the second mechanism chosen after the first output, compose to (ℰ_1 + ℰ_2, δ_1 + δ_2)."""
    p, given, other, other_given = sp.symbols("p p_2 p' p'_2", positive=True)
    joint = sp.expand_log(sp.log(p * given / (other * other_given)))
    parts = sp.expand_log(sp.log(p / other)) + sp.expand_log(sp.log(given / other_given))
    proof.equal("Joint density = p(y_1)·p_2(y_2 | y_1): the losses add", joint, parts)
    first, second = sp.symbols("ℰ_1 ℰ_2", positive=True)
    unused, also_unused = sp.symbols("k_1 k_2", nonnegative=True)
    covered = level(first, second)
    proof.nonnegative("Both losses at their levels: covered", covered - (first + second))
    together = (first - unused) + (second - also_unused)
    proof.nonnegative("and below them, ℒ_i = ℰ_i − k_i", covered - together)
    delta, given_delta = sp.symbols("delta_1 delta_2", positive=True)
    proof.note(
        "Failures", "P(first fails) ≤ δ_1; given any y_1, P(second fails | y_1) ≤ δ_2; both failing is a failure"
    )
    either = 1 - (1 - delta) * (1 - given_delta)
    within = sp.expand(failure(delta, given_delta) - either)
    proof.positive("P(either fails) ≤ 1 − (1−δ_1)(1−δ_2), below the sum", within)
    proof.note("More mechanisms", "the pair is again an ex-post private mechanism, so the sums follow one by one")
