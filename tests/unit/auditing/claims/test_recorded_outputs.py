"""Outputs recorded elsewhere are judged like those that are drawn; what is wrong with a file is exit code 3."""

import json

import numpy as np
import pytest

import nrverify


def recorded(folder, **changed):
    rng = np.random.default_rng(3)
    arrays = {
        "mechanism": "any",
        "epsilon": 1.0,
        "outputs": [json.dumps(float(x)) for x in 1 + rng.laplace(0, 1, 3000)],
        "outputs_neighbour": [json.dumps(float(x)) for x in rng.laplace(0, 1, 3000)],
    }
    arrays.update(changed)
    np.savez(folder / "outputs.npz", **{name: array for name, array in arrays.items() if array is not None})
    return nrverify.audit(f"records:{folder / 'outputs.npz'}")


def test_right_outputs_are_consistent(tmp_path):
    report = recorded(tmp_path)
    assert (report.verdict, report.law, report.privacy) == ("consistent", "not-covered", "consistent")


def test_outputs_that_betray_more_are_refuted_and_the_data_are_named(tmp_path):
    """The value's output is above 1 in half of the runs, its neighbour's in e^-2/2 of them."""
    rng = np.random.default_rng(5)
    outputs = {"outputs": 1 + rng.laplace(0, 0.5, 3000), "outputs_neighbour": rng.laplace(0, 0.5, 3000)}
    report = recorded(tmp_path, **outputs, neighbours=json.dumps([["with Ann", "without Ann"]]))
    claim = next(check for check in report.checks if check.id == "privacy.claim")
    assert report.verdict == "refuted"
    likely, unlikely = claim.finding.numbers["likely"], claim.finding.numbers["unlikely"]
    assert {likely, unlikely} == {'"with Ann"', '"without Ann"'}
    assert ("above" in claim.finding.numbers["event"].split(" and ")[0]) == (likely == '"with Ann"')


def test_the_event_of_a_refutation_is_counted_in_the_records_that_it_left_unused(tmp_path):
    """Of 6,000 records some 1,500 refute; the others had no part in choosing the event."""
    rng = np.random.default_rng(5)
    report = recorded(tmp_path, outputs=1 + rng.laplace(0, 0.5, 3000), outputs_neighbour=rng.laplace(0, 0.5, 3000))
    claim = next(check for check in report.checks if check.id == "privacy.claim")
    numbers = claim.finding.numbers
    counted = numbers["runs"] + numbers["other_runs"]
    assert counted > 3000
    assert counted + claim.samples <= 6000
    assert claim.statistic > 1.0


def test_what_each_output_has_cost_is_a_claim(tmp_path):
    rng = np.random.default_rng(7)
    outputs = {"outputs": 1 + rng.laplace(0, 1, 3000), "outputs_neighbour": rng.laplace(0, 1, 3000), "epsilon": None}
    for price, verdict in ((0.3, "refuted"), (1.0, "consistent")):
        spent = {"smallest_epsilon": 0.3, "spent": np.full(3000, price), "spent_neighbour": np.full(3000, price)}
        assert recorded(tmp_path, **outputs, **spent).verdict == verdict


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"outputs": None}, "there is no array outputs"),
        ({"outputs": ["not JSON"]}, "which is not JSON"),
        ({"epsilon": -1.0}, "attribute epsilon is -1.0"),
        ({"epsilon": None}, "exactly one of"),
        ({"outputs": np.zeros(0)}, "one output for each run"),
        ({"epsilon": None, "smallest_epsilon": 1.0, "spent": np.ones(2)}, "array spent"),
        ({"epsilon": None, "smallest_epsilon": 1.0, "spent": np.full(3000, 0.5)}, "at least smallest_epsilon"),
        ({"utilities": np.zeros(2)}, "no use for an array 'utilities'"),
    ],
)
def test_a_file_that_cannot_be_judged_says_why(tmp_path, changed, words):
    report = recorded(tmp_path, **changed)
    assert (report.verdict, report.exit_code) == ("errored", 3)
    assert words in report.message
