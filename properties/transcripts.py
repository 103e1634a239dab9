"""Transcripts of noise reduction: times and stops chosen by programs of the releases, and densities in release order.

Serves the definitions of time functions and stopping functions: the next time, and whether there is one, depend on the
releases seen so far in any way, and on the value through nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

Release = tuple[Fraction, ...]
History = Sequence[Release]

UNIT = Fraction(1, 2**53)
"""The unit roundoff of double precision: one operation errs by at most this, in relative terms."""

STATISTICS: dict[str, Callable[[History, int], Fraction]] = {
    "the last release": lambda seen, i: seen[-1][i],
    "the sum of the releases": lambda seen, i: sum((release[i] for release in seen), Fraction(0)),
    "the last change": lambda seen, i: seen[-1][i] - seen[-2][i] if len(seen) > 1 else Fraction(0),
    "how many releases are positive": lambda seen, i: Fraction(sum(release[i] > 0 for release in seen)),
    "the largest release": lambda seen, i: max(release[i] for release in seen),
    "the squared length of the last": lambda seen, i: sum((c * c for c in seen[-1]), Fraction(0)),
}


@dataclass(frozen=True)
class Question:
    """Whether a statistic of the releases so far is at least a threshold."""

    statistic: str
    coordinate: int
    threshold: Fraction

    def __call__(self, seen: History) -> bool:
        """The answer, given the releases so far."""
        return STATISTICS[self.statistic](seen, self.coordinate % len(seen[0])) >= self.threshold


@dataclass(frozen=True)
class Schedule:
    """T_1 is constant; T_{n+1} is T_n times one of two factors in (0, 1], by the answer to the n-th question."""

    first: Fraction
    steps: tuple[tuple[Question, Fraction, Fraction], ...]

    def after(self, last: Fraction, seen: History) -> Fraction:
        """The time that follows the time `last`, given the releases so far; equal to it for a factor 1."""
        question, if_so, otherwise = self.steps[(len(seen) - 1) % len(self.steps)]
        return last * (if_so if question(seen) else otherwise)


@dataclass(frozen=True)
class Transcript:
    """Releases in the order they were made, at non-increasing times."""

    times: tuple[Fraction, ...]
    releases: tuple[Release, ...]

    def with_look(self, position: int, time: Fraction, release: Release) -> Transcript:
        """One more look, before the one at `position`."""
        return Transcript(
            (*self.times[:position], time, *self.times[position:]),
            (*self.releases[:position], release, *self.releases[position:]),
        )

    def at_double_times(self) -> Transcript:
        """The same releases at the nearest doubles of the times, which keep their order and their ties."""
        return Transcript(tuple(Fraction(float(time)) for time in self.times), self.releases)


def play(schedule: Schedule, stop: Question, proposals: History, kept: Sequence[Sequence[bool]]) -> Transcript:
    """The transcript of a run whose n-th release would be the n-th proposal, up to the first history that stops it.

    A coordinate that is `kept` repeats its last release, as a process with atoms may; at an equal time all repeat it.
    """
    times, releases = [schedule.first], [proposals[0]]
    for proposal, keeps in zip(proposals[1:], kept, strict=False):
        if stop(releases):
            break
        time = schedule.after(times[-1], releases)
        same = time == times[-1]
        coordinates = zip(proposal, releases[-1], keeps, strict=True)
        releases.append(tuple(old if same or keep else new for new, old, keep in coordinates))
        times.append(time)
    return Transcript(tuple(times), tuple(releases))


@dataclass(frozen=True)
class Run:
    """A transcript under the values f(x) and f(x') of two neighbours."""

    value: Release
    neighbour: Release
    transcript: Transcript

    @property
    def last_time(self) -> Fraction:
        """T_N."""
        return self.transcript.times[-1]

    @property
    def last(self) -> Release:
        """The release at T_N."""
        return self.transcript.releases[-1]


Marginal = Callable[[Fraction, Fraction], Fraction]
"""log density at (t, noise), up to a term free of the value."""

Bridge = Callable[[Fraction, Fraction, Fraction, Fraction], Fraction]
"""log density at (s, t, noise at t, noise at s), up to a term free of the value."""


def log_density(transcript: Transcript, value: Release, marginal: Marginal, bridge: Bridge) -> Fraction:
    """log density of the transcript in release order: the first release, then each by its kernel given the last.

    At an equal time the kernel is the unit mass at the last release, free of the value.
    """
    looks = list(zip(transcript.times, transcript.releases, strict=True))
    total = sum((marginal(looks[0][0], y - f) for y, f in zip(looks[0][1], value, strict=True)), Fraction(0))
    for (t, before), (s, after) in pairwise(looks):
        if s < t:
            total += sum(bridge(s, t, z - f, y - f) for z, y, f in zip(before, after, value, strict=True))
    return total


def log_ratio(run: Run, marginal: Marginal, bridge: Bridge) -> Fraction:
    """log of the density of the whole transcript under the value over that under the neighbour."""
    own = log_density(run.transcript, run.value, marginal, bridge)
    return own - log_density(run.transcript, run.neighbour, marginal, bridge)
