"""The ledger as a page, in a real browser: it filters, opens by keyboard, is quiet, asks for nothing, is escaped."""

from dataclasses import replace

import pytest
from click.testing import CliRunner
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from nrverify.cli import cli
from nrverify.ledger.claims import Verdict
from nrverify.ledger.evidence import EvidenceKind, holds
from nrverify.ledger.record import DerivationStep
from nrverify.ledger.verdicts import Result
from nrverify.ledger.verification import Verification, verify
from nrverify.report.ledger.page import ledger_html
from tests.report.browser import chromium, complaints, requests, show

CLAIMS = ["P04", "M02", "A03", "A06", "A13", "N03", "E03", "E08", "E12"]

HOSTILE = "</script></title><img src=x onerror=alert(1)>\"'><script>alert(2)</script>"


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with chromium(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture(scope="module")
def verification():
    return verify(CLAIMS, profile="quick", written=True)


@pytest.fixture(scope="module")
def page(tmp_path_factory, verification):
    path = tmp_path_factory.mktemp("page") / "ledger.html"
    path.write_text(ledger_html(verification), encoding="utf-8")
    return path


def shown(browser):
    """The claims that can be seen, in the order of the page."""
    return [
        claim.get_attribute("id") for claim in browser.find_elements(By.CSS_SELECTOR, "details.claim:not([hidden])")
    ]


def choose(browser, name, value):
    browser.find_element(By.CSS_SELECTOR, f"input[name={name}][value={value}]").click()


def test_the_title_counts_one_statement_as_one():
    document = ledger_html(verify(["E12"], profile="quick"))
    assert "<title>The ledger: 1 statement," in document


def test_errata_come_first(browser, page, verification):
    show(browser, page)
    verdicts = {item.claim.id: item.verdict for item in verification.settled}
    order = [verdicts[id] for id in shown(browser)]
    right = [verdict in (Verdict.TRUE, Verdict.NOT_CHECKABLE) for verdict in order]
    assert right == sorted(right)
    assert len(order) == len(CLAIMS)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_the_page_is_quiet_asks_for_nothing_and_fits_its_window(browser, page, scheme, width):
    show(browser, page, scheme, width)
    browser.execute_script("for (const item of document.querySelectorAll('details')) item.open = true")
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    assert requests(browser) == {page.as_uri()}
    assert complaints(browser) == []
    paper = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert paper == {"light": "rgb(251, 250, 247)", "dark": "rgb(21, 23, 27)"}[scheme]


def test_the_reader_chooses_the_theme_against_the_system(browser, page):
    show(browser, page, "light")
    seen = []
    for _ in range(3):
        browser.find_element(By.ID, "theme").click()
        seen.append(browser.execute_script("return getComputedStyle(document.body).backgroundColor"))
    assert seen == ["rgb(251, 250, 247)", "rgb(21, 23, 27)", "rgb(251, 250, 247)"]


def test_filters_by_verdict_kind_and_words_are_kept_in_the_address(browser, page):
    show(browser, page)
    choose(browser, "verdict", "misprint")
    assert set(shown(browser)) == {"P04", "N03"}
    choose(browser, "verdict", "false")
    assert set(shown(browser)) == {"P04", "N03", "M02", "A03", "E03"}
    choose(browser, "kind", "derivation")
    assert "P04" not in shown(browser)
    browser.find_element(By.ID, "search").send_keys("Rescaling 03")
    assert shown(browser) == ["A03"]
    assert browser.find_element(By.ID, "shown").text == f"1 of {len(CLAIMS)} statements"
    address = browser.current_url
    assert "verdict=false%2Cmisprint" in address
    browser.get("about:blank")
    browser.get(address)
    assert shown(browser) == ["A03"]
    browser.find_element(By.ID, "clear").click()
    assert len(shown(browser)) == len(CLAIMS)
    assert "#" not in browser.current_url


def test_words_that_match_nothing_say_so(browser, page):
    show(browser, page)
    browser.find_element(By.ID, "search").send_keys("no such words")
    assert shown(browser) == []
    assert browser.find_element(By.ID, "nothing").is_displayed()
    browser.find_element(By.ID, "search").send_keys(Keys.ESCAPE)
    assert not browser.find_element(By.ID, "nothing").is_displayed()


def test_the_keyboard_alone_searches_opens_and_closes(browser, page):
    show(browser, page)
    body = browser.find_element(By.TAG_NAME, "body")
    body.send_keys("/")
    browser.switch_to.active_element.send_keys("E08")
    for _ in range(12):
        browser.switch_to.active_element.send_keys(Keys.TAB)
        if browser.switch_to.active_element.tag_name == "summary":
            break
    claim = browser.find_element(By.ID, "E08")
    assert claim.get_attribute("open") is None
    browser.switch_to.active_element.send_keys(Keys.ENTER)
    assert claim.get_attribute("open") is not None
    assert claim.find_element(By.TAG_NAME, "math").is_displayed()
    browser.switch_to.active_element.send_keys(Keys.SPACE)
    assert claim.get_attribute("open") is None


def test_the_address_of_a_claim_opens_it(browser, page):
    show(browser, page)
    browser.get(f"{page.as_uri()}#E03")
    assert browser.find_element(By.ID, "E03").get_attribute("open") is not None
    browser.get(f"{page.as_uri()}#%")
    assert complaints(browser) == []


def test_a_claim_shows_correction_evidence_what_is_rejected_and_steps(browser, page):
    show(browser, page)
    browser.execute_script("for (const item of document.querySelectorAll('#A03, #A03 details')) item.open = true")
    claim = browser.find_element(By.ID, "A03")
    words = claim.text
    for expected in (
        "THE PAPER SAYS",
        "IT SHOULD SAY",
        "WHY",
        "THE PRINTED FORM FAILS",
        "as printed",
        "nrverify explain A03",
    ):
        assert expected in words
    assert claim.find_elements(By.CSS_SELECTOR, ".steps li math")
    height = browser.execute_script(
        "return arguments[0].getBoundingClientRect().height", claim.find_element(By.TAG_NAME, "math")
    )
    assert height > 10


def test_paper_gets_every_claim_opened_and_no_controls(browser, page):
    show(browser, page)
    count = "document.querySelectorAll('.claim[open]').length"
    browser.execute_script(f"window.seen = []; addEventListener('beforeprint', () => seen.push({count}))")
    browser.execute_cdp_cmd("Page.printToPDF", {})
    assert browser.execute_script("return seen") == [len(CLAIMS)]
    assert browser.find_elements(By.CSS_SELECTOR, ".claim[open]") == []


def test_a_page_without_scripts_still_opens_its_claims(browser, page):
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        show(browser, page)
        browser.find_element(By.CSS_SELECTOR, "#A03 > summary").click()
        assert "THE PAPER SAYS" in browser.find_element(By.ID, "A03").text
        assert not browser.find_element(By.ID, "filters").is_displayed()
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def hostile(verification):
    """A ledger whose every word is an attack."""
    settled = verification.settled[0]
    words = dict.fromkeys(("where", "label", "title", "statement", "correction", "why"), HOSTILE)
    claim = replace(settled.claim, **words, statement_latex=HOSTILE, correction_latex=rf"\text{{{HOSTILE}}}")
    step = DerivationStep(HOSTILE, HOSTILE, HOSTILE)
    result = Result(
        HOSTILE,
        EvidenceKind.DERIVATION,
        "failed",
        {claim.id: holds},
        (HOSTILE,),
        9,
        0.1,
        0.0,
        HOSTILE,
        (step, DerivationStep("", HOSTILE)),
        HOSTILE,
    )
    item = replace(settled, claim=claim, verdict=Verdict.FAILED, results=(result,), problem=HOSTILE)
    return Verification((item,), (HOSTILE,), HOSTILE, 0, True)


def test_hostile_words_do_nothing(browser, tmp_path, verification):
    path = tmp_path / "hostile.html"
    path.write_text(ledger_html(hostile(verification)), encoding="utf-8")
    show(browser, path)
    browser.execute_script("for (const item of document.querySelectorAll('details')) item.open = true")
    assert browser.execute_script("return document.querySelectorAll('img, script:not(head > script)').length") == 0
    assert requests(browser) == {path.as_uri()}
    assert complaints(browser) == []
    assert "onerror=alert(1)" in browser.find_element(By.CSS_SELECTOR, ".claim").text
    assert browser.title.startswith("The ledger: 1 statement,")


def test_even_a_script_that_slipped_in_is_not_run(browser, page, tmp_path):
    path = tmp_path / "slipped.html"
    slipped = "<script>document.title = 'taken'</script><img src='http://127.0.0.1:9/x'></main>"
    path.write_text(page.read_text(encoding="utf-8").replace("</main>", slipped), encoding="utf-8")
    show(browser, path)
    assert browser.title.startswith("The ledger")
    assert len(complaints(browser)) == 2


def test_the_command_writes_the_page_whole(tmp_path):
    path = tmp_path / "page.html"
    outcome = CliRunner().invoke(cli, ["verify", "E08", "--html", str(path), "--jobs", "1", "--quiet"])
    assert outcome.exit_code == 0
    text = path.read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>")
    assert text.rstrip().endswith("</html>")
    assert "http" not in text.replace("http-equiv", "")


def test_the_page_goes_to_standard_output_alone(tmp_path):
    outcome = CliRunner().invoke(cli, ["verify", "E08", "--html", "-", "--jobs", "1"])
    assert outcome.exit_code == 0
    assert outcome.stdout.startswith("<!doctype html>")
    assert outcome.stdout.rstrip().endswith("</html>")


def test_a_page_that_cannot_be_written_is_refused_before_any_work(tmp_path):
    outcome = CliRunner().invoke(cli, ["verify", "E08", "--html", str(tmp_path / "no" / "page.html")])
    assert outcome.exit_code == 2
    assert "cannot write the report" in outcome.output
