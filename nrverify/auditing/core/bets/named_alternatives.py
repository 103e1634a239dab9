"""Named faults of the law as exact likelihood ratios: they find their fault fastest and say what it is."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, ndtr

from nrverify.auditing.core.faults import Fault, alternative
from nrverify.auditing.core.faults.noise import (
    CLIPPED,
    FORGETFUL_SESSIONS,
    FRESH_NOISE,
    RARE_RELEASES,
    RARE_SESSIONS,
    WRONG_SHAPE,
)
from nrverify.statistics.wealth import sum_log

Floats = NDArray[np.float64]
Ratio = Callable[[Floats, Floats], Floats]
"""The density of an alternative over the normal density, from z² and e^{z²/2}."""

FLOOR = 0.02
"""Share of the null in every alternative, so that one odd release cannot ruin a bet."""
LARGEST_LOG_RATIO = 40.0
"""More than a single release needs to refute."""


def _student(degrees: int) -> Ratio:
    """Student's t of unit variance: (1 + z²/(ν−2))^{−(ν+1)/2} up to a constant."""
    constant = np.exp(gammaln(0.5 * (degrees + 1)) - gammaln(0.5 * degrees) - 0.5 * np.log(0.5 * (degrees - 2)))
    whole, half = divmod(degrees + 1, 2)

    def ratio(square: Floats, boost: Floats) -> Floats:
        base = 1 + square / (degrees - 2)
        power = np.sqrt(base) if half else 1.0
        for _ in range(whole):
            # Several times faster than a general power.
            power = power * base
        return np.asarray(constant * boost / power)

    return ratio


def _contaminated(share: float, deviation: float) -> Ratio:
    """A share of the releases with a larger deviation."""

    def ratio(square: Floats, boost: Floats) -> Floats:
        return np.asarray(1 - share + share / deviation * boost * np.exp(-0.5 * deviation**-2 * square))

    return ratio


def _logistic(square: Floats, boost: Floats) -> Floats:
    """The logistic law of unit variance."""
    slope = np.pi / np.sqrt(3)
    decay = np.exp(-slope * np.sqrt(square))
    return np.asarray(slope * np.sqrt(2 * np.pi) * boost * decay / (1 + decay) ** 2)


def sum_of_uniforms(x: Floats, number: int) -> Floats:
    """The density of so many uniform numbers on [0, 1] added up, by its recursion in their number, of terms >= 0.

    Not by `scipy.interpolate`, which takes half a second to import.
    """
    shifted = x - np.arange(number)[:, None]
    # The last bin is closed on the right, where the density is 0 but for one number alone.
    found = np.where((shifted >= 0) & (shifted < 1), 1.0, 0.0)
    for n in range(2, number + 1):
        left, right = shifted[: number - n + 1], n - shifted[: number - n + 1]
        found = (left * found[:-1] + right * found[1:]) / (n - 1)
    return np.asarray(found[0])


def _uniforms(number: int) -> Ratio:
    """As many uniform numbers added up, centred, of unit variance: their density is a spline, here from a fine table.

    Between the points of the table the ratio is off on average by less than it is lowered by, so the bet stays fair.
    """
    scale = np.sqrt(number / 12)
    points = np.linspace(0.0, 0.5 * number / scale, 6001)
    density = sum_of_uniforms(scale * points + 0.5 * number, number)
    table = (1 - 1e-6) * scale * density * np.sqrt(2 * np.pi) * np.exp(0.5 * points**2)

    def ratio(square: Floats, boost: Floats) -> Floats:
        return np.asarray(np.interp(np.sqrt(square), points, table, right=0.0))

    return ratio


def _edge(most: float) -> float:
    """The largest square of noise that is cut at so many deviations."""
    return float((most * (1 + 1e-9)) ** 2)


def _cut(most: float) -> Ratio:
    """Normal noise of which none is larger than so many deviations; clipped noise, on the edge, counts as inside."""
    inside = 1.0 - 2.0 * ndtr(-most)

    def ratio(square: Floats, boost: Floats) -> Floats:
        return np.where(square <= _edge(most), 1.0 / inside, 0.0)

    return ratio


CUTS = (3.0, 3.5, 4.0, 4.5)
"""Deviations beyond which there may be no noise: where a limit is likely, and still seen within a default budget."""


def _named(id: str, title: str, fault: Fault) -> str:
    """The id of an alternative that is named by it."""
    return alternative(id, title, fault).id


SHAPES: dict[str, Ratio] = {
    _named("student-3", "heavy tails (Student t, 3 degrees of freedom)", WRONG_SHAPE): _student(3),
    _named("student-5", "heavy tails (Student t, 5 degrees of freedom)", WRONG_SHAPE): _student(5),
    _named("student-12", "heavy tails (Student t, 12 degrees of freedom)", WRONG_SHAPE): _student(12),
    _named("logistic", "heavy tails (logistic)", WRONG_SHAPE): _logistic,
    _named("twelve-uniforms", "light tails (twelve uniform numbers added up)", WRONG_SHAPE): _uniforms(12),
    **{
        _named(f"cut-at-{most:g}", f"noise cut off, none beyond {most:g} deviations", CLIPPED): _cut(most)
        for most in CUTS
    },
    _named(
        "release-in-100-wide", "one release in a hundred with three times the deviation", RARE_RELEASES
    ): _contaminated(0.01, 3.0),
    _named(
        "release-in-1000-wide", "one release in a thousand with ten times the deviation", RARE_RELEASES
    ): _contaminated(0.001, 10.0),
}
"""Alternatives to N(0, 1), even and of about the same variance, by their ids."""
CUT_AT = {f"cut-at-{most:g}": most for most in CUTS}
"""Those that are cut off, and where."""


def shape_ratios(z: Floats) -> dict[str, float]:
    """Σ log of the alternative's density over the normal density, by the id of each shape."""
    square = z * z
    boost = np.exp(0.5 * square)
    factors = np.empty((len(SHAPES) - len(CUT_AT), z.size))
    smooth = [name for name in SHAPES if name not in CUT_AT]
    for row, name in zip(factors, smooth, strict=True):
        np.multiply(SHAPES[name](square, boost), 1 - FLOOR, out=row)
    factors += FLOOR
    found = dict(zip(smooth, sum_log(factors).tolist(), strict=True))
    for name, most in CUT_AT.items():
        # One factor within and one beyond: they are counted, not multiplied.
        beyond = int(np.count_nonzero(square > _edge(most)))
        within = np.log(FLOOR + (1 - FLOOR) / (1.0 - 2.0 * ndtr(-most)))
        found[name] = float((z.size - beyond) * within + (beyond * np.log(FLOOR) if beyond else 0.0))
    return {name: found[name] for name in SHAPES}


SESSIONS: dict[str, tuple[float, float]] = {
    _named(f"session-in-{rarity}-{id}", f"one session in {rarity:,} with {words} the deviation", RARE_SESSIONS): (
        1 / rarity,
        deviation,
    )
    for rarity in (100, 3000)
    for id, words, deviation in (
        ("tenth", "a tenth of", 0.1),
        ("third", "a third of", 1 / 3),
        ("triple", "three times", 3.0),
    )
}
"""Shares of the sessions, and their deviation, by the ids of the alternatives."""


def session_ratios(count: Floats, squares: Floats) -> dict[str, float]:
    """Σ log of the alternatives' likelihood over that of independent N(0, 1), from each session's number and Σz²."""
    factors = np.empty((len(SESSIONS), squares.size))
    ratios: dict[float, Floats] = {}
    for row, (share, deviation) in zip(factors, SESSIONS.values(), strict=True):
        if deviation not in ratios:
            log_ratio = -count * np.log(deviation) - 0.5 * squares * (deviation**-2 - 1)
            ratios[deviation] = np.exp(np.minimum(log_ratio, LARGEST_LOG_RATIO))
        np.multiply(ratios[deviation], share, out=row)
        row += 1 - share
    return dict(zip(SESSIONS, sum_log(factors).tolist(), strict=True))


def fresh_ratio(log_ratio: Floats) -> float:
    """Σ of the floored log-likelihood ratios of a fresh draw to the bridge."""
    return float(sum_log(FLOOR + (1 - FLOOR) * np.exp(np.minimum(log_ratio, LARGEST_LOG_RATIO))))


FRESH = _named("fresh", "noise drawn afresh for each release", FRESH_NOISE)
FORGETFUL = _named("forgetful", "noise drawn afresh in some sessions", FORGETFUL_SESSIONS)
FORGETFUL_SHARE = 0.25
"""Bet on as the share of sessions that forget: within a factor of four of it, little evidence is lost."""


def forgotten(log_ratio: Floats) -> Floats:
    """The log-likelihood ratio of each session of (n, k, d) that draws all its releases afresh."""
    return np.asarray(np.minimum(np.nansum(log_ratio, axis=(1, 2)), LARGEST_LOG_RATIO))


def forgetful_ratio(whole: Floats) -> float:
    """Σ over sessions, by their `forgotten`, of the log-likelihood ratio where one in four draws all afresh."""
    return float(sum_log(1 - FORGETFUL_SHARE + FORGETFUL_SHARE * np.exp(whole)))
