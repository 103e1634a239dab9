"""The figures: what they say of their data, the numbers behind them, and the same bytes every time."""

import csv
import io
import math
import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from nrverify.report.reproduction.markdown import reproduction_markdown
from nrverify.reproduce.figures.boundary_figure import build as build_boundaries
from nrverify.reproduce.figures.drawing import render
from nrverify.reproduce.figures.exhibits import kinds
from nrverify.reproduce.figures.panels import STYLES
from nrverify.reproduce.numbers import csv_text
from nrverify.reproduce.run import reproduce
from nrverify.reproduce.settings import ReproductionSettings

SMALL = ReproductionSettings(rows=400, trials=20, per_doubling=2)


@pytest.fixture(scope="module")
def reproduction():
    return reproduce(settings=SMALL)


def rows_of(text):
    return list(csv.DictReader(line for line in io.StringIO(text) if not line.startswith("#")))


def test_every_exhibit_is_made_in_order(reproduction):
    assert [figure.name for figure in reproduction.figures] == list(kinds())


def test_synthetic_data_are_called_so_on_every_figure_table_finding_and_in_the_report(reproduction):
    for figure in reproduction.figures[1:]:
        assert "SYNTHETIC" in figure.data
        text = csv_text(figure.numbers, figure.data)
        assert "SYNTHETIC" in text.splitlines()[1]
    assert all("SYNTHETIC" in table.title for table in reproduction.tables)
    assert {finding.data for finding in reproduction.findings} == {"exact", "synthetic"}
    document = reproduction_markdown(reproduction, "figures")
    sections = {section.split("\n")[0]: section for section in document.split("\n## ")[1:]}
    told = [name for name in sections if name.startswith(("In short", "The findings", "Logistic", "Ridge"))]
    assert len(told) == 10
    assert all("SYNTHETIC" in sections[name] for name in told)
    assert "of the paper they say nothing" in document


def test_the_report_shows_every_figure_with_its_caption_and_numbers(reproduction):
    document = reproduction_markdown(reproduction, "some/where")
    for figure in reproduction.figures:
        assert f"(some/where/{figure.name}.svg)" in document
        assert f"(some/where/{figure.name}.pdf)" in document
        assert f"(some/where/{figure.name}.csv)" in document
        assert figure.caption in document
    for finding in reproduction.findings:
        assert f"| {finding.id} |" in document
    widths = {
        block.count("|") / len(block.splitlines()) for block in re.findall(r"(?:^\|.*\n)+", document, re.MULTILINE)
    }
    assert all(width.is_integer() for width in widths)  # every row of a table has as many cells as its header


def test_a_drawing_is_valid_says_what_it_shows_and_is_the_same_every_time(reproduction):
    first, again = (render(reproduction.figures[4], "svg", "pdf") for _ in range(2))
    assert first == again
    assert first["pdf"].startswith(b"%PDF")
    assert b"CreationDate" not in first["pdf"]
    text = first["svg"].decode()
    ElementTree.fromstring(text)
    assert "dc:date" not in text
    assert "SYNTHETIC" in text


def test_a_drawing_does_not_depend_on_which_files_are_asked_for(reproduction):
    figure = reproduction.figures[1]
    assert render(figure, "svg")["svg"] == render(figure, "pdf", "svg")["svg"]


def test_the_linear_boundary_is_below_the_mixture_exactly_where_the_ledger_says():
    exhibit = build_boundaries()
    (finding,) = exhibit.findings
    assert (finding.low, finding.high) == pytest.approx((134.326913563394, 689.227714634954), rel=1e-9)
    assert finding.estimate == pytest.approx(1 / (2 * (math.sqrt(LEVEL + 0.3) - math.sqrt(LEVEL)) ** 2), rel=1e-9)
    for row in rows_of(csv_text(exhibit.figure.numbers, "")):
        if row["given"] == "variance":
            inside = 134.33 < float(row["value"]) < 689.22
            assert inside == (float(row["linear"]) < float(row["mixture"]))
            assert float(row["half_normal"]) < float(row["mixture"])
    assert "0.217097" in exhibit.figure.caption
    assert "0.497601" in exhibit.figure.caption


LEVEL = math.log(1e6)


def test_the_numbers_behind_a_figure_are_those_it_shows(reproduction):
    figure = next(figure for figure in reproduction.figures if figure.name == "loss-logistic")
    rows = rows_of(csv_text(figure.numbers, figure.data))
    curve = figure.panels[0][0].curves[0]
    assert [float(row["epsilon"]) for row in rows] == pytest.approx(curve.x, rel=1e-5)
    assert [float(row["brownian_mean"]) for row in rows] == pytest.approx(curve.y, rel=1e-5)
    assert [float(row["brownian_low"]) for row in rows] == pytest.approx(curve.low, rel=1e-5)


def test_histograms_hold_every_run_that_stopped(reproduction):
    for name in ("privacy-logistic", "privacy-ridge"):
        figure = next(figure for figure in reproduction.figures if figure.name == name)
        for panel in figure.panels[0]:
            for shown in panel.distributions:
                values = np.array(shown.values)
                stopped = values[np.isfinite(values)]
                assert np.histogram(stopped, shown.edges)[0].sum() == len(stopped)
                assert len(values) == SMALL.trials


def test_the_corrected_comparison_keeps_the_printed_row_and_never_pays_more_by_sharper_accounting(reproduction):
    for task in ("logistic", "ridge"):
        table = next(table for table in reproduction.tables if table.name == f"corrected-{task}-medians")
        printed, sharper = (table.header.index(name) for name in ("Brownian, RAT 2ε_N", "Brownian, RAT sharper"))
        assert table.rows[0][0] == "as printed"
        assert len(table.rows) == 6
        assert all(row[sharper] <= row[printed] for row in table.rows)


def test_roles_differ_in_colour_line_and_mark_where_they_are_drawn_together():
    for together in (("brownian", "laplace"), ("linear", "mixture", "half-normal", "grid")):
        for part in ("colour", "mark"):
            assert len({getattr(STYLES[role], part) for role in together}) == len(together)
    assert len({str(STYLES[role].line) for role in ("linear", "mixture", "half-normal")}) == 3


def test_a_choice_of_figures_runs_only_what_they_need():
    chosen = reproduce(["loss-logistic", "boundaries"], settings=SMALL)
    assert [figure.name for figure in chosen.figures] == ["boundaries", "loss-logistic"]
    assert [source.task for source in chosen.sources] == ["logistic"]
