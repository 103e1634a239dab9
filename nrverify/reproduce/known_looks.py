"""What calibrating to known looks gains on the paper's experiments: the ε paid at the stop, under six boundaries.

Ours alone. Where a run stops is a matter of its noise; what it pays there is the boundary's. So the runs of one
experiment, at looks that are known in advance, are priced by every boundary. The weights of the last boundary come from
the first half of the runs, every price from the second: weights must not be chosen by the run that they price.

`python -m nrverify.reproduce.known_looks DATA_FOLDER [TRIALS]` writes the table as Markdown to standard output.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from nrverify.laws.boundary import Grid, HalfNormalMixture, Linear, Mixture
from nrverify.reproduce.corrected import plans
from nrverify.reproduce.data.files import Floats
from nrverify.reproduce.data.sources import load
from nrverify.reproduce.settings import DELTA, TUNED, ReproductionSettings
from nrverify.reproduce.setup import TITLES, Setup, TaskName, setup
from nrverify.reproduce.stopping import stops
from nrverify.reproduce.trials import run

PER_DOUBLING = 4
"""Looks to a doubling of ε: 21 in all, as many as a user would plan."""
UNSEEN = 0.5
"""Counted at every look before the runs: a look at which none stopped keeps a little weight."""
Indices = npt.NDArray[np.integer[Any]]
TASKS: tuple[TaskName, ...] = ("logistic", "ridge")


@dataclass(frozen=True)
class Priced:
    """A boundary and the mean ε that runs pay at their stop, alone and over the bound that no boundary can beat."""

    boundary: str
    mean: float
    over_single_look: float


def priced(times: Floats, chosen_by: Indices, stopped_at: Indices) -> list[Priced]:
    """Mean bounds (Δ = 1) at the looks where runs stopped, given the looks' times and indices of looks.

    `chosen_by` are the stops that the weights are taken from. A single look's quantile, Δ²/2t + Δ·Q⁻¹(δ)/√t, is below
    every boundary that is valid at that look, whatever the others.
    """
    counts = np.bincount(chosen_by, minlength=times.size) + UNSEEN
    tuned: dict[str, Callable[[Any], Any]] = {
        name: family.tightest_at(epsilon=TUNED, delta=DELTA, sensitivity=1.0)
        for name, family in (("linear", Linear), ("mixture", Mixture), ("half-normal mixture", HalfNormalMixture))
    }
    tuned["calibrated to the looks"] = Grid(times, DELTA, 1.0)
    tuned["… with weights"] = Grid(times, DELTA, 1.0, weights=counts)
    at_stop = times[stopped_at]
    single = float(np.mean(1 / (2 * at_stop) - ndtri(DELTA) / np.sqrt(at_stop)))
    means = {name: float(np.mean(psi(at_stop))) for name, psi in tuned.items()} | {"a single look": single}
    return [Priced(name, mean, mean / single) for name, mean in means.items()]


def of_task(chosen: Setup, task: TaskName) -> tuple[list[Priced], int, int]:
    """The prices on one task, how many runs were priced, and how many of all runs reached the target."""
    (plan,) = (one for one in plans(chosen, task) if one.name == f"{task}/half-normal/brownian")
    outcome = run([plan], chosen.settings.seed)[plan.name]
    spent = stops(outcome, "public", chosen.settings.seed, plan.name).spent
    index = np.searchsorted(outcome.levels, spent[np.isfinite(spent)] * (1 - 1e-12))
    # Times fall as levels rise; in units of the sensitivity, which the boundaries above have as 1.
    unit = HalfNormalMixture.tightest_at(epsilon=TUNED, delta=DELTA, sensitivity=1.0)
    times = np.asarray(unit.inverse(np.array(plan.levels)))
    half = len(index) // 2
    return priced(times, index[:half], index[half:]), len(index) - half, len(index)


def markdown(folder: Path | None, trials: int) -> str:
    """The table of both tasks."""
    settings = ReproductionSettings(trials=trials, per_doubling=PER_DOUBLING)
    chosen = setup(settings, load(folder, frozenset(TASKS), settings, None))
    lines = [
        "# Boundaries for known looks",
        "",
        "The mean ε that runs of the paper’s experiments pay at their stop (public data, δ = 10⁻⁶, "
        f"{PER_DOUBLING} looks to a doubling of ε, boundaries tuned at {TUNED}), by the boundary that prices the look",
        "they stop at; weights from one half of the runs, prices from the other. A single look’s quantile is below",
        "every valid boundary. Written by",
        "`python -m nrverify.reproduce.known_looks`; do not edit.",
        "",
    ]
    for task in TASKS:
        rows, count, finished = of_task(chosen, task)
        lines += [
            f"## {TITLES[task]}",
            "",
            f"{chosen.label(task)}. {count} runs priced, of {finished} that stopped.",
            "",
        ]
        lines += ["| boundary | mean ε at the stop | over a single look | saved against linear |", "|---|---|---|---|"]
        for row in rows:
            saved = 1 - row.mean / rows[0].mean
            lines.append(f"| {row.boundary} | {row.mean:.4f} | {row.over_single_look:.3f} | {100 * saved:.1f} % |")
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    given = sys.argv[1:]
    sys.stdout.write(markdown(Path(given[0]) if given else None, int(given[1]) if len(given) > 1 else 400))
