"""What a piece of evidence of kind `kernel` works with: its theorems, and their ties to formulas and numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from nrverify.ledger.coq import goals
from nrverify.ledger.coq.goals import Question
from nrverify.ledger.coq.term import Expr
from nrverify.ledger.coq.workshop import Workshop
from nrverify.ledger.enclosure import Ball
from nrverify.ledger.evidence import Core, Evidence, Refuted, Undecided
from nrverify.ledger.record import Record

NUMERIC = Fraction(1, 10**12)
"""How far the project's code may be from a Coq definition, relative to it or absolutely where it is below 1: the stated
accuracy of the closed forms in `laws`."""


class Kernel:
    """Theorems that Coq accepts, and what ties them to the project; what Coq cannot decide raises `Undecided`.

    Ties are collected, and proved together by `settle` in one run of coqc. A form that is wrong is refuted by a proof
    of the negation; that something could not be proved refutes nothing.
    """

    def __init__(self, record: Record, core: Core, workshop: Workshop) -> None:
        self.record, self.core, self.workshop = record, core, workshop
        self.goals: list[goals.Goal] = []

    def theorems(self) -> None:
        """The cited theorems pass the gates: no assumption, axioms within the list, statements as they are pinned."""
        printed = self.workshop.pass_gates(self.core)
        said = printed.split("\n\n")[1:]
        for name, statement in zip(self.core.theorems, said, strict=False):
            self.record.note(name, " ".join(statement.split()).partition(" : ")[2], by="kernel")

    def equal(
        self,
        definition: str,
        arguments: str,
        expression: Expr,
        accepted: Expr,
        names: Mapping[Expr, Expr],
        premises: Sequence[str] = (),
        unfold: Sequence[str] = (),
        proof: str = "",
    ) -> None:
        """The Coq definition is the project's sympy expression, for all arguments under the premises.

        `names` renames sympy's symbols to the arguments. `accepted` is the expression of the accepted form: where the
        two differ, the point at which they do is where Coq is asked for the negation.
        """
        renamed, meaning = (_renamed(e, names) for e in (expression, accepted))
        listed = arguments.split()
        self.goals.append(goals.equality(definition, listed, renamed, premises, unfold, meaning, proof))

    def agrees(
        self,
        definition: str,
        point: Sequence[float],
        value: float,
        unfold: Sequence[str] = (),
        accepted: float | None = None,
    ) -> None:
        """The number that the project's code computes at a point (all of them doubles, so rational) is that of Coq.

        `accepted` is the number of the accepted form, where a wrong variant may give another.
        """
        number = Fraction(value)
        room = NUMERIC * max(abs(number), Fraction(1))
        suspect = accepted is not None and abs(Fraction(accepted) - number) > room
        self._between(definition, point, (number - room, number + room), unfold, suspect)

    def encloses(
        self,
        definition: str,
        point: Sequence[float],
        ball: Ball,
        unfold: Sequence[str] = (),
        accepted: Ball | None = None,
    ) -> None:
        """The ball that Arb computes at a point holds the value of Coq."""
        ends = _exact(ball.lower()), _exact(ball.upper())
        suspect = accepted is not None and not ball.overlaps(accepted)
        self._between(definition, point, ends, unfold, suspect)

    def states(self, name: str, statement: str, accepted: str, theorem: str, refuting: str) -> None:
        """A statement, to the letter, is a cited theorem; a wrong form of it has its negation as another."""
        self.goals.append(goals.form(name, statement, accepted, theorem, refuting))

    def settle(self) -> None:
        """Has Coq prove the ties; raises `Refuted` where it proves the negation of one."""
        if not self.goals:
            raise Undecided(f"{self.core.file} is tied to nothing: tie a definition of it to a formula or a number")
        for goal in (goal for goal in self.goals if goal.suspect):
            self._refute(goal, "and numbers say that it is false")
        if not self._proves([goal.question for goal in self.goals]):
            for goal in self.goals:
                if not self._proves([goal.question]):
                    self._refute(goal, "and its negation neither")
        for goal in self.goals:
            self.record.note(goal.name, goal.says, by="kernel")

    def _between(
        self,
        definition: str,
        point: Sequence[float],
        ends: tuple[Fraction, Fraction],
        unfold: Sequence[str],
        suspect: bool,
    ) -> None:
        self.goals.append(goals.enclosure(definition, [Fraction(x) for x in point], *ends, unfold, suspect))

    def _refute(self, goal: goals.Goal, otherwise: str) -> None:
        if self._proves([goal.negated]):
            raise Refuted(f"Coq proves {goal.negation}: not {goal.says}")
        raise Undecided(f"Coq cannot prove that {goal.says}, {otherwise}")

    def _proves(self, questions: Sequence[Question]) -> bool:
        return self.workshop.proves(self.core, questions)


class Foresight(Kernel):
    """Collects the proofs that a form will need, and asks Coq nothing."""

    def theorems(self) -> None:
        """Passes no gate: that is left to the run itself."""

    def settle(self) -> None:
        """Keeps the goals that were collected."""

    @property
    def questions(self) -> list[Question]:
        """What `Kernel.settle` asks first: the negation of a goal that numbers contradict, else all goals."""
        suspects = [goal.negated for goal in self.goals if goal.suspect]
        return suspects[:1] or [goal.question for goal in self.goals]


def announce(evidence: Evidence, workshop: Workshop) -> None:
    """Tells the workshop which proofs the forms of a piece of evidence need; a form that raises is left to its run."""
    if (core := evidence.core) is None:
        return
    for form in ({}, *evidence.rejects.values()):
        foresight = Foresight(Record(written=False), core, workshop)
        try:
            evidence.function(foresight, **form)
        except Exception:
            continue
        workshop.expect(core, foresight.questions)


def _renamed(expression: Expr, names: Mapping[Expr, Expr]) -> Expr:
    return expression.xreplace(dict(names))


def _exact(end: Ball) -> Fraction:
    mantissa, exponent = end.man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
