"""Derivations: named steps, identities by exact polynomial arithmetic where they can be, the rest by sympy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy as sp

from nrverify.ledger.evidence import Refuted, Undecided
from nrverify.ledger.identity import is_identity
from nrverify.ledger.record import By, Record

Expr = Any
"""A sympy expression (sympy has no types)."""

LATEX = {"=": "=", ">": ">", "≥": r"\ge"}

SAMPLE_DIGITS = 40
"""Precision at which a non-vanishing difference is recognised."""


class Proof:
    """A sequence of named steps; a wrong step raises `Refuted`, one that cannot be decided raises `Undecided`."""

    def __init__(self, record: Record) -> None:
        self.record = record

    def equal(self, name: str, left: Expr, right: Expr, simplify: Callable[[Expr], Expr] = sp.simplify) -> None:
        """left = right, identically in all free symbols: exactly, or else the simplified difference is the number 0."""
        left, right = sp.sympify(left), sp.sympify(right)
        by: By = "exact"
        if not is_identity(left, right):
            difference, by = left - right, "sympy"
            # A point where the difference is certainly not 0 settles it faster than any simplification.
            witness = nonzero_witness(difference)
            if witness is not None:
                raise Refuted(f"{name}: {left} ≠ {right}, e.g. at {witness}")
            if simplify(difference) != 0:
                raise Undecided(f"{name}: cannot decide whether {left} = {right}")
        self._note(name, "=", left, right, by)

    def positive(self, name: str, expression: Expr) -> None:
        """expression > 0, decided by sympy from the assumptions on its symbols."""
        self._sign(name, sp.sympify(expression), "is_positive", ">")

    def nonnegative(self, name: str, expression: Expr) -> None:
        """expression ≥ 0, decided by sympy from the assumptions on its symbols."""
        self._sign(name, sp.sympify(expression), "is_nonnegative", "≥")

    def true(self, name: str, statement: Expr) -> None:
        """A statement that sympy (or Python, for exact rationals) decides: True, False, or undecided."""
        decided = sp.sympify(statement)
        if decided == sp.true:
            self.record.note(name, str(statement), "", "sympy")
        elif decided == sp.false:
            raise Refuted(f"{name}: false")
        else:
            raise Undecided(f"{name}: cannot decide {decided}")

    def note(self, name: str, text: str, latex: str = "") -> None:
        """A definition or remark between steps; asserts nothing."""
        self.record.note(name, text, latex)

    def _sign(self, name: str, expression: Expr, attribute: str, symbol: str) -> None:
        for attempt, form_of in enumerate((lambda e: e, sp.factor, sp.simplify)):
            form = form_of(expression)
            decided = getattr(form, attribute)
            if decided:
                self._note(name, symbol, form, sp.Integer(0), "sympy")
                return
            if decided is False:
                raise Refuted(f"{name}: {form} is not {symbol} 0")
            if attempt == 0:
                # Before any rewriting: a point with a negative value settles it faster.
                _refute_sign(name, expression, symbol)
        raise Undecided(f"{name}: sympy cannot decide the sign of {expression}")

    def _note(self, name: str, relation: str, left: Expr, right: Expr, by: By) -> None:
        """Records a verified step; its formula is only written out when somebody is going to read it."""
        if self.record.written:
            self.record.note(
                name, f"{left} {relation} {right}", f"{sp.latex(left)} {LATEX[relation]} {sp.latex(right)}", by
            )
        else:
            self.record.note(name, "", by=by)


def nonzero_witness(expression: Expr) -> dict[Expr, Expr] | None:
    """Values of the free symbols at which the expression is certainly not 0, if a few tries find any."""
    if expression == 0 or expression.has(sp.Integral, sp.Sum, sp.Product, sp.Limit):
        return None
    symbols = sorted(expression.free_symbols, key=str)
    for attempt in range(3):
        point = {symbol: _sample(symbol, attempt, index) for index, symbol in enumerate(symbols)}
        value = sp.N(expression.subs(point), SAMPLE_DIGITS)
        if value.is_number and value.is_finite and abs(value) > sp.Float(10) ** (10 - SAMPLE_DIGITS):
            return point
    return None


def _refute_sign(name: str, expression: Expr, symbol: str) -> None:
    """Raises `Refuted` when one of a few points gives a negative number."""
    symbols = sorted(expression.free_symbols, key=str)
    for attempt in range(8):
        point = {s: _sample(s, attempt, i) for i, s in enumerate(symbols)}
        value = sp.N(expression.subs(point), SAMPLE_DIGITS)
        if value.is_number and value.is_real and value < 0:
            raise Refuted(f"{name}: {expression} = {sp.N(value, 6)} at {point}, not {symbol} 0")


def _sample(symbol: Expr, attempt: int, index: int) -> Expr:
    if symbol.is_integer:
        return sp.Integer(1 + (3 * attempt + 2 * index) % 7)
    size = sp.Rational(7 * attempt + 3 * index + 2, 5 * index + attempt + 3)
    if symbol.is_positive or symbol.is_nonnegative or (attempt + index) % 2 == 0:
        return size
    return -size
