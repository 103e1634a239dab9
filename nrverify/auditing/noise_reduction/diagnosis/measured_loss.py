"""What a wrong law gives away, measured: how well its transcripts tell two values apart, beside the noise claimed.

At the last time the noise claimed has known hockey-stick divergences, and its earlier releases add nothing to them.
After a refutation whose loss was not computed, more transcripts of two values are drawn and guessed from. A lower limit
above what the claim allows is a leak, whatever the fault behind it; the limits hold at every look, and all at once.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.core.effects import Priced
from nrverify.auditing.core.faults import Effect
from nrverify.auditing.core.transforms.rosenblatt import SAME_RELEASE, innovations
from nrverify.auditing.noise_reduction.design.cases import Case
from nrverify.auditing.noise_reduction.design.drawing import draw_sessions
from nrverify.auditing.noise_reduction.design.knob import Knob
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

PLACES = (0.15, 0.6, 0.9)
"""Where in the range of times sessions end: from much noise to little, which sets integers apart."""
FACTORS = ((1.0,), (4.0, 2.0, 1.0), (1.2, 1.1, 1.0), (1.0, 1.0))
"""Times of a session, in units of the last: one release, releases far apart, releases close together, and one twice."""
EPSILONS = (0.0, 1.0, 2.0, 3.0)
"""Where divergences are compared; the values are so far apart that the loss claimed is of order 2."""
FIRST, GROWTH = 128, 1.3
"""Transcripts of the first look, and the growth of looks: more often, little would be learned between them."""
EACH, LEADING = 512, 20_000
"""Transcripts of each schedule; and of the one that tells most by then, together with the first: with them an excess of
a tenth is seen."""
SECONDS = 5.0
"""Wall time for all of it: a refutation is not kept back for long."""
ROUNDING = 1e-6
"""Above the error of a divergence."""
CELLS = np.linspace(-2.0, 2.0, 25)
"""Edges of the bins of releases, in units of the distance of the values, the middle between them at 0."""
AFTER_LOOKS = LATE + 1
"""The first number of places of a run that come after all looks, and after the attack on last bits."""


def measurable(description: Description, knob: Knob) -> bool:
    """Whether the divergences of the noise claimed are known: of a built-in family, at times that are told."""
    return knob.falling and not description.family.own and description.granularity is None


def measured_loss(
    drawer: Drawer, description: Description, knob: Knob, most: int | None, alpha: float
) -> Priced | None:
    """The loss that was shown beyond the one claimed, None where none was."""
    schedules = [tuple(knob.at(place) * factor for factor in factors) for place in PLACES for factors in FACTORS]
    usable = [one for one in schedules if one[0] <= knob.high and len(one) <= (most or len(one))]
    clock = Clock(drawer.host, SECONDS)
    trials = [Trial(description, schedule) for schedule in usable]
    each = alpha / max(1, sum(trial.limits.limits for trial in trials))
    trials = [trial for trial in trials if trial.draw(drawer, clock, EACH)]
    if not trials:
        return None
    leading = max(trials, key=lambda trial: trial.worst(1.0)[0])
    if max(trial.worst(each)[0] for trial in trials) <= 0:
        leading.draw(drawer, clock, LEADING)
    return max(trials, key=lambda trial: trial.worst(each)[0]).priced(each)


class Trial:
    """Transcripts of two values on one schedule, and guesses of the value learned from those before."""

    def __init__(self, description: Description, schedule: tuple[float, ...]) -> None:
        self.description, self.schedule, self.end = description, schedule, schedule[-1]
        apart = description.family.telling(self.end, description.rate or 1.0)
        value = (apart, *(0.0,) * (min(description.dimensions or (1,)) - 1))
        case = Case("loss", value, Fixed(schedule), ways_of(description)[0])
        self.pair = Pair(case, (0.0,) * len(value))
        self.limits = DivergenceLimits(EPSILONS, 2)
        self._learner = Learner()
        self._cells = np.full((2, 3, CELLS.size + 1), 0.5)

    @property
    def apart(self) -> float:
        """The distance of the values."""
        return float(self.pair.shift[0])

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
            self._bet(within_reach(self.description, releases)[..., 0], label, drawer.rng)
        return self.limits.runs > 0

    def worst(self, alpha: float) -> tuple[float, float, float, float]:
        """The largest excess of a divergence over the one claimed; its ε, lower limit, and what is claimed."""
        found = self.limits.lower(alpha)
        claimed = hockey_stick(self.description.claimed_process, list(EPSILONS), shift=self.apart, time=self.end)
        rows = zip(found, np.asarray(claimed).tolist(), strict=True)
        return max((limit - own * (1 + ROUNDING) - ROUNDING, epsilon, limit, own) for (epsilon, limit), own in rows)

    def priced(self, alpha: float) -> Priced | None:
        """The loss that was shown, None where no limit exceeds the claim."""
        excess, epsilon, limit, claimed = self.worst(alpha)
        if excess <= 0:
            return None
        times = ", ".join(f"{time:.3g}" for time in self.schedule)
        words = (
            f"measured: releases at {times} tell the value {self.apart:.4g} from 0 with a hockey-stick divergence of "
            f"at least {limit:.3g} at ε = {epsilon:g}, where the noise claimed has {claimed:.3g}"
        )
        return Priced(Effect.LEAK, limit, claimed, quantity="hockey-stick divergence", why=words)

    def _sessions(self, drawer: Drawer, side: int, count: int) -> tuple[Floats, Floats]:
        return draw_sessions(drawer, self.pair.sides[side], count)

    def _bet(self, releases: Floats, label: Labels, rng: np.random.Generator) -> None:
        features, cell = self._features(releases, rng), self._cell(releases)
        log_cells = np.log(self._cells)
        guesses = np.stack([self._learner.predict(features), (log_cells[1] - log_cells[0])[cell]])
        self.limits.bet(guesses, label)
        np.add.at(self._cells, (label.astype(int), *cell), 1.0)
        learned = self._learner.empty_copy()
        learned.learn(features, label)
        self._learner.merge(learned)

    def _features(self, releases: Floats, rng: np.random.Generator) -> Floats:
        """Of each release: where it lies, whether it is a value itself or the release before, and its scores under both
        values."""
        place = releases / self.apart - 0.5
        tied = np.zeros(releases.shape)
        tied[:, 1:] = np.abs(np.diff(releases, axis=1)) <= SAME_RELEASE * (np.abs(releases[:, 1:]) + self.apart)
        bare = (releases == self.apart) * 1.0 - (releases == 0)
        side = np.tanh(4 * place)
        scores = [self._scores(releases - value, rng) for value in (self.apart, 0.0)]
        compared = [scores[0] - scores[1], np.abs(scores[0]) - np.abs(scores[1]), scores[0] ** 2 - scores[1] ** 2]
        far = [np.clip(one, -30, 30) for one in compared]
        return np.concatenate([np.clip(place, -4, 4), side, tied * side, bare, *far], axis=1)

    def _scores(self, noise: Floats, rng: np.random.Generator) -> Floats:
        """Normal scores of each release given the one before, if this is the noise; 0 where there is none."""
        times = np.tile(self.schedule, (len(noise), 1))
        scale, integer = np.abs(noise) + 2 * self.apart, self.description.integer
        if integer and not (noise == np.round(noise)).all():
            return np.zeros(noise.shape)
        process = self.description.claimed_process
        found = innovations(process, noise[..., None], times, scale[..., None], rng, integer=integer)
        return found.filled[..., 0]

    def _cell(self, releases: Floats) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Whether the last step was none, towards the value, or away; and the bin of the last release."""
        step = np.sign(np.diff(releases[:, -2:], axis=1)[:, -1] if releases.shape[1] > 1 else np.zeros(len(releases)))
        return step.astype(np.intp) + 1, np.digitize(releases[:, -1] / self.apart - 0.5, CELLS)
