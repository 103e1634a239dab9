"""The audit of a subject that answers anything at all: a verdict, or exit 3 with one sentence; never a crash of ours.

In this process a right conversation is corrupted at random, over and over; with real processes some dozen times.
"""

import json
import os
import random
import shlex
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nrverify
from nrverify.subjects.command import session as conversation
from tests.subjects.talking import Answering, misbehaving, python_harness
from tests.support.awkward import AWKWARD, one_short_printable_sentence
from tests.support.cases import CASES
from tests.support.commands import carrying
from tests.support.corruption import corrupted


def corrupting(seed):
    """A subject that is right but for some of its replies."""
    rng = random.Random(seed)
    kind, sessions, first = rng.choice(["brownian", "threshold"]), {}, rng.randrange(40)

    def answer(request):
        try:
            right = {"id": request["id"], "result": python_harness.answer(request, kind, sessions)}
        except (ValueError, KeyError, TypeError) as error:  # it was asked for a session under a corrupted name
            return {"refused": repr(error)}
        if request["id"] > first and rng.random() < 0.5:
            return corrupted(rng, right)
        return right

    return answer


def soundly_concluded(report):
    """A verdict, or the one sentence that the command prints with exit code 3; in any case a document."""
    json.loads(report.to_json())
    if report.verdict == "errored":
        return report.exit_code == 3 and one_short_printable_sentence(report.message)
    return report.exit_code in (0, 1, 4)


@settings(max_examples=30 * CASES, deadline=None)
@given(st.integers(0, 2**32))
def test_a_subject_that_answers_anything_is_judged_or_fails_in_one_sentence(seed):
    with pytest.MonkeyPatch.context() as patch:
        for case in range(10):
            child = Answering(corrupting(f"{seed} {case}"))
            patch.setattr(conversation, "Child", lambda command, child=child: child)
            assert soundly_concluded(nrverify.audit("cmd:unused", samples=300, timeout=5.0))
            assert child.ended


BYTES = st.one_of(
    st.binary(max_size=80),
    st.sampled_from(AWKWARD).map(lambda x: json.dumps({"id": 2, "result": x}).encode()),
    st.sampled_from([b"NaN", b"{", b'{"id":2}', b'{"id":1,"result":null}', b"\n\n", b"\r\n", b"\0" * 3000]),
)
DEEDS = st.one_of(
    st.builds(lambda x, end: ("write", {"bytes": (x + end).hex()}), BYTES, st.sampled_from([b"\n", b"\n", b""])),
    st.builds(lambda x: ("merge", {"members": {"id": x}}), st.sampled_from([0, 99, "1", None, [1]])),
    st.builds(lambda code: ("die", {"code": code}), st.integers(0, 255)),
    st.builds(lambda number: ("signal", {"signal": number}), st.sampled_from([1, 2, 6, 9, 11, 15])),
    st.builds(lambda fd, text: ("flood", {"descriptor": fd, "text": text}), st.integers(1, 2), st.sampled_from("0\n")),
    st.builds(lambda fd: ("close", {"descriptor": fd}), st.integers(0, 1)),
    st.sampled_from(["half", "twice", "hang", "ignore", "fork and die", "daemon and die"]).map(lambda do: (do, {})),
    st.just(("drip", {"pause": 0.2})),
)


@settings(max_examples=16 * CASES, deadline=None)
@given(st.integers(0, 6), DEEDS)
def test_a_process_that_does_anything_fails_in_one_sentence_in_time_and_leaves_nothing(at, deed):
    do, details = deed
    value = f"{os.getpid()}-{time.monotonic_ns()}"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NRVERIFY_TEST", value)
        started = time.monotonic()
        report = nrverify.audit(f"cmd:{shlex.join(misbehaving(at, do, **details))}", samples=64, timeout=2.0)
        assert time.monotonic() - started < 60
    assert report.verdict == "errored"
    assert soundly_concluded(report)
    assert carrying(f"NRVERIFY_TEST={value}") == []
