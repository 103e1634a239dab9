"""What the paper leaves open, and what difference it makes: one choice changed at a time (E04–E07, E11)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from nrverify.reproduce.intervals import Interval, median
from nrverify.reproduce.logistic import logistic_task
from nrverify.reproduce.result import Exhibit, Figure, Line, Panel, Quantity, Table
from nrverify.reproduce.ridge import ridge_task
from nrverify.reproduce.schedule import Process
from nrverify.reproduce.settings import FIRST_LEVEL, LAST_LEVELS, TUNED, ReproductionSettings, levels
from nrverify.reproduce.setup import MECHANISMS, PROCESSES, TITLES, Outcomes, Setup, TaskName, nearest, plans_at
from nrverify.reproduce.stopping import stops
from nrverify.reproduce.trials import TrialPlan
from nrverify.reproduce.words import number

FEWEST_TRIALS = 20
"""A fifth of the trials do for a comparison of choices, but with fewer than twenty an interval for a median says
little."""


@dataclass(frozen=True)
class Choice:
    """One alternative: its words, the settings with it, and which sample of rows it is run on."""

    name: str
    label: str
    change: Callable[[ReproductionSettings], ReproductionSettings] = lambda settings: settings
    sample: int = 0


DEFAULT = Choice("default", "default")
COMMON = (
    DEFAULT,
    Choice("rows-1", "another sample of rows", sample=1),
    Choice("rows-2", "a third sample of rows", sample=2),
    Choice("own", "Δ of the utility from ‖β‖", lambda settings: replace(settings, utility="own")),
    Choice("coarse", "4 levels to a doubling", lambda settings: replace(settings, per_doubling=4)),
)
"""Choices that bear on both tasks: three samples of rows show how much comes from the data alone."""
HALVES = Choice("halves", "ε/2 each for XᵀX and Xᵀy", lambda settings: replace(settings, split="halves"))
WHOLE = Choice("whole", "ε each: costs 2ε, not ε", lambda settings: replace(settings, split="whole"))
REPAIRED = Choice("repaired", "noisy XᵀX made semidefinite", lambda settings: replace(settings, solver="repaired"))
RIDGE = (
    HALVES,
    WHOLE,
    REPAIRED,
    Choice("limit", "y cut off at popularity 10⁴", lambda settings: replace(settings, response_limit=1e4)),
)
"""Choices that bear on ridge regression alone."""


@dataclass(frozen=True)
class Row:
    """What came of one alternative: the least loss, mean losses at the tuned ε, and medians at the stop."""

    choice: Choice
    best: float
    near: dict[Process, float]
    public: dict[Process, Interval]
    reduced: dict[Process, Interval]


def choices(task: TaskName) -> tuple[Choice, ...]:
    """The alternatives that bear on a task."""
    return COMMON if task == "logistic" else COMMON + RIDGE


def plans(chosen: Setup, task: TaskName) -> list[TrialPlan]:
    """Both mechanisms under every alternative, with a fifth of the trials."""
    made: list[TrialPlan] = []
    for choice in choices(task):
        changed = _changed(chosen, task, choice)
        asked = levels(FIRST_LEVEL, LAST_LEVELS[task], changed.settings.per_doubling)
        trials = max(FEWEST_TRIALS, chosen.settings.trials // 5)
        made += plans_at(changed, task, f"choice-{choice.name}", asked, trials)
    return made


def build(chosen: Setup, task: TaskName, outcomes: Outcomes) -> Exhibit:
    """The alternatives as a table and as a figure."""
    label = chosen.label(task)
    rows = [_row(chosen, task, choice, outcomes) for choice in choices(task)]
    trials = len(outcomes[f"{task}/choice-default/brownian"].losses)
    table = _table(task, label, rows, trials)
    panels = (
        Panel(
            "(a) public data",
            "median privacy loss, $\\varepsilon_N$",
            "",
            "log",
            estimates=_estimates([(row.choice.label, row.public) for row in rows]),
            lines=(Line("x", TUNED, "0.3"),),
            legend=True,
        ),
        Panel(
            "(b) ReducedAboveThreshold",
            "median total, $2\\varepsilon_N$",
            "",
            "log",
            estimates=_estimates([(row.choice.label, row.reduced) for row in rows]),
        ),
    )
    figure = Figure(
        f"choices-{task}",
        f"{TITLES[task]}: what the paper leaves open",
        _caption(task, rows, trials),
        label,
        (panels,),
        replace(table, name=f"choices-{task}"),
    )
    return Exhibit(figure, (table,))


def _changed(chosen: Setup, task: TaskName, choice: Choice) -> Setup:
    settings = choice.change(chosen.settings)
    if task == "logistic":
        logistic = logistic_task(chosen.data.events[choice.sample], settings.utility)
        return replace(chosen, settings=settings, logistic=logistic)
    topics = chosen.data.topics[choice.sample]
    ridge = ridge_task(topics, settings.response_limit, settings.utility, settings.solver)
    return replace(chosen, settings=settings, ridge=ridge)


def _row(chosen: Setup, task: TaskName, choice: Choice, outcomes: Outcomes) -> Row:
    changed = _changed(chosen, task, choice)
    solved = changed.logistic if task == "logistic" else changed.ridge
    assert solved is not None
    names = {process: f"{task}/choice-{choice.name}/{process}" for process in PROCESSES}
    near, public, reduced = {}, {}, {}
    for process, name in names.items():
        outcome = outcomes[name]
        near[process] = float(np.mean(outcome.losses[:, nearest(outcome, TUNED)]))
        public[process] = median(stops(outcome, "public", chosen.settings.seed, name).spent)
        reduced[process] = median(stops(outcome, "reduced", chosen.settings.seed, name).spent)
    return Row(choice, solved.best, near, public, reduced)


def _estimates(rows: list[tuple[str, dict[Process, Interval]]]) -> tuple[Quantity, ...]:
    return tuple(
        Quantity(label, MECHANISMS[process], process, *numbers[process])
        for label, numbers in rows
        for process in PROCESSES
    )


def _table(task: TaskName, label: str, rows: list[Row], trials: int) -> Table:
    return Table(
        f"choices-{task}-medians",
        f"{TITLES[task]}: what the paper leaves open. {label}",
        (
            "choice",
            "loss without noise",
            "Brownian, mean loss at 0.3",
            "Laplace, mean loss at 0.3",
            *(f"{noise}, public{part}" for noise in ("Brownian", "Laplace") for part in ("", " low", " high")),
            "Brownian, RAT",
            "Laplace, RAT",
        ),
        tuple(
            (
                row.choice.label,
                row.best,
                *row.near.values(),
                *row.public["brownian"],
                *row.public["laplace"],
                row.reduced["brownian"].value,
                row.reduced["laplace"].value,
            )
            for row in rows
        ),
        f"Medians of the privacy loss at the stop with 95 % intervals, {trials:,} runs each; RAT: 2ε_N with "
        "ReducedAboveThreshold.",
    )


def _caption(task: TaskName, rows: list[Row], trials: int) -> str:
    found = {row.choice.name: row for row in rows}

    def medians(name: str) -> str:
        public = found[name].public
        return f"{number(public['brownian'].value)} and {number(public['laplace'].value)}"

    words = (
        f"One choice changed at a time, {trials:,} runs each; medians with 95 % intervals. By default they are "
        f"{medians('default')} (Brownian, Laplace) on public data; on two other random samples of rows "
        f"{medians('rows-1')}, and {medians('rows-2')}, the least loss being {found['default'].best:.4f}, "
        f"{found['rows-1'].best:.4f} and {found['rows-2'].best:.4f}: the paper's sample is not known, and intervals "
        "here and elsewhere are over the noise, for one sample. Δ of the utility plays no part on public data; "
        "under a private check a smaller Δ means less noise and fewer early stops. A coarser grid rounds stops up "
        "to its next level."
    )
    if task == "logistic":
        return words
    return words + (
        f" How XᵀX and Xᵀy share ε is not said (E05): in halves the medians are {medians('halves')}; with the whole ε "
        f"for each, the cost of the second not counted, {medians('whole')}. Making the noisy XᵀX positive "
        f"semidefinite costs no privacy and gives {medians('repaired')}. Where y is cut off (E04) scales the loss "
        "itself, so that the same target means another accuracy."
    )
