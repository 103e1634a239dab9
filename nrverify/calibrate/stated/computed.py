"""Statements about what is computed and not sampled: boundaries, and claims at the times or the noise that are told.

Chance has no part in them, so that each fault is tried once. Crossing probabilities of the planted boundaries are known
in closed form, or by one integral.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.special import log_ndtr, ndtr

from nrverify.auditing.audit import audit
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.auditing.noise_reduction.design.batch import Batch
from nrverify.auditing.noise_reduction.design.cases import Case
from nrverify.auditing.noise_reduction.epsilon.claim import EpsilonClaim
from nrverify.auditing.noise_reduction.epsilon.dp_claim import DpClaim
from nrverify.auditing.noise_reduction.epsilon.dp_judgement import EPSILON_MARGIN, DpJudge
from nrverify.auditing.noise_reduction.epsilon.judgement import ClaimJudge
from nrverify.calibrate.stated.planted import Draw, Planted
from nrverify.subjects.policies import Fixed

DELTA = 1e-5
SLOPE = 1.0
"""Of the line in noise against time that a planted boundary is."""
DENT = (1.0, 1.2)
"""Times between which a boundary claims anything at all."""
EPSILON = 1.0


class Computed:
    """A check that computes, as one that is shown a subject with a fault."""

    def __init__(self, id: str) -> None:
        self.id = id
        self.declaration = SimpleNamespace(weight=1.0)
        self.result: CheckResult | None = None

    def empty_copy(self) -> Computed:
        """The same."""
        return self

    def merge(self, other: Computed) -> None:
        """Nothing is added up."""

    def observe(self, subject: Any) -> None:
        """Its audit."""
        report = audit(subject, samples=1200, seed=0, checks=[self.id])
        self.result = next(check for check in report.checks if check.id == self.id)

    def refuted(self, alpha: float) -> bool:
        """Whether its verdict is that."""
        assert self.result is not None
        return self.result.verdict is CheckVerdict.REFUTED

    def conclude(self, alpha: float) -> CheckResult:
        """What it came to."""
        assert self.result is not None
        return self.result


class _Boundary:
    """A claim at noise of some level; `time` only where an inverse is judged."""

    mechanism = "boundary"
    process = "brownian"
    sensitivity = 1.0
    delta = DELTA
    time: Callable[[float], float]

    def __init__(self, level: Callable[[float], float]) -> None:
        self.epsilon: Callable[[float], float] = lambda time: (level(time) + 0.5) / time
        """The loss at which the noise is at the level."""


def _line(probability: float, rng: np.random.Generator) -> _Boundary:
    """W_t meets c + bt somewhere with probability e^(−2bc)."""
    height = -math.log(probability) / (2 * SLOPE)
    return _Boundary(lambda t: height + SLOPE * t)


def _met(height: float) -> float:
    """P(W_t ≥ c + bt at some time of the dent), from where it is at its beginning."""
    start, end = DENT
    span = end - start

    def density(x: float) -> float:
        below = height + SLOPE * start - x
        root = math.sqrt(span)
        met = ndtr(-(below + SLOPE * span) / root)
        met += math.exp(-2 * SLOPE * below + float(log_ndtr((SLOPE * span - below) / root)))
        return met * math.exp(-0.5 * x * x / start) / math.sqrt(2 * math.pi * start)

    level = height + SLOPE * start
    inside = quad(density, level - 12 * math.sqrt(start), level, epsabs=0, epsrel=1e-11, limit=200)[0]
    return float(ndtr(-level / math.sqrt(start)) + inside)


def _dent(probability: float, rng: np.random.Generator) -> _Boundary:
    """A boundary that claims nothing but in a short time, where a line is met with that probability."""
    height = float(brentq(lambda c: math.log(_met(c) / probability), 0.0, 20.0, xtol=1e-14))
    return _Boundary(lambda t: height + SLOPE * t if DENT[0] <= t <= DENT[1] else math.inf)


def _improper(count: float, rng: np.random.Generator) -> _Boundary:
    """So many of the first thousand times have no value."""
    subject = _line(DELTA / 2, rng)
    right, asked = subject.epsilon, set(rng.choice(1000, size=round(count), replace=False).tolist())
    calls = itertools.count()
    subject.epsilon = lambda t: math.nan if next(calls) in asked else right(t)
    return subject


def _rises(ratio: float, rng: np.random.Generator) -> _Boundary:
    subject = _line(DELTA / 2, rng)
    right = subject.epsilon
    top = right(2.0)
    subject.epsilon = lambda t: right(t) if t <= 2.0 or t > 3.0 else max(top * (1 + ratio), right(t))
    return subject


def _inverse(ratio: float, rng: np.random.Generator) -> _Boundary:
    subject = _line(DELTA / 2, rng)
    height = -math.log(DELTA / 2) / (2 * SLOPE)
    # (c + ½)/t + b = ε(1 + ratio)
    subject.time = lambda epsilon: (height + 0.5) / (epsilon * (1 + ratio) - SLOPE)
    return subject


def _told(times: Mapping[float, float]) -> Batch:
    """Sessions whose times are told, by the ε asked."""
    asked = tuple(times)
    case = Case("planted", (0.0,), Fixed(asked), "sample")
    return Batch(case, np.zeros((1, len(asked), 1)), np.array([asked]), np.array([tuple(times.values())]), None)


def _passes(probability: float, rng: np.random.Generator) -> Batch:
    """Normal noise at two looks, at one of which the loss W/t + ½/t passes ε with that probability."""
    start, end = DENT

    def met(height: float) -> float:
        first, last = height + SLOPE * start, height + SLOPE * end

        def density(x: float) -> float:
            return ndtr((x - last) / math.sqrt(end - start)) * math.exp(-0.5 * x * x / start)

        later = quad(density, first - 12 * math.sqrt(start), first, epsabs=0, epsrel=1e-11, limit=200)[0]
        return float(ndtr(-first / math.sqrt(start))) + later / math.sqrt(2 * math.pi * start)

    height = float(brentq(lambda c: math.log(met(c) / probability), 0.0, 20.0, xtol=1e-14))
    return _told({(height + SLOPE * time + 0.5) / time: time for time in DENT[::-1]})


def _diverges(delta: float, rng: np.random.Generator) -> Batch:
    """The analytic Gaussian mechanism: Φ(½s − ε/s) − e^ε Φ(−½s − ε/s) for values s deviations apart.

    At the ε asked and the 1e-9 of it that are granted.
    """
    granted = EPSILON * EPSILON_MARGIN

    def found(s: float) -> float:
        return math.log((ndtr(0.5 * s - granted / s) - math.exp(granted) * ndtr(-0.5 * s - granted / s)) / delta)

    return _told({EPSILON: float(brentq(found, 0.05, 2.0, xtol=1e-15)) ** -2})


def _costs(ratio: float, rng: np.random.Generator) -> Batch:
    return _told({EPSILON: 1 / (ratio * EPSILON)})


class _Threshold:
    """Right for the scales it declares, which lose a multiple of ε."""

    mechanism = "above-threshold"
    epsilon = EPSILON

    def __init__(self, ratio: float) -> None:
        self.scales = (2 / ratio, 4 / ratio)

    def run_many(
        self, utilities: Any, epsilons: Any, threshold: float, sensitivity: float, runs: int, seed: int
    ) -> NDArray[np.int64]:
        """Rounds of the halts."""
        rng = np.random.default_rng(seed)
        unit = sensitivity / np.asarray(epsilons, dtype=float)
        level = threshold + self.scales[0] * unit[0] * rng.laplace(size=(runs, 1))
        seen = np.asarray(utilities) + self.scales[1] * unit * rng.laplace(size=(runs, len(unit))) >= level
        return np.where(seen.any(axis=1), seen.argmax(axis=1) + 1, 0)


def _declared(ratio: float, rng: np.random.Generator) -> _Threshold:
    return _Threshold(ratio)


def _own_times(mechanism: str, unit: str, draw: Draw, none: float) -> Planted:
    def check() -> EpsilonClaim:
        return EpsilonClaim(ClaimJudge(mechanism, 1.0, DELTA if mechanism == "brownian" else 0.0), known_times=True)

    return Planted(f"privacy.epsilon ({mechanism}, times told)", check, unit, draw, none=none, sampled=False)


def _dp() -> DpClaim:
    return DpClaim(DpJudge("brownian", 1.0, DELTA), known_times=True)


def _crossing(name: str, draw: Callable[[float, np.random.Generator], _Boundary]) -> Planted:
    return Planted(
        f"boundary.crossing ({name})", partial(Computed, "boundary.crossing"), "δ", draw, none=DELTA, sampled=False
    )


PLANTED = (
    _crossing("a line", _line),
    _crossing("a dent", _dent),
    Planted("boundary.values", partial(Computed, "boundary.values"), "count", _improper, sampled=False),
    Planted("boundary.monotone", partial(Computed, "boundary.monotone"), "ratio", _rises, sampled=False),
    Planted("boundary.inverse", partial(Computed, "boundary.inverse"), "ratio", _inverse, sampled=False),
    _own_times("brownian", "δ", _passes, DELTA),
    _own_times("laplace", "ratio", _costs, 0.5),
    Planted("privacy.epsilon (dp, times told)", _dp, "δ", _diverges, none=DELTA, sampled=False),
    Planted(
        "privacy.epsilon (noise declared)",
        partial(Computed, "privacy.epsilon"),
        "ratio",
        _declared,
        none=1.0,
        sampled=False,
    ),
)
