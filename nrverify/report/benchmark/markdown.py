"""The benchmark as a document: the numbers of one machine on one day."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from nrverify.benchmark.row import Growth, Row
from nrverify.report.benchmark.text import GROWTH_HEADINGS, HEADINGS, growth_words, row_words

OPENING = """\
# Benchmarks

Speed, memory and accuracy against the numbers to reach. This file is written by
`nrverify benchmark --markdown reports/benchmarks.md`; do not edit it. The numbers differ from machine to machine and
from run to run, so nothing compares this file with a new one: what is to be reproduced are the verdicts. Ratios are
against the machine's own limit, measured in turn with the work. Memory is what the work held
beyond what was there before; of whole commands, that of all their processes.

What is counted in samples and not in seconds is in [the kill matrix](kill_matrix.md), written by `nrverify calibrate`:
samples until a fault is refuted against the information limit, empirical ε, false alarms, and mutants refuted."""


def benchmark_markdown(rows: Sequence[Row], points: Sequence[Growth], flat: Sequence[Row]) -> str:
    """The document."""
    missed = [row.name for row in (*rows, *flat) if row.verdict == "missed"]
    count = len(rows) + len(flat)
    summary = f"{count - len(missed)} of {count} numbers were reached" + (
        f"; not: {'; '.join(missed)}." if missed else "."
    )
    parts = [
        OPENING,
        summary,
        "## The numbers to reach",
        _table(HEADINGS, map(row_words, rows)),
        "## Cost as the work grows",
        "Time per sample and memory must not grow with the number of samples; an audit's samples are sessions.",
        _table(GROWTH_HEADINGS, map(growth_words, points)),
        _table(HEADINGS, map(row_words, flat)),
    ]
    return "\n\n".join(parts) + "\n"


def _table(headings: Sequence[str], rows: Iterable[tuple[str, ...]]) -> str:
    rule = "|---|" + "---:|" * (len(headings) - 1)
    return "\n".join([f"| {' | '.join(headings)} |", rule, *(f"| {' | '.join(row)} |" for row in rows)])
