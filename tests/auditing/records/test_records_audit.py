"""Audits of records: right ones are never refuted, wrong ones are by the check that names the fault.

A right record is refuted with probability at most 1e-6 an audit; seeds are fixed, and records come from the reference
mechanisms, which share nothing with the laws.
"""

import json

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.stats import binom

from nrverify import audit, halting_rounds, simulate, transcripts
from nrverify.auditing.records.random_order import Unused
from nrverify.cli import cli

SCHEDULE = [4.0, 2.0, 1.0]
SESSIONS = 4000
UTILITIES, NEIGHBOUR = [-2.0] * 8, [-3.0] * 7 + [-1.0]


def recorded(path, mechanism, value, neighbour, make, **header):
    sides = {"releases": make(value, 1), "releases_neighbour": make(neighbour, 2)}
    np.savez(path, mechanism=mechanism, value=value, neighbour=neighbour, **header, **sides)
    return f"records:{path}"


def reference(mechanism, schedule=SCHEDULE, **options):
    return lambda value, seed: simulate(mechanism, value, schedule, SESSIONS, seed, **options)


def adaptive(path, mechanism="brownian", change=lambda releases, times: releases, **header):
    """The next time follows the last release; stops when it comes near ½, on both sides by the same rule."""

    def schedule(releases):
        return 4.0 * np.prod(np.where(releases[:, :, 0] > 0.5, 0.5, 0.7), axis=1) if releases.shape[1] else 4.0

    sides = {}
    for suffix, value, seed in (("", [0.0], 1), ("_neighbour", [1.0], 2)):
        near = lambda releases: np.abs(releases[:, -1, 0] - 0.5) < 0.3  # noqa: E731
        found = transcripts(mechanism, value, schedule, SESSIONS, seed, releases=5, stop=near)
        sides |= {f"releases{suffix}": change(found.releases, found.times), f"asked{suffix}": found.times}
    np.savez(path, mechanism=mechanism, value=[0.0], neighbour=[1.0], **header, **sides)
    return f"records:{path}"


def threshold(path, epsilon, claimed, mechanism="above-threshold"):
    rounds = [
        halting_rounds(utilities, np.broadcast_to(epsilon, 8), 0.0, 1.0, SESSIONS, seed)
        for seed, utilities in enumerate((UTILITIES, NEIGHBOUR))
    ]
    claim = {"utilities": UTILITIES, "utilities_neighbour": NEIGHBOUR, "epsilons": claimed}
    np.savez(
        path, mechanism=mechanism, **claim, threshold=0.0, sensitivity=1.0, rounds=rounds[0], rounds_neighbour=rounds[1]
    )
    return f"records:{path}"


def verdicts(report):
    return {check.id: str(check.verdict) for check in report.checks}


def refuted(report):
    return {id for id, verdict in verdicts(report).items() if verdict == "refuted"}


def right(mechanism, value, neighbour, schedule=SCHEDULE, **options):
    make = reference(mechanism, schedule, **options)
    return lambda path: recorded(path, mechanism, value, neighbour, make, schedule=schedule, **options)


RISING = np.geomspace(0.5, 2.0, 8)
RIGHT = {
    "brownian": right("brownian", [0.0], [1.0]),
    "three dimensions": right("brownian", [5.0, -300.0, 0.1], [5.5, -300.5, 0.1]),
    "repeated times": right("brownian", [0.0], [1.0], [4.0, 4.0, 1.0, 1.0]),
    "laplace": right("laplace", [0.0, 3.0], [1.0, 2.5]),
    "skellam": right("skellam", [3], [5], rate=0.5),
    "one release": right("brownian", [0.0], [1.0], [2.0]),
    "adaptive brownian": adaptive,
    "adaptive laplace": lambda path: adaptive(path, "laplace"),
    "threshold": lambda path: threshold(path, 2.0, 2.0),
    "reduced threshold": lambda path: threshold(path, RISING, RISING, "reduced-above-threshold"),
}
LAWS = {"law.release", "law.value", "independence.sessions", "loss.stopping", "protocol.finite"}
THRESHOLD = ({"threshold.law", "privacy.ex-post"}, {"threshold.protocol", "randomness.streams"})
FIXED = LAWS | {"law.transcript", "randomness.streams", "lattice"}
JUDGED = {
    "brownian": (FIXED | {"ties"}, {"law.adaptive", "ties.repeated-time", "independence.coordinates"}),
    "three dimensions": (FIXED | {"independence.coordinates"}, {"law.adaptive"}),
    "repeated times": (FIXED | {"ties.repeated-time"}, {"law.adaptive"}),
    "laplace": (FIXED | {"ties", "independence.coordinates", "privacy.ex-post"}, {"law.adaptive"}),
    "skellam": (FIXED, {"law.adaptive"}),
    "one release": (LAWS | {"lattice"}, {"law.transcript", "law.adaptive", "ties"}),
    "adaptive brownian": (LAWS | {"law.adaptive", "randomness.streams", "ties", "lattice"}, {"law.transcript"}),
    "adaptive laplace": (LAWS | {"law.adaptive", "randomness.streams", "privacy.ex-post"}, {"law.transcript"}),
    "threshold": THRESHOLD,
    "reduced threshold": THRESHOLD,
}
"""What each record is consistent with, and what it does not cover."""


@pytest.mark.parametrize("name", RIGHT)
def test_right_records_are_consistent_and_say_what_records_cannot_show(name, tmp_path):
    report = audit(RIGHT[name](tmp_path / "r.npz"))
    assert report.verdict == "consistent", refuted(report)
    assert report.run["samples"] == 2 * SESSIONS
    found = verdicts(report)
    consistent, not_covered = JUDGED[name]
    assert consistent <= {id for id, verdict in found.items() if verdict == "consistent"}
    beyond = {"records.selection", "records.other-settings", "randomness.repeats"}
    assert not_covered | beyond <= {id for id, verdict in found.items() if verdict == "not-covered"}
    assert ("records.rule" in found) == name.startswith("adaptive")
    for check in report.checks:
        not_covered = check.verdict == "not-covered" and check.message and check.detectable is None
        computed = check.id == "privacy.epsilon" and "by calculation" in (check.observed or "")
        assert check.samples or not_covered or computed


def noise(scale, value, seed):
    rng = np.random.default_rng(seed)
    return np.array(value) + np.sqrt(scale)[:, None] * rng.standard_normal((SESSIONS, len(scale), len(value)))


def scaled(factor):
    return lambda value, seed: np.array(value) + factor * (reference("brownian")(value, seed) - value)


def independent_laplace(value, seed):
    rng = np.random.default_rng(seed)
    return np.array(value) + np.array(SCHEDULE)[:, None] * rng.laplace(size=(SESSIONS, 3, len(value)))


def repeated_sessions(value, seed):
    return np.tile(reference("brownian")(value, seed)[:10], (SESSIONS // 10, 1, 1))


def shared_coordinates(value, seed):
    return np.array(value) + reference("brownian")([0.0], seed)


def with_infinity(value, seed):
    releases = reference("brownian")(value, seed)
    releases[17, 1] = np.inf
    return releases


WRONG = {
    "noise drawn afresh": ("brownian", [0.0], [1.0], lambda f, seed: noise(SCHEDULE, f, seed), "law.transcript"),
    "too little noise": ("brownian", [0.0], [1.0], scaled(0.8), "law.transcript"),
    "another family": ("brownian", [0.0], [1.0], reference("laplace"), "law.release"),
    "pull to zero": ("brownian", [40.0], [41.0], lambda f, seed: 0.99 * reference("brownian")(f, seed), "law.value"),
    "repeated sessions": ("brownian", [0.0], [1.0], repeated_sessions, "randomness.streams"),
    "rounded": ("brownian", [0.0], [1.0], lambda f, seed: np.round(reference("brownian")(f, seed), 6), "lattice"),
    "one noise for two coordinates": (
        "brownian",
        [0.0, 0.0],
        [1.0, 0.0],
        shared_coordinates,
        "independence.coordinates",
    ),
    "an infinite release": ("brownian", [0.0], [1.0], with_infinity, "protocol.finite"),
    "laplace without memory": ("laplace", [0.0], [2.0], independent_laplace, "ties"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_records_are_refuted_by_the_check_that_names_the_fault(name, tmp_path):
    mechanism, value, neighbour, make, check = WRONG[name]
    report = audit(recorded(tmp_path / "r.npz", mechanism, value, neighbour, make, schedule=SCHEDULE))
    assert report.verdict == "refuted"
    assert check in refuted(report)
    assert f"records:{tmp_path}" in next(c for c in report.checks if c.id == check).reproduce


def test_what_leaks_is_seen_by_guessing_the_side(tmp_path):
    """Three independent Laplace releases tell 4/2 + 4/4 + 4/8 … more than the last alone: ex-post privacy fails."""
    address = recorded(tmp_path / "r.npz", "laplace", [0.0], [2.0], independent_laplace, schedule=SCHEDULE)
    report = audit(address, checks=["privacy.ex-post", "loss.stopping"], keep_going=True)
    assert refuted(report) == {"privacy.ex-post", "loss.stopping"}


def test_a_fault_of_adaptive_sessions_is_seen(tmp_path):
    def forgetful(releases, times):
        rng = np.random.default_rng(9)
        fresh = np.sqrt(np.nan_to_num(times))[:, :, None] * rng.standard_normal(releases.shape)
        return np.where(np.isnan(releases), np.nan, fresh)

    assert "law.adaptive" in refuted(audit(adaptive(tmp_path / "r.npz", change=forgetful)))


def test_threshold_records_with_half_the_noise_are_refuted(tmp_path):
    report = audit(threshold(tmp_path / "r.npz", 4.0, 2.0), keep_going=True)
    assert "threshold.law" in refuted(report)
    law = next(check for check in report.checks if check.id == "threshold.law")
    assert "both noises halved" in law.observed


EPSILONS = [0.5, 1.0, 2.0]


def claim(tmp_path, true, **more):
    header = {"knob": "epsilon", "sensitivity": 1.0, "delta": 1e-6, "schedule": EPSILONS, **more}
    return recorded(tmp_path / "r.npz", "brownian", [0.0], [1.0], reference("brownian", true), **header)


def test_an_epsilon_claim_is_judged_with_times_or_without(tmp_path):
    """P(L > ε) = Φ(−(tε − ½)/√t) at Δ = 1: below 1e-40 at times 900, 250, 70, and 0.02 or more at a fiftieth."""
    enough, fiftieth = [900.0, 250.0, 70.0], [18.0, 5.0, 1.4]
    known = verdicts(audit(claim(tmp_path, enough, times=enough)))
    assert known["privacy.epsilon"] == known["law.transcript"] == known["privacy.ex-post"] == "consistent"
    unknown = audit(claim(tmp_path, enough))
    assert verdicts(unknown)["privacy.epsilon"] == verdicts(unknown)["law.increments"] == "consistent"
    assert "add the array times" in next(c for c in unknown.checks if c.id == "law.transcript").message
    for more in ({}, {"times": fiftieth}):
        assert "privacy.epsilon" in refuted(audit(claim(tmp_path, fiftieth, **more)))


def test_two_sides_from_the_same_seeds_are_no_independent_sessions(tmp_path):
    for value, neighbour in ([[0.0], [1.0]], [[0.0, 7.0], [0.5, 7.5]]):
        sides = {"releases": simulate("brownian", value, SCHEDULE, 500, 1)}
        sides["releases_neighbour"] = simulate("brownian", neighbour, SCHEDULE, 500, 1)
        header = {"mechanism": "brownian", "value": value, "neighbour": neighbour, "schedule": SCHEDULE}
        np.savez(tmp_path / "r.npz", **header, **sides)
        report = audit(f"records:{tmp_path / 'r.npz'}")
        assert (report.verdict, report.exit_code) == ("errored", 3)
        assert "a seed of its own" in report.message


def test_whole_noise_that_is_mostly_zero_may_agree_by_chance(tmp_path):
    """At rate·t = 0.01 two sessions agree with probability 0.96: that is no sign of equal seeds."""
    make = reference("skellam", [0.01], rate=1.0)
    report = audit(recorded(tmp_path / "r.npz", "skellam", [3], [4], make, rate=1.0, schedule=[0.01]))
    assert report.verdict in ("consistent", "inconclusive"), report.message
    assert not refuted(report)


def test_samples_limits_the_sessions_and_too_few_say_nothing(tmp_path):
    report = audit(RIGHT["brownian"](tmp_path / "r.npz"), samples=300)
    assert report.run["samples"] == 300
    assert (report.verdict, report.exit_code) == ("inconclusive", 4)
    assert "record more" in report.message


def test_the_same_file_and_seed_give_the_same_report(tmp_path):
    address = RIGHT["laplace"](tmp_path / "r.npz")
    first, second = (audit(address, seed=5, samples=1000).document() for _ in range(2))
    for document in (first, second):
        for name in ("seconds", "subject_seconds"):
            document["run"].pop(name)
    assert first == second


def test_a_refutation_of_records_leaves_no_replay_record(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    recorded(tmp_path / "r.npz", "brownian", [0.0], [1.0], lambda f, seed: noise(SCHEDULE, f, seed), schedule=SCHEDULE)
    result = CliRunner().invoke(cli, ["audit", "records:r.npz", "--json", "-"])
    assert result.exit_code == 1
    assert json.loads(result.stdout)["subject"]["address"] == "records:r.npz"
    assert not (tmp_path / ".nrverify").exists()
    result = CliRunner().invoke(cli, ["audit", "records:r.npz", "--record", "x.nrreplay"])
    assert result.exit_code == 2
    with pytest.raises(ValueError, match="needs no record"):
        audit("records:r.npz", record="x.nrreplay")


def test_labels_are_fair_coins_also_when_one_side_is_about_to_end():
    """The coin ends when a side is empty, not when it asks for a record that is not there.

    In 5,000 orders of 3 and 5 records each toss that happens is heads with probability ½: Clopper–Pearson at 1e-9.
    """
    heads, tosses = np.zeros(8), np.zeros(8)
    for seed in range(5_000):
        unused = Unused(3, 5, 100, np.random.default_rng(seed))
        label = unused.take(2).label
        more = unused.take(100)
        label = label if more.label is None else np.concatenate([label, more.label])
        heads[: label.size] += label
        tosses[: label.size] += 1
        assert max(label.sum() == 5, (~label).sum() == 3) == 1
        assert unused.take(100).label is None
        assert unused.left == 0
    for count, total in zip(heads[:7], tosses[:7], strict=True):
        assert 1e-9 < binom.cdf(count, total, 0.5) < 1 - 1e-9
    assert tosses[7] == 0
