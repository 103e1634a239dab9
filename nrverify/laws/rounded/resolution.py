"""How many panels a cell needs: they grow with the grid against the noise of the steps before and after a release."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from nrverify.laws.brownian import Brownian
from nrverify.laws.laplace import Laplace
from nrverify.laws.rounded.cells import POINTS, Resolution
from nrverify.laws.rounded.transcripts import Transcript

_MOST_NODES = 4096
"""Of a cell: transitions between two cells are matrices of nodes by nodes, 128 MB at this size."""
_NATS = 6.0
"""Largest change of a logarithm on a panel; sixteen nodes integrate e^{±3x} to rounding."""
_FEW_POINTS = 8
"""Enough where a cell is a fifth of a deviation or less."""


def growing_resolutions(transcript: Transcript) -> Iterator[list[Resolution]]:
    """Twice as many panels each time, the same at every look."""
    panels = 2
    while panels * POINTS <= _MOST_NODES:
        yield [Resolution(panels, POINTS, at_zero=True)] * len(transcript.times)
        panels *= 2


def known_resolutions(process: Any, transcript: Transcript) -> list[Resolution] | None:
    """The panels of a cell, for each look, of the processes whose densities are known; None for another."""
    if not isinstance(process, (Brownian, Laplace)):
        return None
    resolutions = _laplace(transcript) if isinstance(process, Laplace) else _gaussian(transcript)
    most = max(resolution.nodes for resolution in resolutions)
    if most > _MOST_NODES:
        raise ValueError(
            f"granularity is {transcript.granularity:g}: it must not need more than {_MOST_NODES} nodes in a cell, but "
            f"it needs {most} at times = {transcript.times}; take a finer grid, or times less close together"
        )
    return resolutions


def _laplace(transcript: Transcript) -> list[Resolution]:
    """Rates of decay are at most 2/t at the last time: panels no wider than that time, the same at every look."""
    pieces = max(1, math.ceil(transcript.granularity / min(transcript.times)))
    return [Resolution(2 * pieces, POINTS, at_zero=True)] * len(transcript.times)


def _gaussian(transcript: Transcript) -> list[Resolution]:
    """Panels of one deviation and of few nats, by the steps before and after together."""
    times, g = transcript.times, transcript.granularity
    x = g * transcript.cells - transcript.values[:, None]
    # Jumps count from the nearest point of a cell: only beyond it is the density steep on all of the cell.
    steps = [(times[0], max(0.0, float(np.abs(x[:, 0]).max()) - g / 2))]
    for look in range(1, len(times)):
        s, t = times[look], times[look - 1]
        jump = float(np.abs(x[:, look] - x[:, look - 1] * (s / t)).max())
        steps.append((s * ((t - s) / t), max(0.0, jump - 0.5 * g * (1 + s / t))))
    needs = [_deviations(g, *step) for step in steps]
    ratios = [later / earlier for earlier, later in pairwise(times)]
    after = [_deviations(g * ratio, *step) for ratio, step in zip(ratios, steps[1:], strict=True)]
    both = [need + following for need, following in zip(needs, [*after, 0.0], strict=True)]
    for look in range(len(times) - 2, -1, -1):  # a repeated time keeps the cell, and what the next step needs of it
        if times[look] == times[look + 1]:
            both[look] = max(both[look], both[look + 1])
    return [_resolution(need) for need in both]


def _deviations(g: float, variance: float, jump: float) -> float:
    """The cell in deviations of the step, or in units of 6 nats if that is more; 0 for no step at all."""
    return max(g / math.sqrt(variance), jump * (g / variance) / _NATS) if variance > 0 else 0.0


def _resolution(deviations: float) -> Resolution:
    if deviations <= 0.2:
        return Resolution(1, _FEW_POINTS, at_zero=False)
    return Resolution(math.ceil(min(deviations, 1e9)), POINTS, at_zero=False)
