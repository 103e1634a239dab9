"""Checks of neighbouring values: transcripts that say more than their last release, and claims that are violated.

Right noise is refuted with probability at most 6e-8 a test; seeds are fixed.
"""

from dataclasses import replace

import numpy as np
import pytest

from nrverify.auditing.core.results import CheckVerdict
from nrverify.auditing.explain.text import worded
from nrverify.auditing.noise_reduction.checks.change_of_measure import ChangeOfMeasure
from nrverify.auditing.noise_reduction.checks.ex_post import ExPost
from nrverify.laws.brownian import Brownian
from tests.unit.auditing.noise_reduction.batches import TIMES, brownian, fault, labelled, laplace, seen


def fresh(rng, sessions):
    return rng.standard_normal((sessions, len(TIMES), 1)) * np.sqrt(TIMES)[:, None]


@pytest.mark.parametrize(
    ("noise", "found"),
    [
        (lambda rng, sessions: brownian(rng, sessions=sessions), None),
        (fresh, "earlier-releases-add"),
        (lambda rng, sessions: 0.7 * brownian(rng, sessions=sessions), "earlier-releases-add"),
    ],
)
def test_the_label_is_as_uncertain_as_the_last_release_says(noise, found):
    drawn = labelled(np.random.default_rng(1), noise, shift=0.8, sessions=20_000)
    check = seen(ChangeOfMeasure(Brownian()), drawn, method="observe_labelled")
    assert fault(check) == found


@pytest.mark.parametrize(("scale", "found"), [(1.0, None), (0.4, "claim-violated")])
def test_nobody_guesses_better_than_the_claim(scale, found):
    rng = np.random.default_rng(2)
    times = (4.0, 2.0)
    drawn = [
        labelled(rng, lambda rng, n: scale * laplace(rng, times, n), times, shift=2.0, sessions=3000) for _ in range(4)
    ]
    check = seen(ExPost("laplace", None, 0.0, 0.5), *drawn, method="observe_labelled")
    assert fault(check) == found


def test_where_bets_see_more_than_any_event_the_report_says_so():
    """An ε below the claim refutes nothing by itself: it must not stand alone as what was observed.

    One of three pairs is told apart. Events are counted over all of them, and bets learn each for itself.
    """
    rng = np.random.default_rng(3)

    def as_soon_as_refuted(*scales):
        check, pairs = ExPost("laplace", None, 0.0, 0.5), dict(enumerate(scales))
        while not check.refuted(1e-6):
            for name, scale in pairs.items():
                drawn = labelled(rng, lambda rng, n, b=scale: b * laplace(rng, (2.0,), n), (2.0,), sessions=500)
                case = replace(drawn.pair.case, name=f"pair {name}")
                seen(check, replace(drawn, pair=replace(drawn.pair, case=case)), method="observe_labelled")
        return check.conclude(1e-6)

    mixed, plain = as_soon_as_refuted(0.7, 1.5, 1.5), as_soon_as_refuted(0.3)
    assert mixed.verdict is plain.verdict is CheckVerdict.REFUTED
    assert mixed.finding.estimate.observed <= mixed.finding.estimate.expected
    assert "bets against the claim won e^" in worded(mixed, ExPost.declaration).observed
    assert plain.finding.estimate.observed > plain.finding.estimate.expected
    assert worded(plain, ExPost.declaration).observed.startswith("empirical ε at least ")
