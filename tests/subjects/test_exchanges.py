"""Requests and their answers: one is told from every other, and an answer is made again from its numbers exactly."""

import math
from pathlib import Path

import numpy as np
import pytest

from nrverify.auditing.plan.claimed_law_host import ClaimedLaw
from nrverify.subjects.adapter import Adapter
from nrverify.subjects.command.host import ProcessHost
from nrverify.subjects.errors import SubjectFailed, SubjectRefused
from nrverify.subjects.outputs import Outputs
from nrverify.subjects.policies import Fixed, Follow
from nrverify.subjects.replay.exchanges import Exchange
from nrverify.subjects.replay.host import DoesNotFit, read_recording
from nrverify.subjects.replay.packing import PACKINGS
from nrverify.subjects.requests import (
    REQUESTS,
    PolicyRequest,
    RefusalRequest,
    RunManyRequest,
    RunRequest,
    RunStoppingRequest,
    SampleRequest,
    ScalarRequest,
)
from nrverify.subjects.stopping_utilities import Levels

RECORDED = Path(__file__).parent / "data" / "recorded-by-0.1.nrreplay"
"""Written by version 0.1: the answers of a subject whose noise is the arithmetic that the test repeats."""
VALUE = np.array([1.0, -2.0])
DESIGN = ((-1.0, 0.5), (1.0, 1.0), 0.0, 1.0)


def test_every_kind_of_answer_is_made_again_exactly():
    rng = np.random.default_rng(1)
    releases = rng.standard_normal((4, 3, 2))
    releases[1, 2] = [np.nan, -0.0]
    shown = [(rng.standard_normal((n, 2)), [0] * (n - 1) + [1]) for n in (1, 3, 2)]
    answers = {
        "sample": releases,
        "play": (releases, releases[:, :, 0]),
        "play_schedule": releases,
        "scalar": ([1.0, np.inf], np.array([np.nan, 2.0])),
        "run_many": np.array([3, 0, 1]),
        "run": [[0, 0, 1], [1], [0, 0, 0]],
        "run_stopping": shown,
        "run_any": Outputs([True]),
        "run_many_any": Outputs(["yes", None, 2.5], [0.1, 0.2, 0.3], None),
        "interact": Outputs([[1, "é"], {}], None, [[0.5], [1e300]]),
    }
    assert answers.keys() == PACKINGS.keys() == REQUESTS.keys() - {"refusal"}
    for method, answer in answers.items():
        packing = PACKINGS[method]
        shape, floats, integers = packing.pack(answer)
        assert packing.sizes(shape) == (floats.size, integers.size)
        again = packing.unpack(shape, floats, integers)
        flat, too = (packing.pack(found) for found in (answer, again))
        assert [part.tobytes() for part in flat[1:]] == [part.tobytes() for part in too[1:]]
        assert flat[0] == too[0]
    stopping = PACKINGS["run_stopping"]
    assert [len(own) for own, _ in stopping.unpack(*stopping.pack(shown))] == [1, 3, 2]
    assert PACKINGS["run"].unpack(*PACKINGS["run"].pack([])) == []


@pytest.mark.parametrize("shape", [[], [1, 2], [1, 2, 3, 4], [-1, 1, 1], [2**40, 1, 1], [1.0, 1, 1], [True, 1, 1]])
def test_a_shape_that_no_answer_has_is_refused(shape):
    with pytest.raises(ValueError, match="it must be 3 integers"):
        PACKINGS["sample"].sizes(shape)


def test_the_digest_of_a_request_depends_on_every_argument_and_on_nothing_else():
    policy = Follow(4.0, 1.0, 0.5, 0.7, 5, 0.0)
    base = PolicyRequest(np.array([1.0]), policy, [1, 2])
    assert base.digest == PolicyRequest(np.array([1.0]), policy, (1, 2)).digest
    others = [
        RefusalRequest(np.array([1.0]), policy, [1, 2]),
        PolicyRequest(np.array([1.0000000000000002]), policy, [1, 2]),
        PolicyRequest(np.array([1.0]), Follow(4.0, 1.0, 0.5, 0.7, 6, 0.0), [1, 2]),
        PolicyRequest(np.array([1.0]), Fixed((4.0,)), [1, 2]),
        PolicyRequest(np.array([1.0]), policy, [1, 3]),
        RunStoppingRequest(np.array([1.0]), (4.0,), Levels((0.0,), (1.0, 2.0)), 0.0, 1.0, [1]),
        RunStoppingRequest(np.array([1.0]), (4.0,), Levels((0.0,), (1.0, 3.0)), 0.0, 1.0, [1]),
        ScalarRequest("epsilon", [1.0]),
        ScalarRequest("time", [1.0]),
    ]
    assert len({base.digest, *(other.digest for other in others)}) == len(others) + 1


@pytest.mark.parametrize("host", [Adapter, ProcessHost, ClaimedLaw])
def test_a_host_that_answers_by_name_has_a_method_for_every_request(host):
    for method in REQUESTS:
        assert callable(getattr(host, method, None)), method


def test_what_version_0_1_recorded_answers_the_same_requests():
    host = read_recording(RECORDED).host()
    assert host.description.interval == (0.5, math.inf)
    assert host.description.dimensions == (1, 2)
    sampled = VALUE + np.array([4.0, 1.0])[None, :, None] + np.arange(3)[:, None, None] + 7
    assert np.array_equal(host.ask(SampleRequest(VALUE, (4.0, 1.0), 3, 7)), sampled)
    releases, asked = host.ask(PolicyRequest(VALUE, Fixed((4.0, 1.0, 1.0)), [1, 2]))
    assert asked.tolist() == [[4.0, 1.0, 1.0]] * 2
    assert np.array_equal(releases, VALUE + asked[:, :, None] + np.array([1, 2])[:, None, None] / 8)
    adaptive = Follow(4.0, 0.5, 0.5, 0.75, 4, 0.0)
    assert host.ask(PolicyRequest(np.array([0.5]), adaptive, [2**53 - 1]))[1].tolist() == [[4.0, 3.0, 2.25, 1.6875]]
    assert host.ask(RefusalRequest(VALUE, [1.0, 2.0], 3)) == "accepted"
    assert host.ask(RefusalRequest(VALUE, [math.nan], 3)) == "refused: ValueError: times are positive"
    assert host.ask(RunRequest(*DESIGN, [4, 5, 6])) == [[0, 1], [0, 0, 1], [1]]
    assert host.ask(RunManyRequest(*DESIGN, 4, 9)).tolist() == [0, 1, 2, 0]
    shown = host.ask(RunStoppingRequest(VALUE, (4.0, 2.0), Levels((3.0,), (0.0, 2.0)), 1.0, 1.0, [1, 2, 3]))
    assert [bits for _, bits in shown] == [[1, 0], [1], [1, 0]]
    assert shown[0][0].tolist() == [[5.0, 2.0], [3.0, 0.0]]
    assert host.ask(ScalarRequest("epsilon", [0.5, 2.0])).tolist() == [2.0, 0.5]
    assert host.ask(ScalarRequest("epsilon", [2.0])).tolist() == [0.5]
    assert host.ask(ScalarRequest("time_of", [0.25])).tolist() == [4.0]
    with pytest.raises(SubjectRefused, match="at most 3 releases"):
        host.ask(SampleRequest(VALUE, (4.0, 3.0, 2.0, 1.0), 1, 8))
    with pytest.raises(SubjectFailed, match="too late"):
        host.ask(ScalarRequest("epsilon", [1e7]))
    with pytest.raises(DoesNotFit, match=r"asks for sample\(\) with arguments that were not recorded"):
        host.ask(SampleRequest(VALUE, (4.0, 1.0), 3, 9))


def test_an_exchange_raises_again_what_the_host_raised():
    with pytest.raises(SubjectFailed, match="out of order"):
        Exchange("failed", "out of order", 0.0).result()
    with pytest.raises(SubjectRefused, match="too small"):
        Exchange("refused", "too small", 0.0).result()
