"""Plots of a boundary: its height over time, and where it is crossed."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from nrverify.auditing.boundary.brownian_enclosure import CrossingEnclosure
from nrverify.auditing.boundary.claim import BoundaryClaim
from nrverify.auditing.boundary.crossing import BoundaryCrossing
from nrverify.auditing.boundary.monotone import BoundaryMonotone
from nrverify.auditing.core.plots.data import Line, Lines, Plot

Floats = NDArray[np.float64]

MOST_POINTS = 240
"""Points of a line: more than a page can show."""
TANGENT = (
    "P(the loss has reached ψ by t) by the tangent approximation: exact for a linear boundary, close where crossing is "
    "rare. The verdict rests on the exact probability:"
)


def boundary_plots(
    scan: tuple[Floats, Floats], claim: BoundaryClaim, found: CrossingEnclosure | None, process: str
) -> dict[str, tuple[Plot, ...]]:
    """The boundary, for Brownian noise beside the least that one look alone allows, and the crossing by each time."""
    times, epsilon = (values[np.isfinite(scan[1])] for values in scan)
    if times.size < 2 or not 0 < claim.delta < 1:
        return {}
    mark = None if found is None else found.at
    known = "not known" if found is None else f"between {found.low:.4g} and {found.high:.4g}"
    lines = (_line("ψ", times, epsilon),)
    if process == "skellam":
        note = f"Crossed with a probability {known} over all times asked; δ = {claim.delta:g} is claimed."
        shown = Lines("The boundary", "time t", "ε", lines, note, mark)
        return {BoundaryCrossing.id: (shown,), BoundaryMonotone.id: (shown,)}
    note = f"Dotted: the least ε that a single look at t alone allows for δ = {claim.delta:g}."
    alone = _line("one look alone", times, _single_look(times, claim), dotted=True)
    curve = Lines("The boundary", "time t", "ε", (*lines, alone), note, mark)
    crossed = (_line("crossed by t", times, _crossed_by(times, epsilon, claim)),)
    goal = (f"δ = {claim.delta:g}", claim.delta)
    crossing = Lines("Crossing", "time t", "probability", crossed, f"{TANGENT} {known}.", mark, goal)
    return {BoundaryCrossing.id: (crossing, curve), BoundaryMonotone.id: (curve,)}


def _single_look(times: Floats, claim: BoundaryClaim) -> Floats:
    """Δ²/(2t) + z_δ Δ/√t: the loss at t is N(Δ²/(2t), Δ²/t)."""
    shift = claim.sensitivity / np.sqrt(times)
    return np.asarray(0.5 * shift**2 - float(ndtri(claim.delta)) * shift)


def _crossed_by(times: Floats, epsilon: Floats, claim: BoundaryClaim) -> Floats:
    """The tangent approximation of the probability that W reaches c(t) = tψ(t)/Δ − Δ/2 by t.

    By log t the density of the first passage is (c − tc')/√t·φ(c/√t), as if c went on as its tangent; for a line it is.
    """
    log_t, root = np.log(times), np.sqrt(times)
    curve = times * epsilon / claim.sensitivity - 0.5 * claim.sensitivity
    level = curve / root
    density = (
        np.maximum(level - np.gradient(curve, log_t) / root, 0.0) * np.exp(-0.5 * level**2) / math.sqrt(2 * math.pi)
    )
    steps = 0.5 * (density[1:] + density[:-1]) * np.diff(log_t)
    return np.minimum(np.concatenate([[0.0], np.cumsum(steps)]) + float(ndtr(-level[0])), 1.0)


def _line(name: str, times: Floats, values: Floats, dotted: bool = False) -> Line:
    every = max(1, times.size // MOST_POINTS)
    x, y = (tuple(float(value) for value in part[::every]) for part in (times, values))
    return Line(name, x, y, dotted)
