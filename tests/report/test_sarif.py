"""SARIF: valid by the schema of OASIS, every result at a file, alerts that stay the same from run to run."""

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema.validators import Draft7Validator

from nrverify import audit
from nrverify.auditing.core.faults import fault_of
from nrverify.auditing.core.faults.forms import general_id
from nrverify.report.atomic_write import encoded
from nrverify.report.audit.sarif import sarif
from nrverify.report.audit.source_location import Location
from tests.report import made

VERDICTS = ("consistent", "refuted", "inconclusive", "errored")


@cache
def validator():
    schema = json.loads((Path(__file__).parent / "sarif-schema-2.1.0.json").read_text("utf-8"))
    Draft7Validator.check_schema(schema)
    return Draft7Validator(schema, format_checker=Draft7Validator.FORMAT_CHECKER)


def log_of(report, location=None):
    log = json.loads(encoded(sarif(report, location)))
    assert [error.message for error in validator().iter_errors(log)] == []
    return log


def results_of(report, location=None):
    return log_of(report, location)["runs"][0]["results"]


def test_the_schema_can_refuse():
    log = json.loads(sarif(made.of_every_verdict()["refuted"]))
    log["runs"][0]["results"][0]["level"] = "fatal"
    assert not validator().is_valid(log)
    log["runs"][0]["results"][0]["level"] = "error"
    del log["runs"][0]["tool"]["driver"]["name"]
    assert not validator().is_valid(log)


@pytest.mark.parametrize("name", ["Fresh", made.HOSTILE], ids=["plain", "hostile"])
@pytest.mark.parametrize("address", ["python:mine.py:Fresh", "cmd:java -cp . Harness", "records:a b.npz", None])
@pytest.mark.parametrize("verdict", VERDICTS)
def test_every_verdict_is_valid_and_every_result_has_a_file_and_a_line(verdict, address, name):
    for result in results_of(made.of_every_verdict(name, address)[verdict]):
        (location,) = result["locations"]
        assert location["physicalLocation"]["artifactLocation"]["uri"]
        assert location["physicalLocation"]["region"]["startLine"] >= 1


@settings(deadline=None, derandomize=True)
@given(st.text(st.characters(categories=None)) | st.text(st.characters(categories=("Cs", "Cc"))))
def test_any_text_gives_a_valid_log(text):
    report = made.made(
        "refuted", [replace(made.REFUTED, message=text, explanation=None)], text, name=text, address=f"cmd:{text}"
    )
    assert len(results_of(report)) == 1


def test_refutations_are_errors_and_advice_is_a_note():
    levels = {result["ruleId"]: result["level"] for result in results_of(made.of_every_verdict()["refuted"])}
    assert levels == {"fresh-noise": "error", "protocol.refusals": "note"}


@pytest.mark.parametrize(("verdict", "rule"), [("errored", "audit.errored"), ("inconclusive", "audit.inconclusive")])
def test_a_run_that_says_nothing_does_not_look_clean(verdict, rule):
    assert [result["ruleId"] for result in results_of(made.of_every_verdict()[verdict])] == [rule]


@pytest.mark.parametrize(("verdict", "code"), list(zip(VERDICTS, (0, 1, 4, 3), strict=True)))
def test_the_invocation_has_the_exit_code(verdict, code):
    (invocation,) = log_of(made.of_every_verdict()[verdict])["runs"][0]["invocations"]
    assert invocation["exitCode"] == code
    assert invocation["executionSuccessful"] is (verdict != "errored")


def test_a_finding_keeps_its_fingerprint_when_numbers_and_lines_change_and_no_other_has_it():
    report = made.of_every_verdict()["refuted"]
    first = [result["partialFingerprints"] for result in results_of(report, Location("mine.py", 3))]
    other = replace(report, run={**report.run, "seed": 8}, checks=(replace(made.REFUTED, e_value=2.0), made.ADVICE))
    again = [result["partialFingerprints"] for result in results_of(other, Location("mine.py", 30))]
    assert first == again
    elsewhere = replace(report, subject={**report.subject, "address": "python:mine.py:Other"})
    values = [result["partialFingerprints"]["nrverifyCheck/v1"] for result in results_of(elsewhere)]
    assert len({*values, *(print["nrverifyCheck/v1"] for print in first)}) == 4


def test_words_of_a_subject_make_no_links():
    report = made.made("errored", message="[click](http://x.example)", name="[a](b)")
    assert "](" not in results_of(report)[0]["message"]["text"]


def test_a_real_audit_is_valid_and_its_rules_are_faults_with_their_explanation():
    report = audit(made.Fresh())
    (run,) = log_of(report)["runs"]
    rules = {rule["id"]: rule for rule in run["tool"]["driver"]["rules"]}
    named = {check.id: check.finding.fault for check in report.checks if check.verdict == "refuted"}
    refuted = {id: fault_of(general_id(fault)) for id, fault in named.items()}
    assert refuted["law.transcript"].id == "fresh-noise"
    for fault in refuted.values():
        assert f"Where to look: {fault.look}." in rules[fault.id]["help"]["text"]
    errors = [result for result in run["results"] if result["level"] == "error"]
    found = {result["properties"]["check"]: result["ruleId"] for result in errors}
    assert found == {id: fault.id for id, fault in refuted.items()}
    assert (run["properties"]["law"], run["properties"]["privacy"]) == ("refuted", "not-covered")
    for result in run["results"]:
        assert list(rules)[result["ruleIndex"]] == result["ruleId"]
