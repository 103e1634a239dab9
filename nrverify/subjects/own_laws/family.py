"""The row of a law of one's own in the table of families: what is known of it, from its interface alone."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nrverify.subjects.address import describe_error
from nrverify.subjects.noise_families import HARDLY_LESS, NoiseFamily
from nrverify.subjects.own_laws.place import Place
from nrverify.subjects.own_laws.process import LawFailed, OwnProcess

Floats = NDArray[np.float64]

USUAL_RANGE = (0.01, 1000.0)
"""Times asked for where neither the law nor the subject names a range."""
INTEGER_POINTS = 200
"""Of integer noise the largest weight is sought at so many points on either side of its median."""
UPPER, SAME = np.array([0.5, 0.6, 0.75, 0.9, 0.99]), 1e-6
"""Quantiles at which the two sides of noise are compared, and how far they may be apart."""
PROBED = (0.3, 0.7)
"""Ratios s/t at which it is asked whether a bridge has an atom."""

CLOSEST = (HARDLY_LESS, 0.9999, 0.999, 0.99)
"""Ratios of two times, the first of which that doubles can hold the step of is the closest asked for."""
UNSEEN, HELD = 1e-10, 1e-4
"""A distance in units of the noise that is lost where it is added to a large value, and the most of a step that may lie
within it of the release before: more would show as releases that do not move."""


def family_of(law: Any, source: Mapping[str, str | None]) -> NoiseFamily:
    """The row; `LawFailed` where an optional part of the law is not what it must be."""
    process = OwnProcess(law, Place.of(source))
    once = not callable(getattr(law, "bridge", None))
    low, high = _range(law)
    bound = getattr(law, "epsilon", None)

    def bounded(times: Floats, shift: Floats) -> Floats:
        """The law's own bound at each time."""
        different, where = np.unique(times, return_inverse=True)
        finite = np.isfinite(different)
        found = np.full(different.shape, np.nan)
        found[finite] = [_bound(law, float(t), shift) for t in different[finite]]
        return np.asarray(found[where].reshape(np.shape(times)))

    def telling(time: float, rate: float) -> float:
        """The distance at which the density at the median has lost a factor of e, or within which most noise lies."""
        return _telling(process, time)

    def likeliest(times: Floats, rate: float) -> float:
        """No transcript is likelier than the likeliest value of its noisiest release."""
        law = process.marginal(float(times[0]))
        points = float(law.quantile(0.5)) + np.arange(-INTEGER_POINTS, INTEGER_POINTS + 1.0)
        return float(min(1.0, np.exp(np.max(law.logpdf(points)))))

    return NoiseFamily(
        lambda rate: process,
        _norm(law),
        telling=telling,
        times=lambda rate: (low, high),
        likeliest=likeliest if process.integer else None,
        integer=process.integer,
        tied=not once and not process.integer and _tied(process, math.sqrt(low * high)),
        bound=bounded if callable(bound) else None,
        symmetric=lambda: _symmetric(process, (low, math.sqrt(low * high), high)),
        hardly_less=HARDLY_LESS if once or process.integer else _hardly_less(process, low, high),
        once=once,
        own=True,
        source=dict(source),
    )


def _range(law: Any) -> tuple[float, float]:
    given = getattr(law, "range", None)
    if given is None:
        return USUAL_RANGE
    try:
        low, high = (float(end) for end in given)
    except (TypeError, ValueError, OverflowError):
        low, high = math.nan, math.nan
    if not 0 < low < high < math.inf:
        raise LawFailed(f"range is {given!r:.100}: it must be a pair (smallest, largest) of times with 0 < smallest")
    return low, high


def _norm(law: Any) -> int:
    norm = getattr(law, "norm", None)
    if not (norm is None or (isinstance(norm, (int, float)) and norm in (1, 2))):
        raise LawFailed(f"norm is {norm!r:.100}: it must be 1 or 2")
    return int(norm or 1)


def _bound(law: Any, t: float, shift: Floats) -> float:
    try:
        answer = law.epsilon(t, np.asarray(shift, dtype=np.float64))
        found = math.nan if isinstance(answer, (str, bytes)) else float(answer)
    except Exception as error:
        raise LawFailed(f"epsilon({t!r}, shift) raised {describe_error(error)}") from error
    if math.isnan(found) or found < 0:
        raise LawFailed(f"epsilon({t!r}, shift) is {answer!r:.100}: it must be a bound of at least 0")
    return found


def _tied(process: OwnProcess, t: float) -> bool:
    """Whether a bridge has an atom at what is given."""
    return any(np.any(np.asarray(process.bridge(ratio * t, t, x * t).atom) > 0) for ratio in PROBED for x in (0.5, 2.0))


def _hardly_less(process: OwnProcess, low: float, high: float) -> float:
    """The ratio of the closest two times whose step doubles hold: steps of a gamma process gather about 0."""
    times = (min(low / CLOSEST[-1], high), math.sqrt(low * high), high)
    return next((ratio for ratio in CLOSEST if all(_held(process, ratio, t) for t in times)), CLOSEST[-1])


def _held(process: OwnProcess, ratio: float, t: float) -> bool:
    law = process.marginal(t)
    given, above = law.quantile(np.array([0.5, 0.9])).tolist()
    bridge, near = process.bridge(ratio * t, t, given), UNSEEN * (above - given)
    atom = np.asarray(bridge.atom)
    if atom.ndim:
        raise LawFailed(
            f"bridge({ratio * t:.6g}, {t:.6g}, {given:.6g}).atom has the shape {atom.shape}: it must be a number"
        )
    within = float(bridge.cdf(given + near)) - float(bridge.cdf(given - near)) - float(atom)
    return within <= HELD


def _symmetric(process: OwnProcess, times: tuple[float, ...]) -> bool:
    """Whether noise is as often below −x as above x, to what a tested law agrees to."""
    for law in map(process.marginal, times):
        points = law.quantile(UPPER)
        if not np.all(np.abs(np.asarray(law.sf(points)) - np.asarray(law.cdf_left(-points))) <= SAME):
            return False
    return True


def _telling(process: OwnProcess, t: float) -> float:
    law = process.marginal(t)
    centre, above = law.quantile(np.array([0.5, 0.9])).tolist()
    tail = max(above - centre, 1.0 if process.integer else 0.0)
    points = tail * 2.0 ** np.arange(-3, 6)
    points = np.unique(np.maximum(np.round(points), 1.0)) if process.integer else points
    lost = np.asarray(law.logpdf(centre)) - np.asarray(law.logpdf(centre + points))
    enough = points[np.asarray(lost) >= 1.0]
    return float(enough[0]) if enough.size else tail
