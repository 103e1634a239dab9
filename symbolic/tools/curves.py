"""Curves whose crossing probability is known otherwise: by images, by duality, by an eigenfunction series."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from flint import acb, arb
from numpy.typing import NDArray
from scipy.special import ndtr

from nrverify.ledger.enclosure import Ball
from nrverify.symbolic.tools.normal import cdf_ball, density_ball, integral_ball, tail_ball

DANIELS = (1.25, 0.6, 0.3)
"""a, κ₁ and κ₂: images of weights κ₁ at a and κ₂ at 2a."""


def daniels_height(t: Ball, a: Ball, first: Ball, second: Ball) -> Ball:
    """a/2 − (t/a) log(κ₁/2 + √(κ₁²/4 + κ₂e^{−a²/t}))."""
    return a / 2 - t / a * (first / 2 + (first * first / 4 + second * (-a * a / t).exp()).sqrt()).log()


def daniels_crossing(t: Ball, a: Ball, first: Ball, second: Ball) -> Ball:
    """P(crossed by t) = Q(c/√t) + κ₁Φ((c−a)/√t) + κ₂Φ((c−2a)/√t)."""
    height, root = daniels_height(t, a, first, second), t.sqrt()
    images = first * cdf_ball((height - a) / root) + second * cdf_ball((height - 2 * a) / root)
    return tail_ball(height / root) + images


def half_normal_after(time: Ball, rho: Ball, delta: Ball) -> Ball:
    """P(the half-normal curve is met after T) = Q(c/√T) + δ E[M_T; W_T < c], M = ∫e^{λW−λ²t/2} over the half-normal."""
    level = -delta.log() + (1 + time / rho).log() / 2
    quantile = half_normal_quantile(level)
    height, root = quantile * (time + rho).sqrt(), time.sqrt()
    scale = 1 / rho.sqrt()
    below = integral_ball(lambda z: 2 * density_ball(z) * cdf_ball((height - scale * z * time) / root), arb(0), arb(14))
    return tail_ball(height / root) + delta * below


def half_normal_quantile(level: Ball) -> Ball:
    """The U with U²/2 + log 2Φ(U) = level, by bisection with certain signs."""
    low, high = arb(0), arb(64)
    for _ in range(100):
        middle = ((low + high) / 2).mid()
        excess = middle * middle / 2 + (2 * cdf_ball(middle)).log() - level
        low, high = (low, middle) if excess > 0 else (middle, high)
    return low.union(high)


def mixture_by_duality(delta: float) -> tuple[float, float]:
    """P(∃t: W_t ≥ mixture curve), and the largest defect of the combination of martingales that shows it.

    A combination Σ w_i M_i of martingales that start at m_i and vanish at the end, and that is 1 all along the curve,
    gives p = Σ w_i m_i by optional stopping: nothing is solved forward in time. Taken are half-normal mixtures with
    ρ, 2ρ, 4ρ, … and exponential martingales; the weights come by least squares, the defect is seen between its points.
    """
    fitted = np.concatenate([np.geomspace(1e-16, 1.0, 900), np.linspace(0.0, 1.0, 401)[1:]])
    between = np.concatenate([np.sqrt(fitted[:899] * fitted[1:900]), fitted[901:] - 0.00125])
    columns, starts = _martingales_on_the_curve(fitted, delta)
    weights = np.linalg.lstsq(columns, np.ones(len(fitted)), rcond=1e-14)[0]
    defect = np.abs(_martingales_on_the_curve(between, delta)[0] @ weights - 1.0).max()
    return float(weights @ starts), float(defect)


def _martingales_on_the_curve(x: NDArray[np.float64], delta: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Values at ρ/(t+ρ) = x on the curve and at the origin, ρ = 1, each divided by its largest size."""
    levels = -2.0 * np.log(delta) - np.log(x)
    time, height = 1.0 / x - 1.0, np.sqrt(levels / x)
    columns, starts = [], []
    for doubling in range(40):
        k = 2.0**doubling - 1.0
        wide = 1.0 + x * k
        columns.append(2.0 / np.sqrt(wide) * np.exp(-0.5 * levels * x * k / wide) * ndtr(np.sqrt(levels / wide)))
        starts.append(delta / np.sqrt(1.0 + k))
    on_a_fine_grid = np.geomspace(1e-16, 1.0, 4000)
    fine_levels = -2.0 * np.log(delta) - np.log(on_a_fine_grid)
    for rate in np.geomspace(0.3, 12.0, 24):
        fine = rate * np.sqrt(fine_levels / on_a_fine_grid) - 0.5 * rate**2 * (1.0 / on_a_fine_grid - 1.0)
        largest = fine.max()
        columns.append(np.exp(rate * height - 0.5 * rate**2 * time - largest))
        starts.append(np.exp(-largest))
    return np.array(columns).T, np.array(starts)


def root_curve_crossing(level: float, span: float, terms: int = 7) -> Ball:
    """P(W_t ≥ c√t in [t₀, span·t₀]) = 1 − Σ K_i span^{−ν_i}: f = H_{2ν}(−c/√2) = 0, K = φ(c)f'(c)/(2ν²∂_νf(c))."""
    c = arb(level)
    argument = acb(-c / arb(2).sqrt())
    survival = arb(0)
    for nu in _eigenvalues(lambda p: argument.hermite_h(acb(p)).real, terms):
        slope = -(2 * (2 * nu)) * argument.hermite_h(acb(2 * nu - 1)).real / arb(2).sqrt()
        tiny = arb("1e-15")
        change = argument.hermite_h(acb(2 * (nu + tiny))).real - argument.hermite_h(acb(2 * (nu - tiny))).real
        weight = density_ball(c) * slope / (2 * nu * nu * (change / (2 * tiny)))
        survival += weight * (-nu * arb(span).log()).exp()
    return 1 - survival


def _eigenvalues(at_level: Callable[[Ball], Ball], count: int) -> list[Ball]:
    """The first ν with H_{2ν}(−c/√2) = 0: signs on a grid of p = 2ν, then bisection."""
    found: list[Ball] = []
    step, low = arb(1) / 8, arb(0)
    while len(found) < count:
        high = low + step
        if (at_level(low) > 0) != (at_level(high) > 0):
            found.append(_bisected(at_level, low, high) / 2)
        low = high
    return found


def _bisected(at_level: Callable[[Ball], Ball], low: Ball, high: Ball) -> Ball:
    rising = bool(at_level(high) > 0)
    for _ in range(90):
        middle = ((low + high) / 2).mid()
        low, high = (low, middle) if bool(at_level(middle) > 0) == rising else (middle, high)
    return ((low + high) / 2).mid()
