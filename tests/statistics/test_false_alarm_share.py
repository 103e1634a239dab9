"""How much of α a single bet uses at the looks of a default run: the numbers of docs/METHODS.md, section 3."""

import itertools

import numpy as np
import pytest

from nrverify.auditing.sampling.looks import looks
from nrverify.statistics.wealth import MeanWealth, ScaleWealth

PATHS, ALPHA = 2000, 0.05
SIZES = [int(size) for size in itertools.islice(looks(), 78)]


def reached(kind, variance=1.0):
    """The share of paths whose wealth reaches 1/α at one of the looks of 200,000 scores."""
    rng, sums, drawn = np.random.default_rng(5), np.zeros(PATHS), 0
    ever = np.zeros(PATHS, dtype=bool)
    for size in SIZES:
        drawn += size
        if kind is ScaleWealth:
            sums += variance * rng.chisquare(size, PATHS)
            bets = [ScaleWealth(drawn, total) for total in sums]
        else:
            sums += np.sqrt(variance * size) * rng.standard_normal(PATHS)
            bets = [MeanWealth(total, drawn) for total in sums]
        ever |= np.array(kind.log_e_of(bets)) >= -np.log(ALPHA)
    return ever.mean()


@pytest.mark.parametrize("kind", [ScaleWealth, MeanWealth])
def test_a_right_law_uses_about_a_third_of_alpha_and_a_wrong_one_more(kind):
    assert sum(SIZES[:-1]) < 200_000 <= sum(SIZES)
    assert reached(kind) == pytest.approx(0.32 * ALPHA, abs=4 * (0.32 * ALPHA / PATHS) ** 0.5)
    assert reached(kind, variance=1.5) > ALPHA
