"""A whole calibration, tiny: the command's exit codes and documents, and that every part of it can come out red."""

import json
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

from nrverify.calibrate import calibration
from nrverify.calibrate.calibration import QUICK, calibrate
from nrverify.calibrate.false_alarms import LOOSE, STRICT
from nrverify.calibrate.trial import trial
from nrverify.cli import cli
from nrverify.reference.mutants import BENIGN, MUTANTS, Benign, Mutant
from nrverify.report.calibration.document import calibration_json
from nrverify.report.calibration.markdown import calibration_markdown

MUTANT = {mutant.name: mutant for mutant in MUTANTS}
RIGHT = {entry.name: entry for entry in BENIGN}

TINY = replace(
    QUICK,
    mutants=(MUTANT["threshold-query-noise-quartered"], MUTANT["boundary-inverse-off"]),
    whole=False,
    benign=(RIGHT["threshold-strict"],),
    right=(RIGHT["threshold"], RIGHT["boundary-linear"]),
    audits=3,
    known=(MUTANT["threshold-no-noise"],),
    seeds=1,
    empirical_runs=400_000,
)


class Honest:
    """A right threshold mechanism, which no audit may refute."""

    mechanism = "above-threshold"

    def run_many(self, utilities, epsilons, threshold, sensitivity, runs, seed):
        rng = np.random.default_rng(seed)
        scale = sensitivity / epsilons[0]
        noise = rng.laplace(scale=4 * scale, size=(len(utilities), runs))
        halts = np.array(utilities)[:, None] + noise >= threshold + rng.laplace(scale=2 * scale, size=runs)
        return np.where(halts.any(axis=0), halts.argmax(axis=0) + 1, 0)


class Faulty(Honest):
    """The same with a quarter of its noise."""

    def run_many(self, utilities, epsilons, threshold, sensitivity, runs, seed):
        return super().run_many(utilities, epsilons, threshold, sensitivity / 4, runs, seed)


def run(monkeypatch, scope, *arguments):
    monkeypatch.setattr(calibration, "QUICK", scope)
    monkeypatch.setattr(calibration, "SAMPLES", 20_000)
    return CliRunner().invoke(cli, ["calibrate", "--quick", "--jobs", "1", *arguments])


def test_a_green_calibration_exits_0_and_writes_its_documents(monkeypatch, tmp_path):
    files = (tmp_path / "calibration.json", tmp_path / "calibration.md")
    result = run(monkeypatch, TINY, "--json", str(files[0]), "--markdown", str(files[1]))
    assert result.exit_code == 0, result.output
    documents = [file.read_bytes() for file in files]
    assert "2 of 2 mutants refuted" in result.output
    found = json.loads(documents[0])
    assert found["schema"] == "nrverify/calibration/1"
    assert found["green"] is True
    assert [mutant["refuted_first"] for mutant in found["matrix"]["mutants"]] == [
        ["threshold.law"],
        ["boundary.inverse"],
    ]
    assert found["matrix"]["mutants"][0]["limit"] > 1
    assert [row["audits"] for row in found["false_alarms"]] == [3, 1]
    assert len(found["efficiency"]) == 1
    text = documents[1].decode()
    assert "| threshold-query-noise-quartered | leak |" in text
    assert "## False alarms" in text


def test_a_mutant_that_is_right_is_reported_as_not_refuted_and_exits_1(monkeypatch):
    right = Mutant("right-after-all", Honest, "There is no mistake in it.", "leak")
    result = run(monkeypatch, replace(TINY, mutants=(right,), benign=()), "--only", "mutants")
    assert result.exit_code == 1
    assert "0 of 1 mutants refuted" in result.output
    assert "right-after-all" in result.output
    assert "NOT REFUTED" in result.output


def test_a_benign_variant_that_is_faulty_exits_1(monkeypatch):
    wrong = Benign("wrong-after-all", Faulty, "It has a quarter of the noise.")
    result = run(monkeypatch, replace(TINY, mutants=(), benign=(wrong,)), "--only", "mutants", "--quiet")
    assert result.exit_code == 1
    assert "0 of 1 benign variants spared; not: wrong-after-all" in " ".join(result.output.split())


def test_alarms_on_a_subject_that_is_not_correct_are_too_many_and_exit_1(monkeypatch):
    wrong = Benign("wrong-after-all", Faulty, "It has a quarter of the noise.")
    result = run(monkeypatch, replace(TINY, right=(wrong,)), "--only", "false-alarms")
    assert result.exit_code == 1
    assert "3 false alarms in 3 audits" in " ".join(result.output.split())


def test_a_fault_that_is_never_refuted_misses_the_information_limit(monkeypatch):
    right = Mutant("threshold-no-noise", Honest, "There is no mistake in it.", "leak")
    result = run(monkeypatch, replace(TINY, known=(right,)), "--only", "efficiency")
    assert result.exit_code == 1
    assert "0 of 1 faults refuted within 2.0 times" in " ".join(result.output.split())


def test_quiet_says_nothing_of_what_is_as_it_should_be(monkeypatch):
    result = run(monkeypatch, replace(TINY, benign=(), mutants=TINY.mutants[1:]), "--only", "mutants", "--quiet")
    assert (result.exit_code, result.output) == (0, "")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--only", "mutant"], "is not one of"),
        (["--json", "no/such/folder/x.json"], "cannot write the report"),
        (["--jobs", "0"], "not an integer from 1 to 1024"),
        (["--seed", "-1"], "not an integer from 0 to 4294967295"),
    ],
)
def test_a_mistake_in_the_command_exits_2(arguments, words):
    result = CliRunner().invoke(cli, ["calibrate", *arguments])
    assert result.exit_code == 2
    assert words in result.output


def test_an_audit_without_an_alarm_at_a_loose_level_has_none_at_a_strict_one_and_drew_the_same():
    loose, strict = (trial(Honest, 3, alpha, 600) for alpha in (LOOSE, STRICT))
    assert not loose.alarm
    assert not strict.alarm
    assert loose.samples == strict.samples


def test_a_calibration_depends_on_its_seed_and_not_on_the_number_of_workers():
    from concurrent.futures import ProcessPoolExecutor

    scope = replace(TINY, benign=(), audits=2)
    alone = calibrate(scope, seed=5, parts=("mutants", "false-alarms"))
    with ProcessPoolExecutor(2) as pool:
        together = calibrate(scope, seed=5, parts=("mutants", "false-alarms"), executor=pool)
    assert together == alone
    assert calibration_json(together) == calibration_json(alone)
    assert calibration_markdown(together) == calibration_markdown(alone)


def test_a_whole_budget_tells_which_check_is_for_what(monkeypatch):
    monkeypatch.setattr(calibration, "SAMPLES", 20_000)
    scope = replace(TINY, whole=True, benign=())
    found = calibrate(scope, parts=("mutants",))
    assert found.matrix is not None
    standings = {standing.id: standing for standing in found.matrix.standings()}
    assert standings["boundary.inverse"].alone == ("boundary-inverse-off",)
    # Two mutants do not give every check something to do.
    assert "protocol.finite" in found.idle_checks
    assert found.matrix.green
    assert not found.green
    assert found.matrix.kills[0].whole is not None
    assert found.matrix.kills[1].whole is None
