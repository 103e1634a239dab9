"""How many cases property tests of hostile input try, and which."""

import os

from hypothesis import HealthCheck

CASES = max(1, int(float(os.environ.get("NRVERIFY_FUZZ", "1"))))
"""Multiplies the number of cases."""
CAREFULLY = {
    "deadline": None,
    "derandomize": "NRVERIFY_FUZZ_SEED" not in os.environ,
    "database": None,
    "suppress_health_check": list(HealthCheck),
}
"""Settings of these tests: the same cases in every run of the tests, and others where a seed is asked for."""
