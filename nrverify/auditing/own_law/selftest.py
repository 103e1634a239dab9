"""Whether a law of one's own is a law: densities, distribution functions and bridges that fit each other.

What is compared agrees to 1e-6 at 200 points in all: at eight times over the law's range, and eight pairs of times.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.own_law.integrals import integral
from nrverify.auditing.own_law.mistake import LEVELS, TOLERANCE, Mistake
from nrverify.auditing.own_law.offered import of_bound, of_draws, of_forward, of_score
from nrverify.subjects.own_laws.family import family_of
from nrverify.subjects.own_laws.loading import Specified
from nrverify.subjects.own_laws.process import LawFailed, OwnLaw, OwnProcess

Floats = NDArray[np.float64]

TIMES, PAIRS, POINTS = 8, 8, 12
"""Times and pairs of times that are tried, and points at each: some 200 in all."""
SHORT = 3
"""Times and pairs of a test in short, before an audit."""
RATIOS = (0.91, 0.53, 0.11, 0.993)
"""Of the two times of a bridge, by turns: no simple fractions, at which a right formula may be 0/0."""
NARROW = 1e-9
"""Of a number: ten thousand doubles and more lie between two so far apart, but too few for a density without bound."""
MOST_SUMMED = 200_000
"""Integers whose weights are added up at most."""


def mistakes(specified: Specified, short: bool = False) -> Iterator[Mistake]:
    """All that is wrong with a law; nothing where it is one."""
    try:
        family = family_of(specified.law, specified.source)
        process = OwnProcess(specified.law)
        low, high = family.times(1.0)
        times = np.geomspace(low, high, SHORT if short else TIMES).tolist()
        laws = [(f"marginal({t:.6g})", process.marginal(t)) for t in times]
        for where, law in laws:
            yield from _of_law(law, where, process.integer)
        for t in times:
            yield from of_bound(family, process, t)
        if not family.once:
            later = np.geomspace(low, high, SHORT + 1 if short else PAIRS + 1)[1:].tolist()
            pairs = [(max(RATIOS[index % len(RATIOS)] * t, low), t) for index, t in enumerate(later)]
            for s, t in pairs:
                yield from _of_bridge(process, s, t)
                yield from of_forward(process, s, t)
            laws += [(_bridge_of(s, t, y), process.bridge(s, t, y)) for s, t in pairs for y in _given(process, t)[1:2]]
        if not short:
            yield from of_draws((where, law) for where, law in laws if law.draws)
    except LawFailed as failure:
        yield Mistake(str(failure))


def _bridge_of(s: float, t: float, given: float) -> str:
    return f"bridge({s:.6g}, {t:.6g}, {given:.6g})"


def _given(process: OwnProcess, t: float) -> list[float]:
    """Releases at t, given which bridges are tried."""
    return [float(y) for y in process.marginal(t).quantile(np.array([0.1, 0.43, 0.97]))]


def _of_law(law: OwnLaw, where: str, integer: bool) -> Iterator[Mistake]:
    """Its answers are numbers, and its density, its distribution function and its score fit each other."""
    if (odd := _odd(law, where)) is not None:
        yield odd
        return
    yield from _fits(law, where, integer)
    yield from of_score(law, where)


def _of_bridge(process: OwnProcess, s: float, t: float) -> Iterator[Mistake]:
    """A bridge is a law, and mixed over the marginal at t it is the marginal at s."""
    at_s = process.marginal(s)
    for given in _given(process, t):
        found = list(_of_law(process.bridge(s, t, given), _bridge_of(s, t, given), process.integer))
        yield from found
        if found:
            return
    for x in at_s.quantile(np.array([0.05, 0.3, 0.8, 0.99])).tolist():
        mixed = _mixed(process, s, t, x)
        if not abs(mixed - float(at_s.cdf(x))) <= TOLERANCE:
            yield Mistake(
                f"bridge({s:.6g}, {t:.6g}, ·) mixed over marginal({t:.6g}) has cdf({x:.6g}) = {mixed:.7g}, where "
                f"marginal({s:.6g}) has {float(at_s.cdf(x)):.7g}: they must agree (Bayes)"
            )
            return


def _mixed(process: OwnProcess, s: float, t: float, x: float) -> float:
    """P(X_s ≤ x) by way of X_t."""
    at_t = process.marginal(t)
    tails = np.array([1e-12, 1e-9, 1e-7, 1e-6])
    ends = at_t.quantile(np.concatenate([tails, LEVELS, 1 - tails[::-1]]))
    if process.integer:
        points = np.arange(ends[0], min(ends[-1], ends[0] + MOST_SUMMED) + 1)
        return float(np.sum(np.exp(at_t.logpdf(points)) * process.bridge(s, t, points).cdf(x)))
    edges = np.unique(np.concatenate([ends, [x, 0.0]]))

    def density(y: Floats) -> Floats:
        return np.asarray(np.exp(at_t.logpdf(y)) * process.bridge(s, t, y).cdf(x))

    return integral(density, edges)


def _fits(law: OwnLaw, where: str, integer: bool) -> Iterator[Mistake]:
    """The density integrates to one, and between quantiles to what the cdf says; sf is 1 − cdf."""
    points = np.unique(law.quantile(LEVELS))
    below, above = np.asarray(law.cdf(points)), np.asarray(law.sf(points))
    if not np.all(np.abs(below + above - 1) <= TOLERANCE):
        at = float(points[np.argmax(np.abs(below + above - 1))])
        yield Mistake(f"{where}: cdf + sf is {float(law.cdf(at)) + float(law.sf(at)):.7g} at {at:.6g}: it must be 1")
    ends = np.unique(law.quantile(np.array([1e-8, 1 - 1e-8])))
    edges = np.unique(np.concatenate([ends, points]))
    total = 0.0
    for low, high in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        mass, expected = _mass(law, low, high, integer), float(law.cdf(high)) - float(law.cdf(low))
        total += mass
        if not abs(mass - expected) <= TOLERANCE:
            narrow = not integer and high - low <= NARROW * max(abs(low), abs(high))
            yield Mistake(
                f"{where}: the density between {low:.6g} and {high:.6g} adds up to {mass:.7g}, and the cdf rises by "
                f"{expected:.7g}: they must agree to {TOLERANCE:g}"
                + ("; so close together doubles cannot hold it, and no release there can be judged" if narrow else "")
            )
            return
    total += float(law.cdf(edges[0])) + float(law.sf(edges[-1]))
    if not abs(total - 1) <= TOLERANCE:
        yield Mistake(f"{where}: the density integrates to {total:.7g}: it must be 1")


def _mass(law: OwnLaw, low: float, high: float, integer: bool) -> float:
    """Of (low, high], from the density, with an atom that lies in it."""
    if integer:
        points = np.arange(low + 1, min(high, low + MOST_SUMMED) + 1)
        return float(np.sum(np.exp(law.logpdf(points)))) if points.size else 0.0
    given = law.given
    edges = np.array([low, high]) if given is None or not low < given < high else np.array([low, given, high])
    atom = float(np.asarray(law.atom)) if given is not None and low < given <= high else 0.0
    return atom + integral(lambda x: np.exp(law.logpdf(x)), edges)


def _odd(law: OwnLaw, where: str) -> Mistake | None:
    """Answers that are not numbers of the shape asked for, or no probabilities."""
    points = np.array([-2.0, -1.0, 0.0, 1.0, 2.0])
    for name in ("logpdf", "cdf", "sf"):
        found = np.asarray(getattr(law, name)(points))
        if found.shape != points.shape:
            return Mistake(f"{where}.{name}() of 5 points has shape {found.shape}: it must broadcast over arrays")
        if np.isnan(found).any() or (name != "logpdf" and not np.all((found >= 0) & (found <= 1))):
            return Mistake(f"{where}.{name}() of {points.tolist()} is {found.tolist()}: it must be a {name}")
    if not np.all(np.diff(np.asarray(law.cdf(points))) >= 0):
        return Mistake(f"{where}.cdf() falls between {points[0]:g} and {points[-1]:g}: it must not")
    low, high = float(law.cdf(-1e15)), float(law.cdf(1e15))
    if not low <= 1e-3 or not high >= 1 - 1e-3:
        return Mistake(
            f"{where}.cdf() is {low:g} at -1e15 and {high:g} at 1e15: it must go from 0 to 1, also so far out"
        )
    return None


def described(law: Any) -> str:
    """What a law offers, in a line."""
    parts = [name for name in ("marginal", "bridge", "forward", "epsilon") if callable(getattr(law, name, None))]
    return ", ".join(parts)
