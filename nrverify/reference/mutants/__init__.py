"""The calibration set of the audit: faulty implementations it must refute, and benign ones it must never refute.

Each mutant is a right implementation with one mistake that a competent engineer makes.
"""

from __future__ import annotations

from nrverify.reference.mutants import (
    any_order,
    boundary,
    discrete,
    epsilon_knob,
    hidden_places,
    laplace,
    last_bits,
    private_stopping,
    skellam,
    sparse_vector,
    textbook,
    textbook_wrong,
    threshold,
)
from nrverify.reference.mutants.benign import NOISE_REDUCTION
from nrverify.reference.mutants.benign_claims import CLAIMS
from nrverify.reference.mutants.brownian import RECURSION
from nrverify.reference.mutants.brownian_randomness import RANDOMNESS
from nrverify.reference.mutants.brownian_sessions import SESSIONS
from nrverify.reference.mutants.catalogue import Benign, Mutant
from nrverify.reference.mutants.overlooked import OVERLOOKED, RELATIVES
from nrverify.reference.mutants.right_but_different import DIFFERENT

__all__ = ["BENIGN", "DIFFERENT", "MUTANTS", "Benign", "Mutant"]

MUTANTS: tuple[Mutant, ...] = (
    *RECURSION,
    *RANDOMNESS,
    *SESSIONS,
    *laplace.MUTANTS,
    *skellam.MUTANTS,
    *discrete.MUTANTS,
    *any_order.MUTANTS,
    *threshold.MUTANTS,
    *sparse_vector.MUTANTS,
    *boundary.MUTANTS,
    *private_stopping.MUTANTS,
    *epsilon_knob.MUTANTS,
    *OVERLOOKED,
    *textbook_wrong.MUTANTS,
    *hidden_places.MUTANTS,
    *last_bits.MUTANTS,
)

BENIGN: tuple[Benign, ...] = (
    *NOISE_REDUCTION,
    *CLAIMS,
    *RELATIVES,
    *discrete.RIGHT,
    *any_order.RIGHT,
    *sparse_vector.BENIGN,
    *textbook.BENIGN,
    *hidden_places.BENIGN,
    *last_bits.RIGHT,
)
