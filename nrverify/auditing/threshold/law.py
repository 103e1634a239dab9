"""The check of the law of the round in which a threshold mechanism halts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, ndtri, xlogy

from nrverify.auditing.core.bets.topic import Topic
from nrverify.auditing.core.declaration import CheckKind, Declared, check
from nrverify.auditing.core.faults import alternative_of
from nrverify.auditing.core.faults.halting import SHARED_RUNS, WRONG_HALTING_LAW
from nrverify.auditing.core.finding import Finding, Size
from nrverify.auditing.core.plots.data import Bars, Plot
from nrverify.auditing.core.plots.limits import shares
from nrverify.auditing.core.results import CheckResult
from nrverify.auditing.threshold.context import MECHANISMS, ONE_POSITIVE, ThresholdContext
from nrverify.auditing.threshold.designs import USUAL, Design
from nrverify.auditing.threshold.drawing import Runs
from nrverify.auditing.threshold.effects import (
    NOT_EXCLUDED,
    NOT_TOLD_APART,
    TOO_FEW,
    priced,
    priced_by_scales,
)
from nrverify.auditing.threshold.faulty_laws import claimed_law, faulty_laws
from nrverify.auditing.threshold.halting_bets import (
    HALTING_TEMPLATES,
    HaltingBins,
    HazardWealth,
    conclude_halting,
    halting_finding,
    size_of_odds,
    with_named,
)
from nrverify.auditing.threshold.outputs import outputs
from nrverify.auditing.threshold.variant_effects import priced_variant
from nrverify.statistics.additive import Additive, Tally
from nrverify.statistics.estimate import Measure
from nrverify.statistics.lag_wealth import LagWealth
from nrverify.statistics.portfolio import Portfolio, Wealth
from nrverify.statistics.wealth import BinWealth, MeanWealth, RatioWealth, ScaleWealth
from nrverify.subjects.guarantees import EX_POST

Floats = NDArray[np.float64]

POOLED = "all runs"
NAMED = Topic("named faults", WRONG_HALTING_LAW)
RUN_BEFORE = Topic("a run is like the one before", SHARED_RUNS)
RUNS_FURTHER_BACK = Topic("dependence on runs further back", SHARED_RUNS)
NEIGHBOURS = Topic("dependence of two neighbouring runs", SHARED_RUNS)
BOTH_ENDS = Topic("dependence of runs from both ends of a request", SHARED_RUNS)
BOTH_HALVES = Topic("dependence of runs from both halves of a request", SHARED_RUNS)
TOGETHER = Topic("variance of the sums of the scores of a request", SHARED_RUNS)
PAIRED = (NEIGHBOURS, BOTH_ENDS, BOTH_HALVES)
QUARTILES = ndtri([0.25, 0.5, 0.75])
"""Of the scores of a run: few classes, so that each pair of them is soon seen often enough to bet on."""
PAIRS = np.full(16, 1 / 16)
"""Two runs by the quartiles of their scores: of independent ones all pairs of quartiles are equally likely."""
MOST_PICTURES, MOST_ROUNDS = 4, 12
"""Of the designs farthest from the claim, and the rounds that get a bar of their own: what fits a page."""
MISFIT = 1e-6
"""A named fault is no explanation where what was seen is less likely than this under it."""
FEWEST_EXPECTED, HARDLY_ANY = 5.0, 1e-9
"""Five is the usual least count for a χ² approximation; the other keeps a logarithm finite where no run is expected."""


@check(
    id="threshold.law",
    kind=CheckKind.LAW,
    sentence="The answers have the law of the noise that is declared, by default Lap(2Δ/ε) and Lap(4Δ/ε).",
    claims=("R02", "R05"),
    mechanisms=MECHANISMS,
    weight=0.22,
    order=20,
    needs=(ONE_POSITIVE,),
    expected="the exact law of the halting round",
    templates=HALTING_TEMPLATES,
    decisive=True,
)
class ThresholdLaw(Declared, Additive):
    """The law of the halting round against the exact law, for a designed battery of utilities and ε's.

    Catches wrong scales of either noise, a threshold drawn anew, dropped or not reduced as the process says, noise
    shared by rounds or by runs of a request, ε's or utilities of a wrong round, a sensitivity or threshold that is
    ignored. Bets on named faults, on odds of halting moved everywhere, by round, ε or utility, on every bin of every
    design, and on runs that follow earlier ones; the methods together and each alone. Misses faults that show at no
    utility or ε of the battery.
    """

    any_value = True
    configuration = ("designs", "methods", "_portfolio", "mechanism", "guarantee", "monotone", "delta")

    def __init__(
        self,
        designs: Sequence[Design],
        methods: Sequence[str],
        mechanism: str = "reduced-above-threshold",
        guarantee: str | None = EX_POST,
        monotone: bool = False,
        delta: bool = False,
    ) -> None:
        self.mechanism, self.guarantee = mechanism, guarantee
        self.monotone, self.delta = monotone, delta
        """Whether neighbours move one way only, and whether the claim allows for a δ."""
        self.designs = {design.name: design for design in designs}
        self.methods = tuple(methods)
        self.runs = 0
        self.tallies: Tally[tuple[str, str], Floats] = Tally()
        """By method and design: runs in each bin, runs that came after such a run, and those of them alike."""
        self.after: Tally[str, Floats] = Tally()
        """By design: runs in each bin that were drawn after the refutation, to learn what it means."""
        self.distant = LagWealth()
        self.correlated = {topic: MeanWealth(slopes=True) for topic in PAIRED}
        self.dependent = {topic: BinWealth(PAIRS) for topic in PAIRED}
        """By the places of two runs in a request."""
        self.together = ScaleWealth()
        self._portfolio: tuple[int, Portfolio[Topic]] | None = None
        """All bets after so many runs."""

    @classmethod
    def build(cls, context: ThresholdContext) -> ThresholdLaw:
        """Over all designs, by all methods."""
        said = context.description
        delta = bool(said.delta) or context.claims_curve
        return cls(context.every_design, context.methods, said.mechanism, context.guarantee, said.monotone, delta)

    def observe(self, runs: Runs) -> None:
        """Counts, for each bin: runs that fell into it, runs that came after such a run, and those of them alike."""
        last, size = runs.bins[:-1], outputs(runs.design.rounds, runs.design.positives).size
        alike = last[runs.bins[1:] == last]
        tally = np.stack([np.bincount(bins, minlength=size) for bins in (runs.bins, last, alike)]).astype(float)
        key = runs.method, runs.design.name
        self.tallies[key] = self.tallies.get(key, 0.0) + tally
        scores = runs.scores[:, None]
        self.distant.bet(scores, np.ones(scores.shape, dtype=bool))
        self._in_requests(runs)
        self.runs += runs.bins.size

    def _in_requests(self, runs: Runs) -> None:
        """Bets on the runs of a request together, and on two of them: neighbours, from both ends, from both halves.

        Noise that all share makes their sums spread more, stratified draws make them spread less.
        """
        most = min(runs.request or runs.scores.size, runs.scores.size)
        half = most // 2
        if half == 0:
            return
        whole = runs.scores[: runs.scores.size // most * most].reshape(-1, most)
        self.together.bet(whole.sum(axis=1) / math.sqrt(most))
        ends, halves = whole[:, ::-1][:, :half], whole[:, half : 2 * half]
        for topic, one, other in (
            (NEIGHBOURS, whole[:, : 2 * half : 2], whole[:, 1 : 2 * half : 2]),
            (BOTH_ENDS, whole[:, :half], ends),
            (BOTH_HALVES, whole[:, :half], halves),
        ):
            self.correlated[topic].bet(other, one)
            quarter = 4 * np.digitize(one, QUARTILES) + np.digitize(other, QUARTILES)
            self.dependent[topic].bet(np.bincount(quarter.ravel(), minlength=PAIRS.size))

    @property
    def portfolio(self) -> Portfolio[Topic]:
        """All bets, on what was counted so far: by all methods together, and by each where there are two."""
        if self._portfolio is None or self._portfolio[0] != self.runs:
            bets: dict[Topic, tuple[float, Wealth]] = {}
            for channel in (POOLED, *self.methods) if len(self.methods) > 1 else (POOLED,):
                weight = 4.0 if channel == POOLED else 1.0
                for topic, (share, wealth) in self._bets(channel).items():
                    bets[replace(topic, quantity=f"{topic.quantity} ({channel})", channel=channel)] = (
                        share * weight,
                        wealth,
                    )
            bets[RUNS_FURTHER_BACK] = (2.0, self.distant)
            bets[TOGETHER] = (1.0, self.together)
            bets |= {topic: (1.0, bet) for topic, bet in self.correlated.items()}
            bets |= {in_any_form(topic): (0.5, bet) for topic, bet in self.dependent.items()}
            self._portfolio = self.runs, Portfolio(bets)
        return self._portfolio[1]

    def _bets(self, channel: str) -> dict[Topic, tuple[float, Wealth]]:
        named, odds = RatioWealth(fault_names(tuple(self.designs.values()))), {name: HazardWealth() for name in ODDS}
        alike = HazardWealth()
        bins = {name: BinWealth(claimed_law(design)) for name, design in self.designs.items()}
        for (method, name), (counts, before, same) in self.tallies.items():
            if channel not in (POOLED, method):
                continue
            law, hazard, log_ratios, covariates = _bettable(self.designs[name])
            at_risk = counts[::-1].cumsum()[::-1][:-1]
            bins[name].bet(counts)
            named.bet({fault: float(np.dot(counts, log_ratio)) for fault, log_ratio in log_ratios.items()})
            for key, covariate in covariates.items():
                odds[key].bet(counts[:-1], at_risk, hazard, covariate)
            alike.bet(same, before, law, np.ones(law.size))
        return {
            NAMED: (16.0, named),
            **{law_topic(key): (ODDS[key], wealth) for key, wealth in odds.items()},
            RUN_BEFORE: (1.0, alike),
            law_topic("halting round"): (3.0, HaltingBins(bins)),
            **{law_topic(f"halting round of {name}"): (0.3, HaltingBins({name: part})) for name, part in bins.items()},
        }

    def refuted(self, alpha: float) -> bool:
        """Whether the wealth has reached 1/α."""
        return bool(self.portfolio.log_e >= -np.log(alpha))

    def conclude(self, alpha: float) -> CheckResult:
        """Refuted, or consistent with the shift of a halting probability that would have been caught."""
        finding = self.meaning(alpha) if self.refuted(alpha) else None
        return conclude_halting(self, self.portfolio.log_e, self.runs, alpha, finding, self._sizes(alpha))

    def _sizes(self, alpha: float) -> tuple[Size, ...]:
        """By the bet on the odds of every halt."""
        topic = Topic(f"odds of halting ({POOLED})", WRONG_HALTING_LAW)
        wealth = self.portfolio[topic]
        assert isinstance(wealth, HazardWealth)
        return size_of_odds(wealth, self.runs, -math.log(alpha) - self.portfolio.log_weights[topic])

    def _bin_words(self, design: str, bin: int) -> str:
        """A bin of a design, in words."""
        return f"a halt in round {bin + 1}" if bin < self.designs[design].rounds else "no halt"

    def meaning(self, alpha: float) -> Finding:
        """What stands out, the faults whose laws fit, and what they mean for privacy."""
        named, finding = self._named_faults(), halting_finding(self.portfolio, self._bin_words)
        fitting = [fault for fault in named.likeliest if self._fits(fault)]
        if finding.estimate.measure is Measure.ALTERNATIVE and self.after:
            finding = replace(finding, estimate=named.estimate())
        found = with_named(finding, named) if fitting else finding
        if not fitting:
            found = replace(finding, texts={**finding.texts, "nearest": alternative_of(named.best).title})
        if found.fault == SHARED_RUNS or not (self._usual or self._variant_priced):
            return found
        counts = self._counts()
        if not self._usual:
            fits = fitting and found.fault is not WRONG_HALTING_LAW
            variant = next(iter(self.designs.values())).variant
            return (
                found.with_price(priced_variant(named.likeliest, counts, variant, self.monotone, alpha))
                if fits
                else found
            )
        if fitting and found.fault is not WRONG_HALTING_LAW:
            return found.with_price(priced(named.likeliest, counts, self.mechanism, self.guarantee, alpha))
        return found.with_price(priced_by_scales(counts, alpha))

    @property
    def shares_between_runs(self) -> bool:
        """Whether what stands out is a dependence between runs."""
        return halting_finding(self.portfolio, self._bin_words).fault == SHARED_RUNS

    @property
    def _usual(self) -> bool:
        """Whether the noise declared is the usual one, whose relatives are known."""
        return all(design.variant == USUAL for design in self.designs.values())

    @property
    def _variant_priced(self) -> bool:
        """Whether the loss of a fault of other noise, or with several positives, can be compared with a pure claim."""
        return self.mechanism == "above-threshold" and not self.delta and self.guarantee != EX_POST

    def undecided(self, alpha: float) -> bool:
        """Whether more runs may tell what a refutation means: what fits leaks, and something that does not fits too."""
        found = self.meaning(alpha).priced
        return found is not None and found.why in (NOT_EXCLUDED, TOO_FEW, NOT_TOLD_APART)

    def look_closer(self, runs: Runs) -> None:
        """Takes in runs that were drawn after the refutation: they say what it means, and decide no verdict."""
        size = outputs(runs.design.rounds, runs.design.positives).size
        seen = np.bincount(runs.bins, minlength=size).astype(float)
        self.after[runs.design.name] = self.after.get(runs.design.name, 0.0) + seen

    def _named_faults(self) -> RatioWealth:
        """Bets on named faults by all methods together, and on the runs after the refutation."""
        named = self.portfolio[Topic(f"{NAMED.quantity} ({POOLED})", NAMED.fault)]
        assert isinstance(named, RatioWealth)
        if not self.after:
            return named
        longer = RatioWealth(named.log_wealth)
        longer.bet(named.log_wealth)
        for name, seen in self.after.items():
            log_ratios = _bettable(self.designs[name])[2]
            longer.bet({fault: float(np.dot(seen, log_ratio)) for fault, log_ratio in log_ratios.items()})
        return longer

    def _counts(self) -> dict[Design, Floats]:
        """Runs in each bin of each design, by the method that stands out."""
        channel = self.portfolio.leading.channel
        found: dict[Design, Floats] = {self.designs[name]: seen for name, seen in self.after.items()}
        for (method, name), tally in self.tallies.items():
            if channel not in self.methods or channel == method:
                design = self.designs[name]
                found[design] = found.get(design, 0.0) + tally[0]
        return found

    def _fits(self, fault: str) -> bool:
        """Whether the halting rounds, by the method that stands out, are as under a named fault, by their deviance."""
        deviance, freedom = 0.0, 0
        for design, seen in self._counts().items():
            moved, bins = _deviance(seen, faulty_laws(design).get(fault, claimed_law(design)))
            deviance, freedom = deviance + moved, freedom + bins - 1
        return bool(chdtrc(max(freedom, 1), max(deviance, 0.0)) > MISFIT)

    def plots(self, alpha: float) -> tuple[Plot, ...]:
        """The halting rounds of the designs that stand out most, against the exact law."""
        counts = {name: np.zeros(claimed_law(design).size) for name, design in self.designs.items()}
        for (_, name), tally in self.tallies.items():
            counts[name] += tally[0]
        far = {name: distance(claimed_law(self.designs[name]), seen) for name, seen in counts.items() if seen.any()}
        most = sorted(far, key=lambda name: -far[name])[:MOST_PICTURES]
        return tuple(self._halting_rounds(name, counts[name], alpha / len(most)) for name in most)

    def _halting_rounds(self, name: str, counts: Floats, alpha: float) -> Plot:
        law, total = claimed_law(self.designs[name]), int(counts.sum())
        labels = [*(str(index + 1) for index in range(law.size - 1)), "never"]
        if law.size > MOST_ROUNDS + 2:
            law, counts = (_pooled(values) for values in (law, counts))
            labels = [*labels[:MOST_ROUNDS], "later", "never"]
        rows = [(label, int(seen), total, float(p)) for label, seen, p in zip(labels, counts, law, strict=True)]
        note = f"{total} runs. Limits by Clopper and Pearson."
        return Bars(f"Halting round, {name}", "halting round", "round", shares(rows, alpha), note)


def in_any_form(topic: Topic) -> Topic:
    """The topic of dependence of the same runs that need not be a correlation."""
    return replace(topic, quantity=f"{topic.quantity}, in any form")


ODDS = {
    "odds of halting": 3.0,
    "odds of halting by round": 3.0,
    "odds of halting by ε": 2.0,
    "odds of halting by utility": 1.0,
}
"""What the odds of halting may depend on, and the weight of the bet on it."""


@lru_cache(maxsize=64)
def fault_names(designs: tuple[Design, ...]) -> tuple[str, ...]:
    """The named faults that are bet on: those that can show in some design."""
    return tuple(dict.fromkeys(name for design in designs for name in faulty_laws(design)))


def law_topic(quantity: str) -> Topic:
    """A question about the law that names no fault."""
    return Topic(quantity, WRONG_HALTING_LAW)


def _pooled(values: Floats) -> Floats:
    """The first rounds, all later ones together, and never."""
    return np.array([*values[:MOST_ROUNDS], values[MOST_ROUNDS:-1].sum(), values[-1]])


def _deviance(counts: Floats, law: Floats) -> tuple[float, int]:
    """2 Σ n log(n/e) over bins in which some are expected, the others as one; and how many bins these are."""
    expected = counts.sum() * law
    usual = expected >= FEWEST_EXPECTED
    seen = np.append(counts[usual], counts[~usual].sum())
    foreseen = np.append(expected[usual], max(float(expected[~usual].sum()), HARDLY_ANY))
    return float(2 * (xlogy(seen, seen / foreseen) - seen + foreseen).sum()), seen.size


def distance(law: Floats, counts: Floats) -> float:
    """The largest deviation of a bin, in standard deviations."""
    expected = np.maximum(counts.sum() * law, 1e-300)
    return float(np.max(np.abs(counts - expected) / np.sqrt(expected)))


@lru_cache(maxsize=64)
def _bettable(design: Design) -> tuple[Floats, Floats, dict[str, Floats], dict[str, Floats]]:
    """The law, its hazards, the log-ratios of the named faults to it, and the covariates of the odds."""
    law = claimed_law(design)
    reached = law[::-1].cumsum()[::-1]
    possible = law > 0
    log_ratios = {
        name: np.log(np.where(possible, fault, 1.0) / np.where(possible, law, 1.0))
        for name, fault in faulty_laws(design).items()
    }
    return law, np.clip(law[:-1] / reached[:-1], 0.0, 1.0), log_ratios, _covariates(design)


def _covariates(design: Design) -> dict[str, Floats]:
    """What the odds of halting may depend on, of order one."""
    rounds = design.rounds
    margins = (np.array(design.utilities) - design.threshold) / design.sensitivity
    rise = np.log(np.array(design.epsilons) / design.epsilons[0])
    position = np.arange(rounds) / max(rounds - 1, 1) - 0.25 if rounds > 1 else np.zeros(1)
    return {
        "odds of halting": np.ones(rounds),
        "odds of halting by round": position,
        "odds of halting by ε": rise / rise[-1] if rise[-1] > 0 else np.zeros(rounds),
        "odds of halting by utility": np.tanh(margins * np.array(design.epsilons) / 4),
    }
