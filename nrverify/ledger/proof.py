"""Derivations: named steps, identities by exact polynomial arithmetic where they can be, the rest by sympy."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import sympy as sp

from nrverify.ledger.evidence import Refuted, Undecided
from nrverify.ledger.identity import is_identity
from nrverify.ledger.record import By, Record
from nrverify.ledger.signs import is_plainly
from nrverify.ledger.source import Written

Expr = Any
"""A sympy expression (sympy has no types)."""

LATEX = {">": ">", "≥": r"\ge"}

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
        tools: tuple[str, ...] = ()
        if not is_identity(left, right):
            difference, by, tools = left - right, "sympy", (_name_of(simplify),)
            # A point where the difference is certainly not 0 settles it faster than any simplification.
            witness = nonzero_witness(difference)
            if witness is not None:
                raise Refuted(f"{name}: {left} ≠ {right}, e.g. at {witness}")
            if simplify(difference) != 0:
                raise Undecided(f"{name}: cannot decide whether {left} = {right}")
        self._note_equal(name, left, right, by, tools, sys._getframe(1))

    def positive(self, name: str, expression: Expr) -> None:
        """expression > 0: by its terms (`signs.py`), or by sympy from the assumptions on its symbols."""
        self._sign(name, sp.sympify(expression), ">", sys._getframe(1))

    def nonnegative(self, name: str, expression: Expr) -> None:
        """expression ≥ 0: by its terms (`signs.py`), or by sympy from the assumptions on its symbols."""
        self._sign(name, sp.sympify(expression), "≥", sys._getframe(1))

    def true(self, name: str, statement: Expr, shown: str = "") -> None:
        """A statement that sympy (or Python, for exact rationals) decides: True, False, or undecided.

        `shown` is what a reader sees of it; by default its source.
        """
        decided = sp.sympify(statement)
        if decided == sp.true:
            written = Written(sys._getframe(1))
            self.record.note(name, shown or written.side(1) or str(statement), "", "sympy", written.tools(1))
        elif decided == sp.false:
            raise Refuted(f"{name}: false")
        else:
            raise Undecided(f"{name}: cannot decide {decided}")

    def note(self, name: str, text: str, latex: str = "") -> None:
        """A definition or remark between steps; asserts nothing."""
        self.record.note(name, text, latex)

    def _sign(self, name: str, expression: Expr, symbol: str, frame: FrameType) -> None:
        if is_plainly(expression, positive=symbol == ">"):
            self._note_sign(name, symbol, expression, "exact", frame)
            return
        attribute = {">": "is_positive", "≥": "is_nonnegative"}[symbol]
        for attempt, form_of in enumerate((lambda e: e, sp.factor, sp.simplify)):
            form = form_of(expression)
            decided = getattr(form, attribute)
            if decided:
                self._note_sign(name, symbol, form, "sympy", frame, ("assumptions", "factor", "simplify")[attempt])
                return
            if decided is False:
                raise Refuted(f"{name}: {form} is not {symbol} 0")
            if attempt == 0:
                # Before any rewriting: a point with a negative value settles it faster.
                _refute_sign(name, expression, symbol)
        raise Undecided(f"{name}: sympy cannot decide the sign of {expression}")

    def _note_equal(self, name: str, left: Expr, right: Expr, by: By, tools: tuple[str, ...], frame: FrameType) -> None:
        """Records an identity; where both sides came out alike, as they were written before they were computed."""
        written = Written(frame)
        tools = tuple(dict.fromkeys((*written.tools(1, 2), *tools)))
        by = "sympy" if tools else by
        if not self.record.written:
            self.record.note(name, "", "", by, tools)
            return
        if str(left) != str(right):
            self.record.note(name, f"{left} = {right}", f"{sp.latex(left)} = {sp.latex(right)}", by, tools)
            return
        first, second = written.side(1) or str(left), written.side(2) or str(right)
        both = "" if str(right) in (first, second) else f": both are {right}"
        self.record.note(name, f"{first} = {second}{both}", "", by, tools)

    def _note_sign(self, name: str, symbol: str, form: Expr, by: By, frame: FrameType, tool: str | None = None) -> None:
        """Records a sign; its formula is only written out when somebody is going to read it."""
        written = Written(frame)
        tools = tuple(dict.fromkeys((*written.tools(1), *((tool,) if tool else ()))))
        by = "sympy" if tools else by
        if not self.record.written:
            self.record.note(name, "", "", by, tools)
            return
        if form.is_number:
            self.record.note(name, f"{written.side(1) or form} {symbol} 0: it is {form}", "", by, tools)
            return
        self.record.note(name, f"{form} {symbol} 0", f"{sp.latex(form)} {LATEX[symbol]} 0", by, tools)


def _name_of(simplify: Callable[[Expr], Expr]) -> str:
    """The function of sympy that decided an identity; one of the evidence's own is made of simplifications."""
    name = getattr(simplify, "__name__", "")
    return name if hasattr(sp, name) else "simplify"


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
