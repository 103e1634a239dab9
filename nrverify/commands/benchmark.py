"""`nrverify benchmark`: measured numbers against those to reach."""

from __future__ import annotations

import sys

import click

from nrverify.commands.options import check_writable, console_for, quiet_option, write_document


@click.command(name="benchmark")
@click.option("--quick", is_flag=True, help="Stop at 1e6 samples, and leave out whole runs of verify and audit.")
@click.option("--markdown", "markdown_file", metavar="FILE", help="The numbers as a document to read.")
@quiet_option
def command(quick: bool, markdown_file: str | None, quiet: bool) -> None:
    """Measure speed, memory and accuracy, side by side with the machine's own limits.

    Wants an otherwise idle machine. Exit code 0 when every number was reached, 1 otherwise, 2 for a mistake in the
    command.
    """
    check_writable(markdown_file)
    from nrverify.benchmark import growth, run
    from nrverify.benchmark.commands import audit_growth
    from nrverify.benchmark.growth import AUDIT_SIZES, QUICK_AUDIT_SIZES, QUICK_SIZES, SIZES, flatness
    from nrverify.report.benchmark_markdown import benchmark_markdown
    from nrverify.report.benchmark_terminal import print_growth, print_rows

    done = run(quick=quick)
    points = [*growth(QUICK_SIZES if quick else SIZES), *audit_growth(QUICK_AUDIT_SIZES if quick else AUDIT_SIZES)]
    flat = list(flatness(points))
    if markdown_file is not None:
        write_document(markdown_file, benchmark_markdown(done, points, flat))
    reached = all(row.verdict == "met" for row in (*done, *flat))
    if not quiet or not reached:
        console = console_for([markdown_file])
        print_rows(done, console)
        console.print()
        print_growth(points, console)
        console.print()
        print_rows(flat, console)
    sys.exit(0 if reached else 1)
