"""Statements about the law of the noise: variances, correlations, ties and signs of transcripts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.core.transforms.rosenblatt import innovations
from nrverify.auditing.noise_reduction.checks.independence import CoordinateIndependence, SessionIndependence
from nrverify.auditing.noise_reduction.checks.law import AdaptiveLaw, TranscriptLaw
from nrverify.auditing.noise_reduction.checks.release_law import ReleaseLaw
from nrverify.auditing.noise_reduction.checks.streams import Streams
from nrverify.auditing.noise_reduction.checks.ties import LaplaceTies, NoTies
from nrverify.auditing.noise_reduction.checks.value import ValueLaw
from nrverify.auditing.noise_reduction.design.batch import Batch
from nrverify.auditing.noise_reduction.design.cases import Case
from nrverify.auditing.noise_reduction.design.knob import Knob
from nrverify.auditing.noise_reduction.unknown_times.coordinate_signs import UnknownCoordinates
from nrverify.auditing.noise_reduction.unknown_times.increments import IncrementLaw
from nrverify.auditing.noise_reduction.unknown_times.release_shape import SCORES, UnknownReleases
from nrverify.auditing.threshold.law import ThresholdLaw
from nrverify.calibrate.stated import faults
from nrverify.calibrate.stated.faults import SESSIONS, TIMES, path
from nrverify.calibrate.stated.planted import ONE_EVENT, Planted
from nrverify.laws.brownian import Brownian
from nrverify.laws.laplace import Laplace
from nrverify.laws.process import Process
from nrverify.subjects.policies import Fixed

Floats = NDArray[np.float64]


def _batch(
    noise: Floats, times: tuple[float, ...] = TIMES, process: Process | None = None, known: bool = True
) -> Batch:
    case = Case("planted", (0.0,) * noise.shape[2], Fixed(times), "sample")
    asked = np.tile(times, (noise.shape[0], 1))
    if not known:
        return Batch(case, noise, asked, None, None)
    claimed = process or Brownian()
    found = innovations(claimed, noise, asked, np.abs(noise), np.random.default_rng(0), integer=False)
    return Batch(case, noise, asked, asked, found)


def _smaller(size: float, rng: np.random.Generator) -> Batch:
    """All noise with less variance."""
    return _batch(np.sqrt(max(1 - size, 0.0)) * path(rng))


def _correlated_coordinates(size: float, rng: np.random.Generator) -> Batch:
    noise = path(rng, d=2)
    noise[..., 1] = size * noise[..., 0] + np.sqrt(1 - size**2) * noise[..., 1]
    return _batch(noise)


def _correlated_sessions(size: float, rng: np.random.Generator) -> Batch:
    noise = path(rng)
    for row in range(1, len(noise)):
        noise[row] = size * noise[row - 1] + np.sqrt(1 - size**2) * noise[row]
    return _batch(noise)


def _tied_more(size: float, rng: np.random.Generator) -> Batch:
    """Every step stays more often, by the same difference of probabilities: the direction that shows later."""
    noise = [rng.laplace(scale=TIMES[-1], size=(SESSIONS, 1))]
    for s, t in zip(TIMES[:0:-1], TIMES[-2::-1], strict=True):
        stays = (s / t) ** 2 + size
        jumps = rng.random((SESSIONS, 1)) >= stays
        noise.append(noise[-1] + jumps * rng.laplace(scale=t, size=(SESSIONS, 1)))
    return _batch(np.stack(noise[::-1], axis=1), process=Laplace())


def _tied(size: float, rng: np.random.Generator) -> Batch:
    """Some releases are the one before."""
    noise = path(rng)
    for position in range(1, noise.shape[1]):
        again = rng.random(len(noise)) < size
        noise[again, position] = noise[again, position - 1]
    return _batch(noise)


def _signs_agree(size: float, rng: np.random.Generator) -> Batch:
    """Signs of neighbouring coordinates agree more often than half of the time."""
    noise = np.abs(path(rng, d=2))
    first = rng.random((SESSIONS, 1)) < 0.5
    agree = rng.random((SESSIONS, 1)) < 0.5 + size
    signs = np.concatenate([first, first == agree], axis=1)
    return _batch(np.where(signs[:, None], noise, -noise), known=False)


def _follows_step(size: float, rng: np.random.Generator) -> Batch:
    """The noise of the second release and the step to it from the first are correlated; times are not told."""
    z = rng.standard_normal((2, SESSIONS, 1))
    release, step = z[0], size * z[0] + np.sqrt(1 - size**2) * z[1]
    return _batch(np.stack([release + step, release], axis=1), times=(2.0, 1.0), known=False)


def _unknown_releases() -> UnknownReleases:
    return UnknownReleases(SCORES["brownian"])


def _threshold_law() -> ThresholdLaw:
    return ThresholdLaw([faults.HALTING], ["run_many"])


PLANTED = (
    Planted("law.release", lambda: ReleaseLaw(Knob(0.01, 1000.0, True)), "relative", _smaller),
    Planted("law.transcript", TranscriptLaw, "relative", _smaller),
    Planted("independence.coordinates", CoordinateIndependence, "correlation", _correlated_coordinates),
    Planted("independence.sessions", SessionIndependence, "correlation", _correlated_sessions),
    Planted("ties (Laplace)", LaplaceTies, "probability", _tied_more),
    Planted("ties (Brownian)", NoTies, "probability", _tied, ONE_EVENT),
    Planted("law.increments (times unknown)", IncrementLaw, "correlation", _follows_step, looks=4),
    Planted("independence.coordinates (times unknown)", UnknownCoordinates, "probability", _signs_agree),
    Planted("law.adaptive", AdaptiveLaw, "relative", faults.smaller_when_adaptive),
    Planted("law.value", lambda: ValueLaw([faults.FAR]), "relative", faults.smaller_at_a_value),
    Planted("law.release (times unknown)", _unknown_releases, "probability", faults.on_the_wrong_side),
    Planted("randomness.streams", lambda: Streams("brownian"), "streams", faults.of_few_streams, ONE_EVENT, True),
    Planted("threshold.law", _threshold_law, "probability", faults.halts_more_often),
)
"""Statements that sampled checks make. What is computed and not sampled (boundaries, claims from the exact law) is not
among them: its sizes are tolerances, and say so."""
