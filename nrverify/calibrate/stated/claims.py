"""Statements about any mechanism: an event of a stated probability that betrays the data beyond the claim."""

from __future__ import annotations

import numpy as np

from nrverify.auditing.claims.bets import Point
from nrverify.auditing.claims.claim import PrivacyClaim
from nrverify.auditing.claims.columns import columns_of
from nrverify.auditing.claims.context import Claim
from nrverify.auditing.claims.pairs import Case
from nrverify.auditing.claims.sample import Labelled
from nrverify.auditing.claims.sizes import PROBABILITY
from nrverify.calibrate.stated.planted import Planted

EPSILON, DELTA = 1.0, 0.01
"""What is claimed."""
CASE = Case(0, 1)
LOOKS, PART = 10, 400
"""Looks, and runs of each: what a label is guessed by is learned from the second on."""


def _of(epsilon: float, delta: float) -> PrivacyClaim:
    return PrivacyClaim(Claim((Point(epsilon, delta, epsilon),), "planted"), (CASE,))


def _betrayed(likely: float, other: float, rng: np.random.Generator) -> Labelled:
    """An event with these probabilities, given the data that make it likely and the other."""
    label = rng.random(PART) < 0.5
    outputs = rng.random(PART) < np.where(label, likely, other)
    return Labelled(0, columns_of(outputs.astype(int).tolist()), label, np.full(PART, EPSILON))


def _beyond_epsilon(epsilon: float, rng: np.random.Generator) -> Labelled:
    return _betrayed(PROBABILITY, PROBABILITY * np.exp(-epsilon), rng)


def _beyond_delta(delta: float, rng: np.random.Generator) -> Labelled:
    return _betrayed(PROBABILITY, (PROBABILITY - delta) * np.exp(-EPSILON), rng)


PLANTED = (
    Planted("privacy.claim (ε)", lambda: _of(EPSILON, 0.0), "ε", _beyond_epsilon, looks=LOOKS, none=EPSILON),
    Planted("privacy.claim (δ)", lambda: _of(EPSILON, DELTA), "δ", _beyond_delta, looks=LOOKS, none=DELTA),
)
