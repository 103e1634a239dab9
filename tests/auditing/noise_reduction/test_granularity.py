"""Audits of subjects on a declared grid: bad input, the slack of ex-post claims, wrong rounding. Seeds are fixed."""

import math
from itertools import pairwise

import numpy as np
import pytest

from nrverify import audit

LAW = ("law.release", "law.transcript", "ties", "lattice", "protocol.granularity", "loss.stopping")


class Rounded:
    mechanism = "brownian"
    granularity = 0.1
    dimensions = (1,)
    range = (0.1, 10.0)
    rounding_of = staticmethod(np.rint)

    def sample(self, value, schedule, sessions, seed):
        rng = np.random.default_rng(seed)
        noise = np.sqrt(schedule[0]) * rng.standard_normal((sessions, len(value)))
        releases = [value + noise]
        for t, s in pairwise(schedule):
            if s < t:
                noise = noise * (s / t) + np.sqrt(s * (t - s) / t) * rng.standard_normal(noise.shape)
            releases.append(value + noise)
        return self.granularity * self.rounding_of(np.stack(releases, axis=1) / self.granularity)


class Truncated(Rounded):
    rounding_of = staticmethod(np.floor)


def test_a_right_subject_on_a_coarse_grid_is_consistent_and_the_report_has_its_granularity():
    """Wrong with probability at most 1e-6."""
    report = audit(Rounded(), samples=2600, checks=LAW)
    assert report.verdict == "consistent"
    assert report.document()["subject"]["granularity"] == 0.1
    verdicts = {check.id: check.verdict for check in report.checks}
    assert verdicts["protocol.granularity"] == verdicts["lattice"] == "consistent"


def test_truncation_is_refuted_by_the_law():
    report = audit(Truncated(), samples=20_000, checks=("law.release", "law.transcript"))
    assert report.verdict == "refuted"


class Coarser(Rounded):
    """Declares a tenth, and rounds to two tenths: also where the noise is as narrow as either."""

    range = (0.01, 100.0)

    def sample(self, value, schedule, sessions, seed):
        return 0.2 * np.rint(super().sample(value, schedule, sessions, seed) / 0.2)


def test_a_grid_of_twice_the_one_declared_is_refuted_at_any_noise():
    report = audit(Coarser(), samples=1000, checks=("lattice",))
    assert report.verdict == "refuted"
    assert report.document()["checks"][0]["fault"] == "rounded"


class HalfDeviations:
    """The release, rounded to half of its own deviation: another grid at each time."""

    mechanism, most_releases = "brownian", 1

    def sample(self, value, schedule, sessions, seed):
        grid = 0.5 * math.sqrt(schedule[0])
        noise = 2 * grid * np.random.default_rng(seed).standard_normal((sessions, 1, len(value)))
        return grid * np.rint((value + noise) / grid)


def test_rounding_to_a_share_of_the_deviation_is_not_taken_for_few_streams():
    """Its releases come again in other sessions; what is rounded with the noise in it leaks nothing by that."""
    report = audit(HalfDeviations())
    refuted = {check["id"]: check for check in report.document()["checks"] if check["verdict"] == "refuted"}
    assert {"lattice", "randomness.streams"} <= refuted.keys()
    assert {check["fault"] for check in refuted.values()} == {"rounded"}
    assert {check["effect"] for check in refuted.values()} == {"unproved"}


class FineTruncated(Truncated):
    granularity = 2.0**-40
    range = None


def test_truncation_to_the_finest_grid_is_refuted_where_the_noise_is_as_small():
    report = audit(FineTruncated(), samples=20_000, checks=("law.value", "law.release"))
    assert report.verdict == "refuted"


@pytest.mark.parametrize("refuses", [True, False])
def test_what_it_takes_to_see_truncation_is_said_where_small_noise_cannot_be_asked_for(refuses):
    """2·log(10⁶)·(2σ/g)²: at 2^-40 of the noise 1e25 sessions; none in reach."""

    class Limited(FineTruncated):
        range = None if refuses else (0.1, 10.0)

        def sample(self, value, schedule, sessions, seed):
            if min(schedule) < 1e-9:
                raise ValueError("too small")
            return super().sample(value, schedule, sessions, seed)

    report = audit(Limited(), samples=1_000, checks=("law.release",))
    words = " ".join(check.message for check in report.checks if check.id == "protocol.range")
    assert "cut off to it instead of rounded would show after about" in words
    assert report.verdict != "refuted"


def test_one_release_off_the_grid_in_a_thousand_refutes():
    class Sometimes(Rounded):
        def sample(self, value, schedule, sessions, seed):
            releases = super().sample(value, schedule, sessions, seed)
            releases[np.random.default_rng(seed + 1).random(releases.shape) < 1e-3] += 0.03
            return releases

    report = audit(Sometimes(), checks=("protocol.granularity",))
    assert report.verdict == "refuted"
    row = report.document()["checks"][0]
    assert (row["fault"], row["kind"]) == ("off-grid", "protocol")


@pytest.mark.parametrize("said", [0, -0.1, math.inf, math.nan, "0.1", True, [0.1]])
def test_a_granularity_that_is_not_positive_and_finite_is_said(said):
    subject = Rounded()
    subject.granularity = said
    report = audit(subject, samples=100)
    assert report.exit_code == 3
    assert report.message == f"attribute granularity is {said!r}: it must be a positive finite number"


def test_an_unknown_rounding_and_a_grid_without_room_are_said():
    subject = Rounded()
    subject.rounding = "down"
    report = audit(subject, samples=100)
    assert (report.exit_code, report.message) == (3, "attribute rounding is 'down': it must be one of nearest")
    subject = Rounded()
    subject.granularity = 1e-40
    report = audit(subject, samples=100)
    assert report.exit_code == 3
    assert "attribute granularity is 1e-40: it must be at least 2^-52 of the noise" in report.message


@pytest.mark.parametrize("mechanism", ["skellam", "above-threshold"])
def test_a_granularity_is_refused_where_there_is_no_grid(mechanism):
    class Other:
        granularity = 0.5

        def sample(self, value, schedule, sessions, seed):
            raise AssertionError

        run = sample

    Other.mechanism = mechanism
    report = audit(Other(), samples=100)
    assert report.exit_code == 3
    assert "attribute granularity is 0.5: it must be left out: it is for brownian, laplace" in report.message


def test_the_slack_of_an_ex_post_claim_is_printed():
    class ByEpsilon(Rounded):
        knob, sensitivity, delta = "epsilon", 1.0, 1e-5
        range = (0.5, 2.0)

        def time_of(self, epsilon):
            return 60.0 / epsilon**2

        def sample(self, value, schedule, sessions, seed):
            return super().sample(value, [self.time_of(at) for at in schedule], sessions, seed)

    report = audit(ByEpsilon(), samples=300)
    said = next(check for check in report.checks if check.id == "privacy.slack")
    assert said.verdict == "advice"
    assert "ε + g·√d·Δ/t" in said.message
    assert "g = 0.1 and d up to 1" in said.message
