"""Whole conversations with a process of any mechanism, corrupted at random: a verdict, or one sentence."""

import json
import math

import numpy as np
import pytest

import nrverify
from nrverify.subjects.command import session as conversation
from nrverify.subjects.description import MECHANISMS
from nrverify.subjects.outputs import normal
from tests.fuzz.fuzzing import MANY, concluded, fresh
from tests.subjects.talking import Answering
from tests.support.corruption import corrupted
from tests.support.strange_subjects import anything, subject_of

TALKING = [mechanism for mechanism in MECHANISMS if mechanism != "private-stopping"]


def plain(answer):
    """As JSON holds it; NaN is null."""
    if isinstance(answer, np.ndarray):
        return plain(answer.tolist())
    if isinstance(answer, list):
        return [plain(entry) for entry in answer]
    return None if isinstance(answer, float) and math.isnan(answer) else answer


def talking(rng, said, share):
    """A process that answers by a subject with these attributes, and corrupts a share of its replies."""
    subject, sessions = subject_of(said), {}

    def result(request):
        op, seed = request["op"], request.get("seed")
        if op == "describe":
            spends = "spent" in said["methods"]
            return {**said, "methods": [name for name in said["methods"] if not (spends and name == "spent")]}
        if op == "open":
            sessions[len(sessions)] = subject._open(request.get("value") or request.get("data"), seed)
            return {"session": len(sessions) - 1}
        if op in ("release", "ask"):
            session = sessions[request["session"]]
            return session.release(request["at"]) if op == "release" else session.ask(request["query"])
        if op == "sample":
            return subject._sample(np.array(request["value"]), request["schedule"], request["sessions"], seed)
        if op == "run":
            output = subject._run(request.get("utilities") or request.get("data"), seed=seed)
            return {"output": output, "spent": 1.5} if "spent" in said["methods"] else output
        if op == "run_many":
            found = subject._run_many(runs=request["runs"], seed=seed)
            return [{"output": x, "spent": 1.5} for x in found] if "spent" in said["methods"] else found
        if op in ("epsilon", "time", "time_of", "delta_of"):
            asked = request.get("time", request.get("epsilon"))
            return subject._delta_of(asked) if op == "delta_of" else subject._number(asked)
        return [1.0] if op == "features" else None

    def answer(request):
        try:
            right = {"id": request["id"], "result": plain(result(request))}
            json.dumps(right, allow_nan=False)
        except (ValueError, KeyError, TypeError, IndexError, OverflowError) as error:  # asked under a corrupted name
            return {"refused": repr(error)}
        return corrupted(rng, right) if request["id"] > 1 and rng.random() < share else right

    return answer


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("mechanism", TALKING)
def test_a_process_of_any_mechanism_is_judged_or_fails_in_one_sentence(mechanism, monkeypatch):
    rng, done = fresh(mechanism), 0
    while done < MANY // 200:
        said = anything(rng, mechanism)
        try:
            json.dumps(said, allow_nan=False)
            normal(said, "describe")
        except (TypeError, ValueError):
            continue
        child = Answering(talking(rng, said, rng.choice([0.001, 0.01, 0.1, 0.5])))
        monkeypatch.setattr(conversation, "Child", lambda command, child=child: child)
        assert concluded(nrverify.audit("cmd:unused", samples=100, budget=3, timeout=5.0)), said
        assert child.ended
        done += 1
