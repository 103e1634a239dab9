"""A derivation proves identities, refutes what is not one, and says when it cannot decide."""

import pytest
import sympy as sp

from nrverify.ledger import Refuted, Undecided
from nrverify.ledger.proof import Proof
from nrverify.ledger.record import Record

x = sp.Symbol("x", real=True)
t = sp.Symbol("t", positive=True)


@pytest.fixture
def proof():
    return Proof(Record())


def test_an_identity_is_recorded_as_a_step_in_words_and_latex(proof):
    proof.equal("binomial", (x + t) ** 2, x**2 + 2 * x * t + t**2)
    assert proof.record.steps[0].name == "binomial"
    assert "=" in proof.record.steps[0].latex


def test_a_false_identity_is_refuted_with_a_witness(proof):
    with pytest.raises(Refuted, match=r"e\.g\. at"):
        proof.equal("wrong", (x + t) ** 2, x**2 + t**2)


def test_an_identity_sympy_cannot_simplify_is_undecided_not_refuted(proof):
    nested = sp.sqrt(2) * sp.sqrt(5 + 2 * sp.sqrt(6)) - 2 - sp.sqrt(6)
    with pytest.raises(Undecided):
        proof.equal("denesting", nested, 0, simplify=lambda e: e)


def test_signs_follow_from_the_assumptions_on_symbols(proof):
    proof.positive("square plus one", x**2 + 1)
    proof.nonnegative("square", x**2)
    with pytest.raises(Refuted):
        proof.positive("negative", -t)


def test_a_sign_that_depends_on_the_symbols_is_refuted_by_a_point(proof):
    with pytest.raises(Refuted, match=r"at \{x"):
        proof.positive("sign of x", x**3 + x)


def test_a_false_statement_is_refuted_and_an_open_one_is_undecided(proof):
    with pytest.raises(Refuted):
        proof.true("order", sp.Rational(1, 3) > sp.Rational(1, 2))
    with pytest.raises(Undecided):
        proof.true("open", x > 0)
