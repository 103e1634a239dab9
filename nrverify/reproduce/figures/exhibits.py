"""The exhibits by name: the task each needs, what it runs and how it is made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from nrverify.reproduce import choices, corrected
from nrverify.reproduce.figures import boundary_figure, loss_figure, privacy_figure
from nrverify.reproduce.result import Exhibit
from nrverify.reproduce.setup import Outcomes, Setup, TaskName
from nrverify.reproduce.trials import TrialPlan


@dataclass(frozen=True)
class FigureKind:
    """An exhibit to be made: the task it needs (none for an exact one), its plans, and how it is made of them."""

    task: TaskName | None
    plans: Callable[[Setup], list[TrialPlan]]
    build: Callable[[Setup, Outcomes], Exhibit]


def kinds() -> dict[str, FigureKind]:
    """Every exhibit, in the order of the report."""
    return {
        "boundaries": FigureKind(None, lambda chosen: [], lambda chosen, outcomes: boundary_figure.build()),
        "loss-logistic": _on("logistic", loss_figure.plans, loss_figure.build),
        "loss-ridge": _on("ridge", loss_figure.plans, loss_figure.build),
        "privacy-logistic": _on("logistic", privacy_figure.plans, privacy_figure.build),
        "privacy-ridge": _on("ridge", privacy_figure.plans, privacy_figure.build),
        "corrected-logistic": _on("logistic", corrected.plans, corrected.build),
        "corrected-ridge": _on("ridge", corrected.plans, corrected.build),
        "choices-logistic": _on("logistic", choices.plans, choices.build),
        "choices-ridge": _on("ridge", choices.plans, choices.build),
    }


def _on(
    task: TaskName,
    plans: Callable[[Setup, TaskName], list[TrialPlan]],
    build: Callable[[Setup, TaskName, Outcomes], Exhibit],
) -> FigureKind:
    return FigureKind(task, lambda chosen: plans(chosen, task), lambda chosen, outcomes: build(chosen, task, outcomes))
