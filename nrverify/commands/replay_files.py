"""The options of `nrverify audit` that say where its record goes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from shlex import quote
from typing import TYPE_CHECKING, Any, TypeVar

import click

from nrverify.plain_text import plain_text

if TYPE_CHECKING:
    from nrverify.auditing.replay.recorder import Recorder

F = TypeVar("F", bound=Callable[..., Any])


def record_options(function: F) -> F:
    """--record FILE and --no-record."""
    words = "Leave the record for 'nrverify replay' here, whatever the verdict."
    function = click.option("--no-record", is_flag=True, help="Leave no record in .nrverify/replay.")(function)
    return click.option("--record", metavar="FILE", help=words)(function)


def recorder_for(subject: str, record: str | None, no_record: bool) -> Recorder | None:
    """Where to leave a record: in the file named, where something is refuted also without a name; or nowhere."""
    if record is not None and no_record:
        raise click.UsageError("--record and --no-record exclude one another")
    if subject.startswith("records:"):
        if record is not None:
            raise click.UsageError("a records: subject needs no --record: the file can be audited again as it is")
        return None
    if no_record:
        return None
    from nrverify.auditing.replay.recorder import Recorder

    try:
        return Recorder(record)
    except ValueError as error:
        raise click.UsageError(str(error)) from error


def say_what_was_left(recorder: Recorder | None, files: Mapping[str, str | None], quiet: bool) -> None:
    """The command that replays the record, unless quiet; or why there is none."""
    if recorder is None:
        return
    if recorder.notice is not None:
        click.echo(f"nrverify: {plain_text(recorder.notice)}", err=True)
    if recorder.left is not None and not quiet:
        stream = sys.stderr if "-" in files.values() else sys.stdout
        click.echo(f"Replay: nrverify replay {plain_text(quote(str(recorder.left)), one_line=True)}", file=stream)
