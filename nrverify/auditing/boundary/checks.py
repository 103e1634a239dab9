"""Checks of a privacy boundary ψ: proper values, never rising, crossed with probability at most δ, inverted safely."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.boundary.brownian_enclosure import Enclosure
from nrverify.auditing.boundary.queries import Asker, ImproperValue
from nrverify.auditing.core.results import CheckResult, CheckVerdict

Floats = NDArray[np.float64]

RESOLUTION = 1e-3
"""A crossing probability above δ by more than this, relative, is a violation."""
ROUNDING = 1e-9
SOLVER = 1e-6
"""A rise, or an excess of an inverse, up to this, relative, is what a solver leaves behind: said, not refuted."""
INVERSES = 120
LARGEST_EPSILON = 100.0
"""Inverses are asked up to here: beyond, nothing is protected, and a solver's absolute tolerance would be judged."""


@dataclass(frozen=True)
class Claim:
    """What a boundary claims: δ at neighbours up to the sensitivity apart, over an interval of times."""

    delta: float
    sensitivity: float
    interval: tuple[float, float]
    declared: bool
    """Whether the subject named the interval; the default stands for all t > 0."""

    @property
    def words(self) -> str:
        """The interval in words."""
        low, high = self.interval
        if self.declared:
            return f"t in [{low:.4g}, {high:.4g}]"
        return f"all t > 0, that is t/Δ² in [1e-9, 1e9], t in [{low:.4g}, {high:.4g}]"


class BoundaryValues:
    """ψ(t) is a positive number at every time where it is claimed.

    Catches NaN, zero and negative values at the times asked, some thousands over the interval. An infinite value claims
    nothing and is allowed. Misses improper values at times never asked.
    """

    id = "boundary.values"
    kind = "boundary"
    claims: tuple[str, ...] = ("B07",)

    def conclude(self, calls: int, improper: ImproperValue | None) -> CheckResult:
        """Refuted by one value."""
        return CheckResult(
            self.id,
            self.kind,
            CheckVerdict.CONSISTENT if improper is None else CheckVerdict.REFUTED,
            self.claims,
            samples=calls,
            expected="a positive number at every time of the interval",
            observed=None if improper is None else f"ε({improper.time:.6g}) = {improper.value!r}",
            detectable=f"an improper value at one of {calls} times",
        )


class BoundaryMonotone:
    """ψ never rises with the time: more noise is never charged more.

    Catches a boundary that rises anywhere between two times of a dense scan, by more than a solver leaves behind.
    Misses a rise and fall between neighbouring times of the scan. For Skellam noise right boundaries rise at times, and
    a rise is only said.
    """

    id = "boundary.monotone"
    kind = "boundary"
    claims: tuple[str, ...] = ("B15", "R11")

    def conclude(self, times: Floats, epsilon: Floats, process: str) -> CheckResult:
        """The largest rise above an earlier value."""
        lowest = np.minimum.accumulate(epsilon)
        with np.errstate(invalid="ignore"):
            rise = np.where(np.isfinite(epsilon), epsilon / lowest - 1, np.where(np.isfinite(lowest), np.inf, 0.0))
        worst = int(np.argmax(rise))
        size = float(rise[worst])
        verdict, observed, message = CheckVerdict.CONSISTENT, f"largest relative rise {max(size, 0.0):.2g}", None
        if size > ROUNDING:
            earlier = int(np.argmin(epsilon[: worst + 1]))
            before, after = float(times[earlier]), float(times[worst])
            digits = 10 if f"{before:.10g}" != f"{after:.10g}" else 17
            observed = (
                f"ε({before:.{digits}g}) = {epsilon[earlier]:.10g} but ε({after:.{digits}g}) = {epsilon[worst]:.10g}"
            )
            if process == "skellam":
                verdict = CheckVerdict.ADVICE
                message = (
                    f"{observed}: on the lattice a right boundary may rise; it is then no privacy function to stop on"
                )
            elif size <= SOLVER:
                verdict = CheckVerdict.ADVICE
                message = f"{observed}: as little as a solver leaves behind; round the other way"
            else:
                verdict = CheckVerdict.REFUTED
        return CheckResult(
            self.id,
            self.kind,
            verdict,
            self.claims,
            samples=times.size,
            statistic=size,
            detectable=f"a relative rise above {SOLVER:g} between two of {times.size} times",
            expected="ε never rises with the time",
            observed=observed,
            message=message,
        )


class BoundaryCrossing:
    """The loss passes ψ somewhere in the interval with probability at most δ, exactly computed, not simulated.

    Catches any boundary that is too low, single looks taken for all, re-tuning at every time, missing constants, and
    wrong units, at any δ. Kinks, jumps and steps are located. Misses violations below 0.1 % of δ, dips far narrower
    than the scan, and what happens outside the interval.
    """

    id = "boundary.crossing"
    kind = "law"
    claims: tuple[str, ...] = ("B08", "B09", "B18", "N14")

    def conclude(self, found: Enclosure, claim: Claim, calls: int) -> CheckResult:
        """Refuted when the whole enclosure lies above δ(1 + 1e-3)."""
        limit = claim.delta * (1 + RESOLUTION)
        verdict, message = CheckVerdict.CONSISTENT, None
        if found.low > limit:
            verdict = CheckVerdict.REFUTED
        elif found.high > limit:
            verdict = CheckVerdict.INCONCLUSIVE
            message = (
                "the boundary is too rough to tell: its crossing probability is known only to lie "
                f"between {found.low:.3g} and {found.high:.3g}"
            )
        scale = f" ({found.low / claim.delta:.5g} δ)" if claim.delta > 0 else ""
        return CheckResult(
            self.id,
            self.kind,
            verdict,
            self.claims,
            samples=calls,
            statistic=0.5 * (found.low + found.high),
            detectable=f"a crossing probability above {limit:.6g} of the curve through {calls} times",
            expected=f"crossing probability at most δ = {claim.delta:g} over {claim.words}",
            observed=f"between {found.low:.6g} and {found.high:.6g}{scale}, most easily near t = {found.at:.4g}",
            message=message,
        )


class BoundaryInverse:
    """time(ε) is on the safe side: ψ(time(ε)) ≤ ε(1 + 1e-6).

    Catches an inverse that gives too little noise for the ε asked, no noise at all, or no number. Asked at ε's up to
    100 that the boundary reaches within its interval. Misses an inverse that gives too much noise, or too little by
    less than a millionth, as a bisection that stops early does: both are said as advice.
    """

    id = "boundary.inverse"
    kind = "boundary"
    claims: tuple[str, ...] = ("B13", "B14")

    def conclude(self, asker: Asker, times: Floats, epsilon: Floats) -> CheckResult:
        """The worst excess of ψ(time(ε)) over ε."""
        asked = _reachable(epsilon)
        given = asker.time(asked)
        improper = np.flatnonzero(~((given > 0) & np.isfinite(given)))
        if improper.size:
            first = int(improper[0])
            return self._result(CheckVerdict.REFUTED, f"time({asked[first]:.6g}) = {float(given[first])!r}", asked.size)
        charged = asker.epsilon(given)
        worst = int(np.argmax(charged / asked))
        observed = f"time({asked[worst]:.6g}) = {given[worst]:.6g}, where ε is {charged[worst]:.10g}"
        excess = float(charged[worst] / asked[worst]) - 1
        if excess > SOLVER:
            return self._result(CheckVerdict.REFUTED, observed, asked.size)
        if excess > ROUNDING:
            short = f"the time of an ε costs up to {excess:.1g} more than it, relatively: round it up"
            return self._result(CheckVerdict.CONSISTENT, observed, asked.size, short)
        enough = np.array([_first_low_enough(times, epsilon, level) for level in asked])
        waste = int(np.argmax(given / enough))
        message = None
        if given[waste] > 1.05 * enough[waste]:
            message = f"time({asked[waste]:.6g}) = {given[waste]:.6g} where {enough[waste]:.6g} would do"
        return self._result(CheckVerdict.CONSISTENT, observed, asked.size, message)

    def _result(self, verdict: CheckVerdict, observed: str, asked: int, message: str | None = None) -> CheckResult:
        return CheckResult(
            self.id,
            self.kind,
            verdict,
            self.claims,
            samples=asked,
            detectable=f"an excess of {SOLVER:g} at one of {asked} values of ε",
            expected=f"ψ(time(ε)) at most ε(1 + {SOLVER:g}), and a positive finite time",
            observed=observed,
            message=message,
        )


def _reachable(epsilon: Floats) -> Floats:
    """ε's well inside what the boundary reaches: between its ends, the middle of [0.01, 20] preferred."""
    finite = epsilon[np.isfinite(epsilon)]
    low, high = float(finite.min()), float(finite.max())
    wide = np.geomspace(low * (1 + 1e-6), max(min(high / (1 + 1e-6), LARGEST_EPSILON), low * (1 + 1e-6)), 40)
    usual = np.geomspace(0.01, 20.0, INVERSES - 40)
    asked = np.concatenate([wide[1:-1], usual])
    # At the very floor of a boundary its inverse is infinite: nothing nearer than a thousandth is asked.
    return np.unique(asked[(asked > low * 1.001) & (asked < high / 1.001)]) if high > 1.01 * low else finite[:0]


def _first_low_enough(times: Floats, epsilon: Floats, level: float) -> float:
    """The first time of the scan at which ψ is at most the level."""
    return float(times[min(int(np.argmax(epsilon <= level)), times.size - 1)]) if np.any(epsilon <= level) else math.inf
