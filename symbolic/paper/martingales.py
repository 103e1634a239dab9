"""Ville's inequality, the exponential martingale and the crossing of a line: Appendix "martingales" of the paper."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import sympy as sp
from flint import arb, ctx

from nrverify.ledger import certificate, derivation, holds, needs, refuted, supports
from nrverify.ledger.assumptions import BROWNIAN, CONVERGENCE, FUBINI, HEAT_EQUATION, OPTIONAL_STOPPING
from nrverify.ledger.enclosure import PRECISION, Enclosure
from nrverify.ledger.proof import Expr, Proof
from nrverify.symbolic.tools.normal import normal_cdf, normal_density, same_infinity, tail_ball

DELTA, RATE = sp.symbols("delta lambda", positive=True)


@dataclass(frozen=True)
class Example:
    """A process driven by one exponential time U: its mean at t and the probability that it ever reaches EX_0/δ."""

    name: str
    mean: Callable[[Expr], Expr]
    ever_reaches: Callable[[Expr], Expr]


def _probability(lower: Expr, upper: Expr) -> Expr:
    """P(lower < U < upper) for U exponential, from the antiderivative −e^{−u} of its density."""
    return sp.exp(-lower) - sp.exp(-upper)


def survival_process() -> Example:
    """X_t = e^t 1{t < U}: right-continuous; its supremum e^U reaches 1/δ when U > log(1/δ)."""
    return Example(
        "X_t = e^t 1{t < U}",
        lambda t: sp.exp(t) * _probability(t, sp.oo),
        lambda delta: _probability(sp.log(1 / delta), sp.oo),
    )


def spike_process() -> Example:
    """X_t = 1 + (1/δ) 1{t = U}: X_t = 1 a.s. at every fixed t, and X_U > 1/δ on every path."""
    return Example(
        "X_t = 1 + (1/δ) 1{t = U}",
        lambda t: 1 + _probability(t, t) / DELTA,
        lambda delta: _probability(sp.Integer(0), sp.oo),
    )


def null_process() -> Example:
    """X ≡ 0: EX_0/δ = 0 is reached at once."""
    return Example("X = 0", lambda t: sp.Integer(0), lambda delta: sp.Integer(1))


@derivation(
    {"M01": needs("paths that are not right-continuous")},
    rejects={
        "paths that are not right-continuous": {"example": spike_process},
        "a process that starts at 0": {"example": null_process},
    },
    assumes=(
        OPTIONAL_STOPPING,
        CONVERGENCE,
    ),
)
def ville(proof: Proof, example: Callable[[], Example] = survival_process) -> None:
    """P(∃t: X_t ≥ EX_0/δ) ≤ δ for a right-continuous nonnegative supermartingale with EX_0 > 0, and it is sharp."""
    x, drop, above, level, mean = sp.symbols("x d y c m", nonnegative=True)
    move, n = sp.Symbol("X_{k+1}"), sp.Symbol("n", positive=True, integer=True)
    for active, words in ((1, "before τ"), (0, "after τ")):
        stopped_mean = (x + active * (move - x)).subs(move, x - drop)
        proof.nonnegative(f"the process stopped at the first crossing τ of c has a drift ≤ 0 {words}", x - stopped_mean)
    proof.nonnegative("so c·1{τ ≤ k} ≤ X_{τ∧k} where c was reached (X_τ = c + y)", (level + above) - level)
    proof.nonnegative("and c·1{τ ≤ k} ≤ X_{τ∧k} where it was not", x - 0)
    proof.equal("on a finite grid P(max X ≥ c) ≤ EX_0/c, which is δ at c = EX_0/δ", mean / (mean / DELTA), DELTA)
    fraction = sp.Symbol("f", nonnegative=True)
    gap_to_grid = (1 - fraction) / 2**n
    proof.equal("the dyadic times (⌊2^n t⌋+1)/2^n decrease to t", sp.limit(gap_to_grid, n, sp.oo), 0)
    proof.note(
        "right-continuity carries it to all t",
        "X at the dyadic times tends to X_t, so X_t ≥ c gives X > c' at a dyadic time, for every c' < c",
    )
    lower = sp.Symbol("c'", positive=True)
    bound = sp.limit(mean / lower, lower, mean / DELTA, dir="-")
    proof.equal("and the bounds EX_0/c' tend to δ as c' ↑ c", bound, DELTA)
    case, t = example(), sp.Symbol("t", positive=True)
    start = case.mean(sp.Integer(0))
    proof.equal(f"{case.name} has a constant mean", case.mean(t), start)
    proof.equal(
        f"{case.name} reaches EX_0/δ with probability δ: the bound holds and is sharp", case.ever_reaches(DELTA), DELTA
    )


def half_square(rate: Expr) -> Expr:
    """λ²/2, the compensator of λB."""
    return rate**2 / 2


def full_square(rate: Expr) -> Expr:
    """λ², the wrong compensator."""
    return rate**2


@derivation(
    {"M05": holds, "M03": supports},
    rejects={
        "the compensator λ² for λ²/2": {"compensator": full_square},
        "no compensator": {"compensator": lambda rate: sp.Integer(0)},
    },
    assumes=(
        BROWNIAN,
        FUBINI,
    ),
)
def mixtures_of_exponential_martingales(proof: Proof, compensator: Callable[[Expr], Expr] = half_square) -> None:
    """Y^λ is a nonnegative martingale for every λ, and so is its mixture under any probability measure π."""
    rate, b, z = sp.symbols("lambda B z", real=True)
    t, s = sp.symbols("t s", positive=True)

    def exponential(value: Expr, time: Expr) -> Expr:
        return sp.exp(rate * value - compensator(rate) * time)

    now, later = exponential(b, t), exponential(b + sp.sqrt(s) * z, t + s)
    square = (z - rate * sp.sqrt(s)) ** 2 / 2
    proof.equal(
        "complete the square: Y_{t+s}·φ(z) = Y_t·φ(z − λ√s)",
        sp.log(later) - z**2 / 2,
        sp.log(now) - square,
        simplify=lambda e: sp.expand(sp.expand_log(e, force=True)),
    )
    shifted = sp.integrate(normal_density(z, 1).subs(z, z - rate * sp.sqrt(s)), (z, -sp.oo, sp.oo))
    proof.equal("the shifted density has mass 1, so E[Y_{t+s} | F_t] = Y_t", shifted, 1)
    heat = sp.diff(now, t) + sp.diff(now, b, 2) / 2
    proof.equal("equivalently (∂_t + ½∂_xx) Y = 0", sp.expand(heat / now), 0)
    proof.positive("Y^λ > 0", now)
    weights = sp.symbols("pi_1:4", nonnegative=True)
    rates = sp.symbols("lambda_1:4", real=True)
    mixed = sum(w * now.subs(rate, r) for w, r in zip(weights, rates, strict=True))
    proof.equal(
        "mixing is linear: a mixture of solutions is a solution (any π by Tonelli, as Y > 0)",
        sp.diff(mixed, t) + sp.diff(mixed, b, 2) / 2,
        0,
        simplify=sp.expand,
    )
    proof.nonnegative("the mixture is nonnegative", mixed)
    proof.equal("it starts at π(R)", mixed.subs({b: 0, t: 0}), sum(weights))


@derivation(
    {"M03": holds, "B09": supports},
    rejects={
        "the exponent −ab": {"weight": lambda a, b: sp.exp(-a * b)},
        "the image at b instead of 2b": {"image": lambda b: b},
        "a line that falls": {"weight": lambda a, b: sp.exp(2 * a * b)},
    },
    assumes=(
        BROWNIAN,
        HEAT_EQUATION,
    ),
)
def line_crossing(
    proof: Proof,
    weight: Callable[[Expr, Expr], Expr] = lambda a, b: sp.exp(-2 * a * b),
    image: Callable[[Expr], Expr] = lambda b: 2 * b,
) -> None:
    """A Brownian path meets the line at + b with probability e^{−2ab}: by an image behind the line."""
    a, b, t = sp.symbols("a b t", positive=True)
    x, centre = sp.symbols("x m", real=True)
    density = normal_density(x, t) - weight(a, b) * normal_density(x - image(b), t)
    proof.note("candidate for the density of B_t on paths below the line", str(density), sp.latex(density))
    ratio = sp.log(weight(a, b)) + ((x**2 - (x - image(b)) ** 2) / (2 * t)).subs(x, a * t + b)
    proof.equal("it vanishes on the line x = at + b", ratio, 0, simplify=sp.cancel)
    kernel = normal_density(x - centre, t)
    heat = sp.expand((sp.diff(kernel, t) - sp.diff(kernel, x, 2) / 2) / kernel)
    proof.equal("it solves the heat equation, as φ_t(x − m) does for every m", heat, 0)
    proof.equal("it starts as a point mass at 0: the image starts above the line", image(b) - b, b)
    above = normal_cdf(-(a * t + b) / sp.sqrt(t))
    mass = 1 - above - weight(a, b) * normal_cdf((a * t + b - image(b)) / sp.sqrt(t))
    flux = sp.diff(density, x).subs(x, a * t + b) / 2
    proof.equal(
        "its mass S(t) = Φ((at+b)/√t) − e^{−2ab}Φ((at−b)/√t) is lost through the line only",
        sp.diff(mass, t) / normal_density(a * t + b, t),
        flux / normal_density(a * t + b, t),
        simplify=lambda e: sp.simplify(sp.powsimp(sp.expand(e))),
    )
    proof.equal("all paths are below at first: S(0+) = 1", sp.limit(mass, t, 0, "+"), 1)
    never = sp.limit(sp.erfc(-sp.sqrt(t)), t, sp.oo) / 2
    proof.equal("both arguments of Φ tend to +∞", sp.limit((a * t - b) / sp.sqrt(t), t, sp.oo), sp.oo, same_infinity)
    proof.equal("so the line is crossed with probability 1 − S(∞) = e^{−2ab}", never * weight(a, b), sp.exp(-2 * a * b))


@derivation(
    {"M02": refuted("a continuous nonnegative martingale that does not vanish (stopped at time 1)")},
    rejects={
        "a continuous nonnegative martingale that does not vanish (stopped at time 1)": {"horizon": sp.Integer(1)},
        "λ = 0, where Y is 1 for ever": {"rate": sp.Integer(0)},
    },
    uses=(
        "martingales.line_crossing",
        "martingales.mixtures_of_exponential_martingales",
    ),
    assumes=(OPTIONAL_STOPPING,),
)
def exactly_delta(proof: Proof, horizon: Expr = sp.oo, rate: Expr = RATE) -> None:
    """P(∃t: Y^λ_t ≥ 1/δ) = δ(1 − E[Y_∞; no crossing]): exactly δ iff Y vanishes on the paths that never cross."""
    p, lost, odds = sp.symbols("p m ell", positive=True)
    solved = sp.solve(sp.Eq(1, p / DELTA + lost), p)[0]
    proof.equal("optional stopping, 1 = p/δ + E[Y_∞; no crossing], gives p = δ(1 − m)", solved, DELTA * (1 - lost))
    if rate == 0:
        proof.equal("Y^0 is 1, so it ends at m", sp.exp(rate * lost), sp.Integer(1))
        proof.equal("and crosses 1/δ with probability δ", solved.subs(lost, 1), DELTA)
        return
    t = sp.Symbol("t", positive=True)
    slope, height = rate / 2, odds / rate
    proof.equal("Y ≥ 1/δ is B ≥ λt/2 + ℓ/λ, a line with e^{−2ab} = δ (ℓ = log 1/δ)", 2 * slope * height, odds)
    below = normal_cdf((slope * t + height) / sp.sqrt(t)) - sp.exp(-odds) * normal_cdf(
        (slope * t - height) / sp.sqrt(t)
    )
    kept = normal_cdf((height - slope * t) / sp.sqrt(t)) - sp.exp(odds) * normal_cdf(-(height + slope * t) / sp.sqrt(t))
    proof.equal(
        "weighting by Y adds the drift λ: the mass kept below at t is m(t), and 1 − S(t) = δ(1 − m(t))",
        1 - below,
        sp.exp(-odds) * (1 - kept),
        simplify=lambda e: sp.simplify(sp.expand(e.rewrite(sp.erf))),
    )
    if horizon is sp.oo:
        argument = sp.limit((height - slope * t) / sp.sqrt(t), t, sp.oo)
        proof.equal("for ever: both arguments of Φ in m(t) tend to −∞", argument, -sp.oo, same_infinity)
        proof.equal("so that m(t) → 0", sp.limit(normal_cdf(-t), t, sp.oo), 0)
        final = sp.Integer(0)
    else:
        final = kept.subs(t, horizon)
    proof.equal("hence the probability is δ", solved.subs(lost, final), DELTA)


@certificate(
    {"M02": supports},
    rejects={
        "exactly δ": {"expected": "0.1"},
        "without the factor e^{−ℓ} of the image": {"image_weight": "1"},
    },
)
def stopped_martingale_misses_delta(
    enclosure: Enclosure, expected: str = "0.006107", image_weight: str = "0.1"
) -> None:
    """exp(B_{t∧1} − (t∧1)/2) reaches 10 with probability 0.006107…, not 0.1."""
    with ctx.workprec(PRECISION):
        level, half = arb(10).log(), arb(1) / 2
        probability = tail_ball(level + half) + arb(image_weight) * tail_ball(level - half)
        enclosure.less("from below", arb(expected) - arb("5e-7"), probability)
        enclosure.less("from above", probability, arb(expected) + arb("5e-7"))


@derivation(
    {"M04": holds},
    rejects={"touching at t = a/b": {"point": lambda a, b: a / b}, "touching at t = b": {"point": lambda a, b: b}},
)
def line_touches_the_envelope(proof: Proof, point: Callable[[Expr, Expr], Expr] = lambda a, b: b / a) -> None:
    """Every line with e^{−2ab} = δ lies above √(2ℓt), and touches it at the one time t = b/a: tight at one point."""
    a, b, t = sp.symbols("a b t", positive=True)
    odds = 2 * a * b
    excess = a * t + b - sp.sqrt(2 * odds * t)
    proof.equal("at + b − √(2ℓt) is a square", excess, (sp.sqrt(a * t) - sp.sqrt(b)) ** 2, simplify=sp.expand)
    proof.nonnegative("so the line is nowhere below √(2ℓt)", (sp.sqrt(a * t) - sp.sqrt(b)) ** 2)
    proof.equal("it touches there", sp.simplify(excess.subs(t, point(a, b))), 0)
    proof.equal("and nowhere else", sp.FiniteSet(*sp.solve(sp.sqrt(a) * sp.sqrt(t) - sp.sqrt(b), t)).args[0], b / a)
    level, time = sp.symbols("ell t_0", positive=True)
    proof.equal(
        "for each time t_0 one line is tight: a = √(ℓ/2t_0), b = √(ℓt_0/2)",
        (2 * sp.sqrt(level / (2 * time)) * sp.sqrt(level * time / 2)),
        level,
    )
