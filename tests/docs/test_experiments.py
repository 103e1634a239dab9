"""The experiments of the page of triage: what they print agrees for a right subject and differs for a wrong one."""

import numpy as np
import pytest

from nrverify import Grid
from nrverify.auditing.core.faults import known_faults
from nrverify.auditing.explain import experiments
from nrverify.auditing.explain.experiments import EXPERIMENTS, THRESHOLD_LAW, experiment_of
from nrverify.laws.crossing import crossing_probability
from nrverify.reference.mutants import (
    any_order,
    boundary,
    brownian,
    brownian_randomness,
    brownian_sessions,
    laplace,
    last_bits,
    private_stopping,
    threshold,
)
from nrverify.reference.mutants.correct.any_order import BrownianAnyOrder
from nrverify.reference.mutants.correct.boundary import Linear
from nrverify.reference.mutants.correct.epsilon import EpsilonBrownian
from nrverify.reference.mutants.correct.noise import Brownian, Skellam, WalkLaplace
from nrverify.reference.mutants.correct.stopping import PrivateStopping
from nrverify.reference.mutants.correct.threshold import AboveThreshold, ReducedAboveThreshold


class NotFinite(Brownian):
    """Infinite noise at large times."""

    def sample(self, value, schedule, sessions, seed):
        return super().sample(value, schedule, sessions, seed) * (np.inf if schedule[0] > 100 else 1.0)


class InClear(Brownian):
    """No noise in one session of twenty."""

    def sample(self, value, schedule, sessions, seed):
        releases = super().sample(value, schedule, sessions, seed)
        releases[::20] = value
        return releases


class QuarterOfTheNoise(EpsilonBrownian):
    """A quarter of the variance that is needed."""

    def time_at(self, at, d):
        return super().time_at(at, d) / 4


class OneSeed(AboveThreshold):
    """The seed is ignored."""

    def run_many(self, utilities, epsilons, threshold, sensitivity, runs, seed):
        return super().run_many(utilities, epsilons, threshold, sensitivity, runs, 0)


class Priced:
    """Each output has its price."""

    neighbours = ((0, 1),)

    def run(self, data, seed):
        self.last = seed
        return data + seed

    def spent(self, output):
        return float(output)


class PricedByState(Priced):
    """The price is that of the last run."""

    def spent(self, output):
        self.last += 1
        return float(self.last)


CASES = {
    "RECURSION": (Brownian, brownian.FreshNoise),
    "ANY_ORDER": (BrownianAnyOrder, any_order.OrderRemembered),
    "PRECISION": (Brownian, brownian.FreshNoise),
    "SCALE": (Brownian, brownian.VarianceForDeviation),
    "SHAPE": (Brownian, brownian_randomness.HeavyTails),
    "RARE": (Brownian, InClear),
    "LIMIT": (Brownian, brownian_randomness.Clipped),
    "REPEATS": (Brownian, brownian_randomness.SeedIgnored),
    "SINGLE": (Brownian, brownian_randomness.SinglePrecision),
    "INTEGERS": (Skellam, Brownian),
    "IN_CLEAR": (Brownian, InClear),
    "BY_VALUE": (Brownian, brownian.PullToZero),
    "COORDINATES": (Brownian, brownian_randomness.SharedByCoordinates),
    "TURNS": (Brownian, brownian_sessions.StateOnSubject),
    "AGAIN": (Brownian, brownian.RepeatedTimeFresh),
    "TIES": (WalkLaplace, laplace.KeepLinear),
    "FINITE": (Brownian, NotFinite),
    "LAST_BITS": (last_bits.RoundedAfter, Brownian),
    "TOO_LITTLE": (EpsilonBrownian, QuarterOfTheNoise),
    "HALTING": (AboveThreshold, threshold.QueryNoiseHalved),
    "HALTING_REDUCED": (ReducedAboveThreshold, threshold.ThresholdNeverReduced),
    "MORE_BITS": (AboveThreshold, threshold.ContinuesAfterHalting),
    "SHARED_RUNS": (AboveThreshold, OneSeed),
    "STOPPING": (PrivateStopping, private_stopping.OneMoreRelease),
    "CROSSING": (Linear, boundary.SingleLook),
    "RISES": (Linear, boundary.Increasing),
    "INVERSE": (Linear, boundary.InverseOff),
    "PRICE": (Priced, PricedByState),
}
RELATIVE, ABSOLUTE = 0.05, 0.01
"""Between two numbers that agree. With 100,000 draws the standard errors of all that is printed are below a fifth of
the sum of both, and the seeds are fixed; what is wrong is off by more."""


def holds(seen, relation, claimed):
    if isinstance(seen, set):
        return seen == claimed
    seen, claimed = (np.asarray(side, dtype=float) for side in (seen, claimed))
    slack = RELATIVE * np.abs(claimed) + ABSOLUTE
    if relation.startswith("at most"):
        return bool(np.all(seen <= claimed * (1 + 1e-9)))
    if relation.startswith("at least"):
        return bool(np.all(seen >= claimed - slack))
    return seen.shape == claimed.shape and bool(np.all(np.abs(seen - claimed) <= slack))


def tried(experiment, subject):
    """Whether what the experiment prints of a subject agrees."""
    printed = []
    data = subject.neighbours[0][0] if isinstance(subject, Priced) else None
    names = {
        "np": np,
        "Grid": Grid,
        "crossing_probability": crossing_probability,
        "subject": subject,
        "value": np.zeros(2, dtype=int if isinstance(subject, Skellam) else float),
        "data": data,
        "print": lambda *words: printed.append(words),
    }
    exec(THRESHOLD_LAW, names)
    exec(experiment.code, names)
    ((seen, relation, claimed),) = printed
    assert relation.endswith(":")
    return holds(seen, relation, claimed)


@pytest.mark.parametrize("name", CASES)
def test_an_experiment_agrees_for_a_right_subject_and_differs_for_a_wrong_one(name):
    experiment, (right, wrong) = getattr(experiments, name), CASES[name]
    assert tried(experiment, right())
    assert not tried(experiment, wrong())
    assert len(experiment.code.split("\n")) == 2


def test_every_experiment_is_tried():
    assert {id(getattr(experiments, name)) for name in CASES} == {id(one) for one in EXPERIMENTS}


def test_every_experiment_is_for_faults_of_the_table_and_no_fault_has_two():
    listed = [id for one in EXPERIMENTS for id in one.faults]
    assert len(listed) == len(set(listed))
    assert set(listed) <= set(known_faults())


def test_a_form_of_a_fault_has_the_experiment_of_the_general_one_and_what_is_unknown_that_of_any_law():
    faults = known_faults()
    assert experiment_of(faults["all-releases-fresh"]) is experiments.RECURSION
    assert experiment_of(faults["pulled-to-zero"]) is experiments.BY_VALUE
    assert experiment_of(faults["unknown"]) is experiments.SHAPE
