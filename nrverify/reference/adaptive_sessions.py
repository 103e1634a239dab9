"""Sessions whose next time, or whose end, depends on the releases so far (time functions and stopping functions)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from nrverify.reference.arguments import Floats, Integers
from nrverify.reference.reverse_steps import Descent

Schedule = Callable[[npt.NDArray[Any]], npt.ArrayLike]
"""The releases so far (k, n, d) of k sessions ↦ their next times (k,), or one time for all."""

StoppingRule = Callable[[npt.NDArray[Any]], npt.ArrayLike]
"""The releases so far (k, n, d) of k sessions, n ≥ 1 ↦ whether each of them (k,) stops now."""


def adaptive_sessions(
    descent: Descent,
    value: npt.NDArray[Any],
    schedule: Schedule,
    stop: StoppingRule | None,
    rng: np.random.Generator,
    seen: npt.NDArray[Any],
    times: Floats,
    stops: Integers,
) -> None:
    """Fills seen (k, n, d), times (k, n) and stops (k,): T_{n+1} is the schedule at the first n releases.

    Sessions that have stopped are not asked about again; what comes after their stop is NaN in seen and in times.
    """
    if stop is not None:
        seen.fill(np.nan)
    rows = np.arange(len(seen))
    last = np.full(len(seen), np.inf)
    state: npt.NDArray[Any] = np.empty(0)
    for n in range(seen.shape[1]):
        asked = _next_times(schedule, _history(seen, rows, n), last[rows])
        if n == 0:
            state = descent.start(asked[:, np.newaxis], (len(rows), value.size), rng)
        else:
            # The same time asked again is the same noise: only sessions with s < t take a step.
            lower = asked < last[rows]
            moving = rows[lower]
            t, s = last[moving, np.newaxis], asked[lower, np.newaxis]
            state[..., moving, :] = descent.onward(state[..., moving, :], t, s, rng)
        last[rows] = asked
        times[rows, n] = asked
        seen[rows, n] = value + descent.noise(state[..., rows, :])
        if stop is not None:
            halted = _halted(stop, _history(seen, rows, n + 1))
            stops[rows[halted]] = n + 1
            rows = rows[~halted]
            if rows.size == 0:
                return


def stop_sessions(stop: StoppingRule, seen: npt.NDArray[Any], times: Floats, stops: Integers) -> None:
    """Ends sessions already drawn where the rule says so: it is shown only what it would have seen by then."""
    rows = np.arange(len(seen))
    for n in range(seen.shape[1]):
        halted = _halted(stop, _history(seen, rows, n + 1))
        ended = rows[halted]
        stops[ended] = n + 1
        seen[ended, n + 1 :] = np.nan
        times[ended, n + 1 :] = np.nan
        rows = rows[~halted]
        if rows.size == 0:
            return


def _history(seen: npt.NDArray[Any], rows: Integers, n: int) -> npt.NDArray[Any]:
    """The first n releases of the given sessions, read-only: a schedule looks, it does not touch."""
    history = seen[:, :n] if rows.size == len(seen) else seen[rows, :n]
    history.flags.writeable = False
    return history


def _next_times(schedule: Schedule, history: npt.NDArray[Any], last: Floats) -> Floats:
    asked = np.asarray(schedule(history), dtype=np.float64)
    if asked.shape not in ((), last.shape):
        raise ValueError(
            f"a schedule must give one time, or one for each of the {last.size} sessions it was shown, "
            f"got shape {asked.shape}"
        )
    asked = np.broadcast_to(asked, last.shape)
    wrong = ~((asked > 0) & (asked <= last) & np.isfinite(asked))
    if wrong.any():
        first = int(np.flatnonzero(wrong)[0])
        raise ValueError(
            f"a schedule must give finite positive times that never increase, got {float(asked[first])!r} "
            f"after {float(last[first])!r}"
        )
    return asked


def _halted(stop: StoppingRule, history: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    halted = np.asarray(stop(history))
    if halted.dtype != np.bool_ or halted.shape not in ((), (len(history),)):
        raise ValueError(
            f"a stopping rule must give True or False for each of the {len(history)} sessions it was shown, "
            f"got {halted.dtype} of shape {halted.shape}"
        )
    return np.broadcast_to(halted, (len(history),))
