"""Right mechanisms at the limit of their claim are refuted no more often than α allows, at every look together."""

import numpy as np
import pytest

from nrverify.auditing.claims.bets import Point
from nrverify.auditing.claims.claim import PrivacyClaim
from nrverify.auditing.claims.columns import columns_of
from nrverify.auditing.claims.context import Claim
from nrverify.auditing.claims.pairs import Case
from nrverify.auditing.claims.sample import Labelled
from nrverify.auditing.sampling.looks import looks
from nrverify.reference.mutants import textbook
from nrverify.statistics.proportions import binomial

AUDITS = 60


def refuted_at_some_look(subject, alpha, runs, seed):
    """An audit as far as its bets go, look by look; whether one refuted, and so any stop could have been chosen."""
    rng = np.random.default_rng(seed)
    point = Point(subject.epsilon, subject.delta, subject.epsilon)
    check = PrivacyClaim(Claim((point,), "claimed"), (Case(*subject.neighbours[0]),))
    drawn = 0
    for look in looks():
        label = rng.random(int(look)) < 0.5
        outputs = [None] * label.size
        for side in (0, 1):
            rows = np.flatnonzero(label == bool(side))
            made = subject.run_many(subject.neighbours[0][side], rows.size, int(rng.integers(2**40)))
            for row, output in zip(rows, np.asarray(made).tolist(), strict=True):
                outputs[row] = output
        fresh = check.empty_copy()
        fresh.observe_labelled(Labelled(0, columns_of(outputs), label, np.full(label.size, point.epsilon)))
        check.merge(fresh)
        if check.refuted(alpha):
            return True
        drawn += label.size
        if drawn >= runs:
            return False
    raise AssertionError("looks never end")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["LaplaceCount", "RandomizedResponse", "GeometricCount", "GaussianSum"])
def test_tight_mechanisms_are_refuted_within_alpha(name):
    """At α = 0.05; the test fails for a valid audit with probability below 1e-4."""
    alarms = sum(refuted_at_some_look(getattr(textbook, name)(), 0.05, 1500, seed) for seed in range(AUDITS))
    assert binomial(alarms, AUDITS, 0.05, "greater") > 1e-4


def test_one_tight_mechanism_is_not_refuted_at_the_default_level():
    assert not any(refuted_at_some_look(textbook.LaplaceCount(), 1e-6, 1500, seed) for seed in range(3))
