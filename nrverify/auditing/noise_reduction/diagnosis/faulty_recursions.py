"""Faulty recursions: what a subject's noise would hang together like if it drew its steps in a wrong way.

Noise with independent increments in growing time, of variance v(t), has covariance v(s) for s ≤ t, whatever its law.
Going down from t to s it is v(s)/v(t) times the noise at t, and a step of variance v(s)(v(t) − v(s))/v(t). Each fault
here changes one of these; rows of a factor A say how a release is made of independent numbers of variance 1.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Variance = Callable[[Floats], Floats]
"""v, from times."""
Recursion = Callable[[Variance, Floats], Floats]
"""The factor A of the releases at falling times."""


def walked(variances: Floats) -> Floats:
    """Noise of these variances with independent increments, walked up from the last."""
    steps = np.sqrt(np.maximum(-np.diff(np.append(variances, 0.0)), 0.0))
    return np.triu(np.tile(steps, (steps.size, 1)))


def bridged(first: float, keeps: Floats, steps: Floats) -> Floats:
    """A first release of this deviation, then each the one before times `keeps` and a step of this deviation."""
    factor = np.zeros((keeps.size + 1, keeps.size + 1))
    factor[0, 0] = first
    for k, (keep, step) in enumerate(zip(keeps, steps, strict=True), start=1):
        factor[k] = keep * factor[k - 1]
        factor[k, k] = step
    return factor


def _bridge(v: Floats) -> tuple[float, Floats, Floats]:
    """The right recursion."""
    keeps = v[1:] / v[:-1]
    return float(np.sqrt(v[0])), keeps, np.sqrt(v[1:] * (1 - keeps))


def _from_first(variance: Variance, times: Floats) -> Floats:
    v = variance(times)
    factor = np.diag(np.sqrt(v * (1 - v / v[0])))
    factor[:, 0] = v / np.sqrt(v[0])
    return factor


def _from_stale_time(variance: Variance, times: Floats) -> Floats:
    """Each step as if the release before had been made at the time before that."""
    v = variance(times)
    before = np.append(v[0], v[:-2]) if v.size > 1 else v[:0]
    keeps = v[1:] / before
    return bridged(float(np.sqrt(v[0])), keeps, np.sqrt(v[1:] * (1 - keeps)))


def _from_first_time(variance: Variance, times: Floats) -> Floats:
    """Each step as if the release before had been made at the first time."""
    v = variance(times)
    keeps = v[1:] / v[0]
    return bridged(float(np.sqrt(v[0])), keeps, np.sqrt(v[1:] * (1 - keeps)))


def _skipping_one(variance: Variance, times: Floats) -> Floats:
    """Each release from the one before the last; the second from the first."""
    v = variance(times)
    factor = np.zeros((v.size, v.size))
    factor[0, 0] = np.sqrt(v[0])
    for k in range(1, v.size):
        source = max(k - 2, 0)
        factor[k] = v[k] / v[source] * factor[source]
        factor[k, k] = np.sqrt(v[k] * (1 - v[k] / v[source]))
    return factor


def _not_drawn_in(variance: Variance, times: Floats) -> Floats:
    first, keeps, steps = _bridge(variance(times))
    return bridged(first, np.ones_like(keeps), steps)


def _drawn_in_by_root(variance: Variance, times: Floats) -> Floats:
    first, keeps, steps = _bridge(variance(times))
    return bridged(first, np.sqrt(keeps), steps)


def _step_of_difference(variance: Variance, times: Floats) -> Floats:
    v = variance(times)
    first, keeps, _ = _bridge(v)
    return bridged(first, keeps, np.sqrt(v[:-1] - v[1:]))


def _whole_steps(variance: Variance, times: Floats) -> Floats:
    v = variance(times)
    first, keeps, _ = _bridge(v)
    return bridged(first, keeps, np.sqrt(v[1:]))


def _added_on(variance: Variance, times: Floats) -> Floats:
    v = variance(times)
    return bridged(float(np.sqrt(v[0])), np.ones(v.size - 1), np.sqrt(v[:-1] - v[1:]))


def _added_whole(variance: Variance, times: Floats) -> Floats:
    v = variance(times)
    return bridged(float(np.sqrt(v[0])), np.ones(v.size - 1), np.sqrt(v[1:]))


def _squared_steps(variance: Variance, times: Floats) -> Floats:
    first, keeps, steps = _bridge(variance(times))
    return bridged(first, keeps, steps**2)


def _squared_draws(variance: Variance, times: Floats) -> Floats:
    first, keeps, steps = _bridge(variance(times))
    return bridged(first**2, keeps, steps**2)


def _root_draws(variance: Variance, times: Floats) -> Floats:
    first, keeps, steps = _bridge(variance(times))
    return bridged(np.sqrt(first), keeps, np.sqrt(steps))


def _same_number(variance: Variance, times: Floats) -> Floats:
    """The right recursion with one number for all steps."""
    first, keeps, steps = _bridge(variance(times))
    return np.asarray(bridged(first, keeps, steps).sum(axis=1, keepdims=True))


def _one_step_number(variance: Variance, times: Floats) -> Floats:
    """The right recursion with one number for all steps after the first release."""
    factor = bridged(*_bridge(variance(times)))
    return np.column_stack([factor[:, 0], factor[:, 1:].sum(axis=1)])


def _correlation_not_rooted(variance: Variance, times: Floats) -> Floats:
    """Right variances, and of two releases the correlation s/t."""
    v = variance(times)
    share = v[1:] / v[:-1]
    return bridged(float(np.sqrt(v[0])), share**1.5, np.sqrt(v[1:] * (1 - share**2)))


def _rescaled(variance: Variance, times: Floats) -> Floats:
    return np.asarray(np.sqrt(variance(times))[:, None])


def _shrunk(variance: Variance, times: Floats) -> Floats:
    v = variance(times)
    return np.asarray((v / np.sqrt(v[0]))[:, None])


FRESH = "noise drawn afresh for each release: the releases before are forgotten"
LATE = "releases come one late: each has the noise of the time before"
EARLY = "releases come one early: each has the noise of the next time"
REVERSED = "releases come in reverse order: the first has the noise of the last time"
RECURSIONS: dict[str, Recursion] = {
    FRESH: lambda variance, times: np.diag(np.sqrt(variance(times))),
    "each release is bridged from the first one, not from the one before": _from_first,
    "the time of the release before is stored one release late": _from_stale_time,
    "the time of the first release is taken for that of the release before": _from_first_time,
    "each release is bridged from the one before the last": _skipping_one,
    "the bridge is not drawn in: each release keeps all the noise of the one before": _not_drawn_in,
    "the bridge is drawn in by the root of the share that it should be": _drawn_in_by_root,
    "the step of the bridge has the variance of the difference of both times": _step_of_difference,
    "the step of the bridge has the variance of a whole release": _whole_steps,
    "noise is added to the release before, which makes it noisier and not less noisy": _added_on,
    "fresh noise is added to the release before": _added_whole,
    "a variance is taken for a standard deviation in the step of the bridge": _squared_steps,
    "a variance is taken for a standard deviation wherever noise is drawn": _squared_draws,
    "a standard deviation is taken for a variance wherever noise is drawn": _root_draws,
    "the time is taken for the variance": lambda variance, times: walked(times),
    "the time is taken for the standard deviation": lambda variance, times: walked(times**2),
    "the noise of the square of the time: a variance taken for a standard deviation": (
        lambda variance, times: walked(variance(times**2))
    ),
    "the noise of the root of the time: a standard deviation taken for a variance": (
        lambda variance, times: walked(variance(np.sqrt(times)))
    ),
    "one random number serves all steps of a session, as if it were seeded again at each": _same_number,
    "one random number serves all steps after the first release": _one_step_number,
    "two releases have the correlation s/t where it must be its root": _correlation_not_rooted,
    "one noise is scaled down for all releases, by the standard deviation": _rescaled,
    "one noise is scaled down for all releases, by the variance": _shrunk,
    "the share of the noise before that is kept is squared: (s/t)² for s/t": (
        lambda variance, times: walked(variance(times) ** 2 / variance(times)[0])
    ),
    REVERSED: lambda variance, times: walked(variance(times))[::-1],
    LATE: (lambda variance, times: walked(variance(np.append(times[0], times[:-1])))),
    EARLY: (lambda variance, times: walked(variance(np.append(times[1:], times[-1])))),
    "the noise is never reduced: each release has that of the first time": (
        lambda variance, times: walked(variance(np.full_like(times, times[0])))
    ),
    "every release has the noise of the last time": (
        lambda variance, times: walked(variance(np.full_like(times, times[-1])))
    ),
}
"""What went wrong, and what the noise would be."""


def _answers_again(recursion: Recursion) -> bool:
    """Whether a time asked for twice gets the same release, at the start of a schedule and in its middle."""
    first = recursion(lambda times: times, np.array([4.0, 4.0, 2.0, 1.0]))
    middle = recursion(lambda times: times, np.array([4.0, 2.0, 2.0, 1.0]))
    return bool(np.allclose(first[0], first[1]) and np.allclose(middle[1], middle[2]))


UNREPEATED = frozenset(cause for cause, recursion in RECURSIONS.items() if not _answers_again(recursion))
"""Those that answer a time asked for again with another release."""
