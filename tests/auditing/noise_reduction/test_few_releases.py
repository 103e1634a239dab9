"""Subjects that release once, or a few times: what they are asked, what is covered, and what is said of refusals.

Audits of right subjects raise a false alarm with probability at most 1e-6 each.
"""

import sys

import numpy as np
import pytest

from nrverify import audit
from nrverify.auditing.noise_reduction.design.cases import cases_for, shares
from nrverify.auditing.noise_reduction.design.knob import knob_of
from nrverify.auditing.noise_reduction.design.neighbours import pairs_for
from nrverify.subjects.describe import describe

COVERED_BY_ONE = {
    "protocol.finite",
    "randomness.streams",
    "lattice",
    "law.release",
    "law.value",
    "independence.coordinates",
    "independence.sessions",
    "loss.stopping",
}
NEED_MORE = {"law.transcript", "law.adaptive", "ties", "ties.repeated-time"}


class OnceByUnpacking:
    """Python's own ValueError, as a stranger's code raises it: too many values to unpack."""

    mechanism = "laplace"

    def sample(self, value, schedule, sessions, seed):
        (scale,) = schedule
        return value + np.random.default_rng(seed).laplace(0.0, scale, (sessions, 1, value.size))


class OnceDeclared:
    """Never asked for more than one release."""

    mechanism = "brownian"
    most_releases = 1

    def sample(self, value, schedule, sessions, seed):
        assert len(schedule) == 1
        noise = np.random.default_rng(seed).normal(0.0, schedule[0] ** 0.5, (sessions, 1, value.size))
        return value + noise


class OnceOpened:
    """A session that is over after one release."""

    mechanism = "brownian"
    most = 1

    def open(self, value, seed):
        return Path(value, np.random.default_rng(seed), self.most)


class Path:
    """A Brownian path with so many releases."""

    def __init__(self, value, rng, most):
        self.value, self.rng, self.most, self.count, self.last = value, rng, most, 0, None

    def release(self, at):
        if self.count == self.most:
            raise ValueError(f"no more than {self.most} releases")
        self.count += 1
        if self.last is None:
            self.noise = self.rng.normal(0.0, at**0.5, self.value.shape)
        elif at < self.last:
            spread = (at * (self.last - at) / self.last) ** 0.5
            self.noise = self.noise * at / self.last + self.rng.normal(0.0, spread, self.value.shape)
        self.last = at
        return self.value + self.noise


class ThreeOpened(OnceOpened):
    """Three releases; a repeated time counts as one."""

    most = 3


class DifferentTimes:
    """Refuses equal times alone, by both methods."""

    mechanism = "brownian"

    def open(self, value, seed):
        return StrictPath(value, np.random.default_rng(seed), np.inf)

    def sample(self, value, schedule, sessions, seed):
        if len(set(schedule)) < len(schedule):
            raise ValueError("times must fall")
        paths = [Path(value, np.random.default_rng([seed, number]), np.inf) for number in range(sessions)]
        return [[path.release(at) for at in schedule] for path in paths]


class StrictPath(Path):
    """Times must fall."""

    def release(self, at):
        if self.last is not None and at >= self.last:
            raise ValueError("times must fall")
        return super().release(at)


def verdicts(report):
    return {check.id: check.verdict.value for check in report.checks}


def test_one_release_is_found_consistent_by_every_check_that_needs_no_more():
    found = verdicts(audit(OnceByUnpacking, samples=20_000))
    assert {id for id, verdict in found.items() if verdict == "consistent"} == {*COVERED_BY_ONE, "privacy.ex-post"}


@pytest.mark.parametrize("subject", [OnceByUnpacking, OnceDeclared, OnceOpened])
def test_one_release_is_audited_with_all_that_it_can_tell(subject):
    report = audit(subject, samples=600)
    found = verdicts(report)
    assert not COVERED_BY_ONE & {id for id, verdict in found.items() if verdict in ("not-covered", "refuted")}
    assert {id for id in NEED_MORE if found[id] == "not-covered"} == NEED_MORE
    assert report.run["refused"] == (None if subject is OnceDeclared else {"releases": 2})
    assert "1 release" in report.asked


@pytest.mark.parametrize(("subject", "refused"), [(ThreeOpened, 4), (DifferentTimes, None)])
def test_the_length_is_found_on_strictly_falling_times(subject, refused):
    report = audit(subject, samples=1500)
    assert report.run["refused"] == (None if refused is None else {"releases": refused})
    found = verdicts(report)
    assert "refuted" not in found.values()
    # It is judged: with more sessions it would be consistent.
    assert found["law.transcript"] in ("consistent", "inconclusive")


def test_a_wrong_scale_of_one_release_is_refuted():
    class DeviationForVariance(OnceDeclared):
        def sample(self, value, schedule, sessions, seed):
            return super().sample(value, [at**2 for at in schedule], sessions, seed)

    report = audit(DeviationForVariance, samples=2000)
    assert report.verdict == "refuted"
    assert verdicts(report)["law.release"] == "refuted"


def test_one_release_for_an_epsilon_is_judged_by_its_claim():
    class HalfTheScale:
        mechanism, knob, sensitivity = "laplace", "epsilon", 1.0
        most_releases = 1

        def sample(self, value, schedule, sessions, seed):
            return value + np.random.default_rng(seed).laplace(0.0, 0.5 / schedule[0], (sessions, 1, value.size))

    report = audit(HalfTheScale, samples=2000)
    assert report.privacy == "refuted"


@pytest.mark.parametrize(
    ("subject", "words"),
    [
        (
            type("ThreeAtMost", (OnceByUnpacking,), {"most_releases": 3}),
            "attribute most_releases is 3: a schedule of 3",
        ),
        (
            type("None", (OnceByUnpacking,), {"most_releases": 0}),
            "most_releases is 0: it must be an integer of at least 1",
        ),
        (type("Half", (OnceByUnpacking,), {"most_releases": 1.5}), "most_releases is 1.5"),
        (type("Text", (OnceByUnpacking,), {"most_releases": "one"}), "most_releases is 'one'"),
    ],
)
def test_a_wrong_number_of_releases_cannot_be_run(subject, words):
    report = audit(subject, samples=500)
    assert report.exit_code == 3
    assert words in report.message


def test_a_release_refused_within_the_declared_number_cannot_be_run():
    report = audit(type("Declared", (OnceOpened,), {"most_releases": 2}), samples=500)
    assert report.exit_code == 3
    assert "most_releases is 2" in report.message
    assert "no more than 1 releases" in report.message


def test_an_answer_of_one_release_where_more_were_asked_names_the_attribute():
    class First(OnceByUnpacking):
        def sample(self, value, schedule, sessions, seed):
            return super().sample(value, schedule[:1], sessions, seed)

    report = audit(First, samples=500)
    assert report.exit_code == 3
    assert "set most_releases = 1" in report.message


class RefusesVectors(OnceByUnpacking):
    """One number alone."""

    def sample(self, value, schedule, sessions, seed):
        if value.size > 1:
            raise ValueError("one number, please")
        return super().sample(value, schedule, sessions, seed)


class RefusesNegative(OnceByUnpacking):
    """Values from 0 on."""

    def sample(self, value, schedule, sessions, seed):
        if value.min() < 0:
            raise ValueError("values from 0 on")
        return super().sample(value, schedule, sessions, seed)


class RefusesAll(OnceByUnpacking):
    """Nothing is right."""

    def sample(self, value, schedule, sessions, seed):
        raise ValueError("never")


def test_what_was_refused_is_named_with_its_request():
    of_vectors = next(check for check in audit(RefusesVectors, samples=500).checks if check.id == "protocol.range")
    assert "dimension 3: the value [2, 3, 4] (ValueError: one number, please)" in of_vectors.message
    of_negative = next(check for check in audit(RefusesNegative, samples=500).checks if check.id == "protocol.range")
    assert "the value [-7] (ValueError: values from 0 on)" in of_negative.message
    assert "dimension" not in of_negative.message
    nothing = audit(RefusesAll, samples=500)
    assert nothing.exit_code == 3
    assert "at the value [2], whatever the time from 0.01 to 1000: time 1000 (ValueError: never)" in nothing.message
    assert "set `range = (smallest, largest)`" in nothing.message


@pytest.mark.parametrize("most", [1, 2, 3, 5])
@pytest.mark.parametrize("knob", ["time", "epsilon"])
def test_no_schedule_is_longer_than_the_most_releases(most, knob):
    given = {"mechanism": "brownian", "knob": knob, "sensitivity": 1.0, "delta": 1e-6, "methods": ["open", "sample"]}
    description = describe(given)
    asked = knob_of(description)
    cases = cases_for(description, asked, (1, 3), most)
    pairs = pairs_for(description, asked, (1, 3), most)
    assert max(case.rule.length for case in [*cases, *(pair.case for pair in pairs)]) == most
    assert all(case.fixed for case in cases) == (most < 3)
    # The values of the battery stay, and single releases are spread over the range.
    assert {case.value for case in cases} >= {
        case.value for case in cases_for(description, asked, (1, 3)) if case.fixed
    }
    if most == 1:
        assert len({case.rule.schedule for case in cases}) > 5


def test_single_releases_are_asked_one_by_one_as_long_as_that_is_worth_it():
    description = describe({"mechanism": "laplace", "methods": ["sample"]})
    once, often = (cases_for(description, knob_of(description), (1, 3), most) for most in (1, None))
    place = next(index for index, case in enumerate(once) if case.one_by_one)
    assert [shares(once, drawn)[place] > 0 for drawn in (0, 2**16, 2**17)] == [True, True, False]
    assert shares(often, 2**17)[place] > 0
    assert sum(shares(once, 2**17)) == pytest.approx(1.0)


COMMAND = """
import json, random, sys
for line in sys.stdin:
    request = json.loads(line)
    op, reply = request["op"], {"id": request["id"]}
    if op == "describe":
        reply["result"] = {"protocol": 1, "mechanism": "laplace", "methods": ["open"]}
    elif op == "open":
        session = [request["value"], random.Random(request["seed"]), 0]
        reply["result"] = {"session": 1}
        sessions = globals().setdefault("sessions", {})
        reply["result"]["session"] = len(sessions)
        sessions[len(sessions)] = session
    elif op == "release":
        value, rng, count = session = sessions[request["session"]]
        session[2] += 1
        if count:
            reply["refused"] = "a session makes one release"
        else:
            scale = request["at"]
            reply["result"] = [x + rng.choice([-1, 1]) * rng.expovariate(1 / scale) for x in value]
    else:
        reply["result"] = None
    print(json.dumps(reply), flush=True)
    if op == "stop":
        break
"""


def test_a_command_that_refuses_a_second_release_is_audited_with_one(tmp_path):
    (tmp_path / "once.py").write_text(COMMAND, "utf-8")
    report = audit(f"cmd:{sys.executable} {tmp_path / 'once.py'}", samples=800)
    assert report.exit_code == 4
    assert report.run["refused"] == {"releases": 2}
    assert "refuted" not in verdicts(report).values()
