"""Sessions of a case, drawn."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.noise_reduction.design.cases import Case
from nrverify.auditing.sampling.drawer import Drawer
from nrverify.subjects.policies import Fixed
from nrverify.subjects.requests import Play, Sample

Floats = NDArray[np.float64]


def draw_sessions(drawer: Drawer, case: Case, size: int) -> tuple[Floats, Floats]:
    """`size` sessions of a case, together or one by one: their releases, and what was asked."""
    drawer.drawn += size
    if case.method == "sample":
        assert isinstance(case.play, Fixed)
        schedule = case.play.schedule
        parts = [1] * size if case.one_by_one else [size]
        releases = np.concatenate([drawer.host.ask(Sample(case.array, schedule, n, drawer.seed())) for n in parts])
        return releases, np.tile(np.array(schedule), (size, 1))
    return drawer.host.ask(Play(case.array, case.rule, [drawer.seed() for _ in range(size)]))
