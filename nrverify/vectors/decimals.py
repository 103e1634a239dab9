"""Numbers as decimal strings: exact inputs read, and results written correctly rounded with a certified radius."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from nrverify.vectors.ball import Ball, Uncertain
from nrverify.vectors.case import Exact, Input, Invalid, Written


@dataclass(frozen=True)
class Between:
    """A result known only to lie between two numbers, which no precision brings together."""

    low: Ball
    high: Ball


@dataclass(frozen=True)
class Decimal:
    """|true − value| ≤ radius, both as decimals."""

    value: str
    radius: str


def exact_input(name: str, specification: Input, written: Written) -> Exact | tuple[Exact, ...]:
    """The input the decimals denote; not finite, or no integer where one is asked for, is invalid."""
    if isinstance(written, tuple):
        return tuple(_exact(name, specification, text) for text in written)
    return _exact(name, specification, written)


def _exact(name: str, specification: Input, text: str) -> Exact:
    if text == "inf" and specification.infinite:
        return math.inf
    if text in ("inf", "-inf", "nan"):
        raise Invalid(f"{name} is not finite")
    number = Fraction(text)
    if specification.kind in ("integer", "integers", "bits") and number.denominator != 1:
        raise Invalid(f"{name} is not an integer")
    return number


def decimal(result: Fraction | Ball | Between, digits: int) -> Decimal:
    """The result correctly rounded, with half a unit of its last digit as the radius, or 0 where it is exact."""
    low, high = ends(result)
    if low == high == 0:
        return Decimal("0", "0")
    if low <= 0 <= high:
        raise Uncertain("a ball contains zero")
    rounded, exponent = _rounded(low, digits)
    also, larger = _rounded(high, digits)
    if rounded * Fraction(10) ** exponent != also * Fraction(10) ** larger:
        if isinstance(result, Between):
            return _enclosure(low, high)
        raise Uncertain("a ball contains a midpoint of two decimals")
    if low == high == rounded * Fraction(10) ** exponent:
        return Decimal(text(rounded, exponent), "0")
    return Decimal(text(rounded, exponent), text(5, max(exponent, larger) - 1))


def ends(result: Fraction | Ball | Between) -> tuple[Fraction, Fraction]:
    """The two ends of an enclosure, exactly."""
    if isinstance(result, Between):
        return ends(result.low)[0], ends(result.high)[1]
    if isinstance(result, Fraction | int):
        return Fraction(result), Fraction(result)
    if not result.is_finite():
        raise Uncertain("a ball is not finite")
    middle, radius = (_dyadic(part) for part in (result.mid(), result.rad()))
    return middle - radius, middle + radius


def upper(number: Fraction, digits: int = 2) -> str:
    """The least decimal of so many digits that is not below a number ≥ 0."""
    if number == 0:
        return "0"
    exponent = magnitude(number) - digits + 1
    return text(math.ceil(number / Fraction(10) ** exponent), exponent)


def magnitude(number: Fraction) -> int:
    """⌊log₁₀|number|⌋, for a number other than 0."""
    size = abs(number)
    guess = len(str(size.numerator)) - len(str(size.denominator))
    return guess if size >= Fraction(10) ** guess else guess - 1


def text(whole: int, exponent: int) -> str:
    """whole·10^exponent: plain where that is short, otherwise with an exponent."""
    sign, figures = ("-" if whole < 0 else ""), str(abs(whole))
    shift = exponent + len(figures) - len(figures.rstrip("0"))
    figures = figures.rstrip("0") or "0"
    point = len(figures) + shift
    if 0 < point <= 21:
        padded = figures.ljust(point, "0")
        plain = padded[:point] + ("." + padded[point:] if len(padded) > point else "")
        return sign + plain
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{figures}"
    mantissa = figures[0] + ("." + figures[1:] if len(figures) > 1 else "")
    return f"{sign}{mantissa}e{point - 1}"


def _dyadic(number: Ball) -> Fraction:
    mantissa, exponent = number.man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def _rounded(number: Fraction, digits: int) -> tuple[int, int]:
    """(whole, exponent) of the nearest decimal with so many digits."""
    exponent = magnitude(number) - digits + 1
    return round(number / Fraction(10) ** exponent), exponent


def _enclosure(low: Fraction, high: Fraction) -> Decimal:
    width = (high - low) / 2
    value, exponent = _rounded((low + high) / 2, magnitude(low) - magnitude(width) + 3)
    middle = value * Fraction(10) ** exponent
    return Decimal(text(value, exponent), upper(max(high - middle, middle - low)))
