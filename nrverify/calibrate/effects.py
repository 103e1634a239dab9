"""What audits say of privacy: every mutant that leaks ought to be told so with a number, and nothing right may be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nrverify.calibrate.jobs import Job
from nrverify.calibrate.matrix import Kill
from nrverify.calibrate.trial import Trial, trial
from nrverify.reference.mutants import Benign

LEAK = "leak"
ALSO_ROUNDED = "releases in single precision may have been rounded after the noise was added, which loses nothing"
SOMEWHERE = "it is wrong at some times only, by a few per cent: which ones, and by how much, is not fitted"
NO_LAW = "the law is another one altogether, and its transcripts told less than can be measured"
WHY_NOT_COMPUTED: dict[str, str] = {
    "brownian-repeated-time-bridged": "independent noise on top of a repeated release, which loses nothing, fits too",
    "brownian-snapped-times": "a tie does not tell which of two releases has the noise of the other's time",
    "brownian-depends-on-value": "the noise grows so slowly with the value that neighbours hardly differ in it",
    "brownian-single-precision": ALSO_ROUNDED,
    "brownian-state-on-subject": "what sessions that disturb each other give away depends on who opens which",
    "laplace-never-tied": NO_LAW,
    "laplace-coin-forgets-the-noise": NO_LAW,
    "skellam-asymmetric": "a shift by itself loses nothing, and the skewness behind it was not measured",
    "skellam-one-count-thinned": "three faults are named that are not told apart, of which one has no computed loss",
    "discrete-laplace-truncated": "an upper limit of the noise cannot be told from rare noise beyond it",
    "discrete-laplace-rounded-scale": SOMEWHERE,
    "discrete-laplace-scale-in-eighths": SOMEWHERE,
    "discrete-gaussian-variance-in-eighths": SOMEWHERE,
    "discrete-laplace-scale-limited": SOMEWHERE,
    "discrete-gaussian-variance-limited": SOMEWHERE,
    "stopping-shared-noise": "how much of the noise of the halt is known from a release was not measured",
}
"""Mutants that leak and of which nothing computes the loss from what an audit sees, and why. They excuse nothing: a
leak that is not told stays red, until its loss is computed."""
DIFFERENT_SAMPLES = 30_000
"""Enough to refute the law of every mechanism that is right but different, and to name a fault that it has not."""


@dataclass(frozen=True)
class Told:
    """What the audits of one subject said."""

    name: str
    told: tuple[str, ...]
    """Effects of the refutations with a cause of their own, over all audits."""
    loss: float | None
    """The loss said with a leak."""

    @property
    def leak(self) -> bool:
        """Whether a leak was said, with a number."""
        return LEAK in self.told and self.loss is not None


@dataclass(frozen=True)
class Effects:
    """Mutants that leak, and mechanisms that are right but different."""

    leaking: tuple[Told, ...]
    different: tuple[Told, ...]

    @property
    def untold(self) -> tuple[str, ...]:
        """Mutants that leak and were not told so, with a number."""
        return tuple(one.name for one in self.leaking if not one.leak)

    @property
    def explained(self) -> dict[str, str]:
        """Of those, why no loss is computed, where that is known."""
        return {name: WHY_NOT_COMPUTED[name] for name in self.untold if name in WHY_NOT_COMPUTED}

    @property
    def slandered(self) -> tuple[str, ...]:
        """Right mechanisms that were told they leak."""
        return tuple(one.name for one in self.different if LEAK in one.told)


def different_jobs(different: Sequence[Benign], seed: int, alpha: float) -> list[Job]:
    """An audit of each mechanism that is right but different."""
    return [Job(one.name, trial, (one.subject, seed, alpha, DIFFERENT_SAMPLES), 3.0) for one in different]


def effects_from(kills: Sequence[Kill], different: Sequence[Benign], results: Sequence[object]) -> Effects:
    """What was said of mutants that leak and were refuted, and of the different ones."""
    leaking = (kill for kill in kills if kill.mutant.effect == LEAK and kill.killed)
    trials = [one for one in results if isinstance(one, Trial)]
    return Effects(
        tuple(_told(kill.mutant.name, [kill.first, *([kill.whole] if kill.whole else [])]) for kill in leaking),
        tuple(_told(one.name, [found]) for one, found in zip(different, trials, strict=True)),
    )


def _told(name: str, trials: Sequence[Trial]) -> Told:
    told = dict.fromkeys(effect for one in trials for effect in one.effects)
    return Told(name, tuple(told), next((one.loss for one in trials if one.loss is not None), None))
