"""The information limit: how many sessions the best test that knows a fault needs to refute the claim.

A level α needs log(1/α) nats; a session drawn by the audit brings KL(fault ‖ claim) of them on average.
"""

from __future__ import annotations

import math
from typing import Any

from nrverify.auditing.registry import declarations_for
from nrverify.calibrate.information_brownian import BROWNIAN
from nrverify.calibrate.information_discrete import DISCRETE
from nrverify.calibrate.information_laplace import LAPLACE_FAULTS
from nrverify.calibrate.information_threshold import THRESHOLD, threshold_information
from nrverify.calibrate.mixture import description_of, run_mixture, session_mixture

PARAMETERS = 64
"""Places of wandering for samplers of integers: how wrong a rounded parameter is depends on it. With 8 the limit of a
rounded deviation is a third too large, with 32 a twentieth."""

KNOWN = (*BROWNIAN, *LAPLACE_FAULTS, *DISCRETE, *THRESHOLD)
"""Mutants whose information is known."""

IMPOSSIBLE = frozenset(
    {
        *("brownian-fresh-noise", "brownian-repeated-time-fresh", "brownian-repeated-time-bridged"),
        *("brownian-reseeded-each-release", "brownian-snapped-times", "brownian-late-release"),
        *("brownian-batch-broadcast", "brownian-shared-by-coordinates", "brownian-last-coordinate-copied"),
        *("brownian-shared-by-sessions", "brownian-few-seeds", "brownian-noise-pool", "brownian-seed-ignored"),
        *("brownian-seed-from-value", "brownian-state-on-subject", "brownian-clipped", "brownian-single-precision"),
        *("brownian-integer-noise", "brownian-integer-increments", "brownian-rounded", "brownian-antithetic"),
        *("brownian-few-batches", "brownian-fixed-point", "brownian-few-noises", "brownian-mirrored-batch"),
        *("brownian-small-cache", "brownian-third-time-fresh", "brownian-error-swallowed"),
        *("laplace-fresh-noise", "laplace-shared-noise", "laplace-log-of-zero", "laplace-rescaled-path"),
        *("laplace-jumps-clipped", "threshold-few-batches"),
        *("threshold-continues-after-halting", "stopping-one-more-release"),
    }
)
"""Mutants that do what has probability 0 under the claim: their information is infinite."""


def information(name: str, subject: type[Any]) -> float | None:
    """Nats per session or run drawn; ∞ where the impossible happens, None where it is not known."""
    if name in IMPOSSIBLE:
        return math.inf
    if name in THRESHOLD:
        return threshold_information(THRESHOLD[name], run_mixture(description_of(subject)))
    if name in DISCRETE:
        return DISCRETE[name].information(session_mixture(description_of(subject), PARAMETERS))
    fault = BROWNIAN.get(name) or LAPLACE_FAULTS.get(name)
    return None if fault is None else fault.information(session_mixture(description_of(subject)))


def check_level(alpha: float, mechanism: str) -> float:
    """The largest error probability of a check of the audit of a mechanism: α times its weight."""
    return alpha * max(one.weight for one in declarations_for(mechanism))


def limit(nats: float, alpha: float) -> float:
    """log(1/α)/KL: sessions or runs."""
    return -math.log(alpha) / nats if nats > 0 else math.inf
