"""Propositions about a file's definitions that Coq must prove, each with the negation that would refute it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction

import sympy as sp

from nrverify.ledger.coq.term import Expr, coq_number, coq_term, is_rational_function

REALS = "From Coq Require Import Reals Lra Psatz."
INTERVAL = "From Interval Require Import Tactic."
PRECISION = 100
"""Bits of Interval's arithmetic: twice those of a double, so that 1e-12 is decided."""

SAMPLES = 4
"""Rational points at which a formula is tried before anything is proved: which of two proofs is attempted first."""

NORMALISE = """Ltac nonzero := repeat split; try lra; try (apply Rgt_not_eq; nra);
  try (apply Rgt_not_eq, sqrt_lt_R0; lra).
Ltac plain := first [ring | field; nonzero].
Ltac align f := repeat match goal with |- ?l = ?r => match r with context [f ?y] => match l with context [f ?x] =>
  tryif constr_eq x y then fail else replace (f y) with (f x) by (f_equal; plain) end end end.
Ltac same := first [reflexivity | ring | solve [field; nonzero] | solve [align ln; align sqrt; align exp; plain]]."""
"""Tactics that prove two terms equal."""


@dataclass(frozen=True)
class Question:
    """A proposition with a proof that Coq is asked to check."""

    statement: str
    proof: str
    interval: bool
    """Whether the proof uses Interval, which takes a second to load."""


@dataclass(frozen=True)
class Goal:
    """A proposition, its proof, and the proof of its negation."""

    name: str
    says: str
    """For a reader."""
    statement: str
    proof: str
    negation: str
    refutation: str
    suspect: bool = False
    """Whether numbers say that the negation holds: then it is attempted first."""
    interval: bool = False
    negation_interval: bool = False

    @property
    def question(self) -> Question:
        """Is it true?"""
        return Question(self.statement, self.proof, self.interval)

    @property
    def negated(self) -> Question:
        """Is its negation true?"""
        return Question(self.negation, self.refutation, self.negation_interval)


def equality(
    definition: str,
    arguments: Sequence[str],
    expression: Expr,
    premises: Sequence[str],
    unfold: Sequence[str],
    meaning: Expr,
    proof: str = "",
) -> Goal:
    """definition(arguments) = expression for all arguments under the premises.

    `meaning` is a formula for the definition that says where the two might differ, and decides nothing.
    """
    names, opened = " ".join(arguments), ", ".join((definition, *unfold))
    implied = "".join(f"{premise} -> " for premise in premises)
    differ = _difference(arguments, expression, meaning)
    point = differ or _point(arguments, 0)
    values = " ".join(map(coq_number, point.values()))
    there = coq_term(_plain(expression).xreplace(_rationals(point)))
    rational = is_rational_function(expression) and is_rational_function(meaning)
    decide = "lra" if rational else f"interval with (i_prec {PRECISION})"
    less = _value(meaning, point) < _value(expression, point)
    return Goal(
        name=f"{definition} is the project's formula",
        says=f"{definition}({', '.join(arguments)}) = {expression}",
        statement=f"forall {names} : R, {implied}{definition} {names} = {coq_term(_plain(expression))}",
        proof=f"intros. unfold {opened}. {proof or 'same'}.",
        negation=f"{definition} {values} <> {there}",
        refutation=f"apply {'Rlt_not_eq' if less else 'Rgt_not_eq'}. unfold {opened}. {decide}.",
        suspect=differ is not None,
        negation_interval=not rational,
    )


def enclosure(
    definition: str, point: Sequence[Fraction], low: Fraction, high: Fraction, unfold: Sequence[str], suspect: bool
) -> Goal:
    """low ≤ definition(point) ≤ high, by Interval: what Arb or the project's code says at a rational point.

    The definition may be applied to its first arguments already, as in `slope (ln 2)`.
    """
    applied = " ".join((definition, *map(coq_number, point)))
    opened = f"unfold {', '.join((definition.split()[0], *unfold))}."
    between = f"{coq_number(low)} <= {applied} <= {coq_number(high)}"
    decide = f"interval with (i_prec {PRECISION})"
    middle = float((low + high) / 2)
    outside = f"intros [H1 H2]. revert H1 H2. {opened} intros H1 H2. "
    return Goal(
        name=f"{definition} at a rational point",
        says=f"{definition}({', '.join(map(str, point))}) within {float(high - low) / 2:.1e} of {middle!r}",
        statement=between,
        proof=f"{opened} split; {decide}.",
        negation=f"~ ({between})",
        refutation=f"{outside}first [apply (Rle_not_lt _ _ H1); {decide} | apply (Rle_not_lt _ _ H2); {decide}].",
        suspect=suspect,
        interval=True,
        negation_interval=True,
    )


def form(name: str, statement: str, accepted: str, theorem: str, refuting: str) -> Goal:
    """A statement that one cited theorem is, or whose negation another one is."""
    wrong = statement != accepted
    return Goal(name, statement, statement, f"exact {theorem}.", f"~ ({statement})", f"exact {refuting}.", wrong)


def file_of(module: str, questions: Collection[Question]) -> str:
    """A Coq file that proves propositions about the definitions of a module."""
    interval = [INTERVAL] if any(question.interval for question in questions) else []
    lines = [REALS, f"From nrverify Require Import {module}.", *interval, "Open Scope R_scope.", NORMALISE]
    for name, question in zip(tie_names(questions), questions, strict=True):
        lines.append(f"Lemma {name} : {question.statement}.\nProof. {question.proof} Qed.")
    return "\n".join(lines) + "\n"


def tie_names(questions: Collection[Question]) -> list[str]:
    """The names of the lemmas in that file."""
    return [f"tie{i}" for i in range(len(questions))]


def _plain(expression: Expr) -> Expr:
    """With symbols by name alone: sympy's assumptions on them are not those of Coq."""
    e = sp.sympify(expression)
    return e.xreplace({symbol: sp.Symbol(symbol.name) for symbol in e.free_symbols})


def _difference(arguments: Sequence[str], expression: Expr, meaning: Expr) -> dict[str, Fraction] | None:
    for attempt in range(SAMPLES):
        point = _point(arguments, attempt)
        one, two = _value(expression, point), _value(meaning, point)
        if abs(one - two) > 1e-9 * (1 + abs(two)):
            return point
    return None


def _point(arguments: Sequence[str], attempt: int) -> dict[str, Fraction]:
    """Growing positive numbers; the definitions are about times, scales and levels."""
    return {name: Fraction(2 * k + attempt + 2, k + 2 * attempt + 3) + k for k, name in enumerate(arguments)}


def _value(expression: Expr, point: dict[str, Fraction]) -> float:
    return float(_plain(expression).xreplace(_rationals(point)).evalf(30))


def _rationals(point: dict[str, Fraction]) -> dict[Expr, Expr]:
    return {sp.Symbol(name): sp.Rational(v.numerator, v.denominator) for name, v in point.items()}
