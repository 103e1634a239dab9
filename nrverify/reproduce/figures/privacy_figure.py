"""Privacy loss at the stop (Figure emp): its distribution under the three ways of checking the loss."""

from __future__ import annotations

import numpy as np

from nrverify.reproduce.data.files import Floats
from nrverify.reproduce.findings import (
    above_dominates,
    heavy_tail,
    longer_tail,
    reduced_below_above,
    reduced_varies_more,
    smaller_median,
    tighter,
)
from nrverify.reproduce.intervals import median, quantile
from nrverify.reproduce.result import Cell, Distribution, Exhibit, Figure, Panel, Table
from nrverify.reproduce.setup import MECHANISMS, PROCESSES, TITLES, Outcomes, Setup, TaskName, printed_plans
from nrverify.reproduce.stopping import CHECK_NAMES, CHECKS, Check, Stops, prices, stops
from nrverify.reproduce.trials import TrialPlan
from nrverify.reproduce.words import with_interval

Key = tuple[str, Check]


def plans(chosen: Setup, task: TaskName) -> list[TrialPlan]:
    """Both mechanisms as printed."""
    return list(printed_plans(chosen, task))


def build(chosen: Setup, task: TaskName, outcomes: Outcomes) -> Exhibit:
    """The figure, its numbers, a table of quantiles, and the findings on medians, spread and tails."""
    ended: dict[Key, Stops] = {}
    for process in PROCESSES:
        name = f"{task}/printed/{process}"
        for check in CHECKS:
            ended[process, check] = stops(outcomes[name], check, chosen.settings.seed, name)
    target = outcomes[f"{task}/printed/brownian"].target
    label = chosen.label(task)
    levels = outcomes[f"{task}/printed/brownian"].levels
    everything = np.concatenate([levels[:1], levels[-1:], *(run.spent[run.finished] for run in ended.values())])
    reached = everything[2:] if len(everything) > 2 else everything
    limits = (0.93 * float(reached.min()), 1.08 * float(reached.max()))
    panels = tuple(
        Panel(
            f"({letter}) {CHECK_NAMES[check]}",
            _axis(check),
            "",
            "log",
            x_limits=limits,
            distributions=tuple(
                Distribution(
                    MECHANISMS[process],
                    process,
                    tuple(ended[process, check].spent.tolist()),
                    _edges(outcomes[f"{task}/printed/{process}"].levels, check),
                )
                for process in PROCESSES
            ),
        )
        for letter, check in zip("abc", CHECKS, strict=True)
    )
    figure = Figure(
        f"privacy-{task}",
        f"{TITLES[task]}: privacy loss when the loss first reaches {target:g}",
        _caption(ended, target),
        label,
        (panels,),
        _numbers(task, label, ended),
    )
    public = {process: ended[process, "public"].spent for process in PROCESSES}
    brownian, laplace = public["brownian"], public["laplace"]
    above, reduced = ended["brownian", "above"], ended["brownian", "reduced"]
    place = chosen.place(task)
    findings = (
        smaller_median(place, brownian, laplace),
        tighter(place, brownian, laplace),
        longer_tail(place, brownian, laplace),
        heavy_tail(place, laplace),
        reduced_below_above(place, above, reduced),
        reduced_varies_more(place, above, reduced),
        above_dominates(place, above),
    )
    return Exhibit(figure, (_quantiles(task, label, ended, target),), findings)


def _axis(check: Check) -> str:
    total = {"public": "\\varepsilon_N", "above": "\\varepsilon_N + 0.5", "reduced": "2\\varepsilon_N"}
    return f"privacy loss, ${total[check]}$"


def _edges(levels: Floats, check: Check) -> tuple[float, ...]:
    """Between the prices of neighbouring levels, so that each bar holds the stops at one level."""
    paid = prices(levels, check)
    between = np.sqrt(paid[1:] * paid[:-1])
    return (float(paid[0] ** 2 / between[0]), *between.tolist(), float(paid[-1] ** 2 / between[-1]))


def _caption(ended: dict[Key, Stops], target: float) -> str:
    middles = {key: median(run.spent) for key, run in ended.items()}
    late = {key: int((~run.finished).sum()) for key, run in ended.items()}
    total = len(next(iter(ended.values())).spent)
    overshoot = {check: float(np.mean(ended["brownian", check].losses > target)) for check in ("above", "reduced")}

    def words(check: Check) -> str:
        return ", ".join(f"{MECHANISMS[process]} {with_interval(middles[process, check])}" for process in PROCESSES)

    never = "; ".join(
        f"{MECHANISMS[process]}, {CHECK_NAMES[check]}: {late[process, check]}"
        for process in PROCESSES
        for check in CHECKS
        if late[process, check]
    )
    return (
        f"{total:,} runs of each mechanism. Bars: histogram; below it the range from the 5 % to the 95 % quantile "
        "(thin), the quartiles (thick) and the median (mark). Medians with 95 % intervals: public data: "
        f"{words('public')}; AboveThreshold: {words('above')}; ReducedAboveThreshold: {words('reduced')}. A private "
        "check is noisy: with the Brownian mechanism the true loss at the stop is still above the target in "
        f"{overshoot['above']:.0%} (AboveThreshold) and {overshoot['reduced']:.0%} (ReducedAboveThreshold) of the "
        "runs. " + (f"Runs that never stopped: {never}." if never else "Every run stopped.")
    )


def _numbers(task: TaskName, label: str, ended: dict[Key, Stops]) -> Table:
    header = ("run", *(f"{process}_{check}" for process in PROCESSES for check in CHECKS))
    columns = [ended[process, check].spent for process in PROCESSES for check in CHECKS]
    rows = tuple((run, *(float(column[run]) for column in columns)) for run in range(len(columns[0])))
    return Table(
        f"privacy-{task}",
        f"{TITLES[task]}: bound on the privacy loss of each run at its stop. {label}",
        header,
        rows,
        "inf: the run did not stop before the levels ran out.",
    )


def _quantiles(task: TaskName, label: str, ended: dict[Key, Stops], target: float) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for check in CHECKS:
        for process in PROCESSES:
            run = ended[process, check]
            spread = tuple(quantile(run.spent, q).value for q in (0.05, 0.25))
            tail = tuple(quantile(run.spent, q).value for q in (0.75, 0.95, 0.99))
            middle = median(run.spent)
            rows.append(
                (
                    CHECK_NAMES[check],
                    MECHANISMS[process],
                    *spread,
                    *middle,
                    *tail,
                    float(np.median(run.losses)),
                    float(np.mean(run.losses > target)),
                    int((~run.finished).sum()),
                )
            )
    return Table(
        f"privacy-{task}-quantiles",
        f"{TITLES[task]}: privacy loss at the stop. {label}",
        (
            "check",
            "noise",
            "q05",
            "q25",
            "median",
            "median low",
            "median high",
            "q75",
            "q95",
            "q99",
            "median true loss",
            "share above target",
            "never stopped",
        ),
        tuple(rows),
        f"The target loss is {target:g}; “share above target” counts runs whose true loss at the stop is above it.",
    )
