"""Audits of threshold mechanisms written here: right ones, wrong ones, and ones that cannot be run.

The right ones are audited at the default error probability 1e-6 with fixed seeds.
"""

import math
import time

import numpy as np
import pytest

import nrverify
from nrverify.auditing.threshold.designs import Design, designs_for, neighbours_for
from nrverify.auditing.threshold.faulty_laws import FAULTS, claimed_law, faulty_laws
from nrverify.reference.mutants import benign_claims, threshold


class Batch:
    """AboveThreshold in batches: one draw of threshold noise a run, one of query noise a round."""

    mechanism = "above-threshold"
    query, kept = 4.0, True

    def run_many(self, utilities, epsilons, threshold, sensitivity, runs, seed):
        rng = np.random.default_rng(seed)
        scale = sensitivity / np.array(epsilons)
        zeta = rng.laplace(0, 2 * scale, (1 if self.kept else runs, len(scale)))
        if self.kept:
            zeta = rng.laplace(0, 2 * scale[0], (runs, 1))
        noisy = np.array(utilities) + rng.laplace(0, self.query * scale, (runs, len(scale)))
        above = noisy >= threshold + zeta
        return np.where(above.any(axis=1), above.argmax(axis=1) + 1, 0)


class Halved(Batch):
    query = 2.0


class Redrawn(Batch):
    kept = False


class Scalar:
    """AboveThreshold one run at a time."""

    mechanism = "above-threshold"

    def run(self, utilities, epsilons, threshold, sensitivity, seed):
        rng = np.random.default_rng(seed)
        zeta = rng.laplace(0, 2 * sensitivity / epsilons[0])
        bits = []
        for u, epsilon in zip(utilities, epsilons, strict=True):
            bits.append(u + rng.laplace(0, 4 * sensitivity / epsilon) > threshold + zeta)
            if bits[-1]:
                break
        return bits


class OnlyRunIsWrong(Batch):
    """Batches are right; single runs have half the query noise."""

    def run(self, utilities, epsilons, threshold, sensitivity, seed):
        rounds = Halved().run_many(utilities, epsilons, threshold, sensitivity, 1, seed)
        return [0] * (int(rounds[0]) - 1) + [1] if rounds[0] else [0] * len(utilities)


class GoesOn(Scalar):
    def run(self, utilities, epsilons, threshold, sensitivity, seed):
        bits = super().run(utilities, epsilons, threshold, sensitivity, seed)
        return bits + [0] * (len(utilities) - len(bits))


class SeedIgnored(Batch):
    def run_many(self, utilities, epsilons, threshold, sensitivity, runs, seed):
        return super().run_many(utilities, epsilons, threshold, sensitivity, runs, 7)


def refuted(report):
    return [check.id for check in report.checks if check.verdict == "refuted"]


# The laws behind the bets


@pytest.mark.parametrize("margin", [-9.0, -2.0, 0.0, 1.5])
def test_one_round_of_the_claimed_law_is_the_tail_of_two_laplace_variables(margin):
    epsilon = 0.7
    q = math.exp(-abs(margin) * epsilon / 4)
    tail = 2 * q / 3 - q * q / 6
    law = claimed_law(Design("one", (3.0 + 2 * margin,), (epsilon,), 3.0, 2.0))
    assert law[0] == pytest.approx(tail if margin < 0 else 1 - tail, rel=1e-12)


@pytest.mark.parametrize("design", designs_for("reduced-above-threshold"), ids=lambda design: design.name)
def test_every_fault_has_a_law_that_differs_where_it_can_show(design):
    claimed = claimed_law(design)
    for name, law in faulty_laws(design).items():
        assert name in FAULTS
        assert law.sum() == pytest.approx(1.0, abs=1e-12)
        assert law.min() >= 0
    assert np.abs(faulty_laws(design)["query-noise-halved"] - claimed).max() > 1e-4


def test_a_common_noise_scaled_down_has_the_law_of_its_simulation():
    # 400,000 runs; 9 bins at 5 standard deviations: error probability below 6e-6, with a fixed seed.
    design = next(d for d in designs_for("reduced-above-threshold") if d.name.startswith("doubling"))
    law = (faulty_laws(design)["threshold-noise-rescaled"] - 0.02 * claimed_law(design)) / 0.98
    rng = np.random.default_rng(5)
    runs, scale = 400_000, 1 / np.array(design.epsilons)
    above = rng.laplace(0, 4 * scale, (runs, 8)) >= np.outer(rng.laplace(size=runs), 2 * scale)
    bins = np.where(above.any(axis=1), above.argmax(axis=1), 8)
    shares = np.bincount(bins, minlength=9) / runs
    assert np.all(np.abs(shares - law) < 5 * np.sqrt(law * (1 - law) / runs))


def test_normal_threshold_noise_has_the_law_of_its_simulation():
    # 400,000 runs; 5 bins at 5 standard deviations: error probability below 3e-6, with a fixed seed.
    design = next(d for d in designs_for("above-threshold") if d.name.startswith("above, then below"))
    law = (faulty_laws(design)["normal-threshold-noise"] - 0.02 * claimed_law(design)) / 0.98
    rng = np.random.default_rng(6)
    runs, scale = 400_000, design.sensitivity / np.array(design.epsilons)
    level = design.threshold + math.sqrt(8) * scale[0] * rng.standard_normal((runs, 1))
    above = np.array(design.utilities) + rng.laplace(0, 4 * scale, (runs, 4)) >= level
    bins = np.where(above.any(axis=1), above.argmax(axis=1), 4)
    shares = np.bincount(bins, minlength=5) / runs
    assert np.all(np.abs(shares - law) < 5 * np.sqrt(law * (1 - law) / runs))


@pytest.mark.parametrize("mechanism", ["above-threshold", "reduced-above-threshold"])
def test_neighbours_are_exactly_the_sensitivity_apart_at_the_worst_signs(mechanism):
    for pair in neighbours_for(mechanism):
        moved = np.array(pair.design.utilities) - np.array(pair.neighbour.utilities)
        assert moved[-1] == pytest.approx(pair.design.sensitivity)
        assert np.allclose(moved[:-1], -pair.design.sensitivity)


# Verdicts


@pytest.mark.parametrize("subject", [Batch, Scalar], ids=lambda s: s.__name__)
def test_right_mechanisms_are_consistent(subject):
    report = nrverify.audit(subject, samples=4600)
    assert (report.verdict, report.exit_code) == ("consistent", 0)
    assert report.run["samples"] == 4600
    law = next(check for check in report.checks if check.id == "threshold.law")
    assert "off by " in law.detectable
    privacy = next(check for check in report.checks if check.id == "privacy.ex-post")
    assert "sharp bound" in privacy.observed
    assert privacy.statistic < 2.5


@pytest.mark.parametrize("name", ["threshold-strict", "reduced-threshold-forward"])
def test_unusual_but_right_mechanisms_are_not_refuted(name):
    subject = next(entry.subject for entry in benign_claims.CLAIMS if entry.name == name)
    assert nrverify.audit(subject, samples=1500).exit_code in (0, 4)


def test_query_noise_halved_is_refuted_in_fewer_than_two_thousand_runs():
    report = nrverify.audit(Halved)
    assert (report.exit_code, refuted(report)) == (1, ["threshold.law"])
    assert report.run["samples"] < 2000
    assert report.run["stopped"] == "refuted"
    message = next(check.message for check in report.checks if check.verdict == "refuted")
    assert "Likely cause" in message
    assert "Effect" in message


def test_a_redrawn_threshold_is_refuted_in_fewer_than_five_thousand_runs():
    report = nrverify.audit(Redrawn)
    assert refuted(report) == ["threshold.law"]
    assert report.run["samples"] < 5000
    message = next(check.message for check in report.checks if check.verdict == "refuted")
    assert "inside the loop" in message


def test_a_fault_of_single_runs_alone_is_found():
    assert refuted(nrverify.audit(OnlyRunIsWrong, samples=40_000)) == ["threshold.law"]


@pytest.mark.parametrize(
    "name",
    ["threshold-one-noise-for-both", "reduced-threshold-last-epsilon", "reduced-threshold-stale-epsilon"],
)
def test_mutants_are_refuted(name):
    subject = next(mutant.subject for mutant in threshold.MUTANTS if mutant.name == name)
    assert nrverify.audit(subject, samples=40_000).exit_code == 1


def test_going_on_after_the_halt_is_refuted():
    report = nrverify.audit(GoesOn)
    assert "threshold.protocol" in refuted(report)
    assert report.exit_code == 1


def test_a_seed_that_is_ignored_is_found():
    assert "randomness.streams" in refuted(nrverify.audit(SeedIgnored))


def test_the_black_box_finds_no_query_noise_by_itself():
    subject = next(mutant.subject for mutant in threshold.MUTANTS if mutant.name == "threshold-no-query-noise")
    report = nrverify.audit(subject, checks=["privacy.ex-post"], samples=40_000)
    assert refuted(report) == ["privacy.ex-post"]
    assert report.checks[0].statistic > 2.5


class NormalThreshold(Batch):
    """The threshold noise is normal, of the right variance; where ε rises it is a Brownian path of those variances."""

    mechanism = "reduced-above-threshold"

    def run_many(self, utilities, epsilons, threshold, sensitivity, runs, seed):
        rng = np.random.default_rng(seed)
        scale = sensitivity / np.array(epsilons)
        steps = np.sqrt(8 * -np.diff(scale**2, append=0.0)) * rng.standard_normal((runs, scale.size))
        level = threshold + steps[:, ::-1].cumsum(axis=1)[:, ::-1]
        above = np.array(utilities) + rng.laplace(0.0, 4 * scale, level.shape) >= level
        return np.where(above.any(axis=1), above.argmax(axis=1) + 1, 0)


class FirstRoundSkipped(Batch):
    """It never halts in the first round, which is no matter of noise."""

    def run_many(self, utilities, epsilons, threshold, sensitivity, runs, seed):
        never = [threshold - 1e9 * sensitivity, *utilities[1:]]
        return super().run_many(never, epsilons, threshold, sensitivity, runs, seed)


@pytest.mark.parametrize(
    ("subject", "words"),
    [(NormalThreshold, "the threshold noise is normal"), (FirstRoundSkipped, "noise of another law than claimed, or")],
)
def test_a_fault_is_named_where_it_fits_and_not_where_it_does_not(subject, words):
    report = nrverify.audit(subject)
    assert "threshold.law" in refuted(report)
    message = next(check.message for check in report.checks if check.id == "threshold.law")
    assert words in message
    assert "nothing leaks" not in message


# Subjects that cannot be run


def returning(answer):
    class Subject(Scalar):
        def run(self, utilities, epsilons, threshold, sensitivity, seed):
            return answer

    return Subject


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ([0, 2], "bits must be 0 or 1"),
        ([0], "without a 1"),
        ([], "without a 1"),
        ([0] * 99, "more bits than rounds"),
        (None, "list of bits"),
        ("001", "list of bits"),
        ([0.5, 1], "bits must be 0 or 1"),
    ],
)
def test_answers_that_are_no_bits_mean_it_could_not_be_run(answer, words):
    report = nrverify.audit(returning(answer))
    assert (report.verdict, report.exit_code) == ("errored", 3)
    assert words in report.message


def test_halting_rounds_out_of_range_mean_it_could_not_be_run():
    class Subject(Batch):
        def run_many(self, utilities, epsilons, threshold, sensitivity, runs, seed):
            return np.full(runs, len(utilities) + 1)

    report = nrverify.audit(Subject)
    assert report.exit_code == 3
    assert "halting round" in report.message


def test_exceptions_and_hangs_mean_it_could_not_be_run():
    class Raises(Batch):
        def run_many(self, *arguments):
            raise RuntimeError("no noise today")

    class Hangs(Scalar):
        def run(self, *arguments):
            time.sleep(60)

    assert "no noise today" in nrverify.audit(Raises).message
    report = nrverify.audit(Hangs, timeout=0.3)
    assert report.exit_code == 3
    assert "0.3 seconds" in report.message
