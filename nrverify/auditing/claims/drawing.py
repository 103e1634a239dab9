"""Drawing labelled runs: a fair coin chooses the data of each run, and the checks see the outputs in its order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nrverify.auditing.claims.columns import (
    CHARGED,
    MISSING,
    MOST_COLUMNS,
    TAGS,
    Columns,
    Floats,
    Path,
    columns_of,
    mixed,
)
from nrverify.auditing.claims.context import Claim
from nrverify.auditing.claims.low_bits import with_low_bits
from nrverify.auditing.claims.pairs import Case
from nrverify.auditing.claims.sample import Labelled, Labels
from nrverify.auditing.core.check import ObservesLabelled
from nrverify.auditing.sampling.drawer import Drawer
from nrverify.subjects.outputs import Outputs
from nrverify.subjects.requests import InteractRequest, RunAnyRequest, RunManyAnyRequest

Setting = tuple[int, Case, str, Claim]
"""The number of a case, the case, the method it is run by, and the claim."""
FEATURE = "#feature"
"""The first part of the path of a number from the subject's features()."""


def draw_labelled(drawer: Drawer, setting: Setting, size: int) -> tuple[Labelled, list[Any]]:
    """So many runs with their labels, and the outputs themselves."""
    number, case, method, claim = setting
    drawer.drawn += size
    label = drawer.rng.random(size) < 0.5
    sides = [_ask(drawer, case, side, method, int((label == bool(side)).sum())) for side in (0, 1)]
    return labelled(number, claim, label, sides)


def _ask(drawer: Drawer, case: Case, side: int, method: str, count: int) -> Outputs | None:
    if count == 0:
        return None
    data = case.sides[side]
    if case.strategy is not None:
        return drawer.host.ask(InteractRequest(data, case.strategy, [drawer.seed() for _ in range(count)]))
    if method == "run_many":
        return drawer.host.ask(RunManyAnyRequest(data, count, drawer.seed()))
    return drawer.host.ask(RunAnyRequest(data, [drawer.seed() for _ in range(count)]))


def labelled(number: int, claim: Claim, label: Labels, sides: Sequence[Outputs | None]) -> tuple[Labelled, list[Any]]:
    """The outputs of both sides in the order of the labels."""
    place = np.argsort(np.argsort(label, kind="stable"))
    there = [side for side in sides if side is not None]
    outputs = _ordered([output for side in there for output in side.outputs], place)
    spent = _ordered([one for side in there for one in side.spent or ()], place) if claim.ex_post else None
    features = _ordered([row for side in there for row in side.features or ()], place)
    columns = _with_more(columns_of(outputs), spent, features)
    if claim.exact:
        columns = with_low_bits(columns)
    charged = np.array(spent, dtype=float) if spent is not None else np.full(len(outputs), claim.main.epsilon or 0.0)
    return Labelled(number, columns, label, charged), outputs


def _ordered(entries: list[Any], place: Any) -> list[Any]:
    return [entries[index] for index in place.tolist()] if entries else []


def _with_more(columns: Columns, spent: list[float] | None, features: list[list[float]]) -> Columns:
    """The columns with what the subject said of each output."""
    more: dict[Path, Floats] = {}
    there: dict[Path, Any] = {}
    count = np.array([len(row) for row in features])
    for index in range(min(int(count.max(initial=0)), MOST_COLUMNS)):
        path = (FEATURE, index)
        there[path] = count > index
        more[path] = np.array([row[index] if len(row) > index else np.nan for row in features], dtype=float)
    if spent is not None:
        more[CHARGED] = np.array(spent, dtype=float)
    keys = {path: mixed(np.ascontiguousarray(value).view(np.uint64), TAGS[float]) for path, value in more.items()}
    keys |= {path: np.where(found, keys[path], MISSING) for path, found in there.items()}
    return Columns(columns.size, {**columns.keys, **keys}, {**columns.values, **more})


def score_case(drawer: Drawer, setting: Setting, size: int, checks: Sequence[ObservesLabelled[Labelled]]) -> None:
    """Runs of a case, shown to the checks."""
    drawn, _ = draw_labelled(drawer, setting, size)
    for check in checks:
        check.observe_labelled(drawn)
