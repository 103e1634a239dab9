"""The loss of Laplace noise in several coordinates: a sum of independent losses, by exact closed forms in balls.

With a = |shift|/time the loss of one coordinate is e^{l/2}ν(dl), where ν = (e^{-a/2}/4)(2δ_a + 2δ_{-a} + 1_(-a,a)dl) is
symmetric and has the transform (e^{-a/2}/4)(e^{az}(2 + 1/z) + e^{-az}(2 - 1/z)). Products of these, times that of
sinh(u/2) (hockey-stick) or e^{u/2} (loss tail), are sums over the signs of the coordinates. With n minus signs and
u = Σa - ε - 2Σ(a of the minus signs) > 0,

    H(ε) = 2·4^{-d} e^{-u₀/2} Σ K_n(u),   K_n ↔ 2^{d-1} (z+½)^{d-n-1} (z-½)^{n-1} / z^d,
    P(L > ε) = 4^{-d} e^{-u₀/2} Σ M_n(u),  M_n ↔ 2^d (z+½)^{d-n} (z-½)^{n-1} / z^d,      u₀ = Σa - ε,

polynomials in u but for n = 0, which adds e^{u/2}. They cancel, so they are evaluated in balls of growing precision.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from nrverify.laws.divergence.exact_gaps import gaps
from nrverify.laws.validation.times import Floats

_LARGEST_WORK = 40_000_000
"""Sign patterns times coordinates squared: a few seconds for one ε."""
_BITS = 60
"""Relative accuracy asked of the ball: beyond the 53 bits of a double, so that its middle is correct to rounding."""
_MOST_BITS = 2**17
"""Ten doublings from the start: reached only where terms cancel to e^(−90,000); it bounds the time of a hopeless
sum."""


class LaplaceLosses:
    """The pair of Laplace laws with the given |shifts|, all above 0."""

    def __init__(self, sizes: list[float], time: float) -> None:
        self.sizes, self.time = sizes, time

    def hockey_stick(self, epsilons: Floats) -> Floats:
        if len(self.sizes) == 1:
            gap = gaps(np.asarray(self.sizes[0]), epsilons, self.time)
            return np.asarray(-np.expm1(-np.maximum(gap, 0.0) / self.time / 2))
        return np.array([self._sum(Fraction(epsilon), tail=False) for epsilon in epsilons.tolist()])

    def loss_tail(self, epsilons: Floats) -> Floats:
        if len(self.sizes) == 1:
            gap = gaps(np.asarray(self.sizes[0]), epsilons, self.time)
            certain = gaps(np.asarray(-self.sizes[0]), epsilons, self.time) > 0
            inner = 1 - 0.5 * np.exp(-np.maximum(gap, 0.0) / self.time / 2)
            return np.where(certain, 1.0, np.where(gap > 0, inner, 0.0))
        return np.array([self._sum(Fraction(epsilon), tail=True) for epsilon in epsilons.tolist()])

    def _sum(self, epsilon: Fraction, tail: bool) -> float:
        scale, total = Fraction(self.time), sum(map(Fraction, self.sizes), Fraction(0))
        largest = total - epsilon * scale
        if largest <= 0:
            return 0.0
        if tail and -total > epsilon * scale:
            return 1.0
        groups = sorted(Counter(map(Fraction, self.sizes)).items())
        places: dict[int, list[tuple[int, Fraction]]] = {}
        for minus, weight, rest in _patterns(groups, largest, len(self.sizes)):
            places.setdefault(minus, []).append((weight, rest / scale))
        return _in_balls(places, len(self.sizes), tail)


def _patterns(
    groups: list[tuple[Fraction, int]], largest: Fraction, dimension: int
) -> Iterator[tuple[int, int, Fraction]]:
    """(minus signs, how many patterns, time·u) for all patterns of signs with u > 0."""
    budget = _LARGEST_WORK // dimension**2
    stack: list[tuple[int, int, int, Fraction]] = [(0, 0, 1, largest)]
    while stack:
        index, minus, weight, rest = stack.pop()
        if index == len(groups):
            budget -= 1
            if budget < 0:
                raise ValueError(
                    f"shift has {len(groups)} different sizes in {dimension} coordinates, which must not need more "
                    f"than {_LARGEST_WORK // dimension**2} patterns of signs; use equal sizes or fewer coordinates"
                )
            yield minus, weight, rest
            continue
        size, count = groups[index]
        for chosen in range(count + 1):
            left = rest - 2 * chosen * size
            if left <= 0:
                break
            stack.append((index + 1, minus + chosen, weight * math.comb(count, chosen), left))


def _in_balls(places: dict[int, list[tuple[int, Fraction]]], dimension: int, tail: bool) -> float:
    """The sum of all patterns, in balls of doubled precision until it is certified to 2^-60."""
    from flint import arb, arb_poly, ctx, fmpq

    before, bits = ctx.prec, 128 + 4 * dimension
    exact = {n: [(w, fmpq(u.numerator, u.denominator)) for w, u in where] for n, where in places.items()}
    largest = exact[0][0][1]
    try:
        while bits <= _MOST_BITS:
            ctx.prec = bits
            half = (arb(largest) / 2).exp()
            total = arb(4) ** dimension * half / (1 if tail else 2)
            for minus, where in exact.items():
                kernel = arb_poly(_kernel(dimension, minus, tail))
                for weight, u in where:
                    total += weight * kernel(arb(u))
            total = total / half / arb(4) ** dimension * (1 if tail else 2)
            if total.rel_accuracy_bits() >= _BITS:
                return float(total.mid())
            bits *= 2
    finally:
        ctx.prec = before
    raise ValueError(
        f"shift has {dimension} coordinates: the sum needs more than {_MOST_BITS} bits; use fewer coordinates"
    )


@lru_cache(maxsize=512)
def _kernel(dimension: int, minus: int, tail: bool) -> Any:
    """Coefficients in u of K_n or M_n, without the term in e^{u/2} of n = 0 (A e^{u/2}, A = 4^d/2 or 4^d).

    The transform is N(z)/z^d, or for n = 0 N(z)/((z-½)z^d), 1/(z-½) = -2Σ(2z)^m at z = 0; z^{-k} ↔ u^{k-1}/(k-1)!.
    """
    from flint import fmpq, fmpq_poly

    half = fmpq(1, 2)
    plus = dimension - minus - (0 if tail else 1)
    numerator = fmpq_poly([half, 1]) ** plus * fmpq(2) ** (dimension - (0 if tail else 1))
    if minus:
        numerator *= fmpq_poly([-half, 1]) ** (minus - 1)
    transformed = [numerator[j] for j in range(dimension)]
    if minus == 0:
        running, summed = fmpq(0), []
        for coefficient in transformed:
            running = 2 * running + coefficient
            summed.append(-2 * running)
        transformed = summed
    return fmpq_poly([transformed[dimension - 1 - power] / math.factorial(power) for power in range(dimension)])
