"""Statements about random streams of thresholds, of private stopping and of any mechanism: how few would be noticed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.claims.bets import Point
from nrverify.auditing.claims.columns import columns_of
from nrverify.auditing.claims.context import Claim
from nrverify.auditing.claims.sample import Labelled
from nrverify.auditing.claims.streams import OutputStreams
from nrverify.auditing.private_stopping.streams import StoppingStreams
from nrverify.auditing.threshold.designs import Design
from nrverify.auditing.threshold.drawing import Runs
from nrverify.auditing.threshold.faulty_laws import claimed_law
from nrverify.auditing.threshold.streams import FEW, BatchStreams
from nrverify.calibrate.stated.faults import SESSIONS
from nrverify.calibrate.stated.halts import stopped
from nrverify.calibrate.stated.planted import ONE_EVENT, Planted

Floats = NDArray[np.float64]

SPREAD = Design("planted", (-4.0,) * 30, (1.0,) * 30)
"""Many rounds that halt now and then: two runs hardly ever agree, so that small requests can be compared."""


def _which(streams: float, rng: np.random.Generator) -> NDArray[np.intp]:
    """The stream of each request, numbered from 0: all different for 0."""
    if not streams:
        return np.arange(SESSIONS)
    return np.unique(rng.integers(max(round(streams), 1), size=SESSIONS), return_inverse=True)[1]


def _batches(streams: float, rng: np.random.Generator) -> Runs:
    """Requests of a few runs each."""
    which, law = _which(streams, rng), claimed_law(SPREAD)
    runs = rng.choice(law.size, size=(which.max() + 1, FEW), p=law / law.sum())
    return Runs(SPREAD, "run_many", runs[which].ravel(), request=FEW)


def _stopped(streams: float, rng: np.random.Generator) -> object:
    return stopped(rng, _which(streams, rng))


def _outputs(streams: float, rng: np.random.Generator) -> Labelled:
    """A sum of the data, 0 or 1, and noise."""
    which = _which(streams, rng)
    label = rng.random(SESSIONS) < 0.5
    outputs = label + rng.laplace(size=which.max() + 1)[which]
    return Labelled(0, columns_of(outputs.tolist()), label, np.ones(SESSIONS))


def _output_streams() -> OutputStreams:
    return OutputStreams(Claim((Point(1.0, 0.0, 1.0),), "1-differential privacy"), 1)


PLANTED = (
    Planted("randomness.streams (thresholds)", BatchStreams, "streams", _batches, ONE_EVENT, True),
    Planted("randomness.streams (private stopping)", StoppingStreams, "streams", _stopped, ONE_EVENT, True),
    Planted("randomness.streams (any mechanism)", _output_streams, "streams", _outputs, ONE_EVENT, True),
)
