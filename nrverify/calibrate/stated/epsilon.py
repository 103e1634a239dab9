"""Statements about an ε-knob whose times are not told: how far its noise may fall below the least that is right."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from nrverify.auditing.noise_reduction.design.batch import Batch
from nrverify.auditing.noise_reduction.design.cases import Case
from nrverify.auditing.noise_reduction.epsilon.claim import EpsilonClaim
from nrverify.auditing.noise_reduction.epsilon.dp_claim import DpClaim
from nrverify.auditing.noise_reduction.epsilon.dp_judgement import DpJudge
from nrverify.auditing.noise_reduction.epsilon.judgement import ClaimJudge
from nrverify.calibrate.stated.faults import SESSIONS
from nrverify.calibrate.stated.planted import Planted
from nrverify.subjects.policies import Fixed

EPSILON, DELTA = 1.0, 1e-5
"""Of one look at a time: there the claim's own slack is none."""
NOISE = ("brownian", "laplace", "skellam")
CASE = Case("planted", (0.0,), Fixed((EPSILON,)), "sample")


def _ex_post(mechanism: str) -> ClaimJudge:
    return ClaimJudge(mechanism, 1.0, 0.0 if mechanism == "laplace" else DELTA)


def _dp(mechanism: str) -> DpJudge:
    return DpJudge(mechanism, 1.0, 0.0 if mechanism == "laplace" else DELTA)


def _short(judge: ClaimJudge | DpJudge, per_cent: float, rng: np.random.Generator) -> Batch:
    """So much less than the least noise that keeps the claim."""
    time = judge.least(EPSILON) * max(1 - per_cent / 100, 1e-9)
    if judge.mechanism == "brownian":
        noise = np.sqrt(time) * rng.standard_normal((SESSIONS, 1, 1))
    elif judge.mechanism == "laplace":
        noise = rng.laplace(scale=time, size=(SESSIONS, 1, 1))
    else:
        half = judge.rate * time  # of each of two counts
        noise = (rng.poisson(half, (SESSIONS, 1, 1)) - rng.poisson(half, (SESSIONS, 1, 1))).astype(float)
    return Batch(CASE, noise, np.full((SESSIONS, 1), EPSILON), None, None)


def _planted(name: str, check: Callable[[Any], Any], judge: ClaimJudge | DpJudge) -> Planted:
    return Planted(name, partial(check, judge), "%", partial(_short, judge))


PLANTED = (
    *(_planted(f"privacy.epsilon ({name})", EpsilonClaim, _ex_post(name)) for name in NOISE),
    *(_planted(f"privacy.epsilon (dp, {name})", DpClaim, _dp(name)) for name in NOISE),
)
