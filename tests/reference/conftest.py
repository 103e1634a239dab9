"""Tests of a law, each rejecting a true law with probability at most 1e-9; the seeds are fixed, so none is flaky."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from tests.support.chi_square import chi_square

LEVEL = 1e-9


class LawTests:
    """fits(sample, cdf), same_law(sample, sample), frequency(hits, trials, p): True unless rejected at level 1e-9."""

    def fits(self, sample: np.ndarray, cdf: Callable[[np.ndarray], np.ndarray]) -> bool:
        return bool(stats.kstest(np.ravel(sample), cdf).pvalue > LEVEL)

    def same_law(self, one: np.ndarray, other: np.ndarray) -> bool:
        return bool(stats.ks_2samp(np.ravel(one), np.ravel(other), method="asymp").pvalue > LEVEL)

    def frequency(self, hits: int, trials: int, probability: float) -> bool:
        return bool(stats.binomtest(int(hits), int(trials), probability).pvalue > LEVEL)

    def counts(self, sample: np.ndarray, pmf: Callable[[np.ndarray], np.ndarray], cells: np.ndarray) -> bool:
        """Chi-square over the given integers and the two tails beyond them (every cell expects at least 20)."""
        inside = pmf(cells)
        below = float(pmf(np.arange(cells[0] - 400, cells[0])).sum())
        expected = sample.size * np.array([below, *inside, 1 - below - inside.sum()])
        observed = np.array(
            [(sample < cells[0]).sum(), *((sample == c).sum() for c in cells), (sample > cells[-1]).sum()]
        )
        assert expected.min() > 20
        return chi_square(observed, expected) > LEVEL


@pytest.fixture(scope="session")
def law() -> LawTests:
    return LawTests()
