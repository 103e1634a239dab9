"""The options of a command that writes an audit's report as documents, and in a GitHub workflow."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

from nrverify.commands.options import check_writable, console_for, write_all
from nrverify.report.atomic_write import encoded, printable
from nrverify.report.audit.formats import DOCUMENTS

if TYPE_CHECKING:
    from nrverify.auditing.core.report import Report

F = TypeVar("F", bound=Callable[..., Any])
SUMMARY = "GITHUB_STEP_SUMMARY"
"""The variable by which GitHub Actions names the file of the step summary."""


def document_options(function: F) -> F:
    """--json FILE and its like, passed on by the names of the documents; and --github."""
    words = "Annotations, and a step summary where $GITHUB_STEP_SUMMARY says."
    function = click.option("--github", is_flag=True, help=words)(function)
    for name, document in reversed(DOCUMENTS.items()):
        words = f"{document.help} '-' is standard output."
        function = click.option(f"--{name}", name, metavar="FILE", help=words)(function)
    return function


def table_option(function: F) -> F:
    """--table."""
    return click.option("--table", is_flag=True, help="The table of all checks, also of a refuted audit.")(function)


def check_documents(files: Mapping[str, str | None], github: bool) -> None:
    """Refuses, before any work is done, what could not be written after it."""
    check_writable(*files.values())
    summary = os.environ.get(SUMMARY)
    if github and summary:
        check_writable(summary)


def write_documents(
    report: Report,
    files: Mapping[str, str | None],
    github: bool,
    quiet: bool,
    verbose: bool = False,
    table: bool = False,
) -> None:
    """Writes every document asked for, then the table where standard output is free of them, else beside it."""
    if github:
        _add_to_summary(report)
    write_all(*((file, _folded(report, name)) for name, file in files.items()))
    if not quiet or report.exit_code:
        from nrverify.report.audit.terminal import print_audit, print_problems

        console = console_for(list(files.values()))
        if quiet:
            print_problems(report, console)
        else:
            print_audit(report, console, verbose, table)
    if github:
        from nrverify.report.audit.github import workflow_commands

        stream = sys.stderr if "-" in files.values() else sys.stdout
        stream.write(printable(workflow_commands(report)))
        stream.flush()


def _folded(report: Report, name: str) -> Callable[[], str]:
    return lambda: DOCUMENTS[name].fold(report, None)


def _add_to_summary(report: Report) -> None:
    from nrverify.report.audit.github import step_summary

    if file := os.environ.get(SUMMARY):
        try:
            with open(file, "ab") as step:
                step.write(encoded(step_summary(report)))
        except OSError as error:
            raise click.UsageError(f"cannot add to the step summary {file!r}: {error.strerror or error}") from error
