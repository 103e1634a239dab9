"""The files of vectors: valid by their schema, consistent, current, and their ids permanent."""

import hashlib
import json
from copy import deepcopy
from pathlib import Path

import jsonschema
import pytest

from nrverify.vectors.catalogue import FUNCTIONS
from nrverify.vectors.document import text
from nrverify.vectors.schema import schema_text
from tests.vectors.reading import FOLDER, SCHEMA, documents

DOCUMENTS = documents()
VALIDATOR = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))
PINNED = Path(__file__).with_name("ids.json")
LONG = ("grid", "skellam-inverse", "skellam-tightest", "line-crossing", "threshold-probability")
"""Functions that take a second or more; CI regenerates them too, by nrverify vectors --check."""


def fingerprint(case):
    return hashlib.sha256(json.dumps(case["inputs"], sort_keys=True).encode()).hexdigest()[:16]


def test_there_is_a_file_for_every_function_and_no_other():
    assert set(DOCUMENTS) == {function.name for function in FUNCTIONS}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_file_is_valid_and_says_what_it_has(name):
    document = DOCUMENTS[name]
    VALIDATOR.validate(document)
    assert document["function"] == name
    used = set()
    for case in document["cases"]:
        assert case["id"].startswith(f"{name}-")
        assert list(case["inputs"]) == list(document["inputs"])
        assert set(case["flags"]) <= set(document["flags"])
        if case["result"] == "valid":
            assert list(case["outputs"]) == list(document["outputs"])
        for input_name, value in case["inputs"].items():
            assert isinstance(value, list) == (document["inputs"][input_name]["type"] in ("reals", "integers", "bits"))
        used |= set(case["flags"])
    assert used == set(document["flags"])
    assert any(case["result"] == "invalid" for case in document["cases"])


def test_schema_is_a_schema_and_current():
    jsonschema.Draft202012Validator.check_schema(VALIDATOR.schema)
    assert SCHEMA.read_text(encoding="utf-8") == schema_text()


def test_everything_in_the_schema_is_described():
    def undescribed(node, path):
        for key, inner in node.get("properties", {}).items():
            if isinstance(inner, dict) and "description" not in inner and "const" not in inner:
                yield from undescribed(inner, f"{path}/{key}") if "properties" in inner else [f"{path}/{key}"]

    root = VALIDATOR.schema
    found = list(undescribed(root, "")) + [u for n, d in root["$defs"].items() for u in undescribed(d, n)]
    assert found == []


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d.pop("statement"),
        lambda d: d.update(schema="nrverify/vectors/2"),
        lambda d: d["cases"][0].pop("outputs"),
        lambda d: d["cases"][0].update(result="acceptable"),
        lambda d: d["cases"][0].update(id="brownian-loss-1"),
        lambda d: d["cases"][0]["inputs"].update(time=1.0),
        lambda d: d["cases"][0]["inputs"].update(time="one"),
        lambda d: d["cases"][0]["outputs"]["loss"].pop("radius"),
        lambda d: d["cases"][0]["outputs"]["loss"].update(value="nan"),
        lambda d: d["cases"][0].update(result="invalid"),
        lambda d: d["flags"]["swapped"].pop("effect"),
        lambda d: d.update(more="fields"),
    ],
)
def test_schema_refuses_what_is_no_file_of_vectors(change):
    document = deepcopy(DOCUMENTS["brownian-loss"])
    VALIDATOR.validate(document)
    change(document)
    assert not VALIDATOR.is_valid(document)


def test_ids_are_permanent():
    """An id never denotes another input and never disappears; a new case is added to ids.json with its inputs' hash."""
    pinned = json.loads(PINNED.read_text(encoding="utf-8"))
    found = [(case["id"], fingerprint(case)) for document in DOCUMENTS.values() for case in document["cases"]]
    assert len(found) == len(dict(found))
    assert dict(found) == pinned


@pytest.mark.parametrize("function", [f for f in FUNCTIONS if not f.name.startswith(LONG)], ids=lambda f: f.name)
def test_file_is_what_is_generated_to_the_byte(function):
    assert (FOLDER / f"{function.name}.json").read_bytes() == text(function).encode()


def test_closed_forms_have_thirty_digits():
    """And every other function has 30 too, except where only an enclosure is known."""
    for name, document in DOCUMENTS.items():
        for case in document["cases"]:
            for output in case.get("outputs", {}).values():
                if name != "mixture-crossing" and output["value"] != "0":
                    assert float(output["radius"]) <= 1.001e-30 * abs(float(output["value"])), case["id"]
