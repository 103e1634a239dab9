"""The sources of exact randomness: strings on a tape, coins and geometric draws, enumerated bit by bit."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp

from nrverify.reference.exact import bits, coins, discrete_laplace

BUDGET = 14
"""Bits enumerated: at most 2^15 runs."""

OPEN = Fraction(1, 10)
"""The most that may be undecided after BUDGET bits; it widens the interval a probability is shown to lie in."""


class NoMoreBits(Exception):
    """The enumerated string is read to its end."""


class GivenBits:
    """The bits of one finite string, one at a time."""

    def __init__(self, string: tuple[int, ...]) -> None:
        self._rest = iter(string)

    def getrandbits(self, k: int) -> int:
        assert k == 1
        for bit in self._rest:
            return bit
        raise NoMoreBits


def enumerated(run: Callable[[bits.Stream], object], budget: int = BUDGET) -> tuple[Counter, Fraction]:
    """The exact mass of every outcome decided by at most `budget` bits, and the mass not yet decided."""
    decided: Counter = Counter()
    undecided = Fraction(0)
    open_strings: list[tuple[int, ...]] = [()]
    while open_strings:
        string = open_strings.pop()
        mass = Fraction(1, 2 ** len(string))
        try:
            decided[run(bits.Stream(GivenBits(string), word=1, ahead=1))] += mass
        except NoMoreBits:
            if len(string) < budget:
                open_strings += [(*string, 0), (*string, 1)]
            else:
                undecided += mass
    return decided, undecided


def bracketed(decided: Counter, undecided: Fraction, pmf: Callable[[int], mp.mpf], outcomes: range) -> bool:
    """Whether every probability lies between what is decided for it and that plus what is open."""
    lower = {j: Fraction(decided[j]) for j in outcomes}
    return all(_real(lower[j]) <= pmf(j) <= _real(lower[j] + undecided) for j in outcomes)


def _real(x: Fraction) -> mp.mpf:
    return mp.mpf(x.numerator) / x.denominator


@given(st.integers(0, 2**32), st.lists(st.tuples(st.integers(0, 7), st.integers(1, 3000)), max_size=20))
@settings(max_examples=40, deadline=None)
def test_a_string_of_the_tape_does_not_depend_on_what_else_was_read(seed, reads):
    straight, mixed = ([tape.string() for _ in range(8)] for tape in (bits.Tape(random.Random(seed)) for _ in "ab"))
    for index, length in reads:
        mixed[index].first(length)
    assert [s.first(500) for s in mixed] == [s.first(500) for s in straight]


def test_every_bit_of_the_tape_belongs_to_one_string():
    class Numbered:
        """The n-th slot holds the number n."""

        def __init__(self) -> None:
            self.widths: list[int] = []

        def getrandbits(self, k: int) -> int:
            self.widths.append(k)
            return len(self.widths)

    source = Numbered()
    tape = bits.Tape(source)
    first, second = 128, 128 * 16
    slots = []
    for string in [tape.string() for _ in range(20)]:
        digits = string.first(first + second)
        slots += [digits >> second, digits & (2**second - 1)]
    assert len(set(slots)) == 40
    assert set(range(1, 22)) <= set(slots)
    assert source.widths[:17] == [first] * 15 + [second, first]
    assert source.widths[255] == 128 * 256


def test_the_first_digits_begin_all_longer_ones():
    digits = bits.Tape(random.Random(3)).string()
    long = digits.first(333)
    assert all(digits.first(n) == long >> (333 - n) for n in (1, 63, 64, 65, 200))


@pytest.mark.parametrize("probability", [Fraction(1, 2), Fraction(1, 3), Fraction(5, 7), Fraction(0), Fraction(1)])
def test_a_coin_has_its_rational_probability(probability):
    decided, undecided = enumerated(
        lambda stream: coins.coin(stream.string(), probability.numerator, probability.denominator)
    )
    assert undecided <= Fraction(1, 2**BUDGET)
    assert decided[True] <= probability <= decided[True] + undecided


@pytest.mark.parametrize("count", [1, 2, 3, 5, 8])
def test_a_uniform_integer_has_equal_probabilities(count):
    decided, undecided = enumerated(lambda stream: coins.below(stream.string(), count))
    assert set(decided) == set(range(count))
    assert undecided <= Fraction(count, 2**BUDGET)
    assert all(decided[j] <= Fraction(1, count) <= decided[j] + undecided for j in range(count))


@pytest.mark.parametrize(("a", "b"), [(0, 1), (1, 3), (1, 2), (1, 1)])
def test_an_exponential_coin_has_probability_exp_of_minus_its_rate(a, b):
    decided, undecided = enumerated(lambda stream: coins.exponential_coin(stream, a, b))
    heads = mp.exp(-mp.mpf(a) / b)
    assert undecided < OPEN
    assert bracketed(decided, undecided, lambda j: heads if j else 1 - heads, range(2))


@pytest.mark.parametrize("rate", [Fraction(1), Fraction(2), Fraction(1, 2), Fraction(3, 2)])
def test_a_geometric_draw_has_its_law(rate):
    decided, undecided = enumerated(lambda stream: coins.geometric(stream, rate))
    u = mp.exp(-mp.mpf(rate.numerator) / rate.denominator)
    assert undecided < OPEN
    assert bracketed(decided, undecided, lambda m: (1 - u) * u**m, range(4))


def test_the_enumeration_rejects_a_geometric_draw_that_accepts_every_remainder():
    def hasty(strings: bits.Strings, rate: Fraction) -> int:
        u, v = coins.below(strings.string(), rate.denominator), 0
        while coins.exponential_coin(strings, 1, 1):
            v += 1
        return (u + rate.denominator * v) // rate.numerator

    decided, undecided = enumerated(lambda stream: hasty(stream, Fraction(1, 2)))
    u = mp.exp(-mp.mpf(1) / 2)
    assert not bracketed(decided, undecided, lambda m: (1 - u) * u**m, range(4))


def test_discrete_laplace_noise_has_its_law_bit_by_bit():
    decided, undecided = enumerated(lambda stream: discrete_laplace.first_noise(stream, Fraction(1, 2)), 15)
    p = mp.exp(-2)
    assert undecided < OPEN
    assert bracketed(decided, undecided, lambda j: (1 - p) / (1 + p) * p ** abs(j), range(-2, 3))


def test_a_numpy_generator_gives_as_many_bits_as_asked_for():
    source = bits.source(np.random.default_rng(5))
    draws = [source.getrandbits(13) for _ in range(400)]
    assert max(draws) < 2**13
    assert max(draws) > 2**12
    assert min(draws) < 2**9


def test_the_default_source_is_the_operating_systems():
    assert isinstance(bits.source(None), random.SystemRandom)


@pytest.mark.parametrize("wrong", [7, "seed", object()])
def test_a_source_without_bits_is_refused(wrong):
    with pytest.raises(ValueError, match=r"^bits is .*: it must be None or have a method getrandbits"):
        bits.source(wrong)
