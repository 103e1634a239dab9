"""The exact mechanisms against the laws, against a second evaluation, and the wrong variants that these tests reject.

Statistical tests reject a true law with probability at most 1e-9 each (`law`, conftest.py); the seeds are fixed.
"""

from __future__ import annotations

import functools
import itertools
import math
import random
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp
from scipy import stats

from nrverify.laws.brownian import Brownian
from nrverify.laws.discrete_laplace import DiscreteLaplace
from nrverify.laws.laplace import Laplace
from nrverify.reference.exact import ExactBrownian, ExactDiscreteLaplace, ExactLaplace, refinement
from nrverify.reference.exact import brownian as brownian_module
from nrverify.reference.exact import discrete_laplace as discrete_module
from nrverify.reference.exact import laplace as laplace_module
from nrverify.reference.exact.bits import Tape
from nrverify.reference.exact.lazy_reals import Recursion, rational

TIMES = (4.0, 2.0, 1.0, 0.3)
VALUE = 1 / 3
SESSIONS = 1200
CONTINUOUS = [ExactBrownian, ExactLaplace]
COARSE = 0.7
"""A grid about as coarse as the noise and no power of two: every way to round shows."""


def sessions(mechanism: Callable[..., Any], count: int = SESSIONS, times=TIMES, value=VALUE, **options) -> np.ndarray:
    """The releases of sessions with the seeds 0, 1, …, one row a session."""
    drawn = (mechanism(value, bits=random.Random(seed), **options) for seed in range(count))
    return np.array([[session.release(t) for t in times] for session in drawn])


def scores(process: Any, noise: np.ndarray, times=TIMES) -> np.ndarray:
    """Rosenblatt's transform, randomised over atoms: independent uniforms if and only if the law is right."""
    rng = np.random.default_rng(99)
    columns = [process.marginal(times[0]).cdf(noise[:, 0])]
    for i in range(1, len(times)):
        bridge = process.bridge(times[i], times[i - 1], noise[:, i - 1])
        atom = np.where(noise[:, i] == noise[:, i - 1], getattr(bridge, "atom", 0.0), 0.0)
        columns.append(bridge.cdf(noise[:, i]) - atom * rng.random(len(noise)))
    return np.stack(columns, axis=1)


def uniform_and_uncorrelated(u: np.ndarray, law: Any) -> bool:
    """Ten tests, each of which rejects a true law with probability at most 1e-9."""
    pairs = itertools.combinations(range(u.shape[1]), 2)
    uniform = all(law.fits(column, stats.uniform.cdf) for column in u.T)
    return uniform and all(stats.pearsonr(u[:, i], u[:, j]).pvalue > 1e-9 for i, j in pairs)


# Same bits, same releases.


@pytest.mark.parametrize("mechanism", CONTINUOUS)
@pytest.mark.parametrize("granularity", [2.0**-10, COARSE, None])
def test_releases_do_not_depend_on_the_precision_they_start_with(mechanism, granularity):
    expected = sessions(mechanism, 40, granularity=granularity, precision=256)
    for precision in (1, 8, 13, 32):
        assert (sessions(mechanism, 40, granularity=granularity, precision=precision) == expected).all()


@given(
    st.integers(0, 2**64),
    st.integers(1, 200),
    st.lists(st.floats(1e-6, 1e6), min_size=1, max_size=5),
    st.sampled_from([None, 2.0**-30, 0.1, 1000.0]),
    st.floats(-1e6, 1e6),
)
@settings(max_examples=60, deadline=None)
def test_releases_are_a_function_of_the_bits_alone(seed, precision, times, granularity, value):
    for mechanism in CONTINUOUS:
        one = mechanism([value, 0.0], granularity, random.Random(seed))
        other = mechanism([value, 0.0], granularity, random.Random(seed), precision=precision)
        for t in sorted(times, reverse=True):
            assert one.release(t).tolist() == other.release(t).tolist()


@pytest.mark.parametrize("mechanism", CONTINUOUS)
def test_a_refinement_that_stops_early_depends_on_the_precision(mechanism, monkeypatch):
    def stopped(self, attempt):
        """Rounds the middle of the first ball, whatever its radius."""
        return attempt(self.precision)

    def middle(value, granularity):
        scale, offset = 1 / rational(granularity), rational(value / granularity + 0.5)

        def rounded(refined, noise):
            k = refined.decide(lambda precision: (noise(precision) * scale + offset).mid().floor().unique_fmpz())
            return math.nan if k is None else float(k) * granularity

        return rounded

    monkeypatch.setattr(refinement.Refinement, "decide", stopped)
    monkeypatch.setattr(brownian_module, "rounding", middle)
    monkeypatch.setattr(laplace_module, "rounding", middle)
    expected = sessions(mechanism, 40, granularity=2.0**-10, precision=256)
    assert (sessions(mechanism, 40, granularity=2.0**-10, precision=13) != expected).any()


# Correct rounding, against an evaluation with 200 digits that shares only the bits.


def second_brownian(seed: int) -> list[mp.mpf]:
    """The noise at TIMES from the first 200 digits of each string."""
    tape, x, t = Tape(random.Random(seed)), mp.mpf(0), None
    path = []
    for s in map(mp.mpf, TIMES):
        u, v = (tape.string().first(200) * mp.mpf(2) ** -200 for _ in range(2))
        normal = mp.sqrt(-2 * mp.log(u)) * mp.cos(2 * mp.pi * v)
        x = mp.sqrt(s) * normal if t is None else s / t * x + mp.sqrt(s * (t - s) / t) * normal
        t = s
        path.append(x)
    return path


def second_laplace(seed: int) -> list[mp.mpf]:
    """The noise at TIMES, by the race on the line rather than on the size."""
    tape = Tape(random.Random(seed))

    def uniform() -> mp.mpf:
        return tape.string().first(200) * mp.mpf(2) ** -200

    sign = -1 if uniform() >= 0.5 else 1
    t = mp.mpf(TIMES[0])
    x = sign * -t * mp.log(uniform())
    path = [x]
    for s in map(mp.mpf, TIMES[1:]):
        slow, fast = 1 / s - 1 / t, 1 / s + 1 / t
        sign = mp.sign(x)
        if uniform() < (t - s) / (2 * t):
            x = sign * mp.log(uniform()) / fast
        else:
            runner = -mp.log(uniform()) / slow
            if runner < abs(x):
                x = sign * runner
            elif uniform() >= 2 * s / (t + s):
                x = x - sign * mp.log(uniform()) / fast
        t = s
        path.append(x)
    return path


def rounded_again(noise: mp.mpf, granularity: float | None, value: float = VALUE) -> float:
    """value + noise to the nearest multiple, or double, with what 200 digits leave open checked to be irrelevant."""
    exact = mp.mpf(value) + noise
    if granularity is None:
        low, high = (float(exact + shift) for shift in (-(mp.mpf(2) ** -180), mp.mpf(2) ** -180))
        assert low == high
        return low
    ratio = exact / mp.mpf(granularity)
    assert abs(ratio - mp.floor(ratio) - 0.5) > mp.mpf(2) ** -150
    return float(mp.nint(ratio) * mp.mpf(granularity))


@pytest.fixture
def two_hundred_digits():
    with mp.workprec(240):
        yield


@pytest.mark.usefixtures("two_hundred_digits")
@pytest.mark.parametrize(("mechanism", "second"), [(ExactBrownian, second_brownian), (ExactLaplace, second_laplace)])
@pytest.mark.parametrize("granularity", [2.0**-40, COARSE, None])
def test_a_release_is_the_correct_rounding(mechanism, second, granularity):
    releases = sessions(mechanism, 50, granularity=granularity, precision=8)
    assert releases.tolist() == [[rounded_again(x, granularity) for x in second(seed)] for seed in range(50)]


@pytest.mark.usefixtures("two_hundred_digits")
def test_correct_rounding_rejects_truncation_and_rounding_before_adding():
    releases = sessions(ExactBrownian, 20, granularity=COARSE)
    noise = [second_brownian(seed) for seed in range(20)]
    truncated = [[float(mp.floor((VALUE + x) / COARSE) * COARSE) for x in path] for path in noise]
    noise_rounded = [[VALUE + float(mp.nint(x / COARSE) * COARSE) for x in path] for path in noise]
    value_rounded = [[float(mp.nint(x / COARSE) * COARSE) for x in path] for path in noise]
    for wrong in (truncated, noise_rounded, value_rounded):
        assert releases.tolist() != wrong


# The laws.


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
        return bool(stats.chisquare(counts + rest[0], means + rest[1], sum_check=False).pvalue > 1e-9)

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


@pytest.mark.parametrize("mechanism", [ExactBrownian, ExactLaplace, ExactDiscreteLaplace])
def test_a_session_keeps_the_protocol(mechanism):
    session = mechanism([3, -5], bits=random.Random(1))
    first = session.release(4.0)
    assert first.shape == (2,)
    copy = first.copy()
    first[:] = 0
    assert (session.release(4) == copy).all()
    for wrong in (4.5, 0.0, -1.0, math.nan, math.inf, "soon"):
        with pytest.raises(ValueError, match="time"):
            session.release(wrong)
    assert (session.release(4.0) == copy).all()
    assert (session.release(0.5) != copy).any()


@pytest.mark.parametrize(
    ("mechanism", "kind"), [(ExactBrownian, float), (ExactLaplace, float), (ExactDiscreteLaplace, int)]
)
def test_a_number_gives_a_plain_number_and_fresh_bits_by_default(mechanism, kind):
    releases = [mechanism(5).release(900.0) for _ in range(8)]
    assert {type(y) for y in releases} == {kind}
    assert len(set(releases)) > 1


@pytest.mark.parametrize("mechanism", CONTINUOUS)
@pytest.mark.parametrize("value", [0.0, 0.375, 1 / 3, -1e9 / 7, 1e300])
def test_releases_lie_on_the_grid_whether_or_not_the_value_does(mechanism, value):
    y = mechanism(value, granularity=0.375, bits=random.Random(4)).release(2.0)
    nearest = round(Fraction(y) / Fraction(0.375)) * Fraction(0.375)
    assert float(nearest) == y


@pytest.mark.parametrize("mechanism", CONTINUOUS)
@pytest.mark.parametrize("granularity", [None, 2.0**-20, 5e-324])
def test_times_may_span_all_doubles(mechanism, granularity):
    session = mechanism(0.25, granularity=granularity, bits=random.Random(8))
    releases = [session.release(t) for t in (1e306, 1e300, 1.0, 1e-12, 5e-324)]
    assert all(math.isfinite(y) for y in releases)
    assert abs(releases[0]) > 1e150
    assert releases[3] != 0.25 or granularity == 2.0**-20
    assert abs(releases[4] - 0.25) <= 1e-160


def test_a_release_beyond_the_doubles_is_infinite_as_ieee_rounds():
    releases = [ExactLaplace(0.0, bits=random.Random(seed)).release(1.7e308) for seed in range(40)]
    assert {math.inf, -math.inf} <= set(releases)


def test_a_session_may_be_longer_than_pythons_stack():
    session = ExactBrownian(0.0, granularity=2.0**-10, bits=random.Random(2), precision=8)
    releases = [session.release(2.0 - i / 1000) for i in range(1500)]
    assert len(set(releases)) > 100


def test_bits_that_are_not_fair_end_in_an_error():
    class Zeros:
        def getrandbits(self, k):
            return 0

    with pytest.raises(RuntimeError, match="bits leave a rounding open"):
        ExactLaplace(0.0, bits=Zeros()).release(1.0)


@pytest.mark.parametrize("granularity", [0, -1.0, math.nan, math.inf, "fine", True, [0.5]])
@pytest.mark.parametrize("mechanism", CONTINUOUS)
def test_a_bad_granularity_is_refused_by_value(mechanism, granularity):
    with pytest.raises(ValueError, match=r"^granularity is .+: it must be a positive finite float; "):
        mechanism(0.0, granularity=granularity)


@pytest.mark.parametrize("precision", [0, -3, 1.5, None])
def test_a_bad_precision_is_refused_by_value(precision):
    with pytest.raises(ValueError, match=r"^precision is .+: it must be a positive integer"):
        ExactBrownian(0.0, precision=precision)


@pytest.mark.parametrize("value", [0.5, math.nan, "3", [1, 2.5]])
def test_discrete_noise_needs_integers(value):
    with pytest.raises(ValueError, match="integers of size at most"):
        ExactDiscreteLaplace(value)


def test_discrete_noise_ranges_from_the_smallest_time_to_the_largest():
    session = ExactDiscreteLaplace(3, bits=random.Random(3))
    with pytest.raises(ValueError, match=r"^time is 1e\+300: it must be at most"):
        session.release(1e300)
    assert abs(session.release(2.0**53)) > 2**40
    assert session.release(5e-324) == 3
