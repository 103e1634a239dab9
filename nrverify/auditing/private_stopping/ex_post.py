"""Ex-post privacy of private stopping, black box: releases and bits together cost at most 2ψ(T_N), but for δ."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.core.declaration import CheckKind, Declared, check
from nrverify.auditing.core.faults.noise import CLAIM_VIOLATED
from nrverify.auditing.core.finding import Finding, Size
from nrverify.auditing.core.plots.data import Bound, Plot
from nrverify.auditing.core.plots.limits import losses
from nrverify.auditing.core.results import CheckResult, from_bets
from nrverify.auditing.private_stopping.context import MECHANISMS, WEIGHT, StoppingContext
from nrverify.auditing.private_stopping.designs import StoppingDesign, StoppingPair
from nrverify.auditing.private_stopping.drawing import LabelledStopped
from nrverify.auditing.private_stopping.halting_law import padded_utilities, pattern, threshold_design
from nrverify.auditing.sampling.looks import MOST_LOOKS
from nrverify.auditing.threshold.faulty_laws import redrawn_law
from nrverify.auditing.threshold.halting_bets import FEWEST_RUNS
from nrverify.laws.brownian import Brownian
from nrverify.statistics.detectable import detectable_odds
from nrverify.statistics.estimate import Estimate, Measure
from nrverify.statistics.labels import LabelBets, Learner, epsilon_lower_bound

Floats = NDArray[np.float64]

CONFIDENCE = 0.95
"""Of an empirical ε, at every look at once."""
EVENTS = (0.1, 0.3, 0.6, 1.0, 2.0)
"""The events of the empirical ε, fixed in advance: the specified loss is at least so large."""


@check(
    id="privacy.ex-post",
    kind=CheckKind.PRIVACY,
    sentence="Nobody can tell two neighbouring values apart beyond the ε claimed.",
    claims=("R10", "R11"),
    mechanisms=MECHANISMS,
    weight=WEIGHT,
    order=90,
    templates={
        "epsilon": (
            "no event more than e^(2ψ) times likelier for one neighbour (δ = {delta:g})",
            "empirical ε at least {observed:.3g} with confidence {confidence:g} (claims up to {expected:.3g})",
        )
    },
)
class StoppingExPost(Declared):
    """P(b = 1 | releases, bits) ≤ σ(2ψ(T_N)) but for δ, in both directions.

    Neighbours differ by the sensitivity in the value and by the utility's sensitivity in every utility. Bets with the
    specified loss of releases and bits, with the losses of all releases added up, and with guesses learned from earlier
    runs. Catches releases that add to each other's loss and bits that betray the value. Misses what stays within the
    slack of 2ψ, which is large: the laws see more.
    """

    def __init__(self, pairs: Sequence[StoppingPair], delta: float) -> None:
        self.runs = 0
        self.delta = delta
        self.claim = 2 * max(pair.design.epsilons[-1] for pair in pairs)
        smallest = 2 * min(pair.design.epsilons[0] for pair in pairs)
        self.wealth = LabelBets(4, delta, smallest)
        self._process = Brownian()
        self._hits = np.zeros((2, len(EVENTS)))
        self._learners = {len(pair.design.schedule): Learner() for pair in pairs}

    @classmethod
    def build(cls, context: StoppingContext) -> StoppingExPost:
        """Over the pairs of neighbours."""
        return cls(context.pairs, context.description.delta or 0.0)

    def observe_labelled(self, drawn: LabelledStopped) -> None:
        """Bets on the labels of new runs with what was learned before, and keeps them to learn from."""
        self.runs += drawn.label.size
        design = drawn.pair.design
        rounds, present = drawn.rounds, drawn.present
        losses = self._losses(drawn, present)
        last = losses[np.arange(rounds.size), rounds - 1]
        own, redrawn = _bit_losses(drawn, rounds)
        features = np.column_stack([losses, own, redrawn, present])
        learner = self._learners[len(design.schedule)]
        guess = np.stack([last + own, losses.sum(axis=1) + own, last + redrawn, learner.predict(features)])
        claim = 2 * np.maximum.accumulate(design.epsilons)[rounds - 1]
        self.wealth.bet(guess, claim, drawn.label)
        above = (last + own)[:, None] >= np.array(EVENTS)
        self._hits += np.stack([above[drawn.label == bool(side)].sum(axis=0) for side in (0, 1)])
        learner.learn(features, drawn.label)

    def empty_copy(self) -> StoppingExPost:
        """The same before the first bet, with what was learned: written out, for learners do not add up."""
        blank = copy(self)
        blank.runs = 0
        blank.wealth = self.wealth.empty_copy()
        blank._hits = np.zeros_like(self._hits)
        blank._learners = {rounds: learner.empty_copy() for rounds, learner in self._learners.items()}
        return blank

    def merge(self, other: StoppingExPost) -> None:
        """Takes in the bets of another, and learns from its runs."""
        self.runs += other.runs
        self.wealth.merge(other.wealth)
        self._hits += other._hits
        for rounds, learner in self._learners.items():
            learner.merge(other._learners[rounds])

    def refuted(self, alpha: float) -> bool:
        """Whether the wealth has reached 1/α."""
        return bool(self.wealth.log_e >= -np.log(alpha))

    def conclude(self, alpha: float) -> CheckResult:
        """The verdict, with the empirical ε beside the claim, at its own confidence."""
        log_e = self.wealth.log_e
        confidence = 1 - (1 - CONFIDENCE) / (MOST_LOOKS * len(EVENTS))
        bound = max(epsilon_lower_bound(int(a), int(a + b), confidence) for b, a in self._hits.T)
        size = detectable_odds(self.wealth, float(self.runs), self.claim, -float(np.log(alpha)))
        attacker = f"ε of an attacker at every run, where {self.claim:.2g} is claimed,"
        sizes = (Size(attacker, size, "ε"),) if np.isfinite(size) else ()
        numbers = {"confidence": CONFIDENCE, "delta": self.delta}
        estimate = Estimate(Measure.EPSILON, self.claim, bound, numbers=numbers)
        return from_bets(
            self,
            log_e,
            alpha,
            samples=self.runs,
            enough=self.runs >= FEWEST_RUNS,
            statistic=bound,
            sizes=sizes,
            finding=Finding("ε of an attacker", estimate, CLAIM_VIOLATED),
        )

    def plots(self, alpha: float) -> tuple[Plot, ...]:
        """The measured loss of events fixed in advance against ±2ψ."""
        other, own = self._hits.astype(int).tolist()
        names = [f"specified loss at least {event:g}" for event in EVENTS]
        dots = losses([(name, a, b, self.claim) for name, a, b in zip(names, own, other, strict=True)], alpha)
        note = "Shaded: what the claim allows. Limits by Clopper and Pearson, given how often the event was seen."
        return (Bound("Measured loss of releases and bits", "privacy loss", dots, note),) if dots else ()

    def _losses(self, drawn: LabelledStopped, present: NDArray[np.bool_]) -> Floats:
        """The specified loss of each release, 0 after the stop."""
        design, other = drawn.pair.design, drawn.pair.neighbour
        times = np.broadcast_to(np.array(design.schedule), present.shape)
        releases = np.where(present[:, :, None], drawn.releases, 0.0)
        return np.where(present, self._process.loss(times, design.array, other.array, releases), 0.0)


def _bit_losses(drawn: LabelledStopped, rounds: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """log-ratios of the bits given the releases: under the claimed law, and with the threshold drawn anew."""
    found = np.zeros((2, 2, rounds.size))
    for side, design in enumerate((drawn.pair.neighbour, drawn.pair.design)):
        found[side] = _log_bits(design, drawn.releases, drawn.bins, rounds)
    return found[1, 0] - found[0, 0], found[1, 1] - found[0, 1]


def _log_bits(design: StoppingDesign, releases: Floats, bins: NDArray[np.int64], rounds: NDArray[np.int64]) -> Floats:
    logs = np.zeros((2, bins.size))
    patterns, where = np.unique(padded_utilities(design, releases, rounds), axis=0, return_inverse=True)
    for index, row in enumerate(patterns):
        here = where.reshape(-1) == index
        utilities = tuple(row.tolist())
        laws = (pattern(design, utilities).law, redrawn_law(threshold_design(design, utilities)))
        for line, law in enumerate(laws):
            logs[line, here] = np.log(np.maximum(law[bins[here]], 1e-300))
    return logs
