"""Transcripts simulated, against drawing as many bare random numbers with the same generator."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from nrverify.benchmark.measure import peak_bytes, speed_ratio
from nrverify.benchmark.row import Row
from nrverify.reference.schedules import geometric
from nrverify.reference.simulate import simulate

SAMPLES = 2_000_000
"""Numbers of one draw: long enough for a clock, short enough to fit in memory a few times over."""
REPEATS = 9
"""Draws are short, and a ratio of two times varies more than one: nine for the median."""
SHAPES = ((1, 10), (3, 5))
"""(coordinates, releases): what an audit asks for most."""


def rows() -> Iterator[Row]:
    """Brownian noise against normals; Laplace noise, by the walk and by the lazy bridge, against uniforms."""
    for d, releases in SHAPES:
        yield _row("brownian", "bridge", 0.6, d, releases)
        yield _row("laplace", "walk", 0.15, d, releases)
        yield _row("laplace", "lazy", 0.10, d, releases)


def _row(mechanism: str, method: str, target: float, d: int, releases: int) -> Row:
    value = np.arange(1.0, d + 1)
    schedule = geometric(100.0, 0.6, releases)
    sessions = SAMPLES // (d * releases)
    shape = (sessions, releases, d)
    rng = np.random.default_rng(1)

    def work() -> object:
        return simulate(mechanism, value, schedule, sessions, 1, method=method)

    def limit() -> object:
        return rng.standard_normal(shape) if mechanism == "brownian" else rng.random(shape)

    ratio, time = speed_ratio(work, limit, REPEATS)
    bare = "normals" if mechanism == "brownian" else "uniforms"
    name = f"{mechanism} transcripts by the {method}, {d} × {releases}, against bare {bare}"
    return Row(name, ratio, "ratio", target, time, peak_bytes(work))
