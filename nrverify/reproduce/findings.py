"""The findings of Section 6, each as an estimate with a 95 % interval and the verdict that follows from it.

E12 stays not checkable in the ledger: the paper's own figures and data are not part of it. What can be asked is whether
its sentences hold when the experiments are run again.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from nrverify.reproduce.data.files import Floats
from nrverify.reproduce.intervals import (
    Interval,
    difference_of_means,
    difference_of_medians,
    difference_of_ranges,
    median,
    tail_weight,
)
from nrverify.reproduce.result import DataKind, Observation, Verdict
from nrverify.reproduce.settings import ABOVE_THRESHOLD
from nrverify.reproduce.stopping import Stops

EXPONENTIAL_TAIL = math.log(50) / math.log(5)
"""Tail weight (q₉₉ − q₅₀)/(q₉₀ − q₅₀) of an exponential distribution: heavier tails lie above it."""


def verdict(interval: Interval, above: float = 0.0) -> Verdict:
    """Reproduced where the whole interval lies above the bound, not reproduced where it lies below, else undecided."""
    if interval.low > above:
        return "reproduced"
    if interval.high < above:
        return "not reproduced"
    return "undecided"


@dataclass(frozen=True)
class Experiment:
    """The task a finding is about, and the kind of its data."""

    task: str
    data: DataKind


def finding(
    id: str, place: Experiment, statement: str, measure: str, interval: Interval, above: float = 0.0, note: str = ""
) -> Observation:
    """A finding that holds where the measured number exceeds the bound."""
    return Observation(id, place.task, place.data, statement, measure, *interval, verdict(interval, above), note)


def gain_at_tuned(place: Experiment, level: float, brownian: Floats, laplace: Floats, useless: float) -> Observation:
    """Brownian loss below Laplace loss at the ε the boundary is tuned for; `useless` is the loss of the parameter 0."""
    interval = difference_of_means(laplace, brownian)
    note = ""
    if min(float(np.mean(brownian)), float(np.mean(laplace))) > useless:
        note = f"at this ε both averages are above {useless:.3g}, the loss of the parameter 0: neither is of use"
    return finding(
        "F1",
        place,
        "Near the ε it is tuned for, the Brownian mechanism has clearly the smaller loss.",
        f"mean loss at ε = {level:.3g}: Laplace − Brownian",
        interval,
        note=note,
    )


def smaller_median(place: Experiment, brownian: Floats, laplace: Floats) -> Observation:
    """Median privacy loss at the stop, public data: Laplace minus Brownian."""
    return finding(
        "F2",
        place,
        "The median privacy loss of the Brownian mechanism is the smaller one.",
        "median ε at the stop: Laplace − Brownian",
        difference_of_medians(laplace, brownian),
    )


def tighter(place: Experiment, brownian: Floats, laplace: Floats) -> Observation:
    """Interquartile range at the stop, public data: Laplace minus Brownian."""
    return finding(
        "F3",
        place,
        "The privacy loss of the Brownian mechanism is more tightly concentrated.",
        "interquartile range of ε at the stop: Laplace − Brownian",
        difference_of_ranges(laplace, brownian, 0.25, 0.75),
    )


def longer_tail(place: Experiment, brownian: Floats, laplace: Floats) -> Observation:
    """Upper tail q₉₅ − q₅₀ at the stop, public data: Laplace minus Brownian."""
    return finding(
        "F4",
        place,
        "Laplace noise reduction has the longer upper tail: many runs pay much before they reach the target.",
        "q95 − median of ε at the stop: Laplace − Brownian",
        difference_of_ranges(laplace, brownian, 0.5, 0.95),
    )


def heavy_tail(place: Experiment, laplace: Floats) -> Observation:
    """Tail weight of the Laplace stops against that of an exponential distribution."""
    return finding(
        "F5",
        place,
        "The privacy loss of Laplace noise reduction has a heavy tail (read strictly: heavier than exponential).",
        f"(q99 − median)/(q90 − median) of Laplace; exponential {EXPONENTIAL_TAIL:.2f}, normal 1.82",
        tail_weight(laplace),
        above=EXPONENTIAL_TAIL,
    )


def reduced_below_above(place: Experiment, above: Stops, reduced: Stops) -> Observation:
    """Median total with the Brownian mechanism: AboveThreshold minus ReducedAboveThreshold."""
    target_losses = [float(np.median(stops.losses)) for stops in (reduced, above)]
    return finding(
        "F6",
        place,
        "With the Brownian mechanism, ReducedAboveThreshold has the smaller median total than AboveThreshold.",
        "median total ε, Brownian: AboveThreshold − ReducedAboveThreshold",
        difference_of_medians(above.spent, reduced.spent),
        note=f"part of it is an earlier stop: median true loss {target_losses[0]:.4f} against {target_losses[1]:.4f}",
    )


def reduced_varies_more(place: Experiment, above: Stops, reduced: Stops) -> Observation:
    """Interquartile range of the total with the Brownian mechanism: ReducedAboveThreshold minus AboveThreshold.

    A few runs in which AboveThreshold drew an unlucky threshold stop very late; the variance says little else.
    """
    return finding(
        "F7",
        place,
        "ReducedAboveThreshold spreads the total more widely than AboveThreshold.",
        "interquartile range of total ε, Brownian: ReducedAboveThreshold − AboveThreshold",
        difference_of_ranges(reduced.spent, above.spent, 0.25, 0.75),
        note="the paper speaks of variance, which here is that of the few runs that stop very late",
    )


def above_dominates(place: Experiment, above: Stops) -> Observation:
    """The share of AboveThreshold's fixed ε in the total of the Brownian mechanism."""
    return finding(
        "F8",
        place,
        "AboveThreshold contributes the bulk of the total.",
        "median share of ε = 0.5 in the total, Brownian",
        median(ABOVE_THRESHOLD / above.spent),
        above=0.5,
    )
