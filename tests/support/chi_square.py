"""Pearson's test of counts."""

import numpy as np
from scipy import stats


def chi_square(observed: np.ndarray, expected: np.ndarray) -> float:
    """The p-value of Pearson's test of counts; the expected ones need not add up to exactly as many."""
    return float(stats.chi2.sf(((observed - expected) ** 2 / expected).sum(), len(observed) - 1))
