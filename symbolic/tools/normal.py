"""The normal law as sympy expressions and as balls, for the derivations and certificates beside it."""

from __future__ import annotations

from typing import Any

import sympy as sp
from flint import acb, arb

from nrverify.ledger.enclosure import Ball
from nrverify.ledger.proof import Expr


def normal_cdf(x: Expr) -> Expr:
    """Φ(x)."""
    return sp.erfc(-x / sp.sqrt(2)) / 2


def normal_density(x: Expr, variance: Expr) -> Expr:
    """φ_t(x), the density of B_t."""
    return sp.exp(-(x**2) / (2 * variance)) / sp.sqrt(2 * sp.pi * variance)


def same_infinity(difference: Expr) -> Expr:
    """0 where sympy wrote ∞ − ∞ as nan: both sides of an equation are the same infinity."""
    return sp.Integer(0) if difference is sp.nan else difference


def cdf_ball(x: Ball) -> Ball:
    """Φ(x), real or complex."""
    return (-x / arb(2).sqrt()).erfc() / 2


def tail_ball(x: Ball) -> Ball:
    """1 − Φ(x), without cancellation."""
    return (x / arb(2).sqrt()).erfc() / 2


def density_ball(x: Ball) -> Ball:
    """φ(x)."""
    return (-x * x / 2).exp() / (2 * arb.pi()).sqrt()


def integral_ball(integrand: Any, lower: Ball, upper: Ball, relative: float = 1e-25) -> Ball:
    """∫ integrand over [lower, upper], rigorously; the integrand is analytic near it."""
    return acb.integral(lambda z, _: integrand(z), acb(lower), acb(upper), rel_tol=arb(relative)).real
