"""The worst stopping rule against the price αε²/2 of Laplace noise reduction: its equation, and what it is worth."""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp
from flint import arb

from nrverify.ledger import certificate, derivation, refuted, supports
from nrverify.ledger.assumptions import CONVERGENCE, OPTIONAL_STOPPING
from nrverify.ledger.enclosure import Ball, Enclosure
from nrverify.ledger.proof import Expr, Proof
from nrverify.symbolic.beyond.laplace_renyi import EPSILON, ORDER, A, needed
from nrverify.symbolic.beyond.worst_rule import worst_rule

B_PLACE, M = sp.symbols("b m", positive=True)
"""The place b from which on a rule goes on, and a place m < b where it stops; times e^B everywhere."""


def paid(m: Expr) -> Expr:
    """G/e^B = e^{−2aεm}: what stopping at x = −m pays."""
    return sp.exp(-2 * A * EPSILON * m)


def clock(b: Expr) -> Expr:
    """The rate of jumps from any place beyond b to a place up to b: density 1 on (0, b), mass 1/2ε at 0."""
    return b + 1 / (2 * EPSILON)


def equation(y: Expr) -> Expr:
    """(α(e^y − 1) − y)/2aε, y = 2aεb."""
    return (ORDER * (sp.exp(y) - 1) - y) / (2 * A * EPSILON)


@derivation(
    {"X04": supports},
    rejects={
        "noise leaves at the rate 1/2ε, whatever b": {"leaves": lambda b: 1 / (2 * EPSILON)},
        "an equation without the part − y": {"rate": lambda y: ORDER * (sp.exp(y) - 1) / (2 * A * EPSILON)},
    },
    uses=("laplace_renyi.price_of_every_rule",),
    assumes=(OPTIONAL_STOPPING, CONVERGENCE),
)
def one_equation(proof: Proof, leaves: Callable[[Expr], Expr] = clock, rate: Callable[[Expr], Expr] = equation) -> None:
    """Going on while m > b is worth the same, v, wherever beyond b the noise is: log v falls by (α(e^y − 1) − y)/2aε.

    Jumps to places up to b come at a rate, and with a law, that do not depend on where beyond b they start. A rule may
    stop where it pays more than going on, so b is where e^{B − 2aεb} = v. This is the best rule that waits for a jump.
    """
    y = sp.Symbol("y", positive=True)
    to_zero = sp.integrate(sp.exp(-2 * y * EPSILON), (y, 0, sp.oo))
    proof.equal(
        "Jumps from beyond b: density 1 on the places between 0 and b, 1/2ε to 0", B_PLACE + to_zero, leaves(B_PLACE)
    )
    worth = paid(B_PLACE)
    gain = paid(sp.Integer(0)) / (2 * EPSILON) + sp.integrate(paid(M), (M, 0, B_PLACE)) - clock(B_PLACE) * worth
    share = sp.simplify((gain / worth).subs(B_PLACE, y / (2 * A * EPSILON)))
    proof.equal("−(log v)' = (α(e^y − 1) − y)/2aε with y = 2aεb", share, rate(y))
    above = sp.integrate(EPSILON / 2 * sp.exp(-M * EPSILON), (M, B_PLACE, sp.oo))
    stopped = sp.Rational(1, 2) + sp.integrate(EPSILON / 2 * sp.exp(-M * EPSILON) * paid(M), (M, 0, B_PLACE))
    look = (ORDER + A * sp.exp(-(2 * ORDER - 1) * EPSILON * B_PLACE)) / (2 * ORDER - 1)
    proof.equal("A first look at ε is worth e^B(α + a·e^{−(2α−1)εb})/(2α − 1)", stopped + above * worth, look)


def drift(m: Expr, b: Expr) -> Expr:
    """2αε·D/(a·e^B), D the drift of max(G, v) at m < b."""
    x, y = 2 * A * EPSILON * m, 2 * A * EPSILON * b
    level = 2 * ORDER * EPSILON * (1 - ORDER * EPSILON) - 1 - ORDER * x * (2 + 1 / A) / A
    return sp.exp(-x) * level + (ORDER / A) ** 2 * (1 - sp.exp(-x)) + sp.exp((x - ORDER * y) / A)


@derivation(
    {"X04": supports},
    rejects={
        "without the jumps beyond b": {"found": lambda m, b: drift(m, b) - sp.exp(2 * EPSILON * (m - ORDER * b))},
        "the price αε²": {"price": lambda epsilon: 2 * ORDER * epsilon},
    },
    uses=("laplace_worst_rule.one_equation",),
    assumes=(OPTIONAL_STOPPING,),
)
def what_is_missed(
    proof: Proof,
    found: Callable[[Expr, Expr], Expr] = drift,
    price: Callable[[Expr], Expr] = lambda epsilon: ORDER * epsilon,
) -> None:
    """max(G, v) has no drift beyond b, and the drift D at m < b: no rule exceeds J by more than ∫ E D⁺.

    Where D ≥ 0 at every m < b waiting costs nothing; where D ≤ 0 the rule above is the best.
    """
    x = sp.Symbol("x", positive=True)
    worth = paid(B_PLACE)
    density = sp.exp(-2 * (x - M) * EPSILON)
    between = sp.integrate(sp.expand(density * (worth - paid(x))), (x, B_PLACE, 1))
    side = (worth - paid(1)) * density.subs(x, 1) / (2 * EPSILON)
    own = A * paid(M) * (needed(M, 1 - M, A, EPSILON) - price(EPSILON))
    total = 2 * ORDER * EPSILON / A * (own + between + side)
    proof.equal("2αε·D/(a·e^B)", sp.expand(total), sp.expand(found(M, B_PLACE)))


ENCLOSED = {
    "1.5": ("1.0189", "1.0192"),
    "2": ("1.0403", "1.0407"),
    "4": ("1.0843", "1.0846"),
    "16": ("1.1255", "1.1257"),
}
"""For each α what the worst rule is worth, from below and from above."""
ALL_OR_NOTHING = {"1.5": "1.0160", "2": "1.0348", "4": "1.0774", "16": "1.1226"}
"""What stopping unless m = 1 is worth at most, at the best first look: less than the worst rule."""


@certificate(
    {"X04": refuted("at most 1, as stated")},
    rejects={
        "at most 1, as stated": {"most": lambda order: arb(1)},
        "the worst rule stops unless the noise is beyond the neighbour": {
            "most": lambda order: arb(ALL_OR_NOTHING[order])
        },
        "some rule gains a thousandth more": {"least": lambda order: arb(ENCLOSED[order][1]) + arb("0.001")},
    },
)
def the_worst_rule(
    enclosure: Enclosure,
    least: Callable[[str], Ball] = lambda order: arb(ENCLOSED[order][0]),
    most: Callable[[str], Ball] = lambda order: arb(ENCLOSED[order][1]),
) -> None:
    """sup E exp((α−1)(L_T − αε_T²/2)) over all stopping rules: 1.0189 to 1.0192, 1.0403 to 1.0407, 1.0843 to 1.0846 and
    1.1255 to 1.1257 at α = 1.5, 2, 4, 16. So αε²/2 + log(sup)/(α−1) is a price at every stopping rule, and the least
    that adds a constant.
    """
    for order in ENCLOSED:
        found = worst_rule(float(order))
        name = f"α = {order}, first look at ε = {found.first:.4f}, going on beyond m = {found.place:.3f}"
        enclosure.less(f"{name}: more than", least(order), found.least)
        enclosure.less(f"α = {order}, no rule: less than", found.most, most(order))
