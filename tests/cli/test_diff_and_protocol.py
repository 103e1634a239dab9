"""`nrverify diff` tells a new refutation from everything else; `nrverify protocol` prints the page."""

import json
from dataclasses import replace
from importlib.resources import files

import pytest
from click.testing import CliRunner

from nrverify.auditing.core.faults.noise import FRESH_NOISE, WRONG_SCALE
from nrverify.auditing.core.finding import Finding, Size
from nrverify.auditing.core.report import Report
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.cli import cli
from nrverify.statistics.estimate import Estimate, Measure

SUBJECT = {"name": "Mine", "version": "1", "mechanism": "brownian", "knob": "time", "address": "python:mine.py:Mine"}
RUN = {"seed": 0, "alpha": 1e-6, "samples": 80, "stopped": "samples", "seconds": 1.0, "subject_seconds": 0.5}
SEEN = Finding("variance of release 2", Estimate(Measure.VARIANCE, 1.0, 0.5, 0.01, 80), FRESH_NOISE)
FINE = CheckResult("law.transcript", "law", CheckVerdict.CONSISTENT, sizes=(Size("variance", 0.02, "relative"),))
WRONG = replace(FINE, verdict=CheckVerdict.REFUTED, finding=SEEN)


def report(verdict, *checks, **subject):
    return Report(verdict, {"consistent": 0, "refuted": 1}[verdict], {**SUBJECT, **subject}, RUN, checks)


def diff(tmp_path, old, new, *options):
    for name, one in (("old", old), ("new", new)):
        (tmp_path / f"{name}.json").write_text(one.to_json(), "utf-8")
    return CliRunner().invoke(cli, ["diff", str(tmp_path / "old.json"), str(tmp_path / "new.json"), *options])


def test_a_new_refutation_is_exit_code_1_and_names_its_fault(tmp_path):
    result = diff(tmp_path, report("consistent", FINE), report("refuted", WRONG))
    assert result.exit_code == 1
    assert "law.transcript: consistent → refuted (fresh-noise)" in result.output


def test_the_same_refutation_again_is_nothing_new(tmp_path):
    result = diff(tmp_path, report("refuted", WRONG), report("refuted", WRONG))
    assert (result.exit_code, result.output) == (0, "nothing changed\n")


def test_a_refuted_check_beside_an_old_one_is_new(tmp_path):
    other = replace(WRONG, id="law.release")
    result = diff(tmp_path, report("refuted", WRONG), report("refuted", WRONG, other))
    assert result.exit_code == 1
    assert "law.release: absent → refuted" in result.output


def test_another_fault_of_the_same_check_is_told_and_is_no_new_refutation(tmp_path):
    scaled = replace(WRONG, finding=replace(SEEN, fault=WRONG_SCALE))
    result = diff(tmp_path, report("refuted", WRONG), report("refuted", scaled))
    assert result.exit_code == 0
    assert "refuted (fresh-noise) → refuted (wrong-scale)" in result.output


def test_a_mended_subject_and_another_version_are_told(tmp_path):
    result = diff(tmp_path, report("refuted", WRONG), report("consistent", FINE, version="2"))
    assert result.exit_code == 0
    assert "subject: version: 1 → 2" in result.output
    assert "verdict: refuted → consistent" in result.output


def test_a_size_that_moved_by_a_tenth_is_told_and_less_is_not(tmp_path):
    near, far = (replace(FINE, sizes=(Size("variance", value, "relative"),)) for value in (0.021, 0.03))
    assert "nothing changed" in diff(tmp_path, report("consistent", FINE), report("consistent", near)).output
    assert "smallest detectable fault" in diff(tmp_path, report("consistent", FINE), report("consistent", far)).output


def test_quiet_tells_new_refutations_alone(tmp_path):
    old, new = report("consistent", FINE), report("refuted", WRONG, version="2")
    assert "version" not in diff(tmp_path, old, new, "--quiet").output
    assert "law.transcript" in diff(tmp_path, old, new, "--quiet").output


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[]", "no JSON object"),
        ("{", "is not a report"),
        ("{}", "schema is None"),
        ('{"schema": "nrverify/report/2"}', "no field 'verdict'"),
        (json.dumps({"schema": "nrverify/report/2", "verdict": "fine"}), "no field 'fine'"),
        ("[" * 100_000, "is not a report"),
    ],
)
def test_a_file_that_is_not_a_report_is_exit_code_2(tmp_path, text, words):
    (tmp_path / "bad.json").write_text(text, "utf-8")
    (tmp_path / "good.json").write_text(report("consistent", FINE).to_json(), "utf-8")
    for pair in (("bad", "good"), ("good", "bad")):
        result = CliRunner().invoke(cli, ["diff", *(str(tmp_path / f"{name}.json") for name in pair)])
        assert result.exit_code == 2
        assert words in " ".join(result.output.split())


def test_a_missing_file_is_exit_code_2():
    result = CliRunner().invoke(cli, ["diff", "nowhere.json", "nowhere.json"])
    assert result.exit_code == 2
    assert "nowhere.json" in result.output


def test_the_protocol_and_the_format_of_records_are_printed_as_they_are():
    for options, name in (([], "PROTOCOL.md"), (["--records"], "RECORDS.md")):
        result = CliRunner().invoke(cli, ["protocol", *options])
        assert result.exit_code == 0
        assert result.output == (files("nrverify.subjects") / name).read_text("utf-8")
