"""The check of a privacy claim: nobody tells neighbouring data apart by the outputs beyond what is claimed."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any

import numpy as np

from nrverify.auditing.claims.bets import Bets
from nrverify.auditing.claims.context import Claim, ClaimContext
from nrverify.auditing.claims.events import Event, found_event
from nrverify.auditing.claims.faults import CLAIM_VIOLATED
from nrverify.auditing.claims.measured import Measured, runs_to_show
from nrverify.auditing.claims.pairs import Case, shown
from nrverify.auditing.claims.predictors import FEWEST_FITTED, Model, learned
from nrverify.auditing.claims.sample import Labelled, Sample, together
from nrverify.auditing.claims.sizes import sizes_of
from nrverify.auditing.core.declaration import CheckKind, Declared, check
from nrverify.auditing.core.finding import Finding
from nrverify.auditing.core.results import CheckResult, from_bets
from nrverify.statistics.estimate import Estimate, Measure

REFIT = 1.2
"""Growth of a sample between fits: all of them together take about six times the last, and refitting more often gains
little."""
MOST_KEPT = 60_000
"""Runs of a pair that are learned from: more would hardly improve what is learned."""
MOST_NUMBERS = 2**23
"""Numbers kept of all pairs together: 128 MB with their keys."""
FEWEST_RUNS = 500
"""Of every pair, for a verdict: with fewer only gross violations would be found."""
EXPLORED = 0.2
"""Of every look, divided evenly over the pairs; the rest goes where most was won, so that no pair is given up."""
BOLDNESS = 1.0
"""A pair whose best bet is ahead by a nat gets e times as many runs."""


class Ledger:
    """What was learned and won of one pair."""

    def __init__(self, claim: Claim) -> None:
        self.bets = Bets(claim.points)
        self.model: Model | None = None
        self.parts: list[Labelled] = []
        self.runs = 0
        self._kept = 0
        self._fitted = 0

    def take(self, part: Labelled, room: int) -> None:
        """Bets on new runs with what was learned before, then learns from them: in pieces that end where it refits."""
        start = 0
        while start < part.size:
            piece = part.rows(start, start + self._until_refit())
            self._take(piece, room)
            start += piece.size

    def _until_refit(self) -> int:
        due = max(REFIT * self._fitted, FEWEST_FITTED)
        return max(int(np.ceil(due)) - self._kept, int(due * (REFIT - 1)), 1)

    def _take(self, part: Labelled, room: int) -> None:
        if self.model is not None:
            self.bets.bet(self.model.guess(part.columns), part.charged, part.label)
        self.runs += part.size
        if self._kept < min(MOST_KEPT, room // max(len(part.columns.keys), 1)):
            self.parts.append(part)
            self._kept += part.size
        if self._kept >= max(REFIT * self._fitted, FEWEST_FITTED):
            self._fitted = self._kept
            sample = together(self.parts)
            self.model = learned(sample)


@check(
    id="privacy.claim",
    kind=CheckKind.PRIVACY,
    sentence="Nobody can tell neighbouring data apart by the output beyond what is claimed.",
    mechanisms=("any",),
    weight=0.6,
    order=90,
    decisive=True,
    templates={
        "epsilon": (
            "{claim}",
            "{bound}: {event} in {hits:.0f} of {runs:.0f} fresh runs "
            "on {likely} and in {other_hits:.0f} of {other_runs:.0f} on {unlikely}{delta_words}",
        ),
        "value": ("{claim}", "no event that tells the data apart"),
    },
)
class PrivacyClaim(Declared):
    """P(b = 1 | output) against what the claim allows: bets on which of two neighbouring data an output came from.

    What to bet on is learned from earlier runs alone: values and ranges of every entry, whole outputs, logistic
    regression, a small tree. Each pair has a wealth of its own. Catches any violation at these pairs that shows in such
    events, by its hockey-stick divergence. Misses other neighbours, and events that it cannot learn, such as a secret
    encoded in the low bits of a number.
    """

    def __init__(self, claim: Claim, cases: tuple[Case, ...]) -> None:
        self.claim = claim
        self.cases = cases
        self.ledgers = [Ledger(claim) for _ in cases]
        self.measured: Measured | None = None
        self._new: list[Labelled] = []

    @classmethod
    def build(cls, context: ClaimContext) -> PrivacyClaim:
        """Over all pairs."""
        return cls(context.claim, context.cases)

    def observe_labelled(self, drawn: Labelled) -> None:
        """Keeps the runs; the bets are made at the merge, in the order in which runs were laid out."""
        self._new.append(drawn)

    def empty_copy(self) -> PrivacyClaim:
        """An empty copy: what was learned stays where the bets are made."""
        blank = copy(self)
        blank.ledgers, blank._new, blank.measured = [], [], None
        return blank

    def merge(self, other: PrivacyClaim) -> None:
        """Bets on the observations of another, then learns from them."""
        if not self.ledgers:  # a fresh one that only gathers
            self._new += other._new
            return
        for part in other._new:
            self.ledgers[part.case].take(part, MOST_NUMBERS // len(self.cases))

    @property
    def runs(self) -> int:
        """Runs that were seen."""
        return sum(ledger.runs for ledger in self.ledgers)

    @property
    def log_e(self) -> float:
        """log e-value: the average over the pairs, of which each has a wealth of its own."""
        every = np.array([ledger.bets.log_e for ledger in self.ledgers])
        return float(np.logaddexp.reduce(every) - np.log(every.size))

    def refuted(self, alpha: float) -> bool:
        """Whether the wealth has reached 1/α."""
        return bool(self.log_e >= -np.log(alpha))

    def shares(self) -> list[float]:
        """How the next look is divided over the pairs: most to those that have won most so far."""
        won = np.array([ledger.bets.best for ledger in self.ledgers])
        ahead = np.exp(BOLDNESS * (won - won.max()))
        return [float(share) for share in EXPLORED / won.size + (1 - EXPLORED) * ahead / ahead.sum()]

    def propose(self, fresh: int) -> Event | None:
        """The event that exceeds its claim most, among the pairs that have won most; None where none is known."""
        order = sorted(range(len(self.ledgers)), key=lambda index: -self.ledgers[index].bets.log_e)
        searched = [index for index in order if self.ledgers[index].parts][:MOST_SEARCHED]
        found = [self.event_in(index, together(self.ledgers[index].parts), fresh) for index in searched]
        known = [one for one in found if one is not None]
        return max(known, key=lambda one: one[0])[1] if known else None

    def event_in(self, index: int, sample: Sample, fresh: int) -> tuple[float, Event] | None:
        """The event of a sample of one pair that so many further runs would prove most by, and by how much."""
        return found_event(index, sample, self.ledgers[index].bets.point or self.claim.main, fresh)

    def runs_to_show(self, event: Event, most: int) -> int:
        """How many fresh runs are likely to show by this event alone that the claim is violated; else the most."""
        sample = together(self.ledgers[event.case].parts)
        holds, own = event.holds(sample), sample.label == event.label
        return runs_to_show(float(holds[own].mean()), float(holds[~own].mean()), event.claimed, event.delta, most)

    def count(self, event: Event, sample: Sample, outputs: Sequence[Any]) -> None:
        """Counts an event in runs that had no part in choosing it."""
        holds, own = event.holds(sample), sample.label == event.label
        case = self.cases[event.case]
        first, second = case.sides
        likely, unlikely = (second, first) if event.label else (first, second)
        self.measured = Measured(
            event.words(sample, outputs),
            shown(likely),
            f"{shown(unlikely)}{case.asking}",
            int((holds & own).sum()),
            int(own.sum()),
            int((holds & ~own).sum()),
            int((~own).sum()),
            event.claimed,
            event.delta,
        )

    def conclude(self, alpha: float) -> CheckResult:
        """The verdict, with the measured ε beside the claim."""
        runs = [ledger.runs for ledger in self.ledgers]
        return from_bets(
            self,
            self.log_e,
            alpha,
            samples=self.runs,
            enough=min(runs) >= FEWEST_RUNS,
            statistic=None if self.measured is None else self.measured.epsilon,
            sizes=sizes_of(self.claim.main, min(runs), len(runs), alpha),
            finding=self._finding(alpha),
        )

    def _finding(self, alpha: float) -> Finding:
        seen = self.measured
        quantity = "ε of an attacker"
        texts = {"claim": self.claim.words}
        if seen is None:
            return Finding(quantity, Estimate(Measure.VALUE, self.claim.main.epsilon, 0.0), CLAIM_VIOLATED, texts=texts)
        share, other = seen.shares
        numbers = {
            "confidence": seen.confidence,
            "share": share,
            "other_share": other,
            "hits": float(seen.hits),
            "other_hits": float(seen.other_hits),
            "runs": float(seen.runs),
            "other_runs": float(seen.other_runs),
        }
        words = ""
        if seen.delta > 0:
            numbers["delta"] = seen.delta_at_claim
            words = f"; δ at ε = {seen.claimed:.4g} at least {seen.delta_at_claim:.3g}, where {seen.delta:g} is claimed"
        known = f"ε at least {seen.epsilon:.3g}{seen.at_delta} with confidence {seen.confidence:g}"
        texts["bound"], observed = known, seen.epsilon
        if self.refuted(alpha) and seen.epsilon <= seen.claimed:
            # All bets together show more than the one event that a person can check.
            texts["bound"] = (
                f"more than that with confidence 1 − {alpha:.2g}, by all bets together; the clearest event, by which "
                f"alone ε is at least {seen.epsilon:.3g}{seen.at_delta} with confidence {seen.confidence:g}"
            )
            if self.claim.single is not None:
                # Of a curve, or of prices, the bets do not say at which ε it is violated.
                observed = seen.claimed
        texts |= {"event": seen.words, "likely": seen.likely, "unlikely": seen.unlikely, "delta_words": words}
        estimate = Estimate(Measure.EPSILON, seen.claimed, observed, None, seen.runs + seen.other_runs, numbers)
        return Finding(quantity, estimate, CLAIM_VIOLATED, texts=texts)


MOST_SEARCHED = 3
"""Pairs in which an event is searched for the report."""
