"""Transcripts of two values, told apart: a lower limit on their divergence, beside the one that is claimed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.core.digits import told_apart
from nrverify.auditing.core.effects import Priced
from nrverify.auditing.core.faults import Effect
from nrverify.auditing.core.transforms.rosenblatt import SAME_RELEASE, innovations
from nrverify.auditing.noise_reduction.design.cases import Case
from nrverify.auditing.noise_reduction.design.drawing import draw_sessions
from nrverify.auditing.noise_reduction.design.neighbours import Pair
from nrverify.auditing.noise_reduction.design.ways import ways_of
from nrverify.auditing.noise_reduction.observe import within_reach
from nrverify.auditing.sampling.clock import LATE, Clock
from nrverify.auditing.sampling.drawer import Drawer, by_coin
from nrverify.laws.divergence import hockey_stick
from nrverify.statistics.divergence_limits import DivergenceLimits
from nrverify.statistics.labels import Learner
from nrverify.subjects.description import Description
from nrverify.subjects.errors import SubjectFailed, SubjectRefused
from nrverify.subjects.policies import Fixed
from nrverify.subjects.replay.host import DoesNotFit

Floats = NDArray[np.float64]
Labels = NDArray[np.bool_]
Places = NDArray[np.intp]

EPSILONS = (0.0, 1.0, 2.0, 3.0, 4.0)
"""Where divergences are compared at known times; the values are so far apart that the loss claimed is of order 2."""
FIRST, GROWTH = 128, 1.3
"""Transcripts of the first look, and the growth of looks: more often, little would be learned between them."""
ROUNDING = 1e-6
"""Above the error of a divergence."""
LAST = 4
"""Releases, the last ones, that are looked at one by one: what is claimed is paid for the last."""
CELLS = np.linspace(-6.0, 6.0, 49)
"""Edges of the bins of releases, in units of their median distance from the middle of the values: what lies further out
is one bin on either side."""
COARSE = 4
"""So many of them are one where they are crossed with the last bits."""
BITS = np.arange(-30, -2, 3)
"""Edges of the bins of the exponent of a release's last bit, in units of the same distance. What lies below 2^-30 of
it is one bin: there doubles themselves betray values, which is no matter of the law (`numerics.last-bits`)."""
AFTER_LOOKS = LATE + 1
"""The first number of places of a run that come after all looks, and after the attack on last bits."""


@dataclass(frozen=True)
class Question:
    """What sessions of two values are asked, and how many of their releases are looked at."""

    asked: tuple[float, ...]
    seen: int
    straddling: bool
    """Whether the values lie on both sides of 0; otherwise one of them is 0."""
    dimension: int


class Trial:
    """Transcripts of two values on one schedule, and guesses of the value learned from those before."""

    def __init__(self, description: Description, question: Question) -> None:
        self.description, self.question = description, question
        self.timed = description.knob == "time"
        self.end = question.asked[question.seen - 1]
        self.high, self.low = _values(description, question, self.end)
        others = (0.0,) * (question.dimension - 1)
        case = Case("loss", (self.high, *others), Fixed(question.asked), ways_of(description)[0])
        self.pair = Pair(case, (self.low, *others))
        self.epsilons = EPSILONS if self.timed else (self.end,)
        self.limits = DivergenceLimits(self.epsilons, 3)
        self._unit = 0.0
        self._learner = Learner()
        self._steps, self._bits = np.full((2, 3, CELLS.size + 1), 0.5), np.full((2, BITS.size + 1, CELLS.size), 0.5)

    @property
    def apart(self) -> float:
        """The distance of the values."""
        return self.high - self.low

    def draw(self, drawer: Drawer, clock: Clock, runs: int) -> bool:
        """Draws until there are so many; whether the subject has answered, and with numbers."""
        while (left := min(runs - self.limits.runs, drawer.settings.samples - drawer.drawn)) > 0:
            if clock.up((AFTER_LOOKS, drawer.drawn)):
                break
            size = min(max(FIRST, int((GROWTH - 1) * self.limits.runs)), left)
            try:
                label, (releases, _) = by_coin(drawer, size, partial(self._sessions, drawer))
            except (SubjectFailed, SubjectRefused, DoesNotFit):
                # In a record that was changed, the run may never have come here; no verdict depends on it.
                return False
            if not np.isfinite(releases).all():
                return False
            seen = within_reach(self.description, releases[:, : self.question.seen])[..., 0]
            self._bet(seen, label, drawer.rng)
        return self.limits.runs > 0

    def worst(self, alpha: float) -> tuple[float, float, float, float]:
        """The largest excess of a divergence over the one claimed; its ε, lower limit, and what is claimed."""
        found = self.limits.lower(alpha)
        rows = zip(found, self._claimed(), strict=True)
        return max((limit - own * (1 + ROUNDING) - ROUNDING, epsilon, limit, own) for (epsilon, limit), own in rows)

    def priced(self, each: float, alpha: float) -> Priced | None:
        """The loss that was shown at the level `each`, None where no limit exceeds the claim; `alpha` is that of all
        that is measured."""
        excess, epsilon, limit, claimed = self.worst(each)
        if excess <= 0:
            return None
        found, allowed = told_apart((limit, claimed), least=3)
        words = (
            f"measured, with an error probability of {alpha:.2g} of its own: {self._releases} tell the value "
            f"{self.high:.4g} from {self.low:.4g} with a hockey-stick divergence of at least {found} at "
            f"ε = {epsilon:.4g}, where {'the noise claimed has' if self.timed else 'the claim allows'} {allowed}"
        )
        return Priced(Effect.LEAK, limit, claimed, quantity="hockey-stick divergence", why=words)

    @property
    def _releases(self) -> str:
        """What is looked at, in words."""
        asked, seen = self.question.asked, self.question.seen
        times = list(dict.fromkeys(f"{at:.3g}" for at in asked[:seen]))
        where = ", ".join(times) if len(times) <= LAST else f"{times[0]} … {times[-1]}"
        many = f"{seen} releases" if seen > len(times) or len(times) > LAST else "releases"
        unit = "" if self.timed else "ε = "
        before = f", before one at {asked[-1]:.3g}," if seen < len(asked) else ""
        return f"{many} at {unit}{where}{before}"

    def _claimed(self) -> list[float]:
        if not self.timed:
            return [self.description.delta or 0.0]
        process = self.description.claimed_process
        return [float(own) for own in hockey_stick(process, list(self.epsilons), shift=self.apart, time=self.end)]

    def _sessions(self, drawer: Drawer, side: int, count: int) -> tuple[Floats, Floats]:
        return draw_sessions(drawer, self.pair.sides[side], count)

    def _bet(self, releases: Floats, label: Labels, rng: np.random.Generator) -> None:
        if not self._unit:
            middle = 0.5 * (self.high + self.low)
            self._unit = max(float(np.median(np.abs(releases[:, -1] - middle))), 1e-3 * self.apart)
        features, step, bits = self._features(releases, rng), self._step(releases), self._last_bits(releases)
        of_step, of_bits = np.log(self._steps), np.log(self._bits)
        guesses = [self._learner.predict(features), (of_step[1] - of_step[0])[step], (of_bits[1] - of_bits[0])[bits]]
        self.limits.bet(np.stack(guesses), label)
        np.add.at(self._steps, (label.astype(int), *step), 1.0)
        np.add.at(self._bits, (label.astype(int), *bits), 1.0)
        learned = self._learner.empty_copy()
        learned.learn(features, label)
        self._learner.merge(learned)

    def _place(self, releases: Floats) -> Floats:
        return (releases - 0.5 * (self.high + self.low)) / self._unit

    def _features(self, releases: Floats, rng: np.random.Generator) -> Floats:
        """Of each of the last releases: where it lies, whether it is a value itself or the release before, and its
        scores under both values; and where their mean lies."""
        place = self._place(releases)
        tied = np.zeros(releases.shape)
        tied[:, 1:] = np.abs(np.diff(releases, axis=1)) <= SAME_RELEASE * (np.abs(releases[:, 1:]) + self.apart)
        bare = (releases == self.high) * 1.0 - (releases == self.low)
        side = np.tanh(4 * place)
        mean = place.mean(axis=1, keepdims=True)
        found = [np.clip(place, -4, 4), side, tied * side, bare]
        if self.timed:
            scores = [self._scores(releases - value, rng) for value in (self.high, self.low)]
            compared = [scores[0] - scores[1], np.abs(scores[0]) - np.abs(scores[1]), scores[0] ** 2 - scores[1] ** 2]
            found += [np.clip(one, -30, 30) for one in compared]
        return np.concatenate([*(one[:, -LAST:] for one in found), np.clip(mean, -4, 4)], axis=1)

    def _scores(self, noise: Floats, rng: np.random.Generator) -> Floats:
        """Normal scores of each release given the one before, if this is the noise; 0 where there is none."""
        times = np.tile(self.question.asked[: self.question.seen], (len(noise), 1))
        scale, integer = np.abs(noise) + 2 * self.apart, self.description.integer
        if integer and not (noise == np.round(noise)).all():
            return np.zeros(noise.shape)
        process = self.description.claimed_process
        found = innovations(process, noise[..., None], times, scale[..., None], rng, integer=integer)
        return found.filled[..., 0]

    def _step(self, releases: Floats) -> tuple[Places, Places]:
        """Whether the last step was none, towards the value, or away; and the bin of the last release."""
        step = np.sign(np.diff(releases[:, -2:], axis=1)[:, -1] if releases.shape[1] > 1 else np.zeros(len(releases)))
        return step.astype(np.intp) + 1, np.digitize(self._place(releases[:, -1]), CELLS)

    def _last_bits(self, releases: Floats) -> tuple[Places, Places]:
        """The bin of the exponent of the last bit of the last release; and a coarse one of the release."""
        mantissa, exponent = np.frexp(releases[:, -1])
        whole = np.abs(np.ldexp(mantissa, 53)).astype(np.int64)
        lowest = np.log2(np.maximum(whole & -whole, 1)) + exponent - 53 - np.log2(self._unit)
        return np.digitize(lowest, BITS), np.digitize(self._place(releases[:, -1]), CELLS[::COARSE])


def _values(description: Description, question: Question, end: float) -> tuple[float, float]:
    """The values: so far apart that they are told, or by as much as the claim is about; the larger first."""
    family = description.family
    apart = (
        family.telling(end, description.rate or 1.0) if description.knob == "time" else description.sensitivity or 1.0
    )
    if description.integer:
        apart = max(1.0, float(np.floor(apart)))
    low = -0.5 * apart if question.straddling else 0.0
    low = float(np.floor(low)) if description.integer else low
    return low + apart, low
