"""`nrverify benchmark`: measured numbers against those to reach."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from nrverify.commands.options import check_writable, console_for, quiet_option, write_document

if TYPE_CHECKING:
    from nrverify.benchmark import Growth, Row

Measured = TypeVar("Measured", "Row", "Growth")


@click.command(name="benchmark")
@click.option("--quick", is_flag=True, help="Stop at 1e6 samples, and leave out whole runs of verify and audit.")
@click.option(
    "--peers", is_flag=True, help="Instead: runs until false claims are refuted, beside the public auditors installed."
)
@click.option("--markdown", "markdown_file", metavar="FILE", help="The numbers as a document to read.")
@quiet_option
def command(quick: bool, peers: bool, markdown_file: str | None, quiet: bool) -> None:
    """Measure speed, memory and accuracy, side by side with the machine's own limits.

    Wants an otherwise idle machine, for about six minutes (--quick: one). Exit code 0 when every number was reached,
    1 otherwise, 2 for a usage error. With --peers (ten seeds; --quick: three) nothing is timed against the machine: the
    section of FILE that compares nrverify with public auditors is written anew, the rest of FILE is kept. The extra
    `peers` (pip install nrverify[peers]) brings those that can be had as packages.
    """
    check_writable(markdown_file)
    if peers:
        sys.exit(_peers(quick, markdown_file, quiet))
    from nrverify.benchmark import growth, rows
    from nrverify.benchmark.clusters import cluster_growth
    from nrverify.benchmark.commands import audit_growth
    from nrverify.benchmark.growth import AUDIT_SIZES, QUICK_AUDIT_SIZES, QUICK_SIZES, SIZES, flatness
    from nrverify.report.benchmark.markdown import benchmark_markdown
    from nrverify.report.benchmark.peers import section_of, with_section
    from nrverify.report.benchmark.terminal import print_growth, print_rows

    done = list(_shown(rows(quick), quiet))
    points = list(_shown(growth(QUICK_SIZES if quick else SIZES), quiet))
    points += _shown(audit_growth(QUICK_AUDIT_SIZES if quick else AUDIT_SIZES), quiet)
    if not quick:
        points += _shown(cluster_growth(), quiet)
    flat = list(flatness(points))
    if markdown_file is not None:
        text = benchmark_markdown(done, points, flat)
        section = section_of(_written(markdown_file))
        write_document(markdown_file, with_section(text, section) if section else text)
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


def _peers(quick: bool, markdown_file: str | None, quiet: bool) -> int:
    """The comparison with public auditors: 0 where nrverify is ahead as far as it should be."""
    from nrverify.benchmark.peers import peers
    from nrverify.benchmark.peers.comparison import QUICK_SEEDS, SEEDS, compare, presence, standings
    from nrverify.report.benchmark.peers import peers_section, print_peers, with_section

    known = peers()
    found = []
    for needed in compare(known, QUICK_SEEDS if quick else SEEDS):
        found.append(needed)
        if not quiet and sys.stderr.isatty():
            sys.stderr.write(f"\r\x1b[2Kmeasured {len(found)}: {needed.case}, {needed.auditor}"[:78])
            sys.stderr.flush()
    standing, looked_for = list(standings(found)), presence(known)
    if markdown_file is not None:
        section = peers_section(found, standing, looked_for)
        write_document(markdown_file, with_section(_written(markdown_file), section))
    reached = all(one.met for one in standing)
    if not quiet or not reached:
        print_peers(found, standing, looked_for, console_for([markdown_file]))
    return 0 if reached else 1


def _written(name: str) -> str:
    """What the file has now; nothing where there is none, or it is standard output."""
    path = Path(name)
    return path.read_text(encoding="utf-8") if path.is_file() else ""


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
