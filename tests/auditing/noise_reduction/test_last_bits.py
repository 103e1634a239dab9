"""Audits and their last bits: advice by default, refuted where they are claimed to be safe. Seeds are fixed."""

import json
import random
from itertools import pairwise

import numpy as np
import pytest

from nrverify import audit
from nrverify.reference.exact import ExactBrownian
from nrverify.reference.mutants.last_bits import MUTANTS, RIGHT

CHECK = "numerics.last-bits"


class Plain:
    """The README's class."""

    mechanism = "brownian"
    dimensions = (1,)

    def sample(self, value, schedule, sessions, seed):
        rng = np.random.default_rng(seed)
        noise = np.sqrt(schedule[0]) * rng.standard_normal((sessions, len(value)))
        releases = [value + noise]
        for t, s in pairwise(schedule):
            noise = noise * (s / t) + np.sqrt(s * (t - s) / t) * rng.standard_normal(noise.shape)
            releases.append(value + noise)
        return np.stack(releases, axis=1)


class Rounded(Plain):
    def sample(self, value, schedule, sessions, seed):
        return 2.0**-40 * np.rint(super().sample(value, schedule, sessions, seed) * 2.0**40)


class ByEpsilon(Plain):
    knob, sensitivity, delta = "epsilon", 1.0, 1e-5

    def sample(self, value, schedule, sessions, seed):
        return super().sample(value, [45.0 / at**2 for at in schedule], sessions, seed)


class Exact:
    mechanism = "brownian"
    dimensions = (1,)
    numerics = "exact"

    def open(self, value, seed):
        return ExactBrownian(np.asarray(value, dtype=float), bits=random.Random(seed))


class PlainIntegers(Plain):
    def sample(self, value, schedule, sessions, seed):
        if (np.asarray(value) % 1 != 0).any():
            raise ValueError("values must be integers")
        return super().sample(value, schedule, sessions, seed)


def of(report, check=CHECK):
    return next(result for result in report.checks if result.id == check)


def test_noise_in_doubles_is_consistent_and_advised_with_numbers():
    report = audit(Plain(), samples=4000)
    found = of(report)
    assert (report.verdict, report.exit_code, found.verdict) == ("consistent", 0, "advice")
    assert report.run["stopped"] == "samples"
    assert report.run["samples"] <= 4000
    assert report.subject["numerics"] == "idealized"
    assert "lattice.double-precision" not in {result.id for result in report.checks}
    document = json.loads(report.to_json())
    row = next(row for row in document["checks"] if row["id"] == CHECK)
    y, m = (float.fromhex(row["numbers"][key]) for key in ("release", "base"))
    assert m + (y - m) != y
    assert (row["kind"], row["fault"], row["effect"]) == ("numerics", None, None)
    assert row["numbers"]["delta_at_least"] > 0.2


@pytest.mark.parametrize("claimed", ["by the subject", "by the auditor"])
def test_the_same_is_refuted_where_the_last_bits_are_claimed_to_be_safe(claimed):
    subject = Plain()
    if claimed == "by the subject":
        subject.numerics = "exact"
    report = audit(subject, numerics=None if claimed == "by the subject" else "exact")
    assert (report.verdict, report.exit_code, report.run["stopped"]) == ("refuted", 1, "refuted")
    assert report.subject["numerics"] == "exact"
    assert report.privacy == "not-covered"
    row = next(row for row in report.document()["checks"] if row["id"] == CHECK)
    assert (row["verdict"], row["fault"], row["effect"]) == ("refuted", "last-bits", "leak")


def test_the_auditor_may_ask_for_less_than_the_subject_claims():
    subject = Plain()
    subject.numerics = "exact"
    report = audit(subject, samples=3000, numerics="idealized")
    assert (report.verdict, of(report).verdict) == ("consistent", "advice")


def test_an_attack_that_refutes_ends_the_run_before_the_first_look():
    report = audit(Plain(), numerics="exact")
    verdicts = {check.id: check.verdict for check in report.checks}
    assert (verdicts[CHECK], verdicts["law.transcript"]) == ("refuted", "inconclusive")
    assert report.document()["run"]["samples"] < 3000


def test_an_exact_sampler_passes():
    report = audit(Exact(), samples=1200, checks=[CHECK])
    found = of(report)
    assert (report.verdict, found.verdict) == ("consistent", "consistent")
    assert found.samples == 400
    assert "not examined" in found.detectable
    # An event wins −log P(label), about 0.55 nats, and some 18 are needed: 33 events of 200 chances at most.
    assert 10.0 < found.sizes[0].value < 20.0


def test_releases_rounded_after_the_noise_pass():
    report = audit(Rounded(), samples=5000, numerics="exact", checks=[CHECK])
    assert of(report).verdict == "consistent"


def test_asked_for_alone_under_idealized_numerics_it_exits_0():
    report = audit(Plain(), samples=5000, checks=[CHECK])
    assert (report.exit_code, of(report).verdict) == (0, "advice")
    assert [result.id for result in report.checks] == [CHECK]


def test_without_times_it_is_bet_against_the_claim_and_counts_as_privacy():
    report = audit(ByEpsilon(), numerics="exact", checks=[CHECK])
    assert (report.verdict, report.privacy) == ("refuted", "refuted")
    row = report.document()["checks"][0]
    assert row["effect"] == "leak"
    assert row["numbers"]["delta_at_least"] > 1e-5


def test_a_pair_that_is_refused_is_left_out():
    report = audit(PlainIntegers(), samples=20_000, checks=[CHECK])
    assert of(report).verdict == "advice"
    assert "last bits 2 (ValueError: values must be integers)" in of(report, "protocol.range").message


def test_where_another_check_is_refuted_it_is_not_tried():
    class Fresh(Plain):
        def sample(self, value, schedule, sessions, seed):
            z = np.random.default_rng(seed).standard_normal((sessions, len(schedule), len(value)))
            return value + z * np.sqrt(schedule)[:, None]

    found = of(audit(Fresh()))
    assert found.verdict == "not-covered"
    assert "another check is refuted" in found.message


def test_integers_have_no_last_bits_and_thresholds_are_not_asked():
    class Counts:
        mechanism = "skellam"
        dimensions = (1,)

        def sample(self, value, schedule, sessions, seed):
            means = -np.diff(np.append(schedule, 0.0))[::-1]
            counts = np.random.default_rng(seed).poisson(means[:, None], (2, sessions, len(schedule), len(value)))
            return value + np.cumsum(counts[0] - counts[1], axis=1)[:, ::-1]

    found = of(audit(Counts(), samples=200, numerics="exact"))
    assert (found.verdict, found.message) == ("not-covered", "integers have no last bits")

    class Threshold:
        mechanism = "above-threshold"

        def run(self, utilities, epsilons, threshold, sensitivity, seed):
            return [1]

    found = of(audit(Threshold(), samples=200, numerics="exact"))
    assert found.verdict == "not-covered"
    assert "it is not for subjects with mechanism 'above-threshold'" in found.message


@pytest.mark.parametrize("said", ["precise", 3, ["exact"]])
def test_what_numerics_must_not_be_is_said(said):
    subject = Plain()
    subject.numerics = said
    report = audit(subject, samples=100)
    assert report.exit_code == 3
    assert f"attribute numerics is {said!r}: it must be one of idealized, exact" in report.message
    if isinstance(said, str):
        with pytest.raises(ValueError, match="numerics is 'precise': it must be one of idealized, exact"):
            audit(Plain(), numerics=said)


def records(path, subject, cut=lambda releases: releases, schedule=(4.5, 2.0, 1.0), sessions=600):
    sides = [subject.sample(np.array([value]), schedule, sessions, seed) for seed, value in enumerate((2 / 3, -1 / 3))]
    releases, neighbour = map(cut, sides)
    known = {"mechanism": "brownian", "schedule": np.array(schedule)}
    np.savez(path, **known, value=[2 / 3], neighbour=[-1 / 3], releases=releases, releases_neighbour=neighbour)
    return f"records:{path}"


def test_records_are_attacked_too(tmp_path):
    address = records(tmp_path / "plain.npz", Plain())
    report = audit(address)
    assert (report.verdict, of(report).verdict) == ("inconclusive", "advice")  # too few sessions for the law
    report = audit(address, numerics="exact")
    assert (report.verdict, of(report).verdict) == ("refuted", "refuted")
    assert of(audit(records(tmp_path / "rounded.npz", Rounded()), numerics="exact")).verdict == "consistent"


@pytest.mark.parametrize("cut", [lambda y: y.astype(np.float32).astype(float), lambda y: np.round(y, 12)])
def test_records_without_the_last_bits_are_not_attacked(tmp_path, cut):
    found = of(audit(records(tmp_path / "cut.npz", Plain(), cut)))
    assert found.verdict == "not-covered"
    assert "the records do not hold the last bits" in found.message


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_what_claims_safe_last_bits_or_a_grid_and_has_neither_is_refuted(mutant):
    """By the attack, by a release off the grid, or by the law; a truncated release takes the law some thousands."""
    checks = (CHECK, "protocol.granularity", *(("law.release",) if mutant.name == "grid-truncated" else ()))
    report = audit(mutant.subject(), checks=checks, samples=30_000)
    assert report.verdict == "refuted"
    faults = {row["fault"] for row in report.document()["checks"] if row["verdict"] == "refuted"}
    assert faults <= {"last-bits", "off-grid", "shifted", "wrong-shape", "wrong-scale"}


@pytest.mark.parametrize("right", [one for one in RIGHT if "exact" not in one.name], ids=lambda right: right.name)
def test_rounding_after_the_noise_is_spared(right):
    """Wrong with probability at most 1e-6 each."""
    report = audit(right.subject(), checks=(CHECK, "protocol.granularity", "lattice"), samples=4000)
    assert report.verdict != "refuted"
