"""The law of the output of a threshold mechanism with other noise or several positives, right and under named faults.

The threshold's noise is drawn once, so that given it the rounds are independent: one quadrature over it gives the
probabilities of all outputs. The claimed law is known to about 1e-12; a fault's law need only be a law.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr
from threadpoolctl import threadpool_limits

from nrverify.auditing.threshold.designs import USUAL, Design
from nrverify.auditing.threshold.outputs import Outputs, ones_of, outputs
from nrverify.laws.threshold.whole_output import probabilities_given, threshold_nodes

Floats = NDArray[np.float64]
Bits = tuple[Floats, Floats]
"""The probabilities (rounds, nodes) of a 0 and of a 1."""

AT_ONCE = 4096
"""Nodes of one product of matrices: bounds its memory."""
DEVIATION = {"laplace": math.sqrt(2), "exponential": 1.0, "gaussian": 1.0}
"""Standard deviations of noise of scale 1."""


def _laplace(x: Floats) -> Bits:
    tail = 0.5 * np.exp(-np.abs(x))
    return np.where(x < 0, tail, 1 - tail), np.where(x < 0, 1 - tail, tail)


def _exponential(x: Floats) -> Bits:
    tail = np.exp(-np.maximum(x, 0))
    return -np.expm1(-np.maximum(x, 0)), tail


def _normal(x: Floats) -> Bits:
    return ndtr(x), ndtr(-x)


def _nothing(x: Floats) -> Bits:
    return (x > 0).astype(np.float64), (x <= 0).astype(np.float64)


QUERIES: dict[str, Callable[[Floats], Bits]] = {
    "laplace": _laplace,
    "exponential": _exponential,
    "gaussian": _normal,
    "none": _nothing,
}
"""P(noise < x) and P(noise ≥ x), by the kind of noise."""


@dataclass(frozen=True)
class Case:
    """A design in units of its sensitivity: margins, the scales of both noises, and the outputs it may have."""

    margins: Floats
    threshold_scale: float
    query_scale: float
    noise: str
    outputs: Outputs

    def law(
        self,
        threshold: float = 1.0,
        query: float = 1.0,
        noise: str | None = None,
        query_noise: str | None = None,
        margins: Floats | None = None,
        reversed: bool = False,
        sign: int = 1,
    ) -> Floats:
        """The law of the output with both scales multiplied, another noise, other margins, or reversed comparisons."""
        own, kind = self.margins if margins is None else margins, noise or self.noise
        a, b = threshold * self.threshold_scale, query * self.query_scale
        nodes, weights = threshold_nodes(kind, sign * own, a, b)
        bits_at = QUERIES[query_noise or kind]
        total = np.zeros(self.outputs.size)
        for begin in range(0, nodes.size, AT_ONCE):
            part = slice(begin, begin + AT_ONCE)
            zero, one = bits_at((sign * nodes[part] - own[:, None]) / b)
            if reversed:
                zero, one = one, zero
            total += probabilities_given(zero, one, weights[part], self.outputs.positives)
        return self.by_bin(total)

    def at_threshold(self, query_noise: str) -> Floats:
        """Without noise of the threshold."""
        zero, one = QUERIES[query_noise](-self.margins[:, None] / self.query_scale)
        return self.by_bin(probabilities_given(zero, one, np.ones(1), self.outputs.positives))

    def by_bin(self, law: Floats) -> Floats:
        """A law in the order of its quadrature, by bins."""
        found = np.empty_like(law)
        found[self.outputs.order] = law
        return found

    def stretches(self) -> tuple[Floats, Floats]:
        """With threshold noise drawn anew before round i: P(zeros up to round j, then a 1), and P(zeros to the end)."""
        nodes, weights = threshold_nodes(self.noise, self.margins, self.threshold_scale, self.query_scale)
        zero, one = QUERIES[self.noise]((nodes - self.margins[:, None]) / self.query_scale)
        rounds = len(self.margins)
        first, never = np.zeros((rounds + 1, rounds)), np.ones(rounds + 1)
        for start in range(rounds):
            silent = np.cumprod(zero[start:], axis=0)
            before = np.vstack([np.ones_like(weights), silent[:-1]])
            first[start, start:] = (before * one[start:]) @ weights
            never[start] = silent[-1] @ weights
        return first, never


def case_of(design: Design) -> Case:
    """The design in units of its sensitivity."""
    a, b = (scale / design.epsilons[0] for scale in design.variant.scales)
    margins = (np.array(design.utilities) - design.threshold) / design.sensitivity
    return Case(margins, a, b, design.variant.noise, outputs(design.rounds, design.positives))


@lru_cache(maxsize=256)
def output_law(design: Design) -> Floats:
    """The claimed probabilities of all outputs, by bins."""
    with threadpool_limits(1, "blas"):  # the products are small: more threads only wait for each other
        return case_of(design).law()


def faulty_output_laws(design: Design) -> dict[str, Floats]:
    """The law of the output under each named fault that can show in this design."""
    with threadpool_limits(1, "blas"):
        return _faulty_output_laws(design)


def _faulty_output_laws(design: Design) -> dict[str, Floats]:
    case, (a, b) = case_of(design), design.variant.scales
    margins, c = case.margins, design.positives
    laws = {
        "query-noise-halved": case.law(query=0.5),
        "query-noise-doubled": case.law(query=2.0),
        "query-deviation-for-scale": case.law(query=1 / math.sqrt(2)),
        "no-query-noise": case.law(query_noise="none"),
        "no-noise-at-all": case.at_threshold("none"),
        "threshold-noise-halved": case.law(threshold=0.5),
        "threshold-noise-doubled": case.law(threshold=2.0),
        "no-threshold-noise": case.at_threshold(case.noise),
        "both-noises-halved": case.law(threshold=0.5, query=0.5),
        "both-noises-doubled": case.law(threshold=2.0, query=2.0),
        "noises-exchanged": case.law(threshold=b / a, query=a / b),
        "threshold-noise-redrawn": _redrawn(case),
        "query-noise-drawn-once": _drawn_once(case),
        "comparison-reversed": case.law(reversed=True),
        "utility-one-round-late": case.law(margins=np.append(margins[0], margins[:-1])),
        "utility-one-round-early": case.law(margins=np.append(margins[1:], margins[-1])),
    }
    if design.variant.scales != USUAL.scales:
        laws["scales-not-used"] = case.law(threshold=USUAL.scales[0] / a, query=USUAL.scales[1] / b)
    if design.sensitivity != 1:
        laws["sensitivity-ignored"] = case.law(1 / design.sensitivity, 1 / design.sensitivity)
    if design.threshold != 0:
        laws["threshold-ignored"] = case.law(margins=np.array(design.utilities) / design.sensitivity)
    if c > 1:
        laws |= {
            "budget-not-divided": case.law(threshold=1 / c, query=1 / c),
            "query-budget-not-divided": case.law(query=1 / c),
            "threshold-noise-redrawn-after-positive": _redrawn_after_ones(case, c),
            "halts-at-first-positive": _redrawn_after_ones(case, 1),
        }
    else:
        claimed = output_law(design)
        laws["rounds-counted-from-0"] = np.append(claimed[1:-1], [0.0, claimed[0] + claimed[-1]])
    return laws | _other_noises(case)


def _other_noises(case: Case) -> dict[str, Floats]:
    """Noise of another kind: of the same scale for Laplace and exponential noise, else of the same deviation."""
    laws = {}
    deviation = DEVIATION[case.noise]
    if case.noise != "laplace":
        laws["noise-not-used"] = case.law(noise="laplace")
    if case.noise != "exponential":
        laws["exponential-noise"] = case.law(noise="exponential")
    if case.noise != "gaussian":
        laws["normal-noise"] = case.law(deviation, deviation, noise="gaussian")
        laws["normal-query-noise"] = case.law(query=deviation, query_noise="gaussian")
    if case.noise == "exponential":
        laws["threshold-noise-subtracted"] = case.law(sign=-1)
    return laws


def _redrawn(case: Case) -> Floats:
    """Rounds are independent."""
    nodes, weights = threshold_nodes(case.noise, case.margins, case.threshold_scale, case.query_scale)
    zero, one = QUERIES[case.noise]((nodes - case.margins[:, None]) / case.query_scale)
    bits = [(bit @ weights)[:, None] for bit in (zero, one)]
    return case.by_bin(probabilities_given(bits[0], bits[1], np.ones(1), case.outputs.positives))


def _drawn_once(case: Case) -> Floats:
    """One query noise for all rounds: a 1 wherever the margin is at least ζ − ξ, whose law is one quadrature."""
    levels = np.unique(case.margins)
    nodes, weights = threshold_nodes(case.noise, case.margins, case.threshold_scale, case.query_scale)
    at_most = QUERIES[case.noise]((nodes - levels[:, None]) / case.query_scale)[1] @ weights
    shares = np.diff(np.concatenate([[0.0], at_most, [1.0]]))
    bits = np.array([case.margins >= level for level in [*levels, np.inf]])
    bins = case.outputs.bins(ones_of(bits, min(case.outputs.positives, bits.shape[1])))
    return np.asarray(np.bincount(bins, weights=shares, minlength=case.outputs.size), dtype=np.float64)


def _redrawn_after_ones(case: Case, most: int) -> Floats:
    """Stretches between ones are independent; with `most` = 1 the first 1 is the last."""
    first, never = case.stretches()
    bits, rounds = case.outputs.bits, len(case.margins)
    ones = ones_of(bits, min(case.outputs.positives, rounds))
    law, start = np.ones(case.outputs.size), np.zeros(case.outputs.size, dtype=np.int64)
    for column in ones.T:
        here = column > 0
        law[here] *= first[start[here], column[here] - 1]
        start[here] = column[here]
    how_many = (ones > 0).sum(axis=1)
    going_on = how_many < case.outputs.positives if most > 1 else how_many == 0
    law[going_on] *= never[start[going_on]]
    return np.where(how_many <= most, law, 0.0) if most == 1 else law
