"""The privacy boundaries for a kernel: inverse, floor, shape, and the tuned line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy as sp
from flint import arb, ctx

from nrverify.laws.boundary import Linear, Mixture
from nrverify.ledger import kernel, supports
from nrverify.ledger.coq.kernel import Kernel
from nrverify.ledger.proof import Expr
from nrverify.symbolic.code.boundary import linear_psi, mixture_psi
from nrverify.symbolic.kernel import PAPER
from nrverify.symbolic.kernel.forms import accepted
from nrverify.symbolic.paper.boundary_algebra import ODDS, SENSITIVITY, A, T, linear_boundary, mixture_boundary
from nrverify.symbolic.paper.optima import tightest_line

D, L, E_ = sp.symbols("D l e", positive=True)
NAMES = {SENSITIVITY: D, ODDS: L}
SLOPE, INTERCEPT = accepted(tightest_line, "slope"), accepted(tightest_line, "intercept")

LINE = Linear(a=0.15625, b=46.0, sensitivity=0.5)
"""About the tuned line of ε = 0.3 and δ = 10⁻⁶, in numbers that doubles hold exactly."""
CURVE = Mixture(rho=11.5, delta=2.0**-20, sensitivity=0.5)
"""δ about 10⁻⁶, and a ρ at which the odds √((t + ρ)/ρ) are no power of two."""
LOOKS = (0.25, 300.0)
"""Parameters and times that doubles hold exactly; one look is early, one close to the best time b/a."""

ENCLOSED = 80
"""Bits of Arb's balls: wider than the rounding of Interval at 100."""

SPLIT = "pose proof (log_pos t rho ltac:(lra) ltac:(lra)); rewrite sqrt_mult by lra; same"
"""sympy writes √(t+ρ)·√λ for √((t+ρ)λ)."""


@kernel(
    dict.fromkeys(("B08", "B09", "B13", "B14", "B15", "E11"), supports),
    rejects={
        "Δb/t without Δ²/2t": {"line": lambda t: linear_boundary(t) - SENSITIVITY**2 / (2 * t)},
        "slope a for Δa": {"line": lambda t: linear_boundary(t) - SENSITIVITY * A + A},
        "Δ²/t for Δ²/2t": {"mixture": lambda t: mixture_boundary(t) + SENSITIVITY**2 / (2 * t)},
        "balls of Δ²/t for Δ²/2t": {"ball": lambda t, f: linear_psi(t, f) + arb(f.sensitivity) ** 2 / (2 * t)},
    },
    source=PAPER / "boundary_algebra.v",
    theorems=(
        "linear_inverse",
        "linear_floor",
        "linear_decreases",
        "loss_below_linear",
        "printed_infimum_is_zero",
        "curve_positive",
        "loss_below_mixture",
        "mixture_decreases",
    ),
    unsaid=(
        "how likely a path reaches the line or the curve: see the theorems on crossing",
        "the mixture boundary decreases; that it takes every positive value is not proved",
        "E11's numbers are those of the tuned line",
    ),
)
def boundaries(
    kernel: Kernel,
    line: Callable[[Expr], Expr] = linear_boundary,
    mixture: Callable[[Expr], Expr] = mixture_boundary,
    ball: Callable[[Any, Any], Any] = linear_psi,
) -> None:
    """ψ^L: inverse, floor, decreasing, above the loss below its line; the printed infimum is 0. ψ^M: decreasing too."""
    kernel.equal("linear", "D a b t", line(T), linear_boundary(T), {**NAMES}, ("0 < t",))
    premises = ("0 < rho", "0 < l", "0 < t")
    kernel.equal("mixture", "D rho l t", mixture(T), mixture_boundary(T), {**NAMES}, premises, ("curve",), SPLIT)
    tuned = (LINE.sensitivity, LINE.a, LINE.b)
    kernel.agrees("linear_time", (*tuned, 0.25), float(LINE.inverse(0.25)))
    with ctx.workprec(ENCLOSED):
        for t in LOOKS:
            kernel.agrees("linear", (*tuned, t), float(LINE(t)))
            kernel.encloses("linear", (*tuned, t), ball(arb(t), LINE), accepted=linear_psi(arb(t), LINE))
    odds = "mixture 0.5 11.5 (ln 1048576)"
    with ctx.workprec(ENCLOSED):
        for t in LOOKS:
            kernel.agrees(odds, (t,), float(CURVE(t)), ("curve",))
            kernel.encloses(odds, (t,), mixture_psi(arb(t), CURVE), ("curve",))


@kernel(
    dict.fromkeys(("B17", "M04"), supports),
    rejects={
        "a* with ℓε/2 for ℓε": {"slope": lambda odds, epsilon, d: (sp.sqrt(odds**2 + odds * epsilon / 2) - odds) / d},
        "b* = ℓ/a*": {"intercept": lambda odds, a: odds / a},
        "code tuned at ε/2": {"halving": 2},
    },
    source=PAPER / "optima.v",
    theorems=(
        "slope_admissible",
        "optimum_is_a_lower_bound",
        "optimum_is_attained",
        "envelope",
    ),
    unsaid=("the optimum is among lines: another boundary may need less time",),
)
def tuned_line(
    kernel: Kernel,
    slope: Callable[..., Expr] = SLOPE,
    intercept: Callable[..., Expr] = INTERCEPT,
    halving: int = 1,
) -> None:
    """No line with 2ab = ℓ needs less time at ε than the tuned one; lines touch √(2ℓt) at b/a alone."""
    a = sp.Symbol("a", positive=True)
    kernel.equal("slope", "l e D", slope(L, E_, D), SLOPE(L, E_, D), {}, ("0 < D",))
    kernel.equal("intercept", "l a", intercept(L, a), INTERCEPT(L, a), {}, ("0 < a",))
    for epsilon, power, sensitivity in ((0.25, 20, 1.0), (2.5, 1, 0.125)):
        delta, at = 2.0**-power, (epsilon, sensitivity)
        line = Linear.tightest_at(epsilon=epsilon / halving, delta=delta, sensitivity=sensitivity)
        best = Linear.tightest_at(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
        kernel.agrees(f"slope (ln {2**power})", at, line.a, accepted=best.a)
        kernel.agrees(f"best_time (ln {2**power})", at, float(line.inverse(epsilon)), ("root_gap",))
