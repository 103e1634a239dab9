"""Laws of relatives by quadrature, against the exact laws, also where one noise is a thousandth of the other."""

import numpy as np
import pytest

from nrverify.auditing.threshold.designs import Design
from nrverify.auditing.threshold.faulty_laws import levels_of
from nrverify.auditing.threshold.law import _bettable
from nrverify.auditing.threshold.relatives import Relative, fitted_scales, relative_law
from nrverify.laws.threshold import probability

UTILITIES = (0.0, 0.3, -1.0, 2.0, 0.3)
DESIGN = Design("five rounds", UTILITIES, (0.7,) * 5, threshold=0.5, sensitivity=1.0)


def exact(scales, noise):
    bits = [[0] * halt + [1] for halt in range(5)] + [[0] * 5]
    given = {"utilities": UTILITIES, "epsilons": [0.7] * 5, "threshold": 0.5, "sensitivity": 1.0}
    return [probability(output[:5], **given, scales=scales, noise=noise) for output in bits]


@pytest.mark.parametrize("noise", ["laplace", "exponential"])
@pytest.mark.parametrize("scales", [(2.0, 4.0), (4.0, 0.1), (148.0, 0.018), (1e3, 1e-3), (0.02, 100.0)])
def test_a_relative_has_the_exact_law(scales, noise):
    law = relative_law(DESIGN, Relative(*scales, exponential=noise == "exponential"))
    assert law == pytest.approx(exact(scales, noise), rel=1e-9, abs=1e-13)


def test_bets_are_on_possible_outputs_where_others_have_no_probability():
    design = Design("an ε of 10000", (0.0, 0.0, 2.0), (1e4,) * 3, threshold=1.0, sensitivity=1.0)
    law, hazard, log_ratios, _ = _bettable(design)
    assert (law == 0).any()
    assert np.isfinite(hazard[:1]).all()
    assert all(np.isfinite(ratios).all() and (ratios[law == 0] == 0).all() for ratios in log_ratios.values())


def test_small_query_noise_does_not_cost_nodes_without_end():
    corners = np.linspace(-3.0, 3.0, 20)
    assert levels_of(corners, 1e-9)[0].size < 2 * levels_of(corners, 1 / 32)[0].size


def test_scales_are_fitted_to_runs_that_no_noise_explains():
    """Half of them halt at once, the others never: the likelihood grows without end as the queries' noise shrinks."""
    assert fitted_scales({DESIGN: np.array([20.0, 0.0, 0.0, 0.0, 0.0, 20.0])}, 1e-6) is None
