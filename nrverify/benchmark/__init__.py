"""Speed and memory, measured side by side with the limits of the machine: the numbers to reach, one row each.

What is counted in samples and not in seconds (samples until a fault is refuted, empirical ε, false alarms, mutants) is
measured by `nrverify calibrate`.
"""

from __future__ import annotations

from collections.abc import Iterator

from nrverify.benchmark.growth import growth
from nrverify.benchmark.row import Growth, Row

__all__ = ["Growth", "Row", "growth", "rows"]


def rows(quick: bool = False) -> Iterator[Row]:
    """Each number to reach, measured when it is asked for; `quick` leaves out whole runs of verify and audit."""
    # The measured code is imported where it is measured, so that one row can be had without the others' imports.
    from nrverify.benchmark import (
        accuracy,
        audits,
        commands,
        exact,
        exact_mechanisms,
        interactive,
        passes,
        simulation,
        startup,
    )

    yield from simulation.rows()
    yield exact.threshold_law()
    yield accuracy.threshold_law()
    yield exact.crossing_probability()
    yield accuracy.looks()
    yield accuracy.everywhere()
    yield from exact_mechanisms.rows()
    yield commands.subprocess_subject()
    yield interactive.asked()
    yield from interactive.played()
    yield startup.help_page()
    yield commands.first_claim()
    yield passes.bare_passes()
    if not quick:
        yield commands.audit()
        yield from audits.rows()
        yield from commands.verify()
