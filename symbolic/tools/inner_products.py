"""Vectors of any dimension, seen through their inner products only.

An identity between quadratic expressions in vectors holds in every dimension when it holds as a polynomial identity
in the inner products of the vectors, and these are algebraically independent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import sympy as sp

from nrverify.ledger.proof import Expr


@dataclass(frozen=True)
class Vector:
    """A linear combination of named vectors, its coefficients scalar expressions."""

    coefficients: Mapping[str, Expr]

    def __add__(self, other: Vector) -> Vector:
        names = [*self.coefficients, *(name for name in other.coefficients if name not in self.coefficients)]
        return Vector({name: self._of(name) + other._of(name) for name in names})

    def __sub__(self, other: Vector) -> Vector:
        return self + (-1) * other

    def __rmul__(self, scalar: Expr) -> Vector:
        return Vector({name: scalar * coefficient for name, coefficient in self.coefficients.items()})

    def dot(self, other: Vector) -> Expr:
        """⟨self, other⟩, expanded by bilinearity and symmetry."""
        return sum(
            (a * b * _gram(left, right))
            for left, a in self.coefficients.items()
            for right, b in other.coefficients.items()
        )

    def square(self) -> Expr:
        """‖self‖²."""
        return self.dot(self)

    def _of(self, name: str) -> Expr:
        return self.coefficients.get(name, sp.Integer(0))


def vector(name: str) -> Vector:
    """The vector of that name."""
    return Vector({name: sp.Integer(1)})


def _gram(left: str, right: str) -> Expr:
    first, second = sorted((left, right))
    if first == second:
        return sp.Symbol(f"‖{first}‖²", nonnegative=True)
    return sp.Symbol(f"⟨{first},{second}⟩", real=True)
