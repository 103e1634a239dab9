"""Options and ways of writing that commands share."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeVar

import click

from nrverify.report.atomic_write import encoded, refusal, write_whole

if TYPE_CHECKING:
    from rich.console import Console

F = TypeVar("F", bound=Callable[..., Any])
MOST_JOBS = 1024
"""The largest number of processes accepted: a typo must not fill the machine."""
NARROWEST = 20
"""Narrower reported widths of a terminal are ignored."""


class Whole(click.IntRange):
    """An integer in a range. What is none is refused with what is allowed, and its first characters alone."""

    def _describe_range(self) -> str:
        """For the help of an option: nothing where any integer is in range."""
        return "" if self.min is None and self.max is None else super()._describe_range()

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The integer that a text says."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            allowed = "" if self.min is None else f" from {self.min} to {self.max}"
            self.fail(f"{value!r:.60} is not an integer{allowed}.", param, ctx)


class ClusterLost(click.ClickException):
    """The cluster was lost on the way: what was to run could not be run, which is not a usage error."""

    exit_code = 3

    def show(self, file: IO[Any] | None = None) -> None:
        """The words, after which no thread of Dask's is waited for."""
        from nrverify.processes.leaving import abandon

        super().show(file)
        abandon()


def jobs_option(function: F) -> F:
    """--jobs N: worker processes; the result is the same for any N."""
    return click.option(
        "--jobs",
        type=Whole(1, MOST_JOBS),
        default=None,
        help="Worker processes (default: one per core). Never changes a result.",
    )(function)


def engine_options(function: F) -> F:
    """--engine and --scheduler: where the work is done; the result is the same anywhere."""
    address = "The address of a Dask scheduler, such as tcp://127.0.0.1:8786."
    function = click.option("--scheduler", metavar="ADDRESS", help=address)(function)
    where = "This machine, or a Dask cluster. Never changes a result."
    return click.option(
        "--engine", type=click.Choice(("local", "dask")), default="local", show_default=True, help=where
    )(function)


def check_engine(engine: str, scheduler: str | None) -> None:
    """Refuses an engine without what it needs, and an address that would not be used."""
    if engine == "dask" and not scheduler:
        raise click.UsageError("--engine dask needs --scheduler ADDRESS, such as tcp://127.0.0.1:8786")
    if engine != "dask" and scheduler is not None:
        raise click.UsageError("--scheduler goes with --engine dask")


def seed_option(function: F) -> F:
    """--seed N."""
    return click.option(
        "--seed", type=Whole(0, 2**32 - 1), default=0, show_default=True, help="Seed of every random stream."
    )(function)


def quiet_option(function: F) -> F:
    """--quiet."""
    return click.option("--quiet", is_flag=True, callback=_not_both, help="Print nothing but problems.")(function)


def verbose_option(function: F) -> F:
    """--verbose."""
    return click.option("--verbose", is_flag=True, callback=_not_both, help="Print more of what is known.")(function)


def _not_both(ctx: click.Context, parameter: click.Parameter, value: bool) -> bool:
    """Refuses --quiet with --verbose at the second of them, in whatever order they stand."""
    if value and any(ctx.params.get(name) for name in ("quiet", "verbose") if name != parameter.name):
        raise click.UsageError("--quiet and --verbose exclude one another", ctx)
    return value


@contextmanager
def executor_for(jobs: int | None, engine: str = "local", scheduler: str | None = None) -> Iterator[Executor | None]:
    """A process pool with that many workers, none for a single job; or the workers of a Dask cluster."""
    check_engine(engine, scheduler)
    if scheduler is not None:
        from nrverify.cluster import ClusterFailed, NoCluster, OneAtATime, connected

        try:
            with connected(scheduler) as cluster, OneAtATime(cluster, jobs) as executor:
                yield executor
        except NoCluster as error:
            raise click.UsageError(str(error)) from error
        except ClusterFailed as error:
            raise ClusterLost(str(error)) from error
        return
    count = jobs or os.cpu_count() or 1
    if count == 1:
        yield None
        return
    from nrverify.processes.pool import WorkerPool

    with WorkerPool(count) as pool:
        yield pool


def console_for(files: list[str | None]) -> Console:
    """Where tables go: standard output, unless a document is to be written there."""
    from rich.console import Console

    stream = sys.stderr if "-" in files else sys.stdout
    if hasattr(stream, "reconfigure"):  # what a terminal cannot show, a subject's name may hold
        stream.reconfigure(errors="backslashreplace")
    console = Console(file=stream, soft_wrap=False, emoji=False)
    if console.width < NARROWEST:  # no terminal is: COLUMNS says nothing sensible
        console.width = 80
    return console


def check_writable(*files: str | None) -> None:
    """Refuses a report path before any work is done, not after."""
    names = [name for name in files if name is not None]
    for name in names:
        if name != "-" and (why := refusal(name)) is not None:
            raise click.UsageError(why)
    if names.count("-") > 1:
        raise click.UsageError("only one report can go to standard output ('-')")
    if (twice := next((name for name in names if names.count(name) > 1), None)) is not None:
        raise click.UsageError(f"two reports cannot be written to one file, {twice!r}")


def write_document(name: str, text: str) -> None:
    """Writes a whole document or nothing: to standard output for '-', otherwise by renaming a finished file."""
    if name == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(encoded(text))
        sys.stdout.buffer.flush()
        return
    try:
        write_whole(name, text)
    except OSError as error:
        raise click.UsageError(f"cannot write the report {name!r}: {error.strerror or error}") from error


def write_all(*documents: tuple[str | None, Callable[[], str]]) -> None:
    """Writes each document that has a name, standard output last: the files are there also when nobody reads that."""
    for name, text in sorted(documents, key=lambda document: document[0] == "-"):
        if name is not None:
            write_document(name, text())


def make_folder(folder: Path) -> None:
    """Creates a folder; its parent must exist, so that a typo cannot create a tree of folders."""
    parent = folder.absolute().parent
    if not folder.is_dir() and not parent.is_dir():
        raise click.UsageError(f"cannot make the folder {str(folder)!r}: there is no folder {str(parent)!r}")
    folder.mkdir(exist_ok=True)
