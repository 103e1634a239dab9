"""Noise of the family claimed that is too small at some time, measured: its scale there, and what that loses.

A divergence shows an excess of a tenth at best; a scale is known to a hundredth from as many releases. Times are
compared with few releases each, and the scale of the worst is bounded by releases that were not looked at before. Of
noise of the family claimed so small a mean size (square, of normal noise) has probability at most exp(−n KL) under a
larger parameter (Chernoff).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from nrverify.auditing.core.digits import told_apart
from nrverify.auditing.core.effects import Priced
from nrverify.auditing.core.faults import Effect
from nrverify.auditing.noise_reduction.design.cases import Case
from nrverify.auditing.noise_reduction.design.drawing import draw_sessions
from nrverify.auditing.noise_reduction.design.knob import Knob
from nrverify.auditing.noise_reduction.design.ways import ways_of
from nrverify.auditing.sampling.drawer import Drawer
from nrverify.laws.divergence import hockey_stick
from nrverify.subjects.description import Description
from nrverify.subjects.errors import SubjectFailed, SubjectRefused
from nrverify.subjects.policies import Fixed
from nrverify.subjects.replay.host import DoesNotFit

Floats = NDArray[np.float64]

TIMES = 24
"""Times that are compared: a fault at some times only is wrong at a few of them."""
MANY = 64
"""Requests of one time in a session, beside one: each may move the release by a little."""
EACH, CLOSER, LEADING = 1000, 5000, 40_000
"""Sessions of each time, of the `BEST` that seem worst by then, and of the worst of all, which alone are judged: with
them, in three dimensions, a fortieth of the variance is seen."""
BEST = 4
"""Chance decides between times that differ by few per cent after `EACH` sessions."""
FARTHEST = 4.0
"""Times the scale claimed, at most, that a limit is looked for at: beyond it nothing leaks."""
ROUNDING = 1e-6
"""Above the error of a likelihood."""


@dataclass(frozen=True)
class Family:
    """Noise whose sizes tell its parameter: what is averaged, its log-likelihood per number, and what is scaled."""

    size: Callable[[Floats], Floats]
    log_likelihood: Callable[[float, float], float]
    """At a parameter, of numbers with this mean size."""
    name: str


def _normal(t: float, mean: float) -> float:
    return -0.5 * mean / t - 0.5 * math.log(t)


def _laplace(t: float, mean: float) -> float:
    return -mean / t - math.log(t)


def _discrete_laplace(t: float, mean: float) -> float:
    return math.log(math.tanh(0.5 / t)) - mean / t


def _discrete_gaussian(t: float, mean: float) -> float:
    farthest = math.ceil(12 * math.sqrt(t)) + 12
    return -0.5 * mean / t - math.log(float(np.exp(-(np.arange(-farthest, farthest + 1) ** 2) / (2 * t)).sum()))


FAMILIES = {
    "brownian": Family(np.square, _normal, "variance"),
    "laplace": Family(np.abs, _laplace, "scale"),
    "discrete-laplace": Family(np.abs, _discrete_laplace, "scale"),
    "discrete-gaussian": Family(np.square, _discrete_gaussian, "parameter σ²"),
}


def measured_scale(
    drawer: Drawer, description: Description, knob: Knob, most: int | None, alpha: float, dimensions: tuple[int, ...]
) -> Priced | None:
    """What too small a scale loses at the worst of some times, None where none was seen."""
    if description.mechanism not in FAMILIES or not knob.falling or description.granularity is not None:
        return None
    times = np.exp(drawer.rng.uniform(math.log(knob.low), math.log(knob.high), TIMES)).tolist()
    asked: list[tuple[float, ...]] = [(time,) for time in times]
    if most is None or most >= MANY:
        asked += [(knob.at(0.5),) * MANY]
    for sessions, best in ((EACH, BEST), (CLOSER, 1)):
        found = []
        for schedule in asked:
            sizes = _sizes(drawer, description, schedule, sessions, dimensions)
            if sizes is None:
                return None
            likeliest = _likeliest(description.mechanism, schedule[-1], float(sizes.mean()))
            found.append((likeliest / schedule[-1], schedule))
        asked = [schedule for _, schedule in sorted(found)[:best]]
    worst = asked[0]
    sizes = _sizes(drawer, description, worst, LEADING, dimensions)
    if sizes is None:
        return None
    ratio = largest(description.mechanism, worst[-1], float(sizes.mean()), sizes.size, alpha) / worst[-1]
    return None if ratio >= 1 - ROUNDING else _priced(description, worst, ratio, alpha)


def largest(mechanism: str, time: float, mean: float, count: int, alpha: float) -> float:
    """The largest parameter that so small a mean size does not exclude."""
    family, best = FAMILIES[mechanism], _likeliest(mechanism, time, mean)

    def excluded(t: float) -> float:
        return count * (family.log_likelihood(best, mean) - family.log_likelihood(t, mean)) + math.log(alpha)

    most = FARTHEST * max(time, best)
    return float(brentq(excluded, best, most)) if excluded(most) > 0 else most


def _likeliest(mechanism: str, time: float, mean: float) -> float:
    """The parameter whose mean size this is: where the log-likelihood is largest."""
    if mechanism in ("brownian", "laplace"):
        return max(mean, 1e-300)
    family, low, high = FAMILIES[mechanism], time / FARTHEST, FARTHEST * time

    def slope(t: float) -> float:
        return family.log_likelihood(t * (1 + ROUNDING), mean) - family.log_likelihood(t * (1 - ROUNDING), mean)

    if slope(low) <= 0:
        return low
    return float(brentq(slope, low, high)) if slope(high) < 0 else high


def _sizes(
    drawer: Drawer, description: Description, schedule: tuple[float, ...], sessions: int, dimensions: tuple[int, ...]
) -> Floats | None:
    """The sizes of the noise of the last release; None where there are none, or no samples are left."""
    sessions = min(sessions, drawer.settings.samples - drawer.drawn)
    if sessions <= 0:
        return None
    case = Case("scale", (0.0,) * max(dimensions), Fixed(schedule), ways_of(description)[0])
    try:
        releases, _ = draw_sessions(drawer, case, sessions)
    except (SubjectFailed, SubjectRefused, DoesNotFit):
        return None
    last = releases[:, -1].ravel()
    return FAMILIES[description.mechanism].size(last) if np.isfinite(last).all() else None


def _priced(description: Description, schedule: tuple[float, ...], ratio: float, alpha: float) -> Priced | None:
    time, family = schedule[-1], FAMILIES[description.mechanism]
    many = f"after {len(schedule)} requests of it " if len(schedule) > 1 else ""
    said, _ = told_apart((ratio, 1.0), least=3)
    words = (
        f"measured, with an error probability of {alpha:.2g} of its own: at time {time:.4g} the noise has {many}at "
        f"most {said} times the {family.name} claimed, if it is of the family claimed"
    )
    if description.mechanism != "discrete-gaussian":
        loss, _ = told_apart((1 / ratio, 1.0), least=3)
        return Priced(Effect.LEAK, 1 / ratio, 1.0, why=f"{words}, and so {loss} times the loss or more")
    epsilon, own, claimed = max(_divergences(description, time, ratio), key=lambda row: row[1] - row[2])
    loss, allowed = told_apart((own, claimed), least=3)
    words += f", and so a hockey-stick divergence of {loss} or more at ε = {epsilon:.3g}, where it has {allowed}"
    return Priced(Effect.LEAK, own, claimed, quantity="hockey-stick divergence", why=words) if own > claimed else None


def _divergences(description: Description, time: float, ratio: float) -> list[tuple[float, float, float]]:
    """For a change of the value by 1, at some ε's: the ε, the divergence, and the one claimed."""
    epsilons = [factor / time for factor in (0.25, 0.5, 1.0)]
    own, claimed = (
        hockey_stick(description.claimed_process, epsilons, shift=1.0, time=at) for at in (ratio * time, time)
    )
    return list(zip(epsilons, np.asarray(own).tolist(), np.asarray(claimed).tolist(), strict=True))
