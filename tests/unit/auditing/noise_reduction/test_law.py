"""The checks of the law name the fault of noise that is wrong in one way, and spare noise that is right.

Right noise is refuted with probability at most 6e-8 a test; seeds are fixed.
"""

import numpy as np
import pytest

from nrverify.auditing.core.bets.scale_origins import fault_of_scale
from nrverify.auditing.core.faults import noise as faults
from nrverify.auditing.noise_reduction.checks.law import AdaptiveLaw, TranscriptLaw
from nrverify.auditing.noise_reduction.checks.release_law import ReleaseLaw
from nrverify.auditing.noise_reduction.checks.value import ValueLaw
from nrverify.auditing.noise_reduction.design.cases import Case
from nrverify.auditing.noise_reduction.design.knob import Knob
from nrverify.laws.skellam import Skellam
from nrverify.subjects.policies import Fixed
from tests.unit.auditing.noise_reduction.batches import ALPHA, TIMES, batch, brownian, fault, seen, skellam

KNOB = Knob(0.01, 1000.0, falling=True)


def innovated(rng, innovations):
    """Noise made of these innovations (n, k, d) by the right bridge."""
    times = np.array(TIMES)
    noise = [np.sqrt(times[0]) * innovations[:, 0]]
    for k in range(1, times.size):
        share = times[k] / times[k - 1]
        noise.append(share * noise[-1] + np.sqrt(times[k] * (1 - share)) * innovations[:, k])
    return np.stack(noise, axis=1)


def normal(rng, sessions=4000, d=1):
    return rng.standard_normal((sessions, len(TIMES), d))


def clipped(rng):
    return np.clip(normal(rng, 20_000), -3.0, 3.0)


def heavy(rng):
    return rng.standard_t(3, (4000, len(TIMES), 1)) / np.sqrt(3)


def rare(rng, d=1):
    z = normal(rng, d=d)
    z[::50] *= 0.05
    return z


@pytest.mark.parametrize(
    ("noise", "found"),
    [
        (lambda rng: brownian(rng), None),
        (lambda rng: np.sqrt(1.4) * brownian(rng), "wrong-scale"),
        (lambda rng: np.sqrt(10.0) * brownian(rng), "deviation-for-variance"),
        (lambda rng: brownian(rng) + 0.3 * np.sqrt(8.0), "shifted"),
        (lambda rng: innovated(rng, heavy(rng)), "wrong-shape"),
        (lambda rng: innovated(rng, clipped(rng)), "clipped"),
        (lambda rng: innovated(rng, rare(rng, d=8)), "rare-sessions"),
        (lambda rng: rng.standard_normal((4000, len(TIMES), 1)) * np.sqrt(TIMES)[:, None], None),
    ],
)
def test_a_release_alone(noise, found):
    """The last noise is drawn afresh for each release: every release by itself is right."""
    assert fault(seen(ReleaseLaw(KNOB), batch(noise(np.random.default_rng(1))))) == found


def test_a_wrong_scale_in_a_part_of_the_range_is_found_there():
    check = ReleaseLaw(KNOB)
    for seed, top in enumerate((8.0, 50.0, 900.0)):
        times = (top, 0.5 * top)
        factor, sessions = (1.2, 1000) if top == 900.0 else (1.0, 10_000)
        noise = factor * brownian(np.random.default_rng(seed), times, sessions)
        seen(check, batch(noise, times))
    result = check.conclude(ALPHA)
    assert result.finding.fault.id == "wrong-scale"
    assert result.finding.quantity == "variance of the first release at 100 to 1e+03"


def fresh(rng, sessions=400):
    return rng.standard_normal((sessions, len(TIMES), 1)) * np.sqrt(TIMES)[:, None]


def forgetful(rng):
    noise = brownian(rng, sessions=2000)
    noise[::8] = fresh(rng, 250)
    return noise


def wide(rng, factor):
    z = normal(rng)
    z[:, 1:] *= factor
    return innovated(rng, z)


def after_unusual(rng):
    z = normal(rng)
    for k in range(1, len(TIMES)):
        before = innovated(rng, z)[:, k - 1] / np.sqrt(TIMES[k - 1])
        z[:, k] *= np.where(np.abs(before) > 2.0, 2.0, 1.0)
    return innovated(rng, z)


def remembers_little(rng):
    """The mean of the bridge is a tenth short of the release before."""
    z = normal(rng)
    noise = [np.sqrt(TIMES[0]) * z[:, 0]]
    for k in range(1, len(TIMES)):
        share = TIMES[k] / TIMES[k - 1]
        noise.append(0.8 * share * noise[-1] + np.sqrt(TIMES[k] * (1 - share)) * z[:, k])
    return np.stack(noise, axis=1)


TRANSCRIPTS = [
    (lambda rng: brownian(rng), None),
    (fresh, "fresh-noise"),
    (remembers_little, "wrong-bridge"),
    (forgetful, "forgetful-sessions"),
    (lambda rng: wide(rng, np.sqrt(1.3)), "wrong-bridge-variance"),
    (lambda rng: wide(rng, 3.0), "wrong-bridge"),
    (after_unusual, "after-unusual-release"),
    (lambda rng: innovated(rng, heavy(rng)), "wrong-shape"),
    (lambda rng: innovated(rng, clipped(rng)), "clipped"),
    (lambda rng: innovated(rng, rare(rng)), "rare-sessions"),
    (lambda rng: innovated(rng, normal(rng) + 0.3), "shifted"),
]


@pytest.mark.parametrize(("noise", "found"), TRANSCRIPTS)
def test_a_release_given_the_one_before(noise, found):
    assert fault(seen(TranscriptLaw(), batch(noise(np.random.default_rng(2))))) == found


@pytest.mark.parametrize(("noise", "found"), TRANSCRIPTS)
def test_adaptive_sessions_are_judged_with_all_others_and_by_themselves(noise, found):
    drawn = batch(noise(np.random.default_rng(2)), adaptive=True)
    assert fault(seen(AdaptiveLaw(), drawn)) == found
    assert fault(seen(TranscriptLaw(), drawn)) == found
    assert fault(seen(AdaptiveLaw(), batch(noise(np.random.default_rng(2))))) is None


def test_rounded_normals_are_told_from_counts():
    rng = np.random.default_rng(3)
    times = (2.0, 1.0)
    check = TranscriptLaw(Skellam(1.0))
    assert fault(seen(check, batch(skellam(rng, times, 4000), times, Skellam(1.0)))) is None
    steps = np.round(np.sqrt(2.0) * rng.standard_normal((4000, 2, 1)))
    noise = np.cumsum(steps, axis=1)[:, ::-1]
    assert fault(seen(TranscriptLaw(Skellam(1.0)), batch(noise, times, Skellam(1.0)))) == "rounded-normals"


CASES = [Case(f"{value:g}", (value,), Fixed(TIMES), "sample") for value in (3.0, -1000.0)]


@pytest.mark.parametrize(
    ("noise", "found"),
    [
        (lambda rng, value: brownian(rng), None),
        (lambda rng, value: brownian(rng) - 0.2 * np.sign(value) * np.sqrt(TIMES)[:, None], "pulled-to-zero"),
        (lambda rng, value: brownian(rng) * (1.2 if abs(value) > 100 else 1.0), "depends-on-value"),
    ],
)
def test_noise_that_depends_on_the_value(noise, found):
    rng = np.random.default_rng(4)
    drawn = [batch(noise(rng, case.value[0]), value=case.value[0], name=case.name) for case in CASES]
    assert fault(seen(ValueLaw(CASES), *drawn)) == found


@pytest.mark.parametrize(
    ("ratio", "alone", "given"),
    [
        (1.3, faults.WRONG_SCALE, faults.WRONG_SCALE),
        (4.1, faults.WRONG_SCALE, faults.WRONG_SCALE),
        (0.249, faults.WRONG_SCALE, faults.WRONG_SCALE),
        (7.0, faults.DEVIATION_FOR_VARIANCE, faults.WRONG_BRIDGE),
        (0.1, faults.DEVIATION_FOR_VARIANCE, faults.WRONG_BRIDGE),
    ],
)
def test_a_ratio_of_variances_far_from_simple_ones_is_of_another_kind(ratio, alone, given):
    assert fault_of_scale(faults.WRONG_SCALE, ratio, alone=True) == alone
    assert fault_of_scale(faults.WRONG_SCALE, ratio, alone=False) == given
    assert fault_of_scale(faults.DEPENDS_ON_VALUE, ratio, alone=False) == faults.DEPENDS_ON_VALUE
