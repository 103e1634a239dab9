"""`nrverify reproduce`: the paper's figures and findings with today's code."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import TYPE_CHECKING

import click

from nrverify.closest import closest
from nrverify.commands.options import (
    Whole,
    check_engine,
    check_writable,
    console_for,
    engine_options,
    executor_for,
    jobs_option,
    make_folder,
    quiet_option,
    seed_option,
    write_all,
)
from nrverify.plain_text import plain_text

if TYPE_CHECKING:
    from nrverify.reproduce.figures.drawing import Kind
    from nrverify.reproduce.result import Figure, Reproduction
    from nrverify.reproduce.settings import ReproductionSettings
    from nrverify.reproduce.trials import Progress

NAMES = (
    "boundaries",
    "loss-logistic",
    "loss-ridge",
    "privacy-logistic",
    "privacy-ridge",
    "corrected-logistic",
    "corrected-ridge",
    "choices-logistic",
    "choices-ridge",
)
MOST_TRIALS, MOST_ROWS = 10**7, 10**7
"""All trials of a mechanism, and the records of a task, are held in memory: about a gigabyte."""
OUT = "reports/figures"
FETCHED = "nrverify-data"
QUICK = {"trials": 100, "per_doubling": 6}
"""A tenth of the trials and about a third of the levels: every figure for about a thirtieth of the work."""


class UnusableData(click.ClickException):
    """Data, a download or a folder that cannot be used: one sentence and exit code 2."""

    exit_code = 2


def known_figures(ctx: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    """The figures asked for; an unknown one is a usage error that names the closest."""
    for value in values:
        if value not in NAMES:
            close = closest(value, NAMES)
            hint = f" Did you mean {close}?" if close else ""
            raise click.BadParameter(f"no figure {value!r}: one of {', '.join(NAMES)}.{hint}", ctx, parameter)
    return values


@click.command(name="reproduce")
@click.argument("figures", metavar="[FIGURE]...", nargs=-1, callback=known_figures)
@click.option("--data", metavar="DIR", help="Folder with the KDD-Cup-99 and Twitter files; synthetic data without.")
@click.option("--out", metavar="DIR", help=f"Folder for the figures [default: {OUT}].")
@click.option(
    "--markdown",
    metavar="FILE",
    help="The report, '-' is standard output [default: reproduction.md beside the figures].",
)
@click.option("--html", metavar="FILE", help="The report as one page for a browser, with the figures in it.")
@click.option("--quick", is_flag=True, help="A tenth of the trials and fewer levels.")
@click.option("--fetch", is_flag=True, help="First download what is missing from the public archive.")
@click.option("--trials", type=Whole(2, MOST_TRIALS), help="Runs of each mechanism [default: 1000].")
@click.option("--rows", type=Whole(100, MOST_ROWS), default=10_000, show_default=True, help="Records n of each task.")
@click.option("--per-doubling", type=Whole(1, 200), help="Levels of ε to a doubling [default: 16].")
@click.option(
    "--split",
    type=click.Choice(["joint", "halves", "whole"]),
    default="joint",
    show_default=True,
    help="How XᵀX and Xᵀy share ε; “whole” costs 2ε.",
)
@click.option(
    "--response-limit",
    type=click.FloatRange(1, 1e15),
    default=1e5,
    show_default=True,
    help="Popularity at which the log-popularity is cut off.",
)
@click.option(
    "--utility",
    type=click.Choice(["ball", "own"]),
    default="ball",
    show_default=True,
    help="Δ of the private check: that of all possible minimisers, or of each estimate.",
)
@click.option(
    "--solver",
    type=click.Choice(["plain", "repaired"]),
    default="plain",
    show_default=True,
    help="Noisy normal equations as they are, or XᵀX made semidefinite first.",
)
@jobs_option
@engine_options
@seed_option
@quiet_option
def command(
    figures: tuple[str, ...],
    data: str | None,
    out: str | None,
    markdown: str | None,
    html: str | None,
    quick: bool,
    fetch: bool,
    trials: int | None,
    per_doubling: int | None,
    jobs: int | None,
    engine: str,
    scheduler: str | None,
    quiet: bool,
    **choices: object,
) -> None:
    """Make the paper's FIGURES (default: all) and its findings, on its data or on synthetic data of the same shape.

    \b
    boundaries            privacy boundaries, both ways round
    loss-TASK             loss against privacy
    privacy-TASK          privacy loss at the stop, three ways of checking
    corrected-TASK        the comparison with sharper bounds on both sides
    choices-TASK          what the paper leaves open, and what it changes
    TASK is logistic (KDD-Cup-99) or ridge (Twitter).

    Exit code 0 when the figures were made, whatever the findings say; 2 for a usage error or wrong data.
    """
    _one_thread_each()
    from nrverify.reproduce.data.fetch import FetchError
    from nrverify.reproduce.data.files import DataError
    from nrverify.reproduce.run import reproduce

    check_engine(engine, scheduler)
    check_writable(markdown, html)
    folder = _folder(out)
    report = markdown or str((folder.parent if out is None else folder) / "reproduction.md")
    settings = _settings(quick, trials, per_doubling, choices)
    if data is None and not fetch:
        _warn_of_real_figures(folder, figures or NAMES)
    try:
        source = _source(figures, data, fetch, quiet)
        with executor_for(jobs, engine, scheduler) as executor:
            reproduction = reproduce(figures, source, settings, executor, progress_line(quiet))
            _write_figures(reproduction, folder, executor)
    except (DataError, FetchError) as error:
        raise UnusableData(str(error)) from error
    write_all((report, lambda: _report(reproduction, folder, report)), (html, lambda: _page(reproduction, folder)))
    if not quiet:
        from nrverify.report.reproduction.terminal import print_reproduction, what_was_written

        console = console_for([markdown, html])
        print_reproduction(reproduction, console)
        words = plain_text(what_was_written(reproduction, str(folder), report))
        console.print(words, highlight=False, markup=False, soft_wrap=True)  # folded by the terminal: paths are copied


def _report(reproduction: Reproduction, folder: Path, report: str) -> str:
    from nrverify.report.reproduction.markdown import reproduction_markdown

    return reproduction_markdown(reproduction, os.path.relpath(folder, Path(report).parent).replace(os.sep, "/"))


def _page(reproduction: Reproduction, folder: Path) -> str:
    from nrverify.report.reproduction.page import reproduction_html

    drawn = {figure.name: (folder / f"{figure.name}.svg").read_bytes() for figure in reproduction.figures}
    return reproduction_html(reproduction, drawn)


def _warn_of_real_figures(folder: Path, names: Sequence[str]) -> None:
    """Says, before it is too late to stop, that figures of real data are about to be replaced by synthetic ones."""
    found = {name: label for name in names if (label := _data_of(folder / f"{name}.csv"))}
    if real := {name: label for name, label in found.items() if not label.startswith(("SYNTHETIC", "exact"))}:
        first = next(iter(real))
        words = (
            f"nrverify: figures of real data in {folder} will be replaced by ones of SYNTHETIC data: {first} "
            f"({real[first]}){f' and {len(real) - 1} more' if len(real) > 1 else ''}. Interrupt to keep them, and "
            "name another folder with --out or the data with --data."
        )
        click.echo(plain_text(words, one_line=True), err=True)


def _data_of(numbers: Path) -> str | None:
    """The data that the numbers of a figure say they rest on."""
    try:
        with numbers.open(encoding="utf-8", errors="replace") as file:
            head = [file.readline(1000) for _ in range(3)]
    except OSError:
        return None
    return next((line.removeprefix("# data: ").strip() for line in head if line.startswith("# data: ")), None)


def _one_thread_each() -> None:
    """Workers are the parallelism here; numerical libraries that start threads of their own only get in their way."""
    if "numpy" not in sys.modules:
        for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
            os.environ.setdefault(name, "1")


def _settings(
    quick: bool, trials: int | None, per_doubling: int | None, choices: dict[str, object]
) -> ReproductionSettings:
    from nrverify.reproduce.settings import ReproductionSettings

    asked = {"trials": trials, "per_doubling": per_doubling}
    given = {name: value for name, value in asked.items() if value is not None}
    try:
        return ReproductionSettings(**{**(QUICK if quick else {}), **given, **choices})  # type: ignore[arg-type]
    except ValueError as error:
        raise click.UsageError(str(error)) from error


def _source(figures: tuple[str, ...], data: str | None, fetch: bool, quiet: bool) -> Path | None:
    """The folder of the data, filled first where that is asked for; None for synthetic data."""
    if not fetch:
        return None if data is None else Path(data)
    from nrverify.reproduce.data.fetch import DOWNLOADS
    from nrverify.reproduce.data.fetch import fetch as fetch_files
    from nrverify.reproduce.figures.exhibits import kinds

    folder = Path(data or FETCHED)
    tasks = dict.fromkeys(kind.task for name, kind in kinds().items() if not figures or name in figures)
    wanted = [DOWNLOADS[task] for task in tasks if task is not None]
    fetch_files(wanted, folder, lambda words: None if quiet else click.echo(words, err=True))
    return folder


def _folder(out: str | None) -> Path:
    """The folder for the figures, made and found writable before any work is done."""
    folder = Path(out or OUT)
    try:
        if out is None:
            folder.parent.mkdir(exist_ok=True)
        make_folder(folder)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise UnusableData(
            f"cannot write figures into {folder}: {error.strerror or error}; name another with --out"
        ) from error
    return folder


def _write_figures(reproduction: Reproduction, folder: Path, executor: Executor | None) -> None:
    from nrverify.reproduce.numbers import csv_text

    figures = reproduction.figures
    drawn = map(_drawn, figures) if executor is None else executor.map(_drawn, figures)
    for figure, files in zip(figures, drawn, strict=True):
        for kind, content in files.items():
            _write(folder / f"{figure.name}.{kind}", content)
        _write(folder / f"{figure.name}.csv", csv_text(figure.numbers, figure.data).encode())


def _drawn(figure: Figure) -> dict[Kind, bytes]:
    from nrverify.reproduce.figures.drawing import render

    return render(figure, "svg", "pdf")


def _write(path: Path, content: bytes) -> None:
    """A whole file or nothing."""
    draft = None
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".draft-", delete=False) as file:
            draft = Path(file.name)
            file.write(content)
        draft.chmod(0o644)
        draft.replace(path)
    except OSError as error:
        if draft is not None:
            draft.unlink(missing_ok=True)
        raise UnusableData(f"cannot write {path}: {error.strerror or error}") from error


def progress_line(quiet: bool) -> Progress | None:
    """A line on a terminal's standard error that says how far the trials are."""
    if quiet or not sys.stderr.isatty():
        return None

    def show(done: int, total: int, name: str) -> None:
        sys.stderr.write(f"\r\x1b[2K{done}/{total} {name}" if done < total else "\r\x1b[2K")
        sys.stderr.flush()

    return show
