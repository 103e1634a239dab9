"""Speed and memory, measured side by side with the limits of the machine; `run()` gives the rows, `growth()` the cost
as the work grows."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from nrverify.benchmark.growth import growth
from nrverify.benchmark.row import Growth, Row

__all__ = ["Growth", "Row", "growth", "rows", "run"]


def rows() -> Iterator[Row]:
    """Each number to reach, measured when it is asked for."""
    # The measured code is imported where it is measured, so that one row can be had without the others' imports.
    from nrverify.benchmark import exact, simulation, startup

    yield from simulation.rows()
    yield exact.threshold_law()
    yield exact.crossing_probability()
    yield startup.help_page()


def run(progress: Callable[[Row], None] | None = None) -> list[Row]:
    """All rows; `progress` is told of each as it is done."""
    done = []
    for row in rows():
        done.append(row)
        if progress is not None:
            progress(row)
    return done
