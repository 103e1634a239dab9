"""The check of random streams: different seeds give different transcripts, and there are not just a few streams."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.special import ive

from nrverify.auditing.check import Batch
from nrverify.auditing.looks import MOST_LOOKS
from nrverify.auditing.results import CheckResult, CheckVerdict
from nrverify.auditing.stream_keys import EQUAL_NOISE, NOISE, Keys, keys_of, noise_keys
from nrverify.subjects.families import FAMILIES, NoiseFamily

Floats = NDArray[np.float64]

MOST_TRANSCRIPTS = 2**16
"""Sessions of a case whose transcripts are compared."""
MOST_NOISE = 400_000
"""Sessions of all cases whose noise is compared: with so many, a seed of 32 bits repeats itself about 18 times."""
TRANSCRIPTS = "transcripts of the case "
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
    """No two sessions with different seeds give the same transcript, or the same noise at other times.

    A birthday test on whole transcripts of a case, and on the numbers behind the noise of all cases: it catches a seed
    that is ignored, cut down to a few values, or shared by sessions or requests, also when they are far apart and ask
    for other times. Misses streams that differ but overlap, and at other times a subject that spends its random
    numbers in an order of its own.
    """

    id = "randomness.streams"
    kind = "randomness"
    claims: tuple[str, ...] = ("P12",)

    def __init__(self, mechanism: str, rate: float = 1.0) -> None:
        self.mechanism = mechanism
        self.rate = rate
        self.sessions = 0
        self.seen: dict[str, Seen] = {}
        self._before: dict[str, int] = {}
        self._found: dict[str, int] = {}

    @property
    def family(self) -> NoiseFamily:
        """The kind of noise."""
        return FAMILIES[self.mechanism]

    def observe(self, batch: Batch) -> None:
        """Keeps the keys of the first transcripts of a case, and of the noise behind the first transcripts of all."""
        self.sessions += batch.sessions
        if batch.case.fixed:
            name = TRANSCRIPTS + batch.case.name
            room = self._room(name)
            if room > 0:
                self._keep(name, keys_of(batch.releases[:room]), self._collision_probability(batch))
        if self._room(NOISE) > 0:
            for name, keys in noise_keys(self.family, batch):
                self._keep(name, keys[: max(self._room(name), 0)], EQUAL_NOISE)

    def fresh(self) -> Streams:
        """The same before anything was seen; a case of which enough was seen is passed over."""
        blank = Streams(self.mechanism, self.rate)
        names = self.seen.keys() | self._before.keys()
        blank._before = {name: self._before.get(name, 0) + self.seen.get(name, Seen()).sessions for name in names}
        return blank

    def merge(self, other: Streams) -> None:
        """Keeps what another has kept, as far as there is room."""
        self.sessions += other.sessions
        for name, theirs in other.seen.items():
            own = self.seen.setdefault(name, Seen())
            kept = min(theirs.sessions, _most(name) - own.sessions)
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
        """The smallest over what is compared of P(so many equal pairs) ≤ expected over observed, times their number."""
        return min([1.0, *(len(self.seen) * self.seen[name].chance / count for name, count in self._equal().items())])

    def conclude(self, alpha: float) -> CheckResult:
        """The verdict, with the number of streams that would have been noticed."""
        verdict = CheckVerdict.REFUTED if self.refuted(alpha) else CheckVerdict.CONSISTENT
        pairs = max((0.5 * seen.sessions * (seen.sessions - 1) for seen in self.seen.values()), default=0.0)
        streams = pairs / max(-np.log(alpha), 1.0)
        equal = self._equal()
        worst = min(equal, key=lambda name: self.seen[name].chance / equal[name], default=None)
        chance = sum(seen.chance for seen in self.seen.values()) if worst is None else self.seen[worst].chance
        return CheckResult(
            self.id,
            self.kind,
            verdict,
            self.claims,
            samples=self.sessions,
            p_value=self.p_value(),
            alpha=alpha,
            detectable=f"fewer than {streams:.2g} different streams" if streams >= 2 else None,
            expected=f"{chance:.2g} equal pairs",
            observed=f"{equal.get(worst, 0) if worst else 0} equal pairs among {self.sessions} sessions of different "
            f"seeds{f' ({worst})' if worst else ''}",
        )

    def _room(self, name: str) -> int:
        return _most(name) - self._before.get(name, 0) - self.seen.get(name, Seen()).sessions

    def _keep(self, name: str, keys: Keys, chance: float) -> None:
        """Keeps keys that two independent streams have in common with this chance."""
        seen = self.seen.setdefault(name, Seen())
        seen.keys.append(keys)
        seen.sessions += len(keys)
        seen.root += len(keys) * float(np.sqrt(chance))

    def _equal(self) -> dict[str, int]:
        """How many pairs are equal, by what is compared, where there are any."""
        for name, seen in self.seen.items():
            if name not in self._found:
                self._found[name] = seen.collisions
        return {name: count for name, count in self._found.items() if count}

    def _collision_probability(self, batch: Batch) -> float:
        """P(two independent transcripts are equal): of the increments for integer noise, of the floats else."""
        times, d = batch.times, batch.releases.shape[2]
        if not self.family.integer:
            asked = batch.asked[0][np.isfinite(batch.asked[0])]
            kept = np.minimum(asked[1:] / asked[:-1], asked[:-1] / asked[1:])
            # Both tie, which Laplace noise does with probability (s/t)² each, or neither and their steps are equal.
            tied = kept**4 if self.family.tied else np.where(kept == 1.0, 1.0, 0.0)
            steps = tied + (1 - tied) * SINGLE_PRECISION_COLLISION
            return float((SINGLE_PRECISION_COLLISION * np.prod(steps)) ** d)
        if times is None:
            return 1.0
        spans = -np.diff(np.append(times[0], 0.0))
        return float(np.prod(ive(0, 4 * self.rate * spans)) ** d)


def _most(name: str) -> int:
    """How many keys of a kind are kept."""
    return MOST_TRANSCRIPTS if name.startswith(TRANSCRIPTS) else MOST_NOISE
