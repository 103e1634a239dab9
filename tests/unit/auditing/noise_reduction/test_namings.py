"""Faults that several topics show: which of them is said, from wealth given by hand."""

from nrverify.auditing.core.bets.named_alternatives import FORGETFUL, FRESH, SESSIONS
from nrverify.auditing.core.faults.noise import FRESH_NOISE, RARE_SESSIONS, WRONG_BRIDGE, WRONG_SCALE, WRONG_SHAPE
from nrverify.auditing.core.finding import Finding
from nrverify.auditing.noise_reduction.checks.namings import fresh_or_bridge, rare_or_shape, scale_or_shape
from nrverify.statistics.estimate import Estimate, Measure
from nrverify.statistics.wealth import RatioWealth

SEEN = Finding("what was measured", Estimate(Measure.SLOPE, 0.0, 0.3))


def won(**nats):
    names = {name.replace("_", "-"): value for name, value in nats.items()}
    wealth = RatioWealth(names)
    wealth.bet(names)
    return wealth


def test_noise_drawn_afresh_is_said_only_where_its_likelihood_says_so():
    fresh = SEEN.of(FRESH_NOISE)
    assert fresh_or_bridge(fresh, 25.0, won(**{FRESH: 400.0, FORGETFUL: 80.0})).fault is FRESH_NOISE
    assert fresh_or_bridge(fresh, 25.0, won(**{FRESH: -90.0, FORGETFUL: 2.0})).fault is WRONG_BRIDGE
    assert fresh_or_bridge(SEEN.of(WRONG_SCALE), 25.0, won(**{FRESH: -90.0})).fault is WRONG_SCALE


def test_sessions_that_are_noisier_and_quieter_at_once_are_another_shape():
    narrow, wide = "session-in-100-third", "session-in-3000-triple"
    others = dict.fromkeys(SESSIONS, -5.0)
    rare = SEEN.of(RARE_SESSIONS)
    assert rare_or_shape(rare, won(**(others | {narrow: 24.0, wide: 21.0}))).fault is WRONG_SHAPE
    assert rare_or_shape(rare, won(**(others | {narrow: 24.0, wide: 5.0}))).fault is RARE_SESSIONS
    assert rare_or_shape(rare, won(**(others | {narrow: -2.0, wide: 21.0}))).fault is RARE_SESSIONS


def test_a_shape_that_explains_nearly_as_much_is_named_beside_a_constant():
    scale = SEEN.of(WRONG_SCALE)
    assert scale_or_shape(scale, 20.0, won(student_3=15.0)).nearest == (WRONG_SHAPE,)
    assert scale_or_shape(scale, 20.0, won(student_3=14.0)).nearest == ()
    assert scale_or_shape(SEEN.of(WRONG_BRIDGE), 20.0, won(student_3=15.0)).nearest == ()
