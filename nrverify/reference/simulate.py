"""Many sessions at once: whole transcripts of a noise reduction mechanism, fixed or adaptive, stopped or not.

Sessions are drawn in chunks that stay in the cache, each chunk from its own stream, so that a result depends on the
arguments alone: never on the machine, and never on what was drawn before.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from nrverify.reference.adaptive_sessions import Schedule, StoppingRule, adaptive_sessions, stop_sessions
from nrverify.reference.arguments import Floats, Integers, count, fixed_schedule, integer_value, real_value, stream_seed
from nrverify.reference.laplace_walk import poisson, walk
from nrverify.reference.reverse_steps import BROWNIAN, LAPLACE, Descent, skellam

CHUNK = 2**14
"""Sessions × coordinates in a chunk. Part of what a seed means: changing it changes results."""

METHODS = {"brownian": ("bridge",), "laplace": ("walk", "poisson", "lazy"), "skellam": ("thinning",)}
"""The ways to simulate each mechanism at fixed times, the default first; the last also serves adaptive schedules."""


@dataclass(frozen=True)
class Transcripts:
    """What was seen in each session.

    `releases` (sessions, n, d) and `times` (sessions, n) are NaN after a session's stop; `stops` (sessions,) is the
    number of the release at which the stopping rule ended it, counted from 1, and 0 where it never did.

    Examples
    --------
    >>> from nrverify import transcripts
    >>> seen = transcripts("brownian", 0.0, [4.0, 1.0], sessions=3, seed=1)
    >>> seen.releases.shape, seen.times[0].tolist(), seen.stops.tolist()
    ((3, 2, 1), [4.0, 1.0], [0, 0, 0])
    """

    releases: npt.NDArray[Any]
    times: Floats
    stops: Integers


def simulate(
    mechanism: str,
    value: npt.ArrayLike,
    schedule: npt.ArrayLike | Schedule,
    sessions: int,
    seed: int,
    *,
    releases: int | None = None,
    stop: StoppingRule | None = None,
    method: str | None = None,
    rate: float | None = None,
) -> npt.NDArray[Any]:
    """Releases of shape (sessions, releases, d) of "brownian", "laplace" or "skellam" noise reduction of the value.

    The schedule is a list of non-increasing times, or a function of the releases so far, an array (k, n, d) of the k
    sessions still running, giving their next times: k numbers, or one for all. Then `releases` says how many at most.
    A stopping rule maps the releases so far, now with n ≥ 1, to k truth values; after a stop the row is NaN.
    Skellam releases are int64, except under a stopping rule, where they are float64 to hold the NaN.
    For Laplace noise `method` is "walk" (default, fixed schedules), "poisson" (the paper's arrivals, fixed schedules)
    or "lazy" (one reverse step after another; the only one for adaptive schedules). `rate` is that of Skellam noise.

    Examples
    --------
    >>> import numpy as np
    >>> from nrverify import simulate
    >>> releases = simulate("brownian", 0.0, [4.0, 1.0], sessions=10_000, seed=1)
    >>> np.cov(releases[:, :, 0].T).round(1).tolist()
    [[4.0, 1.0], [1.0, 1.0]]
    """
    return transcripts(
        mechanism, value, schedule, sessions, seed, releases=releases, stop=stop, method=method, rate=rate
    ).releases


def transcripts(
    mechanism: str,
    value: npt.ArrayLike,
    schedule: npt.ArrayLike | Schedule,
    sessions: int,
    seed: int,
    *,
    releases: int | None = None,
    stop: StoppingRule | None = None,
    method: str | None = None,
    rate: float | None = None,
) -> Transcripts:
    """The same as `simulate`, with the times that were asked and where each session stopped.

    Examples
    --------
    >>> from nrverify import transcripts
    >>> near = lambda seen: abs(seen[:, -1, 0]) < 1
    >>> found = transcripts("laplace", 0.0, [4.0, 2.0, 1.0], sessions=1000, seed=1, stop=near)
    >>> sorted(set(found.stops.tolist()))  # 0: it never stopped
    [0, 1, 2, 3]
    """
    if mechanism not in METHODS:
        raise ValueError(f"mechanism is {mechanism!r}: it must be one of {', '.join(METHODS)}")
    descent = _descent(mechanism, rate)
    centre = np.atleast_1d(integer_value(value) if mechanism == "skellam" else real_value(value))
    sessions, seed = count("sessions", sessions), stream_seed(seed)
    method = _method(mechanism, method, adaptive=callable(schedule))
    if callable(schedule):
        if releases is None:
            raise ValueError("a schedule that is a function needs releases=, the largest number of releases")
        looks = count("releases", releases)
    else:
        fixed = fixed_schedule(schedule)
        looks = fixed.size
        if releases is not None and releases != looks:
            raise ValueError(f"the schedule has {looks} times and so {looks} releases, got releases={releases!r}")

    dtype = np.int64 if mechanism == "skellam" and stop is None else np.float64
    # Stored release by release: whole columns are written, and read by whoever looks at one release of all sessions.
    seen = np.empty((looks, sessions, centre.size), dtype).transpose(1, 0, 2)
    stops = np.zeros(sessions, np.int64)
    if callable(schedule):
        times = np.full((sessions, looks), np.nan)
        for rows, rng in _chunks(sessions, centre.size, seed):
            adaptive_sessions(descent, centre, schedule, stop, rng, seen[rows], times[rows], stops[rows])
    else:
        # One row of times serves all sessions until a stopping rule tells them apart.
        times = np.broadcast_to(fixed, (sessions, looks))
        times = times if stop is None else times.copy()
        # Written out for a whole chunk: added by broadcasting, a short value would cost a short inner loop a session.
        centres = np.tile(centre, (min(sessions, _sessions_in_chunk(centre.size)), 1))
        for rows, rng in _chunks(sessions, centre.size, seed):
            chunk = seen[rows]
            for n, noise in _fixed_noise(descent, method, fixed, (len(chunk), centre.size), rng):
                np.add(centres[: len(chunk)], noise, out=chunk[:, n])
            if stop is not None:
                stop_sessions(stop, chunk, times[rows], stops[rows])
    return Transcripts(seen, times, stops)


def _sessions_in_chunk(d: int) -> int:
    return max(1, CHUNK // d)


def _chunks(sessions: int, d: int, seed: int) -> Iterator[tuple[slice, np.random.Generator]]:
    size = _sessions_in_chunk(d)
    for chunk, first in enumerate(range(0, sessions, size)):
        stream = np.random.SeedSequence(seed, spawn_key=(chunk,))
        yield slice(first, min(first + size, sessions)), np.random.default_rng(stream)


def _fixed_noise(
    descent: Descent, method: str, times: Floats, shape: tuple[int, int], rng: np.random.Generator
) -> Iterator[tuple[int, npt.NDArray[Any]]]:
    """(n, the noise at times[n]) for every n, in the order in which the method draws them."""
    if method == "walk":
        return walk(times, shape, rng)
    if method == "poisson":
        return poisson(times, shape, rng)
    return _descend(descent, times, shape, rng)


def _descend(
    descent: Descent, times: Floats, shape: tuple[int, int], rng: np.random.Generator
) -> Iterator[tuple[int, npt.NDArray[Any]]]:
    t = float(times[0])
    state = descent.start(t, shape, rng)
    for n, s in enumerate(times.tolist()):
        if s < t:
            state = descent.onward(state, t, s, rng)
            t = s
        yield n, descent.noise(state)


def _descent(mechanism: str, rate: float | None) -> Descent:
    if mechanism == "skellam":
        return skellam(1.0 if rate is None else rate)
    if rate is not None:
        raise ValueError(f"rate belongs to skellam noise, got rate={rate!r} for {mechanism}; scale the times instead")
    return BROWNIAN if mechanism == "brownian" else LAPLACE


def _method(mechanism: str, method: str | None, *, adaptive: bool) -> str:
    known = METHODS[mechanism]
    allowed = known[-1:] if adaptive else known
    if method is None:
        return allowed[0]
    if method not in allowed:
        kind = "an adaptive" if adaptive else "a fixed"
        raise ValueError(
            f"method is {method!r}: for {mechanism} noise at {kind} schedule it must be {' or '.join(allowed)}"
        )
    return method
