"""The attack on the last bits: noise in doubles falls within 300 transcripts, exact releases never.

Bets reach e^13.8 against right releases with probability at most 1e-6 a run; seeds are fixed.
"""

import math
import random

import numpy as np
import pytest

from nrverify.auditing.noise_reduction.checks.last_bits import LastBits
from nrverify.auditing.noise_reduction.design.cases import Case
from nrverify.auditing.noise_reduction.design.neighbours import Labelled, Pair
from nrverify.laws.brownian import Brownian
from nrverify.laws.laplace import Laplace
from nrverify.reference.exact import ExactBrownian, ExactLaplace
from nrverify.subjects.policies import Fixed
from tests.unit.auditing.numerics.samplers import BROWNIAN, LAPLACE, THREE, bridge_on_noise, numpy_laplace, rounded

PLACES = ((0.0, 1.0), (-1 / 3, 2 / 3))
SEEDS = range(5)


def labelled(rng, draw, times, pair, size, distance):
    low, high = (place * distance for place in PLACES[pair])
    label = rng.random(size) < 0.5
    releases = np.empty((size, len(times)))
    for side, value in ((False, low), (True, high)):
        if (label == side).any():
            releases[label == side] = draw(rng, value, int((label == side).sum()), times)
    asked = np.tile(times, (size, 1))
    case = Case(f"pair {pair}", (high,), Fixed(tuple(times)), "sample")
    return Labelled(Pair(case, (low,)), releases[:, :, None], asked, asked, label)


def found_after(draw, times, noise, seed, most=4096, exact=False):
    """Transcripts until attacked, in looks that grow by an eighth; and the check."""
    process = Brownian() if noise == "brownian" else Laplace()
    distance = math.sqrt(times[-1]) if noise == "brownian" else times[-1]
    check = LastBits(process, noise, exact=exact)
    rng = np.random.default_rng(seed)
    while check.samples < most and not check.attacked:
        for pair in range(2):
            fresh = check.empty_copy()
            size = max(16, check.samples // 16)
            fresh.observe_labelled(labelled(rng, draw, times, pair, size, distance))
            check.merge(fresh)
    return (check.bits.found_after if check.attacked else math.inf), check


@pytest.mark.parametrize("name", [*BROWNIAN, *LAPLACE])
def test_noise_in_doubles_is_attacked_within_300_transcripts(name):
    """The median over five seeds, at an error probability of 1e-6."""
    noise = "brownian" if name in BROWNIAN else "laplace"
    draw, times = {**BROWNIAN, **LAPLACE}[name]
    assert np.median([found_after(draw, times, noise, seed)[0] for seed in SEEDS]) <= 300


@pytest.mark.parametrize(
    ("draw", "noise"),
    [
        (rounded(bridge_on_noise, 2.0**-20), "brownian"),
        (rounded(bridge_on_noise, 2.0**-40), "brownian"),
        (rounded(numpy_laplace, 2.0**-20), "laplace"),
    ],
)
def test_noise_in_doubles_that_is_rounded_after_it_is_added_is_not_attacked(draw, noise):
    times = THREE if noise == "brownian" else (1.0,)
    after, check = found_after(draw, times, noise, 7, most=2000)
    assert after == math.inf
    assert check.conclude(1e-6).verdict == "consistent"


def test_rounding_to_a_grid_that_is_finer_than_the_last_bits_hides_nothing():
    assert found_after(rounded(bridge_on_noise, 2.0**-55), THREE, "brownian", 3)[0] <= 400


def exact(mechanism, granularity):
    source = random.Random(5)

    def draw(rng, value, n, times):
        found = []
        for _ in range(n):
            session = mechanism(value, granularity, bits=random.Random(source.getrandbits(64)))
            found.append([session.release(t) for t in times])
        return np.array(found)

    return draw


@pytest.mark.parametrize(("mechanism", "noise"), [(ExactBrownian, "brownian"), (ExactLaplace, "laplace")])
@pytest.mark.parametrize("granularity", [None, 2.0**-20])
def test_the_exact_sampler_is_not_attacked(mechanism, noise, granularity):
    after, check = found_after(exact(mechanism, granularity), (2.5, 1.0), noise, 11, most=400)
    assert after == math.inf
    assert check.log_e < 3


def test_bets_on_right_releases_reach_ten_less_often_than_one_time_in_ten():
    """Ideal releases, rounded once to doubles from extended precision, in which a sum gives every double.

    More than 10 of 40 would have probability 1e-3 even at the bound of one in ten.
    """

    def extended(rng, value, n, times):
        noise = rng.standard_normal(n).astype(np.longdouble) + rng.standard_normal(n).astype(np.longdouble) * 2.0**-54
        return (np.longdouble(value) + noise).astype(float)[:, None]

    reached = sum(
        found_after(extended, (1.0,), "brownian", seed, most=250)[1].log_e > math.log(10) for seed in range(40)
    )
    assert reached <= 10


def test_an_attack_under_idealized_numerics_is_advice_with_counts_a_bound_and_an_example():
    check = attacked()
    result = check.conclude(1e-6)
    assert result.verdict == "advice"
    assert not check.refuted(1e-6)
    assert "hold a release that no double added to" in result.message
    assert "with confidence 1 − 1e-06" in result.message
    numbers = result.finding.numbers
    y, m = float.fromhex(numbers["release"]), float.fromhex(numbers["base"])
    assert m + (y - m) != y
    assert numbers["at_other"] == 0
    assert numbers["impossible_elsewhere"] / numbers["of_value_count"] > 0.4


def test_the_bound_is_that_of_clopper_and_pearson_on_transcripts_after_the_event_was_fixed():
    """P(no event in n) ≥ α/2 up to 1 − (α/2)^{1/n}: the largest probability at the other value, in closed form."""
    attack = attacked().bits.attack()
    event = attack.event
    low, high = event.limits
    assert event.of + event.of_others >= 1024
    assert event.others == 0
    assert high == pytest.approx(1 - (1e-6 / 2) ** (1 / event.of_others), rel=1e-9)
    assert event.delta_at(1.0) == pytest.approx(low - math.e * high)
    assert event.epsilon_at(1e-5) == pytest.approx(math.log((low - 1e-5) / high))


def attacked(exact=False):
    """A check that has attacked the README's mechanism, and then seen a thousand transcripts more of its pair."""
    _, check = found_after(bridge_on_noise, THREE, "brownian", 0, exact=exact)
    pair = int(check.bits.leading_pair[-1])
    fresh = check.empty_copy()
    fresh.observe_labelled(labelled(np.random.default_rng(1), bridge_on_noise, THREE, pair, 1024, 1.0))
    check.merge(fresh)
    return check


def test_an_attack_under_exact_numerics_refutes_and_is_a_leak():
    check = attacked(exact=True)
    assert check.refuted(1e-6)
    result = check.conclude(1e-6)
    assert result.verdict == "refuted"
    assert result.finding.fault.id == "last-bits"
    assert result.effect == "leak"


def test_too_few_transcripts_leave_it_undecided():
    _, check = found_after(rounded(bridge_on_noise, 2.0**-20), THREE, "brownian", 0, most=64)
    assert check.conclude(1e-6).verdict == "inconclusive"
    assert LastBits(Brownian(), "brownian").conclude(1e-6).verdict == "not-covered"


def test_without_times_the_claim_is_bet_against():
    """Gaussian noise for ε = 1, δ = 1e-5 and sensitivity 1 (σ = 3.73): a median of some hundred transcripts."""

    def gaussian(rng, value, n, times):
        return (value + 3.73 * rng.standard_normal(n))[:, None]

    def rounded_gaussian(rng, value, n, times):
        return 2.0**-20 * np.rint(gaussian(rng, value, n, times) * 2.0**20)

    after = [against_claim(gaussian, seed) for seed in SEEDS]
    assert np.median(after) <= 600
    assert against_claim(rounded_gaussian, 0) == math.inf


def against_claim(draw, seed, most=3000):
    check = LastBits(Brownian(), "brownian", claim=(1.0, 1e-5), times_known=False)
    rng = np.random.default_rng(seed)
    while check.samples < most and not check.attacked:
        for pair in range(2):
            fresh = check.empty_copy()
            drawn = labelled(rng, draw, (1.0,), pair, max(16, check.samples // 16), 1.0)
            fresh.observe_labelled(Labelled(drawn.pair, drawn.releases, drawn.asked, None, drawn.label))
            check.merge(fresh)
    return check.bits.found_after if check.attacked else math.inf
