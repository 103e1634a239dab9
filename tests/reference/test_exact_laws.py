"""Exact mechanisms against the laws, and the wrong variants that these tests reject.

Statistical tests reject a true law with probability at most 1e-9 each (`law`, conftest.py); the seeds are fixed.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import pytest

from nrverify.laws.brownian import Brownian
from nrverify.laws.discrete_laplace import DiscreteLaplace
from nrverify.laws.laplace import Laplace
from nrverify.reference.exact import ExactBrownian, ExactDiscreteLaplace, ExactLaplace
from nrverify.reference.exact import laplace as laplace_module
from nrverify.reference.exact.lazy_reals import Recursion, rational
from tests.reference.exact_sessions import (
    COARSE,
    CONTINUOUS,
    SESSIONS,
    TIMES,
    VALUE,
    scores,
    sessions,
    uniform_and_uncorrelated,
)
from tests.support.chi_square import chi_square


@pytest.fixture(scope="module")
def continuous_noise() -> dict[str, np.ndarray]:
    return {mechanism.__name__: sessions(mechanism) - VALUE for mechanism in CONTINUOUS}


@pytest.mark.parametrize(("mechanism", "process"), [("ExactBrownian", Brownian()), ("ExactLaplace", Laplace())])
def test_the_scores_of_releases_are_uniform_and_uncorrelated(continuous_noise, law, mechanism, process):
    assert uniform_and_uncorrelated(scores(process, continuous_noise[mechanism]), law)


def test_the_scores_reject_brownian_noise_drawn_afresh(monkeypatch, law):
    right = Recursion.extend
    monkeypatch.setattr(Recursion, "extend", lambda self, ratio, draw: right(self, 0 * ratio, draw))
    assert not uniform_and_uncorrelated(scores(Brownian(), sessions(ExactBrownian) - VALUE), law)


def test_the_scores_reject_laplace_noise_drawn_afresh(monkeypatch, law):
    monkeypatch.setattr(laplace_module, "race", lambda noise, t, s, tape, refined: laplace_module.first_noise(tape, s))
    assert not uniform_and_uncorrelated(scores(Laplace(), sessions(ExactLaplace) - VALUE), law)


def test_laplace_releases_stay_with_the_square_of_the_ratio_of_times(continuous_noise, law):
    noise = continuous_noise["ExactLaplace"]
    for i in range(1, len(TIMES)):
        ties = int((noise[:, i] == noise[:, i - 1]).sum())
        assert law.frequency(ties, SESSIONS, (TIMES[i] / TIMES[i - 1]) ** 2)


def test_the_law_rejects_laplace_noise_that_stays_with_the_ratio_of_times(monkeypatch, law):
    def wrong(noise, t, s, tape, refined):
        """The forward weight of a tie is taken for s/t."""
        return noise if laplace_module._toss(tape, s / t) else laplace_module.first_noise(tape, s)

    monkeypatch.setattr(laplace_module, "race", wrong)
    noise = sessions(ExactLaplace) - VALUE
    assert not law.frequency(int((noise[:, 1] == noise[:, 0]).sum()), SESSIONS, 0.25)


def test_the_law_rejects_a_race_that_never_goes_beyond_the_release_before(monkeypatch, law):
    right = laplace_module._toss
    # Of the two coins the one for staying, 2s/(t+s), is above 0.4 at these times, and the one for crossing 0 below.
    monkeypatch.setattr(laplace_module, "_toss", lambda tape, p: p > rational(0.4) or right(tape, p))
    noise = sessions(ExactLaplace) - VALUE
    assert not law.frequency(int((noise[:, 1] == noise[:, 0]).sum()), SESSIONS, 0.25)


@pytest.mark.parametrize(("mechanism", "process"), [(ExactBrownian, Brownian()), (ExactLaplace, Laplace())])
def test_a_release_on_a_grid_has_the_mass_of_its_cell(law, mechanism, process):
    cells = np.arange(1)
    k = np.rint(sessions(mechanism, times=(0.3,), granularity=COARSE)[:, 0] / COARSE)
    marginal = process.marginal(0.3)

    def pmf(j, shift=0.0):
        lower, upper = ((j + half + shift) * COARSE - VALUE for half in (-0.5, 0.5))
        return np.asarray(marginal.cdf(upper) - marginal.cdf(lower))

    assert law.counts(k, pmf, cells)
    assert not law.counts(k, lambda j: pmf(j, 0.5), cells), "the law of truncated releases"


# Discrete Laplace noise.


def discrete_pmf(j: Any, t: float) -> Any:
    return np.tanh(1 / (2 * t)) * np.exp(-np.abs(j) / t)


def joint_pmf(x: int, y: int, t: float, s: float, power: int = 1) -> float:
    """P(X_t = x, X_s = y) by the forward step; `power` 2 squares the weight of a tie, which is wrong."""
    c_s, c_t = (math.exp(-1 / u) / math.expm1(-1 / u) ** 2 for u in (s, t))
    rho = (c_s / c_t) ** power
    return float(discrete_pmf(y, s) * (rho * (x == y) + (1 - rho) * discrete_pmf(x - y, t)))


def test_discrete_laplace_releases_have_their_joint_law(law):
    pairs = sessions(ExactDiscreteLaplace, 3000, times=(3.0, 1.25), value=7) - 7
    seen = Counter(map(tuple, pairs.tolist()))

    def agrees(power: int) -> bool:
        expected = {(x, y): 3000 * joint_pmf(x, y, 3.0, 1.25, power) for x in range(-9, 10) for y in range(-9, 10)}
        large = [pair for pair in expected if expected[pair] > 20]
        counts, means = [seen[pair] for pair in large], [expected[pair] for pair in large]
        rest = [3000 - sum(counts)], [3000 - sum(means)]
        return chi_square(np.array(counts + rest[0]), np.array(means + rest[1])) > 1e-9

    assert agrees(power=1)
    assert not agrees(power=2)
    assert law.counts(pairs[:, 1], lambda j: discrete_pmf(j, 1.25), np.arange(-3, 4))


def test_the_scores_of_discrete_releases_are_uniform_and_uncorrelated(law):
    rng, process = np.random.default_rng(7), DiscreteLaplace()
    noise = sessions(ExactDiscreteLaplace, times=(30.0, *TIMES[1:]), value=5) - 5
    laws = [process.marginal(30.0), process.bridge(2.0, 30.0, noise[:, 0])]
    laws += [process.bridge(TIMES[i], TIMES[i - 1], noise[:, i - 1]) for i in (2, 3)]
    ends = [(bridge.cdf_left(x), bridge.cdf(x)) for bridge, x in zip(laws, noise.T, strict=True)]
    u = np.stack([left + rng.random(SESSIONS) * (right - left) for left, right in ends], axis=1)
    assert uniform_and_uncorrelated(u, law)
