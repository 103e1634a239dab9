"""Signs decided exactly: an expression is a sum of terms each of which is plainly positive, zero or a square.

Rules, nothing else: rational numbers have their sign; symbols the one they were declared with; e^x is positive; a
power of something positive is positive; an even power is not negative; products and sums of such terms. Where these
rules do not decide the expression as written, they are applied to the terms of its numerator and of its denominator,
multiplied out.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

Expr = Any
"""A sympy expression (sympy has no types)."""

MOST_TERMS = 400
"""Expressions with more terms are left to other methods: a reader could not follow the sum."""


def is_plainly(expression: Expr, *, positive: bool) -> bool:
    """Whether the rules show expression > 0 (or ≥ 0); False says only that they do not."""
    enough = 2 if positive else 1
    if _sign(expression) >= enough:
        return True
    top, bottom = sp.fraction(sp.together(expression))
    top, bottom = sp.expand(top), sp.expand(bottom)
    if max(len(sp.Add.make_args(top)), len(sp.Add.make_args(bottom))) > MOST_TERMS:
        return False
    return _sign(top) >= enough and _sign(bottom) == 2


def _sign(expression: Expr) -> int:
    """2: positive, 1: not negative, 0: not known."""
    if expression.is_Rational:
        return 2 if expression > 0 else 1 if expression == 0 else 0
    if expression.is_Symbol:
        return 2 if expression.is_positive else 1 if expression.is_nonnegative else 0
    if isinstance(expression, sp.exp):
        return 2 if expression.args[0].is_real else 0
    if expression in (sp.pi, sp.E):
        return 2
    if expression.is_Add:
        signs = [_sign(part) for part in expression.args]
        return 0 if 0 in signs else max(signs)
    if expression.is_Mul:
        return _product(expression)
    if expression.is_Pow:
        return _power(*expression.args)
    return 0


def _product(expression: Expr) -> int:
    """Two factors that are the negative of something positive cancel: (−a)(−b)."""
    signs: list[int] = []
    negatives = 0
    for part in expression.args:
        sign = _sign(part)
        if sign == 0 and (part.is_Add or part.is_Rational):
            sign = _sign(sp.expand(-part))
            negatives += 1
        signs.append(sign)
    return 0 if negatives % 2 else min(signs)


def _power(base: Expr, exponent: Expr) -> int:
    if not exponent.is_real:
        return 0
    sign = _sign(base)
    if sign == 2:
        return 2
    if exponent.is_Integer and exponent % 2 == 0 and exponent > 0 and base.is_real:
        return 1
    return 1 if sign == 1 and exponent.is_positive else 0
