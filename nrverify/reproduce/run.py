"""One reproduction from beginning to end: data, tasks, trials, exhibits."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import fields
from pathlib import Path

from nrverify.reproduce.data.sources import load
from nrverify.reproduce.figures.exhibits import kinds
from nrverify.reproduce.result import Reproduction
from nrverify.reproduce.settings import ReproductionSettings
from nrverify.reproduce.setup import setup
from nrverify.reproduce.trials import Progress, run


def reproduce(
    names: Sequence[str] = (),
    folder: Path | None = None,
    settings: ReproductionSettings | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> Reproduction:
    """The exhibits asked for (all by default), on the data of the folder or on synthetic data where there is none."""
    settings = settings or ReproductionSettings()
    known = kinds()
    chosen = {name: kind for name, kind in known.items() if not names or name in names}
    tasks = frozenset(kind.task for kind in chosen.values() if kind.task is not None)
    made = setup(settings, load(folder, tasks, settings, executor))
    plans = {plan.name: plan for kind in chosen.values() for plan in kind.plans(made)}
    outcomes = run(list(plans.values()), settings.seed, executor, progress)
    options = tuple((field.name, _written(getattr(settings, field.name))) for field in fields(settings))
    return Reproduction(options, made.data.sources, tuple(kind.build(made, outcomes) for kind in chosen.values()))


def _written(value: object) -> str:
    return f"{value:,.15g}" if isinstance(value, float) else str(value)
