"""`nrverify calibrate`: the auditor tested on mutants and on correct implementations."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from nrverify.commands.options import (
    check_writable,
    console_for,
    executor_for,
    jobs_option,
    quiet_option,
    seed_option,
    write_all,
)

if TYPE_CHECKING:
    from nrverify.calibrate.calibration import Calibration
    from nrverify.calibrate.jobs import Progress

PARTS = ("mutants", "false-alarms", "efficiency", "sizes")
"""Of the calibration, written out here: `--help` must not import it."""


@click.command(name="calibrate")
@click.option(
    "--quick", is_flag=True, help="A selection: nothing goes on after a refutation, fewer seeds; about three minutes."
)
@click.option("--only", type=click.Choice(PARTS), multiple=True, help="Only this part (repeatable).")
@click.option("--json", "json_file", metavar="FILE", help="The calibration as data ('-' is standard output).")
@click.option("--markdown", "markdown_file", metavar="FILE", help="The calibration as a document to read.")
@click.option("--html", "html_file", metavar="FILE", help="The calibration as one page for a browser.")
@jobs_option
@seed_option
@quiet_option
def command(
    quick: bool,
    only: tuple[str, ...],
    json_file: str | None,
    markdown_file: str | None,
    html_file: str | None,
    jobs: int | None,
    seed: int,
    quiet: bool,
) -> None:
    """Calibrate the auditor: are faulty implementations refuted, and correct ones not?

    Every mutant is audited until it is refuted and once more going on after that, benign variants with their whole
    budget, correct subjects many times; samples are compared with the information limit. About half an hour on two
    cores. Exit code 0 when all is as it should be, 1 otherwise, 2 for a usage error.
    """
    check_writable(json_file, markdown_file, html_file)
    from nrverify.calibrate.calibration import FULL, QUICK, calibrate
    from nrverify.report.calibration.document import calibration_json
    from nrverify.report.calibration.markdown import calibration_markdown
    from nrverify.report.calibration.terminal import print_calibration

    with executor_for(jobs) as executor:
        calibration = calibrate(QUICK if quick else FULL, seed, only or PARTS, executor, progress_line(quiet))
    write_all(
        (json_file, lambda: calibration_json(calibration)),
        (markdown_file, lambda: calibration_markdown(calibration)),
        (html_file, lambda: _page(calibration)),
    )
    if not quiet or not calibration.green:
        print_calibration(calibration, console_for([json_file, markdown_file, html_file]))
    sys.exit(0 if calibration.green else 1)


def _page(calibration: Calibration) -> str:
    from nrverify.report.calibration.page import calibration_html

    return calibration_html(calibration)


def progress_line(quiet: bool) -> Progress | None:
    """A line on a terminal's standard error that says how far the run is."""
    if quiet or not sys.stderr.isatty():
        return None

    def show(done: int, total: int, name: str) -> None:
        sys.stderr.write(f"\r\x1b[2K{done}/{total} {name[:60]}" if done < total else "\r\x1b[2K")
        sys.stderr.flush()

    return show
