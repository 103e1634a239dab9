"""The check of random streams: different seeds give different transcripts, and there are not just a few streams."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc, ive

from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.auditing.noise_reduction.checks.fingerprints import (
    EQUAL_NOISE,
    EQUAL_SIZE,
    NOISE,
    ONE_SIZE,
    SIZES,
    Keys,
    keys_of,
    noise_keys,
    size_keys,
)
from nrverify.auditing.noise_reduction.design.batch import Batch
from nrverify.auditing.sampling.looks import MOST_LOOKS
from nrverify.subjects.noise_families import FAMILIES, NoiseFamily

Floats = NDArray[np.float64]

MOST_TRANSCRIPTS = 2**16
"""Sessions of a case whose transcripts are compared."""
MOST_NOISE = 400_000
"""Sessions of all cases whose noise is compared: with so many, a seed of 32 bits repeats itself about 18 times."""
TRANSCRIPTS = "transcripts of the case "
SINGLE_PRECISION_COLLISION = 2.0**-23
"""How likely two numbers of a single-precision source coincide: granted where whole transcripts are compared."""
FEWEST_STREAMS = 2.0**31
"""Streams that seeds must lead to: what is left of a seed of 32 bits and a sign."""
KEY_COLLISION = 2.0**-120
"""How likely two different transcripts have the same key of 128 bits, with a margin of 2^8."""


@dataclass
class Seen:
    """Transcripts, or noise, by their keys (n, 2), where each comes from (n,), and how likely keys agree.

    A session has one key, or one for each of its numbers.
    """

    keys: list[Keys] = field(default_factory=list)
    requests: list[NDArray[np.int64]] = field(default_factory=list)
    owners: list[NDArray[np.int64]] = field(default_factory=list)
    """The session of each key."""
    count: int = 0
    """How many keys."""
    sources: int = 0
    """How many requests: a session that was opened is one."""
    sessions: int = 0
    equal: float = 0.0
    """The largest P(a key is a given one)."""

    def add(self, keys: Keys, requests: NDArray[np.int64], owners: NDArray[np.int64]) -> None:
        """Keeps keys, with the number of each one's request and session among these."""
        self.keys.append(keys)
        self.requests.append(self.sources + requests)
        self.owners.append(self.sessions + owners)
        self.count += len(keys)
        self.sources += int(requests.max(initial=-1)) + 1
        self.sessions += int(owners.max(initial=-1)) + 1

    def repeats(self) -> tuple[int, int]:
        """Sessions equal to an earlier one of their own request, and requests with one equal to another request's."""
        if self.count < 2:
            return 0, 0
        keys, requests, owners = (np.concatenate(part) for part in (self.keys, self.requests, self.owners))
        ordered = np.sort(keys[:, 0])
        repeated = ordered[1:][ordered[1:] == ordered[:-1]]
        if repeated.size == 0:
            return 0, 0
        some = np.isin(keys[:, 0], repeated)
        one, other, request, owner = keys[some, 0], keys[some, 1], requests[some], owners[some]
        order = np.lexsort((owner, request, other, one))
        owner = owner[order]
        same_key = _as_before(one[order]) & _as_before(other[order])
        same_request = same_key & _as_before(request[order])
        # Of sessions of one request with equal keys every one but the first is a repeat, however many keys it has.
        within = np.unique(owner[same_request & ~_as_before(owner)]).size
        # In groups of equal keys, every request but the first has met an earlier one.
        between = np.unique(request[order][same_key & ~same_request]).size
        return int(within), int(between)

    def p_value(self, within: int, between: int) -> float:
        """A bound on P(as many repeats) when all streams are independent and seeds lead to 2^31 of them or more."""
        return min(1.0, 2 * min(self._unlikely(within), self._unlikely(between)))

    def noticed(self, compared: int, level: float) -> float:
        """Fewer different ones than this lead to so many repeats among as many compared that they are noticed."""
        counts = np.geomspace(1, 1e6, 200)
        return 0.5 * compared**2 / next((n for n in counts if self.p_value(0, int(n)) <= level), np.inf)

    def _unlikely(self, repeats: int) -> float:
        """A bound on P(so many repeats) of one kind; requests count once, however many of their sessions repeat.

        Whatever came before, each of n keys meets one of fewer than n earlier streams with probability at most n 2^-31,
        or is one of fewer than n earlier keys with n times the probability of the likeliest.
        """
        likely = min(self.count * (1 / FEWEST_STREAMS + self.equal + KEY_COLLISION), 1.0)
        return float(bdtrc(repeats - 1, self.count, likely)) if repeats else 1.0


def _as_before(column: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether each is equal to the one before it; the first is not."""
    return np.concatenate([[False], column[1:] == column[:-1]])


class Streams:
    """No two sessions with different seeds give the same transcript, or the same noise at other times.

    A birthday test on whole transcripts of a case, and on the numbers behind the noise of all cases: it catches a seed
    that is ignored, cut down to a few values, or shared by sessions or requests, also when they are far apart and ask
    for other times. So does one on the sizes of single noises: it catches noise made from few numbers, or used twice
    with either sign. A seed, or a number, of 32 bits, which many generators have, is let pass. Misses streams that
    differ but overlap, and at other times a subject that spends its random numbers in an order of its own.
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
        self._found: dict[str, tuple[int, int]] = {}

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
                keys = keys_of(batch.releases[:room])
                sessions = np.arange(len(keys))
                seen = self.seen.setdefault(name, Seen())
                seen.equal = max(seen.equal, self._likeliest(batch))
                seen.add(keys, _requests(batch, sessions), sessions)
        if self._room(NOISE) > 0:
            for name, keys in noise_keys(self.family, batch):
                self._keep(name, keys, np.arange(len(keys)), EQUAL_NOISE, batch)
        if self._room(SIZES[0]) > 0:
            for name, keys, sessions in size_keys(self.family, batch):
                self._keep(name, keys, sessions, EQUAL_SIZE, batch)

    def fresh(self) -> Streams:
        """The same before anything was seen; a case of which enough was seen is passed over."""
        blank = Streams(self.mechanism, self.rate)
        names = self.seen.keys() | self._before.keys()
        blank._before = {name: self._before.get(name, 0) + self.seen.get(name, Seen()).count for name in names}
        return blank

    def merge(self, other: Streams) -> None:
        """Keeps what another has kept, as far as there is room."""
        self.sessions += other.sessions
        for name, theirs in other.seen.items():
            own = self.seen.setdefault(name, Seen(equal=theirs.equal))
            kept = min(theirs.count, _most(name) - own.count)
            if kept <= 0:
                continue
            requests, owners = (np.concatenate(part)[:kept] for part in (theirs.requests, theirs.owners))
            own.equal = max(own.equal, theirs.equal)
            own.add(np.concatenate(theirs.keys)[:kept], requests, owners)
            self._found.pop(name, None)

    def refuted(self, alpha: float) -> bool:
        """Whether there are more repeats than chance explains (α divided over the looks)."""
        return self.p_value() <= alpha / MOST_LOOKS

    def p_value(self) -> float:
        """The smallest over what is compared, times their number."""
        repeats = self._repeats().items()
        return min([1.0, *(len(self.seen) * self.seen[name].p_value(*found) for name, found in repeats)])

    def conclude(self, alpha: float) -> CheckResult:
        """The verdict, with the number of streams that would have been noticed."""
        verdict = CheckVerdict.REFUTED if self.refuted(alpha) else CheckVerdict.CONSISTENT
        repeats = self._repeats()
        p_values = {name: self.seen[name].p_value(*found) for name, found in repeats.items()}
        clear = [name for name, p in p_values.items() if len(self.seen) * p <= alpha / MOST_LOOKS]
        # Equal streams have equal noises too: they are named first.
        worst = min(clear or p_values, key=lambda name: (name in SIZES.values(), p_values[name]), default=None)
        within, between = repeats.get(worst or "", (0, 0))
        return CheckResult(
            self.id,
            self.kind,
            verdict,
            self.claims,
            samples=self.sessions,
            p_value=self.p_value(),
            alpha=alpha,
            detectable=self._detectable(alpha / MOST_LOOKS / max(len(self.seen), 1)),
            expected="no equal sessions of different seeds, beyond what chance and a seed of 32 bits explain",
            observed=f"{within + between} repeats among {self.sessions} sessions of different seeds"
            + (f" ({worst}{self._alike(worst)})" if worst else ""),
        )

    def _detectable(self, level: float) -> str | None:
        """How few streams, and how few noises, would have been noticed by their repeats."""
        sizes = [seen for name, seen in self.seen.items() if name in SIZES.values()]
        others = [seen for name, seen in self.seen.items() if name not in SIZES.values()]
        noises = max((seen.noticed(seen.count, level) for seen in sizes), default=0.0)
        streams = max((seen.noticed(seen.sources, level) for seen in others), default=0.0)
        if streams < 2:
            return None
        return f"fewer than {streams:.2g} different streams" + (f", or {noises:.2g} noises" if noises >= 2 else "")

    def _alike(self, name: str) -> str:
        """Whether all repeats are of one key, as those of noise that is clipped are."""
        keys = np.sort(np.concatenate(self.seen[name].keys)[:, 0])
        again = keys[1:][keys[1:] == keys[:-1]]
        return f", {ONE_SIZE}" if name in SIZES.values() and again.size > 1 and (again == again[0]).all() else ""

    def _room(self, name: str) -> int:
        return _most(name) - self._before.get(name, 0) - self.seen.get(name, Seen()).count

    def _keep(self, name: str, keys: Keys, sessions: NDArray[np.int64], equal: float, batch: Batch) -> None:
        """Keeps keys of sessions of a batch, all equally likely, as far as there is room."""
        room = max(self._room(name), 0)
        kept = sessions[:room]
        self.seen.setdefault(name, Seen(equal=equal)).add(keys[:room], _requests(batch, kept), kept)

    def _repeats(self) -> dict[str, tuple[int, int]]:
        """How many sessions and requests repeat others, by what is compared, where any do."""
        for name, seen in self.seen.items():
            if name not in self._found:
                self._found[name] = seen.repeats()
        return {name: found for name, found in self._found.items() if any(found)}

    def _likeliest(self, batch: Batch) -> float:
        """At most this is P(a transcript is a given one): of the increments for integer noise, of the floats else."""
        times, d = batch.times, batch.releases.shape[2]
        if not self.family.integer:
            asked = batch.asked[0][np.isfinite(batch.asked[0])]
            kept = np.minimum(asked[1:] / asked[:-1], asked[:-1] / asked[1:])
            # It ties as the given one does, for Laplace noise with probability (s/t)², or its step is the given one's.
            tied = kept**2 if self.family.tied else np.where(kept == 1.0, 1.0, 0.0)
            return float((SINGLE_PRECISION_COLLISION * np.prod(np.maximum(tied, SINGLE_PRECISION_COLLISION))) ** d)
        if times is None:
            return 1.0
        spans = -np.diff(np.append(times[0], 0.0))
        return float(np.prod(ive(0, 2 * self.rate * spans)) ** d)


def _most(name: str) -> int:
    """How many keys of a kind are kept."""
    return MOST_TRANSCRIPTS if name.startswith(TRANSCRIPTS) else MOST_NOISE


def _requests(batch: Batch, sessions: NDArray[np.int64]) -> NDArray[np.int64]:
    """The request that each session came from: one for all of a sample, one for each that was opened."""
    return np.zeros_like(sessions) if batch.case.together else sessions
