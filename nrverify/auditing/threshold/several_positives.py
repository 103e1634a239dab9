"""The law of the whole output of a threshold mechanism that halts after several ones."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.core.bets.topic import Topic
from nrverify.auditing.core.declaration import form
from nrverify.auditing.core.faults.halting import WRONG_HALTING_LAW
from nrverify.auditing.core.finding import Size
from nrverify.auditing.core.plots.data import Bars, Plot
from nrverify.auditing.core.plots.limits import shares
from nrverify.auditing.threshold.context import SEVERAL_POSITIVES
from nrverify.auditing.threshold.designs import Design
from nrverify.auditing.threshold.faulty_laws import claimed_law, faulty_laws
from nrverify.auditing.threshold.halting_bets import HaltingBins, HazardWealth, TiltWealth, size_of_tilt
from nrverify.auditing.threshold.law import NAMED, POOLED, RUN_BEFORE, ThresholdLaw, fault_names, law_topic
from nrverify.auditing.threshold.outputs import outputs
from nrverify.statistics.portfolio import Wealth
from nrverify.statistics.wealth import BinWealth, RatioWealth

Floats = NDArray[np.float64]

STATISTICS = {
    "number of ones": 3.0,
    "rounds of the ones": 2.0,
    "utilities of the ones": 1.0,
    "ones that follow a one": 2.0,
}
"""What the outputs may be tilted along, and the weight of the bet on it."""


@form(ThresholdLaw, needs=(SEVERAL_POSITIVES,), expected="the exact law of the bits")
class OutputLaw(ThresholdLaw):
    """The law of all bits up to the c-th 1 against the exact law, for a designed battery of utilities and ε's.

    Catches wrong scales of either noise, scales declared and not used, a threshold drawn anew in every round or after
    every 1, a budget that is not divided by c, a halt at the first 1. Bets on named faults, on the number, the rounds,
    the utilities and the clustering of the ones, on every output of every design, and on runs that follow earlier ones.
    Misses faults that show at no utility or ε of the battery; with more than ten positives the last of them is reached
    only where every round is certain to print a 1.
    """

    def _bets(self, channel: str) -> dict[Topic, tuple[float, Wealth]]:
        named = RatioWealth(fault_names(tuple(self.designs.values())))
        tilts = {name: TiltWealth() for name in STATISTICS}
        alike = HazardWealth()
        bins = {name: BinWealth(claimed_law(design)) for name, design in self.designs.items()}
        for (method, name), (counts, before, same) in self.tallies.items():
            if channel not in (POOLED, method):
                continue
            law, log_ratios, statistics = _bettable(self.designs[name])
            bins[name].bet(counts)
            named.bet({fault: float(np.dot(counts, log_ratio)) for fault, log_ratio in log_ratios.items()})
            for key, statistic in statistics.items():
                tilts[key].bet(counts, law, statistic)
            alike.bet(same, before, law, np.ones(law.size))
        return {
            NAMED: (6.0, named),
            **{law_topic(key): (STATISTICS[key], wealth) for key, wealth in tilts.items()},
            RUN_BEFORE: (1.0, alike),
            law_topic("output"): (3.0, HaltingBins(bins)),
            **{law_topic(f"output of {name}"): (0.3, HaltingBins({name: part})) for name, part in bins.items()},
        }

    def _sizes(self, alpha: float) -> tuple[Size, ...]:
        """By the bet on the number of ones."""
        topic = Topic(f"number of ones ({POOLED})", WRONG_HALTING_LAW)
        wealth = self.portfolio[topic]
        assert isinstance(wealth, TiltWealth)
        return size_of_tilt(wealth, -math.log(alpha) - self.portfolio.log_weights[topic])

    def _bin_words(self, design: str, bin: int) -> str:
        own = self.designs[design]
        return outputs(own.rounds, own.positives).words(bin)

    def _halting_rounds(self, name: str, counts: Floats, alpha: float) -> Plot:
        """How many ones runs printed, for there are too many outputs to show."""
        design = self.designs[name]
        law, total = claimed_law(design), int(counts.sum())
        ones = outputs(design.rounds, design.positives).bits.sum(axis=1)
        rows = [
            (str(k), int(counts[ones == k].sum()), total, float(law[ones == k].sum()))
            for k in range(min(design.positives, design.rounds) + 1)
        ]
        note = f"{total} runs. Limits by Clopper and Pearson."
        return Bars(f"Number of ones, {name}", "number of ones", "ones", shares(rows, alpha), note)


@lru_cache(maxsize=64)
def _bettable(design: Design) -> tuple[Floats, dict[str, Floats], dict[str, Floats]]:
    """The law, the log-ratios of the named faults to it, and the statistics of each output."""
    law = claimed_law(design)
    log_ratios = {
        name: np.log(fault / law, where=law > 0, out=np.zeros_like(law)) for name, fault in faulty_laws(design).items()
    }
    bits = outputs(design.rounds, design.positives).bits.astype(float)
    margins = (np.array(design.utilities) - design.threshold) / design.sensitivity
    follow = (bits[:, 1:] * bits[:, :-1]).sum(axis=1) if design.rounds > 1 else np.zeros(law.size)
    statistics = {
        "number of ones": bits.sum(axis=1),
        "rounds of the ones": bits @ np.arange(1.0, design.rounds + 1),
        "utilities of the ones": bits @ np.tanh(margins * design.epsilons[0] / sum(design.variant.scales)),
        "ones that follow a one": follow,
    }
    return law, log_ratios, statistics
