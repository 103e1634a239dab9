"""The law of a threshold mechanism in closed form: piecewise sums of y^k e^{ry}, carried through the rounds as balls.

Serves Algorithm rat: the sub-density of the threshold noise ζ_n on {no halt before round n} is such a sum between the
margins and 0, and the reverse kernel of the Laplace process maps such sums to such sums. Rates are exact rationals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import arb, fmpq

from nrverify.ledger.enclosure import Ball

Terms = dict[tuple[Fraction, int], Ball]
"""coefficient · y^power · e^{rate·y}, by (rate, power)."""

ZERO = Fraction(0)


def ball(number: Fraction) -> Ball:
    """The rational number as a ball."""
    return arb(fmpq(number.numerator, number.denominator))


def plus(left: Terms, right: Terms) -> Terms:
    """The sum of two such functions."""
    total = dict(left)
    for term, coefficient in right.items():
        total[term] = total.get(term, arb(0)) + coefficient
    return total


def times(left: Terms, right: Terms) -> Terms:
    """Their product."""
    total: Terms = {}
    for (r, j), a in left.items():
        for (s, k), b in right.items():
            total[r + s, j + k] = total.get((r + s, j + k), arb(0)) + a * b
    return total


def primitive(terms: Terms) -> Terms:
    """An antiderivative, by parts: ∫ y^k e^{ry} = y^k e^{ry}/r − (k/r)∫ y^{k−1} e^{ry}."""
    total: Terms = {}
    for (rate, power), coefficient in terms.items():
        if rate == 0:
            total = plus(total, {(rate, power + 1): coefficient / (power + 1)})
            continue
        for k in range(power, -1, -1):
            coefficient = coefficient / ball(rate)
            total = plus(total, {(rate, k): coefficient})
            coefficient = -coefficient * k
    return total


def value(terms: Terms, at: Fraction | None) -> Ball:
    """The value at a point; 0 at an infinite end, where every integrable sum vanishes."""
    if at is None:
        return arb(0)
    return sum((a * ball(at) ** power * ball(rate * at).exp() for (rate, power), a in terms.items()), arb(0))


@dataclass(frozen=True)
class Line:
    """The line cut at 0 and at the margins; a function is one `Terms` for each piece."""

    breaks: tuple[Fraction, ...]

    @property
    def ends(self) -> list[tuple[Fraction | None, Fraction | None]]:
        """(lower, upper) of each piece, None for an infinite end."""
        return list(zip((None, *self.breaks), (*self.breaks, None), strict=True))

    def by_side(self, centre: Fraction, left: Terms, right: Terms) -> list[Terms]:
        """One function left of the centre and another right of it."""
        return [left if upper is not None and upper <= centre else right for _, upper in self.ends]

    def decay(self, rate: Fraction) -> list[Terms]:
        """e^{−rate·|y|}."""
        return self.by_side(ZERO, {(rate, 0): arb(1)}, {(-rate, 0): arb(1)})

    def cdf(self, margin: Fraction, scale: Fraction) -> list[Terms]:
        """P(margin + Lap(scale) < y)."""
        rising = {(1 / scale, 0): ball(-margin / scale).exp() / 2}
        settling = {(ZERO, 0): arb(1), (-1 / scale, 0): -ball(margin / scale).exp() / 2}
        return self.by_side(margin, rising, settling)

    def survival(self, margin: Fraction, scale: Fraction) -> list[Terms]:
        """P(margin + Lap(scale) ≥ y)."""
        settling = {(ZERO, 0): arb(1), (1 / scale, 0): -ball(-margin / scale).exp() / 2}
        falling = {(-1 / scale, 0): ball(margin / scale).exp() / 2}
        return self.by_side(margin, settling, falling)

    def integral(self, function: Sequence[Terms]) -> Ball:
        """∫ over the whole line."""
        return sum(self._parts(function), arb(0))

    def _parts(self, function: Sequence[Terms]) -> list[Ball]:
        return [
            value(primitive(terms), upper) - value(primitive(terms), lower)
            for terms, (lower, upper) in zip(function, self.ends, strict=True)
        ]

    def before(self, function: Sequence[Terms]) -> list[Terms]:
        """y ↦ ∫_{−∞}^y."""
        so_far, result = arb(0), []
        for terms, part, (lower, _) in zip(function, self._parts(function), self.ends, strict=True):
            inner = primitive(terms)
            result.append(plus(inner, {(ZERO, 0): so_far - value(inner, lower)}))
            so_far += part
        return result

    def after(self, function: Sequence[Terms]) -> list[Terms]:
        """y ↦ ∫_y^∞."""
        so_far, result = arb(0), []
        for terms, part, (_, upper) in reversed(
            list(zip(function, self._parts(function), self.ends, strict=True)),
        ):
            inner = primitive(terms)
            rest = {term: -coefficient for term, coefficient in inner.items()}
            result.append(plus(rest, {(ZERO, 0): so_far + value(inner, upper)}))
            so_far += part
        return result[::-1]


def product(*functions: Sequence[Terms]) -> list[Terms]:
    """The pointwise product."""
    first, *others = functions
    result = list(first)
    for other in others:
        result = [times(x, y) for x, y in zip(result, other, strict=True)]
    return result


def scaled(function: Sequence[Terms], factor: Fraction) -> list[Terms]:
    """factor · function."""
    return [{term: ball(factor) * coefficient for term, coefficient in terms.items()} for terms in function]


def rewound(line: Line, density: Sequence[Terms], s: Fraction, t: Fraction) -> list[Terms]:
    """The sub-density of Z_s from that of Z_t, s < t, by the reverse kernel of the Laplace process.

    Atom (s/t)e^{−|z|(1/s−1/t)} at z, and around it (1−s²/t²)(1/2s)e^{−|y|/s − |z−y|/t + |z|/t}.
    """
    tilted = product(density, line.decay(-1 / t))
    rise, fall = ([{(sign / t, 0): arb(1)} for _ in line.ends] for sign in (Fraction(1), Fraction(-1)))
    from_left = product(line.before(product(tilted, rise)), fall)
    from_right = product(line.after(product(tilted, fall)), rise)
    around = [plus(x, y) for x, y in zip(from_left, from_right, strict=True)]
    moved = scaled(product(around, line.decay(1 / s)), (1 - s * s / (t * t)) / (2 * s))
    stayed = scaled(product(density, line.decay(1 / s - 1 / t)), s / t)
    return [plus(x, y) for x, y in zip(moved, stayed, strict=True)]


def halting_balls(
    margins: Sequence[Fraction], threshold_scales: Sequence[Fraction], query_scales: Sequence[Fraction]
) -> list[Ball]:
    """P(N = 1), …, P(N = n), P(N > n) when round n halts at a_n + Lap(c_n) ≥ Z_{b_n}, enclosed."""
    line = Line(tuple(sorted({*margins, ZERO})))
    t = threshold_scales[0]
    density = scaled(line.decay(1 / t), 1 / (2 * t))
    law = []
    for a, s, c in zip(margins, threshold_scales, query_scales, strict=True):
        if s < t:
            density = rewound(line, density, s, t)
            t = s
        law.append(line.integral(product(density, line.survival(a, c))))
        density = product(density, line.cdf(a, c))
    return [*law, line.integral(density)]
