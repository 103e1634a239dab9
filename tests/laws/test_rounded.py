"""The filter for rounded releases, against nested quadrature of the forward law of the hidden process."""

import mpmath as mp
import numpy as np
import pytest

from nrverify.laws import Brownian, DiscreteGaussian, DiscreteLaplace, Laplace, Skellam
from nrverify.laws.rounded import filtered

VALUE = 0.37


@pytest.fixture(autouse=True)
def _digits():
    with mp.workdps(20):
        yield


class Gaussian:
    """X_t = X_s + N(0, t - s), forwards in time: no bridge is used."""

    @staticmethod
    def density(t, x):
        return mp.npdf(x, 0, mp.sqrt(t))

    @staticmethod
    def stay(s, t):
        return mp.mpf(0)

    @staticmethod
    def step_density(s, t, x):
        return mp.npdf(x, 0, mp.sqrt(t - s))

    @staticmethod
    def step_mass(s, t, low, high):
        return mp.ncdf(high, 0, mp.sqrt(t - s)) - mp.ncdf(low, 0, mp.sqrt(t - s))


class Laplacian:
    """X_t = X_s + (0 with weight (s/t)², else Lap(t)), forwards in time."""

    @staticmethod
    def density(t, x):
        return mp.exp(-abs(x) / t) / (2 * t)

    @staticmethod
    def stay(s, t):
        return (s / t) ** 2

    @staticmethod
    def step_density(s, t, x):
        return Laplacian.density(t, x)

    @staticmethod
    def step_mass(s, t, low, high):
        def cdf(x):
            return mp.exp(x / t) / 2 if x < 0 else 1 - mp.exp(-x / t) / 2

        return cdf(high) - cdf(low)


class AlwaysMoving(Laplacian):
    """A wrong variant without the atom."""

    @staticmethod
    def stay(s, t):
        return mp.mpf(0)


def between(low, high, *kinks):
    return [low, *sorted(k for k in set(kinks) if low < k < high), high]


def joint(law, times, intervals):
    """P(X_{t_1} in the first interval, …): from the least noisy release to the noisiest, one integral each."""
    times = [mp.mpf(t) for t in times]

    def earlier(look, y):
        """P(the releases before `look` lie in their intervals | X at `look` is y)."""
        if look == 0:
            return mp.mpf(1)
        s, t = times[look], times[look - 1]
        low, high = intervals[look - 1]
        rho = law.stay(s, t)
        moved = mp.mpf(0)
        if look == 1:
            moved = law.step_mass(s, t, low - y, high - y)
        else:
            cuts = between(low, high, mp.mpf(0), y, *(end for interval in intervals for end in interval))
            moved = mp.quad(
                lambda x: law.step_density(s, t, x - y) * earlier(look - 1, x), cuts, method="gauss-legendre"
            )
        return (rho * earlier(look - 1, y) if low < y < high else 0) + (1 - rho) * moved

    last = len(times) - 1
    low, high = intervals[last]
    cuts = between(low, high, mp.mpf(0), *(end for interval in intervals[:-1] for end in interval))
    return mp.quad(lambda y: law.density(times[last], y) * earlier(last, y), cuts, method="gauss-legendre")


def cell(k, g):
    return g * (mp.mpf(k) - 0.5) - mp.mpf(VALUE), g * (mp.mpf(k) + 0.5) - mp.mpf(VALUE)


def expected(law, times, cells, g):
    """log P of all cells, and both ends of the distribution function of the last, from joint probabilities."""
    g = mp.mpf(g)
    seen = [cell(k, g) for k in cells]
    far = mp.mpf(-60) * max(mp.mpf(max(times)), 1)
    before = joint(law, times[:-1], seen[:-1]) if len(cells) > 1 else mp.mpf(1)
    whole = joint(law, times, seen)
    below = mp.mpf(0)
    for start, end in zip(reach := [far, -20, -8, -3, -1], [*reach[1:], seen[-1][0]], strict=True):
        if start < seen[-1][0]:
            below += joint(law, times, [*seen[:-1], (mp.mpf(start), min(mp.mpf(end), seen[-1][0]))])
    return float(mp.log(whole)), float(below / before), float((below + whole) / before)


PAIRS = {"brownian": (Brownian(), Gaussian), "laplace": (Laplace(), Laplacian)}
TWO = [([4.0, 1.0], [1, 1], 1.0), ([4.0, 3.99], [0, 0], 1.0), ([2.0, 0.5], [0, -1], 2.0), ([1.0, 0.3], [3, 1], 0.25)]


@pytest.mark.parametrize("family", PAIRS)
@pytest.mark.parametrize(("times", "cells", "g"), TWO, ids=str)
def test_two_releases_have_the_law_of_the_forward_process(family, times, cells, g):
    process, law = PAIRS[family]
    result = filtered(process, VALUE, times, g * np.array(cells), g)
    log_likelihood, lower, upper = expected(law, times, cells, g)
    assert result.log_likelihood == pytest.approx(log_likelihood, rel=0, abs=1e-10)
    assert result.lower[-1] == pytest.approx(lower, rel=1e-10, abs=0)
    assert result.upper[-1] == pytest.approx(upper, rel=1e-10, abs=0)
    assert result.above == pytest.approx(1 - result.upper, abs=1e-14)
    # Releases taken for the hidden values themselves: the wrong law.
    hidden = g * np.array(cells) - VALUE
    density = process.marginal(times[0]).logpdf(hidden[0]) + process.bridge(*times[::-1], hidden[0]).logpdf(hidden[1])
    assert abs(result.log_likelihood - (density + 2 * np.log(g))) > 1e-4


def test_without_the_atom_the_law_is_another():
    result = filtered(Laplace(), VALUE, [4.0, 1.0], [1.0, 1.0], 1.0)
    wrong, *_ = expected(AlwaysMoving, [4.0, 1.0], [1, 1], 1.0)
    assert abs(result.log_likelihood - wrong) > 1e-3


@pytest.mark.parametrize(
    ("family", "times", "cells", "g"),
    [("brownian", [4.0, 2.0, 0.5], [1, 0, 0], 1.0), ("laplace", [4.0, 2.0, 0.5], [0, 0, 0], 1.0)],
    ids=["brownian", "laplace"],
)
def test_three_releases_have_the_law_of_the_forward_process(family, times, cells, g):
    process, law = PAIRS[family]
    with mp.workdps(15):
        whole = joint(law, times, [cell(k, mp.mpf(g)) for k in cells])
    result = filtered(process, VALUE, times, g * np.array(cells), g)
    assert result.log_likelihood == pytest.approx(float(mp.log(whole)), rel=0, abs=1e-10)
    # The last release is not independent of the first given the second: the cells are not Markov.
    forgetful = filtered(process, VALUE, times[1:], g * np.array(cells[1:]), g)
    assert abs(result.upper[-1] - forgetful.upper[-1]) > 1e-6


@pytest.mark.parametrize("process", [Brownian(), Laplace()], ids=str)
def test_the_cells_of_a_look_have_total_probability_one_and_join(process):
    past = np.array([1.0, 0.0])
    following = np.arange(-60, 61)
    transcripts = np.column_stack([np.tile(past, (len(following), 1)), following])
    result = filtered(process, VALUE, [4.0, 2.0, 1.0], transcripts, 1.0)
    before = filtered(process, VALUE, [4.0, 2.0], past, 1.0).log_likelihood
    shares = np.exp(result.log_likelihood - before)
    assert shares.sum() == pytest.approx(1, abs=1e-12)
    assert shares == pytest.approx(result.upper[:, -1] - result.lower[:, -1], abs=1e-13)
    assert result.upper[:-1, -1] == pytest.approx(result.lower[1:, -1], abs=1e-14)


@pytest.mark.parametrize("process", [Brownian(), Laplace()], ids=str)
def test_on_a_fine_grid_the_likelihood_is_the_density_times_the_cell(process):
    g, times = 2.0**-20, [3.0, 1.7, 0.7]
    releases = np.rint(np.array([1.3, -0.4, 0.1]) / g) * g
    noise = releases - VALUE
    density = process.marginal(times[0]).logpdf(noise[0])
    for s, t, x, y in zip(times[1:], times, noise[1:], noise, strict=False):
        density += process.bridge(s, t, y).logpdf(x)
    result = filtered(process, VALUE, times, releases, g)
    assert result.log_likelihood == pytest.approx(density + 3 * np.log(g), abs=1e-5)
    assert (result.upper > result.lower).all()


def test_far_out_cells_keep_the_digits_of_the_likelihood():
    law = Gaussian
    for cells in ([12, 9], [-30, -2]):
        result = filtered(Brownian(), VALUE, [1.0, 0.6], np.array(cells, dtype=float), 1.0)
        with mp.workdps(40):
            # One integral with its mass at the near end of the cell: split it finely.
            low, high = cell(cells[1], mp.mpf(1))
            first_low, first_high = cell(cells[0], mp.mpf(1))
            cuts = [low + (high - low) * mp.mpf(i) / 64 for i in range(65)]
            s, t = mp.mpf(0.6), mp.mpf(1.0)

            def integrand(y, first_low=first_low, first_high=first_high, s=s, t=t):
                return law.density(s, y) * law.step_mass(s, t, first_low - y, first_high - y)

            whole = mp.quad(integrand, cuts, method="gauss-legendre")
        assert result.log_likelihood == pytest.approx(float(mp.log(whole)), rel=0, abs=1e-10)


def test_scores_of_simulated_transcripts_are_uniform_with_error_probability_1e_9_and_naive_ones_are_not():
    rng, times, g, sessions = np.random.default_rng(8), [4.0, 3.0, 1.0], 1.5, 4_000
    limit = np.sqrt(np.log(2 / 1e-9) / (2 * sessions))
    x = np.cumsum(rng.normal(size=(sessions, 3)) * np.sqrt([1.0, 2.0, 1.0]), axis=1)[:, ::-1]
    releases = g * np.rint((VALUE + x) / g)
    result = filtered(Brownian(), VALUE, times, releases, g)
    scores = result.lower + rng.random(releases.shape) * (result.upper - result.lower)
    naive = Brownian().bridge(1.0, 3.0, releases[:, 1] - VALUE).cdf(releases[:, 2] - VALUE)
    levels = np.arange(1, sessions + 1) / sessions
    for look in range(3):
        assert np.abs(np.sort(scores[:, look]) - levels).max() < limit + 1 / sessions
    assert np.abs(np.sort(naive) - levels).max() > 2 * limit


def test_coordinates_and_sessions_are_independent_rows():
    value, times, g = np.array([0.2, -3.1]), [2.0, 2.0, 1.0], 0.5
    releases = g * np.array([[[1, -6], [1, -6], [2, -5]], [[0, -7], [0, -7], [-1, -7]]])
    together = filtered(Laplace(), value, times, releases, g)
    assert together.lower.shape == releases.shape
    assert together.log_likelihood.shape == (2,)
    for session in range(2):
        apart = [filtered(Laplace(), value[i], times, releases[session, :, i], g) for i in range(2)]
        assert isinstance(apart[0].log_likelihood, float)
        assert together.log_likelihood[session] == pytest.approx(sum(a.log_likelihood for a in apart), abs=1e-12)
        assert together.upper[session] == pytest.approx(np.column_stack([a.upper for a in apart]), abs=1e-14)


def test_a_repeated_time_repeats_the_release_or_is_impossible():
    for process in (Brownian(), Laplace()):
        again = filtered(process, VALUE, [2.0, 2.0, 1.0], [1.0, 1.0, 0.0], 1.0)
        once = filtered(process, VALUE, [2.0, 1.0], [1.0, 0.0], 1.0)
        assert again.log_likelihood == pytest.approx(once.log_likelihood, abs=1e-13)
        assert (again.lower[1], again.upper[1]) == (0, 1)
        assert filtered(process, VALUE, [2.0, 2.0], [1.0, 0.0], 1.0).log_likelihood == -np.inf


class AnotherClock:
    """A process whose time is the square of the scale of another: nothing is known of it but its laws."""

    def __init__(self, process):
        self.process = process

    def marginal(self, t):
        return self.process.marginal(np.sqrt(t))

    def bridge(self, s, t, given):
        return self.process.bridge(np.sqrt(s), np.sqrt(t), given)


@pytest.mark.parametrize("process", [Brownian(), Laplace()], ids=str)
def test_a_process_that_is_not_known_is_filtered_until_nothing_changes(process):
    releases = 0.5 * np.array([[1, 1, 0], [-3, 0, 0]])
    known = filtered(process, VALUE, [2.0, 1.0, 0.25], releases, 0.5)
    unknown = filtered(AnotherClock(process), VALUE, [4.0, 1.0, 0.0625], releases, 0.5)
    assert unknown.log_likelihood == pytest.approx(known.log_likelihood, rel=0, abs=1e-10)
    assert unknown.lower == pytest.approx(known.lower, rel=1e-10)


def test_a_process_that_is_not_known_and_does_not_settle_is_refused(monkeypatch):
    monkeypatch.setattr("nrverify.laws.rounded.resolution._MOST_NODES", 128)
    with pytest.raises(ValueError, match="the filter settles"):
        filtered(AnotherClock(Brownian()), VALUE, [1.0, 1 - 1e-12], [0.0, 0.0], 1.0)


def test_bad_arguments_are_refused_with_their_value():
    with pytest.raises(ValueError, match=r"releases hold 0\.75, which must be a multiple of granularity = 0\.5"):
        filtered(Brownian(), 0.0, [1.0], [0.75], 0.5)
    with pytest.raises(ValueError, match=r"granularity is 0\.0: it must be finite and > 0"):
        filtered(Brownian(), 0.0, [1.0], [0.5], 0.0)
    with pytest.raises(ValueError, match="must not rise"):
        filtered(Brownian(), 0.0, [1.0, 2.0], [0.5, 0.5], 0.5)
    with pytest.raises(ValueError, match=r"releases of shape \(2,\) must end in \(3,\)"):
        filtered(Brownian(), 0.0, [3.0, 2.0, 1.0], [0.5, 0.5], 0.5)
    with pytest.raises(ValueError, match="must not need more than 4096 nodes"):
        filtered(Brownian(), 0.0, [1.0, 1 - 1e-9], [0.0, 0.0], 1.0)
    for process in (Skellam(1.0), DiscreteLaplace(), DiscreteGaussian()):
        with pytest.raises(ValueError, match="must have continuous noise"):
            filtered(process, 0.0, [1.0], [1.0], 1.0)
    # 0.01 is not a power of two: right releases miss its multiples by a rounding, and are accepted.
    assert np.isfinite(filtered(Brownian(), 0.0, [1.0], [0.07 + 1e-17], 0.01).log_likelihood)
