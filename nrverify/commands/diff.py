"""`nrverify diff`: what changed between two audits."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from nrverify.commands.options import console_for, quiet_option

if TYPE_CHECKING:
    from nrverify.auditing.core.report import Report

LARGEST = 64 * 2**20
"""Bytes of a report that are read: those of audits have about a hundred thousandth of that."""


@click.command(name="diff")
@click.argument("old")
@click.argument("new")
@quiet_option
def command(old: str, new: str, quiet: bool) -> None:
    """Compare two reports of audits, written by `nrverify audit --json` (of version 1 or 2).

    Exit code 0 when nothing new is refuted, 1 when something is, 2 when a file is not a report.
    """
    from nrverify.report.audit.difference import changes
    from nrverify.report.escape import plain

    found = list(changes(_report(old), _report(new)))
    console = console_for([])
    for change in found:
        if change.refutes or not quiet:
            style = "bold red" if change.refutes else "bold"
            console.print(
                f"[{style}]{plain(change.what)}[/]: {plain(change.old)} → {plain(change.new)}", highlight=False
            )
    if not found and not quiet:
        console.print("nothing changed", highlight=False)
    sys.exit(1 if any(change.refutes for change in found) else 0)


def _report(file: str) -> Report:
    from nrverify.auditing.core.report import report_from

    try:
        path = Path(file)
        if path.exists() and not (path.is_file() or path.is_dir()):
            raise ValueError("it is not an ordinary file")  # a device or a pipe may never end
        if path.stat().st_size > LARGEST:
            raise ValueError(f"it has {path.stat().st_size} bytes, of at most {LARGEST}")
        document = json.loads(path.read_text("utf-8"))
        if not isinstance(document, dict):
            raise ValueError("it holds no JSON object")
        return report_from(document)
    except OSError as error:
        raise click.UsageError(f"cannot read {file!r}: {error.strerror or error}") from error
    except RecursionError as error:
        raise click.UsageError(f"{file!r} is not a report of an audit: it is nested too deeply") from error
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
        words = f"it has no field {error}" if isinstance(error, KeyError) else str(error)
        raise click.UsageError(
            f"{file!r} is not a report of an audit: {words}; write one with `nrverify audit SUBJECT --json FILE`"
        ) from error
