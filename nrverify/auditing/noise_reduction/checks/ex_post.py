"""Ex-post privacy itself, black box: nobody can guess the value from the transcript better than e^E to one."""

from __future__ import annotations

from copy import copy

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.core.applicable import MODERATE_CLAIM
from nrverify.auditing.core.bets.portfolio_check import FEWEST_SESSIONS
from nrverify.auditing.core.declaration import CheckKind, Declared, Need, check
from nrverify.auditing.core.faults.noise import CLAIM_VIOLATED
from nrverify.auditing.core.finding import Finding, Size
from nrverify.auditing.core.plots.data import Plot
from nrverify.auditing.core.plots.limits import tradeoff
from nrverify.auditing.core.results import CheckResult, from_bets
from nrverify.auditing.noise_reduction.context import (
    MECHANISMS,
    OF_ANY_LAW,
    WEIGHT,
    NoiseReductionContext,
)
from nrverify.auditing.noise_reduction.design.knob import Knob
from nrverify.auditing.noise_reduction.design.neighbours import Labelled, labelled_end
from nrverify.auditing.noise_reduction.epsilon.single_release import least_time
from nrverify.auditing.sampling.looks import MOST_LOOKS
from nrverify.auditing.sampling.own_deltas import OwnDeltas
from nrverify.statistics.detectable import detectable_odds
from nrverify.statistics.estimate import Estimate, Measure
from nrverify.statistics.labels import LabelBets, Learner, epsilon_lower_bound
from nrverify.subjects.guarantees import DP
from nrverify.subjects.noise_families import FAMILIES

Floats = NDArray[np.float64]

CONFIDENCE = 0.95
"""Of an empirical ε, at every look at once."""
MOST_SHOWN = 6
"""Stopping points whose empirical ε a report gives: the last ones."""
MOST_PICTURES, FEWEST_SHOWN = 3, 200
"""Trade-offs that are shown, and of how many sessions at least."""
SMALLEST_CLAIM = 0.5
"""With knob "time": it limits stakes only where δ > 0, which pure noise does not need."""
WON = "the value was guessed so often that bets against the claim won e^{won:.3g}; any one event alone shows less, an "
"""Said where bets refute before any single event shows an ε above the claim."""
CLAIMS_EPSILON = Need(
    lambda context: context.description.knob == "epsilon" or context.description.family.bound is not None,
    "with knob 'time' the claim is the law itself",
    gap=False,
)
CLAIMS_ALL = Need(
    lambda context: context.description.knob == "epsilon" or bool(context.last_tells_all),
    "`epsilon` bounds the loss of one look; by the law earlier releases say more of the value than the last one does",
    gap=False,
)
SEARCH, CONFIRM = 0, 1
"""The halves of the sessions: events are searched on one and confirmed on the other."""
TOLD = 2
"""Coefficients that tell a label which every release betrays alike: a slope and an intercept. To learn one from m
sessions costs ½/m nats at each session that is bet on."""
BINS = np.linspace(-12.0, 12.0, 481)
"""Edges of the bins of scores: fine enough that an event loses little, and of bounded memory."""


@check(
    id="privacy.ex-post",
    kind=CheckKind.PRIVACY,
    sentence="Nobody can tell two neighbouring values apart beyond the ε claimed.",
    claims=("B12", "N08"),
    mechanisms=MECHANISMS,
    weight=WEIGHT,
    order=90,
    needs=(CLAIMS_EPSILON, MODERATE_CLAIM, CLAIMS_ALL),
    templates={
        "epsilon": (
            "no event more than e^{expected:.3g} times likelier at one value (δ = {delta:g})",
            "{seen}empirical ε at least {points} (at each stopping point, all with confidence {confidence:g})",
        )
    },
    implied_by=OF_ANY_LAW,
)
class ExPost(Declared):
    """P(b = 1 | transcript) ≤ σ(E) but for δ: the claim itself, for any transcript up to a stop.

    Bets with guesses learned on every other earlier session (all releases, their sizes, ties and number) and with the
    loss the claim implies, one release at a time and summed. Under guarantee = "dp" the claim is that no event has
    probability above e^ε times that of the neighbour, plus δ, and sessions on schedules fixed in advance are bet on
    alone. Catches leaks through earlier releases, whatever their
    mechanism. Misses violations smaller than the claim's own slack, and is slower than a check of the specified law.
    """

    sees_grid = True

    def __init__(
        self,
        mechanism: str,
        sensitivity: float | None,
        delta: float,
        smallest_claim: float,
        fixed_only: bool = False,
        granularity: float | None = None,
    ) -> None:
        """`granularity` is that of an ex-post claim that needs slack for it."""
        self.mechanism = mechanism
        self.sensitivity = sensitivity
        self.delta = delta
        self.fixed_only = fixed_only
        """Whether the claim is about schedules fixed in advance alone: that of differential privacy is."""
        self.granularity = granularity
        self.sessions = 0
        self.wealth = LabelBets(3, delta, smallest_claim)
        self._learners: dict[str, Learner] = {}
        self._histogram: dict[float, NDArray[np.int64]] = {}
        self._guessed: dict[float, float] = {}
        """Sessions by claim whose label was guessed by what was learned."""
        self._learning = 0.0
        """Nats that learning one coefficient has cost."""

    @classmethod
    def build(cls, context: NoiseReductionContext) -> ExPost:
        """For the ε asked; with knob "time", for the loss that pure noise has at each time."""
        description = context.description
        if description.knob == "epsilon":
            delta, dp = description.delta or 0.0, context.guarantee == DP
            grid = None if dp or description.family.pure else description.granularity
            return cls(description.mechanism, description.sensitivity, delta, context.knob.low, dp, grid)
        return cls(description.mechanism, None, 0.0, SMALLEST_CLAIM)

    def ask_curve(self, deltas_of: OwnDeltas, knob: Knob) -> None:
        """The δ of the ε at which sessions of pairs end."""
        end = labelled_end(knob)
        self.delta = deltas_of(np.array([end]))[end]
        self.wealth = LabelBets(3, self.delta, knob.low)

    def observe_labelled(self, drawn: Labelled) -> None:
        """Bets on the labels of new sessions with what was learned before, and keeps them to learn from."""
        if self.fixed_only and not (drawn.pair.case.fixed and np.isfinite(drawn.asked).all()):
            return
        self.sessions += drawn.label.size
        claim, losses, last = self._claims_and_losses(drawn)
        learner = self._learners.setdefault(drawn.pair.case.name, Learner())
        features = _features(losses, drawn)
        rows = np.arange(last.size)
        guess = np.stack([learner.predict(features), losses[rows, last], losses.sum(axis=1)])
        self.wealth.bet(guess, claim, drawn.label)
        if learner.coefficients is not None:
            self._learning += 0.5 * last.size / learner.fitted
            for level, sessions in zip(*np.unique(np.round(claim, 6), return_counts=True), strict=True):
                self._guessed[float(level)] = self._guessed.get(float(level), 0.0) + float(sessions)
        half = rows % 2
        self._count(guess[1] if learner.coefficients is None else guess[0], claim, drawn.label, half)
        # What is learned, like the event that is searched, owes nothing to the half that confirms it.
        learner.learn(features[half == SEARCH], drawn.label[half == SEARCH])

    def empty_copy(self) -> ExPost:
        """An empty copy with what was learned: a guess must not learn from the sessions it is about."""
        blank = copy(self)
        blank.sessions = 0
        blank.wealth = self.wealth.empty_copy()
        blank._learners = {name: learner.empty_copy() for name, learner in self._learners.items()}
        blank._histogram, blank._guessed, blank._learning = {}, {}, 0.0
        return blank

    def merge(self, other: ExPost) -> None:
        """Takes in the bets of another, and learns from its sessions."""
        self.sessions += other.sessions
        self.wealth.merge(other.wealth)
        for name, learner in other._learners.items():
            self._learners.setdefault(name, Learner()).merge(learner)
        for level, counts in other._histogram.items():
            self._histogram[level] = self._histogram.get(level, 0) + counts
        for level, sessions in other._guessed.items():
            self._guessed[level] = self._guessed.get(level, 0.0) + sessions
        self._learning += other._learning

    def refuted(self, alpha: float) -> bool:
        """Whether the wealth has reached 1/α."""
        return bool(self.wealth.log_e >= -np.log(alpha))

    def conclude(self, alpha: float) -> CheckResult:
        """The verdict with the empirical lower bound on ε beside the claim, at its own confidence."""
        bounds = self._empirical_epsilons()
        claim, bound = max(bounds, key=lambda pair: pair[1] - pair[0], default=(0.0, 0.0))
        needed = TOLD * self._learning - float(np.log(alpha))
        size = detectable_odds(self.wealth, self._guessed.get(claim, 0.0), claim, needed)
        points = "; ".join(f"{found:.3g} where {level:.3g} is claimed" for level, found in bounds[-MOST_SHOWN:])
        attacker = f"ε of an attacker at every session, where {claim:.2g} is claimed,"
        sizes = (Size(attacker, size, "ε"),) if np.isfinite(size) else ()
        won = self.wealth.log_e
        texts = {"points": points, "seen": WON.format(won=won) if bound <= claim and self.refuted(alpha) else ""}
        numbers = {"delta": self.delta, "confidence": CONFIDENCE}
        estimate = Estimate(Measure.EPSILON, claim, bound, None, self.sessions, numbers)
        return from_bets(
            self,
            won,
            alpha,
            samples=self.sessions,
            enough=self.sessions >= FEWEST_SESSIONS,
            statistic=bound,
            sizes=sizes,
            finding=Finding("ε of an attacker", estimate, CLAIM_VIOLATED, texts=texts),
        )

    def plots(self, alpha: float) -> tuple[Plot, ...]:
        """The trade-off at the claims with most sessions."""
        if not self._histogram:
            return ()
        totals = np.sum([counts.sum(axis=(0, 2)) for counts in self._histogram.values()], axis=0)
        most = sorted(self._histogram.items(), key=lambda item: -int(item[1].sum()))[:MOST_PICTURES]
        shown = {level: counts.sum(axis=0).astype(float) for level, counts in most if counts.sum() >= FEWEST_SHOWN}
        return tuple(tradeoff(shown[level], totals, level, self.delta, alpha) for level in sorted(shown))

    def _claims_and_losses(self, drawn: Labelled) -> tuple[Floats, Floats, NDArray[np.intp]]:
        """The claim at the stop, and for each release the loss that its claim (or time) implies."""
        asked, present = drawn.asked, np.isfinite(drawn.asked)
        last = present.sum(axis=1) - 1
        shift = drawn.pair.shift
        middle = drawn.pair.case.array - 0.5 * shift
        if self.sensitivity is None:
            bound = FAMILIES[self.mechanism].bound
            assert bound is not None
            times, claim = asked, bound(asked, shift)
        else:
            times, claim = self.sensitivity / asked, asked
        centred = np.nan_to_num(drawn.releases - middle)
        if FAMILIES[self.mechanism].pure:
            reach = np.abs(shift)
            losses = (np.sign(shift) * np.clip(2 * centred, -reach, reach)).sum(axis=-1) / times
        else:
            # The noise level is not known: a score in units of the claim, whose scale the learner finds.
            losses = (centred @ shift) / float(shift @ shift) * claim
        losses = np.where(present, losses, 0.0)
        at_stop = claim[np.arange(last.size), last]
        return at_stop + self._slack(drawn, at_stop, last), losses, last

    def _slack(self, drawn: Labelled, claim: Floats, last: NDArray[np.intp]) -> Floats:
        """What the loss may vary by over the ideal releases that are rounded to one: g·√d·Δ/t, t at least its least."""
        if self.granularity is None or self.sensitivity is None:
            return np.zeros(claim.size)
        if drawn.times is not None:
            times = drawn.times[np.arange(last.size), last]
        else:
            own = {at: least_time(self.mechanism, at, self.sensitivity, self.delta, 1.0) for at in np.unique(claim)}
            times = np.array([own[at] for at in claim.tolist()])
        return np.asarray(self.granularity * np.sqrt(drawn.releases.shape[2]) * self.sensitivity / times)

    def _count(self, score: Floats, claim: Floats, label: NDArray[np.bool_], half: NDArray[np.intp]) -> None:
        """Counts of (search or confirm, label, score) by claim: the sample for the empirical ε, in bounded memory."""
        bins = np.digitize(score, BINS)
        for level in np.unique(np.round(claim, 6)):
            here = np.round(claim, 6) == level
            counts = self._histogram.setdefault(float(level), np.zeros((2, 2, BINS.size + 1), dtype=np.int64))
            np.add.at(counts, (half[here], label[here].astype(int), bins[here]), 1)

    def _empirical_epsilons(self) -> list[tuple[float, float]]:
        """(claim, lower bound on ε) at each stopping point: an event searched on one half, confirmed on the other."""
        confidence = 1 - (1 - CONFIDENCE) / (MOST_LOOKS * max(len(self._histogram), 1))
        found = []
        for level, counts in sorted(self._histogram.items()):
            above = counts[..., ::-1].cumsum(axis=-1)
            searched = [
                epsilon_lower_bound(int(hits), int(hits + others), confidence)
                for hits, others in zip(above[SEARCH, 1], above[SEARCH, 0], strict=True)
            ]
            bin = int(np.argmax(searched))
            hits, others = int(above[CONFIRM, 1, bin]), int(above[CONFIRM, 0, bin])
            found.append((level, epsilon_lower_bound(hits, hits + others, confidence)))
        return found


def _features(losses: Floats, drawn: Labelled) -> Floats:
    """What a guess may use: each release's loss and its size, products with ties, and how long the session was."""
    present = np.isfinite(drawn.asked)
    scaled = np.clip(losses, -8, 8)
    tied = np.zeros(losses.shape)
    tied[:, 1:] = (np.diff(np.nan_to_num(drawn.releases), axis=1) == 0).mean(axis=-1) * present[:, 1:]
    length = present.sum(axis=1, keepdims=True) / losses.shape[1]
    far = np.clip(_projections(drawn), -8, 8)
    return np.concatenate([scaled, np.tanh(2 * losses), tied * np.tanh(losses), far, length, present], axis=1)


def _projections(drawn: Labelled) -> Floats:
    """How far each release lies towards the value, in units of the shift: no loss has a say in where that ends."""
    shift = drawn.pair.shift
    middle = drawn.pair.case.array - 0.5 * shift
    return np.asarray(np.nan_to_num(drawn.releases - middle) @ shift / float(shift @ shift))
