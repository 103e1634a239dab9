"""The laws draw what their distribution functions say: `rvs` of every marginal, bridge and forward law.

The distribution functions themselves are settled elsewhere, by ball arithmetic; here the samplers are held to them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from nrverify.experiments.batches import batches
from nrverify.laws.brownian import Brownian
from nrverify.laws.laplace import Laplace
from nrverify.laws.process import Law
from nrverify.laws.skellam import Skellam
from nrverify.ledger import statistic, supports
from nrverify.ledger.experiment import Experiment
from nrverify.statistics.multiplicity import smallest_adjusted
from nrverify.statistics.proportions import binomial
from nrverify.statistics.transforms import levels
from nrverify.statistics.uniformity import kolmogorov, scale_and_shape

Draws = npt.NDArray[Any]
Distortion = Callable[[Draws, float], Draws]
"""Draws and the centre they are spread around ↦ draws of a wrong sampler."""


def none(draws: Draws, centre: float) -> Draws:
    """As drawn."""
    return draws


def wider(draws: Draws, centre: float) -> Draws:
    """Five per cent too wide."""
    return centre + 1.05 * (draws - centre)


def narrower(draws: Draws, centre: float) -> Draws:
    """Five per cent too narrow."""
    return centre + 0.95 * (draws - centre)


def one_in_eight_more(draws: Draws, centre: float) -> Draws:
    """On the lattice: one draw in eight a step further out, which widens as much as 5 % of the scale."""
    further = np.arange(draws.size) % 8 == 0
    return draws + np.where(further, np.where(draws >= centre, 1, -1), 0)


def repeated(draws: Draws, centre: float) -> Draws:
    """One draw in thirty left at the centre."""
    return np.where(np.arange(draws.size) % 30 == 0, centre, draws)


Laws = Mapping[str, tuple[Law, float, int]]
"""By name: a law, its centre (where its atom is, if it has one), and how many draws the standard profile takes."""


def check(experiment: Experiment, laws: Laws, distortion: Distortion) -> None:
    """Each law's draws at their own levels are uniform, and its atom is drawn as often as it weighs."""
    for case, (name, (law, centre, standard)) in enumerate(laws.items()):
        parts, ties, total = [], 0, 0
        for batch in batches(experiment, standard, case):
            draws = distortion(np.asarray(law.rvs(batch.rng, batch.size)), centre)
            parts.append(_levels(law, draws, batch.rng))
            ties, total = ties + int((draws == centre).sum()), total + batch.size
        uniform = np.concatenate(parts)
        weight = float(law.cdf(centre) - law.cdf_left(centre))
        p_values = [kolmogorov(uniform).p_value, scale_and_shape(uniform), binomial(ties, total, weight)]
        experiment.test(name, smallest_adjusted(p_values))


def _levels(law: Law, draws: Draws, rng: np.random.Generator) -> npt.NDArray[np.float64]:
    if draws.dtype.kind != "i":
        return levels(law, draws, rng)
    # On the lattice few points differ, and a distribution function is a sum: once for each point.
    points, where = np.unique(draws, return_inverse=True)
    below, up_to = np.asarray(law.cdf_left(points))[where], np.asarray(law.cdf(points))[where]
    return np.asarray(np.clip(below + rng.random(draws.shape) * (up_to - below), 0.0, 1.0))


BROWNIAN: Laws = {
    "marginal": (Brownian().marginal(2.5), 0.0, 240_000),
    "bridge": (Brownian().bridge(0.7, 2.5, -1.3), -1.3 * 0.7 / 2.5, 240_000),
    "forward": (Brownian().forward(0.7, 2.5, 1.1), 1.1, 240_000),
}
"""Times and starts without symmetry (none is 1, or twice another), where a wrong formula would show; counts for the
power stated below."""


@statistic(
    {"B06": supports, "E09": supports},
    rejects={"five per cent too wide": {"distortion": wider}, "five per cent too narrow": {"distortion": narrower}},
    share=0.03,
    tests=3,
)
def brownian_draws(experiment: Experiment, distortion: Distortion = none) -> None:
    """Brownian marginal, bridge and forward draws have their laws.

    240,000 draws a law; already a quarter of them see a scale wrong by 5 % with power 1 − 1e-6.
    """
    check(experiment, BROWNIAN, distortion)


LAPLACE: Laws = {
    "marginal": (Laplace().marginal(2.5), 0.0, 160_000),
    "bridge, given > 0": (Laplace().bridge(0.7, 2.5, 1.3), 1.3, 160_000),
    "bridge, given < 0": (Laplace().bridge(1.2, 2.0, -2.0), -2.0, 160_000),
    "forward": (Laplace().forward(0.7, 2.5, 1.1), 1.1, 160_000),
}
"""As above, on both sides of 0, where the bridge has different forms; each with the place of its atom."""


@statistic(
    {"N01": supports, "N05": supports},
    rejects={
        "five per cent too wide": {"distortion": wider},
        "five per cent too narrow": {"distortion": narrower},
        "one in thirty left at the centre": {"distortion": repeated},
    },
    share=0.03,
    tests=4,
)
def laplace_draws(experiment: Experiment, distortion: Distortion = none) -> None:
    """Laplace marginal, bridge and forward draws have their laws, atoms included.

    160,000 draws a law; already a quarter of them see a scale wrong by 5 %, or an atom by 0.03, with power 1 − 1e-6.
    """
    check(experiment, LAPLACE, distortion)


SKELLAM: Laws = {
    "marginal": (Skellam(1.5).marginal(2.0), 0.0, 160_000),
    "bridge, small counts": (Skellam(1.5).bridge(0.5, 2.0, 3), 1.0, 40_000),
    "bridge, large counts": (Skellam(1.5).bridge(15.0, 20.0, -9), -7.0, 160_000),
    "forward": (Skellam(1.5).forward(0.5, 2.0, -4), -4.0, 160_000),
}
"""As above, with small counts, where the lattice is coarse, and large ones."""


@statistic(
    {"N14": supports},
    rejects={
        "one in eight a step further out": {"distortion": one_in_eight_more},
        "one in thirty left at the centre": {"distortion": repeated},
    },
    share=0.03,
    tests=4,
)
def skellam_draws(experiment: Experiment, distortion: Distortion = none) -> None:
    """Skellam marginal, bridge and forward draws have their laws.

    160,000 draws a law (40,000 of the bridge at small counts); already a quarter of them see one draw in eight a step
    further out, or a scale wrong by 5 % (10 % for that bridge), with power 1 − 1e-6.
    """
    check(experiment, SKELLAM, distortion)
