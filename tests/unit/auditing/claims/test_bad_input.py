"""What is wrong with a subject of unknown law is said with the name, the value and what it must be; exit code 3."""

import pytest

import nrverify


def subject(**changed):
    said = {"mechanism": "any", "epsilon": 1.0, "neighbours": [(0, 1)], "run": lambda self, data, seed: data}
    said.update(changed)
    return type("Subject", (), {name: value for name, value in said.items() if value is not None})


CURVE = {"epsilon": None}
CHARGED = {"epsilon": None, "smallest_epsilon": 0.5}


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"neighbours": None}, "attribute neighbours is missing"),
        ({"neighbours": []}, "attribute neighbours is []"),
        ({"neighbours": [(1, 1)]}, "must be two different data"),
        ({"neighbours": [([1, 2], (1, 2))]}, "must be two different data"),
        ({"neighbours": [({1, 2}, 1)]}, "data that JSON can hold"),
        ({"neighbours": [(float("nan"), 1)]}, "data that JSON can hold"),
        ({"neighbours": [({1: 2}, 1)]}, "data that JSON can hold"),
        ({"neighbours": [(1, 2, 3)]}, "(data, neighbouring data)"),
        ({"neighbours": "all"}, "attribute neighbours is 'all'"),
        ({"neighbours": "one-differs"}, "attribute size is missing"),
        ({"neighbours": "one-differs", "size": 3}, "attribute sensitivity is missing"),
        ({"neighbours": "one-differs", "size": 0, "sensitivity": 1}, "attribute size is 0"),
        ({"epsilon": -1.0}, "attribute epsilon is -1.0"),
        ({"epsilon": "1"}, "attribute epsilon is '1'"),
        ({"delta": 1.0}, "attribute delta is 1.0"),
        ({"epsilon": None}, "exactly one of epsilon, delta_of, spent"),
        ({"spent": lambda self, output: 1.0, "smallest_epsilon": 1.0}, "epsilon and spent"),
        (
            {**CURVE, "delta_of": lambda self, epsilon: epsilon / 10},
            "is 0.01, and delta_of(0.0) is 0.0: it must not rise",
        ),
        ({**CURVE, "delta_of": lambda self, epsilon: 1.5}, "from 0 to 1"),
        ({**CURVE, "delta_of": lambda self, epsilon: float("nan")}, "from 0 to 1"),
        ({**CURVE, "delta_of": lambda self, epsilon: 1.0}, "it claims nothing"),
        ({**CURVE, "delta_of": lambda self, epsilon: 0.1, "delta": 0.1}, "attribute delta is 0.1"),
        ({"epsilon": None, "spent": lambda self, output: 1.0}, "attribute smallest_epsilon is missing"),
        ({**CHARGED, "spent": lambda self, output: 0.25}, "spent(0) is 0.25"),
        ({**CHARGED, "spent": lambda self, output: "much"}, "it must be a number"),
        ({"run": lambda self, data, seed: {1, 2}}, "run() returned {1, 2} (set)"),
        ({"run": lambda self, data, seed: 1j}, "run() returned 1j (complex)"),
        ({"run": lambda self, data, seed: 1 / 0}, "ZeroDivisionError"),
        ({"run": None}, "needs run_many() or run() or open()"),
        ({"run": None, "run_many": lambda self, data, runs, seed: [0]}, "run_many() returned 1 outputs"),
        ({"run": None, "run_many": lambda self, data, runs, seed: 0}, "run_many() returned int"),
        ({"run": None, "open": lambda self, data, seed: 0}, "attribute strategies is missing"),
        ({"strategies": "generated"}, "attribute queries is missing"),
        ({"strategies": "generated", "queries": []}, "attribute queries is []"),
        ({"strategies": "generated", "queries": "all"}, "attribute queries is 'all'"),
        ({"strategies": "generated", "queries": [1, None]}, "attribute queries is [1, None]"),
        ({"strategies": "generated", "queries": [{1, 2}]}, "attribute queries is [{1, 2}]"),
        ({"strategies": "all"}, "attribute strategies is 'all'"),
        ({"run": None, "open": lambda self, data, seed: 0, "strategies": [["a"]]}, "has no method ask"),
        ({"features": lambda self, output: ["a"]}, "features() returned"),
    ],
)
def test_a_subject_that_cannot_be_judged_is_refused_with_a_reason(changed, words):
    report = nrverify.audit(subject(**changed), samples=200)
    assert (report.verdict, report.exit_code) == ("errored", 3)
    assert words in report.message


def test_an_output_may_change_its_type_from_run_to_run():
    kinds = (None, 1, 1.5, True, "text", [1, [2.5, None]], {"a": 1}, [], (1, 2))
    report = nrverify.audit(subject(run=lambda self, data, seed: kinds[seed % len(kinds)]), samples=1500)
    assert report.verdict == "consistent"


def test_neighbours_may_be_a_method():
    report = nrverify.audit(
        subject(neighbours=lambda self: [("a", "b")], run=lambda self, data, seed: seed % 3), samples=1500
    )
    assert report.verdict == "consistent"


def test_a_subject_that_changes_its_data_changes_only_its_own_copy():
    def run(self, data, seed):
        data.append(seed)
        return len(data)

    report = nrverify.audit(subject(neighbours=[([1], [2])], run=run), samples=1500)
    assert report.verdict == "consistent"
