"""The one session that a refuted audit shows: the most unusual one, and none where right noise would have its like."""

import numpy as np
import pytest

from nrverify.auditing.core.faults.noise import WRONG_SCALE
from nrverify.auditing.core.finding import Finding
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.auditing.noise_reduction.diagnosis.example_session import MostUnusual, Session, with_session, words_of
from nrverify.statistics.estimate import Estimate, Measure
from tests.unit.auditing.noise_reduction.batches import TIMES, batch, brownian

FINDING = Finding("variance", Estimate(Measure.COUNT, 1.0, 2.0, None, 3), WRONG_SCALE)
REFUTED = CheckResult("law.release", "law", CheckVerdict.REFUTED, finding=FINDING)


def met(*noises, value=100.0):
    found = MostUnusual()
    for noise in noises:
        found.observe(batch(noise, value=value))
    return found


def noise_of(seed, sessions=500):
    return brownian(np.random.default_rng(seed), sessions=sessions, d=2)


def test_the_session_with_the_largest_noise_is_found_with_what_was_asked_and_released():
    noise = noise_of(1)
    noise[17] *= 30
    session = met(noise).session
    assert session.value == 100.0
    assert session.asked == TIMES[: len(session.asked)]
    coordinate = int(np.argmin(np.abs(100.0 + noise[17, 0] - session.released[0])))
    assert session.released == pytest.approx((100.0 + noise[17, : len(session.asked), coordinate]).tolist())
    (result,) = with_session([REFUTED], met(noise), "t")
    assert "at the value 100, asked for t = " in result.finding.texts["session"]
    assert "the most unusual of 500)" in result.finding.texts["session"]


def test_a_session_with_too_little_noise_is_found_too():
    noise = noise_of(2)
    noise[3] *= 1e-3
    found = met(noise)
    assert found.session.square < 1e-4
    assert "innovations is" in words_of(found.session, found.sessions, "ε")


def test_right_noise_has_no_session_to_show():
    """With probability 1 − 1e-3; the seed is fixed."""
    assert with_session([REFUTED], met(noise_of(3)), "t") == [REFUTED]


def test_only_refutations_of_the_law_get_it():
    noise = noise_of(4)
    noise[0] *= 30
    others = [
        CheckResult("law.value", "law", CheckVerdict.CONSISTENT, finding=FINDING),
        CheckResult("randomness.streams", "randomness", CheckVerdict.REFUTED, finding=FINDING),
    ]
    assert with_session(others, met(noise), "t") == others


def test_what_two_workers_met_is_what_one_would_have_met():
    first, second = noise_of(5), noise_of(6)
    second[9] *= 30
    merged = met(first)
    merged.merge(met(second))
    alone = met(first, second)
    assert (merged.session, merged.sessions) == (alone.session, alone.sessions)
    assert merged.empty_copy().session is None


def test_the_probability_of_a_session_is_that_of_chi_square_on_either_side():
    from scipy.stats import chi2

    session = Session(0.0, 4, 30.0, 0.0, (1.0,), (9.0,), 3.0)
    assert session.tail == pytest.approx(2 * chi2.sf(30.0, 4))
    assert Session(0.0, 4, 0.01, 0.0, (1.0,), (9.0,), 3.0).tail == pytest.approx(2 * chi2.cdf(0.01, 4))
