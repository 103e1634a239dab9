"""Crossings at finitely many looks for a kernel: Ville's inequality, the line, and the mixture curve."""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp

from nrverify.laws.boundary import Linear, Mixture
from nrverify.ledger import kernel, supports
from nrverify.ledger.coq.kernel import Kernel
from nrverify.ledger.proof import Expr
from nrverify.symbolic.kernel import PAPER
from nrverify.symbolic.kernel.forms import accepted
from nrverify.symbolic.paper import mixture as paper
from nrverify.symbolic.paper.martingales import full_square, half_square, line_crossing

WEIGHT = accepted(line_crossing, "weight")
FINITE = "looks are finitely many, at times fixed in advance, in forward time; paths of continuous time are not in it"

CURVE = "boundary_algebra.curve"
"""The curve of the boundary itself, in the file that this one requires."""

SPLIT = "pose proof (boundary_algebra.log_pos t rho ltac:(lra) ltac:(lra)); rewrite sqrt_mult by lra; same"
"""sympy writes √(t+ρ)·√λ for √((t+ρ)λ)."""

MIXED = "rewrite sqrt_div by lra; same"
"""sympy writes √ρ/√(t+ρ) for √(ρ/(t+ρ))."""


@kernel(
    dict.fromkeys(("M01", "M03", "M05", "B09"), supports),
    rejects={
        "the compensator λ² for λ²/2": {"compensator": full_square},
        "e^{−ab} for e^{−2ab}": {"weight": lambda a, b: sp.exp(-a * b)},
    },
    source=PAPER / "martingales.v",
    theorems=(
        "ville",
        "exponential_martingale",
        "line_bound",
        "line_is_safe",
        "finite_mixture_is_a_martingale",
        "premises_can_be_met",
    ),
    unsaid=(
        FINITE,
        "M03's equality is not in it: at finitely many looks the probability is at most e^{−2ab}",
        "an expectation is any functional that is monotone, additive and homogeneous where it is finite; the moment "
        "e^{λ²h/2} of N(0, h) is a premise",
        "mixing measures have finitely many atoms",
    ),
)
def line(
    kernel: Kernel,
    compensator: Callable[[Expr], Expr] = half_square,
    weight: Callable[[Expr, Expr], Expr] = WEIGHT,
) -> None:
    """Any finite number of looks finds the line at + b reached with probability at most e^{−2ab} (Ville)."""
    rate, a, b = sp.symbols("lam a b", real=True)
    kernel.equal("compensator", "lam", compensator(rate), half_square(rate), {})
    kernel.equal("line_probability", "a b", weight(a, b), WEIGHT(a, b), {}, proof="f_equal; ring")
    for x, y in ((0.15625, 46.0), (2.0, 0.125)):
        kernel.agrees("line_probability", (x, y), Linear(a=x, b=y, sensitivity=1.0).delta)


@kernel(
    dict.fromkeys(("B08", "M05", "M06"), supports),
    rejects={
        "mixing with N(0, ρ) for N(0, 1/ρ)": {"normal": lambda x, t, rho: paper.normal_mixture(x, t, 1 / rho)},
        "the square root forgotten": {
            "normal": lambda x, t, rho: paper.normal_mixture(x, t, rho) * sp.sqrt(rho / (t + rho))
        },
        "the curve with ℓ for 2ℓ": {"curve": lambda t, rho, odds: paper.mixture_curve(t, rho, odds / 2)},
    },
    source=PAPER / "mixture.v",
    theorems=("mixture_completes_the_square", "curves_agree", "mixture_on_the_curve", "mixture_is_safe"),
    unsaid=(
        FINITE,
        "that no look makes the mixture larger on average is a premise: the Gaussian integral over rates is not in it",
        "M06's equality for |B| is not in it: the probability is at most δ",
    ),
)
def mixture_curve(
    kernel: Kernel,
    normal: Callable[..., Expr] = paper.normal_mixture,
    curve: Callable[..., Expr] = paper.mixture_curve,
) -> None:
    """The normal mixture completes a square, equals 1/δ on the printed curve alone, and keeps below it with 1 − δ."""
    x, t, rho, odds = sp.symbols("x t rho l", positive=True)
    premises = ("0 < t", "0 < rho", "0 < l")
    right = paper.normal_mixture(x, t, rho), paper.mixture_curve(t, rho, odds)
    kernel.equal("normal_mixture", "x t rho", normal(x, t, rho), right[0], {}, premises[:2], proof=MIXED)
    kernel.equal(CURVE, "rho l t", curve(t, rho, odds), right[1], {}, premises, proof=SPLIT)
    law = Mixture(rho=11.5, delta=2.0**-20, sensitivity=1.0)
    for look in (0.25, 300.0):
        kernel.agrees(f"{CURVE} 11.5 (ln 1048576)", (look,), float(law.curve(look)))
