"""The op `play` of the protocol: asked as written, read as `sample`, failed in one sentence; what goes by it."""

import json
from collections import Counter
from pathlib import Path

import jsonschema
import numpy as np
import pytest

from nrverify.auditing.noise_reduction.checks.law_topics import methods_of as with_bets
from nrverify.auditing.noise_reduction.design.cases import ADJACENT, SIDE_BY_SIDE, cases_for
from nrverify.auditing.noise_reduction.design.knob import knob_of
from nrverify.auditing.noise_reduction.design.ways import ONE_SEED_EACH, OPENED_BESIDE_PLAY, by_turns
from nrverify.auditing.plan.claimed_law_host import ClaimedLaw
from nrverify.auditing.trial import _requests
from nrverify.subjects.adapter import Adapter
from nrverify.subjects.describe import describe, from_json
from nrverify.subjects.errors import SubjectFailed, SubjectRefused
from nrverify.subjects.requests import PlayRequest
from tests.subjects.talking import described, in_process

VALUE = np.array([3.0, -1.0])
SCHEDULE = (4.0, 1.0, 1.0)
SCHEMA = json.loads((Path(__file__).parents[2] / "reports" / "schema" / "protocol.json").read_text())


def valid(instance, name):
    schema = {"$schema": SCHEMA["$schema"], "$ref": f"#/$defs/{name}", "$defs": SCHEMA["$defs"]}
    jsonschema.Draft202012Validator(schema).validate(instance)


def by_seed(request):
    """Sessions whose releases say which seed and which time they are of."""
    return [
        [[seed + at + shift for shift in range(len(request["value"]))] for at in request["schedule"]]
        for seed in request["seeds"]
    ]


def playing(monkeypatch, played, **about):
    def answer(request):
        if request["op"] == "describe":
            return {"result": described(methods=["play"], **about)}
        return played(request) if request["op"] == "play" else {"result": None}

    return in_process(monkeypatch, answer)


def test_play_is_asked_as_the_contract_says_and_read_as_sample(monkeypatch):
    host, child = playing(monkeypatch, lambda request: {"result": by_seed(request)}, encodings=["f64le"])
    found = host.ask(PlayRequest(VALUE, SCHEDULE, [7, 2**53 - 1]))
    assert child.requests[1] == {
        "id": 2,
        "op": "play",
        "value": [3.0, -1.0],
        "schedule": [4.0, 1.0, 1.0],
        "seeds": [7, 2**53 - 1],
        "encoding": "f64le",
    }
    valid(child.requests[1], "request")
    valid(child.requests[1], "request_play")
    valid(by_seed(child.requests[1]), "result_of_play")
    assert found[0].tolist() == [[11.0, 12.0], [8.0, 9.0], [8.0, 9.0]]


def test_more_sessions_than_one_request_may_have_are_asked_for_in_several_in_order(monkeypatch):
    host, child = playing(monkeypatch, lambda request: {"result": by_seed(request)})
    found = host.ask(PlayRequest(np.array([0.0]), (1.0,), list(range(5000))))
    assert [len(request["seeds"]) for request in child.requests[1:]] == [4096, 904]
    assert found.ravel().tolist() == [seed + 1.0 for seed in range(5000)]


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        ({"result": [[[1.0, 2.0]] * 3]}, r"play\(\) returned numbers of shape \(1, 3, 2\): .* \(2, 3, 2\) are needed"),
        ({"result": [[[1.0, 2.0]] * 2] * 2}, r"shape \(2, 2, 2\): numbers of shape \(2, 3, 2\) are needed"),
        ({"result": [[[1.0, 2.0]] * 3, [[1.0, 2.0]]]}, "is not an array: its rows differ in length"),
        ({"result": "abc"}, "the reply to play is not an array of numbers: abc"),
        ({"error": "unknown op"}, "play was answered by error: unknown op"),
        (b'{"id":2,"result":[[[NaN]]]}\n', "the bare word NaN, which is not JSON"),
    ],
)
def test_a_wrong_reply_fails_quoting_the_request_and_the_reply(monkeypatch, reply, words):
    host, _ = playing(monkeypatch, lambda request: reply)
    with pytest.raises(SubjectFailed, match=words) as failure:
        host.ask(PlayRequest(VALUE, SCHEDULE, [7, 8]))
    assert '"op":"play"' in str(failure.value)
    assert "answered {" in str(failure.value)


def test_null_is_nan_and_not_an_error(monkeypatch):
    host, _ = playing(monkeypatch, lambda request: {"result": [[[None, 2.0]]]})
    assert np.isnan(host.ask(PlayRequest(VALUE, (1.0,), [7]))[0, 0, 0])


@pytest.mark.parametrize("outcome", ["refused", "skipped"])
def test_a_setting_may_be_refused(monkeypatch, outcome):
    host, _ = playing(monkeypatch, lambda request: {outcome: "too small"})
    with pytest.raises(SubjectRefused, match="too small"):
        host.ask(PlayRequest(VALUE, SCHEDULE, [7]))


def test_a_python_method_called_play_is_something_else():
    class Player:
        mechanism = "brownian"

        def play(self): ...

        def sample(self, value, schedule, sessions, seed): ...

    assert Adapter(Player()).description.methods == ("sample",)


def test_a_threshold_has_no_play():
    assert describe({"mechanism": "above-threshold", "methods": ["run", "play"]}).methods == ("run",)


def cases(*methods, **about):
    description = describe({"mechanism": "brownian", "methods": methods, **about})
    return cases_for(description, knob_of(description), (1, 2, 3))


def test_play_alone_has_fixed_schedules_only_each_session_with_its_seed():
    found = cases("play")
    assert {case.method for case in found} == {"play"}
    assert all(case.fixed and not case.together for case in found)
    assert ADJACENT in {case.name for case in found}


def test_adaptive_sessions_and_those_side_by_side_stay_with_open():
    found = cases("play", "open")
    opened = {case.name for case in found if case.method == "open" and not case.ways}
    assert opened == {"adaptive", "stopped", SIDE_BY_SIDE}
    assert {case.method for case in found if case.ways} == {"play", "open"}


def test_without_times_of_its_own_every_third_schedule_is_opened():
    claim = {"knob": "epsilon", "sensitivity": 1.0, "delta": 1e-6}
    found = Counter(case.method for case in cases("play", "open", **claim) if case.fixed)
    assert found["play"] > found["open"] > found.total() / 5


@pytest.mark.parametrize(
    ("ways", "shares"),
    [
        (("sample", "open"), {"sample": 1 - ONE_SEED_EACH, "open": ONE_SEED_EACH}),
        (("play", "open"), {"play": 1 - OPENED_BESIDE_PLAY, "open": OPENED_BESIDE_PLAY}),
        (("sample", "play"), {"sample": 1 - ONE_SEED_EACH, "play": ONE_SEED_EACH}),
        (("sample", "play", "open"), {"sample": 1 - ONE_SEED_EACH, "open": ONE_SEED_EACH * OPENED_BESIDE_PLAY}),
    ],
)
def test_each_way_has_its_share_of_the_looks(ways, shares):
    rng, looks = np.random.default_rng(1), 4000
    found = Counter(by_turns(ways, rng) for _ in range(looks))
    assert set(found) == set(ways)
    for way, share in shares.items():
        # Five standard deviations: once in a million such tests; the seed is fixed.
        assert abs(found[way] - looks * share) < 5 * np.sqrt(looks * share * (1 - share))


def test_bets_of_a_subject_without_play_are_as_they_were():
    assert with_bets(describe({"mechanism": "brownian", "methods": ["open", "sample"]})) == ("sample", "open")
    assert with_bets(describe({"mechanism": "brownian", "methods": ["play"]})) == ("sample", "open", "play")
    assert {case.method for case in cases("open", "sample")} == {"open", "sample"}
    assert {case.ways for case in cases("open", "sample")} == {(), ("sample", "open")}


def test_play_survives_a_record_and_is_planned_and_tried():
    description = from_json(describe({"mechanism": "brownian", "methods": ["play"]}).as_json())
    assert description.methods == ("play",)
    planned = ClaimedLaw(description).ask(PlayRequest(VALUE, SCHEDULE, [1, 2, 3]))
    assert planned.shape == (3, 3, 2)
    tried = [request for _, request, _ in _requests(description)]
    assert [type(request) for request in tried] == [PlayRequest, PlayRequest]
