"""What an ε guarantees: as a subject says, by default, and what is refused; in Python, by command, and in records."""

import json

import numpy as np
import pytest

from nrverify.auditing.sampling.own_deltas import OwnDeltas
from nrverify.subjects.command.describe_reply import read_description
from nrverify.subjects.describe import describe
from nrverify.subjects.errors import SubjectFailed
from nrverify.subjects.guarantees import guarantee_of
from nrverify.subjects.records.file import record_of
from tests.subjects.records import transcripts

EPSILON = {"mechanism": "brownian", "knob": "epsilon", "sensitivity": 1.0, "delta": 1e-5, "methods": ["sample"]}


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (EPSILON, "ex-post"),
        ({**EPSILON, "guarantee": "dp"}, "dp"),
        ({**EPSILON, "guarantee": "ex-post"}, "ex-post"),
        ({"mechanism": "laplace", "methods": ["sample"]}, None),
        ({"mechanism": "laplace", "methods": ["sample"], "guarantee": "dp"}, None),
        ({"mechanism": "above-threshold", "methods": ["run"]}, "dp"),
        ({"mechanism": "above-threshold", "methods": ["run"], "guarantee": "ex-post"}, "ex-post"),
        ({"mechanism": "reduced-above-threshold", "methods": ["run"]}, "ex-post"),
        ({"mechanism": "boundary", "methods": ["epsilon"], "sensitivity": 1.0, "delta": 0.1}, None),
    ],
)
def test_the_guarantee_is_the_one_said_or_that_of_the_mechanism(said, expected):
    assert guarantee_of(describe(said)) == expected


def test_what_releases_once_claims_differential_privacy():
    assert guarantee_of(describe(EPSILON), most_releases=1) == "dp"
    assert guarantee_of(describe(EPSILON), most_releases=2) == "ex-post"
    assert guarantee_of(describe({**EPSILON, "guarantee": "ex-post"}), most_releases=1) == "ex-post"


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"guarantee": "rdp"}, "attribute guarantee is 'rdp': it must be one of ex-post, dp"),
        ({"guarantee": 1}, "attribute guarantee is 1: it must be one of ex-post, dp"),
        ({"guarantee": "dp", "delta": 1.0}, "attribute delta is 1.0: it must be a number of at least 0 and below 1"),
        ({"guarantee": "dp", "delta": -1e-9}, "attribute delta is -1e-09: it must be a number of at least 0"),
        (
            {"guarantee": "dp", "sensitivity": None},
            "sensitivity is missing: a privacy claim needs it, and it must be a",
        ),
        ({"guarantee": "dp", "sensitivity": 0.0}, "attribute sensitivity is 0.0: it must be a positive finite number"),
        (
            {"guarantee": "dp", "mechanism": "boundary", "methods": ["epsilon"]},
            "guarantee is 'dp': it must be left out",
        ),
        ({"guarantee": "dp", "mechanism": "private-stopping", "methods": ["run", "epsilon"]}, "it must be left out"),
        ({"delta": None, "methods": ["sample", "delta_of"]}, "attribute delta is missing"),
    ],
)
def test_a_wrong_claim_is_refused_with_its_value_and_what_it_must_be(changed, words):
    with pytest.raises(SubjectFailed) as caught:
        describe({**EPSILON, **changed})
    assert words in str(caught.value)


def test_a_curve_needs_no_delta():
    described = describe({**EPSILON, "delta": None, "guarantee": "dp", "methods": ["sample", "delta_of"]})
    assert described.methods == ("sample", "delta_of")


def test_describe_carries_the_guarantee():
    reply = json.loads(json.dumps({**EPSILON, "guarantee": "dp", "methods": ["sample", "delta_of"]}))
    assert read_description(reply).description.guarantee == "dp"


def test_records_carry_the_guarantee():
    arrays = transcripts(knob="epsilon", sensitivity=1.0, delta=1e-5, schedule=[0.5, 1.0, 2.0], guarantee="dp")
    assert guarantee_of(record_of(arrays).description) == "dp"


class Host:
    def __init__(self, delta_of):
        self.delta_of = delta_of

    def ask(self, request):
        assert request.function == "delta_of"
        return np.array([self.delta_of(epsilon) for epsilon in request.numbers])


@pytest.mark.parametrize(
    ("delta_of", "words"),
    [
        (lambda epsilon: epsilon / 10, "delta_of(2.0) is 0.2: it must not be above delta_of(1.0), which is 0.1"),
        (lambda epsilon: -0.1, "delta_of(1.0) is -0.1: it must be between 0 and 1"),
        (lambda epsilon: float("nan"), "delta_of(1.0) is nan: it must be between 0 and 1"),
        (lambda epsilon: 1.5, "delta_of(1.0) is 1.5: it must be between 0 and 1"),
    ],
)
def test_a_curve_that_privacy_cannot_have_is_refused(delta_of, words):
    with pytest.raises(SubjectFailed) as caught:
        OwnDeltas(Host(delta_of))(np.array([2.0, 1.0]))
    assert words in str(caught.value)


def test_the_points_of_a_curve_are_asked_for_once():
    asked = []
    deltas_of = OwnDeltas(Host(lambda epsilon: asked.append(epsilon) or 0.5 / epsilon))
    deltas_of(np.array([1.0, 2.0]))
    assert deltas_of(np.array([2.0, 4.0])) == {1.0: 0.5, 2.0: 0.25, 4.0: 0.125}
    assert asked == [1.0, 2.0, 4.0]
