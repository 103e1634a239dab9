"""A small decision tree that looks for outputs which betray more than was claimed: conditions on few columns.

A split is chosen by how fast a bet on the leaves would have grown (their divergence from what the claim allows), with a
little weight on how well they tell the data apart at all, so that a first split that wins nothing yet is found too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.claims.bins import Codes
from nrverify.auditing.claims.columns import Floats
from nrverify.auditing.claims.sample import Labels

DEPTH = 3
"""Conditions that lead to a leaf: eight leaves are learned from a few hundred runs."""
FEWEST = 16
"""Runs in a leaf: fewer say nothing."""
PRICE = 2.0
"""Nats that a split must win on the runs it is learned from: by chance, the best of some dozen splits wins as much."""
TELLING = 0.05
"""Weight of how well leaves tell the data apart beside what exceeds the claim."""


@dataclass(frozen=True)
class Leaf:
    """Where a path ends: how many runs of either label came there."""

    ones: float
    zeros: float


@dataclass(frozen=True)
class Split:
    """A condition: rows whose bin of a column is marked go left."""

    column: int
    marked: NDArray[np.bool_]
    left: Split | Leaf
    right: Split | Leaf


def growth(ones: Floats, zeros: Floats, claim: Floats | float) -> Floats:
    """Nats by which the best bet on the label beats a claim ε, for runs of which so many have each label."""
    total = np.maximum(ones + zeros, 1e-300)
    share = ones / total
    limit = 1.0 / (1.0 + np.exp(-np.asarray(claim)))
    nearest = np.clip(share, 1 - limit, limit)
    return np.asarray(_divergence(ones, total, share, nearest) + _divergence(zeros, total, 1 - share, 1 - nearest))


def _divergence(count: Floats, total: Floats, share: Floats, nearest: Floats) -> Floats:
    return np.asarray(count * np.log(np.maximum(share, 1e-300) / np.maximum(nearest, 1e-300)))


def _worth(ones: Floats, zeros: Floats, claim: Floats | float) -> Floats:
    return growth(ones, zeros, claim) + TELLING * growth(ones, zeros, 0.0)


def grown(
    codes: Sequence[Codes], bins: Sequence[int], ordered: Sequence[bool], label: Labels, claim: Floats
) -> Split | Leaf:
    """The tree of these rows; `bins` and `ordered` say how the columns are divided."""
    return _grown(codes, bins, ordered, label, claim, np.arange(label.size), DEPTH)


def _grown(
    codes: Sequence[Codes],
    bins: Sequence[int],
    ordered: Sequence[bool],
    label: Labels,
    claim: Floats,
    rows: NDArray[np.int64],
    depth: int,
) -> Split | Leaf:
    own = label[rows]
    ones = float(own.sum())
    leaf = Leaf(ones, rows.size - ones)
    if depth == 0 or rows.size < 2 * FEWEST:
        return leaf
    claims = claim[rows]
    best, chosen = float(_worth(np.array(ones), np.array(leaf.zeros), float(claims.mean()))) + PRICE, None
    for column, code in enumerate(codes):
        found = _best(code[rows], bins[column], ordered[column], own, claims)
        if found is not None and found[0] > best:
            best, chosen = found[0], (column, found[1])
    if chosen is None:
        return leaf
    column, marked = chosen
    goes = marked[codes[column][rows]]
    sides = [_grown(codes, bins, ordered, label, claim, rows[side], depth - 1) for side in (goes, ~goes)]
    return Split(column, marked, *sides)


def _best(
    code: Codes, bins: int, ordered: bool, label: Labels, claim: Floats
) -> tuple[float, NDArray[np.bool_]] | None:
    """The best division of the bins of a column in two: its worth, and which go left."""
    total = np.bincount(code, minlength=bins).astype(float)
    ones = np.bincount(code[label], minlength=bins).astype(float)
    claims = np.bincount(code, weights=claim, minlength=bins)
    order = np.arange(bins)
    if not ordered:
        order = np.argsort((ones + 0.5) / (total + 1.0), kind="stable")
    left, left_ones, left_claims = (part[order].cumsum()[:-1] for part in (total, ones, claims))
    right, right_ones, right_claims = total.sum() - left, ones.sum() - left_ones, claims.sum() - left_claims
    allowed = (left >= FEWEST) & (right >= FEWEST)
    if not allowed.any():
        return None
    mean_left, mean_right = left_claims / np.maximum(left, 1), right_claims / np.maximum(right, 1)
    worth = _worth(left_ones, left - left_ones, mean_left) + _worth(right_ones, right - right_ones, mean_right)
    place = int(np.argmax(np.where(allowed, worth, -np.inf)))
    marked = np.zeros(bins, dtype=bool)
    marked[order[: place + 1]] = True
    return float(worth[place]), marked


def counted(tree: Split | Leaf, codes: Sequence[Codes], size: int) -> tuple[Floats, Floats]:
    """How many runs of label 1 and of label 0 were in the leaf of each row."""
    ones, zeros = np.zeros(size), np.zeros(size)
    waiting: list[tuple[Split | Leaf, NDArray[np.int64]]] = [(tree, np.arange(size))]
    while waiting:
        node, rows = waiting.pop()
        if isinstance(node, Leaf):
            ones[rows], zeros[rows] = node.ones, node.zeros
        else:
            goes = node.marked[codes[node.column][rows]]
            waiting += [(node.left, rows[goes]), (node.right, rows[~goes])]
    return ones, zeros
