"""Linear functionals of a Brownian path, known by their covariances: enough for every Gaussian statement here.

Jointly Gaussian variables are independent as soon as they are uncorrelated, and a continuous Gaussian process is
determined by its mean and covariance; so statements on motions and bridges become identities between covariances.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import sympy as sp

from nrverify.ledger.proof import Expr


@dataclass(frozen=True)
class Functional:
    """mean + Σ weight·B_time for a standard one-dimensional Brownian motion B."""

    weights: Mapping[Expr, Expr]
    mean: Expr

    def __add__(self, other: Functional) -> Functional:
        times = [*self.weights, *(time for time in other.weights if time not in self.weights)]
        zero = sp.Integer(0)
        weights = {time: self.weights.get(time, zero) + other.weights.get(time, zero) for time in times}
        return Functional(weights, self.mean + other.mean)

    def __sub__(self, other: Functional) -> Functional:
        return self + (-1) * other

    def __rmul__(self, scalar: Expr) -> Functional:
        weights = {time: scalar * weight for time, weight in self.weights.items()}
        return Functional(weights, scalar * self.mean)


def motion(time: Expr) -> Functional:
    """B_time."""
    return Functional({sp.sympify(time): sp.Integer(1)}, sp.Integer(0))


def constant(value: Expr) -> Functional:
    """A number, as a functional that ignores the path."""
    return Functional({}, value)


def covariance(left: Functional, right: Functional) -> Expr:
    """Cov, from Cov(B_s, B_t) = min(s, t); times are sums of positive symbols, so that sympy orders them."""
    return sum(
        (a * b * sp.Min(s, t) for s, a in left.weights.items() for t, b in right.weights.items()),
        start=sp.Integer(0),
    )


def variance(functional: Functional) -> Expr:
    """Var."""
    return covariance(functional, functional)
