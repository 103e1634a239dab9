"""The reproduction as a page: the findings, what the set-up leaves open, and every figure with its numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from markupsafe import Markup

from nrverify.report.page.inline_math import set_prose
from nrverify.report.page.sections import Cell, Head, Section, TableView, cell, page_of, plate
from nrverify.report.reproduction import markdown as document
from nrverify.reproduce.result import Exhibit, Observation, Reproduction, Table, Verdict

TONES: dict[Verdict, str] = {"reproduced": "good", "not reproduced": "bad", "undecided": "warn"}

FINDINGS = (
    "Each finding in our words, an estimate with a 95 % interval, and a verdict: reproduced where the whole interval "
    "is on the side of the claim, not reproduced where it is on the other, undecided otherwise."
)


def reproduction_html(reproduction: Reproduction, figures: Mapping[str, bytes]) -> str:
    """The whole page; `figures` holds the SVG of each figure by its name."""
    counts = Counter(finding.verdict for finding in reproduction.findings)
    said = ", ".join(f"{counts[verdict]} {verdict}" for verdict in TONES if counts[verdict])
    head = Head(
        section="reproduction",
        word=f"{len(reproduction.figures)} figures",
        tone="gap",
        meaning=f"findings: {said}" if said else "no findings asked for",
        title="The figures and findings of the paper, run again",
        lede=_prose(
            "The experiments of Brownian Noise Reduction: Maximizing Privacy Subject to Accuracy Constraints (arXiv "
            "2206.07234) with today's code."
        ),
        notices=tuple(
            _prose(f"{document.task_words(source.task)}: {source.label}.")
            for source in reproduction.sources
            if source.kind != "original"
        ),
    )
    sections = [section for section in _opening(reproduction) if section.tables or section.items]
    sections += [_exhibit(exhibit, figures) for exhibit in reproduction.exhibits]
    return page_of(head, tuple(sections), "nrverify reproduce")


def _opening(reproduction: Reproduction) -> list[Section]:
    findings = sorted(reproduction.findings, key=lambda finding: finding.id)
    columns = ("id", "task", "finding", "measured", "estimate [95 %]", "verdict", "note")
    rows = tuple(_finding(finding) for finding in findings)
    sources = tuple(
        tuple(cell(words) for words in (document.task_words(source.task), source.kind, source.label, source.detail))
        for source in reproduction.sources
    )
    options = tuple(
        (cell(f"`--{name.replace('_', '-')}`"), cell(value), cell(document.OPTIONS[name]))
        for name, value in reproduction.options
    )
    return [
        Section("The findings of Section 6", _prose(FINDINGS), tables=_tables(columns, rows)),
        Section("The data", tables=_tables(("task", "kind", "data", "what it is"), sources)),
        Section("The set-up", tables=_tables(("option", "value", "meaning"), options)),
        Section(
            "Where the set-up is not what it says",
            _prose("By their ids in the ledger; `nrverify explain ID` says more."),
            items=tuple(Markup("<b>{}</b> {}").format(ids, _prose(words)) for ids, words in document.NOT_AS_IT_SAYS),
        ),
    ]


def _finding(finding: Observation) -> tuple[Cell, ...]:
    interval = f"{_limit(finding.estimate)} [{_limit(finding.low)}, {_limit(finding.high)}]"
    resting = "" if finding.data in ("original", "exact") else f" ({finding.data})"
    words = (finding.id, document.task_words(finding.task), finding.statement, finding.measure, interval)
    return (
        *(cell(part) for part in words),
        cell(f"{finding.verdict}{resting}", TONES[finding.verdict]),
        cell(finding.note),
    )


def _exhibit(exhibit: Exhibit, figures: Mapping[str, bytes]) -> Section:
    figure = exhibit.figure
    words = Markup("<b>{}.</b> {}").format(figure.data, _prose(figure.caption))
    plates = (plate(figures[figure.name], f"{figure.title}. {figure.data}", words),) if figure.name in figures else ()
    return Section(figure.title, plates=plates, tables=tuple(map(_numbers, exhibit.tables)))


def _numbers(table: Table) -> TableView:
    header, widths = document.merged(table.header)
    rows = tuple(tuple(cell(words) for words in document.merged_cells(row, widths)) for row in table.rows)
    columns = tuple((name, index > 0) for index, name in enumerate(header))
    return TableView(table.title, Markup(), columns, rows, _prose(table.note))


def _tables(columns: tuple[str, ...], rows: tuple[tuple[Cell, ...], ...]) -> tuple[TableView, ...]:
    return (TableView("", Markup(), tuple((name, False) for name in columns), rows),) if rows else ()


def _limit(value: float) -> str:
    return document.limit_words(value).replace("-", "−")


def _prose(words: str) -> Markup:
    return Markup(set_prose(words))
