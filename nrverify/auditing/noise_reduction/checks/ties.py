"""Checks of ties: when a release is the same as the one before."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import cast

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.core.bets.named_alternatives import FLOOR
from nrverify.auditing.core.bets.portfolio_check import FEWEST_SESSIONS, WORST_PROBABILITY, PortfolioCheck
from nrverify.auditing.core.bets.topic import Topic
from nrverify.auditing.core.declaration import CheckKind, Declared, Need, check, form
from nrverify.auditing.core.faults import alternative
from nrverify.auditing.core.faults.noise import CLIPPED, REPEATED_RELEASE, WRONG_JUMPS, WRONG_STAY_PROBABILITY
from nrverify.auditing.core.finding import LEAST_NOISY, LEAST_NOISY_ERROR, Finding, Size
from nrverify.auditing.core.plots.sums import Frequencies
from nrverify.auditing.core.results import CheckResult, CheckVerdict, concluded
from nrverify.auditing.noise_reduction.checks.law_topics import LATER, LONGEST, STEPS
from nrverify.auditing.noise_reduction.context import (
    MECHANISMS,
    OF_INTEGRITY,
    SEVERAL_RELEASES,
    TIMES_KNOWN,
    WEIGHT,
)
from nrverify.auditing.noise_reduction.design.batch import Batch
from nrverify.auditing.sampling.looks import MOST_LOOKS
from nrverify.statistics.additive import Additive
from nrverify.statistics.detectable import detectable_count, detectable_probability
from nrverify.statistics.estimate import Estimate, Measure
from nrverify.statistics.portfolio import Wealth
from nrverify.statistics.wealth import ExponentialWealth, RatioWealth, TieWealth
from nrverify.subjects.noise_families import FAMILIES

Floats = NDArray[np.float64]

ON_FIXED = Topic("ties on fixed schedules", WRONG_STAY_PROBABILITY)
IN_ADAPTIVE = Topic("ties in adaptive sessions", WRONG_STAY_PROBABILITY)
JUMPS = Topic("scale of the jumps", WRONG_JUMPS)
LAST = Topic("scale of the least noisy release", WRONG_JUMPS)
LONG_JUMPS = Topic("long jumps", CLIPPED)
AT_POSITION = {at: Topic(f"ties at release {at + 1}", WRONG_STAY_PROBABILITY) for at in LATER}
OVER_STEP = {name: Topic(f"ties over a {name} step in time", WRONG_STAY_PROBABILITY) for name in STEPS}
"""Ties by position and by the size of the step, so that a coin wrong only there is not averaged away."""
NONE_BEYOND = {
    most: alternative(f"jumps-cut-at-{most:g}", f"jumps cut off, none beyond {most:g} scales", CLIPPED).id
    for most in (6.0, 8.0, 10.0)
}
"""Scales beyond which there may be no jump, and the ids of the alternatives."""

AS_LIKELY = 0.5
"""A share of the log e-value of jumps from which on the coin may be the fault: one that is wrong moves other jumps."""
MOST_TIES = 1000
"""With so many by chance alone, ties tell nothing."""
NO_TIE = "no release equals the one before at a smaller time"
TIED = Need(lambda context: bool(context.description.family.jumps), "the noise claimed has no ties")
NEVER_TIED = Need(
    lambda context: not (context.description.family.tied or context.description.family.own),
    "how likely a law of one's own ties in double precision is not known: law.transcript judges its steps",
)
ATOMS = Need(
    lambda context: context.description.family.tied and not context.description.family.jumps,
    "the noise claimed has no ties",
)


class TieProbability(PortfolioCheck):
    """A check of how often releases tie; subclasses bet on ties of fixed schedules under the topic `ON_FIXED`."""

    def enough(self, alpha: float) -> bool:
        """Whether the probability of a tie is known well enough."""
        return self.sessions >= FEWEST_SESSIONS and self._detectable(alpha) <= WORST_PROBABILITY

    def sizes(self, alpha: float) -> tuple[Size, ...]:
        """A change of the probability of a tie, of its average over the steps of fixed schedules."""
        return (Size("probability of a tie on fixed schedules", self._detectable(alpha), "probability"),)

    def _detectable(self, alpha: float) -> float:
        ties = self.events(ON_FIXED)
        needed = -math.log(alpha) - self.portfolio.log_weights[ON_FIXED]
        return detectable_probability(ties.count, ties.foreseen / max(ties.count, 1), needed)


def _not_integer(mechanism: str, knob: str) -> bool:
    """Integers tie by chance: that is part of their law."""
    return not FAMILIES[mechanism].integer


@check(
    id="ties",
    kind=CheckKind.LAW,
    sentence="A release equals the one before exactly as often as the process says.",
    claims=("N01", "N04"),
    mechanisms=MECHANISMS,
    weight=WEIGHT,
    order=60,
    applies=_not_integer,
    needs=(SEVERAL_RELEASES, TIMES_KNOWN, TIED),
    expected="ties with probability (s/t)², jumps Lap(t)",
    templates={REPEATED_RELEASE.id: (NO_TIE, "{observed:.0f} ties in {count} releases")},
    implied_by=(*OF_INTEGRITY, "law.value"),
)
class LaplaceTies(TieProbability):
    """Laplace noise stays where it is between times s < t with probability exactly (s/t)², and jumps by Lap(t) else.

    Catches a wrong probability of staying, a wrong scale of the jumps, and noise without ties. On fixed schedules the
    walk is read forwards, where ties and jumps are independent; on adaptive ones through the reverse kernel.
    """

    any_value = True

    def __init__(self) -> None:
        bets: dict[Topic, tuple[float, Wealth]] = {
            ON_FIXED: (5.0, TieWealth()),
            JUMPS: (5.0, ExponentialWealth()),
            IN_ADAPTIVE: (2.0, TieWealth()),
            LAST: (1.0, ExponentialWealth()),
            LONG_JUMPS: (1.0, RatioWealth(NONE_BEYOND.values())),
        }
        for topic in AT_POSITION.values():
            bets[topic] = (0.1, TieWealth())
        for topic in OVER_STEP.values():
            bets[topic] = (0.25, TieWealth())
        super().__init__(bets)
        self.frequencies = Frequencies("Ties", "exact probability of a tie")

    def observe(self, batch: Batch) -> None:
        """Bets on ties of known probability and on the sizes of jumps."""
        found, times = batch.innovations, batch.times
        if found is None or times is None:
            return
        self.sessions += batch.sessions
        if not batch.case.fixed:
            moving = np.isfinite(found.atom) & (found.atom < 1)
            self._ties(IN_ADAPTIVE, found.tied[moving], found.atom[moving])
            return
        noise = batch.noise
        self._exponential(LAST, np.abs(noise[:, -1]) / times[:, -1, None])
        self._long_jumps(np.abs(noise[:, -1]) / times[:, -1, None])
        for position in range(1, noise.shape[1]):
            t, s = float(times[0, position - 1]), float(times[0, position])
            if s == t:
                continue
            tied = found.tied[:, position].ravel()
            stays = (s / t) ** 2
            self.count += tied.size
            self._ties(ON_FIXED, tied, stays)
            if position < LONGEST:
                self._ties(AT_POSITION[position], tied, stays)
            for name, (low, high) in STEPS.items():
                if low <= s / t < high:
                    self._ties(OVER_STEP[name], tied, stays)
            jumps = np.abs(noise[:, position - 1] - noise[:, position]).ravel()[~tied] / t
            self._exponential(JUMPS, jumps)
            self._long_jumps(jumps)

    def finding(self, alpha: float) -> Finding:
        """What stands out, with the scale of the least noisy release, which no jump has reached."""
        found = super().finding(alpha)
        last = cast(ExponentialWealth, self.portfolio[LAST]).estimate()
        if found.fault not in (WRONG_JUMPS, WRONG_STAY_PROBABILITY) or last.observed is None or last.error is None:
            return found
        coins = self.events(ON_FIXED).log_e
        if found.fault is WRONG_JUMPS and coins >= AS_LIKELY * self.portfolio[self.leading(alpha)].log_e:
            found = replace(found, nearest=(WRONG_STAY_PROBABILITY,))
        numbers = {**found.estimate.numbers, LEAST_NOISY: last.observed, LEAST_NOISY_ERROR: last.error}
        return replace(found, estimate=replace(found.estimate, numbers=numbers))

    def _ties(self, topic: Topic, tied: NDArray[np.bool_], probability: Floats | float) -> None:
        self.events(topic).bet(tied, probability)
        if topic in (ON_FIXED, IN_ADAPTIVE):
            assert self.frequencies is not None
            self.frequencies.add(tied, np.broadcast_to(probability, tied.shape))

    def _long_jumps(self, sizes: Floats) -> None:
        """Bets that none is longer than so many scales: the exact ratio where none is, and a floor where one is."""
        for most, id in NONE_BEYOND.items():
            beyond = int((sizes > most * (1 + 1e-9)).sum())
            inside = math.log(FLOOR + (1 - FLOOR) / -math.expm1(-most))
            self.ratios(LONG_JUMPS).bet({id: beyond * math.log(FLOOR) + (sizes.size - beyond) * inside})

    def _exponential(self, topic: Topic, sizes: Floats) -> None:
        cast(ExponentialWealth, self.portfolio[topic]).bet(sizes.ravel())


@form(
    LaplaceTies,
    needs=(SEVERAL_RELEASES, TIMES_KNOWN, ATOMS),
    expected="ties with the probability of the atom of the bridge",
)
class AtomTies(TieProbability):
    """A release equals the one before as often as the atom of its bridge says, given the releases before.

    Catches a wrong probability of staying. Misses wrong sizes of the moves, which the checks of the law judge.
    """

    any_value = True

    def __init__(self) -> None:
        bets: dict[Topic, tuple[float, Wealth]] = {ON_FIXED: (2.0, TieWealth()), IN_ADAPTIVE: (2.0, TieWealth())}
        super().__init__(bets)

    def observe(self, batch: Batch) -> None:
        """Bets on ties whose probability the bridge tells."""
        found = batch.innovations
        if found is None:
            return
        self.sessions += batch.sessions
        moving = np.isfinite(found.atom) & (found.atom < 1)
        self.count += int(moving.sum())
        self.events(ON_FIXED if batch.case.fixed else IN_ADAPTIVE).bet(found.tied[moving], found.atom[moving])


@form(
    LaplaceTies,
    claims=("B01",),
    needs=(SEVERAL_RELEASES, TIMES_KNOWN, NEVER_TIED),
    expected=NO_TIE,
)
class NoTies(Declared, Additive):
    """Brownian noise never repeats itself at a smaller time.

    Catches noise that stays where it was, or that comes from so few numbers that it collides. Equality in double
    precision has a probability too: it is added up, and only ties beyond it count.
    """

    def __init__(self) -> None:
        self.sessions = 0
        self.steps = 0
        self.ties = 0
        self.chance = 0.0

    def observe(self, batch: Batch) -> None:
        """Counts exact ties with any earlier release at smaller times, and adds up how probable they were."""
        times = batch.times
        if times is None:
            return
        self.sessions += batch.sessions
        d = batch.releases.shape[2]
        t, s = times[:, :-1], times[:, 1:]
        moving = s < t
        # A release may also be that of an earlier time than the last.
        same = np.zeros(t.shape, dtype=int)
        for position in range(1, times.shape[1]):
            earlier = batch.releases[:, :position] == batch.releases[:, position : position + 1]
            same[:, position - 1] = earlier.any(axis=1).sum(axis=-1)
        self.steps += int(moving.sum()) * d
        self.ties += int(same[moving].sum())
        # The grid at the largest release, which is coarser than at others: the chance of a tie is at most this.
        with np.errstate(divide="ignore", invalid="ignore"):
            largest = np.fmax.reduce(np.abs(batch.releases), axis=None) + np.abs(batch.case.array).max()
            chance = np.minimum(np.spacing(largest) / np.sqrt(s * (t - s) / t), 1.0)
            chance = np.minimum(chance * np.arange(1, times.shape[1]), 1.0)
        self.chance += float(chance[moving].sum()) * d

    def p_value(self, ties: int | None = None) -> float:
        """P(at least so many ties, or as many as there are) ≤ chance^ties / ties!."""
        ties = self.ties if ties is None else ties
        if ties == 0:
            return 1.0
        return math.exp(min(ties * math.log(max(self.chance, 1e-300)) - math.lgamma(ties + 1), 0.0))

    def refuted(self, alpha: float) -> bool:
        """Whether there are more ties than double precision explains; α is divided over the looks."""
        return self.p_value() <= alpha / MOST_LOOKS

    def conclude(self, alpha: float) -> CheckResult:
        """Refuted by ties, or how frequent ones would have been."""
        verdict = CheckVerdict.REFUTED if self.refuted(alpha) else CheckVerdict.CONSISTENT
        if verdict is CheckVerdict.CONSISTENT and self.sessions < FEWEST_SESSIONS:
            verdict = CheckVerdict.INCONCLUSIVE
        estimate = Estimate(Measure.COUNT, self.chance, float(self.ties), None, self.steps)
        found = Finding("releases equal to an earlier one at a smaller time", estimate)
        least = next((n for n in range(1, MOST_TIES) if self.p_value(n) <= alpha / MOST_LOOKS), MOST_TIES)
        size = min(detectable_count(least) / max(self.steps, 1), 1.0)
        return concluded(
            self,
            verdict,
            samples=self.sessions,
            p_value=self.p_value(),
            alpha=alpha,
            finding=found.of(REPEATED_RELEASE) if verdict is CheckVerdict.REFUTED else None,
            sizes=(Size("probability of a tie", size, "probability"),),
        )
