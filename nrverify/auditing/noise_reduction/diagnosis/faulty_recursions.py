"""Faulty recursions: the dependence between releases of a subject that draws its steps in a wrong way.

Noise with independent increments in growing time, of variance v(t), has covariance v(s) for s ≤ t, whatever its law.
Going down from t to s it is v(s)/v(t) times the noise at t, and a step of variance v(s)(v(t) − v(s))/v(t). Each fault
here changes one of these; rows of a factor A say how a release is made of independent numbers of variance 1.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.core.faults import Fault
from nrverify.auditing.core.faults import recursion as faults

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


RECURSIONS: dict[Fault, Recursion] = {
    faults.ALL_FRESH: lambda variance, times: np.diag(np.sqrt(variance(times))),
    faults.FROM_FIRST: _from_first,
    faults.STALE_TIME: _from_stale_time,
    faults.FIRST_TIME: _from_first_time,
    faults.SKIPS_ONE: _skipping_one,
    faults.NOT_DRAWN_IN: _not_drawn_in,
    faults.DRAWN_IN_BY_ROOT: _drawn_in_by_root,
    faults.STEP_OF_DIFFERENCE: _step_of_difference,
    faults.WHOLE_STEP: _whole_steps,
    faults.NOISE_ADDED: _added_on,
    faults.FRESH_ADDED: _added_whole,
    faults.SQUARED_STEP: _squared_steps,
    faults.SQUARED_DRAWS: _squared_draws,
    faults.ROOT_DRAWS: _root_draws,
    faults.TIME_FOR_VARIANCE: lambda variance, times: walked(times),
    faults.TIME_FOR_DEVIATION: lambda variance, times: walked(times**2),
    faults.SQUARED_TIME: lambda variance, times: walked(variance(times**2)),
    faults.ROOT_TIME: lambda variance, times: walked(variance(np.sqrt(times))),
    faults.ONE_NUMBER: _same_number,
    faults.ONE_STEP_NUMBER: _one_step_number,
    faults.CORRELATION_NOT_ROOTED: _correlation_not_rooted,
    faults.RESCALED: _rescaled,
    faults.SHRUNK: _shrunk,
    faults.SHARE_SQUARED: lambda variance, times: walked(variance(times) ** 2 / variance(times)[0]),
    faults.REVERSED: lambda variance, times: walked(variance(times))[::-1],
    faults.LATE: lambda variance, times: walked(variance(np.append(times[0], times[:-1]))),
    faults.EARLY: lambda variance, times: walked(variance(np.append(times[1:], times[-1]))),
    faults.NEVER_REDUCED: lambda variance, times: walked(variance(np.full_like(times, times[0]))),
    faults.LAST_TIME: lambda variance, times: walked(variance(np.full_like(times, times[-1]))),
}
"""What the noise would be, by the fault that makes it so."""


def _answers_again(recursion: Recursion) -> bool:
    """Whether a time asked for twice gets the same release, at the start of a schedule and in its middle."""
    first = recursion(lambda times: times, np.array([4.0, 4.0, 2.0, 1.0]))
    middle = recursion(lambda times: times, np.array([4.0, 2.0, 2.0, 1.0]))
    return bool(np.allclose(first[0], first[1]) and np.allclose(middle[1], middle[2]))


UNREPEATED = frozenset(fault for fault, recursion in RECURSIONS.items() if not _answers_again(recursion))
"""Those that answer a time asked for again with another release."""


def _gives_again(recursion: Recursion) -> bool:
    """Whether two of the releases at different times are the same."""
    factor = recursion(lambda times: times, np.array([8.0, 4.0, 2.0, 1.0]))
    return any(np.allclose(*rows) for rows in pairwise(factor))


TIED = frozenset(fault for fault, recursion in RECURSIONS.items() if _gives_again(recursion))
"""Those that give a release again at a smaller time: exact ties of continuous noise come of no others."""
