"""Keys of transcripts, and of the noise behind them whatever the times: what equal streams have in common.

A subject that draws one number for each release gives, from one stream, the same numbers at any times: its steps along
the bridge, from the first release on, or its steps in growing time, from the last release back.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from nrverify.auditing.core.bets.topic import Topic
from nrverify.auditing.core.faults.noise import FEW_STREAMS, SEED_IGNORED
from nrverify.auditing.noise_reduction.design.batch import Batch
from nrverify.subjects.noise_families import NoiseFamily

Floats = NDArray[np.float64]
Keys = NDArray[np.uint64]

VALUES, BITS = 4, 20
"""The noise is known by so many of its numbers, each as a probability of so many bits: rounding does not reach them."""
MOST_SOUGHT = 16
"""They are sought among so many."""
EQUAL_NOISE = 2.0 ** (-VALUES * BITS)
"""How likely two independent streams have the same noise in these numbers."""
NOISE = Topic("the noise along the bridge", SEED_IGNORED)
"""The kind of key that every session has."""
FIRST_RELEASES = Topic("the noise of the first releases of a request", SEED_IGNORED)
FIRST_SESSION = Topic("the noise of the first session of a request along the bridge", SEED_IGNORED)
GROWING = Topic("the noise along the walk in growing time", SEED_IGNORED)
LAST_RELEASES = Topic("the noise of the last releases of a request", SEED_IGNORED)
FIRST_SESSION_GROWING = Topic("the noise of the first session of a request in growing time", SEED_IGNORED)
SIZES = {
    0: Topic("single noises of first releases, whatever their sign", FEW_STREAMS),
    -1: Topic("single noises of last releases, whatever their sign", FEW_STREAMS),
}
"""At either end of a schedule."""
SIZE_BITS = 40
"""With fewer, sizes agree by chance too often to be counted; with more, rounding (COARSEST, 2⁻⁴²) would separate equal
ones."""
EQUAL_SIZE = 2.0**-SIZE_BITS
"""How likely two independent releases have noise of the same size, their signs apart."""
LARGEST_SIZE = 4.5
"""In standard deviations: beyond, sizes have too few keys to be told apart where there are too many of them."""
COARSEST = 2.0**-42
"""Sizes are compared where a value and its noise are added without losing more than this share of the noise."""
STARTS = np.array([0x9E3779B97F4A7C15, 0xD1B54A32D192ED03], dtype=np.uint64)
"""Where the two halves of a key begin: any two different numbers with bits of both kinds."""
FACTOR = np.uint64(0x2545F4914F6CDD1D)
"""Odd, so that multiplication by it loses nothing; that of xorshift64*."""
SPLITMIX = ((np.uint64(30), np.uint64(0xBF58476D1CE4E5B9)), (np.uint64(27), np.uint64(0x94D049BB133111EB)))
"""Shifts and factors of the finaliser of splitmix64."""
LAST_SHIFT = np.uint64(31)
"""Its last shift."""
SMALL_BATCH = 2**12
"""Numbers of a batch that are worked out all at once: to begin takes longer than they do."""
EMPTY: Keys = np.empty((0, 2), dtype=np.uint64)


def sizes_of(family: NoiseFamily, batch: Batch) -> Iterator[tuple[Topic, Floats, NDArray[np.int64]]]:
    """The size of the noise at one end of the schedule, as rows for `keys_of`, with what it is, and their sessions.

    At the end where a subject begins, that is one number of its own. Left out where rounding would decide.
    """
    if batch.innovations is None or batch.times is None or family.steps is None:
        return
    ends = (0, -1) if batch.case.fixed and batch.times.shape[1] > 1 else (0,)
    for end in ends:
        spread = family.steps(batch.times[:1, end])[0]
        if np.finfo(float).eps * np.abs(batch.case.array).max() <= COARSEST * spread:
            z = batch.innovations.marginal[:, end]
            there = np.abs(z) <= LARGEST_SIZE
            tails = np.floor(2 * ndtr(-np.abs(z[there])) * 2.0**SIZE_BITS)
            yield SIZES[end], tails[:, None], np.nonzero(there)[0]


def noise_of(family: NoiseFamily, batch: Batch) -> Iterator[tuple[Topic, Floats]]:
    """Rows of noise for `keys_of`, with what they are: of every session, and of the sessions of one request together.

    Only numbers that are independent and uniform are used, given the past and whether there was a tie.
    """
    if batch.innovations is None or batch.times is None or family.steps is None:
        return
    z = batch.innovations.z

    def down(sessions: slice, releases: slice) -> Floats:
        return _usual(np.asarray(ndtr(z[sessions, releases])))

    yield from _of_request(down, z.shape, batch.case.together, (NOISE, FIRST_RELEASES, FIRST_SESSION))
    if batch.case.fixed:
        spans = family.steps(batch.times[0, ::-1])

        def up(sessions: slice, releases: slice) -> Floats:
            return _usual(_upwards(family, batch, spans, sessions, releases))

        yield from _of_request(up, z.shape, batch.case.together, (GROWING, LAST_RELEASES, FIRST_SESSION_GROWING))


Numbers = Callable[[slice, slice], Floats]
"""Probabilities (n, k, d) of some sessions and releases of a batch."""


def _of_request(
    numbers: Numbers, shape: tuple[int, ...], together: bool, topics: tuple[Topic, Topic, Topic]
) -> Iterator[tuple[Topic, Floats]]:
    """Rows of every session; of a request for many also of its first releases, and of its first session.

    Of a large batch only as many numbers are worked out as keys are made of: nearly always the first of each session.
    """
    n, k, d = shape
    everything, some, few = slice(None), slice(-(-MOST_SOUGHT // d)), slice(-(-VALUES // d))
    if n * k * d <= SMALL_BATCH:
        every = numbers(everything, some)
        heads, one = every[some, :1], every[:1]
    else:
        every = numbers(everything, few)
        if few.stop < k and not np.isfinite(every.reshape(n, -1)[:, :VALUES]).all():
            every = numbers(everything, some)
        heads, one = every[some, :1], numbers(slice(1), some)
    yield topics[0], _rows(every)
    if together:
        yield topics[1], _rows(heads[None, :, 0])
        yield topics[2], _rows(one)


def _usual(probabilities: Floats) -> Floats:
    """The probabilities but for the most extreme, which noise of a wrong law has in common whatever its stream."""
    return np.where(np.abs(probabilities - 0.5) <= 0.5 - ndtr(-LARGEST_SIZE), probabilities, np.nan)


def _upwards(family: NoiseFamily, batch: Batch, spans: Floats, sessions: slice, releases: slice) -> Floats:
    """The first steps in growing time, (n, k, d), each as a probability: uniform where there is a step at all, else
    NaN."""
    assert batch.innovations is not None
    noise = batch.noise[sessions, ::-1][:, releases]
    steps, spans = np.diff(noise, axis=1, prepend=0.0), spans[releases]
    still = np.zeros(steps.shape, dtype=bool)
    still[:, 1:] = batch.innovations.tied[sessions, :0:-1][:, : steps.shape[1] - 1]
    still |= spans[:, None] == 0
    scaled = steps / np.where(spans > 0, spans, 1.0)[:, None]
    return np.where(still, np.nan, family.process(1.0).marginal(1.0).cdf(scaled))


def _rows(probabilities: Floats) -> Floats:
    """What keys are made of for every row with enough numbers: the first of them."""
    rows = probabilities.reshape(len(probabilities), -1)[:, :MOST_SOUGHT]
    if rows.shape[1] < VALUES:
        return np.empty((0, VALUES))
    there = np.isfinite(rows)
    if there[:, :VALUES].all():
        return np.asarray(np.floor(rows[:, :VALUES] * 2.0**BITS))
    enough = there.sum(axis=1) >= VALUES
    rows, there = rows[enough], there[enough]
    first = np.argsort(~there, axis=1, kind="stable")[:, :VALUES]
    return np.asarray(np.floor(np.take_along_axis(rows, first, axis=1) * 2.0**BITS))


def keys_of(releases: Floats) -> Keys:
    """A key of 128 bits for each transcript: its numbers taken in one by one, all bits mixed after each."""
    words = np.ascontiguousarray(releases + 0.0).reshape(len(releases), math.prod(releases.shape[1:])).view(np.uint64)
    # Both halves together and in place: a few long operations instead of many short ones.
    keys = np.repeat(STARTS[:, None], len(words), axis=1)
    scratch = np.empty_like(keys)
    for word in np.ascontiguousarray(words.T):
        keys *= FACTOR
        keys ^= word
        _mix(keys, scratch)
    return np.ascontiguousarray(keys.T)


def keys_of_many(parts: Sequence[Floats]) -> list[Keys]:
    """The keys of several lots of transcripts, those with as many numbers worked out together."""
    widths: dict[int, list[int]] = {}
    for at, part in enumerate(parts):
        widths.setdefault(math.prod(part.shape[1:]), []).append(at)
    found: list[Keys] = [EMPTY] * len(parts)
    for width, places in widths.items():
        keys = keys_of(np.concatenate([parts[at].reshape(len(parts[at]), width) for at in places]))
        ends = np.cumsum([len(parts[at]) for at in places])
        for at, end in zip(places, ends.tolist(), strict=True):
            found[at] = keys[end - len(parts[at]) : end]
    return found


def _mix(keys: Keys, scratch: Keys) -> None:
    """A one-to-one map of 64 bits in which every bit depends on all others (the finaliser of splitmix64), in place."""
    for shift, factor in SPLITMIX:
        np.right_shift(keys, shift, out=scratch)
        keys ^= scratch
        keys *= factor
    np.right_shift(keys, LAST_SHIFT, out=scratch)
    keys ^= scratch
