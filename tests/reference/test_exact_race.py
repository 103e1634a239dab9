"""The race of discrete Laplace noise has the law of the bridge, in rational arithmetic."""

from __future__ import annotations

import functools
import itertools
import math
from collections import Counter
from fractions import Fraction

import pytest

from nrverify.reference.exact import discrete_laplace as discrete_module

X = Fraction(1, 5)
"""Stands for e^{-1/2}: the identity of laws is one of polynomials in it."""


def exact_law_of_race(k: int, monkeypatch: pytest.MonkeyPatch, race=discrete_module.race, most: int = 6) -> Counter:
    """The law of the code's race from t = 2 to s = 1 with P(G ≥ m) = X^{2·rate·m}, over all draws below `most`."""
    total: Counter = Counter()
    for draws in itertools.product(range(most), repeat=4):
        weight, queue = [Fraction(1)], list(draws)

        def geometric(strings, rate, weight=weight, queue=queue):
            u, m = X ** int(2 * rate), queue.pop(0)
            weight.append((1 - u) * u**m)
            return m

        monkeypatch.setattr(discrete_module, "geometric", geometric)
        y = race(k, Fraction(2), Fraction(1), None)
        if not any(queue):  # draws that the race did not ask for are counted once
            total[y] += math.prod(weight)
    return total


def bayes(j: int, k: int) -> Fraction:
    p_s, p_t = X**2, X
    rho = p_s / (1 - p_s) ** 2 / (p_t / (1 - p_t) ** 2)
    marginal = {p: lambda i, p=p: (1 - p) / (1 + p) * p ** abs(i) for p in (p_s, p_t)}
    return marginal[p_s](j) * (rho * (j == k) + (1 - rho) * marginal[p_t](k - j)) / marginal[p_t](k)


def has_law_of_bridge(total: Counter, k: int) -> bool:
    """Whether every probability of the bridge lies between what was summed for it and that plus what is missing."""
    missing = 1 - sum(total.values())
    assert 0 < missing < X**5
    return all(total[j] <= bayes(j, k) <= total[j] + missing for j in range(-5, 6))


@pytest.mark.parametrize("k", [0, 1, -2])
def test_the_discrete_race_has_the_law_of_the_bridge_in_rational_arithmetic(k, monkeypatch):
    assert abs(sum(bayes(j, k) for j in range(-30, 31)) - 1) < Fraction(1, 10**20)
    assert has_law_of_bridge(exact_law_of_race(k, monkeypatch), k)


def test_rational_arithmetic_rejects_races_with_a_wrong_comparison(monkeypatch):
    def race(x, t, s, strings, strict=False, beyond_at=2):
        geometric = discrete_module.geometric
        reached = geometric(strings, 1 / s - 1 / t) - geometric(strings, 1 / s + 1 / t)
        if reached < x:
            return reached
        beyond, limit = geometric(strings, 1 / s - 1 / t), geometric(strings, beyond_at / t)
        return x + beyond if (beyond < limit if strict else beyond <= limit) else x

    def laws_agree(**wrong):
        return has_law_of_bridge(exact_law_of_race(1, monkeypatch, functools.partial(race, **wrong)), 1)

    assert laws_agree()
    assert not laws_agree(strict=True)
    assert not laws_agree(beyond_at=1)


# Arguments.
