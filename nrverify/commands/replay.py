"""`nrverify replay`: a recorded verdict recomputed."""

from __future__ import annotations

import sys

import click

from nrverify.commands.documents import check_documents, document_options, table_option, write_documents
from nrverify.commands.options import quiet_option
from nrverify.plain_text import plain_text


class _Misfit(click.ClickException):
    """The record is at fault, and not how the command was written: no word about its usage."""

    exit_code = 2


@click.command(name="replay")
@click.argument("file")
@document_options
@table_option
@quiet_option
def command(file: str, quiet: bool, github: bool, table: bool, **files: str | None) -> None:
    """Recompute the verdict recorded in FILE with this version of nrverify, without the subject.

    The exit code is that of the recomputed verdict, as for an audit; a record that does not fit this version, or is
    damaged, is a usage error (2).
    """
    check_documents(files, github)
    from nrverify.auditing.replay.replay import replay

    try:
        replayed = replay(file)
    except ValueError as error:
        raise _Misfit(str(error)) from error
    write_documents(replayed.report, files, github, quiet, table=table)
    stream = sys.stderr if "-" in files.values() else sys.stdout
    if replayed.differences:
        words = plain_text("; ".join(replayed.differences[:5]), one_line=True)
        click.echo(f"Recomputed, the verdict differs from the record: {words}", file=stream)
    elif not quiet:
        click.echo(f"Recomputed, the verdict is the recorded one: {plain_text(replayed.recorded)}", file=stream)
    sys.exit(replayed.report.exit_code)
