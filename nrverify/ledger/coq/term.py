"""From sympy to Coq: the term over the reals that a formula of the project is."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy as sp

from nrverify.ledger.evidence import Undecided

Expr = Any
"""A sympy expression (sympy has no types)."""

FUNCTIONS = {sp.log: "ln", sp.exp: "exp", sp.Abs: "Rabs"}


def coq_term(expression: Expr) -> str:
    """The term of an elementary expression; any other raises `Undecided`."""
    e = sp.sympify(expression)
    if e.is_Symbol:
        return str(e)
    if e.is_Rational:
        return coq_number(Fraction(int(e.p), int(e.q)))
    if e is sp.pi:
        return "PI"
    if e is sp.E:
        return "(exp 1)"
    if e.is_Add or e.is_Mul:
        return "(" + (" + " if e.is_Add else " * ").join(map(coq_term, e.args)) + ")"
    if e.is_Pow and not isinstance(e, sp.exp):
        return _power(*e.args)
    for function, name in FUNCTIONS.items():
        if isinstance(e, function):
            return f"({name} {coq_term(e.args[0])})"
    raise Undecided(f"there is no Coq term for {e.func.__name__}")


def coq_number(value: Fraction) -> str:
    """A rational number."""
    return f"({value.numerator})" if value.denominator == 1 else f"({value.numerator} / {value.denominator})"


def _power(base: Expr, power: Expr) -> str:
    term = coq_term(base)
    if power == -1:
        return f"(/ {term})"
    if power.is_Integer:
        return f"({term} ^ {int(power)})" if power > 0 else f"(/ ({term} ^ {-int(power)}))"
    if power == sp.Rational(1, 2):
        return f"(sqrt {term})"
    if power == sp.Rational(-1, 2):
        return f"(/ sqrt {term})"
    raise Undecided(f"there is no Coq term for the power {power}")


def is_rational_function(expression: Expr) -> bool:
    """Whether a formula has nothing but sums, products, quotients and whole powers."""
    e = sp.sympify(expression)
    return not e.has(sp.log, sp.exp, sp.Abs, sp.pi, sp.E) and all(power.args[1].is_Integer for power in e.atoms(sp.Pow))
