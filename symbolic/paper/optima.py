"""The boundaries tuned at one ε: closed forms for ρ* and (a*, b*), their floor and where the two cross (Appendix D)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import sympy as sp
from flint import arb, ctx

from nrverify.ledger import certificate, derivation, gap, holds, supports
from nrverify.ledger.enclosure import PRECISION, Ball, Enclosure, certainly
from nrverify.ledger.proof import Expr, Proof

T, SENSITIVITY, ODDS, EPSILON, W = sp.symbols("t Delta ell epsilon w", positive=True)


@derivation(
    {"B16": holds},
    rejects={
        "ρ* = t*/w": {"ratio": lambda w: w},
        "w − log w = 1 + ℓ for 1 + 2ℓ": {"equation": lambda w: w - sp.log(w) - 1},
    },
    uses=("boundary_algebra.boundaries_decrease",),
)
def tightest_mixture(
    proof: Proof,
    ratio: Callable[[Expr], Expr] = lambda w: w - 1,
    equation: Callable[[Expr], Expr] = lambda w: (w - sp.log(w) - 1) / 2,
) -> None:
    """argmin over ρ of the mixture's inverse at ε: ρ* = t*/(w−1), w = −W₋₁(−δ²/e), t* = (Δ(√w+√(w+2ε))/2ε)²."""
    x = sp.Symbol("x", positive=True)
    height = (1 + x) / x * (2 * ODDS + sp.log(1 + x))
    rho = T / x
    squared = (T + rho) * (2 * ODDS + sp.log(sp.cancel((T + rho) / rho))) / T
    proof.equal("with x = t/ρ the curve is √(t·g(x)), g = (1+1/x)(2ℓ+log(1+x))", squared, height)
    slope = sp.diff(height, x) * x**2
    proof.equal("x²g'(x) = x − 2ℓ − log(1+x)", slope, x - 2 * ODDS - sp.log(1 + x))
    proof.positive("which increases in x, so g has one minimum over all ρ", sp.factor(sp.diff(slope.simplify(), x)))
    at_optimum = slope.subs(ODDS, equation(W)).subs(x, ratio(W))
    proof.equal("it vanishes at x = w − 1, where w − log w = 1 + 2ℓ", at_optimum, 0)
    proof.equal("and the least height is g = w: the curve √(wt)", height.subs(ODDS, equation(W)).subs(x, ratio(W)), W)
    lambert = sp.log(W) - W
    proof.equal("−we^{−w} = −δ²/e in logarithms: w = −W₋₁(−δ²/e), w > 1", lambert, -2 * equation(W) - 1)
    root = SENSITIVITY * (sp.sqrt(W) + sp.sqrt(W + 2 * EPSILON)) / (2 * EPSILON)
    tightest = SENSITIVITY**2 / (2 * T) + SENSITIVITY * sp.sqrt(W) / sp.sqrt(T)
    proof.equal("Δ²/2t + Δ√(w/t) = ε at t* = (Δ(√w+√(w+2ε))/2ε)²", tightest.subs(T, root**2), EPSILON)
    proof.positive("this lower envelope decreases in t", -sp.diff(tightest, T))
    proof.note(
        "so t* is the least inverse and ρ* = t*/(w−1) its only place",
        "ψ_ρ(t) ≥ the envelope with equality only at ρ = t/(w−1); ψ_ρ(t) = ε forces the envelope ≤ ε, i.e. t ≥ t*",
    )


@derivation(
    {"B17": holds, "E11": supports},
    rejects={
        "a* with ℓε/2 for ℓε": {"slope": lambda odds, epsilon, d: (sp.sqrt(odds**2 + odds * epsilon / 2) - odds) / d},
        "b* = ℓ/a*": {"intercept": lambda odds, a: odds / a},
    },
    uses=("boundary_algebra.boundaries_decrease",),
)
def tightest_line(
    proof: Proof,
    slope: Callable[[Expr, Expr, Expr], Expr] = lambda odds, epsilon, d: (sp.sqrt(odds**2 + odds * epsilon) - odds) / d,
    intercept: Callable[[Expr, Expr], Expr] = lambda odds, a: odds / (2 * a),
) -> None:
    """argmin over 2ab = ℓ of the linear inverse at ε: a* = (√(ℓ²+ℓε)−ℓ)/Δ, b* = ℓ/2a*, t* = b*/a*."""
    a, margin = sp.symbols("a m", positive=True)
    inverse = SENSITIVITY * (SENSITIVITY / 2 + intercept(ODDS, a)) / (EPSILON - SENSITIVITY * a)
    line = SENSITIVITY / T * (SENSITIVITY / 2 + ODDS / (2 * a)) + SENSITIVITY * a
    proof.equal("with b = ℓ/2a the inverse is Δ(Δ/2+b)/(ε−Δa), for a < ε/Δ", line.subs(T, inverse), EPSILON)
    numerator = sp.numer(sp.together(sp.diff(inverse, a)))
    quadratic = (SENSITIVITY * a) ** 2 + 2 * ODDS * SENSITIVITY * a - ODDS * EPSILON
    sign = sp.factor(numerator / quadratic)
    proof.positive("its slope in a has the sign of (Δa)² + 2ℓΔa − ℓε", sp.factor(sign))
    proof.positive("which increases in a from a negative value: one minimum over all a", sp.diff(quadratic, a))
    best = slope(ODDS, EPSILON, SENSITIVITY)
    proof.equal("it vanishes at a* = (√(ℓ²+ℓε) − ℓ)/Δ", quadratic.subs(a, best), 0)
    time = SENSITIVITY**2 / (2 * (sp.sqrt(ODDS + EPSILON) - sp.sqrt(ODDS)) ** 2)
    proof.equal("b*/a* = ℓ/2a*² = Δ²/(2(√(ℓ+ε)−√ℓ)²)", ODDS / (2 * best**2), time)
    proof.equal("and that is the inverse there: t* = b*/a*", line.subs({T: ODDS / (2 * a**2)}).subs(a, best), EPSILON)
    proof.positive("a* < ε/Δ: the floor is below the level", _below_level(margin))


def _below_level(margin: Expr) -> Expr:
    # with √(ℓ+ε) = √ℓ + m: ε = m² + 2m√ℓ and Δa* = m√ℓ
    return sp.expand((margin**2 + 2 * margin * sp.sqrt(ODDS)) - margin * sp.sqrt(ODDS))


def millionth() -> Ball:
    """ℓ at δ = 10⁻⁶."""
    return 6 * arb(10).log()


def linear_floor(odds: Ball, epsilon: Ball) -> Ball:
    """Δa* = √(ℓ²+ℓε) − ℓ."""
    return (odds * odds + odds * epsilon).sqrt() - odds


@certificate(
    {"E11": holds, "B14": supports},
    rejects={
        "no floor": {"floor": lambda odds, epsilon: arb(0)},
        "half of ε exactly": {"floor": lambda odds, epsilon: epsilon / 2},
        "the floor with δ² for δ": {"floor": lambda odds, epsilon: linear_floor(2 * odds, epsilon)},
    },
)
def floor_of_the_experiments(enclosure: Enclosure, floor: Callable[[Ball, Ball], Ball] = linear_floor) -> None:
    """Tuned at ε = 0.3, δ = 10⁻⁶ no ε_n at or below 0.14919442082463 can be reached, whatever Δ."""
    with ctx.workprec(PRECISION):
        value = floor(millionth(), arb(3) / 10)
        enclosure.less("from below", arb("0.149194420824625"), value)
        enclosure.less("from above", value, arb("0.149194420824635"))


def mixture_height(t: Ball, rho: Ball, odds: Ball) -> Ball:
    """√((t+ρ)(2ℓ+log(1+t/ρ)))."""
    return ((t + rho) * (2 * odds + (1 + t / rho).log())).sqrt()


def tuned_parameters(epsilon: Ball, odds: Ball) -> tuple[Ball, Ball, Ball]:
    """(ρ*, a*, b*) for Δ = 1."""
    w = -(-(-2 * odds - 1).exp()).lambertw(-1)
    time = ((w.sqrt() + (w + 2 * epsilon).sqrt()) / (2 * epsilon)) ** 2
    a = linear_floor(odds, epsilon)
    return time / (w - 1), a, odds / (2 * a)


@certificate(
    {"B16": supports, "B17": supports},
    rejects={
        "ρ* ten per cent too large": {"factor": "1.1"},
        "a* ten per cent too small": {"line_factor": "0.9"},
    },
)
def neighbours_of_the_optimum_need_more_noise(enclosure: Enclosure, factor: str = "1", line_factor: str = "1") -> None:
    """At the least time t*, every other ρ or a has ψ(t*) > ε, over six factors between ½ and 2."""
    with ctx.workprec(PRECISION):
        epsilon, odds = arb(3) / 10, millionth()
        rho, a, _ = tuned_parameters(epsilon, odds)
        rho, a = rho * arb(factor), a * arb(line_factor)
        w = -(-(-2 * odds - 1).exp()).lambertw(-1)
        time = ((w.sqrt() + (w + 2 * epsilon).sqrt()) / (2 * epsilon)) ** 2
        touching = 1 / (2 * ((odds + epsilon).sqrt() - odds.sqrt()) ** 2)
        for other in ("0.5", "0.9", "0.99", "1.01", "1.1", "2"):
            scaled = rho * arb(other)
            psi = 1 / (2 * time) + mixture_height(time, scaled, odds) / time
            enclosure.less(f"mixture: ε < ψ(t*) at {other} ρ*", epsilon, psi)
            here = 1 / (2 * time) + mixture_height(time, rho, odds) / time
            enclosure.less(f"and ψ(t*) at ρ* is less than at {other} ρ*", here, psi)
            slope = a * arb(other)
            line = (arb(1) / 2 + odds / (2 * slope)) / touching + slope
            enclosure.less(f"line: ε < ψ(t*) at {other} a*", epsilon, line)
            enclosure.less(
                f"and ψ(t*) at a* is less than at {other} a*", (arb(1) / 2 + odds / (2 * a)) / touching + a, line
            )


@derivation(
    {"B19": gap("a mixture curve that is convex: it could meet a line at any number of times")},
    rejects={
        "a mixture curve that is convex: it could meet a line at any number of times": {"curvature": 1},
        "the curve squared": {"power": sp.S.One},
    },
)
def boundaries_cross_twice_at_most(proof: Proof, curvature: int = -1, power: Expr = sp.S.Half) -> None:
    """The figure is missing; it must show ψ^L below ψ^M on one interval of times only, the curve being concave."""
    levels, total = sp.symbols("lambda s", positive=True)
    t, rho = sp.symbols("t rho", positive=True)
    level = 2 * ODDS + sp.log((t + rho) / rho)
    curve = ((t + rho) * level) ** power
    second = sp.diff(curve, t, 2).subs(sp.log((t + rho) / rho), levels - 2 * ODDS).subs(t + rho, total)
    shown = -(levels**2 + 1) / (4 * (total * levels) ** sp.Rational(3, 2))
    proof.equal("the curve has second derivative −(λ²+1)/(4((t+ρ)λ)^{3/2}), λ = 2ℓ+log(1+t/ρ)", second, shown)
    proof.positive("so it bends one way", curvature * shown)
    proof.note("a concave curve meets a line at most twice", "ψ^M − ψ^L = (Δ/t)(curve − line): one interval of times")


@certificate(
    {"B19": supports},
    rejects={
        "tuned at ε = 0.31": {"epsilon": "0.31"},
        "the mixture tuned with ρ* = t*/w": {"spread": "1.0321"},
    },
)
def linear_is_below_mixture_between(enclosure: Enclosure, epsilon: str = "0.3", spread: str = "1") -> None:
    """Tuned at ε = 0.3, δ = 10⁻⁶, Δ = 1: ψ^L < ψ^M exactly for t in (134.326913563394, 689.227714634954)."""
    with ctx.workprec(PRECISION):
        odds = millionth()
        rho, a, b = tuned_parameters(arb(epsilon), odds)
        rho = rho / arb(spread)

        def mixture_above_line(t: Ball) -> Ball:
            return mixture_height(t, rho, odds) - (a * t + b)

        for name, root, rising in (("left", "134.326913563394", 1), ("right", "689.227714634954", -1)):
            half = arb("5e-13")
            enclosure.less(f"{name} end: not yet", rising * mixture_above_line(arb(root) - half), 0)
            enclosure.less(f"{name} end: already", 0, rising * mixture_above_line(arb(root) + half))
            level = (arb(1) / 2 + b) / arb(root) + a
            shown = arb("0.497601") if rising > 0 else arb("0.217097")
            enclosure.less(f"{name} end in ε", abs(level - shown), arb("5e-7"))


@certificate(
    {"B15": supports, "B19": supports},
    rejects={"ψ^M increasing": {"sign": 1}},
)
def mixture_decreases_on_a_box(enclosure: Enclosure, sign: int = -1) -> None:
    """d log (curve/t)²/du is negative for u = t/ρ from 10⁻³ to 10³ and ℓ from 0.01 to 30."""

    def decide(parameters: Sequence[Ball]) -> bool | None:
        u, odds = parameters
        levels = 2 * odds + (1 + u).log()
        slope = -(u + 2 - u / levels) / (u * (1 + u))
        return certainly(bool(sign * slope > 0), bool(sign * slope <= 0))

    enclosure.everywhere("monotone on the box", [(1e-3, 1e3), (0.01, 30.0)], decide)
