"""The stopping rule that breaks the Rényi bound αε²/2 of Laplace noise reduction, simulated."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from nrverify.experiments.batches import batches
from nrverify.experiments.means import mean_text
from nrverify.ledger import refuted, statistic
from nrverify.ledger.experiment import Experiment
from nrverify.reference.simulate import simulate
from nrverify.statistics.bounded_means import BoundedMeanWealth
from nrverify.statistics.multiplicity import p_value

ORDER = 4.0
"""α: the larger, the larger the excess; at 4 a few thousand sessions see it."""
LEVELS = np.geomspace(0.08, 2.0, 100)
"""ε of the looks: from near the best first look to where hardly any session is still running."""
LARGEST = math.exp((ORDER - 1) / (2 * ORDER))
"""No session gives more, as L ≤ ε."""


@statistic(
    {"X04": refuted("at most 1, as stated")},
    rejects={"at most 1, as stated": {"most": 1.0}, "at least 1.15": {"least": 1.15}},
    share=0.03,
    tests=2,
)
def stop_unless_far_away(experiment: Experiment, most: float = LARGEST, least: float = 1.04) -> None:
    """Stop at the first look that is not beyond the neighbour: E exp((α−1)(L_T − αε_T²/2)) lies between 1.04 and 1.455.

    α = 4, a hundred looks from ε = 0.08 to 2; continuous looks have the mean 1.0690. 24,000 sessions refute a mean of
    at most 1, and one of at least 1.15, with power 1 − 1e-6, already in the quick profile.
    """
    above = BoundedMeanWealth(most, high=LARGEST + 1e-9, side="greater")
    below = BoundedMeanWealth(least, high=LARGEST + 1e-9, side="less")
    for batch in batches(experiment, 24_000):
        noise = simulate("laplace", 0.0, list(1 / LEVELS), batch.size, batch.seed)[:, :, 0]
        stopped = stopped_exponentials(noise)
        above.bet(stopped)
        below.bet(stopped)
    experiment.test(f"at most {most:.4g}: {mean_text(above)}", p_value(above.log_e))
    experiment.test(f"at least {least:.4g}: {mean_text(below)}", p_value(below.log_e))


def stopped_exponentials(noise: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """exp((α−1)(L − αε²/2)) where each session stops: at the first look above −1 (the neighbour), or at the last."""
    stops = noise > -1
    stops[:, -1] = True
    first = np.argmax(stops, axis=1)
    at_stop, epsilon = noise[np.arange(len(noise)), first], LEVELS[first]
    loss = (np.abs(at_stop + 1) - np.abs(at_stop)) * epsilon
    found: npt.NDArray[np.float64] = np.exp((ORDER - 1) * (loss - ORDER * epsilon**2 / 2))
    return found
