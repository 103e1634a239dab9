"""Checks of finite releases, of grids and of random streams name what is wrong, and spare noise that is right.

Right noise is refuted with probability at most 6e-8 a test; seeds are fixed.
"""

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from nrverify.auditing.core.value_in_clear import BareValues
from nrverify.auditing.noise_reduction.checks.finite import Finite
from nrverify.auditing.noise_reduction.checks.lattice import Integers, Lattice
from nrverify.auditing.noise_reduction.checks.repeated_time import SameAnswer
from nrverify.auditing.noise_reduction.checks.streams import Streams
from nrverify.laws.skellam import Skellam
from tests.unit.auditing.noise_reduction.batches import ALPHA, TIMES, batch, brownian, fault, laplace, seen, skellam


def test_a_release_that_is_not_a_number():
    drawn = batch(brownian(np.random.default_rng(1)))
    assert fault(seen(Finite(), drawn)) is None
    drawn.releases[7, 2] = np.nan
    check = seen(Finite(), drawn)
    assert fault(check) == "not-a-number"
    result = check.conclude(ALPHA)
    assert result.finding.certain
    assert (result.finding.estimate.observed, result.finding.estimate.count) == (1, 8000)


def some_integers(noise):
    spoilt = noise.copy()
    spoilt[::4] = np.round(spoilt[::4])
    return spoilt


def now_and_then(noise):
    spoilt = noise.copy()
    spoilt[::100] = 0.0
    return spoilt


@pytest.mark.parametrize(
    ("spoil", "found"),
    [
        (lambda noise: noise, None),
        (lambda noise: noise.astype(np.float32).astype(float), "single-precision"),
        (lambda noise: np.round(noise + 0.37, 2) - 0.37, "rounded"),
        (np.round, "noise-rounded"),
        (some_integers, "some-noise-rounded"),
        (now_and_then, "value-in-clear"),
        (np.zeros_like, "no-noise"),
    ],
)
def test_releases_on_a_grid_or_without_noise(spoil, found):
    noise = 100 * brownian(np.random.default_rng(2), sessions=600)
    value = {"single-precision": 0.0, "rounded": 0.37}.get(found, np.pi)
    assert fault(seen(Lattice(), batch(spoil(noise), value=value))) == found


def test_counts_that_are_not_integers():
    noise = skellam(np.random.default_rng(3))
    assert fault(seen(Integers(), batch(noise, process=Skellam(1.0), value=2.0))) is None
    assert fault(seen(Integers(), batch(brownian(np.random.default_rng(4)), value=2.0))) == "off-grid"


def test_equal_transcripts_of_different_seeds():
    rng = np.random.default_rng(5)
    noise = brownian(rng)
    assert fault(seen(Streams("brownian"), batch(noise, method="open"), batch(brownian(rng), method="open"))) is None
    again = seen(Streams("brownian"), batch(noise, method="open"), batch(noise, method="open"))
    assert fault(again) in ("equal-transcripts", "seed-ignored")


def test_the_same_noise_at_other_times():
    """Streams of a subject that walks up in time: other times, the same numbers."""
    other = (9.0, 7.0, 3.0, 0.75)
    drawn = [
        batch(brownian(np.random.default_rng(6), times), times, method="open", name=str(times[0]))
        for times in (TIMES, other)
    ]
    check = seen(Streams("brownian"), *drawn)
    assert fault(check) == "seed-ignored"
    assert check.conclude(ALPHA).finding.quantity == "the noise along the walk in growing time"


@pytest.mark.parametrize(
    ("spoil", "found"),
    [
        (lambda z: z, None),
        (lambda z: ndtri((np.floor(ndtr(z) * 2.0**14) + 0.5) / 2.0**14), "few-streams"),
        (lambda z: np.minimum(z, 2.0), "one-number-again"),
    ],
)
def test_last_noises_made_from_few_numbers_or_clipped(spoil, found):
    """The steps to noisier releases are right, so that no two transcripts are the same."""
    z = np.random.default_rng(7).standard_normal((2, 4000, 1))
    last = spoil(z[0])
    noise = np.stack([last + z[1], last], axis=1)
    assert fault(seen(Streams("brownian"), batch(noise, (2.0, 1.0)))) == found


def test_right_noise_whose_numbers_come_again_by_ties_is_spared():
    """Before ties were left out, a fifth of these were refuted; the error of all thirty is at most 30 · 6e-8."""
    rng = np.random.default_rng(21)
    close = tuple(4 * 0.98 ** np.arange(12))
    for _ in range(30):
        assert seen(Lattice(), batch(laplace(rng, close, 400), close, value=1e5)).conclude(6e-8).verdict == "consistent"


def test_a_tie_with_a_bare_release_is_no_second_bare_release():
    noise = np.array([[[1.0], [0.0], [0.0], [0.0]]])
    tied, alone = BareValues(), BareValues()
    tied.add(5.0 + noise, np.array([5.0]), np.ones(4))
    alone.add(5.0 + noise[:, :2], np.array([5.0]), np.ones(2))
    assert alone.log_e > 9
    assert tied.log_e == pytest.approx(alone.log_e, abs=1e-4)


@pytest.mark.parametrize("unit", [1e-4, 1.0, 3e4])
@pytest.mark.parametrize(
    ("bits", "found"),
    [(40, None), (33, None), (27, "rounded"), (20, "rounded"), (10, "rounded")],
)
def test_grids_are_judged_in_units_of_the_noise(unit, bits, found):
    """Releases snapped after the noise: finer than 2^-30 of it nothing is said, whatever the scale."""
    noise = unit * brownian(np.random.default_rng(12), sessions=600)
    grid = 2.0 ** (np.floor(np.log2(unit)) - bits)
    value = unit * np.pi
    snapped = grid * np.round((value + noise) / grid) - value
    assert fault(seen(Lattice(), batch(snapped, value=value))) == found


def test_a_repeated_time_that_moves_by_less_than_a_millionth_of_the_noise_is_advised_against():
    rng = np.random.default_rng(13)
    noise = np.repeat(brownian(rng, times=(4.0,)), 2, axis=1)
    for moved, verdict in ((0.0, "consistent"), (1e-8, "advice"), (1e-4, "refuted")):
        spoilt = noise + moved * rng.standard_normal(noise.shape) * (np.arange(2) == 1)[:, None]
        result = seen(SameAnswer(), batch(spoilt, times=(4.0, 4.0))).conclude(ALPHA)
        assert result.verdict == verdict
