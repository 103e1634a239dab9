"""Crossing probabilities of Skellam noise: against jumps one by one, however rare, and in bounded time and memory."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import poisson, skellam

from nrverify.auditing.boundary import skellam_enclosure as enclosure
from nrverify.auditing.boundary.skellam_enclosure import _absorbed, _affordable, _Barrier, _exponent, first_above
from nrverify.laws.special.bessel import log_ratio
from tests.unit.auditing.boundary.host import CurveHost, drawer

LOWEST, HIGHEST = -500, 500
MOST_JUMPS = 1000
"""Of the second derivation: what it leaves out is rarer than e⁻⁷⁰⁰."""


def met(stretches):
    """P(the walk is at or above its barrier at some time): jumps up and down at rate 1 in all, one after the other.

    Sums of products that are not negative, so that no digits are lost where the probability is small.
    """
    walk, found, now = np.zeros(HIGHEST - LOWEST + 1), 0.0, 0.0
    walk[-LOWEST] = 1.0
    for start, end, barrier in [(0.0, stretches[0][0], HIGHEST), *stretches]:
        top = int(barrier) - LOWEST
        found, walk[top:] = found + walk[top:].sum(), 0.0
        counts = np.arange(MOST_JUMPS)
        later, gone = np.zeros_like(walk), 0.0
        for weight in poisson.pmf(counts, end - start):
            later, found = later + weight * walk, found + weight * gone
            walk = 0.5 * (np.concatenate([walk[1:], [0.0]]) + np.concatenate([[0.0], walk[:-1]]))
            gone, walk[top:] = gone + walk[top:].sum(), 0.0
        walk, now = later, end
    assert now == stretches[-1][1]
    return found


def absorbed(stretches):
    heights, ends = np.array([barrier for *_, barrier in stretches]), np.array([end for _, end, _ in stretches])
    rarest = float(_exponent(heights, ends).min()) + enclosure.RAREST
    return _absorbed([_Barrier(*stretch, stretch[-1]) for stretch in stretches], rarest, lowest=True)


@pytest.mark.parametrize(
    "stretches",
    [
        [(2.0, 10.0, 12)],
        [(0.5, 3.0, 4), (3.0, 3.5, 7), (3.5, 20.0, 9), (20.0, 21.0, 8)],
        [(2.0, 10.0, 60), (10.0, 12.0, 61)],
        [(1.0, 30.0, 110)],
        [(1.0, 5.0, 170), (5.0, 9.0, 171)],
    ],
    ids=["one", "up-and-down", "1e-41", "1e-61", "1e-200"],
)
def test_a_barrier_is_met_as_often_as_by_jumps_one_by_one_however_rarely(stretches):
    assert absorbed(stretches) == pytest.approx(met(stretches), rel=1e-7)


def far_above(count):
    """A barrier that is met at first, and is far above in all of many stretches but the last."""
    edges = np.linspace(100.0, 200.0, count + 1)
    return [(a, b, 75.0 if a == 100 or b == 200 else 50_000.0) for a, b in itertools.pairwise(edges)]


def test_what_never_arrives_takes_no_room_and_its_loss_does_not_show(monkeypatch):
    sizes, watched, negligible = [], enclosure._watched, enclosure._negligible

    def counted(masses, *rest):
        sizes.append(masses.size)
        return watched(masses, *rest)

    monkeypatch.setattr(enclosure, "_watched", counted)
    found, largest = absorbed(far_above(400)), max(sizes)
    sizes.clear()
    monkeypatch.setattr(enclosure, "_negligible", lambda masses, crossed: 0)
    assert found == pytest.approx(absorbed(far_above(400)), rel=1e-6)
    assert max(sizes) > 10 * largest  # without the cut
    sizes.clear()
    below = iter(range(10**6))
    monkeypatch.setattr(
        enclosure, "_negligible", lambda masses, crossed: 0 if next(below) % 2 else negligible(masses, crossed)
    )
    absorbed(far_above(400))
    assert max(sizes) > 5 * largest  # with a cut below alone
    assert largest < 2 * 30 * math.sqrt(200)  # thirty standard deviations


def curve(psi, interval, **attributes):
    """The enclosure of a curve in this process."""
    from nrverify.auditing.boundary.queries import Asker

    asker = Asker(drawer(CurveHost(psi, process="skellam", interval=interval, **attributes)))
    times = np.geomspace(*interval, 600)
    rate = attributes.get("rate", 1.0)
    return enclosure.skellam_enclosure(asker, 1, rate, (times, asker.epsilon(times)))


def allowing(height):
    """The ψ that allows integers below this one."""
    return lambda t: float(log_ratio(height - 1, height, 2 * t)) * (1 + 1e-9)


def test_a_crossing_rarer_than_any_jump_that_used_to_be_followed_is_found():
    assert first_above(np.array([allowing(110)(15.0)]), np.array([30.0]), 1)[0] == 110
    found = curve(allowing(110), (0.5, 15.0), delta=1e-70)
    expected = met([(1.0, 30.0, 110)])
    assert found.low <= expected <= found.high <= 1.01 * expected
    assert expected == pytest.approx(1.345e-61, rel=1e-3)


def test_noise_of_too_many_values_is_bounded_from_one_look_and_by_a_union_bound():
    found = curve(lambda t: math.sqrt(30 / (2e6 * t)), (1.0, 1e4), rate=1e6)
    mu = 2e6 * found.at
    height = first_above(np.array([math.sqrt(30 / mu)]), np.array([mu]), 1)[0]
    look = skellam.sf(height - 1, mu / 2, mu / 2)
    assert found.low == pytest.approx(look, rel=1e-3)
    assert look < found.high
    assert "a variance of 2e+10" in found.why


def test_what_is_too_much_is_known_before_it_is_begun():
    assert _affordable([_Barrier(1.0, 1e4, 700.0, 700.0)], 80.0)
    assert not _affordable([_Barrier(1e14, 1.0000001e14, 1e8, 1e8)], 80.0)  # memory
    assert not _affordable([_Barrier(1e8 + i, 1e8 + i + 1e5, 1e5, 1e5) for i in range(0, 10**8, 10**5)], 80.0)  # time


def test_the_first_loss_above_is_found_where_integers_are_no_longer_all_doubles():
    """By symmetry the loss of X = −Δ/2 is 0; around it, Δ is so large, the loss passes every ε at once."""
    found = first_above(np.array([1.0, 5.0]), np.array([10.0, 300.0]), 10**30)
    assert found == pytest.approx(-5e29, rel=1e-12)
