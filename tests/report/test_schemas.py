"""The JSON Schemas of the report and the ledger accept what is written and refuse what lacks a field."""

import json
from copy import deepcopy
from functools import cache
from pathlib import Path

import pytest
from jsonschema.validators import Draft202012Validator

from nrverify import audit
from nrverify.auditing.core.report import report_from
from nrverify.ledger.verification import verify
from nrverify.reference.mutants import BENIGN, MUTANTS
from nrverify.report.atomic_write import encoded
from nrverify.report.ledger.document import ledger_json
from tests.report import made

SUBJECTS = {entry.name: entry.subject for entry in (*MUTANTS, *BENIGN)}


@cache
def validator(name):
    schema = json.loads((Path(__file__).parents[2] / "reports" / "schema" / f"{name}.json").read_text("utf-8"))
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def errors(name, document):
    return [f"{error.json_path}: {error.message}" for error in validator(name).iter_errors(document)]


REAL = {
    "audit of right noise": (made.Right, 3000, "consistent"),
    "refuted": (made.Fresh, 200_000, "refuted"),
    "errored": (made.Broken, 200_000, "errored"),
    "not there": ("python:no/such/file.py:Name", 200_000, "errored"),
    "inconclusive": (made.Right, 100, "inconclusive"),
    "audit of ε": (SUBJECTS["epsilon-brownian-fresh-noise"], 1200, "refuted"),
    "audit of Laplace noise": (SUBJECTS["laplace-fresh-noise"], 600, "refuted"),
}


@pytest.mark.parametrize("name", REAL)
def test_a_real_report_is_valid_and_is_read_back_as_it_was(name):
    subject, samples, verdict = REAL[name]
    report = audit(subject, samples=samples)
    document = json.loads(report.to_json())
    assert report.verdict == verdict
    assert errors("report", document) == []
    assert report_from(document).document() == document
    assert report_from(document).exit_code == report.exit_code


@pytest.mark.parametrize("verdict", ["consistent", "refuted", "inconclusive", "errored"])
def test_reports_with_hostile_names_and_infinite_numbers_are_valid(verdict):
    document = json.loads(encoded(made.of_every_verdict(made.HOSTILE)[verdict].to_json()))
    assert errors("report", document) == []


def without_each_field(document, path=()):
    """The document with one of its fields left out, for every field."""
    for key in list(document):
        less = deepcopy(document)
        del less[key]
        yield (*path, key), less


def test_a_report_without_any_of_its_fields_is_refused():
    document = json.loads(made.of_every_verdict()["refuted"].to_json())
    variants = list(without_each_field(document))
    for part in ("subject", "run"):
        variants += [(path, {**document, part: less}) for path, less in without_each_field(document[part], (part,))]
    for path, less in without_each_field(document["checks"][1], ("checks",)):
        variants.append((path, {**document, "checks": [less]}))
    assert len(variants) == 8 + 9 + 8 + 21
    for path, variant in variants:
        assert errors("report", variant), path


@pytest.mark.parametrize(
    ("part", "wrong"),
    [("verdict", "passed"), ("verdict", None), ("schema", "nrverify/report/1"), ("checks", None), ("message", 3)],
)
def test_a_report_with_a_wrong_value_is_refused(part, wrong):
    document = json.loads(made.of_every_verdict()["refuted"].to_json())
    assert errors("report", {**document, part: wrong})


def test_a_real_ledger_is_valid_and_one_without_any_of_its_fields_is_refused():
    document = json.loads(ledger_json(verify(["A13"], profile="quick")))
    assert errors("ledger", document) == []
    variants = list(without_each_field(document))
    (claim,) = document["claims"]
    variants += [(path, {**document, "claims": [less]}) for path, less in without_each_field(claim, ("claims",))]
    for path, less in without_each_field(claim["evidence"][0], ("evidence",)):
        variants.append((path, {**document, "claims": [{**claim, "evidence": [less]}]}))
    assert len(variants) == 9 + 9 + 14
    for path, variant in variants:
        assert errors("ledger", variant), path
