"""Bets that are worked out for many batches together are those of batch after batch."""

import numpy as np
import pytest

from nrverify.auditing.core.bets import pooled_check
from nrverify.auditing.noise_reduction.checks.law import TranscriptLaw
from nrverify.auditing.noise_reduction.checks.release_law import ReleaseLaw
from nrverify.auditing.noise_reduction.checks.streams import Streams
from nrverify.auditing.noise_reduction.design.knob import Knob
from tests.unit.auditing.noise_reduction.batches import batch, brownian

KNOB = Knob(0.01, 1000.0, True)


def batches():
    rng = np.random.default_rng(31)
    return [batch(brownian(rng, sessions=sessions, d=2)) for sessions in (5, 40, 17)]


@pytest.mark.parametrize("build", [lambda: ReleaseLaw(KNOB), TranscriptLaw])
def test_batches_worked_out_together_give_the_wealth_of_batch_after_batch(build, monkeypatch):
    together, apart, merged = build(), build(), build()
    for drawn in batches():
        together.observe(drawn)
    part = merged.empty_copy()
    for drawn in batches():
        part.observe(drawn)
    merged.merge(part)
    monkeypatch.setattr(pooled_check, "POOLED", 1)
    for drawn in batches():
        apart.observe(drawn)
        assert not apart._kept_numbers
    assert together._kept_numbers
    expected = {topic: bet.log_e for topic, bet in apart.portfolio.bets.items()}
    assert {topic: bet.log_e for topic, bet in together.portfolio.bets.items()} == pytest.approx(expected, rel=1e-9)
    assert {topic: bet.log_e for topic, bet in merged.portfolio.bets.items()} == pytest.approx(expected, rel=1e-9)
    assert not together._kept_numbers
    assert together.sessions == apart.sessions == merged.sessions == 62
    assert together.count == apart.count == merged.count
    assert together.empty_copy().portfolio.log_e == pytest.approx(0.0, abs=1e-12)


def test_a_transcript_that_comes_again_in_a_later_batch_is_seen_though_its_key_was_made_with_others():
    check, (first, *others) = Streams("brownian"), batches()
    for drawn in (first, *others, first):
        check.observe(drawn)
    assert check.p_value() < 1e-6
    check = Streams("brownian")
    for drawn in (first, *others):
        check.observe(drawn)
    assert check.p_value() == 1.0
