"""Calibration and reproduction as pages, in a real browser: what was found first, quiet, and escaped."""

from dataclasses import replace

import pytest
from click.testing import CliRunner
from selenium.webdriver.common.by import By

from nrverify.calibrate.calibration import QUICK, Calibration
from nrverify.calibrate.efficiency import Efficiency
from nrverify.calibrate.empirical import EmpiricalEpsilon
from nrverify.calibrate.false_alarms import Alarms
from nrverify.calibrate.matrix import Kill, KillMatrix, Spared
from nrverify.calibrate.trial import Trial
from nrverify.cli import cli
from nrverify.reference.mutants import BENIGN, MUTANTS
from nrverify.report.calibration.page import calibration_html
from nrverify.report.page.charts.ratios import Ratio, draw_ratios
from nrverify.report.reproduction.page import reproduction_html
from nrverify.reproduce.result import Exhibit, Figure, Observation, Panel, Reproduction, Source, Table
from tests.report.browser import chromium, complaints, requests, show

HOSTILE = "</script></title><img src=x onerror=alert(1)>\"'><script>alert(2)</script>"

SVG = b"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 20 10'><rect width='20' height='10'/></svg>"
HOSTILE_SVG = (
    b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'><script>alert(2)</script>"
    b"<image href='http://127.0.0.1:9/x'/></svg>"
)


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with chromium(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


def calibration(words="fault"):
    mutant, benign = replace(MUTANTS[0], name=words, mistake=words), replace(BENIGN[0], name=words, variation=words)
    found = Trial("refuted", 640, ("law.transcript",), ("law.transcript", "ties"))
    matrix = KillMatrix(
        1e-6,
        200_000,
        (Kill(mutant, found, found, 300.0),),
        (Spared(benign, replace(found, verdict="consistent")),),
        True,
    )
    return Calibration(
        seed=0,
        scope=QUICK,
        matrix=matrix,
        alarms=(Alarms(words, 40, 1, 0, 0), Alarms("boundary", 1, 0, 0, 0)),
        efficiency=(Efficiency(words, 0.01, 100.0, (100, 200, 300), 0), Efficiency("missed", 0.1, 10.0, (), 3)),
        empirical=(EmpiricalEpsilon(words, 1000, (0.97,), 1.0, words),),
    )


def reproduction(words="words"):
    numbers = Table(words, words, ("what", "x", "x low", "x high"), ((words, 1.0, 0.5, float("inf")),), words)
    figure = Figure("name", words, words, words, ((Panel(words, words, words),),), numbers)
    finding = Observation("F1", words, "synthetic", words, words, 1.0, -1.0, float("inf"), "undecided", words)
    source = Source(words, "synthetic", words, words)
    return Reproduction((("trials", words),), (source,), (Exhibit(figure, (numbers,), (finding,)),))


PAGES = {
    "calibration": lambda words: calibration_html(calibration(words)),
    "reproduction": lambda words: reproduction_html(reproduction(words), {"name": SVG}),
}


@pytest.mark.parametrize("kind", PAGES)
@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_the_page_is_quiet_asks_for_nothing_and_fits_its_window(browser, tmp_path, kind, scheme, width):
    path = tmp_path / "page.html"
    path.write_text(PAGES[kind]("words"), encoding="utf-8")
    show(browser, path, scheme, width)
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    assert requests(browser) == {path.as_uri()}
    assert complaints(browser) == []


@pytest.mark.parametrize("kind", PAGES)
def test_hostile_words_do_nothing(browser, tmp_path, kind):
    path = tmp_path / "hostile.html"
    path.write_text(PAGES[kind](HOSTILE), encoding="utf-8")
    show(browser, path)
    assert (
        browser.execute_script("return document.querySelectorAll('img[src=x], script:not(head > script)').length") == 0
    )
    assert requests(browser) == {path.as_uri()}
    assert complaints(browser) == []
    assert "onerror=alert(1)" in browser.find_element(By.TAG_NAME, "main").text


def test_a_hostile_figure_does_nothing(browser, tmp_path):
    path = tmp_path / "figure.html"
    path.write_text(reproduction_html(reproduction(), {"name": HOSTILE_SVG}), encoding="utf-8")
    show(browser, path)
    assert requests(browser) == {path.as_uri()}
    assert complaints(browser) == []


def test_a_calibration_says_first_what_is_not_as_it_should_be(browser, tmp_path):
    path = tmp_path / "page.html"
    path.write_text(calibration_html(calibration()), encoding="utf-8")
    show(browser, path)
    assert browser.find_element(By.CSS_SELECTOR, ".verdict .badge").text == "not as it should be"
    wrong = [item.text for item in browser.find_elements(By.CSS_SELECTOR, ".findings .bad")]
    assert any("faults refuted" in words and "missed" in words for words in wrong)
    rows = browser.find_elements(By.CSS_SELECTOR, "tbody tr")
    assert any("law.transcript" in row.text for row in rows)


def test_a_figure_is_inside_the_file(browser, tmp_path):
    path = tmp_path / "page.html"
    path.write_text(reproduction_html(reproduction(), {"name": SVG}), encoding="utf-8")
    show(browser, path)
    width = browser.execute_script("return document.querySelector('.plate img').naturalWidth")
    assert width > 0


def test_ratios_beyond_all_measure_are_drawn():
    drawn = draw_ratios([Ratio("a", float("inf"), 1.0, float("inf")), Ratio("b", 0.0, 0.0, 0.0)], 2.5, "x", "words")
    assert "inf" not in drawn
    assert "nan" not in drawn


def test_the_command_writes_the_page_of_a_reproduction(tmp_path):
    page = tmp_path / "page.html"
    arguments = ["reproduce", "boundaries", "--out", str(tmp_path / "figures"), "--html", str(page), "--jobs", "1"]
    outcome = CliRunner().invoke(cli, arguments)
    assert outcome.exit_code == 0, outcome.output
    text = page.read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>")
    assert "data:image/svg+xml;base64," in text


def test_both_commands_refuse_a_page_that_cannot_be_written(tmp_path):
    for command in ("calibrate", "reproduce"):
        outcome = CliRunner().invoke(cli, [command, "--html", str(tmp_path / "no" / "page.html")])
        assert outcome.exit_code == 2
        assert "cannot write the report" in outcome.output
