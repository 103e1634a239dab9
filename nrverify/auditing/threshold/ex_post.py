"""Ex-post privacy of a threshold mechanism, black box: the bits tell neighbours apart by no more than e^{ε_N}."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.core.applicable import MODERATE_CLAIM
from nrverify.auditing.core.declaration import Declared, Kind, check
from nrverify.auditing.core.faults.halting import CLAIM_VIOLATED_BY_BITS
from nrverify.auditing.core.finding import Finding, Size
from nrverify.auditing.core.picture_limits import losses
from nrverify.auditing.core.pictures import Bound, Picture
from nrverify.auditing.core.results import CheckResult, from_bets
from nrverify.auditing.sampling.looks import MOST_LOOKS
from nrverify.auditing.sampling.own_deltas import OwnDeltas
from nrverify.auditing.threshold.context import MECHANISMS, ThresholdContext
from nrverify.auditing.threshold.designs import Neighbours
from nrverify.auditing.threshold.drawing import LabelledRuns
from nrverify.auditing.threshold.faulty_laws import claimed_law, faulty_laws
from nrverify.auditing.threshold.halting_bets import FEWEST_RUNS
from nrverify.laws.threshold import worst_loss
from nrverify.statistics.estimate import Estimate, Measure
from nrverify.statistics.labels import LabelBets, epsilon_lower_bound
from nrverify.subjects.guarantees import EX_POST

Floats = NDArray[np.float64]

CONFIDENCE = 0.95
"""Of an empirical ε, at every look at once."""
MOST_PICTURES = 3
"""Of the pairs with most runs: each shows the same kind of limits, and a report has other charts too."""
PICTURE_NOTE = "Shaded: what the claim allows. Limits by Clopper and Pearson, given how often the event was seen."
LEAKS = (
    *("query-noise-halved", "query-deviation-for-scale", "threshold-noise-halved", "no-threshold-noise"),
    *("threshold-noise-redrawn", "both-noises-halved", "noises-exchanged", "sensitivity-ignored"),
    *("threshold-noise-rescaled", "last-epsilon-throughout"),
)
"""Faults that leak: their exact posteriors are the guesses."""


@check(
    id="privacy.ex-post",
    kind=Kind.PRIVACY,
    sentence="Nobody can tell two neighbouring values apart beyond the ε claimed.",
    claims=("R05", "R10"),
    mechanisms=MECHANISMS,
    weight=0.22,
    order=90,
    needs=(MODERATE_CLAIM,),
    templates={
        "epsilon": (
            "no halting round more than e^{expected:.3g} times likelier for one neighbour ({pair})",
            "empirical ε at least {observed:.3g} with confidence {confidence:g}, against the bound "
            "ε_N = {expected:.3g} claimed and the sharp bound {sharp:.3g}",
        )
    },
)
class ThresholdExPost(Declared):
    """P(b = 1 | bits) ≤ σ(ε_N): the claim itself, between neighbours at the worst signs, in both directions.

    Bets on the label with the posteriors of faults that leak and with shares learned from earlier runs; the empirical
    lower bound on ε, from the halt in the last round, stands beside the paper's bound ε_N and the sharp one
    min(ε_n, ¼Σε_i). Catches any mechanism that leaks more than ε_N at these neighbours. Misses leaks within the slack
    between the sharp bound and ε_N, and is slower than the law. Under guarantee = "dp" the claim is that of the last ε
    for every output, with δ.
    """

    def __init__(self, pairs: Sequence[Neighbours], delta: float = 0.0, guarantee: str | None = EX_POST) -> None:
        self.runs = 0
        self.delta = delta
        self.guarantee = guarantee
        self.pairs = {pair.design.name: pair for pair in pairs}
        predictors = len(LEAKS) + 2
        smallest = min(pair.design.epsilons[0] for pair in pairs)
        self.wealth = LabelBets(predictors, delta, smallest)
        self._guesses = {name: _log_odds(pair) for name, pair in self.pairs.items()}
        self._counts = {name: np.zeros((2, pair.design.rounds + 1)) for name, pair in self.pairs.items()}

    @classmethod
    def build(cls, context: ThresholdContext) -> ThresholdExPost:
        """Over all pairs of neighbours."""
        return cls(context.pairs, context.description.delta or 0.0, context.guarantee)

    def ask_curve(self, deltas_of: OwnDeltas) -> None:
        """The δ that a curve has at the ε's of the pairs: the largest, where they differ."""
        lasts = sorted({pair.design.epsilons[-1] for pair in self.pairs.values()})
        known = deltas_of(np.array(lasts))
        self.delta = max(known[epsilon] for epsilon in lasts)
        smallest = min(pair.design.epsilons[0] for pair in self.pairs.values())
        self.wealth = LabelBets(len(LEAKS) + 2, self.delta, smallest)

    def observe_labelled(self, drawn: LabelledRuns) -> None:
        """Counts the halting rounds of new runs by label; the bets are made at the merge."""
        self.runs += drawn.cells.size
        np.add.at(self._counts[drawn.pair.design.name], (drawn.label.astype(int), drawn.cells), 1.0)

    def fresh(self) -> ThresholdExPost:
        """The same before anything was seen."""
        blank = copy(self)
        blank.runs = 0
        blank.wealth = self.wealth.fresh()
        blank._counts = {name: np.zeros_like(counts) for name, counts in self._counts.items()}
        return blank

    def merge(self, other: ThresholdExPost) -> None:
        """Bets on the labels another has counted with what was learned before, then learns from them."""
        self.runs += other.runs
        for name, new in other._counts.items():
            if new.any():
                counts, claim = self._counts[name], self.claims_of(self.pairs[name])
                learned = np.log((counts[1] + 1.0) / (counts[0] + 1.0))
                guess = np.vstack([self._guesses[name], learned])
                for label in (0, 1):
                    self.wealth.bet(guess, claim, np.full(claim.size, bool(label)), new[label])
                counts += new

    def refuted(self, alpha: float) -> bool:
        """Whether the wealth has reached 1/α."""
        return bool(self.wealth.log_e >= -np.log(alpha))

    def conclude(self, alpha: float) -> CheckResult:
        """The verdict, with the empirical ε beside both bounds, at its own confidence."""
        bound, claim, sharp, name = self.empirical_epsilon()
        resolution = float(np.sqrt(-8 * np.log(alpha) / max(self.runs, 1)))
        numbers = {"sharp": sharp, "confidence": CONFIDENCE}
        estimate = Estimate(Measure.EPSILON, claim, bound, numbers=numbers)
        return from_bets(
            self,
            self.wealth.log_e,
            alpha,
            samples=self.runs,
            enough=self.runs >= FEWEST_RUNS,
            statistic=bound,
            sizes=(Size(f"ε of an attacker, where {claim:.2g} is claimed,", claim + resolution, "ε"),),
            finding=Finding("ε of an attacker", estimate, CLAIM_VIOLATED_BY_BITS, texts={"pair": name}),
        )

    def pictures(self, alpha: float) -> tuple[Picture, ...]:
        """The measured loss of each halting round against ±ε_n, for the pairs with most runs."""
        most = sorted(self.pairs, key=lambda name: -float(self._counts[name].sum()))[:MOST_PICTURES]
        shown = []
        for name in most:
            other, own = self._counts[name].astype(int).tolist()
            labels = [*(f"halt in round {index + 1}" for index in range(len(own) - 1)), "no halt"]
            claims = self.claims_of(self.pairs[name]).tolist()
            dots = losses(list(zip(labels, own, other, claims, strict=True)), alpha / len(most))
            if dots:
                shown.append(Bound(f"Measured loss, {name}", "privacy loss", dots, PICTURE_NOTE))
        return tuple(shown)

    def empirical_epsilon(self) -> tuple[float, float, float, str]:
        """(lower bound, claim, sharp bound, pair) of the pair that comes nearest to its claim or passes it.

        The event is fixed in advance, a halt in the last round; one for each pair, the confidence divided.
        """
        confidence = 1 - (1 - CONFIDENCE) / (MOST_LOOKS * len(self.pairs))
        found = []
        for name, pair in self.pairs.items():
            hits, others = (int(self._counts[name][label, -2]) for label in (1, 0))
            bound = epsilon_lower_bound(hits, hits + others, confidence)
            claim = pair.design.epsilons[-1]
            found.append((bound / claim, (bound, claim, worst_loss(pair.design.epsilons), name)))
        return max(found)[1]

    def claims_of(self, pair: Neighbours) -> Floats:
        """The claim in each cell."""
        ex_post = claims_of(pair)
        return ex_post if self.guarantee == EX_POST else np.full(ex_post.size, ex_post[-1])


def claims_of(pair: Neighbours) -> Floats:
    """ε_n for a halt in round n; after the last round the claim is that of the last ε, which is generous."""
    return np.append(pair.design.epsilons, pair.design.epsilons[-1])


def _log_odds(pair: Neighbours) -> Floats:
    """Log posterior odds of the label in each cell: under the claimed law, and under each fault that leaks."""
    designs = (pair.design, pair.neighbour)
    claimed = [claimed_law(design) for design in designs]
    faulty = [faulty_laws(design) for design in designs]
    rows = [claimed]
    rows += [[laws.get(fault, own) for laws, own in zip(faulty, claimed, strict=True)] for fault in LEAKS]
    with np.errstate(divide="ignore", invalid="ignore"):
        odds = np.array([np.log(own) - np.log(other) for own, other in rows])
    return np.asarray(np.nan_to_num(odds, nan=0.0, posinf=30.0, neginf=-30.0))
