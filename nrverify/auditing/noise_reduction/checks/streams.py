"""The check of random streams: different seeds give different transcripts, and there are not just a few streams."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.core.bets.topic import Topic
from nrverify.auditing.core.declaration import CheckKind, Declared, check
from nrverify.auditing.core.faults.noise import EQUAL_TRANSCRIPTS, ONE_NUMBER_AGAIN
from nrverify.auditing.core.finding import Finding, Size
from nrverify.auditing.core.results import CheckResult, CheckVerdict, concluded
from nrverify.auditing.noise_reduction.checks.fingerprints import (
    EQUAL_NOISE,
    EQUAL_SIZE,
    NOISE,
    SIZES,
    keys_of_many,
    noise_of,
    sizes_of,
)
from nrverify.auditing.noise_reduction.checks.repeats import Seen
from nrverify.auditing.noise_reduction.context import MECHANISMS, WEIGHT, NoiseReductionContext
from nrverify.auditing.noise_reduction.design.batch import Batch
from nrverify.auditing.sampling.looks import MOST_LOOKS
from nrverify.statistics.estimate import Estimate, Measure
from nrverify.subjects.noise_families import FAMILIES, NoiseFamily

Floats = NDArray[np.float64]

MOST_TRANSCRIPTS = 2**16
"""Sessions of a case whose transcripts are compared."""
MOST_NOISE = 400_000
"""Sessions of all cases whose noise is compared: with so many, a seed of 32 bits repeats itself about 18 times."""
MOST_WAITING = 2**16
"""Numbers that wait for their keys: few enough to take little memory."""
SINGLE_PRECISION_COLLISION = 2.0**-23
"""How likely two numbers of a single-precision source coincide: granted where whole transcripts are compared."""
REPEATS = "{observed:.0f} repeats among {count} sessions of different seeds"
NO_REPEATS = "no equal sessions of different seeds, beyond what chance and a seed of 32 bits explain"


def transcripts_of(case: str) -> Topic:
    """Whole transcripts of a case."""
    return Topic(f"transcripts of the case {case}", EQUAL_TRANSCRIPTS)


@check(
    id="randomness.streams",
    kind=CheckKind.RANDOMNESS,
    sentence="Sessions with different seeds have independent noise.",
    claims=("P12",),
    mechanisms=MECHANISMS,
    weight=WEIGHT,
    order=20,
    expected=NO_REPEATS,
    templates={
        "count": (NO_REPEATS, f"{REPEATS} ({{quantity}})"),
        ONE_NUMBER_AGAIN.id: (NO_REPEATS, f"{REPEATS} ({{quantity}}, all of one size)"),
    },
    implied_by=("lattice",),
    not_covered="sessions of different lengths and times are not compared; a schedule fixed in advance is",
)
class Streams(Declared):
    """No two sessions with different seeds give the same transcript, or the same noise at other times.

    A birthday test on whole transcripts of a case, and on the numbers behind the noise of all cases: it catches a seed
    that is ignored, cut down to a few values, or shared by sessions or requests, also when they are far apart and ask
    for other times. So does one on the sizes of single noises: it catches noise made from few numbers, or used twice
    with either sign. A seed, or a number, of 32 bits, which many generators have, is let pass. Misses streams that
    differ but overlap, and at other times a subject that spends its random numbers in an order of its own.
    """

    any_value = True
    sees_any_order = True

    def __init__(self, mechanism: str, rate: float = 1.0) -> None:
        self.mechanism = mechanism
        self.rate = rate
        self.sessions = 0
        self.seen: dict[Topic, Seen] = {}
        """Keys by what is compared."""
        self._waiting: list[tuple[Topic, Floats, NDArray[np.int64], NDArray[np.int64], float]] = []
        """What keys are to be made of, worked out for many batches together: rows, requests, sessions, likeliest."""
        self._before: dict[Topic, int] = {}
        """How many were kept before this one was begun, or wait."""
        self._found: dict[Topic, tuple[int, int]] = {}

    @classmethod
    def build(cls, context: NoiseReductionContext) -> Streams:
        """For the noise that is claimed."""
        return cls(context.description.mechanism, context.description.rate or 1.0)

    @property
    def family(self) -> NoiseFamily:
        """The kind of noise."""
        return FAMILIES[self.mechanism]

    def observe(self, batch: Batch) -> None:
        """Keeps the keys of the first transcripts of a case, and of the noise behind the first transcripts of all."""
        self.sessions += batch.sessions
        if batch.case.fixed:
            name = transcripts_of(batch.case.name)
            room = self._room(name)
            if room > 0:
                self._keep(name, batch.releases, np.arange(batch.sessions), self._likeliest(batch), batch)
        # What is behind the noise is found by the order of falling times.
        falling = not batch.case.any_order
        if falling and self._room(NOISE) > 0:
            for name, rows in noise_of(self.family, batch):
                self._keep(name, rows, np.arange(len(rows)), EQUAL_NOISE, batch)
        if falling and self._room(SIZES[0]) > 0:
            for name, rows, sessions in sizes_of(self.family, batch):
                self._keep(name, rows, sessions, EQUAL_SIZE, batch)
        if sum(rows.size for _, rows, *_ in self._waiting) >= MOST_WAITING:
            self.settle()

    def settle(self) -> None:
        """Makes the keys of what waits for them."""
        waiting, self._waiting = self._waiting, []
        for (name, rows, requests, sessions, equal), keys in zip(
            waiting, keys_of_many([rows for _, rows, *_ in waiting]), strict=True
        ):
            seen = self.seen.setdefault(name, Seen())
            seen.equal = max(seen.equal, equal)
            seen.add(keys, requests, sessions)
            self._before[name] -= len(rows)
            self._found.pop(name, None)

    def empty_copy(self) -> Streams:
        """An empty copy that knows how much room is left: what is kept is no sum."""
        self.settle()
        blank = Streams(self.mechanism, self.rate)
        names = self.seen.keys() | self._before.keys()
        blank._before = {name: self._before.get(name, 0) + self.seen.get(name, Seen()).count for name in names}
        return blank

    def merge(self, other: Streams) -> None:
        """Keeps what another has kept, as far as there is room."""
        self.settle()
        other.settle()
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
        self.settle()
        return self.p_value() <= alpha / MOST_LOOKS

    def p_value(self) -> float:
        """The smallest over what is compared, times their number."""
        self.settle()
        repeats = self._repeats().items()
        return min([1.0, *(len(self.seen) * self.seen[name].p_value(*found) for name, found in repeats)])

    def conclude(self, alpha: float) -> CheckResult:
        """The verdict, with the number of streams that would have been noticed."""
        verdict = CheckVerdict.REFUTED if self.refuted(alpha) else CheckVerdict.CONSISTENT
        return concluded(
            self,
            verdict,
            samples=self.sessions,
            p_value=self.p_value(),
            alpha=alpha,
            finding=self._finding(alpha) if verdict is CheckVerdict.REFUTED else None,
            sizes=self._sizes(alpha / MOST_LOOKS / max(len(self.seen), 1)),
        )

    def _finding(self, alpha: float) -> Finding:
        repeats = self._repeats()
        p_values = {name: self.seen[name].p_value(*found) for name, found in repeats.items()}
        clear = [name for name, p in p_values.items() if len(self.seen) * p <= alpha / MOST_LOOKS]
        # Equal streams have equal noises too: they are named first.
        worst = min(clear, key=lambda name: (name in SIZES.values(), p_values[name]))
        estimate = Estimate(Measure.COUNT, 0.0, float(sum(repeats[worst])), None, self.sessions)
        alike = worst in SIZES.values() and self.seen[worst].all_of_one
        return Finding(worst.quantity, estimate, ONE_NUMBER_AGAIN if alike else worst.fault)

    def _sizes(self, level: float) -> tuple[Size, ...]:
        """How few streams, and how few noises, would have been noticed by their repeats."""
        sizes = [seen for name, seen in self.seen.items() if name in SIZES.values()]
        others = [seen for name, seen in self.seen.items() if name not in SIZES.values()]
        noises = max((seen.noticed(seen.count, level) for seen in sizes), default=0.0)
        streams = max((seen.noticed(seen.sources, level) for seen in others), default=0.0)
        if streams < 2:
            return ()
        found = (Size("different streams", streams, "streams"),)
        return (*found, Size("different noises", noises, "streams")) if noises >= 2 else found

    def _room(self, name: Topic) -> int:
        seen = self.seen.get(name)
        return _most(name) - self._before.get(name, 0) - (0 if seen is None else seen.count)

    def _keep(self, name: Topic, rows: Floats, sessions: NDArray[np.int64], equal: float, batch: Batch) -> None:
        """Keeps sessions of a batch, all equally likely, as far as there is room."""
        room = max(self._room(name), 0)
        kept = sessions[:room]
        self._waiting.append((name, rows[:room], _requests(batch, kept), kept, equal))
        self._before[name] = self._before.get(name, 0) + len(kept)

    def _repeats(self) -> dict[Topic, tuple[int, int]]:
        """How many sessions and requests repeat others, by what is compared, where any do."""
        for name, seen in self.seen.items():
            if name not in self._found:
                self._found[name] = seen.repeats()
        return {name: found for name, found in self._found.items() if any(found)}

    def _likeliest(self, batch: Batch) -> float:
        """At most this is P(a transcript is a given one): of the increments for integer noise, of the floats else.

        Whatever the order in which times were asked for, it is that of the same releases in falling order.
        """
        times, d = batch.times, batch.releases.shape[2]
        if times is not None and batch.case.any_order:
            times = -np.sort(-times, axis=1)
        if not self.family.integer:
            asked = batch.asked[0][np.isfinite(batch.asked[0])]
            asked = -np.sort(-asked) if batch.case.any_order else asked
            kept = np.minimum(asked[1:] / asked[:-1], asked[:-1] / asked[1:])
            # It ties as the given one does, for Laplace noise with probability (s/t)², or its step is the given one's.
            tied = kept**2 if self.family.jumps else np.where((kept == 1.0) | self.family.tied, 1.0, 0.0)
            return float((SINGLE_PRECISION_COLLISION * np.prod(np.maximum(tied, SINGLE_PRECISION_COLLISION))) ** d)
        if times is None:
            return 1.0
        likeliest = self.family.likeliest
        return 1.0 if likeliest is None else likeliest(times[0], self.rate) ** d


def _most(name: Topic) -> int:
    """How many keys of a kind are kept."""
    return MOST_TRANSCRIPTS if name.fault == EQUAL_TRANSCRIPTS else MOST_NOISE


def _requests(batch: Batch, sessions: NDArray[np.int64]) -> NDArray[np.int64]:
    """The request that each session came from: one for all of a sample, one for each that was opened."""
    return np.zeros_like(sessions) if batch.case.together else sessions
