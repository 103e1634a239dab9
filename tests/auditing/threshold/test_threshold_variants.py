"""Audits of threshold mechanisms as libraries ship them: right ones, wrong ones, and ones that cannot be run.

The right ones are audited at the default error probability 1e-6 with fixed seeds.
"""

import json
import sys
import textwrap

import numpy as np
import pytest

import nrverify
from tests.contract.sparse_vectors import Sparse, declared

GAUSSIAN = {"noise": "gaussian", "scales": (8.0, 16.0), "delta": 1e-6}


def refuted(report):
    return {check.id: check.finding.fault.id for check in report.checks if check.verdict == "refuted"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "said",
    [
        {"scales": (1 + 2 ** (2 / 3), (1 + 2 ** (2 / 3)) * 2 ** (1 / 3))},
        {"noise": "exponential"},
        {"scales": (2.0, 12.0), "positives": 3},
        {"scales": (2.0, 40.0), "positives": 20, "monotone": True},
        GAUSSIAN,
    ],
    ids=str,
)
def test_right_mechanisms_are_consistent_in_law_and_in_privacy(said):
    report = nrverify.audit(declared(**said), samples=4600)
    assert (report.verdict, report.law, report.privacy) == ("consistent", "consistent", "consistent")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("said", "fault"),
    [
        ({"scales": (2.0, 12.0), "positives": 3, "used": (2.0, 4.0)}, "scales-not-used"),
        ({"scales": (3.0, 9.0), "positives": 3, "used": (1.0, 3.0)}, "budget-not-divided"),
        ({"scales": (4.0, 12.0), "positives": 3, "redrawn": "ones"}, "threshold-noise-redrawn-after-positive"),
        ({"noise": "exponential", "redrawn": "rounds"}, "threshold-noise-redrawn"),
        ({**GAUSSIAN, "used": (4.0, 8.0)}, "both-noises-halved"),
        ({"scales": (3.0, 3.0), "used": (2.0, 4.0)}, "scales-not-used"),
    ],
    ids=str,
)
def test_wrong_mechanisms_are_refuted_by_their_law_and_the_fault_is_named(said, fault):
    report = nrverify.audit(declared(**said), samples=60_000)
    found = refuted(report)
    assert found["threshold.law"] == fault
    assert report.privacy != "consistent" or found == {"threshold.law": fault}
    calculated = next(check for check in report.checks if check.id == "privacy.epsilon")
    assert calculated.verdict == "inconclusive"


@pytest.mark.slow
def test_scales_that_do_not_grow_with_the_positives_break_the_claim_and_not_the_law():
    report = nrverify.audit(declared(positives=4), samples=4600)
    assert (report.verdict, report.law, report.privacy) == ("refuted", "consistent", "refuted")
    assert refuted(report) == {"privacy.epsilon": "positives-not-paid"}
    check = next(check for check in report.checks if check.id == "privacy.epsilon")
    assert "2.5 ε" in check.observed
    assert check.effect == "leak"


@pytest.mark.slow
def test_reduced_thresholds_may_declare_scales():
    class Reduced(Sparse):
        mechanism = "reduced-above-threshold"
        scales, noise, positives, monotone = (3.0, 3.0), None, None, None

        def run_many(self, utilities, epsilons, threshold, sensitivity, runs, seed):
            rng, scale = np.random.default_rng(seed), sensitivity / np.array(epsilons)
            zeta = rng.laplace(0.0, 3 * scale[0], runs)
            found = np.zeros((runs, len(scale)), dtype=bool)
            for n, unit in enumerate(scale):
                if n and unit < scale[n - 1]:
                    zeta = reduced(zeta, 3 * scale[n - 1], 3 * unit, rng)
                found[:, n] = utilities[n] + rng.laplace(0.0, 3 * unit, runs) >= threshold + zeta
            return np.where(found.any(axis=1), found.argmax(axis=1) + 1, 0)

        run = None

    report = nrverify.audit(Reduced, samples=4600)
    assert (report.law, report.privacy) == ("consistent", "consistent")


def reduced(x, t, s, rng):
    """X_s given X_t = x of the Laplace process: x itself, or x minus a jump, by its exact density on a fine grid."""
    # X_t = X_s + J, J 0 with probability (s/t)² and Laplace(t) otherwise: by acceptance of a proposal Laplace(s).
    stays = rng.random(x.size) < _stay(x, t, s)
    found = x.copy()
    waiting = np.flatnonzero(~stays)
    while waiting.size:
        proposal = rng.laplace(0.0, s, waiting.size)
        accepted = rng.random(waiting.size) < np.exp(-np.abs(x[waiting] - proposal) / t)
        found[waiting[accepted]] = proposal[accepted]
        waiting = waiting[~accepted]
    return found


def _stay(x, t, s):
    """P(X_s = X_t | X_t = x) = (s/t)² f_s(x)/f_t(x)."""
    return (s / t) * np.exp(-np.abs(x) * (1 / s - 1 / t))


def test_an_answer_of_the_wrong_shape_is_said_with_what_is_needed():
    class Flat(Sparse):
        positives = 3
        run = None

        def run_many(self, *arguments):
            return super().run_many(*arguments)[:, 0]

    report = nrverify.audit(Flat, samples=100)
    assert report.exit_code == 3
    assert "positives is 3, and run_many() returned numbers of shape (2,): numbers of shape (2, 3)" in report.message


@pytest.mark.parametrize(
    ("rounds", "words"),
    [
        ([[2, 2]], "returned the row [2, 2] for 3 rounds: it must be the rounds of the ones in rising order"),
        ([[0, 1]], "returned the row [0, 1]"),
        ([[1, 4]], "returned the row [1, 4]"),
    ],
)
def test_rows_that_are_no_rounds_of_ones_are_shown(rounds, words):
    class Odd(Sparse):
        positives, run = 2, None

        def run_many(self, utilities, epsilons, threshold, sensitivity, runs, seed):
            return np.array(rounds * runs)

    report = nrverify.audit(Odd, samples=100)
    assert report.exit_code == 3
    assert words in report.message


def test_a_run_that_ends_too_early_is_shown():
    class Short(Sparse):
        positives, run_many = 2, None

        def run(self, utilities, *arguments):
            return [1, 0]

    report = nrverify.audit(Short, samples=100)
    assert report.exit_code == 3
    assert "positives is 2, so with fewer ones there must be a bit for every round" in report.message


def test_a_run_that_halts_at_an_earlier_positive_is_refuted_by_the_protocol():
    """Its last bit is a 1: it halted there, and does not merely fail to answer."""

    class First(Sparse):
        scales, positives, run_many = (2.0, 8.0), 2, None

        def run(self, *arguments):
            bits = super().run(*arguments)
            return bits[: bits.index(1) + 1] if 1 in bits else bits

    report = nrverify.audit(First, samples=500)
    assert refuted(report)["threshold.protocol"] == "halts-early"
    check = next(check for check in report.checks if check.id == "threshold.protocol")
    assert "runs halted elsewhere, such as [" in check.observed


@pytest.mark.parametrize(("most", "fault"), [(1, "halts-early"), (2, "halts-early")])
def test_a_batch_that_halts_before_the_last_positive_is_refuted_by_the_protocol(most, fault):
    report = nrverify.audit(declared(scales=(2.0, 12.0), positives=3, halts_after=most, run=None), samples=3000)
    assert refuted(report)["threshold.protocol"] == fault


def test_a_run_that_goes_on_after_the_last_positive_is_refuted_by_the_protocol():
    class GoesOn(Sparse):
        scales, positives, run_many = (2.0, 8.0), 2, None

        def run(self, *arguments):
            bits = super().run(*arguments)
            return bits + [0] * (len(arguments[0]) - len(bits))

    report = nrverify.audit(GoesOn, samples=500)
    assert refuted(report)["threshold.protocol"] == "answers-after-halt"
    check = next(check for check in report.checks if check.id == "threshold.protocol")
    assert check.expected == "a halt after exactly 2 ones"


HARNESS = """
    import json, random, sys

    SAID = json.loads(sys.argv[1])
    a, b = SAID["scales"]
    rng = random.Random(5)

    def laplace(scale):
        return scale * (rng.expovariate(1.0) - rng.expovariate(1.0))

    def ones(request, c):
        unit = request["sensitivity"] / request["epsilons"][0]
        level, found = request["threshold"] + laplace(float(sys.argv[2]) * unit), []
        for n, utility in enumerate(request["utilities"], start=1):
            if len(found) < c and utility + laplace(b * unit) >= level:
                found.append(n)
        return found + [0] * (c - len(found))

    for line in sys.stdin:
        request = json.loads(line)
        result = {"mechanism": "above-threshold", "methods": ["run_many"], **SAID}
        if request["op"] == "run_many":
            result = [ones(request, SAID["positives"]) for _ in range(request["runs"])]
        print(json.dumps({"id": request["id"], "result": result}), flush=True)
        if request["op"] == "stop":
            break
"""


@pytest.mark.slow
@pytest.mark.parametrize(("used", "found"), [(4.0, {}), (1.0, {"threshold.law": "threshold-noise-halved"})])
def test_a_command_describes_its_noise_by_the_same_names(tmp_path, used, found):
    (tmp_path / "harness.py").write_text(textwrap.dedent(HARNESS), "utf-8")
    said = json.dumps({"scales": [4.0, 6.0], "positives": 2, "noise": "laplace", "monotone": True, "delta": 0.0})
    address = f"cmd:{sys.executable} {tmp_path / 'harness.py'} '{said}' {used}"
    report = nrverify.audit(address, samples=4600)
    assert set(refuted(report)) == set(found)
    assert report.privacy == ("inconclusive" if found else "consistent")


def record(subject, runs=4000, **changes):
    own, other = [-1.0] * 5 + [1.0, 1.0], [0.0] * 7
    epsilon, made = 2.0, subject()
    arrays = {
        "mechanism": "above-threshold",
        "utilities": own,
        "utilities_neighbour": other,
        "epsilons": epsilon,
        "threshold": 0.0,
        "sensitivity": 1.0,
        "rounds": made.run_many(own, [epsilon] * 7, 0.0, 1.0, runs, 1),
        "rounds_neighbour": made.run_many(other, [epsilon] * 7, 0.0, 1.0, runs, 2),
        **changes,
    }
    return {name: np.asarray(array) for name, array in arrays.items()}


@pytest.mark.slow
def test_records_hold_the_rounds_of_the_ones(tmp_path):
    said = {"scales": (2.0, 8.0), "positives": 2, "noise": "exponential"}
    np.savez(tmp_path / "right.npz", **record(declared(**said), **said))
    np.savez(tmp_path / "wrong.npz", **record(declared(**said, redrawn="rounds", used=(2.0, 4.0)), **said))
    right = nrverify.audit(f"records:{tmp_path / 'right.npz'}")
    assert (right.verdict, right.law, right.privacy) == ("consistent", "consistent", "consistent")
    assert "threshold.law" in refuted(nrverify.audit(f"records:{tmp_path / 'wrong.npz'}"))


@pytest.mark.parametrize(
    ("said", "changes", "words"),
    [
        ({"positives": 2}, {"rounds": np.ones(40)}, "array rounds is of float64 and shape (40,): shape (runs, 2) is"),
        ({"positives": 2}, {"rounds": [[3, 2]] * 40}, "array rounds has the row [3, 2] at 0: the rounds of the ones"),
        ({"monotone": True}, {}, "attribute monotone is True: utilities and utilities_neighbour must move the same"),
        ({"noise": "gaussian"}, {}, "attribute scales is missing: noise is 'gaussian', which needs it"),
    ],
    ids=str,
)
def test_records_that_do_not_fit_what_they_declare_are_refused(tmp_path, said, changes, words):
    np.savez(tmp_path / "bad.npz", **record(declared(**said), runs=40, **said, **changes))
    report = nrverify.audit(f"records:{tmp_path / 'bad.npz'}")
    assert report.exit_code == 3
    assert words in report.message
