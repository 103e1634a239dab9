"""Identities checked exactly: both sides as rational functions over ℚ in opaque letters, compared as polynomials.

exp, log, roots, symbolic powers, other functions, sums and integrals become letters; equal ones get the same letter.
What is known of a letter is used: e^{a+b} = e^a e^b, and a root to its own power is its radicand. If the difference is
the zero polynomial, the identity holds wherever both sides are defined. If it is not, nothing is said: letters may
satisfy relations that are not used here.
"""

from __future__ import annotations

from math import lcm
from typing import Any

import sympy as sp
from flint import Ordering, fmpq, fmpq_mpoly_ctx

Expr = Any
"""A sympy expression (sympy has no types)."""
Fraction = tuple[Any, Any]
"""Numerator and denominator, polynomials over ℚ."""

MOST_TERMS = 200_000
"""Polynomials larger than this are left to other methods: no identity of the ledger needs them."""
MOST_POWER = 64
"""Integer powers beyond are left to other methods."""


class NotRational(Exception):
    """The expression has no form as a rational function in letters (a float, a comparison, too large a power)."""


def is_identity(left: Expr, right: Expr) -> bool:
    """Whether left = right is shown exactly; False says only that it was not shown."""
    try:
        return Letters().vanishes(sp.sympify(left) - sp.sympify(right))
    except NotRational:
        return False


class Letters:
    """Opaque subexpressions, each with its letter; roots come with their radicand."""

    def __init__(self) -> None:
        self._names: dict[Any, sp.Symbol] = {}
        self._roots: list[tuple[sp.Symbol, int, Expr]] = []
        self._shares: dict[Any, int] = {}

    def vanishes(self, expression: Expr) -> bool:
        """Whether the expression is the zero function of its letters."""
        self._collect(expression)
        rewritten = self._rewritten(expression)
        symbols = sorted(rewritten.free_symbols | {s for *_, base in self._roots for s in base.free_symbols}, key=str)
        symbols = sorted({*symbols, *(letter for letter, *_ in self._roots)}, key=str)
        names = tuple(f"x{index}" for index in range(len(symbols))) or ("x0",)
        context = fmpq_mpoly_ctx.get(names, Ordering.lex)
        place = {symbol: index for index, symbol in enumerate(symbols)}
        numerator, _ = _fraction(rewritten, context, place)
        # The last letter met lies outside those met before it: its radicand has no letter that comes later.
        for letter, degree, base in reversed(self._roots):
            numerator = _reduced(numerator, place[letter], degree, _fraction(base, context, place), context)
        return bool(numerator == 0)

    def _collect(self, expression: Expr) -> None:
        """The common denominator of each exponent: e^{m/6} and e^{m/4} are powers of e^{m/12}."""
        for power in expression.atoms(sp.Pow, sp.exp):
            base, exponent = power.as_base_exp()
            for share, term in _terms(exponent):
                if not (base.is_Rational and term == 1):
                    key = (base, term)
                    self._shares[key] = lcm(self._shares.get(key, 1), int(share.q))

    def _rewritten(self, expression: Expr) -> Expr:
        if expression.is_Rational or expression.is_Symbol:
            return expression
        if expression.is_Float:
            raise NotRational(str(expression))
        if expression.is_Add or expression.is_Mul:
            return expression.func(*(self._rewritten(part) for part in expression.args))
        base, exponent = expression.as_base_exp()
        if exponent != 1:
            return self._power(base, exponent)
        return self._letter((expression.func, *map(_canonical, expression.args)))

    def _power(self, base: Expr, exponent: Expr) -> Expr:
        found = sp.Integer(1)
        for share, term in _terms(exponent):
            if term == 1 and share.q == 1:
                if abs(share) > MOST_POWER:
                    raise NotRational(f"{base}**{exponent}")
                found *= self._rewritten(base) ** share
                continue
            parts = self._shares.get((base, term), int(share.q))
            letter = self._root(base, parts) if term == 1 else self._letter(("power", _canonical(base), term, parts))
            count = int(share * parts)
            if abs(count) > MOST_POWER:
                raise NotRational(f"{base}**{exponent}")
            found *= letter**count
        return found

    def _root(self, base: Expr, degree: int) -> sp.Symbol:
        key = ("root", _canonical(base), degree)
        known = key in self._names
        radicand = None if known else self._rewritten(base)
        letter = self._letter(key)
        if not known:
            self._roots.append((letter, degree, radicand))
        return letter

    def _letter(self, key: Any) -> sp.Symbol:
        return self._names.setdefault(key, sp.Dummy(f"letter_{len(self._names)}"))


def _terms(exponent: Expr) -> list[tuple[Expr, Expr]]:
    """An exponent as Σ share · term, shares rational, terms without a rational factor."""
    return [sp.expand(part).as_coeff_Mul(rational=True) for part in sp.Add.make_args(sp.expand(exponent))]


def _canonical(expression: Expr) -> Expr:
    """A form in which equal rational functions are the same."""
    if not isinstance(expression, sp.Expr):
        return expression
    return sp.factor_terms(sp.cancel(sp.together(expression))) if expression.free_symbols else expression


def _fraction(expression: Expr, context: Any, place: dict[Any, int]) -> Fraction:
    """A rational expression as a fraction of polynomials."""
    one = context.constant(1)
    if expression.is_Rational:
        return context.constant(fmpq(int(expression.p), int(expression.q))), one
    if expression.is_Symbol:
        return context.gen(place[expression]), one
    if expression.is_Add:
        return _sum([_fraction(part, context, place) for part in expression.args])
    if expression.is_Mul:
        top, bottom = one, one
        for part in expression.args:
            n, d = _fraction(part, context, place)
            top, bottom = _checked(top * n), _checked(bottom * d)
        return top, bottom
    base, exponent = expression.as_base_exp()
    if not exponent.is_Integer:
        raise NotRational(str(expression))
    n, d = _fraction(base, context, place)
    count = int(exponent)
    return (_checked(n**count), _checked(d**count)) if count >= 0 else (_checked(d**-count), _checked(n**-count))


def _sum(parts: list[Fraction]) -> Fraction:
    """Over the least common denominator, so that polynomials stay small."""
    top, bottom = parts[0]
    for n, d in parts[1:]:
        if d == bottom:
            top = _checked(top + n)
            continue
        common = bottom.gcd(d)
        rest = d / common
        top = _checked(top * rest + n * (bottom / common))
        bottom = _checked(bottom * rest)
    return top, bottom


def _reduced(polynomial: Any, letter: int, degree: int, radicand: Fraction, context: Any) -> Any:
    """The polynomial with the letter's powers below its degree, times a power of the radicand's denominator."""
    by_power: dict[int, dict[tuple[int, ...], Any]] = {}
    for monomial, coefficient in polynomial.to_dict().items():
        powers = list(monomial)
        whole, powers[letter] = divmod(powers[letter], degree)
        by_power.setdefault(whole, {})[tuple(powers)] = coefficient
    most = max(by_power, default=0)
    top, bottom = radicand
    found = context.constant(0)
    for whole, terms in by_power.items():
        found += _checked(context.from_dict(terms) * top**whole * bottom ** (most - whole))
    return found


def _checked(polynomial: Any) -> Any:
    if len(polynomial) > MOST_TERMS:
        raise NotRational("too many terms")
    return polynomial
