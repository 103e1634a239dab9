"""The change of a halting probability that a bet refutes: it leaves fewer rounds to bet on, as simulation has it."""

import numpy as np
import pytest

from nrverify.statistics.detectable import detectable_hazard
from nrverify.statistics.wealth import TieWealth

RUNS, ROUNDS, PROBABILITY, NEEDED = 1500, 4, 0.15, 19.0


def played(rng, probability):
    """Runs of at most so many rounds, each ended with a probability: the bet after them."""
    ends = np.minimum(rng.geometric(probability, RUNS), ROUNDS + 1)
    halted = np.concatenate([np.arange(1, min(end, ROUNDS) + 1) == end for end in ends])
    wealth = TieWealth()
    wealth.bet(halted, np.full(halted.size, PROBABILITY))
    return wealth


def size(wealth):
    return detectable_hazard(wealth.log_wealth, wealth.happened, wealth.foreseen, wealth.count, RUNS, NEEDED)


def test_the_size_is_refuted_half_of_the_time():
    """Of 200 trials with probability ½ from 70 to 130 are refuted but for 2e-5."""
    rng = np.random.default_rng(1)
    found = size(played(rng, PROBABILITY))
    refuted = sum(played(rng, PROBABILITY + found).log_e >= NEEDED for _ in range(200))
    assert 70 <= refuted <= 130


def test_without_a_limit_on_rounds_the_size_is_larger():
    rng = np.random.default_rng(2)
    wealth = played(rng, PROBABILITY)
    bounded, free = (
        detectable_hazard(wealth.log_wealth, wealth.happened, wealth.foreseen, wealth.count, runs, NEEDED)
        for runs in (wealth.count, wealth.happened)
    )
    assert free > bounded > 0


@pytest.mark.parametrize("foreseen", [0.0, 10.0])
def test_what_never_or_always_happens_states_no_size(foreseen):
    assert detectable_hazard(np.zeros(28), foreseen, foreseen, 10.0, 10.0, NEEDED) == np.inf
