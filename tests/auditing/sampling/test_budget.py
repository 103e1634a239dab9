"""--budget is wall seconds of the run, counted from the first answer of the subject; a replay ends where it ended."""

import time

import numpy as np
import pytest

import nrverify
from nrverify.auditing.replay.replay import replay
from nrverify.auditing.sampling.clock import LATE, Clock
from nrverify.subjects.replay.exchanges import ExchangeHost


class Brownian:
    """A right subject whose transcripts take longer to judge than to draw."""

    mechanism = "brownian"
    dimensions = (500,)

    def sample(self, value, schedule, sessions, seed):
        rng = np.random.default_rng(seed)
        spans = np.diff(np.concatenate([[0.0], schedule[::-1]]))
        steps = rng.standard_normal((sessions, len(schedule), len(value))) * np.sqrt(spans)[:, None]
        return (value + np.cumsum(steps, axis=1))[:, ::-1]


class SlowToLoad(Brownian):
    """Its loading takes longer than the budget, and is not charged."""

    dimensions = (1,)

    def __init__(self):
        time.sleep(1.5)


class Wide(Brownian):
    """As many dimensions as are allowed."""

    dimensions = (10_000,)


class Slow:
    """Each answer takes longer than the whole budget, and leaves a line in the log."""

    log, seconds = None, 1.0

    def answering(self, answer):
        """The answer, late."""
        with open(self.log, "a") as file:
            file.write("asked\n")
        time.sleep(self.seconds)
        return answer


class SlowBrownian(Slow, Brownian):
    dimensions = (1, 2, 3)

    def sample(self, *request):
        return self.answering(super().sample(*request))


class SlowSessions(Slow):
    mechanism = "brownian"
    dimensions = (1, 2)

    def open(self, value, seed):
        return self.answering(self)

    def release(self, time):
        return self.answering([time])


class SlowThreshold(Slow):
    mechanism = "above-threshold"
    sensitivity = 1.0

    def run(self, utilities, epsilons, threshold, sensitivity, seed):
        return self.answering([1])


class SlowClaim(Slow):
    mechanism = "any"
    epsilon = 1.0
    neighbours = ((0, 1),)

    def run(self, data, seed):
        return self.answering(data)

    def run_many(self, data, runs, seed):
        return self.answering([data] * runs)


class SlowBoundary(Slow):
    mechanism = "private-stopping"
    sensitivity, delta = 1.0, 1e-6
    dimensions = (1,)
    seconds = 0.2

    def epsilon(self, time):
        return self.answering(1 / time)

    def run(self, value, schedule, utility, threshold, utility_sensitivity, seed):
        return self.answering(([value for _ in schedule], [0] * len(schedule)))


@pytest.mark.parametrize("kind", [SlowBrownian, SlowSessions, SlowThreshold, SlowClaim, SlowBoundary])
def test_nothing_is_asked_once_the_budget_is_up_not_even_to_try_a_subject(kind, tmp_path):
    log, record = tmp_path / "log", tmp_path / "a.nrreplay"
    log.touch()
    subject = type("Logged", (kind,), {"log": str(log)})
    report = nrverify.audit(subject, budget=0.5, timeout=300.0, record=record)
    assert (report.verdict, report.run["stopped"]) == ("inconclusive", "time")
    a_request = {SlowSessions: 2, SlowThreshold: 2, SlowClaim: 2, SlowBoundary: 3}.get(kind, 1)
    assert log.read_text().count("asked") <= a_request
    assert replay(record).differences == ()


def test_time_spent_on_judging_counts_and_the_seconds_of_the_subject_are_said_beside_it():
    report = nrverify.audit(Brownian, budget=1.0)
    assert report.run["stopped"] == "time"
    assert report.run["seconds"] >= 1.0
    assert 0 < report.run["subject_seconds"] < report.run["seconds"]


def test_loading_the_subject_is_not_charged():
    at_once = nrverify.audit(SlowToLoad, budget=1e-9)  # up before anything is sampled
    report = nrverify.audit(SlowToLoad, budget=1.4, samples=400)
    assert report.run["samples"] > at_once.run["samples"]


def test_ten_thousand_dimensions_end_at_the_budget():
    report = nrverify.audit(Wide, budget=0.5, samples=200)
    assert report.run["stopped"] == "time"
    assert report.verdict == "inconclusive"


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_run_that_time_ended_is_replayed_to_the_same_end(jobs, tmp_path):
    file = tmp_path / "a.nrreplay"
    report = nrverify.audit(Brownian, budget=1.0, record=file, jobs=jobs)
    assert report.run["stopped"] == "time"
    again = replay(file)
    assert again.differences == ()
    assert again.report.run["samples"] == report.run["samples"]
    assert again.report.run["stopped"] == "time"


def test_the_attack_after_the_looks_has_a_place_of_its_own_where_its_time_was_up():
    """Looks end at 95 % of the budget: a record with one place for both would be replayed without the attack."""
    host = ExchangeHost(None, 1.0, lambda request: None)
    looks, late = Clock(host, 0.0), Clock(host, 1e9)
    assert looks.up((3, 7))
    assert not late.up((LATE, 0))
    ended = Clock(host, 0.0)
    assert ended.up((LATE, 64))
    assert (host.cut, host.late_cut) == ((3, 7), (LATE, 64))
    host.replays = True
    again = Clock(host, 1e9)
    assert [again.up(place) for place in ((LATE, 0), (LATE, 63), (LATE, 64))] == [False, False, True]
    assert not Clock(host, 1e9).up((3, 6))
