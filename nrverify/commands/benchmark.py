"""`nrverify benchmark`: measured numbers against those to reach."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

import click

from nrverify.commands.options import check_writable, console_for, quiet_option, write_document

if TYPE_CHECKING:
    from nrverify.benchmark import Growth, Row

Measured = TypeVar("Measured", "Row", "Growth")


@click.command(name="benchmark")
@click.option("--quick", is_flag=True, help="Stop at 1e6 samples, and leave out whole runs of verify and audit.")
@click.option("--markdown", "markdown_file", metavar="FILE", help="The numbers as a document to read.")
@quiet_option
def command(quick: bool, markdown_file: str | None, quiet: bool) -> None:
    """Measure speed, memory and accuracy, side by side with the machine's own limits.

    Wants an otherwise idle machine, for about five minutes (--quick: one). Exit code 0 when every number was reached,
    1 otherwise, 2 for a usage error.
    """
    check_writable(markdown_file)
    from nrverify.benchmark import growth, rows
    from nrverify.benchmark.commands import audit_growth
    from nrverify.benchmark.growth import AUDIT_SIZES, QUICK_AUDIT_SIZES, QUICK_SIZES, SIZES, flatness
    from nrverify.report.benchmark.markdown import benchmark_markdown
    from nrverify.report.benchmark.terminal import print_growth, print_rows

    done = list(_shown(rows(quick), quiet))
    points = list(_shown(growth(QUICK_SIZES if quick else SIZES), quiet))
    points += _shown(audit_growth(QUICK_AUDIT_SIZES if quick else AUDIT_SIZES), quiet)
    flat = list(flatness(points))
    if markdown_file is not None:
        write_document(markdown_file, benchmark_markdown(done, points, flat))
    reached = all(row.verdict == "met" for row in (*done, *flat))
    console = console_for([markdown_file])
    if quiet and not reached:
        print_rows([row for row in (*done, *flat) if row.verdict != "met"], console)
    elif not quiet:
        print_rows(done, console)
        console.print()
        print_growth(points, console)
        console.print()
        print_rows(flat, console)
    sys.exit(0 if reached else 1)


def _shown(measured: Iterable[Measured], quiet: bool) -> Iterator[Measured]:
    """What is measured, each told on a terminal's standard error while the next is under way."""
    if quiet or not sys.stderr.isatty():
        yield from measured
        return
    for number, one in enumerate(measured, 1):
        sys.stderr.write(f"\r\x1b[2Kmeasured {number}: {one.name[:60]}")
        sys.stderr.flush()
        yield one
    sys.stderr.write("\r\x1b[2K")
