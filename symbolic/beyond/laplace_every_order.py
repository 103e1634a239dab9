"""What the worst stopping rule is worth against the price αε²/2 of Laplace noise reduction, for every α > 1 at once.

With θ = (α − 1)/α and u = αε everything is a function of θ in (0, 1) and u: aε = θu and aαε² = θu². The rule is that of
`laplace_renyi.a_rule_above_one`: look at u₀, stop unless the noise lies beyond the neighbour, go on there until it
leaves that side or u = 8. With u₀ = θ^{2/5}/4 it is worth more than 1 + θ^{11/5}/22, and no rule more than e^{θ/2}.
"""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp
from flint import arb, ctx

from nrverify.ledger import certificate, derivation, refuted, supports
from nrverify.ledger.enclosure import PRECISION, Ball, Enclosure
from nrverify.ledger.proof import Expr, Proof
from nrverify.symbolic.beyond.laplace_renyi import EPSILON, ORDER, A
from nrverify.symbolic.tools.normal import integral_ball

THETA, U, X, COST = sp.symbols("theta u x c", positive=True)
V = 2 * THETA * U
FIRST = THETA ** sp.Rational(2, 5) / 4
"""u₀: a later first look loses more, an earlier one gains less; here both are of the order θ^{11/5}."""


def moment(theta: Expr, u: Expr) -> Expr:
    """E e^{aL} at a look: (αe^{aε} + ae^{−αε})/(α + a)."""
    return (sp.exp(theta * u) + theta * sp.exp(-u)) / (1 + theta)


def lost(theta: Expr, u: Expr) -> Expr:
    """At most so much is below 1 of the mean of a first look: θ(1 − θ)u³/6 + θ²u⁴/4."""
    return theta * (1 - theta) * u**3 / 6 + theta**2 * u**4 / 4


@derivation(
    {"X04": supports},
    rejects={
        "a look loses no more than a quarter of that": {"loss": lambda theta, u: lost(theta, u) / 4},
        "a first look at θ^{2/5}": {"first": THETA ** sp.Rational(2, 5)},
    },
    uses=("laplace_renyi.beyond_the_neighbour",),
)
def in_two_letters(
    proof: Proof,
    loss: Callable[[Expr, Expr], Expr] = lost,
    first: Expr = FIRST,
) -> None:
    """The rule is worth at least 1 + θ^{11/5}(K/2 − 1/384 − 1/1024), 3K = ∫ e^{−u−u²/2}u^{3/2} du over (1/4, 8).

    For θ < 1 the integrals are larger: e^{−θu²/2} > e^{−u²/2}, and they begin at u₀ < 1/4.
    """
    scaled = {A: THETA / (1 - THETA), EPSILON: U * (1 - THETA)}
    look = (ORDER * sp.exp(A * EPSILON) + A * sp.exp(-ORDER * EPSILON)) / (ORDER + A)
    proof.equal("E e^{aL} at a look, with θ = a/α and u = αε", sp.simplify(look.subs(scaled)), moment(THETA, U))
    drift = ORDER / (2 * A * EPSILON) * (sp.exp(2 * A * EPSILON) - 1 - 2 * A * EPSILON - 2 * A**2 * EPSILON**2)
    here = (sp.exp(V) - 1 - V - V**2 / 2) / (2 * THETA * U) / (1 - THETA)
    proof.equal("the drift beyond the neighbour, over dε = (1 − θ)du", sp.simplify(drift.subs(scaled)), here)
    _sides_of_exponentials(proof)
    parts = 1 + THETA * U + (THETA * U) ** 2 / 2 + (THETA * U) ** 3 / 6 + THETA * (1 - U + U**2 / 2 - U**3 / 6)
    below = 1 + THETA * U**2 / 2 - THETA * (1 - THETA) * U**3 / 6
    proof.equal("so E e^{aL} ≥ 1 + θu²/2 − θ(1 − θ)u³/6", sp.simplify(parts / (1 + THETA)), sp.expand(below))
    product = (1 + X - COST) * (1 - X)
    proof.equal("and with e^{−x} ≥ 1 − x, x = θu²/2", sp.expand(product), 1 - X**2 - COST + COST * X)
    named = {X: THETA * U**2 / 2, COST: THETA * (1 - THETA) * U**3 / 6}
    proof.equal("a first look loses at most c + x²", loss(THETA, U), sp.expand((COST + X**2).subs(named)))
    # Of noise beyond the neighbour a part √(u₀/u)·e^{−u} is still there; the drift is at least v³/6 over 2θu.
    term = V**3 / 6 / (2 * THETA * U) / sp.sqrt(U)
    proof.equal(
        "what is gained is at least √u₀/2·∫ e^{−u−θu²/2}·(2/3)θ²u^{3/2} du",
        term,
        2 * THETA**2 * U ** sp.Rational(3, 2) / 3,
    )
    most = (THETA * U**3 / 6 + U**4 * THETA**2 / 4).subs(U, first)
    proof.equal(
        "with u₀ = θ^{2/5}/4 the loss is at most θ^{11/5}/384 + θ^{18/5}/1024",
        sp.expand(most),
        THETA ** sp.Rational(11, 5) / 384 + THETA ** sp.Rational(18, 5) / 1024,
    )
    gained = THETA**2 * sp.sqrt(first)
    proof.equal("and what is gained, over K, θ²√u₀ = θ^{11/5}/2", sp.expand(gained), THETA ** sp.Rational(11, 5) / 2)


def _sides_of_exponentials(proof: Proof) -> None:
    """e^{−u} ≥ 1 − u + u²/2 − u³/6, and e^v ≥ its first four terms."""
    k = sp.Symbol("k", integer=True, nonnegative=True)
    rest = sp.exp(-U) - (1 - U + U**2 / 2 - U**3 / 6)
    for times in range(4):
        proof.equal(f"derivative {times} of e^(−u) − 1 + u − u²/2 + u³/6 at 0", sp.diff(rest, U, times).subs(U, 0), 0)
    proof.positive("and its fourth derivative is positive", sp.diff(rest, U, 4))
    proof.positive("the rest of the series of e^v after v³/6 has positive terms", X ** (k + 4) / sp.factorial(k + 4))


@derivation(
    {"X04": supports},
    rejects={"no rule brings it above e^{θ/4}": {"most": THETA / 4}},
)
def no_rule(proof: Proof, most: Expr = THETA / 2) -> None:
    """L ≤ ε at every look, so that no rule is worth more than e^{θ/2}: αε²/2 + 1/2α is a price for every α > 1."""
    paid = THETA * U - THETA * U**2 / 2
    proof.equal("θ/2 − a(ε − αε²/2) = θ(1 − u)²/2 ≥ 0, with equality at u = 1", most - paid, THETA * (1 - U) ** 2 / 2)


GAINED, NO_MORE, LAST = arb(1) / 22, arb(1) / 21, arb(8)
"""Of θ^{11/5}: below and above the bound on what the rule gains; and the u at which it ends: little comes later."""


@certificate(
    {"X04": refuted("at most 1, as stated")},
    rejects={
        "at most 1, as stated": {"least": arb(0), "most": arb(0)},
        "θ^{11/5}/20 is gained": {"least": arb(1) / 20},
        "a rule that goes on to u = 1 only": {"end": arb(1)},
    },
)
def gained_at_every_order(enclosure: Enclosure, least: Ball = GAINED, most: Ball = NO_MORE, end: Ball = LAST) -> None:
    """K/2 − 1/384 − 1/1024 > 1/22: for every α > 1 the rule is worth more than 1 + θ^{11/5}/22."""
    with ctx.workprec(PRECISION):
        kept = integral_ball(lambda u: (-u - u * u / 2).exp() * u * u.sqrt(), arb(1) / 4, end, 1e-12) / 3
        gained = kept / 2 - arb(1) / 384 - arb(1) / 1024
        enclosure.less("more than", least, gained)
        enclosure.less("the bound itself is no more than", gained, most)
