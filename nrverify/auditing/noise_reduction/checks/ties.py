"""Checks of ties: when a release is the same as the one before."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.core.named_alternatives import CUT, FLOOR
from nrverify.auditing.core.picture_sums import Frequencies
from nrverify.auditing.core.portfolio_check import FEWEST_SESSIONS, WORST_PROBABILITY, LawCheck
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.auditing.core.rosenblatt import ROUNDING
from nrverify.auditing.noise_reduction.checks.law import LONGEST, STEPS
from nrverify.auditing.noise_reduction.design.batch import Batch
from nrverify.auditing.sampling.looks import MOST_LOOKS
from nrverify.statistics.portfolio import Wealth
from nrverify.statistics.proportions import clopper_pearson
from nrverify.statistics.wealth import ExponentialWealth, RatioWealth, TieWealth

Floats = NDArray[np.float64]

BY = "on average by"
"""How much an answer that should be the same has changed."""
LONG_JUMPS = "long jumps"
LONGEST_JUMPS = (6.0, 8.0, 10.0)
"""Scales beyond which there may be no jump."""


class LaplaceTies(LawCheck):
    """Laplace noise stays where it is between times s < t with probability exactly (s/t)², and jumps by Lap(t) else.

    Catches a wrong probability of staying, a wrong scale of the jumps, and noise without ties. On fixed schedules the
    walk is read forwards, where ties and jumps are independent; on adaptive ones through the reverse kernel.
    """

    id = "ties"
    kind = "law"
    claims: tuple[str, ...] = ("N01", "N04")
    expectation = "ties with probability (s/t)², jumps Lap(t)"

    def __init__(self) -> None:
        families: dict[str, tuple[float, Wealth]] = {
            "ties on fixed schedules": (4.0, TieWealth()),
            "scale of the jumps": (3.0, ExponentialWealth()),
            "ties in adaptive sessions": (2.0, TieWealth()),
            "scale of the least noisy release": (1.0, ExponentialWealth()),
            LONG_JUMPS: (1.0, RatioWealth(map(_none_beyond, LONGEST_JUMPS))),
        }
        for position in range(1, LONGEST):
            families[f"ties at release {position + 1}"] = (0.25, TieWealth())
        for name in STEPS:
            families[_over(name)] = (0.5, TieWealth())
        super().__init__(families)
        self.frequencies = Frequencies("Ties", "exact probability of a tie")

    def observe(self, batch: Batch) -> None:
        """Bets on ties of known probability and on the sizes of jumps."""
        found, times = batch.innovations, batch.times
        if found is None or times is None:
            return
        self.sessions += batch.sessions
        if not batch.case.fixed:
            moving = np.isfinite(found.atom) & (found.atom < 1)
            self._ties("ties in adaptive sessions", found.tied[moving], found.atom[moving])
            return
        noise = batch.noise
        self._exponential("scale of the least noisy release", np.abs(noise[:, -1]) / times[:, -1, None])
        self._long_jumps(np.abs(noise[:, -1]) / times[:, -1, None])
        for position in range(1, noise.shape[1]):
            t, s = float(times[0, position - 1]), float(times[0, position])
            if s == t:
                continue
            tied = found.tied[:, position].ravel()
            stays = (s / t) ** 2
            self.count += tied.size
            self._ties("ties on fixed schedules", tied, stays)
            if position < LONGEST:
                self._ties(f"ties at release {position + 1}", tied, stays)
            for name, (low, high) in STEPS.items():
                if low <= s / t < high:
                    self._ties(_over(name), tied, stays)
            jumps = np.abs(noise[:, position - 1] - noise[:, position]).ravel()[~tied] / t
            self._exponential("scale of the jumps", jumps)
            self._long_jumps(jumps)

    def conclude(self, alpha: float) -> CheckResult:
        """As for any law, with the atom's confidence limit as what would have been caught."""
        result = super().conclude(alpha)
        wealth = self.portfolio["ties on fixed schedules"]
        assert isinstance(wealth, TieWealth)
        half_width = _proportion_half_width(wealth.happened, wealth.count, alpha)
        verdict = result.verdict
        if verdict in (CheckVerdict.CONSISTENT, CheckVerdict.INCONCLUSIVE):
            enough = self.sessions >= FEWEST_SESSIONS and half_width <= WORST_PROBABILITY
            verdict = CheckVerdict.CONSISTENT if enough else CheckVerdict.INCONCLUSIVE
        words = f"probability of a tie off by {half_width:.2g}"
        return CheckResult(**{**vars(result), "verdict": verdict, "detectable": words})

    def _ties(self, name: str, tied: NDArray[np.bool_], probability: Floats | float) -> None:
        wealth = self.portfolio[name]
        assert isinstance(wealth, TieWealth)
        wealth.bet(tied, probability)
        if name in ("ties on fixed schedules", "ties in adaptive sessions"):
            assert self.frequencies is not None
            self.frequencies.add(tied, np.broadcast_to(probability, tied.shape))

    def _long_jumps(self, sizes: Floats) -> None:
        """Bets that none is longer than so many scales: the exact ratio where none is, and a floor where one is."""
        wealth = self.portfolio[LONG_JUMPS]
        assert isinstance(wealth, RatioWealth)
        for most in LONGEST_JUMPS:
            beyond = int((sizes > most * (1 + 1e-9)).sum())
            inside = math.log(FLOOR + (1 - FLOOR) / -math.expm1(-most))
            wealth.bet({_none_beyond(most): beyond * math.log(FLOOR) + (sizes.size - beyond) * inside})

    def _exponential(self, name: str, sizes: Floats) -> None:
        wealth = self.portfolio[name]
        assert isinstance(wealth, ExponentialWealth)
        wealth.bet(sizes.ravel())


def _none_beyond(most: float) -> str:
    return f"jumps cut off, {CUT} {most:g} scales"


def _over(step: str) -> str:
    return f"ties over a {step} step in time"


class NoTies:
    """Brownian noise never repeats itself at a smaller time.

    Catches noise that stays where it was, or that comes from so few numbers that it collides. Equality in double
    precision has a probability too: it is added up, and only ties beyond it count.
    """

    id = "ties"
    kind = "law"
    claims: tuple[str, ...] = ("B01",)

    def __init__(self) -> None:
        self.sessions = 0
        self.steps = 0
        self.ties = 0
        self.chance = 0.0

    def observe(self, batch: Batch) -> None:
        """Counts exact ties at smaller times, and adds up how probable they were."""
        times = batch.times
        if times is None:
            return
        self.sessions += batch.sessions
        d = batch.releases.shape[2]
        t, s = times[:, :-1], times[:, 1:]
        moving = s < t
        same = (batch.releases[:, 1:] == batch.releases[:, :-1]).sum(axis=-1)
        self.steps += int(moving.sum()) * d
        self.ties += int(same[moving].sum())
        # The grid at the largest release, which is coarser than at others: the chance of a tie is at most this.
        with np.errstate(divide="ignore", invalid="ignore"):
            largest = np.fmax.reduce(np.abs(batch.releases), axis=None) + np.abs(batch.case.array).max()
            chance = np.minimum(np.spacing(largest) / np.sqrt(s * (t - s) / t), 1.0)
        self.chance += float(chance[moving].sum()) * d

    def fresh(self) -> NoTies:
        """The same before anything was seen."""
        return NoTies()

    def merge(self, other: NoTies) -> None:
        """Adds up the counts and what was to be expected."""
        self.sessions += other.sessions
        self.steps += other.steps
        self.ties += other.ties
        self.chance += other.chance

    def p_value(self) -> float:
        """P(at least so many ties) ≤ chance^ties / ties!."""
        if self.ties == 0:
            return 1.0
        return math.exp(min(self.ties * math.log(max(self.chance, 1e-300)) - math.lgamma(self.ties + 1), 0.0))

    def refuted(self, alpha: float) -> bool:
        """Whether there are more ties than double precision explains; α is divided over the looks."""
        return self.p_value() <= alpha / MOST_LOOKS

    def conclude(self, alpha: float) -> CheckResult:
        """The verdict."""
        p_value = self.p_value()
        verdict = CheckVerdict.REFUTED if self.refuted(alpha) else CheckVerdict.CONSISTENT
        if verdict is CheckVerdict.CONSISTENT and self.sessions < FEWEST_SESSIONS:
            verdict = CheckVerdict.INCONCLUSIVE
        half_width = _proportion_half_width(self.ties, self.steps, alpha)
        return CheckResult(
            self.id,
            self.kind,
            verdict,
            self.claims,
            samples=self.sessions,
            p_value=p_value,
            alpha=alpha,
            detectable=f"probability of a tie above {half_width:.2g}",
            expected="no release equals the one before at a smaller time",
            observed=f"{self.ties} ties in {self.steps} releases",
        )


class SameAnswer:
    """The same time, or ε, asked twice gives the same answer.

    Catches fresh noise at a repeated time, which an analyst could average away. Needs no error probability: it has
    probability one.
    """

    id = "ties.repeated-time"
    kind = "law"
    claims: tuple[str, ...] = ("P14", "A14")

    def __init__(self) -> None:
        self.sessions = 0
        self.repeats = 0
        self.changed = 0
        self.change = 0.0
        self.noise = 0.0

    def observe(self, batch: Batch) -> None:
        """Counts repeated requests whose release changed beyond rounding."""
        repeated = batch.asked[:, 1:] == batch.asked[:, :-1]
        steps = np.abs(np.diff(batch.releases, axis=1))
        scale = np.abs(batch.releases[:, 1:]) + np.abs(batch.case.array)
        self.sessions += int(repeated.any(axis=1).sum())
        self.repeats += int(repeated.sum())
        changed = repeated & ~(steps <= ROUNDING * scale).all(axis=2)
        self.changed += int(changed.sum())
        self.change += float(steps[changed].sum())
        self.noise += float(np.abs(batch.noise[:, 1:])[changed].sum())

    def fresh(self) -> SameAnswer:
        """The same before anything was seen."""
        return SameAnswer()

    def merge(self, other: SameAnswer) -> None:
        """Adds up the counts."""
        self.sessions += other.sessions
        self.repeats += other.repeats
        self.changed += other.changed
        self.change += other.change
        self.noise += other.noise

    def refuted(self, alpha: float) -> bool:
        """Whether any repeated time changed its release."""
        return self.changed > 0

    def conclude(self, alpha: float) -> CheckResult:
        """The verdict."""
        verdict = CheckVerdict.REFUTED if self.changed else CheckVerdict.CONSISTENT
        if self.repeats == 0:
            verdict = CheckVerdict.NOT_COVERED
        return CheckResult(
            self.id,
            self.kind,
            verdict,
            self.claims,
            samples=self.sessions,
            p_value=0.0 if self.changed else 1.0,
            alpha=alpha,
            detectable="any change",
            expected="the same release",
            observed=self._observed(),
        )

    def _observed(self) -> str:
        words = f"{self.changed} of {self.repeats} repeated times changed the release"
        with np.errstate(divide="ignore", invalid="ignore"):
            return f"{words}, {BY} {np.float64(self.change) / self.noise:.2g} of the noise" if self.changed else words


def _proportion_half_width(happened: int, count: int, alpha: float) -> float:
    """The larger half of the Clopper–Pearson interval."""
    if count == 0:
        return 1.0
    share = happened / count
    low, high = clopper_pearson(happened, count, alpha)
    return max(share - low, high - share)
