"""What a step prints: never two sides that are alike, and what checked it."""

import re

import pytest
import sympy as sp

from nrverify.ledger.evidence import EvidenceKind
from nrverify.ledger.proof import Proof
from nrverify.ledger.record import Record
from nrverify.ledger.runner import PROFILES, context
from nrverify.ledger.signs import is_plainly
from nrverify.ledger.suites import load_suites
from nrverify.ledger.tree import all_assumptions, unknown_uses, uses_of

x = sp.Symbol("x", real=True)
t = sp.Symbol("t", positive=True)

DERIVATIONS = [item.evidence for item in load_suites().evidence if item.evidence.kind is EvidenceKind.DERIVATION]


def says_nothing(text):
    """Whether a printed relation has the same words on both sides, or is the word True."""
    sides = re.split(r" [=≥>] ", text)
    return text in ("", "True") or (len(sides) == 2 and sides[0] == sides[1])


@pytest.mark.parametrize("text", ["0 = 0", "w = w", "True", "0 ≥ 0"])
def test_what_says_nothing_is_recognised(text):
    assert says_nothing(text)


@pytest.mark.slow
@pytest.mark.parametrize("evidence", DERIVATIONS, ids=lambda evidence: evidence.name)
def test_no_derivation_prints_a_step_with_equal_sides(evidence):
    record = Record()
    evidence.function(context(evidence, record, PROFILES["quick"], 0))
    assert [step.text for step in record.steps if step.checked and says_nothing(step.text)] == []


def test_a_side_that_was_computed_is_printed_as_it_was_written():
    proof = Proof(Record())
    density = sp.exp(-t)
    mass = sp.integrate(density, (t, 0, sp.oo))
    proof.equal("mass", mass, 1)
    (step,) = proof.record.steps
    assert step.text == "integrate(density, (t, 0, oo)) = 1"
    assert step.mark == "by sympy's integrate"


def test_a_function_that_integrates_is_named_too():
    proof = Proof(Record())
    proof.equal("mass", _mass(), 1)
    assert proof.record.steps[0].tools == ("integrate",)


def test_a_name_inside_a_side_is_followed_to_what_integrated_it():
    proof = Proof(Record())
    mass = _mass()
    proof.equal("half", mass / 2 + sp.Rational(1, 2), 1)
    assert proof.record.steps[0].mark == "by sympy's integrate"


def _mass():
    return sp.integrate(sp.exp(-t), (t, 0, sp.oo))


def test_an_identity_of_polynomials_needs_no_mark():
    proof = Proof(Record())
    proof.equal("square", (x + t) ** 2, x**2 + 2 * x * t + t**2)
    assert proof.record.steps[0].mark == ""


def test_what_checked_a_step_does_not_depend_on_whether_it_is_written():
    steps = []
    for written in (True, False):
        proof = Proof(Record(written=written))
        proof.equal("mass", _mass(), 1)
        proof.positive("sum", t + x**2)
        steps.append([(step.by, step.tools) for step in proof.record.steps])
    assert steps[0] == steps[1] == [("sympy", ("integrate",)), ("exact", ())]


@pytest.mark.parametrize(
    ("expression", "strict", "shown"),
    [
        (t + x**2, True, True),
        (x**2, True, False),
        (x**2, False, True),
        ((x - t) ** 2 / (1 + t), False, True),
        ((1 + t) ** 2 - 1, True, True),
        (t - 1, False, False),
        (x**3, False, False),
        (-(-1 - t) * t, True, True),
        (sp.sqrt(t) * sp.exp(-x), True, True),
        (t**2 - t + 1, True, False),
    ],
)
def test_signs_are_shown_by_their_terms_or_not_at_all(expression, strict, shown):
    """The last one is positive and not shown: the rules know no completion of squares."""
    assert is_plainly(expression, positive=strict) is shown


def test_every_name_under_uses_is_there_and_nothing_uses_itself():
    evidence = [item.evidence for item in load_suites().evidence]
    assert unknown_uses(evidence) == []
    most = max(evidence, key=lambda item: len(item.uses))
    assert unknown_uses([most])


def test_the_linear_boundary_rests_on_the_crossing_of_a_line_and_on_brownian_motion():
    known = {item.evidence.name: item.evidence for item in load_suites().evidence}
    linear = next(item for name, item in known.items() if name.endswith("linear_boundary_is_a_privacy_boundary"))
    uses = uses_of(linear, known)
    assert any(use.name.endswith("martingales.line_crossing") for use in uses)
    assert any("Brownian motion" in fact for fact in all_assumptions(linear.assumes, uses))
