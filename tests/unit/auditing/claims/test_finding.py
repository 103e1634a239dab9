"""What a refuted claim says was observed: an ε above the claim only where one ε is claimed."""

import pytest

from nrverify.auditing.claims.bets import Point
from nrverify.auditing.claims.claim import PrivacyClaim
from nrverify.auditing.claims.context import Claim
from nrverify.auditing.claims.events import Condition
from nrverify.auditing.claims.measured import Measured
from nrverify.auditing.claims.pairs import Case

ALPHA = 1e-6
SINGLE = Claim((Point(1.0, 0.01, 1.0),), "(1, 0.01)-DP")
CURVE = Claim((Point(1.0, 0.01, 1.0), Point(2.0, 0.001, 2.0)), "a curve")
PRICES = Claim((Point(None, 0.0, 0.5),), "what each output says it has cost", ex_post=True)


def refuted_by_bets(claim, hits):
    """A claim whose bets have won, with an event that was seen so many times in 1000 runs, and 200 in the others."""
    found = PrivacyClaim(claim, (Case(0, 1),))
    found.ledgers[0].bets._leading = 50.0
    found.measured = Measured("an event", "(0)", "(1)", hits, 1000, 200, 1000, 1.0, 0.01)
    assert found.refuted(ALPHA)
    return found


@pytest.mark.parametrize("claim", [CURVE, PRICES], ids=["curve", "prices"])
def test_of_a_curve_or_of_prices_the_event_alone_says_what_was_observed(claim):
    """The bets are on all points at once: that one of them is violated says nothing of the ε of this event."""
    found = refuted_by_bets(claim, 220).conclude(ALPHA).finding
    assert found.estimate.observed == Measured("", "", "", 220, 1000, 200, 1000, 1.0, 0.01).epsilon < 1.0


def test_of_one_epsilon_all_bets_together_prove_at_least_the_claim():
    found = refuted_by_bets(SINGLE, 220).conclude(ALPHA).finding
    assert found.estimate.observed == 1.0
    assert "by all bets together" in found.texts["bound"]


@pytest.mark.parametrize("claim", [SINGLE, CURVE], ids=["single", "curve"])
def test_an_event_that_exceeds_the_claim_is_said_as_it_was_seen(claim):
    found = refuted_by_bets(claim, 995).conclude(ALPHA).finding
    assert found.estimate.observed == Measured("", "", "", 995, 1000, 200, 1000, 1.0, 0.01).epsilon > 1.0


@pytest.mark.parametrize(
    ("strict", "weak", "implied"),
    [
        (Condition((0,), above=2.0), Condition((0,), above=1.0), True),
        (Condition((0,), at_most=1.0), Condition((0,), at_most=2.0), True),
        (Condition((0,), above=1.0), Condition((0,), above=2.0), False),
        (Condition((0,), above=2.0), Condition((1,), above=1.0), False),
        (Condition((0,), above=2.0), Condition((0,), at_most=3.0), False),
        (Condition((0,), among=(1,)), Condition((0,), above=0.0), False),
    ],
)
def test_a_condition_that_follows_from_another_is_not_said(strict, weak, implied):
    assert strict.implies(weak) is implied
