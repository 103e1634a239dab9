"""The bet on the scale of all jumps is the likelihood ratio of whole transcripts, also where times adapt."""

import numpy as np
import pytest

from nrverify.auditing.core.transforms.rosenblatt import innovations
from nrverify.auditing.noise_reduction.checks import law_topics as topics
from nrverify.auditing.noise_reduction.checks.jumps import every_jump
from nrverify.auditing.noise_reduction.checks.law import TranscriptLaw
from nrverify.auditing.noise_reduction.design.batch import Batch
from nrverify.auditing.noise_reduction.design.cases import Case
from nrverify.laws.laplace import Laplace
from nrverify.reference.reverse_steps import LAPLACE
from nrverify.subjects.policies import Follow


def adaptive(sessions, scale=1.0):
    """Three releases; the second time depends on the first release, and some sessions end after two."""
    rng = np.random.default_rng(4)
    times = np.full((sessions, 3), np.nan)
    times[:, 0] = 8.0
    noise = np.full((sessions, 3, 1), np.nan)
    noise[:, 0] = LAPLACE.start(scale * times[:, :1], (sessions, 1), rng)
    times[:, 1] = np.where(noise[:, 0, 0] > 0, 4.0, 1.5)
    noise[:, 1] = LAPLACE.onward(noise[:, 0], scale * times[:, :1], scale * times[:, 1:2], rng)
    on = np.abs(noise[:, 1, 0]) < 2
    times[on, 2] = 0.5 * times[on, 1]
    noise[on, 2] = LAPLACE.onward(noise[on, 1], scale * times[on, 1:2], scale * times[on, 2:], rng)
    case = Case("a case", (0.0,), Follow(8.0, 0.5, 0.5, 0.2, 3, 0.0), "open")
    found = innovations(Laplace(), noise, times, np.abs(noise), rng, integer=False)
    return Batch(case, noise, times, times, found)


@pytest.mark.parametrize("c", [0.8, 1.3])
def test_it_is_the_ratio_of_the_densities_of_each_release_given_the_past(c):
    drawn = adaptive(200)
    process, expected = Laplace(), 0.0
    for times, noise in zip(drawn.times, drawn.noise[..., 0], strict=True):
        expected += float(process.marginal(times[0]).logpdf(noise[0] / c) - np.log(c))
        expected -= float(process.marginal(times[0]).logpdf(noise[0]))
        for at in (1, 2):
            if np.isfinite(times[at]) and noise[at] != noise[at - 1]:
                scaled = process.bridge(times[at], times[at - 1], noise[at - 1] / c)
                plain = process.bridge(times[at], times[at - 1], noise[at - 1])
                expected += float(scaled.logpdf(noise[at] / c)) - np.log(c) - float(plain.logpdf(noise[at]))
            elif np.isfinite(times[at]):
                scaled = process.bridge(times[at], times[at - 1], noise[at - 1] / c)
                plain = process.bridge(times[at], times[at - 1], noise[at - 1])
                expected += float(np.log(scaled.atom) - np.log(plain.atom))
    jumps, total = every_jump(drawn)
    assert -jumps * np.log(c) + total * (1 - 1 / c) == pytest.approx(expected, rel=1e-9)


def test_it_wins_against_noise_of_another_scale_and_not_against_right_noise():
    for scale, wins in ((1.0, False), (0.9, True)):
        check = TranscriptLaw(jumping=True)
        check.observe(adaptive(4000, scale))
        # A fair bet reaches e^12 with probability 6e-6.
        assert (check.portfolio[topics.EVERY_SCALE].log_e > 12) is wins
