"""Batches of private stopping made here with numpy alone: neither a host nor a reference mechanism is asked."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np

from nrverify.auditing.core.transforms.rosenblatt import innovations
from nrverify.auditing.private_stopping.designs import StoppingDesign, stopping_pair
from nrverify.auditing.private_stopping.drawing import LabelledStopped, Stopped
from nrverify.laws.brownian import Brownian
from nrverify.subjects.stopping_utilities import Levels

DESIGN = StoppingDesign(
    "a design", (0.0,), (8.0, 4.0, 2.0, 2.0), (0.4, 0.8, 1.6, 1.6), Levels((0.0,), (-6.0, 1.0)), 0.0, 1.0
)
THREE = replace(DESIGN, name="three coordinates", value=(40.0, 40.0, 40.0), utility=Levels((40.0,), (-6.0, 1.0)))
PAIR = stopping_pair(DESIGN, 1.0)


def bridged(schedule, shape, rng):
    """A Brownian motion at falling times, by its increments from the smallest time up: (n, k, d)."""
    times = np.sort(np.unique(schedule))
    steps = rng.standard_normal((shape[0], times.size, shape[1])) * np.sqrt(np.diff(times, prepend=0.0))[:, None]
    path = steps.cumsum(axis=1)
    return path[:, np.searchsorted(times, schedule)]


def fresh(schedule, shape, rng):
    """Noise drawn afresh at each different time."""
    times = np.sort(np.unique(schedule))
    path = rng.standard_normal((shape[0], times.size, shape[1])) * np.sqrt(times)[:, None]
    return path[:, np.searchsorted(times, schedule)]


def laplace_reduced(scales, runs, rng):
    """A Laplace process at falling scales: it stays with probability (s/t)², else it is drawn by the reverse kernel.

    Forwards in the scale: from s up to t the noise jumps by Lap(t) with probability 1 − (s/t)².
    """
    rising = np.sort(np.unique(scales))
    found = [rng.laplace(scale=rising[0], size=runs)]
    for s, t in pairwise(rising):
        jumps = rng.random(runs) > (s / t) ** 2
        found.append(found[-1] + np.where(jumps, rng.laplace(scale=t, size=runs), 0.0))
    return np.stack(found, axis=1)[:, np.searchsorted(rising, scales)]


def stopped(design=DESIGN, runs=4000, seed=1, noise=bridged, query=None, epsilons=None, judged=None):
    """Runs of the mechanism: Laplace noise 2/ε for the threshold and 4/ε for the utilities, in units of sensitivity."""
    rng = np.random.default_rng(seed)
    path = noise(design.schedule, (runs, len(design.value)), rng)
    releases = design.array + path
    charged = np.array(epsilons or design.epsilons)
    threshold = laplace_reduced(2 / charged, runs, rng)
    queries = rng.laplace(size=(runs, charged.size)) if query is None else query(path, design.schedule)
    utility = design.utility.of(releases if judged is None else judged(releases, design))
    above = utility + design.utility_sensitivity * 4 / charged * queries
    bits = above >= design.threshold + design.utility_sensitivity * threshold
    bins = np.where(bits.any(axis=1), bits.argmax(axis=1), charged.size)
    shown = np.arange(charged.size) < np.minimum(bins + 1, charged.size)[:, None]
    return scored(Stopped(design, np.where(shown[:, :, None], releases, np.nan), bins), rng)


def scored(runs, rng):
    """With the innovations of the releases."""
    scale = np.abs(np.nan_to_num(runs.releases)) + np.abs(runs.design.array)
    found = innovations(Brownian(), runs.releases - runs.design.array, runs.times, scale, rng, integer=False)
    return replace(runs, innovations=found)


def labelled(pair=PAIR, runs=4000, seed=2, **options):
    """Runs of two neighbours by a fair coin."""
    rng = np.random.default_rng(seed)
    label = rng.random(runs) < 0.5
    sides = [
        stopped(design, runs, seed + 10 + side, **options) for side, design in enumerate((pair.neighbour, pair.design))
    ]
    releases = np.where(label[:, None, None], sides[1].releases, sides[0].releases)
    return LabelledStopped(pair, releases, np.where(label, sides[1].bins, sides[0].bins), label)
