"""Every function that has vectors, by family."""

from __future__ import annotations

from nrverify.vectors import threshold, threshold_utility
from nrverify.vectors.boundary import crossing, grid, half_normal, linear, mixture, weighted_grid
from nrverify.vectors.boundary import skellam as skellam_boundary
from nrverify.vectors.case import Function
from nrverify.vectors.noise import bridge_brownian, bridge_laplace, discrete_gaussian, discrete_laplace, loss, skellam

FUNCTIONS: tuple[Function, ...] = (
    loss.BROWNIAN,
    loss.LAPLACE,
    loss.SKELLAM,
    linear.BOUNDARY,
    linear.INVERSE,
    linear.TIGHTEST,
    mixture.BOUNDARY,
    mixture.INVERSE,
    mixture.TIGHTEST,
    half_normal.BOUNDARY,
    half_normal.INVERSE,
    half_normal.TIGHTEST,
    grid.BOUNDARY,
    grid.TIGHTEST,
    weighted_grid.GRID,
    skellam_boundary.BOUNDARY,
    skellam_boundary.INVERSE,
    skellam_boundary.TIGHTEST,
    bridge_brownian.MOMENTS,
    bridge_brownian.CDF,
    bridge_laplace.TIE,
    bridge_laplace.ATOM,
    bridge_laplace.CDF,
    bridge_laplace.MOMENTS,
    skellam.MARGINAL,
    skellam.BRIDGE,
    skellam.MOMENTS,
    discrete_laplace.MARGINAL,
    discrete_laplace.BRIDGE,
    discrete_laplace.LOSS,
    discrete_laplace.DIVERGENCE,
    discrete_gaussian.MARGINAL,
    discrete_gaussian.LOSS,
    discrete_gaussian.DIVERGENCE,
    threshold.PROBABILITY,
    threshold.LOSS,
    threshold.WORST,
    threshold_utility.TAIL,
    threshold_utility.MARGIN,
    crossing.LINE,
    crossing.GRID,
    crossing.HALF_NORMAL,
    crossing.MIXTURE,
)
