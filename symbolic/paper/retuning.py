"""Re-tuning a boundary at every look: the pointwise minimum is crossed with probability one (claim B18)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import sympy as sp
from flint import acb, arb, ctx

from nrverify.ledger import certificate, derivation, refuted, supports
from nrverify.ledger.assumptions import BROWNIAN, SPECTRAL
from nrverify.ledger.enclosure import PRECISION, Ball, Enclosure, certainly
from nrverify.ledger.proof import Expr, Proof
from nrverify.symbolic.tools.normal import cdf_ball, normal_density

U, ODDS, W = sp.symbols("u ell w", positive=True)
HERMITE_SCALE = 1 / sp.sqrt(2)
"""Of y in the argument of the Hermite function."""


def fixed_in_advance(u: Expr) -> Expr:
    """(curve/√t)² at t = uρ for one ρ: (1 + 1/u)(2ℓ + log(1+u))."""
    return (1 + 1 / u) * (2 * ODDS + sp.log(1 + u))


@derivation(
    {"B18": refuted("ρ re-tuned at every look")},
    rejects={
        "ρ re-tuned at every look": {"squared_level": lambda u: W},
        "(a, b) re-tuned at every look": {"squared_level": lambda u: 2 * ODDS},
    },
    assumes=(BROWNIAN,),
)
def a_boundary_must_be_fixed_in_advance(proof: Proof, squared_level: Callable[[Expr], Expr] = fixed_in_advance) -> None:
    """A curve √t·h(t) with bounded h is met with probability 1, as the re-tuned ones are; with one ρ it is not."""
    x, t, a, b = sp.symbols("x t a b", positive=True)
    envelope = (1 + 1 / x) * (2 * ODDS + sp.log(1 + x))
    at_best = envelope.subs(ODDS, (x - sp.log(1 + x)) / 2)
    proof.equal("min over ρ: the curve is √(t·g), least where x = t/ρ = 2ℓ + log(1+x), g = 1 + x = w", at_best, 1 + x)
    line = a * t + b - sp.sqrt(4 * a * b * t)
    proof.equal("min over 2ab = ℓ: at + b ≥ √(2ℓt), touching at t = b/a", line, (sp.sqrt(a * t) - sp.sqrt(b)) ** 2)
    s, r = sp.symbols("s r", positive=True)
    covariance = sp.exp(-s / 2) * sp.exp(-(s + r) / 2) * sp.exp(s)
    proof.equal("in log-time B_{e^s}/e^{s/2} is stationary: covariance e^{−r/2}", covariance, sp.exp(-r / 2))
    f, y = sp.Function("f"), sp.Symbol("y", real=True)
    generator = sp.diff(f(y), y, 2) / 2 - y * sp.diff(f(y), y) / 2
    weight = normal_density(y, 1)
    divergence = sp.diff(weight * sp.diff(f(y), y), y) / (2 * weight)
    proof.equal("with generator ½f'' − ½yf' = (φf')'/2φ, self-adjoint under φ", generator, divergence)
    nu, span = sp.symbols("nu S", positive=True)
    bound = sp.exp(-nu * span)
    proof.note(
        "killed at a constant level c, over log-time S",
        "P(no crossing) = <1, e^{SL}1> ≤ e^{−νS}<1, 1> = Φ(c)e^{−νS}, ν > 0 the lowest eigenvalue",
    )
    proof.equal("which vanishes as S → ∞: a constant level is met with probability 1", sp.limit(bound, span, sp.oo), 0)
    growth = sp.limit(1 / squared_level(U), U, sp.oo)
    proof.equal("the level h(t) of the boundary grows without bound", growth, 0)
    log_martingale = -sp.log(1 + U) / 2 + U / (1 + U) * squared_level(U) / 2
    proof.equal(
        "and one martingale, √(ρ/(t+ρ))e^{B²/2(t+ρ)}, is 1/δ all along it, so that Ville bounds the crossing by δ",
        log_martingale,
        ODDS,
    )


def squared_level_of_mixtures(odds: Ball) -> Ball:
    """w = −W₋₁(−δ²/e)."""
    return -(-(-2 * odds - 1).exp()).lambertw(-1)


@derivation(
    {"B18": supports},
    rejects={
        "the rate p instead of p/2": {"rate": lambda p: p},
        "the argument −y instead of −y/√2": {"scale": sp.S.One},
    },
    assumes=(SPECTRAL,),
)
def killed_process_has_hermite_eigenfunctions(
    proof: Proof,
    rate: Callable[[Expr], Expr] = lambda p: p / 2,
    scale: Expr = HERMITE_SCALE,
) -> None:
    """½f'' − ½yf' = −νf for f(y) = H_{2ν}(−y/√2): the level c is met at the rate ν with H_{2ν}(−c/√2) = 0."""
    y, z = sp.symbols("y z", real=True)
    p = sp.Symbol("p", positive=True)
    hermite = sp.Function("H")
    first, second = sp.symbols("H' H''")
    f = hermite(-scale * y)
    generator = sp.diff(f, y, 2) / 2 - y * sp.diff(f, y) / 2
    replaced = scale**2 * second / 2 + y * scale * first / 2
    by_chain_rule = (scale**2 * sp.diff(hermite(z), z, 2) / 2 + y * scale * sp.diff(hermite(z), z) / 2).subs(
        z, -scale * y
    )
    proof.equal("the chain rule", generator.doit(), by_chain_rule.doit())
    value = sp.Symbol("H_p")
    equation = replaced.subs(second, 2 * (-scale * y) * first - 2 * p * value)
    proof.equal("Hermite's equation H'' = 2zH' − 2pH leaves −νf", sp.expand(equation), -rate(p) * value)


@certificate(
    {"B18": supports},
    rejects={
        "both rates equal to δ": {"rates": ("1e-6", "1e-6")},
        "the crossing rate of a two-sided curve": {"rates": ("2.3386468e-7", "2.0142358e-6")},
        "failure only after the span 5000": {"factors": ("5000", "2.51")},
    },
)
def rates_of_retuned_boundaries(
    enclosure: Enclosure,
    rates: tuple[str, str] = ("1.1693234e-7", "1.0071179e-6"),
    factors: tuple[str, str] = ("4863", "2.51"),
) -> None:
    """At δ = 10⁻⁶ the level √w is met at the rate 1.1693234e-7 per unit of log-time, √(2ℓ) at 1.0071179e-6.

    P(no crossing over log-time S) ≤ Φ(c)e^{−νS} then puts the failure probability above δ at the latest when the times
    span a factor of 4863 and 2.51.
    """
    with ctx.workprec(PRECISION):
        odds, delta = 6 * arb(10).log(), arb(10) ** -6
        levels = (("mixtures", squared_level_of_mixtures(odds)), ("lines", 2 * odds))
        for (name, squared), rate, factor in zip(levels, rates, factors, strict=True):
            level = squared.sqrt()
            nu = _lowest_eigenvalue(enclosure, name, level, arb(rate), arb("5e-8") * arb(rate))
            failing = ((cdf_ball(level).log() - (1 - delta).log()) / nu).exp()
            width = arb("0.5") if arb(factor) > 100 else arb("0.005")
            enclosure.less(
                f"{name}: failure above δ from a span of {factor}, to its last digit", abs(failing - arb(factor)), width
            )


def _lowest_eigenvalue(enclosure: Enclosure, name: str, level: Ball, rate: Ball, width: Ball) -> Ball:
    argument = -level / arb(2).sqrt()

    def at_level(order: Ball) -> Ball:
        return acb(argument).hermite_h(acb(order)).real

    below, above = 2 * (rate - width), 2 * (rate + width)
    enclosure.less(f"{name}: H_p(−c/√2) is positive at p just below 2ν", 0, at_level(below))
    enclosure.less(f"{name}: and negative just above", at_level(above), 0)

    def positive(parameters: Sequence[Ball]) -> bool | None:
        value = at_level(parameters[0])
        return certainly(bool(value > 0), bool(value <= 0))

    enclosure.everywhere(f"{name}: no eigenvalue is lower", [(0.0, float(below.mid()))], positive)
    return below.union(above) / 2
