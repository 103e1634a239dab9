"""The checks of independence name shared noise, spare noise that is right, and say what correlation they would catch.

Right noise is refuted with probability at most 6e-8 a test; seeds are fixed.
"""

import numpy as np
import pytest

from nrverify.auditing.noise_reduction.checks.independence import (
    ANY_FORM,
    OF_TWO,
    CoordinateIndependence,
    SessionIndependence,
)
from nrverify.laws.laplace import Laplace
from tests.unit.auditing.noise_reduction.batches import ALPHA, TIMES, batch, brownian, fault, laplace, seen


def mixed(noise, share):
    """Each coordinate with a share of the one before."""
    spoilt = noise.copy()
    for j in range(1, noise.shape[2]):
        spoilt[..., j] = share * noise[..., j - 1] + np.sqrt(1 - share**2) * noise[..., j]
    return spoilt


@pytest.mark.parametrize(
    ("spoil", "found"),
    [
        (lambda noise: noise, None),
        (lambda noise: np.repeat(noise[..., :1], 3, axis=-1), "shared-between-coordinates"),
        (lambda noise: mixed(noise, 0.2), "shared-between-coordinates"),
    ],
)
def test_noise_shared_by_coordinates(spoil, found):
    noise = spoil(brownian(np.random.default_rng(1), d=3))
    assert fault(seen(CoordinateIndependence(), batch(noise))) == found


def one_of_eight_directions(noise):
    """In two dimensions the first release lies in one of eight directions: no correlation, and right sizes."""
    turned = noise.copy()
    eighth = np.pi / 4
    angle = eighth * np.rint(np.arctan2(noise[:, 0, 1], noise[:, 0, 0]) / eighth) + 0.3
    turned[:, 0] = np.hypot(*noise[:, 0].T)[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return turned


def test_two_coordinates_that_depend_on_each_other_without_correlation():
    noise = one_of_eight_directions(brownian(np.random.default_rng(4), d=2))
    check = seen(CoordinateIndependence(), batch(noise))
    assert check.portfolio[OF_TWO].log_e > 100
    assert fault(check) == "shared-between-coordinates"


@pytest.mark.parametrize("d", [2, 3, 4, 7])
def test_no_coordinate_is_in_two_of_the_pairs_whose_bins_are_bet_on(d):
    """The second number of a pair would be known before the next one: its factor would not have mean 1."""
    noise = brownian(np.random.default_rng(6), d=d, sessions=100)
    check = seen(CoordinateIndependence(), batch(noise))
    assert check.portfolio[ANY_FORM].counts.sum() == 100 * (d // 2)


def test_a_coin_shared_by_coordinates():
    rng = np.random.default_rng(2)
    assert fault(seen(CoordinateIndependence(), batch(laplace(rng, d=2), process=Laplace()))) is None
    noise = [rng.laplace(scale=TIMES[-1], size=(2000, 2))]
    for s, t in zip(TIMES[:0:-1], TIMES[-2::-1], strict=True):
        coin = rng.random((2000, 1)) >= (s / t) ** 2
        noise.append(noise[-1] + coin * rng.laplace(scale=t, size=(2000, 2)))
    shared = batch(np.stack(noise[::-1], axis=1), process=Laplace())
    assert fault(seen(CoordinateIndependence(), shared)) == "shared-between-coordinates"


def carried_over(noise):
    spoilt = noise.copy()
    spoilt[1:] = 0.3 * noise[:-1] + np.sqrt(1 - 0.09) * noise[1:]
    return spoilt


@pytest.mark.parametrize(
    ("spoil", "found"),
    [
        (lambda noise: noise, None),
        (carried_over, "shared-between-sessions"),
        (lambda noise: np.concatenate([noise[:1000], noise[:1000]]), "shared-between-sessions"),
        (lambda noise: np.concatenate([noise[:1000], noise[999::-1]]), "shared-between-sessions"),
    ],
)
def test_noise_shared_by_sessions(spoil, found):
    assert fault(seen(SessionIndependence(), batch(spoil(brownian(np.random.default_rng(3)))))) == found


def test_what_goes_on_from_request_to_request_is_not_lost_among_all_sessions():
    rng = np.random.default_rng(4)
    check = seen(SessionIndependence(), *(batch(brownian(rng, sessions=4000)) for _ in range(3)))
    seen(check, batch(carried_over(brownian(rng, sessions=400)), alone=True))
    assert fault(check) == "shared-between-sessions"
    assert "request before" in check.conclude(ALPHA).finding.quantity


@pytest.mark.parametrize("check", [CoordinateIndependence, SessionIndependence])
def test_only_a_correlation_is_said_to_be_caught(check):
    result = seen(check(), batch(brownian(np.random.default_rng(5), d=2))).conclude(ALPHA)
    assert [size.unit for size in result.sizes] == ["correlation"]
    assert "correlation" in result.sizes[0].quantity
