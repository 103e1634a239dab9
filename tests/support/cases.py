"""How many cases property tests of hostile input try."""

import os

CASES = max(1, int(float(os.environ.get("NRVERIFY_FUZZ", "1"))))
"""Multiplies the number of cases."""
