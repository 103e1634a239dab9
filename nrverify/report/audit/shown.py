"""Reports as they are shown: printed as on a terminal, in a notebook as the page."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import fields
from functools import wraps
from typing import ParamSpec

from nrverify.auditing.audit import audit as audit_quietly
from nrverify.auditing.core.report import Report

P = ParamSpec("P")
WIDTH = 100
"""Columns of a report that is printed where no terminal says how many it has."""


class ShownReport(Report):
    """A report that prints itself."""

    def __str__(self) -> str:
        """The report as the command line prints it, without colours."""
        from rich.console import Console

        from nrverify.report.audit.terminal import print_audit

        text = io.StringIO()
        print_audit(self, Console(file=text, width=WIDTH, color_system=None, emoji=False))
        return "\n".join(line.rstrip() for line in text.getvalue().split("\n"))

    def _repr_html_(self) -> str:
        """The page, in a frame of its own: its style must not reach the notebook's."""
        from html import escape

        from nrverify.report.audit.formats import DOCUMENTS

        page = escape(DOCUMENTS["html"].fold(self, None), quote=True)
        return (
            f'<iframe srcdoc="{page}" sandbox="allow-scripts" style="width: 100%; height: 40rem; border: 0"></iframe>'
        )


def _shown(function: Callable[P, Report]) -> Callable[P, ShownReport]:
    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> ShownReport:
        report = function(*args, **kwargs)
        return ShownReport(*(getattr(report, field.name) for field in fields(report)))

    return called


audit = _shown(audit_quietly)
"""`nrverify.audit`: an audit whose report prints itself."""
