"""Audits of subjects whose times may be asked for in any order: what is asked, judged, refused and not covered.

Audits of right subjects raise a false alarm with probability at most 1e-6 each.
"""

import sys
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import norm

from nrverify import audit
from nrverify.auditing.check_ids import asked_of
from nrverify.auditing.core.settings import Settings
from nrverify.auditing.noise_reduction.audit import NoiseReductionMechanism
from nrverify.auditing.plan.plan import plan
from nrverify.reference.mutants import any_order as mutants
from nrverify.reference.mutants.correct.any_order import BrownianAnyOrder, LaplaceAnyOrder, SkellamAnyOrder
from nrverify.reference.mutants.correct.noise import Brownian
from nrverify.subjects.describe import describe
from nrverify.subjects.errors import SubjectFailed
from nrverify.subjects.own_laws.loading import in_use, specified

ID = "law.any-order"
COMMAND = """
import json, random, sys
paths = {}
for line in sys.stdin:
    asked = json.loads(line)
    op, result = asked["op"], None
    if op == "describe":
        result = {"protocol": 1, "mechanism": "brownian", "any_order": True, "dimensions": [1], "methods": ["open"]}
    elif op == "open":
        paths[len(paths)] = ({}, asked["value"][0], random.Random(asked["seed"]))
        result = {"session": len(paths) - 1}
    elif op == "release":
        path, value, rng = paths[asked["session"]]
        s = asked["at"]
        if s not in path:
            low, high = max((t for t in path if t < s), default=0.0), min((t for t in path if t > s), default=None)
            below = path.get(low, 0.0)
            if high is None:
                path[s] = rng.gauss(below, (s - low) ** 0.5)
            else:
                mean = below + (s - low) / (high - low) * (path[high] - below)
                path[s] = rng.gauss(mean, VARIANCE ** 0.5)
        result = [value + path[s]]
    print(json.dumps({"id": asked["id"], "result": result}), flush=True)
    if op == "stop":
        break
"""
RIGHT, FROM_ZERO = "((s - low) * (high - s) / (high - low))", "(s * (high - s) / high)"


def verdicts(report):
    return {check.id: check.verdict.value for check in report.checks}


def found(report):
    return next(check for check in report.checks if check.id == ID)


def missing(description):
    """Why the check is not covered of a subject that describes itself so."""
    asked = NoiseReductionMechanism(SimpleNamespace(description=description), Settings())
    return next(one.message for one in asked.not_covered if one.id == ID)


class Falling(Brownian):
    """Says any order, and refuses it by both methods."""

    any_order = True


class FallingSamples(Falling):
    """Says any order, and refuses it in whole transcripts."""

    open = None


@pytest.mark.parametrize("subject", [BrownianAnyOrder, LaplaceAnyOrder, SkellamAnyOrder], ids=lambda s: s.mechanism)
def test_a_right_subject_is_judged_in_any_order_and_spared(subject):
    report = audit(subject, samples=20_000 if subject is BrownianAnyOrder else 3000)
    assert report.verdict == "consistent"
    assert "not-covered" not in (verdicts(report)[ID], verdicts(report)["ties.repeated-time"])
    assert found(report).samples > 600
    advice = next(check for check in report.checks if check.id == "protocol.refusals")
    assert "more noise after less" not in advice.observed


@pytest.mark.parametrize(
    "name", ["any-order-bridge-variance-between", "any-order-upper-ignored", "any-order-remembered"]
)
def test_a_wrong_one_is_refuted_by_that_check_alone(name):
    entry = next(entry for entry in mutants.MUTANTS if entry.name == name)
    report = audit(entry.subject, samples=300)
    assert [id for id, verdict in verdicts(report).items() if verdict == "refuted"] == [ID]
    assert (report.law, report.exit_code) == ("refuted", 1)
    assert found(report).message


@pytest.mark.parametrize(
    ("variance", "verdict"), [(RIGHT, "inconclusive"), (FROM_ZERO, "refuted")], ids=["right", "wrong"]
)
def test_a_command_is_asked_for_times_in_any_order_too(variance, verdict, tmp_path):
    path = tmp_path / "subject.py"
    path.write_text(COMMAND.replace("VARIANCE", variance), "utf-8")
    report = audit(f"cmd:{sys.executable} {path}", samples=1200)
    assert (report.verdict == "refuted", verdicts(report)[ID]) == (verdict == "refuted", verdict)


def test_without_the_attribute_the_check_is_not_mentioned():
    assert ID not in asked_of(Brownian, 10.0)
    assert ID in asked_of(BrownianAnyOrder, 10.0)
    report = audit(Brownian, samples=200, checks=[ID])
    assert [(check.id, check.message) for check in report.checks if check.id == ID] == [
        (ID, "it is for subjects with any_order = True")
    ]


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"granularity": 0.25}, "releases on a declared grid are judged in falling order alone"),
        ({"most_releases": 1}, "the subject makes one release in a session"),
        ({"mechanism": "discrete-gaussian"}, "the subject makes one release in a session"),
    ],
    ids=["grid", "once", "discrete-gaussian"],
)
def test_where_it_cannot_be_judged_it_is_not_covered_in_words(given, why):
    assert missing(describe({"mechanism": "brownian", "any_order": True, "methods": ["sample"], **given})) == why


def test_of_a_law_of_ones_own_only_falling_times_are_known():
    class Own:
        name = "own-noise"

        def marginal(self, t):
            return norm(scale=np.sqrt(t))

        def bridge(self, s, t, given):
            return norm(loc=s / t * given, scale=np.sqrt(s * (t - s) / t))

    with in_use(specified(Own)):
        description = describe({"mechanism": "own-noise", "any_order": True, "methods": ["sample"]})
        assert missing(description).endswith("noise alone: times are asked for in falling order")


@pytest.mark.parametrize(("subject", "method"), [(Falling, "sample"), (FallingSamples, "sample")])
def test_a_subject_that_says_any_order_and_refuses_it_fails(subject, method):
    report = audit(subject, samples=200)
    assert report.exit_code == 3
    assert report.message.startswith("attribute any_order is True: the times ")
    assert f"by {method}() are refused" in report.message
    assert "it must be left out where times may not rise" in report.message


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"knob": "epsilon", "sensitivity": 1.0, "delta": 1e-6}, "any_order is True: it must be left out with knob"),
        ({"any_order": "yes"}, "any_order is 'yes': it must be"),
        ({"mechanism": "above-threshold", "methods": ["run"]}, "any_order is True: it must be left out with above-"),
    ],
    ids=["epsilon", "text", "threshold"],
)
def test_where_any_order_means_nothing_it_is_refused_with_its_name_and_value(given, words):
    with pytest.raises(SubjectFailed, match=words):
        describe({"mechanism": "brownian", "any_order": True, "methods": ["sample"], **given})


@pytest.mark.parametrize("mechanism", ["brownian", "laplace"])
def test_a_plan_says_what_would_be_seen_in_any_order(mechanism):
    description = describe({"mechanism": mechanism, "any_order": True, "methods": ["sample", "open"]})
    planned = next(one for one in plan(description, Settings(samples=20_000)).checks if one.id == ID)
    sizes = {size.quantity: size.value for size in planned.sizes}
    assert 0 < sizes["variance of a release noisier than all before"] < 0.3
