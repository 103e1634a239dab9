"""The Laplace process in several dimensions: with one coin or one clock for all coordinates it is not Laplace (N02)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from itertools import combinations_with_replacement
from math import factorial, prod

import sympy as sp
from flint import acb, arb

from nrverify.ledger import certificate, derivation, refuted, supports
from nrverify.ledger.assumptions import CHARACTERISTIC
from nrverify.ledger.enclosure import Ball, Enclosure
from nrverify.ledger.proof import Expr, Proof

ETA, T, W = sp.symbols("eta t w", positive=True)
FIRST, SECOND = sp.symbols("lambda mu", real=True)


def laplace_cf(frequency: Expr, scale: Expr) -> Expr:
    """1/(1 + λ²b²)."""
    return 1 / (1 + frequency**2 * scale**2)


def poisson_sum(frequencies: Sequence[Expr], start: Expr, end: Expr) -> Expr:
    """exp ∫ (∏φ_u − 1)(2/u)du: coordinates that jump together at one clock; in w = u², (2/u)du = dw/w."""
    jump = prod(1 / (1 + frequency**2 * W) for frequency in frequencies)
    primitive = sp.integrate(sp.apart(sp.together((jump - 1) / W), W), W)
    return sp.exp(sp.expand(primitive.subs(W, end**2) - primitive.subs(W, start**2)))


def own_clocks(first: Expr, second: Expr, eta: Expr, t: Expr) -> Expr:
    """Each coordinate with a clock of its own."""
    alone = [laplace_cf(f, eta) * poisson_sum([f], eta, t) for f in (first, second)]
    return alone[0] * alone[1]


def one_clock(first: Expr, second: Expr, eta: Expr, t: Expr) -> Expr:
    """One Poisson clock and jumps that are vectors of independent Laplace variables."""
    return laplace_cf(first, eta) * laplace_cf(second, eta) * poisson_sum([first, second], eta, t)


def one_coin(first: Expr, second: Expr, eta: Expr, t: Expr) -> Expr:
    """One coin: both coordinates stay with probability (η/t)², else both jump."""
    stay = (eta / t) ** 2
    jump = laplace_cf(first, t) * laplace_cf(second, t)
    return laplace_cf(first, eta) * laplace_cf(second, eta) * (stay + (1 - stay) * jump)


@derivation(
    {"N02": refuted("one Poisson clock for both coordinates"), "N09": supports, "N04": supports},
    rejects={
        "one Poisson clock for both coordinates": {"joint": one_clock},
        "one coin for both coordinates": {"joint": one_coin},
    },
    uses=("laplace_process.clock_gives_the_walk",),
    assumes=(CHARACTERISTIC,),
)
def joint_law_in_two_dimensions(proof: Proof, joint: Callable[..., Expr] = own_clocks) -> None:
    """Only with a clock of its own in each coordinate is the law at t that of independent Lap(t) coordinates."""
    one, two = sp.Integer(1), sp.Integer(2)
    laplace = laplace_cf(one, two) ** 2
    proof.equal("Independent Lap(2) coordinates at (1, 1)", laplace, sp.Rational(1, 25))
    proof.equal("η = 1, t = 2: the characteristic function of Z at (1, 1)", joint(one, one, one, two), laplace)
    general = laplace_cf(FIRST, T) * laplace_cf(SECOND, T)
    proof.equal("In general it is φ_t(λ)φ_t(μ)", joint(FIRST, SECOND, ETA, T), general, sp.cancel)
    shared = sp.exp(sp.Rational(-3, 10)) / 10
    proof.equal("One Poisson clock would give e^{−3/10}/10 = 0.074082", one_clock(one, one, one, two), shared)
    proof.equal("One coin would give 7/100 = 0.070000", one_coin(one, one, one, two), sp.Rational(7, 100))
    proof.positive("Both exceed 1/25", sp.Min(shared, sp.Rational(7, 100)) - laplace)


def share_of_rest(rest: Expr, ratio: Expr, dimension: Expr) -> Expr:
    """R_d = P(no jump)·q₀ᵈ/E[qᵈ], where after a jump q = q₀·ratio, q the density of a coordinate at 0."""
    return rest / (rest + (1 - rest) * ratio**dimension)


@derivation(
    {"N02": supports, "N08": supports},
    rejects={
        "the same slope in every dimension": {"share": lambda rest, ratio, dimension: share_of_rest(rest, ratio, 1)},
        "a share that falls with the dimension": {
            "share": lambda rest, ratio, dimension: share_of_rest(rest, 1 / ratio, dimension)
        },
    },
)
def slope_grows_with_the_dimension(proof: Proof, share: Callable[..., Expr] = share_of_rest) -> None:
    """|∂₁ log p_t(0+)| = R_d/η with R₁ = η/t and R_d strictly increasing: above 1/t for every d ≥ 2."""
    x, d = sp.Symbol("x", positive=True), sp.Symbol("d", integer=True, positive=True)
    gap, more = sp.symbols("h k", positive=True)
    start = sp.exp(-x / ETA) / (2 * ETA)
    proof.equal("Unmoved, a coordinate has density q₀ = 1/2η at 0", start.subs(x, 0), 1 / (2 * ETA))
    proof.equal("and slope −q₀/η on the right", sp.diff(start, x).subs(x, 0), -1 / (2 * ETA) / ETA)
    moved = (T * sp.exp(-x / T) - ETA * sp.exp(-x / ETA)) / (2 * (T**2 - ETA**2))
    proof.equal(
        "Moved by Lap(t), its density c solves c − t²c'' = the Laplace density of scale η",
        moved - T**2 * sp.diff(moved, x, 2),
        start,
        sp.factor,
    )
    proof.equal("so it is the convolution, and has slope 0 at 0", sp.diff(moved, x).subs(x, 0), 0)
    ratio = sp.factor(moved.subs(x, 0) * 2 * ETA)
    proof.equal("and q/q₀ = η/(η + t)", ratio, ETA / (ETA + T))
    proof.note("More jumps", "any sum of jumps is symmetric and smooths: its slope at 0 is 0 too, and q < q₀")

    rest = (ETA / T) ** 2
    proof.equal("One coin, d = 1: R₁/η = 1/t, as Lap(t) has", share(rest, ratio, 1) / ETA, 1 / T)
    later = ETA + gap
    growth = share((ETA / later) ** 2, ETA / (ETA + later), d)
    decline = 1 / growth - 1 / growth.subs(d, d + 1)
    proof.positive("R_d increases with d, one coin and t = η + h", sp.factor(sp.powsimp(sp.expand_power_exp(decline))))
    q, top = sp.Symbol("q", positive=True), sp.Symbol("q", positive=True) + more
    proof.positive(
        "and for any clock: q₀E[qᵈ] − E[qᵈ⁺¹] = E[qᵈ(q₀ − q)] > 0, q₀ = q + k", sp.factor(top * q**d - q ** (d + 1))
    )
    numbers = share(sp.Rational(1, 4), sp.Rational(1, 3), 2), share(sp.Rational(1, 4), sp.Rational(1, 3), 5)
    proof.equal("η = 1, t = 2, one coin, d = 2: slope ¾ against 1/t = ½", numbers[0], sp.Rational(3, 4))
    proof.equal("d = 5: 81/82", numbers[1], sp.Rational(81, 82))


STRIP = 0.9
"""Half-width of the strip where the integrand is analytic; its nearest singularity is at log 3."""


def clock_exponent(shares: Sequence[Ball]) -> Ball:
    """∫₁⁴ (∏(1−σ_i)/(1+σ_i(w−1)) − 1)dw/w: the exponent for η = 1, t = 2 at λ_i = tan α_i, σ_i = sin²α_i."""

    def integrand(w: Ball, _: bool) -> Ball:
        return (prod(((1 - x) / (1 + x * (w - 1)) for x in shares), start=acb(1)) - 1) / w

    return acb.integral(integrand, 1, 4, rel_tol=1e-12, abs_tol=1e-12).real


def periodic_mean(dimension: int, points: int) -> Ball:
    """The mean of exp(clock_exponent) over all angles, by the trapezoidal rule with its error bound.

    In θ = 2α the integrand has period 2π and is analytic for |Im θ| ≤ a = 0.9, where |1−σ| ≤ 1+c, |1+σ(w−1)| ≥
    1−c(w−1), c = (cosh a − 1)/2, bound it by M; each of the d rules then errs by at most 2M/(e^{aN} − 1).
    """
    half = points // 2
    nodes = [(arb(j) * arb.pi() / points).sin() ** 2 for j in range(half + 1)]
    weights = [arb(1 if j in (0, half) else 2) / points for j in range(half + 1)]
    total = arb(0)
    for chosen in combinations_with_replacement(range(half + 1), dimension):
        orders = factorial(dimension) // prod(factorial(count) for count in Counter(chosen).values())
        weight = prod((weights[j] for j in chosen), start=arb(orders))
        total += weight * clock_exponent([nodes[j] for j in chosen]).exp()
    c = (arb(STRIP).cosh() - 1) / 2
    largest = acb.integral(lambda w, _: ((1 + c) / (1 - c * (w - 1)) - 1) / w, 1, 4).real.exp()
    error = 2 * dimension * largest / ((arb(STRIP) * points).exp() - 1)
    return total + arb(0, error.abs_upper())


@cache
def slope_share(dimension: int, points: int) -> Ball:
    """R_d = (η/t)²q₀ᵈ/p_t(0), and p_t(0) = π^{−d}∫ cf = q₀ᵈ·mean, for η = 1, t = 2."""
    return arb(1) / 4 / periodic_mean(dimension, points)


@certificate(
    {"N02": supports, "N08": supports},
    rejects={
        "the ledger's first 0.739 for d = 2": {"two": (0.7385, 0.7395)},
        "the slope ½ of independent coordinates": {"two": (0.4999, 0.5001)},
        "0.97 for d = 5": {"five": (0.965, 0.975)},
    },
)
def slope_with_one_clock(
    enclosure: Enclosure,
    two: tuple[float, float] = (0.73682, 0.73684),
    five: tuple[float, float] = (0.976, 0.983),
) -> None:
    """One Poisson clock, η = 1, t = 2: |∂₁ log p_t(0+)| is 0.73683 for d = 2, 0.98 for d = 5, 1.000 for d = 38."""
    one = slope_share(1, 24)
    enclosure.agrees("d = 1: ½, the slope of Lap(2)", 0.5, one, relative=1e-7)
    plane = slope_share(2, 24)
    enclosure.less("d = 2: from below", two[0], plane)
    enclosure.less("d = 2: from above", plane, two[1])
    enclosure.less("so the loss for a small shift v exceeds v/t", arb(1) / 2, plane)
    high = slope_share(5, 12)
    enclosure.less("d = 5: from below", five[0], high)
    enclosure.less("d = 5: from above", high, five[1])
    # A first jump of scale u ≥ 1 gives q/q₀ ≤ 1/(1+u) ≤ ½, and every further jump lowers q.
    moved = (1 / high - 1) / arb(2) ** 33
    enclosure.less("d = 38: the moved share falls by at least ½ per dimension", arb("0.9999"), 1 / (1 + moved))
