"""Options and ways of writing that commands share."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from rich.console import Console

F = TypeVar("F", bound=Callable[..., Any])


def jobs_option(function: F) -> F:
    """--jobs N: worker processes; the result is the same for any N."""
    return click.option(
        "--jobs",
        type=click.IntRange(min=1),
        default=None,
        help="Worker processes (default: one per core). Never changes a result.",
    )(function)


def seed_option(function: F) -> F:
    """--seed N."""
    return click.option(
        "--seed", type=click.IntRange(0, 2**32 - 1), default=0, show_default=True, help="Seed of every random stream."
    )(function)


def quiet_option(function: F) -> F:
    """--quiet."""
    return click.option("--quiet", is_flag=True, help="Print nothing but problems.")(function)


@contextmanager
def executor_for(jobs: int | None) -> Iterator[Executor | None]:
    """A process pool with that many workers; none for a single job."""
    count = jobs or os.cpu_count() or 1
    if count == 1:
        yield None
        return
    with ProcessPoolExecutor(max_workers=count) as pool:
        yield pool


def console_for(files: list[str | None]) -> Console:
    """Where tables go: standard output, unless a document is to be written there."""
    from rich.console import Console

    return Console(file=sys.stderr if "-" in files else sys.stdout, soft_wrap=False)


def check_writable(*files: str | None) -> None:
    """Refuses a report path before any work is done, not after."""
    for name in files:
        if name is None or name == "-":
            continue
        folder = Path(name).resolve().parent
        if Path(name).is_dir() or not folder.is_dir() or not os.access(folder, os.W_OK):
            raise click.UsageError(
                f"cannot write the report {name!r}: name a file in a folder that exists and is writable"
            )
    if sum(name == "-" for name in files) > 1:
        raise click.UsageError("only one report can go to standard output ('-')")


def write_document(name: str, text: str) -> None:
    """Writes a whole document or nothing: to standard output for '-', otherwise by renaming a finished file."""
    if name == "-":
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    path = Path(name)
    try:
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=path.parent, delete=False) as draft:
            draft.write(text)
        os.chmod(draft.name, 0o644)
        os.replace(draft.name, path)
    except OSError as error:
        raise click.UsageError(f"cannot write the report {name!r}: {error.strerror or error}") from error
