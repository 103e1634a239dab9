"""Information limits of law-free audits: how fast the best bet grows that knows both laws and the pair.

Laws are given as the masses of fine bins; no bet on the label, learned or not, needs fewer runs than log(1/α) over the
growth rate, on average.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import ndtr

Floats = NDArray[np.float64]
Laws = tuple[Floats, Floats, Floats]
"""Masses under either data, and the ε claimed of each output."""


def growth(laws: Laws, delta: float = 0.0, coin: bool = True) -> float:
    """Nats a run of the log-optimal bet on the label: for δ > 0 of the best stakes below one cap.

    `coin` allows a stake on the label whatever the output is, which wins nothing on average and takes back some of the
    variance where outputs betray one label more than the other.
    """
    if delta == 0:
        return _over_coin(laws, np.inf, coin)
    best = minimize_scalar(
        lambda cap: np.log1p(delta * cap) - _over_coin(laws, cap, coin),
        bounds=(0.0, float(np.exp(-laws[2].min()))),
        method="bounded",
    )
    return float(-best.fun)


def _over_coin(laws: Laws, cap: float, coin: bool) -> float:
    """The largest growth over stakes on the label alone."""
    if not coin:
        return _growth(laws, cap, 0.0)
    best = minimize_scalar(lambda stake: -_growth(laws, cap, stake), bounds=(-0.5, 0.5), method="bounded")
    return float(max(-best.fun, _growth(laws, cap, 0.0)))


def _growth(laws: Laws, cap: float, coin: float) -> float:
    """Nats won with so much staked on label 0 whatever the output is; no stake loses everything."""
    zero, one, claim = laws
    gain = np.log1p(coin) * zero + np.log1p(-coin) * one
    for own, other, sign in ((one, zero, -1.0), (zero, one, 1.0)):
        odds, kept = np.exp(claim), 1 + sign * coin
        with np.errstate(divide="ignore", invalid="ignore"):
            # Where own/(kept + stake) = other·odds/(2 − kept − odds·stake), the two derivatives.
            stake = (own * (2 - kept) - other * odds * kept) / (odds * (own + other))
        stake = np.clip(np.nan_to_num(stake), 0.0, np.minimum(cap, (1 - 1e-12) * (2 - kept) / odds))
        won = own * np.log(kept + stake) + other * np.log(2 - kept - stake * odds)
        gain = np.where(stake > 0, won, gain)
    return float(0.5 * gain.sum())


def laplace_masses(edges: Floats, centre: float, scale: float) -> Floats:
    """Masses of Laplace noise between edges, the outermost included."""
    z = (edges - centre) / scale
    below = np.where(z < 0, 0.5 * np.exp(np.minimum(z, 0)), 1 - 0.5 * np.exp(-np.maximum(z, 0)))
    return np.asarray(np.diff(np.concatenate([[0.0], below, [1.0]])))


def laplace(scale: float) -> Laws:
    """A count 0 or 1 with Laplace noise, ε = 1 claimed."""
    edges = np.linspace(-15, 16, 3101)
    zero, one = (laplace_masses(edges, centre, scale) for centre in (0.0, 1.0))
    return zero, one, np.ones(zero.size)


def gaussian(deviation: float) -> Laws:
    """A sum 0 or 1 with Gaussian noise, ε = 1 claimed."""
    edges = np.linspace(-12, 13, 5001)
    zero, one = (np.diff(np.concatenate([[0.0], ndtr((edges - c) / deviation), [1.0]])) for c in (0.0, 1.0))
    return zero, one, np.ones(zero.size)


def noisy_max(pair: tuple[list[int], list[int]], scale: float) -> Laws:
    """The place of the largest score with Laplace noise, ε = 1 claimed; by quadrature over its value."""
    grid = np.linspace(-40, 41, 40_001)

    def masses(scores: list[int]) -> Floats:
        bins = [np.diff(laplace_masses(grid, score, scale).cumsum()[:-1], prepend=0.0) for score in scores]
        below = [laplace_masses(grid, score, scale).cumsum()[:-1] for score in scores]
        chosen = [
            (bin * np.prod([other for place, other in enumerate(below) if place != own], axis=0)).sum()
            for own, bin in enumerate(bins)
        ]
        return np.array(chosen, dtype=float) / float(np.sum(chosen))

    zero, one = (masses(side) for side in pair)
    return zero, one, np.ones(zero.size)


def sparse_vector(pair: tuple[list[int], list[int]], threshold: float, query: float) -> Laws:
    """The round of the first answer above a threshold 0, both with Laplace noise, ε = 1 claimed."""
    grid = np.linspace(-60, 60, 60_001)
    weights = laplace_masses(grid, 0.0, threshold)[1:]

    def masses(answers: list[int]) -> Floats:
        below = [laplace_masses(grid, answer, query).cumsum()[:-1] for answer in answers]
        left = np.cumprod(below, axis=0)
        halts = [(weights * (left[place - 1] if place else 1.0) * (1 - here)).sum() for place, here in enumerate(below)]
        return np.array([*halts, (weights * left[-1]).sum()])

    zero, one = (masses(side) for side in pair)
    return zero, one, np.ones(zero.size)


def two_looks(both: float) -> Laws:
    """A look of scale 2, and one of scale 1 if the first is within 3 of 0; 0.5 or `both` is claimed."""
    edges = np.linspace(-12, 13, 626)
    sides = []
    for centre in (0.0, 1.0):
        first, second = (laplace_masses(edges, centre, scale) for scale in (2.0, 1.0))
        middle = np.concatenate([[-13.0], (edges[1:] + edges[:-1]) / 2, [14.0]])
        near = np.abs(middle) < 3
        sides.append(np.concatenate([first[~near], np.outer(first[near], second).ravel()]))
    charges = np.concatenate([np.full((~near).sum(), 0.5), np.full(near.sum() * second.size, both)])
    return sides[0], sides[1], charges
