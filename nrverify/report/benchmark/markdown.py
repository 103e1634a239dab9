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


OF_CPU = """\
## What the CPU of an audit is made of

The target of a microsecond a number is not a limit of the machine: the bare numpy passes that the checks cannot leave
out take less than a tenth of it (their row above). What is beyond it is mostly not for numbers but for looks. An
audit of 200,000 sessions of Brownian noise has 78 looks, with 701 batches of transcripts; a regression over these
batches, by CPU time on a busy machine, gave 1.5 ms for a batch however small and 0.73 µs for each number in it, and
what a look takes besides (copying and merging checks, drawing, what bets are worth) was another 1.9 s of 4.2 s.
Hundreds of array operations see every batch, and each takes a microsecond or more to begin. Looks are small so that a
gross fault is refuted after few sessions; fewer and larger ones would come nearer to the target, and refute later:
the row of numbers after the default samples says what is left where looks are large (1.6 µs when the regression was
made).

For the same reason 20,000 runs of AboveThreshold took 1.0 s and 200,000 took 1.2 s: nearly all is for looks, and a
run draws several numbers. Of Skellam noise the distribution function of the bridge is a sum of 32 terms or more for
each tail: 226,000 distinct ones among 585,000 steps took 7 µs each, which alone is more than half of the 3 µs to
reach.

What two workers gain is measured on the wall, and says nothing where the machine is busy with something else."""
"""Measured by hand in November 2026: a reason stays true while the numbers above it move."""


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
        OF_CPU,
        "## Cost as the work grows",
        "Time per sample and memory must not grow with the number of samples; an audit's samples are sessions.",
        _table(GROWTH_HEADINGS, map(growth_words, points)),
        _table(HEADINGS, map(row_words, flat)),
    ]
    return "\n\n".join(parts) + "\n"


def _table(headings: Sequence[str], rows: Iterable[tuple[str, ...]]) -> str:
    rule = "|---|" + "---:|" * (len(headings) - 1)
    return "\n".join([f"| {' | '.join(headings)} |", rule, *(f"| {' | '.join(row)} |" for row in rows)])
