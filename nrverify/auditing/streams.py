"""The check of random streams: different seeds give different transcripts, and there are not just a few streams."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.special import ive

from nrverify.auditing.check import Batch
from nrverify.auditing.looks import MOST_LOOKS
from nrverify.auditing.results import CheckResult, CheckVerdict

Floats = NDArray[np.float64]
Keys = NDArray[np.uint64]

MOST_KEPT = 400_000
"""Sessions of a case that are compared: with so many, a seed of 32 bits repeats itself about 18 times."""
SINGLE_PRECISION_COLLISION = 2.0**-23
"""How likely two numbers of a single-precision source coincide: such a source is legitimate here."""
KEY_COLLISION = 2.0**-120
"""How likely two different transcripts have the same key of 128 bits, with a margin of 2^8."""


@dataclass
class Seen:
    """The transcripts of a case by their keys, (n, 2), and Σ√P(a transcript equals an independent copy of itself)."""

    keys: list[Keys] = field(default_factory=list)
    sessions: int = 0
    root: float = 0.0

    @property
    def collisions(self) -> int:
        """How many pairs have the same key."""
        if self.sessions < 2:
            return 0
        keys = np.concatenate(self.keys)
        ordered = np.sort(keys[:, 0])
        repeated = ordered[1:][ordered[1:] == ordered[:-1]]
        if repeated.size == 0:
            return 0
        _, counts = np.unique(keys[np.isin(keys[:, 0], repeated)], axis=0, return_counts=True)
        return int((counts * (counts - 1) // 2).sum())

    @property
    def chance(self) -> float:
        """A bound on the pairs to be expected: P(X = Y) ≤ √P(X = X')√P(Y = Y') (Cauchy–Schwarz), and equal keys."""
        return 0.5 * self.root**2 + 0.5 * self.sessions**2 * KEY_COLLISION


class Streams:
    """No two sessions with different seeds give the same transcript.

    A birthday test on whole transcripts: it catches a seed that is ignored, cut down to a few values, or shared by
    sessions, also when the sessions are far apart. Misses streams that differ but overlap.
    """

    id = "randomness.streams"
    kind = "randomness"
    claims: tuple[str, ...] = ("P12",)

    def __init__(self, rate: float | None, ties: bool = False) -> None:
        self.rate = rate
        self.ties = ties
        self.seen: dict[str, Seen] = {}
        self._before: dict[str, int] = {}
        self._found: dict[str, int] = {}

    @property
    def sessions(self) -> int:
        """How many sessions are compared."""
        return sum(seen.sessions for seen in self.seen.values())

    def observe(self, batch: Batch) -> None:
        """Keeps the keys of the first transcripts of a case."""
        if not batch.case.fixed:
            return
        name = batch.case.name
        seen = self.seen.setdefault(name, Seen())
        room = MOST_KEPT - self._before.get(name, 0) - seen.sessions
        if room <= 0:
            return
        keys = keys_of(batch.releases[:room])
        seen.keys.append(keys)
        seen.sessions += len(keys)
        seen.root += len(keys) * float(np.sqrt(self._collision_probability(batch)))

    def fresh(self) -> Streams:
        """The same before anything was seen; a case of which enough was seen is passed over."""
        blank = Streams(self.rate, self.ties)
        names = self.seen.keys() | self._before.keys()
        blank._before = {name: self._before.get(name, 0) + self.seen.get(name, Seen()).sessions for name in names}
        return blank

    def merge(self, other: Streams) -> None:
        """Keeps what another has kept, as far as there is room."""
        for name, theirs in other.seen.items():
            own = self.seen.setdefault(name, Seen())
            kept = min(theirs.sessions, MOST_KEPT - own.sessions)
            if kept <= 0:
                continue
            own.keys.append(np.concatenate(theirs.keys)[:kept])
            own.sessions += kept
            own.root += theirs.root * kept / theirs.sessions
            self._found.pop(name, None)

    def refuted(self, alpha: float) -> bool:
        """Whether there are more equal pairs than chance explains (Markov's inequality, α divided over the looks)."""
        return self.p_value() <= alpha / MOST_LOOKS

    def p_value(self) -> float:
        """The smallest over cases of P(so many equal pairs) ≤ expected over observed, times the number of cases."""
        found = [self.seen[name].chance / count for name, count in self._collisions().items() if count]
        return min(1.0, len(self.seen) * min(found)) if found else 1.0

    def conclude(self, alpha: float) -> CheckResult:
        """The verdict, with the number of streams that would have been noticed."""
        verdict = CheckVerdict.REFUTED if self.refuted(alpha) else CheckVerdict.CONSISTENT
        pairs = sum(0.5 * seen.sessions * (seen.sessions - 1) for seen in self.seen.values())
        streams = pairs / max(-np.log(alpha), 1.0)
        equal = sum(self._collisions().values())
        return CheckResult(
            self.id,
            self.kind,
            verdict,
            self.claims,
            samples=self.sessions,
            p_value=self.p_value(),
            alpha=alpha,
            detectable=f"fewer than {streams:.2g} different streams",
            expected=f"{sum(seen.chance for seen in self.seen.values()):.2g} equal pairs of transcripts",
            observed=f"{equal} equal pairs among {self.sessions} sessions of different seeds",
        )

    def _collisions(self) -> dict[str, int]:
        for name, seen in self.seen.items():
            if name not in self._found:
                self._found[name] = seen.collisions
        return self._found

    def _collision_probability(self, batch: Batch) -> float:
        """P(two independent transcripts are equal): of the increments for integer noise, of the floats else."""
        times, d = batch.times, batch.releases.shape[2]
        if self.rate is None:
            asked = batch.asked[0][np.isfinite(batch.asked[0])]
            kept = np.minimum(asked[1:] / asked[:-1], asked[:-1] / asked[1:])
            # Both tie, which Laplace noise does with probability (s/t)² each, or neither and their steps are equal.
            tied = kept**4 if self.ties else np.where(kept == 1.0, 1.0, 0.0)
            steps = tied + (1 - tied) * SINGLE_PRECISION_COLLISION
            return float((SINGLE_PRECISION_COLLISION * np.prod(steps)) ** d)
        if times is None:
            return 1.0
        spans = -np.diff(np.append(times[0], 0.0))
        return float(np.prod(ive(0, 4 * self.rate * spans)) ** d)


def keys_of(releases: Floats) -> Keys:
    """A key of 128 bits for each transcript: its numbers taken in one by one, all bits mixed after each."""
    words = np.ascontiguousarray(releases + 0.0).reshape(len(releases), -1).view(np.uint64)
    keys = np.empty((len(words), 2), dtype=np.uint64)
    for half, start in enumerate((0x9E3779B97F4A7C15, 0xD1B54A32D192ED03)):
        key = np.full(len(words), start, dtype=np.uint64)
        for word in words.T:
            key = _mixed(key * np.uint64(0x2545F4914F6CDD1D) ^ word)
        keys[:, half] = key
    return keys


def _mixed(key: Keys) -> Keys:
    """A one-to-one map of 64 bits in which every bit depends on all others (the finaliser of splitmix64)."""
    key = (key ^ (key >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    key = (key ^ (key >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return key ^ (key >> np.uint64(31))
