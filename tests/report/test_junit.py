"""JUnit XML: one test case a check, in the shape that the common schemas share, whatever a subject calls itself."""

from dataclasses import replace
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nrverify import audit
from nrverify.report.audit.junit import junit
from tests.report import made

SHAPE = {
    "testsuites": ({"name", "tests", "failures", "errors", "time"}, {"testsuite"}),
    "testsuite": ({"name", "tests", "failures", "errors", "skipped", "time"}, {"properties", "testcase"}),
    "properties": (set(), {"property"}),
    "property": ({"name", "value"}, set()),
    "testcase": ({"classname", "name", "time"}, {"failure", "error", "skipped", "system-out"}),
    "failure": ({"message", "type"}, set()),
    "error": ({"message", "type"}, set()),
    "skipped": ({"message", "type"}, set()),
    "system-out": (set(), set()),
}
"""Attributes and children of every element, all allowed by the schema of Jenkins (junit-10.xsd)."""


def parsed(report):
    return ElementTree.fromstring(junit(report).encode())


def outcome_of(case):
    return next(child.tag for child in case)


def check_shape(element):
    attributes, children = SHAPE[element.tag]
    assert set(element.attrib) == attributes
    assert {child.tag for child in element} <= children
    for child in element:
        check_shape(child)


def check_counts(root):
    suite = root.find("testsuite")
    cases = suite.findall("testcase")
    tags = {"failures": "failure", "errors": "error", "skipped": "skipped"}
    for element in (root, suite):
        assert int(element.get("tests")) == len(cases)
        for attribute in set(tags) & set(element.attrib):
            assert int(element.get(attribute)) == sum(outcome_of(case) == tags[attribute] for case in cases)


@pytest.mark.parametrize("name", ["Fresh", made.HOSTILE], ids=["plain", "hostile"])
@pytest.mark.parametrize("verdict", ["consistent", "refuted", "inconclusive", "errored"])
def test_every_verdict_has_the_common_shape_and_right_counts(verdict, name):
    root = parsed(made.of_every_verdict(name)[verdict])
    check_shape(root)
    check_counts(root)


@settings(deadline=None, derandomize=True)
@given(st.text(st.characters(categories=None)) | st.text(st.characters(categories=("Cs", "Cc"))))
def test_any_text_gives_xml_that_can_be_read(text):
    report = made.made("refuted", [replace(made.REFUTED, message=text)], text, name=text)
    check_shape(parsed(report))


def test_each_verdict_of_a_check_has_its_outcome():
    cases = parsed(made.of_every_verdict()["refuted"]).iter("testcase")
    outcomes = {case.get("name"): outcome_of(case) for case in cases}
    assert outcomes == {
        "law.release": "system-out",
        "law.transcript": "failure",
        "ties": "skipped",
        "law.adaptive": "skipped",
        "protocol.refusals": "skipped",
    }


def test_a_refutation_says_everything_and_a_skip_says_why():
    root = parsed(made.of_every_verdict()["refuted"])
    words = root.find(".//failure").text
    for part in ("follows the bridge", "observed b", "Likely cause: c.", "a leak", "6.7e-08", "1e-06", "--seed 7"):
        assert part in words
    skips = [element.get("message") for element in root.iter("skipped")]
    assert skips[0] == "inconclusive: another check was refuted"
    assert skips[1] == "not covered: the subject has no open()"


def test_a_run_that_says_nothing_fails_and_says_what_would_do():
    failure = parsed(made.of_every_verdict()["inconclusive"]).find(".//failure")
    assert failure.get("type") == "inconclusive"
    assert "about 20000 would do" in failure.text  # 5000 samples gave this check 250 sessions of 1000


def test_a_subject_that_cannot_be_run_is_one_error():
    (case,) = parsed(made.of_every_verdict()["errored"]).iter("testcase")
    assert outcome_of(case) == "error"
    assert "RuntimeError" in case.find("error").text


def test_a_real_audit_has_one_case_for_each_check():
    report = audit(made.Fresh())
    root = parsed(report)
    check_shape(root)
    check_counts(root)
    assert [case.get("name") for case in root.iter("testcase")] == [check.id for check in report.checks]
    refuted = {check.id for check in report.checks if check.verdict == "refuted"}
    assert {case.get("name") for case in root.iter("testcase") if outcome_of(case) == "failure"} == refuted
