"""The natural (ε, δ) filter: each path within budget, the whole beyond it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy as sp

from nrverify.ledger import derivation, refuted
from nrverify.ledger.proof import Expr, Proof

R = sp.Rational
Law = dict[str, tuple[Any, Any]]
"""For each output its probability under the value and under the neighbour."""

ODDS = 4
"""e^ε of the budget."""
FIRST: Law = {"high": (R(3, 4), R(1, 4)), "low": (R(1, 4), R(3, 4))}
"""Randomised response with odds 3."""
RESPONSE: Law = {"yes": (R(2, 3), R(1, 3)), "no": (R(1, 3), R(2, 3))}
"""Randomised response with odds 2."""
REVEAL: Law = {"value": (R(1, 6), R(0)), "neighbour": (R(0), R(1, 6)), "nothing": (R(5, 6), R(5, 6))}
"""Tells which it is with probability 1/6."""
WHOLE = R(5, 24)
"""δ of the adaptive whole."""
SILENCE: Law = {"nothing": (R(1), R(1))}


def delta(second: Callable[[str], Law], reverse: bool = False) -> Expr:
    """Σ(p − 4q)⁺ over both outputs, the second mechanism chosen by the first output."""
    found = sp.Integer(0)
    for output, (p, q) in FIRST.items():
        for p2, q2 in second(output).values():
            own, other = (q * q2, p * p2) if reverse else (p * p2, q * q2)
            found += sp.Max(own - ODDS * other, 0)
    return found


def always(law: Law) -> Callable[[str], Law]:
    """The same second mechanism, whatever the first output."""
    return lambda _: law


def by_output(output: str) -> Law:
    """The response where the first odds were high, the revelation where they were low."""
    return RESPONSE if output == "high" else REVEAL


@derivation(
    {"X14": refuted("the whole keeps the budget")},
    rejects={
        "the whole keeps the budget": {"whole": R(1, 6)},
        "the choice does not depend on the output": {"chosen": lambda output: RESPONSE},
        "a revelation in every case": {"chosen": lambda output: REVEAL},
    },
)
def chosen_by_the_output(proof: Proof, whole: Expr = WHOLE, chosen: Callable[[str], Law] = by_output) -> None:
    """Each path's mechanisms, fixed in advance, are (log 4, 1/6)-DP in both directions; chosen by output, δ = 5/24."""
    for name, second in (("response", RESPONSE), ("revelation", REVEAL)):
        for reverse in (False, True):
            direction = "from the neighbour" if reverse else "from the value"
            fixed = delta(always(second), reverse)
            proof.equal(f"First then {name}, fixed in advance, {direction}: δ at log 4", fixed, R(1, 6))
    proof.equal("First alone", delta(lambda _: SILENCE), 0)
    proof.equal("Chosen by the first output: δ at log 4", delta(chosen), whole)
    proof.positive("which is more than the budget", whole - R(1, 6))
