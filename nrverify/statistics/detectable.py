"""How large an effect must be for a bet to win with probability one half: the bet itself, asked at the median it sees.

A bet's e-value is a function of sums. With an effect of a given size, each of these sums has a known median; where the
e-value at the median reaches what is needed, it is reached with probability one half. (Later looks only add to that.)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, expit, gammaincinv

from nrverify.statistics.labels import LabelBets
from nrverify.statistics.wealth import TIE_EFFECTS, BinWealth, MeanWealth, ScaleWealth, log_average

Floats = NDArray[np.float64]

SMALLEST, LARGEST = 1e-6, 1e3
"""Between which an effect is sought: no budget sees less, and more is no matter of statistics."""
STEPS = 32
"""Halvings of the logarithm of that range: eight digits, more than are ever printed."""


@lru_cache(maxsize=4096)
def detectable_variance(count: int, needed: float) -> float:
    """The relative change of a variance, up or down, that so many squares show with log e ≥ needed half of the time."""
    if count < 2:
        return float("inf")
    # Twice a gamma law of half as many degrees: its median is that of the sum of squares.
    median = 2 * float(gammaincinv(0.5 * count, 0.5))

    def won(ratio: float) -> float:
        return ScaleWealth(count, ratio * median).log_e

    above = _least(lambda x: won(1 + x) >= needed)
    below = _least(lambda x: x < 1 and won(1 - x) >= needed, most=1.0)
    return max(above, below)


@lru_cache(maxsize=4096)
def detectable_slope(energy: float, needed: float) -> float:
    """The slope on a covariate whose squares add up to `energy`.

    Squares of unit covariates add up to another number in another run: it is taken two standard deviations lower, so
    that what one run states is kept by the next.
    """
    if not energy > 0:
        return float("inf")
    low = energy * max(1 - 2 * math.sqrt(2 / energy), 0.25)
    return _least(lambda x: MeanWealth(x * low, low).log_e >= needed)


@lru_cache(maxsize=4096)
def detectable_probability(count: int, probability: float, needed: float) -> float:
    """The change of a probability, up or down, that so many events of it show.

    Where events have different probabilities this is one for their mean: log(1 − p + p e^θ) is concave in p, so that a
    bet pays less for them than for as many of the mean, and wins no later.
    """
    if count < 1 or not 0 < probability < 1:
        return float("inf")
    # 1 − p + p e^θ, in logarithms: θ may be large.
    paid = count * np.logaddexp(np.log1p(-probability), np.log(probability) + TIE_EFFECTS)
    foreseen = probability * count

    def won(happened: int) -> bool:
        return log_average(TIE_EFFECTS * happened - paid) >= needed

    up = _first(lambda n: won(int(np.ceil(foreseen)) + n), count - int(np.ceil(foreseen)))
    down = _first(lambda n: won(int(foreseen) - n), int(foreseen))
    changes = []
    if up is not None:
        most = int(np.ceil(foreseen)) + up
        # So many or more happen half of the time: the binomial law in terms of the beta law.
        changes.append(float(betaincinv(most, count - most + 1, 0.5)) - probability)
    if down is not None:
        least = int(foreseen) - down
        changes.append(probability - float(betaincinv(least + 1, count - least, 0.5)))
    # A direction in which nothing is left to change tells nothing.
    return max(changes, default=1.0)


def detectable_sum(log_wealth: Floats, seen: float, foreseen: float, most: float, needed: float) -> float:
    """The change, up or down, of a sum on which bets of the form Σθh − paid(θ) rest, from its expectation.

    `log_wealth` is what they have won at the sum `seen`; no sum is larger than `most`. Its median is near its mean.
    """
    paid = TIE_EFFECTS * seen - log_wealth

    def won(total: float) -> bool:
        return log_average(TIE_EFFECTS * total - paid) >= needed

    found = []
    # A direction in which even the largest change would not win tells nothing.
    if most - foreseen > SMALLEST and won(most):
        found.append(_least(lambda x: won(foreseen + x), most - foreseen))
    if foreseen > SMALLEST and won(0.0):
        found.append(_least(lambda x: won(foreseen - x), foreseen))
    return max(found, default=math.inf)


def detectable_hazard(
    log_wealth: Floats, seen: float, foreseen: float, rounds: float, runs: float, needed: float
) -> float:
    """The change of the probability of an event that ends a run, on average over the rounds played.

    Events that are likelier leave fewer rounds to bet on. How many is known of runs that end with one probability in
    each of some number of rounds: those which, as claimed, have as many rounds as were played.
    """
    mean = foreseen / rounds
    paid = (TIE_EFFECTS * seen - log_wealth) / rounds

    def played(probability: float, most: float) -> float:
        return float(-np.expm1(most * np.log1p(-probability)) / probability)

    if not 0 < mean < 1:
        return math.inf
    longest = _least(lambda most: played(mean, most) >= min(rounds / runs, (1 - 1e-9) / mean), LARGEST)

    def won(probability: float) -> bool:
        share = runs * played(probability, longest)
        return log_average(share * (TIE_EFFECTS * probability - paid)) >= needed

    found = [_least(lambda x: won(mean + x), 1 - mean), _least(lambda x: won(mean - x), mean)]
    return max((x for x, most in zip(found, (1 - mean, mean), strict=True) if x < most * (1 - 1e-6)), default=math.inf)


def detectable_share(cells: int, count: int, needed: float) -> float:
    """The share of so many numbers that lies in the wrong half of equally likely cells, where bets on the cells win."""
    signs = np.repeat([1.0, -1.0], cells // 2)

    def won(x: float) -> bool:
        planted = BinWealth(np.full(cells, 1 / cells))
        planted.bet(count / cells * (1 + 2 * x * signs))
        return planted.log_e >= needed

    return _least(won, 0.5) if count else math.inf


def detectable_odds(bets: LabelBets, count: float, claim: float, needed: float) -> float:
    """The ε by which an attacker knows the label of each of so many sessions with which the bets on it refute a claim.

    Of the predictors one knows it: the others win nothing, and have their share of the wealth. Infinite where so few
    sessions refute nothing.
    """

    def wins(beyond: float) -> bool:
        odds = claim + beyond
        planted = bets.empty_copy()
        predictors = planted.sides[0].log_wealth.shape[0]
        right = float(expit(odds))
        for towards in (-1.0, 1.0):
            for agrees, share in ((True, right), (False, 1 - right)):
                guess = np.zeros((predictors, 1))
                guess[0] = towards * odds
                label = np.array([(towards > 0) == agrees])
                planted.bet(guess, np.array([claim]), label, 0.5 * count * share)
        return planted.log_e >= needed

    found = _least(wins)
    return claim + found if found < LARGEST else math.inf


def detectable_correlation(count: int, needed: float, regret: float) -> float:
    """The correlation at which a learned normal law beats all that are independent, after what learning has cost."""
    # The best independent law has two scales fitted to what was bet on: half a nat for each.
    return float(np.sqrt(-np.expm1(-2 * (needed + regret + 1.0) / count))) if count > 0 else 1.0


def detectable_count(enough: int) -> float:
    """The expected number of rare events with which so many happen half of the time."""
    return float(gammaincinv(enough, 0.5))


def _first(wins: Callable[[int], bool], most: int) -> int | None:
    """The smallest number up to the largest that wins, by bisection; None where none does."""
    if most < 0 or not wins(most):
        return None
    low, high = -1, most
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if wins(middle) else (middle, high)
    return high


def _least(wins: Callable[[float], bool], most: float = LARGEST) -> float:
    """The smallest effect that wins, by bisection of its logarithm; the largest where none does."""
    low, high = np.log(SMALLEST), np.log(most)
    if not wins(most * (1 - 1e-9)):
        return most
    for _ in range(STEPS):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if wins(float(np.exp(middle))) else (middle, high)
    return min(float(np.exp(high)), most)
