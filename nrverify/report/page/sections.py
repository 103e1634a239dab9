"""A page of sections: words, lists, charts, figures and tables, for reports that are read from top to bottom."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass

from markupsafe import Markup

from nrverify.report.page.charts.draw import Chart
from nrverify.report.page.environment import render
from nrverify.report.page.inline_math import set_prose

NOTHING = Markup()


@dataclass(frozen=True)
class Cell:
    """A cell of a table; a tone makes a badge of it."""

    words: Markup
    tone: str = ""


@dataclass(frozen=True)
class TableView:
    """A table; columns whose numbers are compared are aligned to the right."""

    title: str
    words: Markup
    columns: tuple[tuple[str, bool], ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: Markup = NOTHING


@dataclass(frozen=True)
class Plate:
    """A figure made elsewhere."""

    address: str
    alternative: str
    caption: Markup


@dataclass(frozen=True)
class Section:
    """A part of the page."""

    title: str
    words: Markup = NOTHING
    items: tuple[Markup, ...] = ()
    charts: tuple[Chart, ...] = ()
    plates: tuple[Plate, ...] = ()
    tables: tuple[TableView, ...] = ()


@dataclass(frozen=True)
class Head:
    """What stands above everything: one word, what it is about, and findings that are or are not as they should be."""

    section: str
    word: str
    tone: str
    meaning: str
    title: str
    lede: Markup
    notices: tuple[Markup, ...] = ()
    findings: tuple[tuple[Markup, bool], ...] = ()


def page_of(head: Head, sections: tuple[Section, ...], footer: str) -> str:
    """The whole page."""
    return render("sections.html", head=head, sections=sections, words_below=footer)


def cell(words: str, tone: str = "") -> Cell:
    """A cell with its mathematics set."""
    return Cell(Markup(set_prose(words)), tone)


def plate(svg: bytes, alternative: str, caption: Markup) -> Plate:
    """A figure inside the file: as a plot, so that nothing in it can reach the page."""
    return Plate(f"data:image/svg+xml;base64,{b64encode(svg).decode()}", alternative, caption)
