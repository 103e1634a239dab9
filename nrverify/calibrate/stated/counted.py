"""Statements about what cannot happen if the claim holds: a single event, wherever it is, refutes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.claims.columns import CHARGED, Columns, columns_of
from nrverify.auditing.claims.protocol import OutputProtocol
from nrverify.auditing.claims.sample import Labelled
from nrverify.auditing.noise_reduction.checks.finite import Finite
from nrverify.auditing.noise_reduction.checks.granularity import Granularity
from nrverify.auditing.noise_reduction.checks.lattice import Integers
from nrverify.auditing.noise_reduction.checks.repeated_time import SameAnswer
from nrverify.auditing.noise_reduction.design.batch import Batch
from nrverify.auditing.noise_reduction.design.cases import Case
from nrverify.auditing.private_stopping.protocol import StoppingProtocol
from nrverify.auditing.threshold.drawing import Runs
from nrverify.auditing.threshold.protocol import ThresholdProtocol
from nrverify.calibrate.stated.faults import HALTING, SESSIONS, TIMES
from nrverify.calibrate.stated.halts import stopped
from nrverify.calibrate.stated.planted import ONE_EVENT, Planted
from nrverify.subjects.policies import Fixed

GRID = 2.0**-6
"""A granularity that is claimed."""
TWICE = (TIMES[0], TIMES[0], TIMES[-1])
"""A schedule with a time that is asked twice."""


def _some(count: float, rng: np.random.Generator) -> NDArray[np.intp]:
    """So many sessions, any of them: a third of one is none."""
    return rng.choice(SESSIONS, size=round(count), replace=False)


def _releases(noise: NDArray[np.float64], times: tuple[float, ...] = TIMES) -> Batch:
    return Batch(Case("planted", (0.0,), Fixed(times), "sample"), noise, np.tile(times, (SESSIONS, 1)), None, None)


def _redrawn(count: float, rng: np.random.Generator) -> Batch:
    noise = rng.standard_normal((SESSIONS, len(TWICE), 1))
    noise[:, 1] = noise[:, 0]
    noise[_some(count, rng), 1] = rng.standard_normal((round(count), 1))
    return _releases(noise, TWICE)


def _off_grid(count: float, rng: np.random.Generator) -> Batch:
    noise = GRID * np.rint(rng.standard_normal((SESSIONS, len(TIMES), 1)) / GRID)
    noise[_some(count, rng), rng.integers(len(TIMES))] += GRID / 3
    return _releases(noise)


def _fractions(count: float, rng: np.random.Generator) -> Batch:
    noise = rng.poisson(5.0, (SESSIONS, len(TIMES), 1)).astype(float)
    noise[_some(count, rng), rng.integers(len(TIMES))] += 0.5
    return _releases(noise)


def _infinite(count: float, rng: np.random.Generator) -> Batch:
    noise = rng.standard_normal((SESSIONS, len(TIMES), 1))
    noise[_some(count, rng), rng.integers(len(TIMES))] = rng.choice([np.inf, -np.inf, np.nan])
    return _releases(noise)


def _goes_on(count: float, rng: np.random.Generator) -> Runs:
    bits = tuple((0, 1, int(rng.integers(2))) for _ in range(round(count)))
    return Runs(HALTING, "run", np.ones(SESSIONS, dtype=np.int64), bits)


def _shows_more(count: float, rng: np.random.Generator) -> object:
    return replace(stopped(rng, np.arange(SESSIONS)), after_halt=("bits",) * round(count))


def _two_prices(count: float, rng: np.random.Generator) -> Labelled:
    """Outputs that come often, some of them with another price."""
    outputs = rng.integers(20, size=SESSIONS)
    prices = 1.0 + outputs / 20
    prices[_some(count, rng)] += 0.5
    found = columns_of(outputs.tolist())
    values = {**found.values, CHARGED: prices}
    return Labelled(0, Columns(found.size, found.keys, values), rng.random(SESSIONS) < 0.5, prices)


PLANTED = (
    Planted("ties.repeated-time", SameAnswer, "count", _redrawn, ONE_EVENT),
    Planted("protocol.granularity", lambda: Granularity(GRID), "count", _off_grid, ONE_EVENT),
    Planted("lattice (integers)", Integers, "count", _fractions, ONE_EVENT),
    Planted("protocol.finite", Finite, "count", _infinite, ONE_EVENT),
    Planted("threshold.protocol", ThresholdProtocol, "count", _goes_on, ONE_EVENT),
    Planted("stopping.protocol", StoppingProtocol, "count", _shows_more, ONE_EVENT),
    Planted("protocol.outputs", lambda: OutputProtocol(True), "count", _two_prices, ONE_EVENT),
)
