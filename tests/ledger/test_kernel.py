"""Evidence for Coq's kernel, without Coq: what is refused before it runs, and what is said where it is not there."""

import json
from fractions import Fraction

import pytest
import sympy as sp

from nrverify.ledger import EvidenceKind, holds, kernel, supports
from nrverify.ledger.claims import Verdict
from nrverify.ledger.coq import coqc
from nrverify.ledger.coq.goals import equality
from nrverify.ledger.coq.source import code_of, forbidden_word, theorems_in, with_required
from nrverify.ledger.coq.term import coq_number, coq_term
from nrverify.ledger.coq.workshop import MACHINE_INTEGERS, check_axioms, check_pinned
from nrverify.ledger.evidence import Core, Undecided
from nrverify.ledger.runner import NOT_ASKED, PROFILES, EvidenceTask, _groups, run_evidence
from nrverify.ledger.suites import load_suites
from nrverify.ledger.verdicts import NOT_RUN, settle
from nrverify.ledger.verification import Verification, verify
from nrverify.report.ledger.document import ledger_document
from nrverify.report.ledger.markdown import ledger_markdown
from nrverify.report.ledger.page import ledger_html

EVIDENCE = [item.evidence for item in load_suites().evidence if item.evidence.kind is EvidenceKind.KERNEL]
SOURCES = {evidence.core.source for evidence in EVIDENCE}
x, t = sp.symbols("x t", positive=True)


@pytest.fixture
def without_coq(monkeypatch):
    monkeypatch.setattr(coqc.shutil, "which", lambda name: None)
    monkeypatch.delenv(coqc.REQUIRE, raising=False)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Proof. Admitted.", "Admitted"),
        ("Axiom h : 0 = 1.", "Axiom"),
        ("Parameter h : 0 = 1.", "Parameter"),
        ("Conjecture h : 0 = 1.", "Conjecture"),
        ("Module Classical_Prop. End Classical_Prop.", "Module"),
        ("Unset Guard Checking.", "Unset"),
        ("Local Unset Guard Checking.", "Local"),
        ("#[bypass_check(guard)] Fixpoint f (n : nat) : 0 = 1 := f n.", "#"),
        ('Notation "a = b" := (b = b) (only parsing).', "Notation"),
        ("Lemma ln : R -> R.\nProof. exact exp.\nDefined.", "Defined"),
        ("Lemma a : True.\nProof.\n  - { Time exact I. }\nQed.", "Time"),
        ("Lemma a : True.\nProof.\n  2: { Fail exact I. }\nQed.", "Fail"),
        ("Lemma a : True.\nProof. native_compute. exact I. Qed.", "native_compute"),
        ("Lemma a : 0.5 <= 1.\nProof.\n  - { lra. }\n  1, 3: (intros; lra).\nQed.", ""),
        ('(* Admitted (* Axiom *) "Parameter" Load *) Definition a := 1.', ""),
        ("(* (* *) Admitted *) Definition Admitted_a := 1.", ""),
        ("(* (* *) *) Admitted.", "Admitted"),
    ],
)
def test_a_word_that_assumes_is_seen_outside_comments_and_only_there(text, word):
    assert forbidden_word(text) == word


def test_no_committed_file_has_a_forbidden_word_and_all_are_within_their_size():
    assert {path.name: forbidden_word(path.read_text("utf-8")) for path in SOURCES} == dict.fromkeys(
        (path.name for path in SOURCES), ""
    )
    assert sum(len(path.read_text("utf-8").splitlines()) for path in SOURCES) <= 2000


def test_every_coq_file_is_cited_with_its_statements_pinned_and_every_theorem_of_it():
    folder = next(iter(SOURCES)).parent
    assert set(folder.glob("*.v")) == SOURCES
    assert {path.stem for path in folder.glob("*.statements")} == {path.stem for path in SOURCES}
    for evidence in EVIDENCE:
        assert set(evidence.core.theorems) == set(theorems_in(evidence.core.source.read_text("utf-8"))), evidence.name
        pinned = evidence.core.statements.read_text("utf-8")
        assert all(f"\n{name}\n" in pinned or f"\n{name} :" in pinned for name in evidence.core.theorems)


def test_a_required_file_comes_before_the_one_that_requires_it():
    names = {path.stem: [one.stem for one in with_required(path)] for path in SOURCES}
    assert names["mixture"] == ["boundary_algebra", "composition", "martingales", "mixture"]
    assert names["optima"] == ["boundary_algebra", "optima"]


def test_comments_nest_and_strings_hide_nothing_else():
    assert code_of('a (* b (* c *) d *) e "(*" f') == "a  e  f"


@pytest.mark.parametrize(
    ("expression", "term"),
    [
        (x + 1, "((1) + x)"),
        (x * t, "(t * x)"),
        (1 / x, "(/ x)"),
        (x**-2, "(/ (x ^ 2))"),
        (sp.sqrt(x), "(sqrt x)"),
        (sp.exp(-x), "(exp ((-1) * x))"),
        (sp.log(sp.Rational(2, 3) * x), "(ln ((2 / 3) * x))"),
        (sp.Abs(sp.Symbol("y", real=True)), "(Rabs y)"),
    ],
)
def test_a_formula_has_its_coq_term(expression, term):
    assert coq_term(expression) == term


def test_a_formula_without_a_coq_term_is_undecided():
    with pytest.raises(Undecided, match="erf"):
        coq_term(sp.erf(x))
    with pytest.raises(Undecided, match="power"):
        coq_term(x ** sp.Rational(1, 3))
    assert coq_number(Fraction(-3, 4)) == "(-3 / 4)"


def test_a_formula_that_differs_is_suspected_and_its_negation_is_at_a_point_where_it_differs():
    same = equality("f", ["x"], 2 * x, ("0 < x",), (), 2 * x)
    other = equality("f", ["x"], 2 * x + 1, ("0 < x",), (), 2 * x)
    assert not same.suspect
    assert same.statement == "forall x : R, 0 < x -> f x = ((2) * x)"
    assert other.suspect
    assert other.negation == "f (2 / 3) <> (7 / 3)"


def test_axioms_beyond_those_of_the_reals_are_refused(tmp_path):
    core = Core(tmp_path / "a.v", ("a",), ("b",))
    classical = "Axioms:\nClassical_Prop.classic : forall P : Prop,\n  P \\/ ~ P\n"
    check_axioms(core, classical)
    check_axioms(core, "Closed under the global context\n")
    integers = "PrimInt63.add : int"
    for extra in ("h : 0 = 1", integers, "PrimFloat.add : float", "f is assumed to be guarded."):
        with pytest.raises(Undecided, match="rests on"):
            check_axioms(core, f"{classical}{extra}\n")
        if extra != integers:
            with pytest.raises(Undecided, match="rests on"):
                check_axioms(core, f"{classical}{extra}\n", MACHINE_INTEGERS)
    check_axioms(core, f"{classical}{integers}\n", MACHINE_INTEGERS)


def test_statements_must_be_pinned_to_the_letter(tmp_path):
    core = Core(tmp_path / "a.v", ("a",), ("b",))
    with pytest.raises(Undecided, match="must be pinned"):
        check_pinned(core, "head\n\na : 1 = 1\n")
    core.statements.write_text("head\n\na : 1 = 1\n", "utf-8")
    check_pinned(core, "head\n\na : 1 = 1\n")
    with pytest.raises(Undecided, match="a : 0 = 1 -> 1 = 1"):
        check_pinned(core, "head\n\na : 0 = 1 -> 1 = 1\n")


def test_a_kernel_only_supports_and_must_say_what_it_does_not_say(tmp_path):
    def function(kernel, form=1):
        """Shows nothing."""

    declared = {"source": tmp_path / "a.v", "theorems": ("a",), "unsaid": ("b",)}
    with pytest.raises(ValueError, match="must not depend on Coq"):
        kernel({"B09": holds}, rejects={"two": {"form": 2}}, **declared)(function)
    with pytest.raises(ValueError, match="what it does not"):
        kernel({"B09": supports}, rejects={"two": {"form": 2}}, **{**declared, "unsaid": ()})(function)
    with pytest.raises(ValueError, match="wrong variant"):
        kernel({"B09": supports}, rejects={}, **declared)(function)


def test_without_coq_it_is_not_run_with_the_remedy_and_required_it_fails(without_coq, monkeypatch):
    result = run_evidence(EVIDENCE[0], PROFILES["quick"], 0)
    assert (result.outcome, result.ran, result.failed) == (NOT_RUN, False, False)
    assert coqc.INSTALL in result.message
    monkeypatch.setenv(coqc.REQUIRE, "node,coqc")
    assert run_evidence(EVIDENCE[0], PROFILES["quick"], 0).failed


def test_all_evidence_for_the_kernel_goes_to_one_worker():
    located = [
        item for item in load_suites().evidence if item.evidence.kind in (EvidenceKind.KERNEL, EvidenceKind.READING)
    ]
    tasks = {EvidenceTask(item.module, item.attribute, "quick", 0, False): item.evidence for item in located}
    kinds = [{tasks[task].kind for task in group} for group in _groups(tasks)]
    assert kinds.count({EvidenceKind.KERNEL}) == 1
    assert kinds.count({EvidenceKind.READING}) == len(kinds) - 1


def test_without_coq_nothing_is_counted_and_nothing_fails(without_coq):
    done = verify(kinds=[EvidenceKind.KERNEL])
    assert done.ok
    assert done.settled_count == 0
    assert done.kernel_checked == 0
    assert coqc.INSTALL in done.kernel_not_run
    assert ledger_document(done)["kernel_checked"] == 0


def test_another_version_or_a_missing_library_is_not_run(tmp_path, monkeypatch):
    command = tmp_path / "coqc"
    command.write_text('#!/bin/sh\nif [ "$1" = -where ]; then echo /nowhere; else echo "version 8.16.1"; fi\n', "utf-8")
    command.chmod(0o755)
    assert "needs Coquelicot and Interval" in coqc._unfit(str(command))
    other = tmp_path / "other"
    other.write_text('#!/bin/sh\necho "The Rocq Prover, version 9.0.0"\n', "utf-8")
    other.chmod(0o755)
    assert "is 9.0" in coqc._unfit(str(other))


def made(outcome, message=""):
    """A ledger of one claim with evidence for the kernel of some outcome, and a derivation that decides it."""
    from dataclasses import replace

    from nrverify.ledger.claims import load_claims
    from nrverify.ledger.runner import not_run

    evidence = next(one for one in EVIDENCE if "B09" in one.findings)
    core = replace(not_run(evidence, message), outcome=outcome)
    decides = replace(core, name="symbolic.x", kind=EvidenceKind.DERIVATION, outcome="proved", core=None, message="")
    decides = replace(decides, findings={"B09": holds})
    settled = settle(load_claims()["B09"], [decides, core])
    return Verification((settled,), (), "quick", 0, False)


@pytest.mark.parametrize(("outcome", "message"), [("checked", ""), (NOT_RUN, NOT_ASKED), ("failed", "refused")])
def test_no_outcome_of_the_kernel_changes_a_verdict_a_count_or_the_document(outcome, message):
    done = made(outcome, message)
    assert done.settled[0].verdict is Verdict.TRUE
    assert "1 pieces of evidence" in ledger_markdown(done)
    assert ledger_markdown(done) == ledger_markdown(made(NOT_RUN, "elsewhere"))
    assert done.kernel_checked == (outcome == "checked")


def test_page_and_document_say_what_is_not_said():
    checked = made("checked")
    unsaid = EVIDENCE[0].core.unsaid[0]
    entry = json.loads(json.dumps(ledger_document(checked)))["claims"][0]["evidence"][1]
    assert (entry["kind"], entry["outcome"], entry["decides"]) == ("kernel", "checked", False)
    assert entry["core"]["unsaid"][0] in ledger_markdown(checked)
    page = ledger_html(checked)
    assert "1 claim has a kernel-checked core" in page
    assert "It does not say." in page
    assert "kernel-checked" not in ledger_html(made(NOT_RUN, NOT_ASKED))
    assert unsaid
