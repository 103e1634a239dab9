"""Loss against privacy (Figure loss): the average loss of both mechanisms at every level, with 95 % intervals."""

from __future__ import annotations

import math

import numpy as np

from nrverify.reproduce.findings import gain_at_tuned
from nrverify.reproduce.intervals import Interval, mean
from nrverify.reproduce.result import Curve, Exhibit, Figure, Line, Panel, Table
from nrverify.reproduce.schedule import Process
from nrverify.reproduce.settings import TUNED
from nrverify.reproduce.setup import MECHANISMS, PROCESSES, TITLES, Outcomes, Setup, TaskName, nearest, printed_plans
from nrverify.reproduce.trials import TrialLosses, TrialPlan

X_TICKS_END = {"logistic": 1.0, "ridge": 15.0}
"""Where the axis of ε ends: beyond it the curves are flat."""


def plans(chosen: Setup, task: TaskName) -> list[TrialPlan]:
    """Both mechanisms as printed."""
    return list(printed_plans(chosen, task))


def build(chosen: Setup, task: TaskName, outcomes: Outcomes) -> Exhibit:
    """The figure, its numbers, and the gain near the tuned ε."""
    runs = {process: outcomes[f"{task}/printed/{process}"] for process in PROCESSES}
    averages = {process: [mean(column) for column in runs[process].losses.T] for process in PROCESSES}
    levels = tuple(runs["brownian"].levels.tolist())
    best, nothing = _best(chosen, task), _loss_of_zero(chosen, task)
    label = chosen.label(task)
    at = nearest(runs["brownian"], TUNED)
    figure = Figure(
        f"loss-{task}",
        f"{TITLES[task]}: loss against privacy",
        _caption(task, runs, averages, at, best, nothing),
        label,
        (
            (
                _as_printed(task, levels, averages, runs["brownian"].target, best, nothing),
                _excess(levels, averages, best),
            ),
        ),
        _numbers(task, label, levels, averages),
    )
    useless = nothing if task == "ridge" else math.log(2)
    finding = gain_at_tuned(
        chosen.place(task), levels[at], runs["brownian"].losses[:, at], runs["laplace"].losses[:, at], useless
    )
    return Exhibit(figure, findings=(finding,))


def _as_printed(
    task: TaskName,
    levels: tuple[float, ...],
    averages: dict[Process, list[Interval]],
    target: float,
    best: float,
    nothing: float,
) -> Panel:
    lines = [
        Line("y", target, f"target {target:g}"),
        Line("y", best, f"no noise {best:.4g}", "below"),
        Line("x", TUNED, "tuned at 0.3"),
    ]
    if task == "ridge":
        lines.append(Line("y", nothing, f"β = 0: {nothing:.3g}"))
        highest = max(interval.high for process in PROCESSES for interval in averages[process])
        limits = (0.6 * best, 1.6 * highest)
    else:
        limits = (best - 0.005, best + 0.06)
    return Panel(
        "(a) loss",
        "privacy loss ε",
        f"mean {'logistic' if task == 'logistic' else 'squared'} loss, regularised",
        "log",
        "log" if task == "ridge" else "linear",
        (levels[0], X_TICKS_END[task]),
        limits,
        curves=_curves(levels, averages, 0.0),
        lines=tuple(lines),
        legend=True,
    )


def _excess(levels: tuple[float, ...], averages: dict[Process, list[Interval]], best: float) -> Panel:
    return Panel(
        "(b) excess over the loss without noise",
        "privacy loss ε",
        "mean excess loss",
        "log",
        "log",
        (levels[0], levels[-1]),
        curves=_curves(levels, averages, best),
        lines=(Line("x", TUNED, "tuned at 0.3"),),
    )


def _curves(levels: tuple[float, ...], averages: dict[Process, list[Interval]], off: float) -> tuple[Curve, ...]:
    return tuple(
        Curve(
            f"{MECHANISMS[process]} noise reduction",
            process,
            levels,
            tuple(interval.value - off for interval in averages[process]),
            tuple(interval.low - off for interval in averages[process]),
            tuple(interval.high - off for interval in averages[process]),
        )
        for process in PROCESSES
    )


def better_between(averages: dict[Process, list[Interval]], levels: tuple[float, ...]) -> str:
    """In words, where the Brownian interval lies wholly below the Laplace one."""
    better = [b.high < a.low for b, a in zip(averages["brownian"], averages["laplace"], strict=True)]
    if not any(better):
        return "at no level is the Brownian average clearly the smaller one"
    first, last = better.index(True), len(better) - 1 - better[::-1].index(True)
    share = "throughout" if all(better[first : last + 1]) else "mostly"
    return f"the Brownian average is clearly the smaller one {share} from ε = {levels[first]:.3g} to {levels[last]:.3g}"


def _caption(
    task: TaskName,
    runs: dict[Process, TrialLosses],
    averages: dict[Process, list[Interval]],
    at: int,
    best: float,
    nothing: float,
) -> str:
    levels = tuple(runs["brownian"].levels.tolist())
    brownian, laplace = (averages[process][at].value for process in PROCESSES)
    reached = {process: _first_below(averages[process], runs[process].target, levels) for process in PROCESSES}
    words = (
        f"Average over {len(runs['brownian'].losses):,} runs, with pointwise 95 % intervals (bands; where none is "
        f"seen it is thinner than the line). Without noise the loss is {best:.4g}. At ε = {levels[at]:.3g} it "
        f"averages {brownian:.4g} with Brownian and {laplace:.4g} with Laplace noise; "
        f"{better_between(averages, levels)}. The average falls below the target at {reached['brownian']} (Brownian) "
        f"and {reached['laplace']} (Laplace). "
    )
    if task == "ridge":
        words += (
            f"The parameter 0, which needs no data, has loss {nothing:.3g}: where a curve lies above that line, the "
            "noisy XᵀX is so often indefinite that the solution of the noisy equations is worse than no answer. "
        )
    return words + (
        "The two axes are not like for like: the Laplace bound holds surely, the Brownian one but for δ (E06; see the "
        "corrected comparison)."
    )


def _first_below(averages: list[Interval], target: float, levels: tuple[float, ...]) -> str:
    below = [level for level, interval in zip(levels, averages, strict=True) if interval.value <= target]
    return f"ε = {below[0]:.3g}" if below else "no level"


def _numbers(task: TaskName, label: str, levels: tuple[float, ...], averages: dict[Process, list[Interval]]) -> Table:
    header = ("epsilon", *(f"{process}_{part}" for process in PROCESSES for part in ("mean", "low", "high")))
    rows = tuple(
        (level, *(number for process in PROCESSES for number in averages[process][look]))
        for look, level in enumerate(levels)
    )
    return Table(
        f"loss-{task}", f"{TITLES[task]}: mean regularised loss and pointwise 95 % intervals. {label}", header, rows
    )


def _best(chosen: Setup, task: TaskName) -> float:
    solved = chosen.logistic if task == "logistic" else chosen.ridge
    assert solved is not None
    return solved.best


def _loss_of_zero(chosen: Setup, task: TaskName) -> float:
    solved = chosen.logistic if task == "logistic" else chosen.ridge
    assert solved is not None
    d = solved.minimiser.size if task == "logistic" else solved.cross.size  # type: ignore[union-attr]
    return float(solved.losses(np.zeros((1, d)))[0])
