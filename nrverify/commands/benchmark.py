"""`nrverify benchmark`: measured ratios against their targets."""

from __future__ import annotations

import click

from nrverify.commands.options import console_for


@click.command(name="benchmark")
def command() -> None:
    """Measure speed and memory side by side with the machine's own limits."""
    from nrverify.benchmark import growth, run
    from nrverify.report.benchmark_terminal import print_growth, print_rows

    console = console_for([])
    print_rows(run(), console)
    console.print()
    print_growth(growth(), console)
