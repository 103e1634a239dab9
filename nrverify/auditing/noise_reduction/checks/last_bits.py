"""The attack on the last bits: do the releases, as doubles, betray which of two values they came from?"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.core.declaration import CheckKind, Declared, Need, check
from nrverify.auditing.core.faults import Effect
from nrverify.auditing.core.faults.noise import LAST_BITS
from nrverify.auditing.core.finding import Finding, Size
from nrverify.auditing.core.plots.data import Dot, Dots, Plot
from nrverify.auditing.core.results import CheckResult, CheckVerdict, concluded
from nrverify.auditing.noise_reduction.context import LAST_TELLS_ALL, MECHANISMS, OF_ANY_LAW, NoiseReductionContext
from nrverify.auditing.noise_reduction.design.neighbours import Labelled
from nrverify.auditing.numerics.evidence import USUAL_DELTA, USUAL_EPSILON, Attack
from nrverify.auditing.numerics.features import Transcripts, features_for
from nrverify.auditing.numerics.labelled_bits import LabelledBits
from nrverify.auditing.numerics.words import (
    UNEXAMINED,
    advice_words,
    bound_words,
    example_words,
    seen_words,
)
from nrverify.laws.divergence import hockey_stick
from nrverify.laws.process import Process
from nrverify.laws.rounded import filtered
from nrverify.statistics.estimate import Estimate, Measure
from nrverify.statistics.proportions import clopper_pearson
from nrverify.subjects.noise_families import FAMILIES

Floats = NDArray[np.float64]

WEIGHT = 0.02
"""Its share of α: the bets gain half a nat from every event, so a smaller share costs a few transcripts."""
NEEDED = 80.0
"""An event of probability P that the other value cannot give is found after about so many over P transcripts, where
values are told at odds of about 1: what a plan says, which has no transcripts yet."""
FEWEST_TRANSCRIPTS = 300
"""Transcripts: with fewer, most attacks would not have been found yet."""
REAL = Need(lambda context: not context.description.integer, "integers have no last bits")
LAST_DIGITS = Need(
    lambda context: context.record is None or context.record.last_bits,
    "the records do not hold the last bits of the releases: record doubles with all their digits",
)
EXACT = "exact"
FINE = 1e-3
"""Of the last time: on finer grids the loss of the last release is the log odds but for what no bet can use."""
DELTA_AT_LEAST = "delta_at_least"
"""The number in a finding: the δ that was measured at an ε."""
QUANTITY = "probability of last bits that the other value cannot give"


@check(
    id="numerics.last-bits",
    kind=CheckKind.NUMERICS,
    sentence="The last bits of the releases say no more of the value than the releases themselves.",
    mechanisms=MECHANISMS,
    weight=WEIGHT,
    order=95,
    needs=(REAL, LAST_DIGITS, LAST_TELLS_ALL),
    expected="no feature of the last bits tells two neighbouring values apart",
    templates={
        LAST_BITS.id: (
            "last bits that say no more of the value than the releases themselves",
            "{seen}; {bound}. {example}. Found after {found_after:.0f} transcripts; {cause}",
        )
    },
    implied_by=OF_ANY_LAW,
    not_covered="no sessions of both values are left to compare",
)
class LastBits(Declared):
    """Releases as doubles: a sum of the value and a double cannot be every double, and which it can be tells the value.

    Bets on the label of transcripts of two neighbouring values, with features of floating-point arithmetic: sums with
    the value, or with the mean of the bridge, products by the scale, undone uniforms of 24 to 53 bits, trailing bits.
    Catches noise added in ordinary floating-point arithmetic (Mironov 2012), whatever makes the noise. Misses supports
    of samplers that are not named, the state of the generator, and timing. Under numerics = "idealized" an attack is
    advice, at an error probability of its own; under "exact" it refutes.
    """

    sees_grid = True
    planned = "last bits that the other value cannot give"

    def __init__(
        self,
        process: Process,
        noise: str,
        exact: bool = False,
        claim: tuple[float, float] | None = None,
        times_known: bool = True,
        alpha: float = 1e-6,
        granularity: float | None = None,
    ) -> None:
        """`claim` is (ε, δ) of an ε-knob; `noise` is the mechanism's; at the level α an attack counts as such."""
        self.process = process
        self.noise = noise
        self.exact = exact
        self.claim = claim
        self.times_known = times_known
        self.granularity = granularity
        self._alpha = alpha
        self.bits: LabelledBits | None = None
        """None until the first transcripts show how many releases they have."""
        self.untried = "nothing was drawn for it"
        """Why it saw nothing, if it did."""

    @classmethod
    def build(cls, context: NoiseReductionContext) -> LastBits:
        """Against the exact odds where times are known, else against the claim."""
        description = context.description
        claim = None
        if description.knob == "epsilon":
            claim = (context.knob.low, description.delta or 0.0)
        exact = context.numerics == EXACT
        process, mechanism, grid = description.claimed_process, description.mechanism, description.granularity
        return cls(process, mechanism, exact, claim, context.times_known, granularity=grid)

    def at_level(self, alpha: float) -> None:
        """The error probability at which an attack counts: its own, or its share of the run's."""
        self._alpha = alpha

    @property
    def attacked(self) -> bool:
        """Whether the last bits were shown to betray the value."""
        return self.bits is not None and self.bits.attacked

    @property
    def samples(self) -> int:
        """Labelled transcripts seen."""
        return 0 if self.bits is None else self.bits.samples

    def observe_labelled(self, drawn: Labelled) -> None:
        """Bets on the labels of new transcripts."""
        value, neighbour = drawn.pair.case.array, np.array(drawn.pair.neighbour)
        seen = Transcripts(drawn.releases, neighbour, value, drawn.times, self.noise)
        if self.bits is None:
            self.bits = self._bits(drawn.releases.shape[1])
        fixed = bool((drawn.asked == drawn.asked[:1]).all())
        asked = tuple(drawn.asked[0].tolist()) if fixed else None
        self.bits.observe(drawn.pair.case.name, seen, self._odds(drawn, value, neighbour), drawn.label, asked)

    def _bits(self, releases: int) -> LabelledBits:
        claim = None
        if not self.times_known:
            assert self.claim is not None
            claim = (self.claim[1], self.claim[0])
        return LabelledBits(features_for(self.times_known, self.noise, releases), self._alpha, claim)

    def _odds(self, drawn: Labelled, value: Floats, neighbour: Floats) -> Floats:
        """The log odds of the label given the ideal transcript; where times are not known, the ε claimed for it."""
        known = drawn.asked if drawn.times is None else drawn.times
        rows, last = np.arange(len(known)), np.isfinite(known).sum(axis=1) - 1
        if drawn.times is None:
            return np.asarray(known[rows, last])
        if self.granularity is not None and self.granularity > FINE * float(np.nanmin(known)):
            try:
                return self._rounded_odds(drawn, value, neighbour)
            except ValueError:  # off the grid, which another check refutes
                pass
        return np.asarray(self.process.loss(known[rows, last], value, neighbour, drawn.releases[rows, last]))

    def _rounded_odds(self, drawn: Labelled, value: Floats, neighbour: Floats) -> Floats:
        """The same given releases on a coarse grid: the past narrows where in its cell the ideal release lies."""
        assert drawn.times is not None
        assert self.granularity is not None
        odds = np.empty(drawn.label.size)
        for times in np.unique(drawn.times, axis=0):
            rows = (drawn.times == times).all(axis=1)
            own, other = (
                filtered(self.process, at, times.tolist(), drawn.releases[rows], self.granularity).log_likelihood
                for at in (value, neighbour)
            )
            odds[rows] = own - other
        return odds

    def empty_copy(self) -> LastBits:
        """An empty copy."""
        blank = LastBits(
            self.process, self.noise, self.exact, self.claim, self.times_known, self._alpha, self.granularity
        )
        blank.bits = None if self.bits is None else self.bits.empty_copy()
        return blank

    def merge(self, other: LastBits) -> None:
        """Merges the observations of another."""
        if other.bits is None:
            return
        if self.bits is None:
            self.bits = other.bits.empty_copy()
        self.bits.merge(other.bits)

    @property
    def log_e(self) -> float:
        """log e-value of the bets."""
        return 0.0 if self.bits is None or not self.samples else self.bits.log_e

    def refuted(self, alpha: float) -> bool:
        """Whether an attack was shown, of a subject whose last bits are claimed to be safe."""
        return self.exact and self.attacked

    def conclude(self, alpha: float) -> CheckResult:
        """Advice or refuted where attacked; else what would have been found."""
        attack = None if self.bits is None else self.bits.attack()
        fields: dict[str, Any] = {
            "samples": self.samples,
            "e_value": math.exp(min(self.log_e, 700.0)),
            "statistic": self.log_e,
            "alpha": self._alpha,
            "enough": self.samples >= FEWEST_TRANSCRIPTS,
        }
        if self.samples == 0:
            return concluded(self, CheckVerdict.NOT_COVERED, message=self.untried)
        if attack is not None:
            verdict = CheckVerdict.REFUTED if self.exact else CheckVerdict.ADVICE
            message = None if self.exact else advice_words(attack, *self._bound_at)
            return concluded(self, verdict, finding=self._finding(attack), message=message, **fields)
        return self._not_attacked(self.samples, fields)

    def foreseen_after(self, samples: int) -> CheckResult:
        """What it would conclude if so many transcripts are not attacked."""
        return self._not_attacked(
            samples, {"samples": samples, "alpha": self._alpha, "enough": samples >= FEWEST_TRANSCRIPTS}
        )

    def _not_attacked(self, samples: int, fields: dict[str, Any]) -> CheckResult:
        if not fields["enough"]:
            return concluded(self, CheckVerdict.INCONCLUSIVE, message="too few transcripts to attack with", **fields)
        share = NEEDED / samples if self.bits is None else self.bits.least_share(self._alpha)
        if share >= 1:
            return concluded(self, CheckVerdict.INCONCLUSIVE, message="too few transcripts to attack with", **fields)
        percent = 100 * share
        sizes = (Size(QUANTITY, percent, "%"),)
        words = f"{size_words(percent)}; {UNEXAMINED}"
        return concluded(self, CheckVerdict.CONSISTENT, sizes=sizes, detectable=words, **fields)

    @property
    def _bound_at(self) -> tuple[float, float]:
        """(ε, δ) at which the bound is said: those claimed, as far as some are."""
        if self.claim is None:
            return USUAL_EPSILON, USUAL_DELTA
        setting = next(iter(self.bits.settings.values()), None) if self.bits is not None else None
        asked = setting.asked if setting is not None else None
        return (asked[-1] if asked else self.claim[0]), self.claim[1]

    def _finding(self, attack: Attack) -> Finding:
        event, (epsilon, delta) = attack.event, self._bound_at
        low, _ = event.limits
        numbers = {
            **attack.numbers,
            "epsilon": epsilon,
            DELTA_AT_LEAST: event.delta_at(epsilon),
            "delta": delta,
            "epsilon_at_least": event.epsilon_at(delta),
        }
        texts = {
            "feature": attack.feature,
            "cause": attack.cause,
            "seen": seen_words(attack),
            "bound": bound_words(attack, epsilon, delta),
            "example": example_words(attack) or "No single release shows it",
        }
        if attack.example is not None:
            texts |= {"release": attack.example.release.hex(), "base": attack.example.base.hex()}
        share = event.hits / max(event.of, 1)
        estimate = Estimate(Measure.PROBABILITY, 0.0, share, max(share - low, 0.0), event.of, numbers)
        effect = Effect.LEAK if self._leaks(attack, epsilon, delta) else None
        return Finding(QUANTITY, estimate, LAST_BITS, effect=effect, texts=texts)

    def _leaks(self, attack: Attack, epsilon: float, delta: float) -> bool:
        """Whether the measured δ is above the one claimed; with knob "time", above that of the ideal last release."""
        if self.claim is None:
            if attack.asked is None or FAMILIES[self.noise].own:
                return False
            shift = np.subtract(*attack.values)
            ideal = [hockey_stick(self.process, epsilon, shift=sign * shift, time=attack.asked[-1]) for sign in (1, -1)]
            delta = float(max(ideal))
        return attack.event.delta_at(epsilon) > delta

    def plots(self, alpha: float) -> tuple[Plot, ...]:
        """The shares of transcripts of each value that the other cannot give."""
        shares = {} if self.bits is None else self.bits.shares
        rows = []
        for (pair, side), (hits, of, foreseen) in shares.items():
            if of == 0 or self.bits is None:
                continue
            setting = self.bits.settings[pair]
            own, other = (setting.low, setting.high)[side], (setting.low, setting.high)[1 - side]
            limits = [clopper_pearson(hits, of, level) for level in (0.05 / len(shares), self._alpha)]
            label = f"from {own[0]:.3g}, not {other[0]:.3g} + a double"
            rows.append(Dot(label, hits / of, limits[0], limits[1], min(foreseen, 1.0)))
        if not rows:
            return ()
        title = "Transcripts that no sum with the other value can give"
        return (Dots(title, "share of the transcripts of a value", tuple(rows), PICTURE_NOTE),)


def size_words(percent: float) -> str:
    """What would have been found."""
    return f"{QUANTITY} above {percent:.2g} %"


PICTURE_NOTE = (
    "A sum v + z of doubles is not every double: v + (y − v) == y is False for those y it cannot be. A dot is the "
    "share of transcripts of one value with a release that no double added to the other can give. The claim is what "
    "that share would be by the transcripts of the other value and the odds of the ideal release: 0 where the other "
    "value gives none."
)
