"""The utility of ReducedAboveThreshold (Proposition rat_utility): the exact law of ξ − ζ, and what the proof loses."""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp
from flint import arb, ctx

from nrverify.ledger import certificate, derivation, misprint, proof_wrong, refuted
from nrverify.ledger.assumptions import FUBINI, UNION_BOUND
from nrverify.ledger.enclosure import PRECISION, Ball, Enclosure
from nrverify.ledger.proof import Expr, Proof
from nrverify.symbolic.paper.threshold_sharpness import X, integral_of_powers
from nrverify.symbolic.tools.geometric_margins import survival

GAMMA = sp.Symbol("gamma", positive=True)
WEIGHT = sp.Symbol("p_n", positive=True)
Q = sp.Symbol("q", positive=True)


def tail_of_difference(ratio: int) -> Expr:
    """P(ξ − ζ > η) = E P(ξ > η + ζ) for ξ ~ Lap(c), ζ ~ Lap(c/ratio), with x = e^{−ζ/c} and q = e^{−η/c}.

    Given ζ it is qx/2 where qx ≤ 1 (η + ζ ≥ 0) and 1 − 1/(2qx) beyond.
    """
    near, far = _noise_density(ratio)
    zero, one = sp.Integer(0), sp.Integer(1)
    return sp.expand(
        integral_of_powers(near * Q * X / 2, zero, one)
        + integral_of_powers(far * Q * X / 2, one, 1 / Q)
        + integral_of_powers(far * (1 - 1 / (2 * Q * X)), 1 / Q, sp.oo)
    )


def _noise_density(ratio: int) -> tuple[Expr, Expr]:
    """The density of x = e^{−ζ/c}, ζ ~ Lap(c/ratio): (ratio/2)x^{ratio−1} on (0, 1), (ratio/2)x^{−ratio−1} beyond."""
    return sp.Rational(ratio, 2) * X ** (ratio - 1), sp.Rational(ratio, 2) * X ** (-ratio - 1)


def exact_tail(q: Expr) -> Expr:
    """(2/3)q − q²/6."""
    return sp.Rational(2, 3) * q - q**2 / 6


def half_margin(budget: Expr) -> Expr:
    """P(|ξ_n| ≥ η_n/2) = √(γp_n/2)."""
    return sp.sqrt(budget / 2)


def printed_half_margin(budget: Expr) -> Expr:
    """The printed value, γp_n/2."""
    return budget / 2


def sharp_q(budget: Expr) -> Expr:
    """2 − √(4 − 6γp_n), with η_n = −(4Δ/ε_n) log of it."""
    return 2 - sp.sqrt(4 - 6 * budget)


@derivation(
    {"R12": proof_wrong("P(|ξ_n| ≥ η_n/2) = γp_n/2, as printed")},
    rejects={
        "P(|ξ_n| ≥ η_n/2) = γp_n/2, as printed": {"half": printed_half_margin},
        "the tail of ξ alone": {"tail": lambda q: q / 2},
        "independent noises of the same scale": {"ratio": 1},
        "the other root for the sharp margin": {"root": lambda budget: 2 + sp.sqrt(4 - 6 * budget)},
    },
    assumes=(UNION_BOUND,),
)
def margin(
    proof: Proof,
    tail: Callable[[Expr], Expr] = exact_tail,
    half: Callable[[Expr], Expr] = half_margin,
    root: Callable[[Expr], Expr] = sharp_q,
    ratio: int = 2,
) -> None:
    """u_N ≥ τ_N − η_N with probability ≥ 1 − γ/3, from the exact law of ξ − ζ; the printed split into halves fails."""
    proof.note("Scales", "ξ_n ~ Lap(c) and ζ_n ~ Lap(c/2) with c = 4Δ/ε_n, independent; q = e^{−η/c}, x = e^{−ζ/c}")
    c = sp.Symbol("c", positive=True)
    changed = sp.exp(-2 * (-c * sp.log(X)) / c) / c * (c / X)
    proof.equal("ζ ≥ 0: the density e^{−2ζ/c}/c of ζ becomes that of x", sp.simplify(changed), _noise_density(2)[0])
    proof.equal("P(ξ_n − ζ_n > η) = (2/3)q − q²/6", tail_of_difference(ratio), tail(Q), sp.expand)
    budget = GAMMA * WEIGHT
    printed_q = budget / 2
    expected = budget / 3 - budget**2 / 24
    proof.equal("The printed η_n has q = γp_n/2: P(ξ_n − ζ_n > η_n)", tail(printed_q), expected, sp.expand)
    proof.positive("which is below γp_n/3, so the rounds sum to less than γ/3", sp.expand(budget / 3 - expected))
    tau, noise, zeta, excess = sp.symbols("tau xi zeta k", real=True)
    halted = tau + zeta + excess - noise
    proof.equal("A halt, u + ξ = τ + ζ + k with k ≥ 0, has u − τ", halted - tau, excess - (noise - zeta))
    proof.note("Hence", "but for probability γ/3 the halt has u_N − τ_N ≥ −(ξ_N − ζ_N) ≥ −η_N: the statement, and more")
    proof.equal("Two-sided, by symmetry", 2 * tail(printed_q), 2 * budget / 3 - budget**2 / 12, sp.expand)

    proof.note("The printed proof", "asks |ξ_n| < η_n/2 and |ζ_n| < η_n/2; P(|Lap(b)| ≥ x) = e^{−x/b}")
    y = sp.Symbol("y", positive=True)
    two_sided = 2 * sp.integrate(sp.exp(-y / c) / (2 * c), (y, X, sp.oo))
    proof.equal("P(|Lap(c)| ≥ x)", two_sided, sp.exp(-X / c))
    xi_half, zeta_half = sp.sqrt(printed_q), printed_q
    half_eta = -c * sp.log(printed_q) / 2
    proof.equal("P(|ξ_n| ≥ η_n/2)", sp.exp(sp.cancel(-half_eta / c)), half(budget))
    proof.equal("P(|ζ_n| ≥ η_n/2)", sp.exp(sp.cancel(-half_eta / (c / 2))), zeta_half)
    fails = (1 - (1 - xi_half) * (1 - zeta_half)).subs({GAMMA: sp.Rational(1, 20), WEIGHT: 1})
    proof.true("At γ = 1/20, p_1 = 1 its event fails with probability above 0.1791", fails > sp.Rational(1791, 10000))
    proof.true("and below 0.1792, where γ was promised", fails < sp.Rational(1792, 10000))

    sharp = exact_tail(root(budget))
    proof.equal("Sharp margin: (2/3)q − q²/6 = γp_n at q = 2 − √(4 − 6γp_n)", sharp, budget, sp.expand)
    part = sp.Symbol("r", nonnegative=True)
    proof.equal("with r = √(4 − 6γp_n): 1 − q", 1 - root((4 - part**2) / 6), part - 1)
    proof.note("Range", "γp_n ≤ ½ is r ≥ 1, where q ≤ 1 and η_n ≥ 0")


@derivation(
    {"R13": misprint("the union bounds sum to 1, as printed")},
    rejects={"the union bounds sum to 1, as printed": {"value": lambda gamma: sp.Integer(1)}},
    uses=("threshold_utility.margin",),
    assumes=(UNION_BOUND,),
)
def union_sum(proof: Proof, value: Callable[[Expr], Expr] = lambda gamma: gamma / 2) -> None:
    """(γ/2)Σp_n = γ/2, since the weights sum to 1."""
    n, r = sp.Symbol("n", integer=True, positive=True), sp.Symbol("r", positive=True)
    weights = sp.summation(sp.Rational(1, 2) ** n, (n, 1, sp.oo))
    proof.equal("p_n = 2^{−n} sum to 1", weights, 1)
    before, after = 1 - (1 + r) ** (-n), 1 - (1 + r) ** (-n - 1)
    proof.equal("p_n = r(1+r)^{−n} too: n terms sum to 1 − (1+r)^{−n}", before + r * (1 + r) ** (-n - 1), after)
    proof.equal("The union bound", GAMMA / 2 * weights, value(GAMMA))


@derivation(
    {"R14": refuted("levels that vary lose the guarantee, as printed")},
    rejects={
        "levels that vary lose the guarantee, as printed": {"slack": lambda failure, allowed: failure - allowed},
        "margins from the first level instead of the realised one": {"realised": False},
    },
    uses=("threshold_utility.margin",),
    assumes=(FUBINI,),
)
def random_levels(
    proof: Proof,
    slack: Callable[[Expr, Expr], Expr] = lambda failure, allowed: allowed - failure,
    realised: bool = True,
) -> None:
    """Privacy functions may be arbitrary: given Alg(x) the levels are constants, and ξ, Z are independent of Alg(x)."""
    first, growth = sp.symbols("epsilon_1 g", positive=True)
    low, high = first, first * (1 + growth)
    chance = sp.Symbol("c", positive=True)
    proof.note("Levels", "after Alg_1(x) the second level is ε_1 with probability c and ε_1(1 + g) otherwise")
    proof.note("Given Alg(x)", "ζ_2 = Z at a fixed time is Lap(2Δ/ε_2) and ξ_2 is Lap(4Δ/ε_2): the law of R12")

    def failure(level: Expr) -> Expr:
        """P(ξ_2 − ζ_2 > η_2 | Alg(x)): q = e^{−ηε/4Δ} and η = (4Δ/level used)·log(2/γp)."""
        used = level if realised else low + high - level
        return exact_tail((GAMMA * WEIGHT / 2) ** sp.cancel(level / used))

    mean = sp.expand(chance * failure(low) + (1 - chance) * failure(high))
    budget = GAMMA * WEIGHT
    constant = budget / 3 - budget**2 / 24
    proof.equal("Averaged over Alg(x) the failure is that of constant levels", mean, constant, sp.expand)
    proof.positive("and stays below γp_n: allowed − failure", slack(mean, budget))
    proof.note("Union", "summed over n, for any weights with Σp_n = 1: at most γ/3, whatever the privacy functions")


@certificate(
    {"R15": refuted("the union bound is what is lost, as printed")},
    rejects={
        "the union bound is what is lost, as printed": {"larger": "union", "smaller": "constant"},
        "failures of the rounds independent of each other": {"independent": True},
    },
)
def union_bound_loss(
    enclosure: Enclosure,
    larger: str = "constant",
    smaller: str = "union",
    independent: bool = False,
) -> None:
    """γ = 0.05, p_n = 2^{−n}, utilities just below τ − η_n: failure 0.01634, union bound 0.01663, printed 0.05."""
    with ctx.workprec(PRECISION):
        gamma = arb(5) / 100
        exact = _independent_failure(gamma) if independent else 1 - survival(gamma / 2, arb(1) / 2, None)
        union = gamma / 3 - gamma**2 / 72
        enclosure.note("Worst utilities", "a halt in round n fails only if u_n < τ − η_n; the nearer, the likelier")
        enclosure.agrees("P(some round fails), one common threshold noise", 0.01634, exact, 0.0, 5e-6)
        enclosure.agrees("Σ(γp_n/3 − γ²p_n²/24) = γ/3 − γ²/72", 0.01663, union, 0.0, 5e-6)
        enclosure.less("The union bound loses less than 2%", union / exact, arb(102) / 100)
        enclosure.less("the constant a factor of 3", arb(3), gamma / union)
        lost = {"union": (union / exact).log(), "constant": (gamma / union).log()}
        enclosure.less(f"in logarithms: {smaller} less than {larger}", lost[smaller], lost[larger])


def _independent_failure(gamma: Ball) -> Ball:
    """1 − ∏(1 − P(ξ_n − ζ_n > η_n)), as if every round had its own threshold noise."""
    product = arb(1)
    for n in range(1, 100):
        weight = gamma / arb(2) ** n
        product *= 1 - weight / 3 + weight**2 / 24
    return 1 - product
