"""Bets on the label against a privacy claim: one wealth for a pair of data, valid at every look and for any learner.

A fair coin b chooses the data, an output o comes, and b is guessed from it. Under the claim
E[u | b=1] − E[u e^E | b=0] ≤ δ sup u for every 0 ≤ u, and the same with the labels exchanged. So staking u(o) on b = 1
(1 + u if it is, 1 − u e^E if not), or on b = 0 at other outputs, multiplies the wealth by at most 1 + ½δ sup u a
side on average: divided by that, the wealth is a supermartingale, whatever u was learned from earlier runs. A stake c
on the coin, whatever the output, wins nothing on average; it takes back what the coin alone made the other stakes
swing by.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from nrverify.auditing.claims.columns import Floats
from nrverify.auditing.claims.predictors import PREDICTORS, Guess
from nrverify.auditing.claims.sample import Labels

EXPECTED = (0.0, 0.3, 0.6)
"""Excess of ε that a stake expects before anything was seen; 0 expects none."""
PRIOR = (4.0, 40.0, 40.0)
"""Runs that this expectation outweighs: what m runs tell is staked by m/(m + so many)."""
CAPS = np.array([1.0, 0.5, 0.25, 0.1])
"""With δ > 0 the largest stake is paid for at every run: small ones win where the edge is small. In units of e^-ε."""
SIDES = (1.0, 0.0, -1.0)
"""With δ > 0: stakes on both labels, on 1 alone, on 0 alone. A side that wins nothing is not paid for."""
LARGEST = 0.999
"""Of the stake that loses everything: no bet does."""
MOST_ON_COIN = 0.5
"""Of the wealth, on the coin alone; more was never best."""
FEWEST_ON_COIN = 20.0
"""Runs that the stake on the coin is outweighed by."""
LEADING, BLEND, EVERY = 0.2, 0.6, 0.2
"""Of the wealth at the start: for following the bet that has done best lately; for the bets on the blend of all
guesses, evenly; for all bets, evenly."""


@dataclass(frozen=True)
class Point:
    """One point of a claim: at most δ beyond ε, the same for all outputs or (None) what each says it has cost."""

    epsilon: float | None
    delta: float
    smallest: float
    """The smallest ε that an output may have."""

    def of(self, charged: Floats) -> Floats:
        """The ε claimed of each output."""
        return charged if self.epsilon is None else np.full(charged.size, self.epsilon)

    @property
    def variants(self) -> tuple[int, int]:
        """How many caps and sides are bet with."""
        return (CAPS.size, len(SIDES)) if self.delta else (1, 1)


class Bets:
    """All bets on the runs of one pair: points of the claim, guesses, expectations, and with δ caps and sides."""

    def __init__(self, points: tuple[Point, ...]) -> None:
        self.points = points
        self.log_wealth = [np.zeros((len(PREDICTORS) + 1, len(EXPECTED), *point.variants)) for point in points]
        self._lately = [np.zeros_like(wealth) for wealth in self.log_wealth]
        self._swing = [np.zeros_like(wealth) for wealth in self.log_wealth]
        """How far each bet went with the coin; as `_lately`, with late runs counting most."""
        self._weight = 0.0
        self._told = np.zeros(len(PREDICTORS))
        """Log likelihood of the labels under each guess."""
        self._leading = 0.0
        self._leader: tuple[int, ...] | None = None
        self.runs = 0
        """Runs that were bet on."""

    def bet(self, guess: Guess, charged: Floats, label: Labels) -> None:
        """Takes in guesses that were learned before these runs, their charges and their labels."""
        blended = _blended(guess, self._told)
        kept = self.runs / max(self.runs + label.size, 1)
        gains = [self._gains(index, blended, charged, label, kept) for index in range(len(self.points))]
        if self._leader is not None:
            self._leading += float(gains[self._leader[0]][self._leader[1:]])
        for index, gain in enumerate(gains):
            self.log_wealth[index] += gain
            self._lately[index] = kept * self._lately[index] + gain
        self._told = kept * self._told - np.logaddexp(0.0, np.where(label, -guess.odds, guess.odds)).sum(axis=1)
        self._weight = kept * self._weight + label.size
        self.runs += label.size
        self._leader = self._best()

    def _best(self) -> tuple[int, ...] | None:
        """The bet that has won most lately: the last runs count most, since guesses become better."""
        point = max(range(len(self.points)), key=lambda index: float(self._lately[index].max()))
        place = np.unravel_index(int(np.argmax(self._lately[point])), self._lately[point].shape)
        return (point, *map(int, place)) if self._lately[point][place] > 0 else None

    @property
    def log_e(self) -> float:
        """log e-value so far."""
        every = np.concatenate([wealth.ravel() for wealth in self.log_wealth])
        blend = np.concatenate([wealth[-1].ravel() for wealth in self.log_wealth])
        parts = (np.log(LEADING) + self._leading, np.log(BLEND) + _mean(blend), np.log(EVERY) + _mean(every))
        return float(np.logaddexp.reduce(parts))

    @property
    def best(self) -> float:
        """Nats of the best bet so far: known in hindsight, it tells where to look on, and refutes nothing."""
        return max(float(wealth.max()) for wealth in self.log_wealth)

    @property
    def point(self) -> Point | None:
        """The point of the claim that the leading bet is on; None where no bet has won lately."""
        return None if self._leader is None else self.points[self._leader[0]]

    def _gains(self, index: int, guess: Guess, charged: Floats, label: Labels, kept: float) -> Floats:
        """Nats won by each bet on a point of the claim; how far it went with the coin is kept for the next runs."""
        point, swing = self.points[index], self._swing[index]
        claim = np.maximum(point.of(charged), point.smallest)
        towards, stakes = _stakes(guess, claim)
        turns = np.where(towards == label, 1.0, -np.exp(claim))
        most = LARGEST * np.exp(-claim)
        on_coin = np.clip(swing / (self._weight + FEWEST_ON_COIN), -MOST_ON_COIN, MOST_ON_COIN)
        coin = np.where(label, -1.0, 1.0)
        gains = np.zeros_like(swing)
        for cap, side in np.ndindex(point.variants):
            largest = CAPS[cap] * LARGEST * np.exp(-point.smallest)
            share, paid = _side(SIDES[side], towards)
            stake = on_coin[:, :, cap, side, None]
            won = np.minimum(np.minimum(stakes, most), largest) * (1 - np.abs(stake)) * (turns * share)[:, None]
            price = label.size * np.log1p(0.5 * point.delta * largest * paid)
            gains[:, :, cap, side] = np.log1p(won + stake * coin).sum(axis=2) - price
            swing[:, :, cap, side] = kept * swing[:, :, cap, side] - (won * coin).sum(axis=2)
        return np.where((guess.runs.max(axis=1) > 0)[:, None, None, None], gains, 0.0)


def _mean(logs: Floats) -> float:
    return float(np.logaddexp.reduce(logs) - np.log(logs.size))


def _side(side: float, towards: Labels) -> tuple[Labels, int]:
    """Where the stakes of a side are, and on how many labels they may be."""
    if side == 0.0:
        return towards, 1
    return (np.ones_like(towards), 2) if side > 0 else (~towards, 1)


def _blended(guess: Guess, told: Floats) -> Guess:
    """With one guess more: the average of all, weighed by how well each has told the labels of earlier runs.

    All of a label's information is in that weight, not only what exceeds the claim: it is known from some dozen runs.
    """
    weight = np.exp(told - told.max())
    weight /= weight.sum()
    share = np.clip(weight @ expit(guess.odds), 1e-12, 1 - 1e-12)
    return Guess(np.vstack([guess.odds, np.log(share / (1 - share))]), np.vstack([guess.runs, weight @ guess.runs]))


def _stakes(guess: Guess, claim: Floats) -> tuple[Labels, Floats]:
    """On which label to bet, and for each expectation the stake that grows fastest: q/σ(E) − 1 for a guess q."""
    towards = guess.odds > 0
    # log(q/σ(E)) through log-sigmoids: exact for large ε.
    log_excess = -np.logaddexp(0.0, -np.abs(guess.odds)) + np.logaddexp(0.0, -claim)
    edge, runs = np.maximum(np.expm1(log_excess), 0.0), guess.runs
    hoped = [np.expm1(np.logaddexp(0.0, -claim) - np.logaddexp(0.0, -claim - excess)) for excess in EXPECTED]
    found = [
        np.where(edge > 0, (edge * runs + hope * prior * (runs > 0)) / (runs + prior), 0.0)
        for hope, prior in zip(hoped, PRIOR, strict=True)
    ]
    return towards, np.stack(found, axis=1)
