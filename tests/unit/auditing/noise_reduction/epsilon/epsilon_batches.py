"""Batches of transcripts asked for by ε, whose times the checks are not told."""

import numpy as np

from nrverify.auditing.noise_reduction.context import NoiseReductionContext
from nrverify.auditing.noise_reduction.design.batch import Batch
from nrverify.auditing.noise_reduction.design.cases import Case, cases_for
from nrverify.auditing.noise_reduction.design.knob import knob_of
from nrverify.subjects.describe import describe
from nrverify.subjects.policies import Fixed

EPSILONS = (0.5, 0.6, 1.0, 2.5)


def by_epsilon(noise, epsilons=EPSILONS, value=3.0, name="a case", times=None):
    """Releases of one value in every coordinate; with `times`, the subject's own."""
    sessions, _, d = noise.shape
    value = np.broadcast_to(np.asarray(value, dtype=float), (d,))
    case = Case(name, tuple(value.tolist()), Fixed(tuple(epsilons)), "sample")
    own = None if times is None else np.tile(times, (sessions, 1))
    return Batch(case, value + noise, np.tile(epsilons, (sessions, 1)), own, None)


def epsilon_context(mechanism, times_known=False, dimensions=(1, 3), **attributes):
    """What is known of an ε-knob before it is audited."""
    methods = ("sample", "time_of") if times_known else ("sample",)
    said = {"mechanism": mechanism, "knob": "epsilon", "sensitivity": 1.0, "delta": 1e-6, "methods": methods}
    description = describe({**said, **attributes})
    knob = knob_of(description)
    cases = tuple(cases_for(description, knob, dimensions))
    return NoiseReductionContext(description, cases, knob, times_known, dimensions)
