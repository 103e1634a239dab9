"""Laplace noise reduction has no ex-post Rényi bound αε²/2: the rule that breaks it, and the exponent that holds.

Noise is taken away as ε = Δ/t grows. Units: Δ = 1, the neighbour at −1, so that L = (|x + 1| − |x|)ε: ε where the noise
x > 0 (side +), −ε where x < −1 (side −), (1 − 2m)ε at x = −m between. With a = α − 1 and a price r(ε), the drift of
exp(a(L − r)) over dε, divided by itself, is a·(R(m) − r'), m clipped to [0, 1].
"""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp
from flint import arb, ctx

from nrverify.ledger import certificate, derivation, refuted, supports
from nrverify.ledger.assumptions import CONVERGENCE, OPTIONAL_STOPPING
from nrverify.ledger.enclosure import PRECISION, Ball, Enclosure
from nrverify.ledger.proof import Expr, Proof
from nrverify.symbolic.tools.normal import integral_ball

A, EPSILON = sp.symbols("a epsilon", positive=True)
ORDER = 1 + A
PLACE, REST = sp.symbols("m n", positive=True)
"""m and n = 1 − m."""


LEAVING = 1 + 1 / (2 * EPSILON)
"""The rate, over dε, at which noise beyond the neighbour leaves that side."""


def needed(m: Expr, n: Expr, a: Expr, epsilon: Expr) -> Expr:
    """R(m): what the price must grow by, for exp(a(L − r)) to have no upward drift at x = −m."""
    order = 1 + a
    up = order / a**2 * (sp.exp(2 * a * m * epsilon) - 1) / (2 * epsilon)
    down = (1 - sp.exp(-2 * order * n * epsilon)) / (2 * order * epsilon)
    return n - m - m / a + up - down


def steps_up(a: Expr, epsilon: Expr, m: Expr) -> Expr:
    """Jumps from −m to y in (−m, 0), of density 1, and to y > 0, of density e^{−2yε}: the relative gain of e^{aL}."""
    y = sp.Symbol("y", positive=True)
    between = sp.integrate(sp.exp(2 * a * y * epsilon) - 1, (y, 0, m))
    beyond = (sp.exp(2 * a * m * epsilon) - 1) * sp.integrate(sp.exp(-2 * y * epsilon), (y, 0, sp.oo))
    return between + beyond


def steps_down(a: Expr, epsilon: Expr, n: Expr) -> Expr:
    """Jumps by w < n down, of density e^{−2wε}, and further, where L is −ε: what e^{aL} gains, over e^{aL}."""
    w = sp.Symbol("w", positive=True)
    between = sp.integrate(sp.exp(-2 * w * epsilon) * (sp.exp(-2 * a * w * epsilon) - 1), (w, 0, n))
    beyond = (sp.exp(-2 * a * n * epsilon) - 1) * sp.exp(-2 * n * epsilon) / (2 * epsilon)
    return between + beyond


def quadratic(a: Expr, epsilon: Expr) -> Expr:
    """The derivative of αε²/2."""
    return (1 + a) * epsilon


def exponential(a: Expr, epsilon: Expr) -> Expr:
    """r'(ε) = (α/a)·((e^{2aε} − 1)/(2aε) − 1)."""
    return (1 + a) / a * ((sp.exp(2 * a * epsilon) - 1) / (2 * a * epsilon) - 1)


@derivation(
    {"X04": supports},
    rejects={
        "αε²/2, which leaves an upward drift": {"price": quadratic},
        "the exponent with e^{aε}": {
            "price": lambda a, epsilon: (1 + a) / a * ((sp.exp(a * epsilon) - 1) / (a * epsilon) - 1)
        },
    },
    uses=("laplace_bridge.reverse_kernel",),
    assumes=(OPTIONAL_STOPPING, CONVERGENCE),
)
def price_of_every_rule(proof: Proof, price: Callable[[Expr, Expr], Expr] = exponential) -> None:
    """E exp((α−1)(L_T − r(ε_T))) ≤ 1 at every stopping rule, r' = (α/a)((e^{2aε} − 1)/(2aε) − 1).

    By the reverse kernel noise at z jumps to y, over dε, with density exp((−|y| − |z − y| + |z|)ε).
    """
    _density_of_jumps(proof)
    rises = steps_up(A, EPSILON, PLACE)
    falls = steps_down(A, EPSILON, REST)
    moves = A * (REST - PLACE) + rises + falls
    proof.equal(
        "(1/a)·drift at x = −m without the price is R(m)", moves / A, needed(PLACE, REST, A, EPSILON), sp.simplify
    )
    curved = sp.diff(needed(PLACE, 1 - PLACE, A, EPSILON), PLACE, 2)
    proof.positive("R is convex in m, so it is largest at a side: m = 0 or m = 1", sp.expand(curved))
    one, none = sp.Integer(1), sp.Integer(0)
    lower = needed(one, none, A, EPSILON)
    proof.equal("side −: R(1) = (α/a)((e^{2aε} − 1)/(2aε) − 1)", lower, exponential(A, EPSILON))
    u = sp.Symbol("u", positive=True)
    upper = needed(none, one, A, u / ORDER)
    gap = u**2 - u + (1 - sp.exp(-2 * u)) / 2
    proof.equal("side +: u(u − R(0)) = u² − u + (1 − e^{−2u})/2 with u = αε", u * (u - upper), gap)
    proof.equal("which vanishes at 0", gap.subs(u, 0), 0)
    proof.equal("with slope 0 there", sp.diff(gap, u).subs(u, 0), 0)
    proof.equal(
        "and the second derivative 2(1 − e^{−2u}) > 0: so R(0) < αε", sp.diff(gap, u, 2), 2 - 2 * sp.exp(-2 * u)
    )
    _more_than_quadratic(proof)
    proof.equal("the price grows by R(1): no drift at side −, downward drift elsewhere", price(A, EPSILON), lower)


def _density_of_jumps(proof: Proof) -> None:
    """From t = 1/ε to s = 1/(ε + h): the reverse kernel off the atom, over h, as h → 0."""
    h, here, there, apart = sp.symbols("h E_z E_y E_d", positive=True)
    jump = sp.limit((1 - EPSILON**2 / (EPSILON + h) ** 2) / h, h, 0)
    proof.equal("noise jumps between s and t with probability 1 − (s/t)²; over h it tends to 2/ε", jump, 2 / EPSILON)
    proof.equal(
        "p(y)·lap(z − y)/p(z) at this rate is E_y·E_d/E_z, with letters E for e^{−|y|ε}, e^{−|z−y|ε}, e^{−|z|ε}",
        jump * (EPSILON / 2 * there) * (EPSILON / 2 * apart) / (EPSILON / 2 * here),
        there * apart / here,
    )


def _more_than_quadratic(proof: Proof) -> None:
    """R(1) − αε as a power series with positive coefficients."""
    v, k = sp.Symbol("v", positive=True), sp.Symbol("k", integer=True, nonnegative=True)
    proof.note("Series", "with v = 2aε: (e^v − 1)/v − 1 − v/2 = Σ_{k≥0} v^{k+2}/(k + 3)!")
    proof.positive(
        "R(1) > αε ≥ R(0): every term of the series of R(1) − αε is positive", v ** (k + 2) / sp.factorial(k + 3)
    )


def one_look(a: Ball, epsilon: Ball) -> Ball:
    """E exp(a(L − αε²/2)) at a fixed look: (αe^{aε} + ae^{−αε})/(α + a) times the price."""
    order = 1 + a
    moment = (order * (a * epsilon).exp() + a * (-order * epsilon).exp()) / (order + a)
    return moment * (-a * order * epsilon * epsilon / 2).exp()


def gain(a: Ball, start: Ball, end: Ball) -> Ball:
    """What going on from `start` to `end` adds while x < −1 and has not left that side.

    x < −1 at the start with probability e^{−ε₀}/2, and stays there up to ε with probability e^{−(ε−ε₀)}√(ε₀/ε): it
    leaves at the rate 1 + 1/2ε wherever it is. The drift there is (α/2aε)(e^v − 1 − v − v²/2), v = 2aε.
    """
    order = 1 + a

    def integrand(e):  # type: ignore[no-untyped-def]
        v = 2 * a * e
        rest = (v.exp() - 1 - v - v * v / 2) * order / (2 * a)
        return (-e - a * e - a * order * e * e / 2).exp() * rest / (e * e.sqrt())

    return start.sqrt() / 2 * integral_ball(integrand, start, end, 1e-12)


CASES = (("1.5", "0.3", "4"), ("2", "0.2", "4"), ("4", "0.08", "2"), ("16", "0.01", "0.5"))
"""(α, first ε, last ε), near the best first look."""


@derivation(
    {"X04": supports},
    rejects={
        "it leaves at the rate 1/2ε": {"rate": 1 / (2 * EPSILON)},
        "it leaves at the rate 1 + 1/ε": {"rate": 1 + 1 / EPSILON},
    },
    uses=("laplace_renyi.price_of_every_rule",),
)
def beyond_the_neighbour(proof: Proof, rate: Expr = LEAVING) -> None:
    """The pieces of the rule's mean: how likely x < −1 is, how long it stays there, how e^{aL} drifts meanwhile."""
    y = sp.Symbol("y", positive=True)
    left = sp.integrate(sp.exp(-2 * y * EPSILON), (y, 0, sp.oo))
    proof.equal(
        "from x < −1 it leaves to (−1, 0) at the rate 1, to y > 0 at the rate 1/2ε: wherever it is", 1 + left, rate
    )
    stays = sp.exp(-EPSILON) / sp.sqrt(EPSILON)
    proof.equal("so it stays with probability ∝ e^{−ε}/√ε", -sp.diff(sp.log(stays), EPSILON), rate)
    mass = sp.integrate(EPSILON / 2 * sp.exp(-y * EPSILON), (y, 1, sp.oo))
    proof.equal("x < −1 has probability e^{−ε}/2 at a look", mass, sp.exp(-EPSILON) / 2)
    v = 2 * A * EPSILON
    drift = A * (needed(sp.Integer(1), sp.Integer(0), A, EPSILON) - quadratic(A, EPSILON))
    lead = ORDER / (2 * A * EPSILON) * (sp.exp(v) - 1 - v - v**2 / 2)
    proof.equal("the drift there, with the price αε²/2, is (α/2aε)(e^v − 1 − v − v²/2)", drift, lead)
    loss = sp.integrate(sp.exp(-y * EPSILON) * EPSILON / 2, (y, 0, sp.oo)) * sp.exp(A * EPSILON)
    middle = sp.integrate(sp.exp(-y * EPSILON) * EPSILON / 2 * sp.exp(A * (1 - 2 * y) * EPSILON), (y, 0, 1))
    moment = loss + middle + mass * sp.exp(-A * EPSILON)
    closed = (ORDER * sp.exp(A * EPSILON) + A * sp.exp(-ORDER * EPSILON)) / (ORDER + A)
    proof.equal("E e^{aL} at a look is (αe^{aε} + ae^{−αε})/(α + a)", moment, closed)


@certificate(
    {"X04": refuted("at most 1, as stated")},
    rejects={
        "at most 1, as stated": {"bound": lambda a: arb(1)},
        "at most 1 + a/1000": {"bound": lambda a: 1 + a / 1000},
    },
)
def a_rule_above_one(enclosure: Enclosure, bound: Callable[[Ball], Ball] = lambda a: (a / (2 * (1 + a))).exp()) -> None:
    """Look at ε₀; stop unless the noise is on the far side; go on there until it leaves or ε₁: the mean is above 1.

    No rule brings it above e^{(α−1)/2α}, since L ≤ ε and ε − αε²/2 ≤ 1/2α.
    """
    with ctx.workprec(PRECISION):
        for order, start, end in CASES:
            a = arb(order) - 1
            found = one_look(a, arb(start)) + gain(a, arb(start), arb(end))
            enclosure.less(f"α = {order}, from ε = {start} to {end}: the mean is below the bound", found, bound(a))


@derivation(
    {"X04": supports},
    rejects={
        "a first look as late as the last": {"spread": sp.Integer(1)},
        "w = 1/a": {"spread": 1 / A},
    },
    uses=("laplace_renyi.price_of_every_rule",),
    assumes=(CONVERGENCE,),
)
def every_order(proof: Proof, spread: Expr = (1 + 5 / (4 * A)) * 2) -> None:
    """For every α > 1 the same rule, from ε₀ = η/w to ε₁ = η, exceeds 1 for small η: (4a/5)(w^{5/2} − 1) > 1.

    With w = 2 + 5/2a: w^{5/2} > w.
    """
    e = sp.Symbol("e", positive=True)
    moment = (ORDER * sp.exp(A * e) + A * sp.exp(-ORDER * e)) / (ORDER + A) * sp.exp(-A * ORDER * e**2 / 2)
    loss = sp.series(moment, e, 0, 4).removeO() - 1
    proof.equal("A fixed look at ε has mean 1 − aαε³/6 + …", sp.factor(loss), -A * ORDER * e**3 / 6)
    v = 2 * A * e
    drift = ORDER / (2 * A * e) * (sp.exp(v) - 1 - v - v**2 / 2)
    lead = sp.series(drift, e, 0, 3).removeO()
    proof.equal("the drift at side − is (2/3)αa²ε² + …", sp.factor(lead), sp.Rational(2, 3) * ORDER * A**2 * e**2)
    start, end = sp.symbols("epsilon_0 epsilon_1", positive=True)
    gained = sp.integrate(sp.sqrt(start / e) / 2 * sp.Rational(2, 3) * ORDER * A**2 * e**2, (e, start, end))
    proof.equal(
        "what is gained is (2/15)αa²·√ε₀·(ε₁^{5/2} − ε₀^{5/2})",
        sp.expand(gained),
        sp.expand(
            sp.Rational(2, 15) * ORDER * A**2 * sp.sqrt(start) * (end ** sp.Rational(5, 2) - start ** sp.Rational(5, 2))
        ),
    )
    w = sp.Symbol("w", positive=True)
    ratio = sp.expand(gained.subs(end, w * start) / (A * ORDER * start**3 / 6))
    proof.equal(
        "over what the first look lost: (4a/5)(w^{5/2} − 1)",
        ratio,
        sp.expand(sp.Rational(4, 5) * A * (w ** sp.Rational(5, 2) - 1)),
    )
    proof.positive("w > 1", spread - 1)
    proof.positive(
        "and with w in place of w^{5/2} it still exceeds 1", sp.expand(sp.Rational(4, 5) * A * (spread - 1)) - 1
    )
