"""Sessions of a case, drawn."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.noise_reduction.design.cases import Case
from nrverify.auditing.sampling.drawer import Drawer
from nrverify.subjects.policies import Fixed
from nrverify.subjects.requests import PlayRequest, PolicyRequest, SampleRequest

Floats = NDArray[np.float64]


def draw_sessions(drawer: Drawer, case: Case, size: int) -> tuple[Floats, Floats]:
    """`size` sessions of a case, together or one by one: their releases, and what was asked."""
    drawer.drawn += size
    if case.method == "sample":
        assert isinstance(case.play, Fixed)
        schedule = case.play.schedule
        parts = [1] * size if case.one_by_one else [size]
        next_seed = drawer.small_seed if case.adjacent else drawer.seed
        releases = np.concatenate([drawer.host.ask(SampleRequest(case.array, schedule, n, next_seed())) for n in parts])
        return releases, np.tile(np.array(schedule), (size, 1))
    seeds = [drawer.small_seed() if case.adjacent else drawer.seed() for _ in range(size)]
    if case.method == "play":
        assert isinstance(case.play, Fixed)
        releases = drawer.host.ask(PlayRequest(case.array, case.play.schedule, seeds))
        return releases, np.tile(np.array(case.play.schedule), (size, 1))
    value = case.array if case.beside is None else np.array([case.value, case.beside], dtype=float)
    return drawer.host.ask(PolicyRequest(value, case.rule, seeds))
