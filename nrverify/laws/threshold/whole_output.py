"""The hockey-stick divergence of the whole output of a threshold mechanism, by the probabilities of all its outputs.

With the threshold's noise drawn once, all outputs are integrated on the same nodes. An output is a first half and a
second half of its rounds, so the probabilities of all are products of two matrices.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from nrverify.laws.threshold.noises import NOISES, Noise
from nrverify.laws.threshold.panels import Array, Extended, gauss_rule

LARGEST_COUNT = 2**20
"""Outputs that can be summed: 20 rounds with any number of positives, or 80 rounds with 3."""
_POINTS = 16
"""A panel is at most five decay lengths, or a deviation of a normal law, wide: 16 nodes integrate it to rounding."""
_NODES, _WEIGHTS = gauss_rule(_POINTS)
_AT_ONCE = 2048
"""Nodes of a matrix product; bounds its memory."""
_SMALLEST = 1e-140
"""The product of two, with a weight, is still above 2e-308, the smallest normal number."""
_LARGEST_GRID = 2**20
"""Nodes: 512 matrix products of _AT_ONCE nodes, which bounds the time."""
_NORMALISATION = 1e-12
"""The probabilities of all outputs add up to 1 to this accuracy, or the panels are halved."""


def output_count(rounds: int, positives: int) -> int:
    """Bits up to the c-th 1: all with fewer than c ones, and those that end in the c-th."""
    return sum(math.comb(rounds, ones) for ones in range(min(positives, rounds + 1))) + math.comb(rounds, positives)


def all_probabilities(
    margins: Sequence[Extended], threshold_scale: np.longdouble, query_scale: np.longdouble, noise: str, positives: int
) -> list[Array]:
    """P of every output, in one order, for each of several sets of margins."""
    kind, rounds = NOISES[noise], len(margins[0])
    pieces = 1
    while True:
        nodes, weights = _grid(kind, np.concatenate(margins), rounds, threshold_scale, query_scale, pieces)
        with threadpool_limits(1, "blas"):  # the products are small: more threads only wait for each other
            laws = [_law(kind, own, query_scale, nodes, weights, positives) for own in margins]
        if all(abs(math.fsum(law.tolist()) - 1) <= _NORMALISATION for law in laws) or pieces >= 8:
            return laws
        pieces *= 2


def all_outputs(rounds: int, positives: int) -> NDArray[np.bool_]:
    """The bits (outputs, rounds) of every output in the order of `all_probabilities`; those after the halt are 0."""
    half, positives = rounds // 2, min(positives, rounds + 1)
    open_first, done_first = _half_bits(half, positives)
    parts = [np.pad(rows, ((0, 0), (0, rounds - half))) for rows in done_first]
    for ones, rows in enumerate(open_first):
        still, done = _half_bits(rounds - half, positives - ones)
        second = np.concatenate([*still, *done])
        parts.append(np.hstack([np.repeat(rows, len(second), axis=0), np.tile(second, (len(rows), 1))]))
    return np.concatenate(parts)


def probabilities_given(zero: Array, one: Array, weights: Array, positives: int) -> Array:
    """P of every output, in the order of `all_outputs`, by quadrature over what all rounds have in common.

    `zero` and `one` are the probabilities (rounds, nodes) of either bit at each node, `weights` those of the nodes.
    """
    blocks = _blocks(zero, one, weights, len(zero) // 2, min(positives, len(zero) + 1))
    return np.concatenate([block.reshape(-1) for block in blocks])


def threshold_nodes(noise: str, margins: Array, threshold_scale: float, query_scale: float) -> tuple[Array, Array]:
    """Nodes and weights of an expectation over the threshold's noise, fine enough for the product of all rounds."""
    exact = margins.astype(np.longdouble)
    b, c = np.longdouble(threshold_scale), np.longdouble(query_scale)
    nodes, weights = _grid(NOISES[noise], exact, len(margins), b, c, 1)
    return nodes.astype(np.float64), weights


def excess(own: Array, other: Array, epsilons: Array, rounding: float) -> Array:
    """Σ(P - e^ε P')₊ for each ε; losses above ε by less than `rounding` count as ε."""
    with np.errstate(divide="ignore", invalid="ignore"):
        losses = np.log(own) - np.log(other)
    return np.array([_excess(own, losses, epsilon, rounding) for epsilon in epsilons.tolist()])


def _excess(own: Array, losses: Array, epsilon: float, rounding: float) -> float:
    gained = losses - epsilon
    counted = (own > 0) & (gained > rounding)
    return math.fsum((own[counted] * -np.expm1(-gained[counted])).tolist())


def _grid(
    kind: Noise, margins: Extended, rounds: int, b: np.longdouble, c: np.longdouble, pieces: int
) -> tuple[Extended, Array]:
    """Nodes on the whole range of the threshold's noise, and the weights times its density.

    Panels are fine near the margins, where the query noise matters, and follow the threshold's noise elsewhere.
    """
    low, high = max(-kind.reach, kind.begins) * b, kind.reach * b
    centres = np.unique(margins)
    if kind.smooth:
        fine, coarse = min(c / np.sqrt(np.longdouble(rounds)), b), b
    else:
        fine, coarse = 5 / (rounds / c + 1 / b), 5 * b
    fine, coarse = fine / pieces, coarse / pieces
    near = np.concatenate([centres - kind.reach * c, centres, centres + kind.reach * c, [low, high, np.longdouble(0)]])
    edges = np.unique(np.clip(near, low, high))
    middles = (edges[:-1] + edges[1:]) / 2
    fine_here = (np.abs(middles[:, None] - centres) <= kind.reach * c).any(axis=1)
    counts = np.ceil(np.diff(edges) / np.where(fine_here, min(fine, coarse), coarse)).astype(np.int64)
    if counts.sum() * _POINTS > _LARGEST_GRID:
        raise ValueError(
            f"scales = ({float(b):g}, {float(c):g}) in units of the sensitivity over epsilon must not need more than "
            f"{_LARGEST_GRID} nodes for these utilities; take scales that are closer to each other"
        )
    starts = np.repeat(edges[:-1], counts)
    index = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    width = np.repeat(np.diff(edges) / counts, counts)
    half = width[:, None] / 2
    y = (starts + index * width)[:, None] + half * (1 + _NODES.astype(np.longdouble))
    with np.errstate(under="ignore"):
        density = np.exp(kind.log_density(y / b)) / b
    return y.reshape(-1), np.asarray((density * half * _WEIGHTS).reshape(-1), dtype=np.float64)


def _law(kind: Noise, margins: Extended, c: np.longdouble, nodes: Extended, weights: Array, positives: int) -> Array:
    """P of every output on the nodes: for each number k of ones in the first half, first halves times second halves."""
    rounds = len(margins)
    half = rounds // 2
    totals: list[Array] = []
    for begin in range(0, len(nodes), _AT_ONCE):
        part = slice(begin, begin + _AT_ONCE)
        x = (nodes[part] - margins[:, None]) / c
        with np.errstate(under="ignore", divide="ignore"):
            zero = np.exp(kind.log_cdf(x)).astype(np.float64)
            one = np.exp(kind.log_survival(x)).astype(np.float64)
        blocks = _blocks(zero, one, weights[part], half, positives)
        totals = blocks if not totals else [total + block for total, block in zip(totals, blocks, strict=True)]
    return np.concatenate([total.reshape(-1) for total in totals])


def _blocks(zero: Array, one: Array, weights: Array, half: int, positives: int) -> list[Array]:
    open_first, done_first = _halves(zero[:half], one[:half], positives)
    blocks = [rows @ weights for rows in done_first]
    for ones, rows in enumerate(open_first):
        still, done = _halves(zero[half:], one[half:], positives - ones)
        second = np.concatenate([*still, *done])
        blocks.append((rows * weights) @ second.T)
    return blocks


def _halves(zero: Array, one: Array, positives: int) -> tuple[list[Array], list[Array]]:
    """Products over these rounds: those with k < c ones for each k, and those that end in a c-th 1."""
    size = zero.shape[1]
    still = [np.ones((1, size))] + [np.empty((0, size)) for _ in range(positives - 1)]
    done = [np.empty((0, size))]
    with np.errstate(under="ignore"):
        for no, yes in zip(zero, one, strict=True):
            done.append(still[-1] * yes)
            still = [
                np.concatenate([rows * no, still[k - 1] * yes]) if k else rows * no for k, rows in enumerate(still)
            ]
    return [_normal(rows) for rows in still], [_normal(rows) for rows in done]


def _half_bits(rounds: int, positives: int) -> tuple[list[NDArray[np.bool_]], list[NDArray[np.bool_]]]:
    """The bits behind the products of `_halves`, in its order."""
    none = np.zeros((0, rounds), dtype=bool)
    still = [np.zeros((1, rounds), dtype=bool)] + [none for _ in range(positives - 1)]
    done = [none]
    for n in range(rounds):
        ahead = []
        for rows in still:
            ahead.append(rows.copy())
            ahead[-1][:, n] = True
        done.append(ahead[-1])
        still = [np.concatenate([rows, ahead[k - 1]]) if k else rows for k, rows in enumerate(still)]
    return still, done


def _normal(rows: Array) -> Array:
    """The products without those so small that a product of two would be subnormal, which is slow, and add nothing."""
    rows[rows < _SMALLEST] = 0.0
    return rows
