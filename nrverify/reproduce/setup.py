"""The tasks of a run, and the two mechanisms on them as the paper sets them up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from nrverify.reproduce.data.sources import Data
from nrverify.reproduce.findings import Experiment
from nrverify.reproduce.logistic import Logistic, logistic_task
from nrverify.reproduce.ridge import Ridge, ridge_task
from nrverify.reproduce.schedule import Process, Schedule, brownian_times, laplace_times, ridge_schedules
from nrverify.reproduce.sensitivities import logistic as logistic_sensitivity
from nrverify.reproduce.settings import FIRST_LEVEL, LAST_LEVELS, ReproductionSettings, Split, levels
from nrverify.reproduce.trials import TrialLosses, TrialPlan

TaskName = Literal["logistic", "ridge"]
PROCESSES: tuple[Process, ...] = ("brownian", "laplace")
TITLES = {"logistic": "Logistic regression", "ridge": "Ridge regression"}
MECHANISMS = {"brownian": "Brownian", "laplace": "Laplace"}

Outcomes = dict[str, TrialLosses]


@dataclass(frozen=True)
class Setup:
    """What every figure is made from: the settings, the data and the tasks on them."""

    settings: ReproductionSettings
    data: Data
    logistic: Logistic | None
    ridge: Ridge | None

    def label(self, task: TaskName) -> str:
        """What the data of a task are, in the words that go on its figures."""
        return self.data.source(task).label

    def place(self, task: TaskName) -> Experiment:
        """Where a finding on a task belongs."""
        return Experiment(task, self.data.source(task).kind)


def setup(settings: ReproductionSettings, data: Data) -> Setup:
    """The tasks of the data that are there."""
    logistic = logistic_task(data.events[0], settings.utility) if data.events else None
    ridge = None
    if data.topics:
        ridge = ridge_task(data.topics[0], settings.response_limit, settings.utility, settings.solver)
    return Setup(settings, data, logistic, ridge)


def printed_plans(chosen: Setup, task: TaskName) -> tuple[TrialPlan, TrialPlan]:
    """Both mechanisms with the printed sensitivities, on one grid of levels from 0.15."""
    asked = levels(FIRST_LEVEL, LAST_LEVELS[task], chosen.settings.per_doubling)
    return plans_at(chosen, task, "printed", asked, chosen.settings.trials)


def plans_at(chosen: Setup, task: TaskName, name: str, asked: Schedule, trials: int) -> tuple[TrialPlan, TrialPlan]:
    """Both mechanisms with the printed sensitivities, at these levels."""
    if task == "logistic":
        assert chosen.logistic is not None
        return logistic_plans(chosen.logistic, f"logistic/{name}", asked, trials)
    assert chosen.ridge is not None
    return ridge_plans(chosen.ridge, f"ridge/{name}", asked, chosen.settings.split, trials)


def logistic_plans(task: Logistic, name: str, asked: Schedule, trials: int) -> tuple[TrialPlan, TrialPlan]:
    """Output perturbation with Δ₂ = 2/(nλ) and Δ₁ = 2√d/(nλ)."""
    sensitivity = logistic_sensitivity(task.rows, task.minimiser.size)
    times = (brownian_times(asked, sensitivity.l2), laplace_times(asked, sensitivity.l1))
    first, second = (
        TrialPlan(f"{name}/{process}", task, process, asked, (schedule,), trials)
        for process, schedule in zip(PROCESSES, times, strict=True)
    )
    return first, second


def ridge_plans(task: Ridge, name: str, asked: Schedule, split: Split, trials: int) -> tuple[TrialPlan, TrialPlan]:
    """Covariance perturbation with the printed sensitivities, the pair sharing ε as `split` says."""
    first, second = (
        TrialPlan(
            f"{name}/{process}",
            task,
            process,
            asked,
            ridge_schedules(asked, task.cross.size, split, process),
            trials,
        )
        for process in PROCESSES
    )
    return first, second


def nearest(outcome: TrialLosses, level: float) -> int:
    """The look whose level is nearest to the one given."""
    return int(np.argmin(np.abs(outcome.levels - level)))
