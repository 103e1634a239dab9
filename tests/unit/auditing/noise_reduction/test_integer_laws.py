"""Named faults of integer samplers: their weights are laws, the claimed ones are exact, and bets on them stay fair."""

import numpy as np
import pytest

from nrverify.auditing.core.bets.named_alternatives import FLOOR
from nrverify.auditing.noise_reduction.checks.integers import laws as integer_laws
from nrverify.auditing.noise_reduction.checks.law import TranscriptLaw
from nrverify.auditing.noise_reduction.checks.release_law import ReleaseLaw
from nrverify.auditing.noise_reduction.design.batch import Batch
from nrverify.auditing.noise_reduction.design.cases import Case
from nrverify.auditing.noise_reduction.design.knob import Knob
from nrverify.calibrate import information_discrete as second
from nrverify.laws.discrete_gaussian import DiscreteGaussian
from nrverify.laws.discrete_laplace import DiscreteLaplace
from nrverify.subjects.policies import Fixed

PROCESSES = {"discrete-laplace": DiscreteLaplace(), "discrete-gaussian": DiscreteGaussian()}
TIMES = (0.3, 0.77, 1.0, 2.6, 31.4)


def batch(noise, times):
    case = Case("a case", (0.0,), Fixed(times), "sample")
    asked = np.tile(times, (len(noise), 1))
    return Batch(case, noise, asked, asked, None)


@pytest.mark.parametrize("t", TIMES)
@pytest.mark.parametrize("mechanism", PROCESSES)
def test_all_weights_are_laws_and_the_first_are_those_claimed(mechanism, t):
    sizes = np.arange(0.0, 60 * (t + 1))
    weights = np.array(integer_laws.WEIGHTS[mechanism](t, sizes))
    assert len(weights) == 1 + len(integer_laws.DRAWS[mechanism])
    totals = np.exp(weights) @ np.where(sizes == 0, 1.0, 2.0)
    assert totals == pytest.approx(1.0, abs=1e-9)
    assert weights[0] == pytest.approx(PROCESSES[mechanism].marginal(t).logpdf(sizes), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(
    ("mechanism", "id", "draw"),
    [
        ("discrete-laplace", integer_laws.ZERO_TWICE, second.zero_twice),
        ("discrete-laplace", integer_laws.ROUNDED, second.rounded_laplace),
        ("discrete-gaussian", integer_laws.ROUNDED_NORMAL, second.rounded_normal),
        ("discrete-gaussian", integer_laws.UNCENTRED, second.uncentred),
    ],
)
def test_wrong_draws_agree_with_a_second_derivation(mechanism, id, draw):
    place = 1 + integer_laws.DRAWS[mechanism].index(id)
    for t in TIMES:
        expected = draw(t)[:40]
        found = integer_laws.WEIGHTS[mechanism](t, np.arange(float(expected.size)))[place]
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_steps_are_those_of_the_process_and_a_bet_on_them_has_mean_one():
    process, (t, s) = DiscreteLaplace(), (2.0, 0.8)
    sizes = np.arange(-60.0, 61.0)
    claimed = np.exp(process.forward(s, t, 0).logpdf(sizes))
    # One session whose step is j, for every j: the noise at s is 0, and that at t is j.
    still = integer_laws.step_ratios("discrete-laplace", batch(np.zeros((1, 1, 1)), (s,)))
    means = dict.fromkeys(still, 0.0)
    for weight, j in zip(claimed, sizes, strict=True):
        ratios = integer_laws.step_ratios("discrete-laplace", batch(np.array([[[j], [0.0]]]), (t, s)))
        for name, ratio in ratios.items():
            means[name] += weight * np.exp(ratio - still[name])
    assert means.pop(integer_laws.OF_FRACTION[3]) == pytest.approx(1.0, abs=1e-9)
    assert list(means.values()) == pytest.approx([1.0] * len(means), abs=1e-9)


def test_the_floor_keeps_a_bet_alive_where_the_alternative_is_impossible():
    far = integer_laws.first_ratios("discrete-gaussian", batch(np.full((1, 1, 1), 40.0), (4.0,)))
    assert far[integer_laws.CUT_GAUSSIAN[0]] == pytest.approx(np.log(FLOOR))


def drawn(mechanism, draw, rng, sessions=2000):
    times = (3.0, 1.4, 0.7) if mechanism == "discrete-laplace" else (0.6,)
    sizes = np.arange(-60.0, 61.0)
    noise, path, last = np.zeros((sessions, 1)), [], 0.0
    for t in times[::-1]:
        law = draw(t)[np.abs(sizes).astype(int)]
        moves = rng.random(noise.shape) >= (integer_laws.stays(last, t) if last else 0.0)
        weights = np.exp(law)
        noise = noise + moves * rng.choice(sizes, noise.shape, p=weights / weights.sum())
        path.append(noise)
        last = t
    return batch(np.stack(path[::-1], axis=1), times)


@pytest.mark.parametrize(
    ("mechanism", "draw", "id"),
    [
        ("discrete-laplace", second.zero_twice, integer_laws.ZERO_TWICE),
        ("discrete-laplace", second.rounded_laplace, integer_laws.ROUNDED),
        ("discrete-gaussian", second.rounded_normal, integer_laws.ROUNDED_NORMAL),
        ("discrete-gaussian", second.uncentred, integer_laws.UNCENTRED),
    ],
)
def test_a_wrong_draw_wins_its_own_bet_and_a_right_one_none(mechanism, draw, id):
    steps = mechanism == "discrete-laplace"
    ratios = integer_laws.step_ratios if steps else integer_laws.first_ratios
    found = ratios(mechanism, drawn(mechanism, draw, np.random.default_rng(1)))
    assert max(found, key=found.__getitem__) == id
    assert found[id] > 12
    right = ratios(mechanism, drawn(mechanism, second.laplace if steps else second.gaussian, np.random.default_rng(1)))
    # A fair bet reaches e^12 with probability 6e-6, and there are fourteen.
    assert max(right.values()) < 12


def test_both_checks_of_the_law_bet_on_them():
    transcripts = TranscriptLaw(integers=DiscreteLaplace(), discrete="discrete-laplace")
    alone = ReleaseLaw(Knob(0.25, 1000.0, True), DiscreteGaussian(), discrete="discrete-gaussian")
    assert integer_laws.STEPS in transcripts.portfolio.bets
    assert integer_laws.FIRST in alone.portfolio.bets
