"""Ex-post privacy of a threshold mechanism, black box: the bits tell neighbours apart by no more than e^{ε_N}."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.core.applicable import MODERATE_CLAIM
from nrverify.auditing.core.declaration import CheckKind, Declared, check
from nrverify.auditing.core.faults.halting import CLAIM_VIOLATED_BY_BITS
from nrverify.auditing.core.finding import Finding
from nrverify.auditing.core.plots.data import Bound, Plot
from nrverify.auditing.core.plots.limits import losses
from nrverify.auditing.core.results import CheckResult, from_bets
from nrverify.auditing.sampling.looks import MOST_LOOKS
from nrverify.auditing.sampling.own_deltas import OwnDeltas
from nrverify.auditing.threshold.context import MECHANISMS, ThresholdContext
from nrverify.auditing.threshold.designs import USUAL, Design, Neighbours
from nrverify.auditing.threshold.drawing import LabelledRuns
from nrverify.auditing.threshold.faulty_laws import claimed_law, faulty_laws
from nrverify.auditing.threshold.halting_bets import FEWEST_RUNS
from nrverify.auditing.threshold.outputs import outputs
from nrverify.auditing.threshold.planted_leaks import Leak, least_leak
from nrverify.auditing.threshold.worst_pairs import worst_share
from nrverify.laws.threshold import worst_loss
from nrverify.statistics.estimate import Estimate, Measure
from nrverify.statistics.labels import LabelBets, epsilon_lower_bound
from nrverify.subjects.guarantees import EX_POST

Floats = NDArray[np.float64]

CONFIDENCE = 0.95
"""Of an empirical ε, at every look at once."""
MOST_PICTURES = 3
"""Of the pairs with most runs: each shows the same kind of limits, and a report has other charts too."""
MOST_CELLS, MOST_DOTS = 64, 16
"""Where there are more outputs than fit a chart, the likeliest are shown."""
NEARLY = 0.8
"""Of the largest loss: outputs that lose as much are taken together, for the one that loses most is rarely seen."""
PICTURE_NOTE = "Shaded: what the claim allows. Limits by Clopper and Pearson, given how often the event was seen."
VARIANT_LEAKS = (
    *("query-noise-halved", "threshold-noise-halved", "no-threshold-noise", "no-query-noise", "both-noises-halved"),
    *("threshold-noise-redrawn", "threshold-noise-redrawn-after-positive", "noises-exchanged", "sensitivity-ignored"),
    *("scales-not-used", "budget-not-divided", "query-budget-not-divided", "threshold-noise-rescaled"),
)
"""The same for other noise than the usual one."""
LEAKS = (
    *("query-noise-halved", "query-deviation-for-scale", "threshold-noise-halved", "no-threshold-noise"),
    *("threshold-noise-redrawn", "both-noises-halved", "noises-exchanged", "sensitivity-ignored"),
    *("threshold-noise-rescaled", "last-epsilon-throughout"),
)
"""Faults that leak: their exact posteriors are the guesses."""


@check(
    id="privacy.ex-post",
    kind=CheckKind.PRIVACY,
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
            "ε_N = {expected:.3g} claimed{sharp}{but_delta}",
        )
    },
)
class ThresholdExPost(Declared):
    """P(b = 1 | bits) ≤ σ(ε_N): the claim itself, but for δ, between neighbours at the worst signs, both ways.

    Bets on the label with the posteriors of faults that leak and with shares learned from earlier runs; the empirical
    lower bound on ε, from the halt in the last round, stands beside the paper's bound ε_N and the sharp one
    min(ε_n, ¼Σε_i). Catches any mechanism that leaks more than ε_N at these neighbours. Misses leaks within the slack
    between the sharp bound and ε_N, and is slower than the law. Under guarantee = "dp" the claim is that of the last ε
    for every output, with δ.
    """

    def __init__(
        self,
        pairs: Sequence[Neighbours],
        delta: float = 0.0,
        guarantee: str | None = EX_POST,
        monotone: bool = False,
    ) -> None:
        self.runs = 0
        self.delta = delta
        self.guarantee = guarantee
        self.pairs = {pair.design.name: pair for pair in pairs}
        self.monotone = monotone
        predictors = len(_leaks(pairs[0])) + 2
        smallest = min(pair.design.epsilons[0] for pair in pairs)
        self.wealth = LabelBets(predictors, delta, smallest)
        self._guesses = {name: _log_odds(pair) for name, pair in self.pairs.items()}
        self._counts = {name: np.zeros((2, claimed_law(pair.design).size)) for name, pair in self.pairs.items()}

    @classmethod
    def build(cls, context: ThresholdContext) -> ThresholdExPost:
        """Over all pairs of neighbours."""
        description = context.description
        return cls(context.pairs, description.delta or 0.0, context.guarantee, description.monotone)

    def ask_curve(self, deltas_of: OwnDeltas) -> None:
        """The δ that a curve has at the ε's of the pairs: the largest, where they differ."""
        lasts = sorted({pair.design.epsilons[-1] for pair in self.pairs.values()})
        known = deltas_of(np.array(lasts))
        self.delta = max(known[epsilon] for epsilon in lasts)
        pairs = list(self.pairs.values())
        smallest = min(pair.design.epsilons[0] for pair in pairs)
        self.wealth = LabelBets(len(_leaks(pairs[0])) + 2, self.delta, smallest)

    def observe_labelled(self, drawn: LabelledRuns) -> None:
        """Counts the halting rounds of new runs by label; the bets are made at the merge."""
        self.runs += drawn.bins.size
        np.add.at(self._counts[drawn.pair.design.name], (drawn.label.astype(int), drawn.bins), 1.0)

    def empty_copy(self) -> ThresholdExPost:
        """An empty copy with the same configuration."""
        blank = copy(self)
        blank.runs = 0
        blank.wealth = self.wealth.empty_copy()
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
        leak = self.least(alpha)
        numbers = {"confidence": CONFIDENCE} if sharp is None else {"sharp": sharp, "confidence": CONFIDENCE}
        estimate = Estimate(Measure.EPSILON, claim, bound, numbers=numbers)
        texts = {
            "pair": name,
            "sharp": "" if sharp is None else f" and the sharp bound {sharp:.3g}",
            "but_delta": f", but for δ = {self.delta:g}" if self.delta else "",
        }
        return from_bets(
            self,
            self.wealth.log_e,
            alpha,
            samples=self.runs,
            enough=self.runs >= FEWEST_RUNS,
            statistic=bound,
            sizes=() if leak is None else (leak.size,),
            finding=Finding("ε of an attacker", estimate, CLAIM_VIOLATED_BY_BITS, texts=texts),
        )

    def least(self, alpha: float) -> Leak | None:
        """The named fault with the smallest loss that so many runs refute; None where they refute none."""
        pairs = list(self.pairs.values())
        return least_leak(
            self.pairs,
            {name: float(counts.sum()) for name, counts in self._counts.items()},
            {name: self.claims_of(pair) for name, pair in self.pairs.items()},
            self._guesses,
            _leaks(pairs[0]),
            self.wealth,
            alpha,
        )

    def plots(self, alpha: float) -> tuple[Plot, ...]:
        """The measured loss of each halting round against ±ε_n, for the pairs with most runs."""
        most = sorted(self.pairs, key=lambda name: -float(self._counts[name].sum()))[:MOST_PICTURES]
        shown = []
        for name in most:
            other, own = self._counts[name].astype(int).tolist()
            claims = self.claims_of(self.pairs[name]).tolist()
            rows = list(zip(_labels(self.pairs[name].design), own, other, claims, strict=True))
            rows = sorted(rows, key=lambda row: -(row[1] + row[2]))[:MOST_DOTS] if len(rows) > MOST_CELLS else rows
            dots = losses(rows, alpha / len(most))
            if dots:
                shown.append(Bound(f"Measured loss, {name}", "privacy loss", dots, PICTURE_NOTE))
        return tuple(shown)

    def empirical_epsilon(self) -> tuple[float, float, float | None, str]:
        """(lower bound, claim, sharp bound, pair) of the pair that comes nearest to its claim or passes it.

        The event is fixed in advance, a halt in the last round, for several positives the outputs that lose most under
        the claimed law; one for each pair, the confidence divided.
        """
        confidence = 1 - (1 - CONFIDENCE) / (MOST_LOOKS * len(self.pairs))
        found = []
        for name, pair in self.pairs.items():
            event = _event(pair)
            hits, others = (int(self._counts[name][label, event].sum()) for label in (1, 0))
            bound = epsilon_lower_bound(hits, hits + others, confidence)
            claim = pair.design.epsilons[-1]
            found.append((bound / claim, name, (bound, claim, sharp_bound(pair.design, self.monotone), name)))
        return max(found)[2]

    def claims_of(self, pair: Neighbours) -> Floats:
        """The claim in each bin."""
        ex_post = claims_of(pair)
        return ex_post if self.guarantee == EX_POST else np.full(ex_post.size, ex_post[-1])


def claims_of(pair: Neighbours) -> Floats:
    """ε_n for a halt in round n; after the last round the claim is that of the last ε, which is generous.

    With several positives, or other noise, ε is the same in all rounds.
    """
    if not pair.design.variant.reduces_noise:
        return np.full(claimed_law(pair.design).size, pair.design.epsilons[-1])
    return np.append(pair.design.epsilons, pair.design.epsilons[-1])


def sharp_bound(design: Design, monotone: bool) -> float | None:
    """No output of so many rounds loses more: ε(1/a + 2c/b), and for Laplace noise Σε/b; None for Gaussian noise."""
    if design.variant == USUAL and not monotone:
        return worst_loss(design.epsilons)
    if design.variant.noise == "gaussian":
        return None
    largest = design.epsilons[-1] * worst_share(design.variant, monotone)
    return min(largest, sum(design.epsilons) / design.variant.scales[1]) if _laplace(design) else largest


def _laplace(design: Design) -> bool:
    return design.variant.noise == "laplace"


def _leaks(pair: Neighbours) -> tuple[str, ...]:
    return LEAKS if pair.design.variant == USUAL else VARIANT_LEAKS


def _event(pair: Neighbours) -> NDArray[np.bool_]:
    """The outputs whose share of labels gives the empirical ε."""
    if pair.design.positives == 1:
        return np.asarray(np.arange(pair.design.rounds + 1) == pair.design.rounds - 1)
    odds = _log_odds(pair)[0]
    return np.asarray(odds >= NEARLY * odds.max())


def _labels(design: Design) -> list[str]:
    if design.positives == 1:
        return [*(f"halt in round {index + 1}" for index in range(design.rounds)), "no halt"]
    every = outputs(design.rounds, design.positives)
    return [every.words(bin) for bin in range(every.size)]


def _log_odds(pair: Neighbours) -> Floats:
    """Log posterior odds of the label in each bin: under the claimed law, and under each fault that leaks."""
    designs = (pair.design, pair.neighbour)
    claimed = [claimed_law(design) for design in designs]
    faulty = [faulty_laws(design) for design in designs]
    rows = [claimed]
    rows += [[laws.get(fault, own) for laws, own in zip(faulty, claimed, strict=True)] for fault in _leaks(pair)]
    with np.errstate(divide="ignore", invalid="ignore"):
        odds = np.array([np.log(own) - np.log(other) for own, other in rows])
    return np.asarray(np.nan_to_num(odds, nan=0.0, posinf=30.0, neginf=-30.0))
