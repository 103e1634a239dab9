"""Coq itself: the committed theorems are checked, and everything planted is refused. Needs coqc."""

import subprocess
from dataclasses import replace

import pytest
import sympy as sp

from nrverify.ledger import EvidenceKind, kernel, supports
from nrverify.ledger.coq import coqc
from nrverify.ledger.coq.coqc import missing
from nrverify.ledger.coq.goals import equality
from nrverify.ledger.coq.workshop import CLASSICAL, Workshop
from nrverify.ledger.evidence import Core, Undecided
from nrverify.ledger.runner import PROFILES, run_evidence
from nrverify.ledger.suites import load_suites
from tests.tools import need

EVIDENCE = [item.evidence for item in load_suites().evidence if item.evidence.kind is EvidenceKind.KERNEL]
x = sp.Symbol("x", positive=True)

SOUND = """From Coq Require Import Reals Lra.
Open Scope R_scope.
Section Growth.
Variable least : R.
Definition twice (x : R) : R := 2 * x.
Theorem twice_grows : forall x, 0 < x -> x < twice x.
Proof. intros x H. unfold twice. lra. Qed.
End Growth.
"""

PLANTED = {
    "a proof that is admitted": ("unfold twice. lra. Qed.", "Admitted.", "the word 'Admitted'"),
    "an axiom": ("Section Growth.", "Axiom h : 0 = 1.\nSection Growth.", "the word 'Axiom'"),
    "a hypothesis outside a section": (
        "Section Growth.",
        "Variable h : forall x, 0 < x -> x < 2 * x.\nSection Growth.",
        "rests on growth.h",
    ),
    "a hypothesis inside the section": (
        "unfold twice. lra. Qed.",
        "destruct (no least). Qed.",
        "not those pinned",
    ),
    "a weakened statement": ("0 < x -> x < twice x", "1 < x -> x < twice x", "not those pinned"),
    "a definition that drifted": ("2 * x.", "3 * x.", "not those pinned"),
    "a notation that hides another meaning": (
        "Theorem twice",
        'Notation "x < y" := (x <= y) (at level 70) : R_scope.\nTheorem twice',
        "the word 'Notation'",
    ),
    "a numeral deep in a statement": (
        "Theorem twice_grows : forall x, 0 < x -> x < twice x.",
        "Theorem twice_grows : forall x, 1000000000000000000000001 < x * 1000000000000000000000000 -> x < twice x.",
        "not those pinned",
    ),
    "a proof by machine integers": (
        "unfold twice. lra.",
        "unfold twice. assert (sqrt 2 <= 2) by interval with (i_prec 30). lra.",
        "rests on PrimInt63",
    ),
    "a proof that does not prove": ("lra. Qed.", "ring. Qed.", "coqc refuses"),
}


@pytest.fixture(autouse=True)
def coq():
    need("coqc")
    assert missing() == ""


@pytest.fixture
def core(tmp_path):
    """A sound file, with its statements pinned."""
    source = tmp_path / "growth.v"
    source.write_text(SOUND, "utf-8")
    made = Core(source, ("twice_grows",), ("anything else",))
    with Workshop() as workshop:
        workshop.build(source)
        made.statements.write_text(workshop.statements(made), "utf-8")
        assert "forall x : R, 0 < x -> x < twice x" in workshop.pass_gates(made)
    return made


def planted(core, name):
    """The sound file with something planted, and what must be said of it."""
    old, new, words = PLANTED[name]
    text = SOUND.replace(old, new)
    assert text != SOUND
    if "inside" in name:
        text = text.replace("Variable least : R.", "Variable least : R.\nHypothesis no : forall y : R, False.")
    if "outside" in name:
        text = text.replace("unfold twice. lra.", "exact (h x H).")
    if "machine" in name:
        text = text.replace("Reals Lra.", "Reals Lra.\nFrom Interval Require Import Tactic.")
    core.source.write_text(text, "utf-8")
    return words


@pytest.mark.parametrize("name", PLANTED)
def test_what_is_planted_is_refused(core, name):
    words = planted(core, name)
    with Workshop() as workshop, pytest.raises(Undecided, match=words):
        workshop.pass_gates(core)


def evidence_for(core, formula, value=2.5):
    def function(kernel, formula=formula, value=value):
        """Twice."""
        kernel.equal("twice", "x", formula, 2 * x, {})
        kernel.agrees("twice", (1.25,), value)

    rejects = {"thrice": {"formula": 3 * x}, "a number next to it": {"value": 2.5 + 1e-9}}
    declared = {"source": core.source, "theorems": core.theorems, "unsaid": core.unsaid}
    return kernel({"B09": supports}, rejects=rejects, **declared)(function)


def test_a_formula_and_a_number_are_tied_and_wrong_ones_are_refuted_by_proofs(core):
    result = run_evidence(evidence_for(core, 2 * x), PROFILES["quick"], 0)
    assert (result.outcome, result.message) == ("checked", "")
    assert result.rejects == ("thrice", "a number next to it")
    assert {step.by for step in result.steps} == {"kernel"}


def test_a_formula_that_drifted_is_refused(core):
    result = run_evidence(evidence_for(core, 2 * x + sp.Rational(1, 100)), PROFILES["quick"], 0)
    assert result.failed
    assert "Coq proves twice (2 / 3) <> " in result.message


def test_what_is_neither_proved_nor_refuted_is_undecided(core):
    def function(kernel, proof=""):
        """A right formula with a proof that ends too early."""
        kernel.equal("twice", "x", 2 * x, 2 * x, {}, proof=proof)

    declared = {"source": core.source, "theorems": core.theorems, "unsaid": core.unsaid}
    evidence = kernel({"B09": supports}, rejects={"no": {"proof": "idtac"}}, **declared)(function)
    result = run_evidence(evidence, PROFILES["quick"], 0)
    assert result.failed
    assert "wrong variant 'no': Undecided" in result.message


PROOFS = {
    "an axiom that no theorem cites": ("exfalso; pose proof growth.h; lra", "rests on growth.h"),
    "hardware floats": ("assert (sqrt 2 <= 2) by interval; ring", "rests on .*PrimFloat"),
    "an admitted proof": ("idtac. Admitted. Lemma other : True. exact I", "rests on tie0"),
}


@pytest.mark.parametrize("name", PROOFS)
def test_a_tie_rests_on_no_more_than_the_axioms_of_the_reals_and_machine_integers(core, name):
    proof, words = PROOFS[name]
    text = core.source.read_text("utf-8").replace("Section Growth.", "Variable h : 0 = 1.\nSection Growth.")
    core.source.write_text(text, "utf-8")
    goal = equality("twice", ["x"], 2 * x, (), (), 2 * x, proof=proof)
    question = replace(goal.question, interval=name == "hardware floats")
    with Workshop() as workshop:
        workshop.expect(core, [question])
        assert "twice_grows" in workshop.pass_gates(core)
        assert workshop.proved == set()
        with pytest.raises(Undecided, match=words):
            workshop.proves(core, [question])


def test_a_proof_that_does_not_end_is_stopped_and_said(core, monkeypatch):
    monkeypatch.setattr(coqc, "CPU_SECONDS", 2)
    text = core.source.read_text("utf-8").replace("unfold twice. lra.", "repeat (assert (0 = 0) by reflexivity).")
    core.source.write_text(text, "utf-8")
    with Workshop() as workshop, pytest.raises(Undecided, match="more than 2 s"):
        workshop.pass_gates(core)


def test_files_are_asked_in_one_run_and_if_it_is_refused_the_file_at_fault_is_named(core, tmp_path):
    text = SOUND.replace("twice", "double")
    other = Core(tmp_path / "other.v", ("double_grows",), ("anything else",))
    other.source.write_text(text, "utf-8")
    with Workshop() as workshop:
        workshop.build(other.source)
        other.statements.write_text(workshop.statements(other), "utf-8")
    with Workshop() as workshop:
        workshop.expect(core, [equality("twice", ["x"], 2 * x, (), (), 2 * x).question])
        workshop.expect(other, [equality("double", ["x"], 2 * x, (), (), 2 * x).question])
        assert "twice_grows" in workshop.pass_gates(core)
        assert "double_grows" in workshop.pass_gates(other)
        assert len(workshop.proved) == 2
        assert len(list(workshop.folder.glob("ask*.v"))) == 1
    assumed = text.replace("Section Growth.", "Variable h : forall x, 0 < x -> x < 2 * x.\nSection Growth.")
    other.source.write_text(assumed.replace("unfold double. lra.", "exact (h x H)."), "utf-8")
    with Workshop() as workshop:
        workshop.expect(core, [equality("twice", ["x"], 2 * x, (), (), 2 * x).question])
        workshop.expect(other, [equality("double", ["x"], 2 * x, (), (), 2 * x).question])
        assert "twice_grows" in workshop.pass_gates(core)
        assert workshop.proved == set()
        with pytest.raises(Undecided, match="rests on"):
            workshop.pass_gates(other)


@pytest.mark.parametrize("evidence", EVIDENCE, ids=lambda evidence: evidence.core.source.stem)
def test_committed_theorems_are_checked_and_every_wrong_variant_is_refuted(evidence):
    result = run_evidence(evidence, PROFILES["quick"], 0)
    assert (result.outcome, result.message) == ("checked", "")
    assert result.rejects == tuple(evidence.rejects)


def test_coqchk_finds_only_the_classical_axioms_of_the_reals():
    """It checks the libraries below them, too."""
    sources = [one.core.source for one in EVIDENCE]
    assert len(sources) == 10
    with Workshop() as workshop:
        for source in sources:
            workshop.build(source)
        names = [f"nrverify.{source.stem}" for source in sources]
        command = ["coqchk", "-silent", "-o", "-Q", ".", "nrverify", *names]
        done = subprocess.run(command, cwd=workshop.folder, capture_output=True, text=True, check=False, timeout=3600)
    assert done.returncode == 0, done.stderr
    summary = done.stdout + done.stderr  # Coq 8.16.1 prints it as a message, on standard error
    listed = summary.partition("* Axioms:")[2].partition("\n* ")[0].split()
    assert {".".join(name.split(".")[-2:]) for name in listed} == CLASSICAL
    assert summary.count("<none>") == 3  # type-in-type, unsafe fixpoints, assumed positivity
