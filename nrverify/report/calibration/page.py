"""A calibration as a page: what was found, samples against the limit, every mutant and the checks that refute it."""

from __future__ import annotations

import math

from markupsafe import Markup

from nrverify.auditing.core.plots.data import Dot, Dots
from nrverify.calibrate.calibration import Calibration
from nrverify.calibrate.efficiency import TARGET, Efficiency
from nrverify.calibrate.false_alarms import LOOSE, Alarms, all_together
from nrverify.report.calibration import tables
from nrverify.report.page.charts.draw import Chart, chart
from nrverify.report.page.charts.ratios import Ratio, draw_ratios
from nrverify.report.page.inline_math import set_prose
from nrverify.report.page.sections import Cell, Head, Section, TableView, cell, page_of

TONES = {
    "met": "good",
    "missed": "bad",
    "not refuted": "bad",
    "consistent": "good",
    "refuted": "bad",
    "inconclusive": "warn",
    "errored": "bad",
    "+": "mute",
}
"""Of the words in a table that are verdicts."""

MATRIX = (
    "Each mutant is a right implementation with one mistake. “samples” is all that was drawn when the audit first "
    "refuted it; the checks that did so have that number in their column, those that refute it when it goes on a plus "
    "sign. “limit” is log(1/α)/KL, the samples that the best test needs which knows the fault."
)


def calibration_html(calibration: Calibration) -> str:
    """The whole page."""
    green = calibration.green
    head = Head(
        section="calibration",
        word="as it should be" if green else "not as it should be",
        tone="good" if green else "bad",
        meaning="faulty implementations are refuted, correct ones are not" if green else "something was missed",
        title="Calibration of the auditor",
        lede=_prose(
            "Audits of implementations whose verdict is known: mutants with one mistake each, benign variants, and "
            f"right ones, many times. Scope: {calibration.scope.name}, seed {calibration.seed}."
        ),
        findings=tuple((_prose(words), ok) for words, ok in tables.summary(calibration)),
    )
    option = "" if calibration.scope.name == "full" else f" --{calibration.scope.name}"
    return page_of(head, tuple(_sections(calibration)), f"nrverify calibrate{option} --seed {calibration.seed}")


def _sections(calibration: Calibration) -> list[Section]:
    found = []
    if calibration.efficiency is not None:
        table = _view(tables.efficiency(calibration.efficiency, calibration.scope.seeds))
        shown = (_efficiency_chart(calibration.efficiency),)
        found.append(Section(table.title, table.words, charts=shown, tables=(_unnamed(table),)))
    if calibration.alarms is not None:
        table = _view(tables.false_alarms(calibration.alarms, calibration.scope.audit_samples))
        shown = (_alarm_chart((*calibration.alarms, all_together(calibration.alarms))),)
        found.append(Section(table.title, table.words, charts=shown, tables=(_unnamed(table),)))
    if calibration.empirical is not None:
        table = _view(tables.empirical(calibration.empirical))
        found.append(Section(table.title, table.words, tables=(_unnamed(table),)))
    if (matrix := calibration.matrix) is not None:
        families = tuple(map(_view, tables.matrices(matrix)))
        found.append(Section("Mutant × check", _prose(MATRIX), tables=families))
        rest = [tables.standings(matrix)] if matrix.whole else []
        for plain in (*rest, tables.benign(matrix), tables.mistakes(matrix)):
            table = _view(plain)
            found.append(Section(table.title, table.words, tables=(_unnamed(table),)))
    return found


def _efficiency_chart(rows: tuple[Efficiency, ...]) -> Chart:
    ratios = tuple(
        Ratio(
            row.name,
            row.ratio,
            row.samples[0] / row.limit if row.samples else row.ratio,
            row.samples[-1] / row.limit if row.samples and not row.missed else float("inf"),
        )
        for row in rows
    )
    worst = max(ratios, key=lambda ratio: ratio.value)
    takes = "was not refuted" if math.isinf(worst.value) else f"takes {worst.value:.2f} times the limit"
    words = f"The hardest, {worst.label}, {takes}; {TARGET} is to be reached."
    note = "Median over seeds, from the least to the most. 1: the best test that knows the fault."
    drawing = draw_ratios(ratios, TARGET, "samples over the information limit", words)
    return Chart("Samples against the limit", drawing, _prose(words), _prose(note), worst.value > TARGET)


def _alarm_chart(rows: tuple[Alarms, ...]) -> Chart:
    dots = tuple(
        Dot(row.name, row.loose / row.audits, row.interval(row.loose), row.interval(row.loose), LOOSE)
        for row in rows
        if row.audits > 1
    )
    shown = chart(Dots("False alarms", f"share of audits with an alarm at α = {LOOSE}", dots, "", at_most=True))
    above = [dot.label for dot in dots if dot.narrow[0] > LOOSE]
    words = f"Certainly above α: {', '.join(above)}." if above else "None is certainly above α; below it they may be."
    note = "Limits by Clopper and Pearson at 99 %, each row alone. An audit is meant to stay below α, not to reach it."
    return Chart(shown.title, shown.drawing, _prose(words), _prose(note), bool(above))


def _view(table: tables.Table) -> TableView:
    """The verdict beside the name, so that a phone shows it."""
    order = list(range(len(table.columns)))
    if table.columns[-1] == "verdict":
        order = [0, order[-1], *order[1:-1]]
    columns = tuple((table.columns[at].rstrip(">"), table.columns[at].endswith(">")) for at in order)
    rows = tuple(tuple(_cell(row[at], at) for at in order) for row in table.rows)
    return TableView(table.title, _prose(table.words), columns, rows)


def _cell(words: str, index: int) -> Cell:
    return cell(words, TONES.get(words.split(",")[0], "") if index else "")


def _unnamed(table: TableView) -> TableView:
    """The table below a heading of its own."""
    return TableView("", Markup(), table.columns, table.rows)


def _prose(words: str) -> Markup:
    return Markup(set_prose(words))
