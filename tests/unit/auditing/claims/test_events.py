"""Events of the report: plain ones, whose values can be looked for, and sentences that say no more than was seen."""

import numpy as np

from nrverify.auditing.claims.bets import Point
from nrverify.auditing.claims.columns import columns_of
from nrverify.auditing.claims.events import found_event
from nrverify.auditing.claims.measured import Measured
from nrverify.auditing.claims.sample import Labelled, together

POINT = Point(0.5, 0.0, 0.5)


def event_of(zero, one, seed=0):
    """The event found in outputs under label 0 and label 1, in words."""
    outputs = [*zero, *one]
    order = np.random.default_rng(seed).permutation(len(outputs))
    label = order >= len(zero)
    mixed = [outputs[place] for place in order]
    sample = together([Labelled(0, columns_of(mixed), label, np.full(label.size, 0.5))])
    found = found_event(0, sample, POINT, 1000)
    assert found is not None
    return found[1].words(sample, mixed)


def test_integers_are_told_apart_by_a_limit_and_not_by_a_list_of_lucky_values():
    rng = np.random.default_rng(1)
    noise = [(rng.geometric(0.55, 1500) - rng.geometric(0.55, 1500)).tolist() for _ in range(2)]
    words = event_of([one - 1 for one in noise[0]], noise[1])
    assert " or " not in words
    assert words.startswith("the output is above")


def test_of_equal_events_the_plainest_is_said():
    rng = np.random.default_rng(2)

    def outputs(share):
        return [None if quiet else {"v": [1, 0.5], "t": "q"} for quiet in rng.random(1500) < share]

    assert event_of(outputs(0.3), outputs(0.05)) == "the output is None"


def test_a_further_value_is_listed_only_where_it_improves_the_event():
    rng = np.random.default_rng(3)
    names = np.array(["a", "b", "c", "d", "e"])
    zero = rng.choice(names, 2000, p=[0.1, 0.225, 0.225, 0.225, 0.225]).tolist()
    one = rng.choice(names, 2000, p=[0.4, 0.15, 0.15, 0.15, 0.15]).tolist()
    assert event_of(zero, one) == "the output is 'a'"


def measured(hits, other):
    return Measured("the output is 1", "0", "1", hits, 1000, other, 1000, 1.0, 0.0)


def test_what_was_measured_is_said_as_far_as_it_goes():
    assert "no ε above 0" in measured(500, 500).sentence
    assert "more than is claimed" not in measured(600, 300).sentence
    assert "more than is claimed, but far from what refutes" in measured(600, 180).sentence
