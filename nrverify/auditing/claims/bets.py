"""Bets on the label against a privacy claim: one wealth for a pair of data, valid at every look and for any learner.

A fair coin b chooses the data, an output o comes, and b is guessed from it. Under the claim
E[u | b=1] − E[u e^E | b=0] ≤ δ sup u for every 0 ≤ u, and the same with the labels exchanged. So staking u(o) on b = 1
(1 + u if it is, 1 − u e^E if not), or on b = 0 at other outputs, multiplies the wealth by at most 1 + ½δ sup u a side
on average: divided by that, the wealth is a supermartingale, whatever u was learned from earlier runs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nrverify.auditing.claims.columns import Floats
from nrverify.auditing.claims.predictors import PREDICTORS, Guess
from nrverify.auditing.claims.sample import Labels

SHRINKAGES = np.array([1.0, 0.5, 0.2])
"""Shares of the stake that would be best if the guess were right: less is safer where it was learned from few runs."""
CAPS = np.array([1.0, 0.5, 0.25, 0.1])
"""With δ > 0 the largest stake is paid for at every run: small ones win where the edge is small. In units of e^-ε."""
SIDES = (1.0, 0.0, -1.0)
"""With δ > 0: stakes on both labels, on 1 alone, on 0 alone. A side that wins nothing is not paid for."""
PRIOR = 4.0
"""Runs that a guess is outweighed by: an edge that rests on m runs is staked by m/(m + 4) of it."""
LARGEST = 0.999
"""Of the stake that loses everything: no bet does."""
LEADING = 0.5
"""Of the wealth at the start, for following the bet that has done best lately; the rest is divided over all bets."""


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


class Bets:
    """All bets on the runs of one pair: points of the claim, predictors, shrinkages, and with δ caps and sides."""

    def __init__(self, points: tuple[Point, ...]) -> None:
        self.points = points
        self.log_wealth = [np.zeros((len(PREDICTORS), SHRINKAGES.size, *_stakes(point))) for point in points]
        self._lately = [np.zeros_like(wealth) for wealth in self.log_wealth]
        self._leading = 0.0
        self._leader: tuple[int, ...] | None = None
        self.runs = 0
        """Runs that were bet on."""

    def bet(self, guess: Guess, charged: Floats, label: Labels) -> None:
        """Takes in guesses that were learned before these runs, their charges and their labels."""
        size = label.size
        gains = [self._gains(point, guess, charged, label) for point in self.points]
        if self._leader is not None:
            self._leading += float(gains[self._leader[0]][self._leader[1:]])
        kept = self.runs / (self.runs + size) if size else 1.0
        for index, gain in enumerate(gains):
            self.log_wealth[index] += gain
            self._lately[index] = kept * self._lately[index] + gain
        self.runs += size
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
        spread = float(np.logaddexp.reduce(every)) - np.log(every.size)
        return float(np.logaddexp(np.log(LEADING) + self._leading, np.log(1 - LEADING) + spread))

    @property
    def best(self) -> float:
        """Nats of the best bet so far: known in hindsight, it tells where to look on, and refutes nothing."""
        return max(float(wealth.max()) for wealth in self.log_wealth)

    @property
    def point(self) -> Point | None:
        """The point of the claim that the leading bet is on; None where no bet has won lately."""
        return None if self._leader is None else self.points[self._leader[0]]

    def _gains(self, point: Point, guess: Guess, charged: Floats, label: Labels) -> Floats:
        """Nats won by each bet on a point of the claim."""
        claim = np.maximum(point.of(charged), point.smallest)
        towards, stake = _stake(guess, claim)
        won = towards == label
        odds = np.exp(claim)
        most = LARGEST * np.exp(-claim)
        if point.delta == 0:
            return np.stack([_won(np.minimum(s * stake, most), won, odds) for s in SHRINKAGES], axis=1)
        gains = np.zeros((len(PREDICTORS), SHRINKAGES.size, CAPS.size, len(SIDES)))
        betting = np.asarray(guess.runs.max(axis=1) > 0)
        for i, shrinkage in enumerate(SHRINKAGES):
            for j, cap in enumerate(CAPS * LARGEST * np.exp(-point.smallest)):
                each = np.minimum(np.minimum(shrinkage * stake, most), cap)
                gain = _gain(each, won, odds)
                up = (gain * towards).sum(axis=1)
                down = (gain * ~towards).sum(axis=1)
                price = 0.5 * point.delta * cap
                paid = label.size * np.array([np.log1p(2 * price), np.log1p(price), np.log1p(price)])
                gains[:, i, j] = np.where(betting[:, None], np.stack([up + down, up, down], axis=1) - paid, 0.0)
        return gains


def _stakes(point: Point) -> tuple[int, ...]:
    return () if point.delta == 0 else (CAPS.size, len(SIDES))


def _stake(guess: Guess, claim: Floats) -> tuple[Labels, Floats]:
    """On which label to bet, and the stake that grows fastest if the guess is right: q/σ(E) − 1, less with few runs."""
    towards = guess.odds > 0
    # log(q/σ(E)) through log-sigmoids: exact for large ε.
    log_excess = -np.logaddexp(0.0, -np.abs(guess.odds)) + np.logaddexp(0.0, -claim)
    edge = np.maximum(np.expm1(log_excess), 0.0)
    return towards, edge * guess.runs / (guess.runs + PRIOR)


def _gain(stake: Floats, won: Labels, odds: Floats) -> Floats:
    return np.log1p(np.where(won, stake, -stake * odds))


def _won(stake: Floats, won: Labels, odds: Floats) -> Floats:
    return np.asarray(_gain(stake, won, odds).sum(axis=1))
