"""The share of impossible releases, against noise with more digits than a double has."""

import numpy as np
import pytest
from flint import arb

from nrverify.symbolic.beyond.impossible_releases import share


@pytest.mark.skipif(np.finfo(np.longdouble).nmant < 60, reason="needs extended precision")
@pytest.mark.parametrize("sigma", [0.1, 1.0, 3.0, 100.0])
def test_the_share_is_that_of_normal_draws_rounded_to_doubles(sigma):
    # The digits beyond a double's are drawn apart. Five standard errors: false alarm 6e-7 for each.
    rng = np.random.default_rng(11)
    draws = 200_000
    beyond = rng.random(draws).astype(np.longdouble) * np.longdouble(2) ** -50
    coarse = rng.random(draws).astype(np.longdouble) * np.longdouble(2) ** -20
    normal = rng.standard_normal(draws).astype(np.longdouble) * np.longdouble(sigma)
    release = (normal * (1 + coarse + beyond)).astype(np.float64)
    seen = np.mean(1 + (release - 1) != release)
    expected = float(share(arb(sigma)))
    assert abs(seen - expected) < 5 * np.sqrt(expected * (1 - expected) / draws)
