"""An audit as a page, in a real browser: the verdict first, a plot for every check, quiet, escaped, printable."""

import base64
import math
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

import nrverify
from nrverify.auditing.core.plots import data as plots
from nrverify.auditing.core.report import Report
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.cli import cli
from nrverify.report.audit.page import audit_html
from nrverify.report.audit.refutation import shown_of
from nrverify.report.page.charts.axes import decades, number, steps
from nrverify.report.page.charts.draw import DRAWN, chart
from tests.auditing import subjects
from tests.report.browser import chromium, complaints, requests, show

HOSTILE = "</script></title><img src=x onerror=alert(1)>\"'><script>alert(2)</script>"

INFINITE = (-math.inf, math.inf)


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with chromium(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture(scope="module")
def refuted():
    return nrverify.audit(subjects.Fresh(), samples=3000)


@pytest.fixture(scope="module")
def page(tmp_path_factory, refuted):
    path = tmp_path_factory.mktemp("page") / "audit.html"
    path.write_text(audit_html(refuted), encoding="utf-8")
    return path


def test_the_verdict_and_what_is_refuted_come_first(browser, page, refuted):
    assert refuted.verdict == "refuted"
    show(browser, page)
    assert browser.find_element(By.CSS_SELECTOR, ".verdict .badge").text == "refuted"
    headings = [heading.text.split(" ")[2] for heading in browser.find_elements(By.TAG_NAME, "h2")]
    assert headings == ["refuted", "excluded", "check"][: len(headings)]
    findings = browser.find_element(By.CSS_SELECTOR, "article.finding").text
    for part in ("Expected", "Evidence", "Likely cause", "Effect", "Reproduce"):
        assert part in findings


def test_every_check_has_its_own_place_and_refuted_ones_are_open(browser, page, refuted):
    show(browser, page)
    ids = {place.get_attribute("id") for place in browser.find_elements(By.CSS_SELECTOR, "details.check")}
    assert ids == {check.id for check in shown_of(refuted.checks)}
    for check in refuted.checks:
        if check.id not in ids:
            assert (check.verdict, check.gap) == (CheckVerdict.NOT_COVERED, False) or not check.message
            assert check.verdict in (CheckVerdict.NOT_COVERED, CheckVerdict.ADVICE)
    opened = {item.get_attribute("id") for item in browser.find_elements(By.CSS_SELECTOR, "details.check[open]")}
    assert opened
    assert opened <= {check.id for check in refuted.checks if check.verdict is CheckVerdict.REFUTED}


def test_the_law_has_pictures_of_why(browser, page):
    show(browser, page)
    law = browser.find_element(By.ID, "law.transcript")
    assert "{" not in law.text
    titles = [caption.text.split(".")[0] for caption in law.find_elements(By.CSS_SELECTOR, "figcaption")]
    for title in ("Distribution", "Quantiles", "Correlation of the transforms of two releases", "Wealth of the bets"):
        assert title in titles
    for drawing in law.find_elements(By.CSS_SELECTOR, "svg.chart"):
        assert drawing.get_attribute("aria-label")
        assert drawing.size["height"] > 60


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_the_page_is_quiet_asks_for_nothing_and_fits_its_window(browser, page, scheme, width):
    show(browser, page, scheme, width)
    browser.execute_script("for (const item of document.querySelectorAll('details')) item.open = true")
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    assert requests(browser) == {page.as_uri()}
    assert complaints(browser) == []


def test_the_keyboard_opens_a_check(browser, page):
    show(browser, page)
    summary = browser.find_element(By.CSS_SELECTOR, "details.check:not([open]) > summary")
    place = summary.find_element(By.XPATH, "..")
    summary.send_keys(Keys.ENTER)
    assert place.get_attribute("open") is not None


def test_it_prints(browser, page):
    show(browser, page, "dark")
    printed = browser.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True})
    assert base64.b64decode(printed["data"]).startswith(b"%PDF")


def hostile_report():
    """A report whose every word is an attack, with every kind of plot."""
    dot = plots.Dot(HOSTILE, 1.0, (0.5, 1.5), (0.2, 2.0), 3.0)
    bar = plots.Bar(HOSTILE, 0.5, (0.4, 0.6), (0.3, 0.7), 0.9)
    line = plots.Line(HOSTILE, (1.0, 2.0), (1.0, 2.0))
    table = ((None, None), (0.5, None))
    shown = (
        plots.Uniformity(HOSTILE, (0.5,), (0.1,), 0.05, 0.2, 9, HOSTILE),
        plots.Quantiles(HOSTILE, (0.0,), (0.1,), ((-1.0, 1.0),), ((-2.0, 2.0),), 9, HOSTILE),
        plots.Dots(HOSTILE, HOSTILE, (dot,), HOSTILE),
        plots.Bound(HOSTILE, HOSTILE, (dot,), HOSTILE),
        plots.Matrix(HOSTILE, (HOSTILE, HOSTILE), table, table, table, HOSTILE),
        plots.Bars(HOSTILE, HOSTILE, HOSTILE, (bar,), HOSTILE),
        plots.Tradeoff(HOSTILE, 1.0, 0.1, (0.0, 0.5), (0.0, 0.7), 0.1, 0.2, HOSTILE),
        plots.WealthPlot(HOSTILE, (10, 20), (0.0, 1.0), 3.0, HOSTILE),
        plots.Lines(HOSTILE, HOSTILE, HOSTILE, (line,), HOSTILE, 1.5, (HOSTILE, 1.0)),
    )
    assert {type(plot) for plot in shown} == set(DRAWN)
    words = dict.fromkeys(("detectable", "expected", "observed", "message", "reproduce"), HOSTILE)
    checks = tuple(
        CheckResult(HOSTILE, HOSTILE, verdict, (HOSTILE,), 9, 0.1, 0.2, 3.0, 1e-6, **words) for verdict in CheckVerdict
    )
    subject = dict.fromkeys(("name", "version", "mechanism", "knob", "address"), HOSTILE)
    run = {"seed": 0, "alpha": 1e-6, "samples": 9, "stopped": HOSTILE, "versions": {HOSTILE: HOSTILE}, "seconds": 1.0}
    return Report("refuted", 1, subject, run, checks, HOSTILE, {HOSTILE: shown}, (HOSTILE,))


def test_hostile_words_do_nothing(browser, tmp_path):
    path = tmp_path / "hostile.html"
    path.write_text(audit_html(hostile_report()), encoding="utf-8")
    show(browser, path)
    browser.execute_script("for (const item of document.querySelectorAll('details')) item.open = true")
    assert browser.execute_script("return document.querySelectorAll('img, script:not(head > script)').length") == 0
    assert requests(browser) == {path.as_uri()}
    assert complaints(browser) == []
    assert browser.find_element(By.TAG_NAME, "h1").text == HOSTILE
    assert len(browser.find_elements(By.CSS_SELECTOR, "svg.chart")) == len(DRAWN) * len(CheckVerdict)


def absurd_pictures():
    """Plots of what a subject with absurd answers leaves behind."""
    nan, inf = math.nan, math.inf
    yield plots.Dots("t", "q", (plots.Dot("a", inf, INFINITE, INFINITE, 1.0),), "")
    yield plots.Dots("t", "q", (plots.Dot("a", nan, (nan, nan), (nan, nan), 1.0),), "")
    yield plots.Bound("t", "q", (plots.Dot("a", 0.0, INFINITE, INFINITE, 1.0),), "")
    yield plots.WealthPlot("t", (64,), (inf,), 16.0, "")
    yield plots.WealthPlot("t", (64, 80), (nan, -inf), 16.0, "")
    yield plots.WealthPlot("t", (0, 0), (0.0, 0.0), 16.0, "")
    yield plots.Bars("t", "x", "round", (plots.Bar("1", 0.0, (0.0, 0.0), (0.0, 0.0), 0.0),), "")
    yield plots.Tradeoff("t", 800.0, 0.0, (0.0, 0.0), (0.0, 0.0), 1.0, 1.0, "")
    yield plots.Tradeoff("t", 0.0, 0.0, (0.0, 0.5), (0.0, 0.5), 0.1, 0.1, "")
    yield plots.Lines("t", "x", "y", (plots.Line("a", (1.0, 2.0), (0.0, inf)),), "")
    yield plots.Lines("t", "x", "y", (plots.Line("a", (1.0, 1.0), (1.0, 1.0)),), "", None, ("δ", 1e-6))
    yield plots.Uniformity("t", (0.5,), (0.0,), 1.0, 1.0, 1, "")
    yield plots.Quantiles("t", (), (), (), (), 0, "")


@pytest.mark.parametrize("plot", list(absurd_pictures()), ids=lambda plot: type(plot).__name__)
def test_absurd_numbers_are_drawn_all_the_same(plot):
    drawn = chart(plot)
    assert "nan" not in drawn.drawing
    assert "inf" not in drawn.drawing
    assert str(drawn.drawing).startswith("<svg")


class Absurd(subjects.Right):
    """Noise beyond reason."""

    def first(self, shape, t, rng):
        return 1e80 * super().first(shape, t, rng)


def test_a_subject_with_absurd_numbers_has_a_page():
    report = nrverify.audit(Absurd(), samples=500)
    assert report.verdict == "refuted"
    assert audit_html(report).rstrip().endswith("</html>")


def test_each_check_shows_what_it_saw():
    shown = nrverify.audit(subjects.Right(), samples=1500).plots
    for check, kinds in {
        "law.adaptive": {"Uniformity", "Quantiles", "Matrix", "Dots", "WealthPlot"},
        "loss.stopping": {"Bars", "WealthPlot"},
    }.items():
        assert {type(plot).__name__ for plot in shown[check]} == kinds


def test_an_errored_audit_has_a_page_that_says_why(browser, tmp_path):
    report = nrverify.audit("python:no_such_module:Name")
    path = tmp_path / "errored.html"
    path.write_text(audit_html(report), encoding="utf-8")
    show(browser, path)
    assert browser.find_element(By.CSS_SELECTOR, ".verdict .badge").text == "errored"
    assert "no_such_module" in browser.find_element(By.CSS_SELECTOR, ".notice.bad").text
    assert complaints(browser) == []


def test_the_command_writes_page_and_data_alike(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text("from tests.auditing.subjects import Fresh\n", encoding="utf-8")
    page, data = tmp_path / "page.html", tmp_path / "report.json"
    arguments = ["audit", f"python:{file}:Fresh", "--samples", "1500", "--html", str(page), "--json", str(data)]
    outcome = CliRunner().invoke(cli, arguments)
    assert outcome.exit_code == 1
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert "pictures" not in data.read_text(encoding="utf-8")


def test_numbers_on_an_axis_are_written_as_people_do():
    written = {0: "0", 12: "12", 0.25: "0.25", -1.5: "−1.5", 20000: "20\u202f000", 1e-6: "10⁻⁶", 2.5e-7: "2.5·10⁻⁷"}
    written |= {1e9: "10⁹", -3e8: "−3·10⁸", math.inf: "∞", math.nan: "–", -math.inf: "−∞"}
    assert {value: number(value) for value in written} == written


def test_ticks_are_round_and_inside():
    assert steps(-0.5, 1.1) == pytest.approx([-0.5, 0.0, 0.5, 1.0])
    assert decades(1e-3, 1e3) == pytest.approx([1e-3, 1e-2, 1e-1, 1, 10, 100, 1000])
    rng = np.random.default_rng(0)
    for low, size in rng.uniform(-5, 5, (50, 2)):
        high = low + abs(size) + 1e-3
        assert all(low - 1e-9 <= tick <= high + 1e-9 for tick in steps(low, high))


def test_what_lies_beyond_the_limits_comes_first():
    inside = plots.Uniformity("inside", (0.5,), (0.0,), 0.1, 0.2, 9, "")
    outside = replace(inside, title="outside", difference=(0.3,))
    report = replace(hostile_report(), plots={HOSTILE: (inside, outside)})
    text = audit_html(report)
    assert text.index("<b>outside.") < text.index("<b>inside.")
