"""Noise that two coordinates or sessions have in common to the last digits is refuted, however rare.

Right noise is refuted with probability at most 6e-8 a test; seeds are fixed.
"""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom

from nrverify.auditing.core.coincidences import CHANCE, Coincidences, comparable, folded, in_one_release
from nrverify.auditing.core.transforms.rosenblatt import innovations
from nrverify.auditing.noise_reduction.checks.independence import CoordinateIndependence, SessionIndependence
from nrverify.auditing.noise_reduction.checks.integers.equal_paths import equal_paths
from nrverify.auditing.noise_reduction.checks.ties import NoTies
from nrverify.auditing.noise_reduction.unknown_times.coordinate_signs import UnknownCoordinates
from nrverify.laws.laplace import Laplace
from nrverify.laws.skellam import Skellam
from tests.unit.auditing.noise_reduction.batches import TIMES, batch, brownian, fault, laplace, seen, skellam


def test_the_tail_is_binomial():
    found = Coincidences()
    found.add(3, 100_000)
    assert found.p_value == pytest.approx(binom.sf(2, 100_000, CHANCE), rel=1e-9)


def rarely(noise, spoil, share=0.01, seed=7):
    """The noise with a share of its sessions spoilt."""
    some = np.random.default_rng(seed).random(len(noise)) < share
    spoilt = noise.copy()
    spoilt[some] = spoil(noise[some])
    return spoilt


def copied(source, target, sign=1.0):
    def spoil(noise):
        spoilt = noise.copy()
        spoilt[..., target] = sign * noise[..., source]
        return spoilt

    return spoil


@pytest.mark.parametrize(("source", "target", "sign"), [(0, 1, 1.0), (0, 2, 1.0), (1, 2, -1.0)])
@pytest.mark.parametrize("draw", [brownian, laplace, skellam])
def test_one_session_in_a_hundred_is_refuted_within_five_hundred(draw, source, target, sign):
    process = {laplace: Laplace(), skellam: Skellam(1.0)}.get(draw)
    times = (800.0, 400.0, 100.0, 30.0) if draw is skellam else TIMES
    noise = draw(np.random.default_rng(1), times=times, sessions=500, d=3)
    check = CoordinateIndependence(process if draw is skellam else None)
    assert fault(seen(check.empty_copy(), batch(noise, times, process, value=37.0))) is None
    spoilt = rarely(noise, copied(source, target, sign))
    assert fault(seen(check, batch(spoilt, times, process, value=37.0))) == "shared-between-coordinates"


def test_sixteen_coordinates_are_compared_pair_by_pair():
    noise = brownian(np.random.default_rng(2), sessions=500, d=16)
    assert fault(seen(CoordinateIndependence(), batch(rarely(noise, copied(0, 15))))) == "shared-between-coordinates"
    assert fault(seen(CoordinateIndependence(), batch(noise))) is None


def test_a_later_release_alone_that_is_copied():
    def last(noise):
        spoilt = noise.copy()
        spoilt[:, -1, 1] = noise[:, -1, 0]
        return spoilt

    noise = rarely(brownian(np.random.default_rng(3), d=2), last)
    assert fault(seen(CoordinateIndependence(), batch(noise))) == "shared-between-coordinates"


def test_a_number_used_again_by_the_next_session_in_another_coordinate():
    numbers = np.random.default_rng(4).standard_normal((401, 1, 2))
    numbers[1:, :, 0] = numbers[:-1, :, 1]
    assert fault(seen(SessionIndependence(), batch(2 * numbers, times=(4.0,)))) == "shared-between-sessions"
    fresh = np.random.default_rng(4).standard_normal((401, 1, 2))
    assert fault(seen(SessionIndependence(), batch(2 * fresh, times=(4.0,)))) is None


def test_noise_that_its_grid_of_doubles_makes_equal_is_not_compared():
    noise = brownian(np.random.default_rng(5), sessions=300, d=3)
    value = 2.0**40
    rounded = (value + noise) - value
    scale = np.full(noise.shape, 2 * value)
    assert not comparable(rounded, scale).any()


def test_chance_hits_are_as_rare_as_granted():
    rng = np.random.default_rng(6)
    noise = rng.standard_normal((200_000, 1, 8))
    one = batch(noise, times=(1.0,))
    scores = folded(one.innovations, comparable(noise, np.abs(noise)) & one.innovations.present)
    hits, pairs = in_one_release(scores)
    # 5.6 million pairs: 1.3 hits expected of the window, 5.3 granted; more than 14 with probability 1e-9.
    assert pairs == 200_000 * 28
    assert hits <= 14


def test_the_probability_of_an_equal_path_is_that_of_the_path_and_its_mirror_image():
    noise = skellam(np.random.default_rng(8), times=(2.0, 1.0), sessions=50, d=2)
    times, rng = np.tile((2.0, 1.0), (50, 1)), np.random.default_rng(9)
    found = innovations(Skellam(1.0), noise, times, np.abs(noise), rng, integer=True)
    happened, probability = equal_paths(noise, found.log_weight)
    last, step = noise[:, 1, 0], noise[:, 0, 0] - noise[:, 1, 0]
    # In growing time the path has independent steps, of time 1 each.
    walked = np.exp(Skellam(1.0).marginal(1.0).logpdf(last) + Skellam(1.0).marginal(1.0).logpdf(step))
    expected = walked * np.where((last == 0) & (step == 0), 1.0, 2.0)
    assert probability[:, 0] == pytest.approx(expected, rel=1e-9)
    same = (noise[..., 0] == noise[..., 1]).all(axis=1) | (noise[..., 0] == -noise[..., 1]).all(axis=1)
    assert (happened[:, 0] == same).all()


@pytest.mark.parametrize("end", [0, -1])
def test_sizes_two_coordinates_apart_are_compared_where_times_are_not_known(end):
    rng = np.random.default_rng(9)
    noise = rng.laplace(size=(500, 3, 3))
    unknown = replace(batch(noise, times=(1.0, 2.0, 3.0)), times=None, innovations=None)
    assert fault(seen(UnknownCoordinates(), unknown)) is None

    def spoil(some):
        spoilt = some.copy()
        spoilt[:, end, 2] = -some[:, end, 0]
        return spoilt

    shared = replace(batch(rarely(noise, spoil, share=0.03), times=(1.0, 2.0, 3.0)), times=None, innovations=None)
    assert fault(seen(UnknownCoordinates(), shared)) == "shared-between-coordinates"


def test_a_release_that_is_the_first_one_again():
    noise = brownian(np.random.default_rng(10))
    assert fault(seen(NoTies(), batch(noise))) is None

    def spoil(some):
        spoilt = some.copy()
        spoilt[:, -1] = some[:, 0]
        return spoilt

    assert fault(seen(NoTies(), batch(rarely(noise, spoil)))) == "repeated-release"
