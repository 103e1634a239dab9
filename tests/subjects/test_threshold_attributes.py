"""What a threshold mechanism may declare of its noise, and the words with which anything else is refused."""

import pytest

from nrverify.subjects.adapter import Adapter
from nrverify.subjects.command.describe_reply import read_description
from nrverify.subjects.describe import from_json
from nrverify.subjects.errors import SubjectFailed


class Threshold:
    mechanism = "above-threshold"

    def run(self, utilities, epsilons, threshold, sensitivity, seed):
        raise NotImplementedError


def from_python(mechanism="above-threshold", **said):
    return Adapter(type("Subject", (Threshold,), {"mechanism": mechanism, **said})()).description


def from_command(mechanism="above-threshold", **said):
    return read_description({"mechanism": mechanism, "methods": ["run"], **said}).description


EVERYWHERE = pytest.mark.parametrize("read", [from_python, from_command])


@EVERYWHERE
def test_what_is_declared_is_read_and_the_rest_is_usual(read):
    found = read(scales=[3, 5.5], positives=4, noise="gaussian", monotone=True, delta=1e-5)
    assert (found.scales, found.positives, found.noise) == ((3.0, 5.5), 4, "gaussian")
    assert (found.monotone, found.delta) == (True, 1e-5)
    assert from_json(found.as_json()) == found
    usual = read(scales=None, positives=None, noise=None, monotone=None)
    assert (usual.scales, usual.positives, usual.noise, usual.monotone) == (None, 1, "laplace", False)


@EVERYWHERE
@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"scales": (2, 0)}, "attribute scales is (2, 0): it must be a pair (a, b) of positive finite numbers"),
        ({"scales": (2, -4.0)}, "attribute scales is (2, -4.0): it must be a pair (a, b) of positive finite numbers"),
        ({"scales": 2.0}, "attribute scales is 2.0: it must be a pair (a, b) of positive finite numbers"),
        ({"scales": (1, 2, 3)}, "attribute scales is (1, 2, 3): it must be a pair (a, b)"),
        ({"scales": (float("nan"), 1)}, "attribute scales is (nan, 1): it must be a pair (a, b)"),
        ({"scales": (1.0, 1000.0)}, "attribute scales is (1.0, 1000.0): both must be between 1e-06 and 1e+06, and at"),
        ({"positives": 0}, "attribute positives is 0: it must be an integer from 1 to 1000"),
        ({"positives": 2.5}, "attribute positives is 2.5: it must be an integer from 1 to 1000"),
        ({"positives": True}, "attribute positives is True: it must be an integer from 1 to 1000"),
        ({"positives": 1001}, "attribute positives is 1001: it must be an integer from 1 to 1000"),
        ({"noise": "gausian"}, "attribute noise is 'gausian': it must be one of laplace, exponential, gaussian; did"),
        ({"noise": 3}, "attribute noise is 3: it must be one of laplace, exponential, gaussian"),
        ({"monotone": 1}, "attribute monotone is 1: it must be True or False"),
        ({"noise": "gaussian"}, "attribute scales is missing: noise is 'gaussian', which needs it: it must be a pair"),
        (
            {"noise": "gaussian", "scales": (2, 4)},
            "attribute delta is missing: noise is 'gaussian', which needs it: it must be a number of at least 0 and",
        ),
    ],
    ids=str,
)
def test_anything_else_is_refused_with_its_name_its_value_and_what_it_must_be(read, said, words):
    with pytest.raises(SubjectFailed) as caught:
        read(**said)
    assert words in str(caught.value)


@EVERYWHERE
@pytest.mark.parametrize("said", [{"noise": "laplace"}, {"positives": 1}, {"monotone": False}], ids=str)
def test_reduced_thresholds_declare_scales_alone(read, said):
    assert read("reduced-above-threshold", scales=(2, 5)).scales == (2.0, 5.0)
    with pytest.raises(
        SubjectFailed, match=f"attribute {next(iter(said))} is .*: it must be left out: it is for above"
    ):
        read("reduced-above-threshold", **said)


def test_elsewhere_the_names_mean_what_a_subject_likes():
    class Noisy:
        mechanism = "brownian"
        scales, positives = "any", None

        def noise(self):
            raise NotImplementedError

        def sample(self, value, schedule, sessions, seed):
            raise NotImplementedError

    assert Adapter(Noisy()).description.noise == "laplace"
