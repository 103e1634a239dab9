"""The CPU of an audit is counted for what its subject drew, and a row of it can be missed. Nothing here is timed."""

import math

import numpy as np
import pytest
from scipy import stats

from nrverify.benchmark import audits


def test_what_a_subject_drew_in_another_process_is_counted():
    found = audits.spent(audits.AboveThreshold(), 2000)
    assert found.numbers >= 1900
    assert found.cpu > 0
    assert found.each == pytest.approx(1e6 * found.cpu / found.numbers)


def test_nothing_is_measured_of_a_subject_that_is_refuted():
    class Silent(audits.BrownianBatches):
        def sample(self, value, schedule, sessions, seed):
            return super().sample(value, schedule, sessions, seed) * 0.0

    with pytest.raises(RuntimeError, match="found refuted"):
        audits.spent(Silent(), 200)


@pytest.mark.parametrize(("numbers", "verdict"), [(10**6, "met"), (10**5, "missed"), (0, "missed")])
def test_a_row_is_met_up_to_its_microseconds(monkeypatch, numbers, verdict):
    monkeypatch.setattr(audits, "spent", lambda subject, samples: audits.Spent(0.9, 2.0, numbers))
    row = audits.cpu_row(audits.BrownianBatches, "number", 1.0, 5)
    assert row.verdict == verdict
    assert math.isnan(row.measured) == (numbers == 0)


def test_two_workers_that_take_as_long_as_one_miss_only_the_row_of_slow_subjects(monkeypatch):
    monkeypatch.setattr(audits, "spent", lambda subject, samples, jobs=None: audits.Spent(1.0, 1.0, 10))
    assert [row.verdict for row in audits.workers()] == ["missed", "met"]


@pytest.mark.parametrize(
    ("subject", "law"),
    [
        (audits.BrownianBatches, lambda t: stats.norm(scale=t**0.5)),
        (audits.LaplaceBatches, lambda t: stats.laplace(scale=t)),
    ],
)
def test_the_noise_of_subjects_has_the_law_they_claim(subject, law):
    drawn = subject().sample(np.array([5.0, -1.0]), (4.0, 1.0), 4000, 3) - np.array([5.0, -1.0])
    for at, t in enumerate((4.0, 1.0)):
        assert stats.kstest(drawn[:, at].ravel(), law(t).cdf).pvalue > 1e-3
