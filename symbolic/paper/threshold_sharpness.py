"""How much ReducedAboveThreshold can lose at worst, and whether it halts at all (Theorem rat)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import sympy as sp
from flint import arb, ctx

from nrverify.ledger import certificate, derivation, holds, needs, supports
from nrverify.ledger.assumptions import FUBINI
from nrverify.ledger.enclosure import PRECISION, Ball, Enclosure, certainly
from nrverify.ledger.proof import Expr, Proof
from nrverify.symbolic.tools.geometric_margins import survival

X = sp.Symbol("x", positive=True)
HIGH, LOW = sp.symbols("A B", positive=True)
HALF = sp.Rational(1, 2)


def far_law(zeros: int, halts: bool) -> Expr:
    """P(0…0) or P(0…01) at constant ε with utilities U ≥ 0 in the rounds that print 0 and −V ≤ 0 in the one that halts.

    x = e^{ζε/4Δ}, A = e^{−Uε/4Δ}, B = e^{−Vε/4Δ}; the threshold noise has density x on (0, 1) and x⁻³ beyond.
    """
    rising, settled = HALF * X * HIGH, 1 - HALF / (X * HIGH)
    sure, rare = 1 - HALF * X / LOW, HALF * LOW / X
    total = sp.Integer(0)
    for lower, upper, density, zero, one in (
        (sp.Integer(0), LOW, X, rising, sure),
        (LOW, sp.Integer(1), X, rising, rare),
        (sp.Integer(1), 1 / HIGH, X**-3, rising, rare),
        (1 / HIGH, sp.oo, X**-3, settled, rare),
    ):
        total += integral_of_powers(density * zero**zeros * (one if halts else 1), lower, upper)
    return sp.expand(total)


def integral_of_powers(integrand: Expr, lower: Expr, upper: Expr) -> Expr:
    """∫ Σ coefficient·x^k dx, term by term from the elementary primitives."""
    total = sp.Integer(0)
    for term in sp.Add.make_args(sp.expand(integrand)):
        coefficient, power = term.as_coeff_exponent(X)
        if power == -1:
            total += coefficient * (sp.log(upper) - sp.log(lower))
        else:
            at_upper = 0 if upper == sp.oo else upper ** (power + 1)
            total += coefficient * (at_upper - lower ** (power + 1)) / (power + 1)
    return total


def capped(rounds: int) -> int:
    """The claim: the loss of a halt in round n comes as near as one likes to min(n, 4)·ε/4."""
    return min(rounds, 4)


@derivation(
    {"R05": supports, "X11": holds},
    rejects={
        "n·ε/4 for every n": {"quarters": lambda rounds: rounds},
        "ε/2 reached in the first round": {"quarters": lambda rounds: 2},
        "all utilities moved the same way": {"last_move": -1},
        "n zeros cost up to min(n, 4)·ε/4": {"zero_quarters": capped},
    },
    uses=("threshold_privacy.constant_level",),
)
def constant_level_supremum(
    proof: Proof,
    quarters: Callable[[int], int] = capped,
    last_move: int = 1,
    zero_quarters: Callable[[int], int] = lambda rounds: min(rounds, 2),
) -> None:
    """At constant ε the supremum of the loss is min(n, 4)·ε/4 for a halt in round n and min(n, 2)·ε/4 for n zeros."""
    proof.note("Worst utilities", "u_i(x) = u_i(x') − Δ far above τ where 0 is printed, u_n(x) = u_n(x') + Δ far below")
    step, far = sp.symbols("D h", positive=True)
    proof.note("Powers", "D = e^{ε/4}: a move by Δ multiplies A = e^{−Uε/4Δ} and B by D; both go to 0 as A = B = h")
    for rounds, expected in ((1, HALF), (2, sp.Rational(5, 24)), (3, sp.Rational(5, 48))):
        here = far_law(rounds - 1, True).subs({HIGH: 1, LOW: 1})
        proof.equal(f"At the threshold, A = B = 1: P(halt in round {rounds})", here, expected)
    two = HIGH * LOW * (12 - HIGH**2 - LOW**2) / 48
    proof.equal("P(01) for u_1 ≥ τ ≥ u_2", far_law(1, True), two)
    for rounds in range(1, 6):
        law = far_law(rounds - 1, True)
        own = law.subs({HIGH: far * step, LOW: far * step**last_move}, simultaneous=True)
        ratio = _limit_of_ratio(own, law.subs({HIGH: far, LOW: far}), far, min(rounds, 4))
        proof.equal(f"A halt in round {rounds}: the limit of P/P'", ratio, step ** quarters(rounds))
    for rounds in range(1, 4):
        zeros = far_law(rounds, False).subs(LOW, far)
        own, other = (zeros.subs(HIGH, moved) for moved in (far * step, far))
        ratio = _limit_of_ratio(own, other, far, min(rounds, 2))
        proof.equal(f"Zeros in rounds 1 to {rounds}: the limit of P/P'", ratio, step ** zero_quarters(rounds))
    silent = sp.limit(1 - HALF * far, far, 0)
    proof.equal("A round with utility far below τ prints 0 with probability", silent, 1)
    proof.note(
        "Hence", "put first, such a round changes nothing: the supremum does not fall with n, and is ε from n = 4 on"
    )


def _limit_of_ratio(own: Expr, other: Expr, far: Expr, order: int) -> Expr:
    """The limit as h → 0 of the ratio of two sums of h^k and h^k·log h, of the same leading order."""
    parts = [sp.expand(sp.expand_log(side) / far**order) for side in (own, other)]
    logs = [part.coeff(sp.log(far)) for part in parts]
    if all(log.subs(far, 0) != 0 for log in logs):
        return sp.cancel(logs[0].subs(far, 0) / logs[1].subs(far, 0))
    return sp.cancel(sp.limit(parts[0], far, 0) / sp.limit(parts[1], far, 0))


def total_of_doubling(n: Expr) -> Expr:
    """(2 − 2^{1−n})·ε_n."""
    return 2 - 2 ** (1 - n)


@derivation(
    {"R10": supports, "R05": supports},
    rejects={
        "the levels before the last forgotten": {"total": lambda n: sp.Integer(1)},
        "levels that triple taken to double": {"growth": 3},
    },
    uses=("threshold_privacy.both_bounds",),
)
def doubling_levels(proof: Proof, total: Callable[[Expr], Expr] = total_of_doubling, growth: int = 2) -> None:
    """With levels that double the test costs less than ε_N/2, releases and test together less than 1.5 ε_N."""
    n = sp.Symbol("n", integer=True, positive=True)
    proof.equal("n = 1: Σε_i = ε_1", total(sp.Integer(1)), 1)
    proof.equal("n → n + 1, in units of the last level: Σ/ε_{n+1} = (Σ/ε_n)/2 + 1", total(n) / growth + 1, total(n + 1))
    proof.positive("¼Σε_i < ε_n/2 for every n", sp.expand(HALF - total(n) / 4))
    proof.positive("so that min(ε_n, ¼Σε_i) is ¼Σε_i", sp.expand(1 - total(n) / 4))
    proof.positive("and ε_N + ¼Σε_i < 1.5 ε_N", sp.expand(sp.Rational(3, 2) - 1 - total(n) / 4))


@certificate(
    {"R05": needs("N(x) < ∞ with probability 1")},
    rejects={
        "N(x) < ∞ with probability 1": {"claimed": 0.0},
        "ε = 2 for ε = 1": {"level": 2.0},
    },
)
def never_halting(enclosure: Enclosure, claimed: float = 0.182936, level: float = 1.0) -> None:
    """u_n = −n, τ = 0, ε = Δ = 1: with probability 0.182936 no round halts, and ℰ_N has no meaning there."""
    with ctx.workprec(PRECISION):
        q = (-arb(level) / 4).exp()
        for rounds in (1, 8, 32):
            later, sooner = survival(arb(1), q, rounds + 1), survival(arb(1), q, rounds)
            enclosure.less(f"More rounds, fewer survivors: P(N > {rounds + 1}) < P(N > {rounds})", later, sooner)
        never = survival(arb(1), q, None)
        enclosure.less("and some of them never halt: P(N = ∞)", never, survival(arb(1), q, 64))
        enclosure.agrees("P(N = ∞), by Euler's expansion of the product over all rounds", claimed, never, 0.0, 5e-7)


def constant_odds(n: Expr, odds: Expr) -> Expr:
    """Utilities bounded below: in every round the odds of halting are at least the same number."""
    return odds


def fading_odds(n: Expr, odds: Expr) -> Expr:
    """Utilities that fall without bound: the odds fade like 2^{−n}."""
    return odds / 2**n


@derivation(
    {"R05": supports},
    rejects={"utilities that fall without bound": {"odds_of": fading_odds}},
    assumes=(FUBINI,),
)
def bounded_utilities_halt(proof: Proof, odds_of: Callable[[Expr, Expr], Expr] = constant_odds) -> None:
    """If inf u_n > −∞ and ε_n ≤ ε_max the mechanism halts almost surely."""
    n, i = sp.symbols("n i", integer=True, positive=True)
    odds, seen, more = sp.symbols("o S o_{n+1}", positive=True)
    proof.note("Given Z", "it has finitely many jumps on [η, T_1], so that τ + Z − u_n stays below some finite M there")
    proof.note("Odds", "P(halt in round n | Z) ≥ ½e^{−M·ε_max/4Δ} for M > 0: odds of at least o against no halt")
    proof.nonnegative("∏(1 + o_i) ≥ 1 + Σo_i, by induction", sp.expand((1 + seen) * (1 + more) - (1 + seen + more)))
    survivors = 1 / (1 + sp.summation(odds_of(i, odds), (i, 1, n)))
    proof.equal("P(no halt in n rounds | Z) ≤ 1/(1 + Σo_i), which tends to 0", sp.limit(survivors, n, sp.oo), 0)


def one_round(utility: Ball) -> Ball:
    """P(halt) at ε = Δ = 1, τ = 0: (2/3)q − q²/6 below the threshold, 1 minus that above, q = e^{−|u|/4}."""
    q = (-abs(utility) / 4).exp()
    small = q * (4 - q) / 6
    if utility < 0:
        return small
    if utility > 0:
        return 1 - small
    return small.union(1 - small)


WIDTH = 6.0
"""Utilities from −6 to 6 sensitivities around the threshold; beyond, the bound is approached and no box decides."""


@certificate(
    {"R05": supports},
    rejects={
        "ε/5 for the first round": {"shares": (0.2, 0.5)},
        "ε/3 for a halt in the second round": {"shares": (0.25, 1 / 3)},
    },
)
def loss_over_a_box(enclosure: Enclosure, shares: tuple[float, float] = (0.25, 0.5)) -> None:
    """At ε = Δ = 1 the loss stays below min(n, 4)/4 for every pair of neighbours in a box of utilities, n = 1, 2."""

    def first(box: Sequence[Ball]) -> bool | None:
        utility, move = box
        ratio, bound = one_round(utility) / one_round(utility + move), arb(shares[0]).exp()
        return certainly(ratio < bound, ratio > bound)

    def second(box: Sequence[Ball]) -> bool | None:
        up, down, first_move, last_move = box
        high, low = (-up / 4).exp(), (-down / 4).exp()
        grown = (first_move / 4).exp(), (last_move / 4).exp()
        squares = (12 - (high * grown[0]) ** 2 - (low * grown[1]) ** 2) / (12 - high**2 - low**2)
        ratio, bound = grown[0] * grown[1] * squares, arb(shares[1]).exp()
        return certainly(ratio < bound, ratio > bound)

    with ctx.workprec(PRECISION):
        enclosure.everywhere("A halt in round 1: u and u' − u", [(-WIDTH, WIDTH), (-1.0, 1.0)], first)
        enclosure.everywhere(
            "A halt in round 2 from u'_1 ≥ 0 ≥ u'_2: u'_1, −u'_2 and the two moves towards the threshold",
            [(1.0, WIDTH), (1.0, WIDTH), (-1.0, 1.0), (-1.0, 1.0)],
            second,
        )
