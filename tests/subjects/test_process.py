"""A subject in another process: asked exactly as the protocol says, read liberally, and failed in one sentence."""

import json
from pathlib import Path

import jsonschema
import numpy as np
import pytest

from nrverify.subjects.errors import ReleaseRefused, SubjectFailed, SubjectRefused
from nrverify.subjects.policies import Fixed
from nrverify.subjects.requests import (
    PolicyRequest,
    RefusalRequest,
    RunManyRequest,
    RunRequest,
    RunStoppingRequest,
    SampleRequest,
    ScalarRequest,
)
from tests.subjects.talking import described, in_process, python_harness

VALUE = np.array([3.0, -1.0])
SCHEMA = json.loads((Path(__file__).parents[2] / "reports" / "schema" / "protocol.json").read_text())
THRESHOLD = ((-1.0, 0.5), (1.0, 1.0), 0.0, 1.0)


def valid(instance, name):
    schema = {"$schema": SCHEMA["$schema"], "$ref": f"#/$defs/{name}", "$defs": SCHEMA["$defs"]}
    jsonschema.Draft202012Validator(schema).validate(instance)


def constant(**results):
    """A function that answers each op with a fixed result, describe with a Brownian subject."""
    results = {"describe": described(), "open": {"session": 1}, "close": None, "stop": None, **results}
    return lambda request: {"result": results[request["op"]]}


def test_the_schema_is_a_schema():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("kind", ["brownian", "threshold"])
def test_every_request_and_every_reply_of_the_python_harness_is_in_the_schema(monkeypatch, kind):
    sessions, replies = {}, []

    def answer(request):
        result = python_harness.answer(request, kind, sessions)
        replies.append((request["op"], result))
        return {"result": result}

    host, child = in_process(monkeypatch, answer)
    if kind == "brownian":
        host.ask(SampleRequest(VALUE, (4.0, 1.0, 1.0), 5, 7))
        host.ask(PolicyRequest(VALUE, Fixed((4.0, 1.0)), [1, 2, 3]))
    else:
        host.ask(RunRequest(*THRESHOLD, [1, 2]))
        host.ask(RunManyRequest(*THRESHOLD, 10, 3))
    host.close()
    child.requests.append(json.loads(child.ended[-1]))
    for request in child.requests:
        valid(request, "request")
        valid(request, f"request_{request['op']}")
    for op, result in replies:
        valid({"id": 1, "result": result}, "reply")
        valid(result, f"result_of_{op}")


def test_requests_are_those_of_the_protocol(monkeypatch):
    host, child = in_process(monkeypatch, constant(release=[0.5, 0.5], sample=[[[1.0, 2.0]]], run=[0, 1], run_many=[2]))
    host.ask(PolicyRequest(VALUE, Fixed((4.0,)), [7]))
    host.ask(SampleRequest(VALUE, (4.0,), 1, 8))
    host.ask(RunRequest(*THRESHOLD, [9]))
    host.ask(RunManyRequest(*THRESHOLD, 1, 10))
    host.close()
    threshold = {"utilities": [-1.0, 0.5], "epsilons": [1.0, 1.0], "threshold": 0.0, "sensitivity": 1.0}
    assert child.requests == [
        {"id": 1, "op": "describe", "protocol": 1},
        {"id": 2, "op": "open", "value": [3.0, -1.0], "seed": 7},
        {"id": 3, "op": "release", "session": 1, "at": 4.0},
        {"id": 4, "op": "close", "session": 1},
        {"id": 5, "op": "sample", "value": [3.0, -1.0], "schedule": [4.0], "sessions": 1, "seed": 8},
        {"id": 6, "op": "run", **threshold, "seed": 9},
        {"id": 7, "op": "run_many", **threshold, "runs": 1, "seed": 10},
    ]
    assert child.ended == [b'{"id":8,"op":"stop"}\n']


def test_two_sessions_take_turns_and_are_closed(monkeypatch):
    names = iter([{"a": [1]}, "second", None])

    def answer(request):
        results = {"describe": described(methods=["open"]), "open": {"session": 0}, "release": 1.5, "close": None}
        if request["op"] == "open":
            return {"result": {"session": next(names)}}
        return {"result": results[request["op"]]}

    host, child = in_process(monkeypatch, answer)
    releases, asked = host.ask(PolicyRequest(np.array([1.0]), Fixed((2.0, 1.0)), [1, 2, 3]))
    assert np.all(releases == 1.5)
    assert asked.tolist() == [[2.0, 1.0]] * 3
    turns = [(request["op"], request.get("session")) for request in child.requests[1:]]
    first, second = {"a": [1]}, "second"
    assert [name for op, name in turns if op == "release"][:4] == [first, second, first, second]
    assert [name for op, name in turns if op == "close"] == [first, second, None]


@pytest.mark.parametrize(
    ("mechanism", "encodings", "asked"),
    [
        ("brownian", None, None),
        ("brownian", ["json"], None),
        ("brownian", ["json", "i64le"], None),
        ("brownian", ["f64le", "zstd"], "f64le"),
        ("skellam", ["f64le"], "f64le"),
        ("skellam", ["json", "f64le", "i64le"], "i64le"),
    ],
)
def test_an_encoding_is_asked_for_only_where_the_subject_lists_it(monkeypatch, mechanism, encodings, asked):
    about = described(mechanism=mechanism, encodings=encodings)
    host, child = in_process(monkeypatch, constant(describe=about, sample=[[[4]]]))
    assert host.ask(SampleRequest(np.array([3.0]), (1.0,), 1, 1)).tolist() == [[[4.0]]]
    assert child.requests[-1].get("encoding") == asked
    assert json.dumps(child.requests[-1]["value"]) == ("[3]" if mechanism == "skellam" else "[3.0]")


def test_a_description_may_leave_out_or_set_to_null_what_is_absent(monkeypatch):
    absent = dict.fromkeys(
        ["name", "version", "knob", "sensitivity", "delta", "rate", "range", "dimensions", "protocol"]
    )
    host, _ = in_process(monkeypatch, constant(describe=described(**absent, encodings=None, colour="blue")))
    description = host.description
    assert (description.knob, description.sensitivity, description.range) == ("time", None, None)
    assert description.methods == ("open", "sample")


def test_whole_numbers_do_for_every_attribute(monkeypatch):
    about = described(knob="epsilon", sensitivity=1, delta=0, range=[1, 5], dimensions=[1, 2.0], version=3)
    about["methods"] = ["open", "time_of", "dance"]
    description = in_process(monkeypatch, constant(describe=about))[0].description
    assert description.dimensions == (1, 2)
    assert description.range == (1.0, 5.0)
    assert (description.sensitivity, description.version) == (1.0, "3")
    assert description.methods == ("open", "time_of")


@pytest.mark.parametrize(
    ("about", "words"),
    [
        ({"mechanism": "brownian"}, "has no methods: it must list what the subject offers of open, sample"),
        ({"mechanism": "boundary"}, "has no methods: .* epsilon"),
        ({}, "has no methods"),
        ({"mechanism": "brownian", "methods": "open"}, "methods open: a list of names is needed"),
        ({"mechanism": "brownian", "methods": [1]}, "a list of names is needed"),
        ({"mechanism": "brownian", "methods": []}, r"needs open\(\) or sample\(\)"),
        ({"mechanism": "above-threshold", "methods": ["open"]}, r"needs run\(\) or run_many\(\)"),
        ({"mechanism": "brownain", "methods": ["open"]}, "did you mean 'brownian'"),
        ({"mechanism": "private-stopping", "methods": ["run", "epsilon"]}, "audited in Python only"),
        (described(protocol=2), "speaks protocol 2: this nrverify speaks 1"),
        (described(encodings="f64le"), "a list of names"),
        (described(knob="epsilon"), "sensitivity is missing: a privacy claim"),
        (described(range=[1]), r"range is \[1\]: it must be a pair"),
        (described(sensitivity="1"), "sensitivity is '1': it must be a positive finite number"),
        (described(dimensions=[1.5]), r"dimensions is \[1.5\]: it must be a list of integers"),
        (described(dimensions=[10**9]), "integers from 1 to 10000"),
        (described(mechanism="boundary", methods=["epsilon"], sensitivity=1.0), "delta is missing: a privacy claim"),
        ("brownian", "is not a description"),
        (None, "is not a description"),
    ],
)
def test_what_is_wrong_with_a_description_is_said(monkeypatch, about, words):
    with pytest.raises(SubjectFailed, match=words):
        in_process(monkeypatch, constant(describe=about))


@pytest.mark.parametrize("outcome", ["refused", "skipped"])
@pytest.mark.parametrize("op", ["open", "sample", "release"])
def test_a_setting_may_be_refused_before_anything_is_released(monkeypatch, op, outcome):
    right = constant(release=[0.0, 0.0])
    host, child = in_process(monkeypatch, lambda r: {outcome: "too small"} if r["op"] == op else right(r))
    with pytest.raises(SubjectRefused, match="too small"):
        host.ask(SampleRequest(VALUE, (1.0,), 1, 1)) if op == "sample" else host.ask(
            PolicyRequest(VALUE, Fixed((1.0, 0.5)), [1, 2])
        )
    opened, closed = ([r["op"] for r in child.requests].count(name) for name in ("open", "close"))
    assert closed == (opened if op == "release" else 0)


@pytest.mark.parametrize("outcome", ["refused", "skipped", "error"])
def test_a_later_release_must_have_a_result(monkeypatch, outcome):
    right = constant(release=[0.0, 0.0])
    host, _ = in_process(monkeypatch, lambda r: {outcome: "no more"} if r.get("at") == 0.5 else right(r))
    # What is refused may be the number of releases; which it is decides the audit's smoke stage.
    error = ReleaseRefused if outcome == "refused" else SubjectFailed
    with pytest.raises(error, match=f"release was answered by {outcome}: no more"):
        host.ask(PolicyRequest(VALUE, Fixed((1.0, 0.5)), [1, 2]))


@pytest.mark.parametrize("outcome", ["refused", "skipped", "error"])
@pytest.mark.parametrize("op", ["run", "run_many", "epsilon"])
def test_runs_and_boundaries_cannot_be_refused(monkeypatch, op, outcome):
    right = constant()
    host, _ = in_process(monkeypatch, lambda r: {outcome: "no"} if r["op"] == op else right(r))
    ask = {
        "run": lambda: host.ask(RunRequest(*THRESHOLD, [1])),
        "run_many": lambda: host.ask(RunManyRequest(*THRESHOLD, 1, 1)),
        "epsilon": lambda: host.ask(ScalarRequest("epsilon", [1.0])),
    }[op]
    with pytest.raises(SubjectFailed, match=f"{op} was answered by {outcome}: no"):
        ask()


@pytest.mark.parametrize(("outcome", "fails"), [("skipped", False), ("refused", True), ("error", True)])
def test_closing_may_be_skipped(monkeypatch, outcome, fails):
    right = constant(release=[0.0, 0.0])
    host, _ = in_process(monkeypatch, lambda r: {outcome: "why"} if r["op"] == "close" else right(r))
    if fails:
        with pytest.raises(SubjectFailed, match="close was answered"):
            host.ask(PolicyRequest(VALUE, Fixed((1.0,)), [1]))
    else:
        host.ask(PolicyRequest(VALUE, Fixed((1.0,)), [1]))


@pytest.mark.parametrize(
    ("results", "words"),
    [
        ({"release": [0.0]}, r"release\(\) returned numbers of shape \(1,\): numbers of shape \(2,\) are needed"),
        ({"release": 0.0}, "shape"),
        ({"release": "0.0"}, "not an array of numbers"),
        ({"open": 3}, "session"),
        ({"open": {"name": 3}}, "session"),
        ({"open": {"session": [1, np.inf]}}, "too large to be repeated"),
    ],
)
def test_what_is_wrong_with_a_session_is_said(monkeypatch, results, words):
    host, _ = in_process(monkeypatch, constant(**{"release": [0.0, 0.0], **results}))
    with pytest.raises(SubjectFailed, match=words):
        host.ask(PolicyRequest(VALUE, Fixed((1.0,)), [1]))


@pytest.mark.parametrize("printed", [[0, 1], [0.0, 1.0], [False, True], [True]])
def test_bits_are_numbers_or_booleans(monkeypatch, printed):
    host, _ = in_process(monkeypatch, constant(run=printed))
    assert host.ask(RunRequest(*THRESHOLD, [1])) == [[int(bit) for bit in printed]]


@pytest.mark.parametrize("printed", [0, [[0]], [0.5], [None], "01", None, [np.inf]])
def test_what_are_no_bits_fails(monkeypatch, printed):
    host, _ = in_process(monkeypatch, constant(run=printed))
    with pytest.raises(SubjectFailed, match=r"run\(\) returned|the reply to run"):
        host.ask(RunRequest(*THRESHOLD, [1]))


@pytest.mark.parametrize("rounds", [[1], [1, 2.5], [1, None], [[1, 2]], 3, [1, np.inf]])
def test_what_are_no_halting_rounds_fails(monkeypatch, rounds):
    host, _ = in_process(monkeypatch, constant(run_many=rounds))
    with pytest.raises(SubjectFailed, match=r"run_many\(\)"):
        host.ask(RunManyRequest(*THRESHOLD, 2, 1))


def test_a_boundary_is_asked_one_number_at_a_time(monkeypatch):
    host, child = in_process(monkeypatch, constant(epsilon=np.inf, time=2, time_of=[2.5]))
    assert host.ask(ScalarRequest("epsilon", [0.5, 2.0])).tolist() == [np.inf, np.inf]
    assert host.ask(ScalarRequest("time", [0.3])).tolist() == [2.0]
    assert host.ask(ScalarRequest("time_of", [0.3])).tolist() == [2.5]
    assert child.requests[1:] == [
        {"id": 2, "op": "epsilon", "time": 0.5},
        {"id": 3, "op": "epsilon", "time": 2.0},
        {"id": 4, "op": "time", "epsilon": 0.3},
        {"id": 5, "op": "time_of", "epsilon": 0.3},
    ]


@pytest.mark.parametrize("answer", [None, "1", [1, 2], {}])
def test_what_is_no_number_fails(monkeypatch, answer):
    host, _ = in_process(monkeypatch, constant(epsilon=answer))
    with pytest.raises(SubjectFailed):
        host.ask(ScalarRequest("epsilon", [1.0]))


def test_after_garbage_nothing_more_is_asked(monkeypatch):
    host, child = in_process(monkeypatch, lambda r: constant()(r) if r["op"] == "describe" else b"Segmentation fault\n")
    for _ in range(2):
        with pytest.raises(SubjectFailed, match=r"the reply to sample is not JSON, .*: Segmentation fault"):
            host.ask(SampleRequest(VALUE, (1.0,), 1, 1))
    assert len(child.requests) == 2


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        ({"result": [0.0, 0.0]}, "accepted"),
        ({"result": [0.0, None]}, "answered NaN or infinity"),
        ({"refused": "must decrease"}, "refused: must decrease"),
        ({"error": "ValueError"}, "refused: ValueError"),
    ],
)
def test_an_invalid_request_is_tried_and_its_session_closed_whatever_happens(monkeypatch, reply, found):
    right = constant(release=[0.0, 0.0])
    host, child = in_process(
        monkeypatch, lambda r: reply if r.get("at") == 2.0 else {"error": "lost"} if r["op"] == "close" else right(r)
    )
    assert host.ask(RefusalRequest(VALUE, [1.0, 2.0], 1)) == found
    assert child.requests[-1]["op"] == "close"


def test_nan_is_not_asked_for_because_json_cannot_say_it(monkeypatch):
    host, child = in_process(monkeypatch, constant())
    assert host.ask(RefusalRequest(VALUE, [float("nan")], 1)) == "not asked: JSON has no NaN"
    assert len(child.requests) == 1


def test_private_stopping_is_not_in_the_protocol(monkeypatch):
    host, _ = in_process(monkeypatch, constant())
    with pytest.raises(SubjectFailed, match="Python only"):
        host.ask(RunStoppingRequest(VALUE, (1.0,), lambda release: 0.0, 0.0, 1.0, [1]))


def test_seconds_are_counted(monkeypatch):
    host, _ = in_process(monkeypatch, constant(sample=[[[0.0, 0.0]]]))
    before = host.seconds
    host.ask(SampleRequest(VALUE, (1.0,), 1, 1))
    assert host.seconds > before
