"""Ex-post Rényi privacy of the Brownian mechanism at every stopping rule, and the composition by least noisy looks."""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp
from flint import arb, ctx

from nrverify.ledger import certificate, derivation, holds
from nrverify.ledger.assumptions import BROWNIAN, DENSITIES, INVERSION, OPTIONAL_STOPPING
from nrverify.ledger.enclosure import Ball, Enclosure
from nrverify.ledger.proof import Expr, Proof
from nrverify.symbolic.tools.normal import cdf_ball, normal_density

PRECISION = 200
"""Bits of a ball: 50 more than those that are compared."""
CLOSE = arb(2) ** -150
"""Two numbers computed at 200 bits that are equal differ by less; a wrong variant differs in the first digits."""

EXCESS, SENSITIVITY, CLOCK, STEP = sp.symbols("a Delta s h", positive=True)
"""α = 1 + a; the clock is s = 1/t, which runs from 0 as noise is taken away."""
ORDER = 1 + EXCESS
MOTION = sp.Symbol("W", real=True)


def loss(shift: Expr, clock: Expr, motion: Expr) -> Expr:
    """Δ²/2t + (Δ/t)·B_t at t = 1/s, where B_t = W_s/s."""
    return shift**2 * clock / 2 + shift * motion


def cost(shift: Expr, clock: Expr) -> Expr:
    """ρ(t) = Δ²/2t."""
    return shift**2 * clock / 2


@derivation(
    {"X01": holds},
    rejects={
        "ρ in place of αρ": {"price": lambda rho: rho},
        "a mean of Δ²/t": {"mean": lambda shift, clock, motion: shift**2 * clock + shift * motion},
        "α²ρ": {"price": lambda rho: ORDER**2 * rho},
    },
    uses=("privacy_loss.loss_of_a_release", "martingales.mixtures_of_exponential_martingales"),
    assumes=(BROWNIAN, INVERSION, OPTIONAL_STOPPING),
)
def exponential_of_the_loss(
    proof: Proof,
    price: Callable[[Expr], Expr] = lambda rho: ORDER * rho,
    mean: Callable[..., Expr] = loss,
) -> None:
    """E exp((α−1)(L_T − αρ(T))) = 1 for every α > 1 and every stopping rule with T ≥ t_min > 0, at distance Δ."""
    later = CLOCK + STEP
    proof.equal(
        "W_s = s·B(1/s) has the covariance of a Brownian motion: E W_s W_u = s for s ≤ u", CLOCK * later / later, CLOCK
    )
    proof.equal("(Δ/t)·B_t at t = 1/s is Δ·W_s", SENSITIVITY * CLOCK * (MOTION / CLOCK), SENSITIVITY * MOTION)
    rate = EXCESS * SENSITIVITY
    exponent = EXCESS * (mean(SENSITIVITY, CLOCK, MOTION) - price(cost(SENSITIVITY, CLOCK)))
    proof.equal(
        "(α−1)(L − αρ) = λW_s − λ²s/2 with λ = (α−1)Δ", sp.expand(exponent), rate * MOTION - rate**2 * CLOCK / 2
    )
    moved = sp.Symbol("x", real=True)
    square = -((moved - rate * STEP) ** 2) / (2 * STEP)
    proof.equal(
        "over a step h: λx − λ²h/2 − x²/2h = −(x − λh)²/2h",
        rate * moved - rate**2 * STEP / 2 - moved**2 / (2 * STEP),
        square,
    )
    mass = sp.integrate(normal_density(moved, STEP), (moved, -sp.oo, sp.oo))
    proof.equal("so the step has mean 1 given the past: a martingale", mass, 1)
    proof.note(
        "Stopping",
        "a rule that looks at falling t is a stopping time of W in s = 1/t ≤ 1/t_min; at a bounded time the mean of a "
        "martingale stays 1",
    )
    nearer, slack = sp.symbols("d k", positive=True)
    saved = price(cost(nearer + slack, CLOCK)) - price(cost(nearer, CLOCK))
    proof.positive("Neighbours at distance d < Δ = d + k: charged more than their due, so the mean is below 1", saved)


def value_of_rule(order: Ball, looks: tuple[Ball, Ball], level: Ball, price: Callable[[Ball, Ball], Ball]) -> Ball:
    """E exp((α−1)(L_T − price)) with Δ = 1: stop at the first look if W > level there, else at the second.

    By truncated normal moments: E[e^{aW_u}; W_s ≤ c] = e^{a²u/2}·Φ((c − as)/√s) for s ≤ u.
    """
    a = order - 1
    below = cdf_ball((level - a * looks[0]) / looks[0].sqrt())
    found = arb(0)
    for clock, share in ((looks[0], 1 - below), (looks[1], below)):
        rho = clock / 2
        found += (a * (rho - price(order, rho)) + a * a * clock / 2).exp() * share
    return found


@certificate(
    {"X01": holds},
    rejects={
        "ρ in place of αρ": {"price": lambda order, rho: rho},
        "(α+1)ρ": {"price": lambda order, rho: (order + 1) * rho},
    },
)
def rules_of_two_looks(
    enclosure: Enclosure, price: Callable[[Ball, Ball], Ball] = lambda order, rho: order * rho
) -> None:
    """Three rules that stop at one look or go on to another: the mean is 1 to 150 bits, by truncated normal moments."""
    with ctx.workprec(PRECISION):
        for order in (arb(3) / 2, arb(2), arb(10)):
            for level in (arb(-1), arb(0), arb(3) / 10):
                mean = value_of_rule(order, (arb(1) / 4, arb(1)), level, price)
                enclosure.less(
                    f"α = {order.str(3, radius=False)}, level {level.str(3, radius=False)}: |mean − 1|",
                    abs(mean - 1),
                    CLOSE,
                )


@derivation(
    {"X02": holds},
    rejects={
        "checked after the release": {"unspent": -STEP},
        "half of what a refinement adds": {"charge": lambda added: added / 2},
        "the square of what a refinement adds": {"charge": lambda added: added**2},
    },
    uses=("renyi.exponential_of_the_loss",),
    assumes=(DENSITIES, OPTIONAL_STOPPING),
)
def interleaved_sessions(
    proof: Proof, unspent: Expr = STEP, charge: Callable[[Expr], Expr] = lambda added: added
) -> None:
    """If Σρ_i(T_i) ≤ ρ before every release, counting it, then E e^{(α−1)L} ≤ e^{(α−1)αρ}: the whole is ρ-zCDP.

    Sessions are refined in any order; which comes next, and at which time, may depend on everything released.
    """
    proof.note("Charge", "session i is charged ρ_i(T_i) of its least noisy look; R = Σρ_i(T_i) grows by r at a release")
    step = sp.Symbol("u", positive=True)
    added = cost(SENSITIVITY, CLOCK + step) - cost(SENSITIVITY, CLOCK)
    motion = sp.Symbol("x", real=True)
    move = loss(SENSITIVITY, CLOCK + step, MOTION + motion) - loss(SENSITIVITY, CLOCK, MOTION)
    proof.equal("given everything released the loss moves by r + Δx, x ~ N(0, u)", move, added + SENSITIVITY * motion)
    moment = EXCESS * added + EXCESS**2 * SENSITIVITY**2 * step / 2
    proof.equal(
        "log E exp((α−1)(r + Δx)) = (α−1)r + (α−1)²Δ²u/2 = (α−1)αr", moment, EXCESS * ORDER * charge(sp.expand(added))
    )
    proof.note("Martingale", "M = exp((α−1)(L − αR)) keeps the mean 1, whichever session is refined next")
    proof.positive("On every path the budget ρ = R + what is unspent", unspent)
    proof.positive("so M = e^{(α−1)(L − αρ)}·e^{(α−1)α(ρ − R)}: the first factor is smaller", EXCESS * ORDER * unspent)


def charged_before(budget: Ball, clocks: tuple[Ball, ...]) -> tuple[Ball, Ball]:
    """The last clock of a session that asks first: whatever the first look showed, no further than the budget."""
    last = clocks[0]
    for clock in clocks[1:]:
        last = clock if clock <= budget else last
    return last, clocks[0]


def charged_after(budget: Ball, clocks: tuple[Ball, ...]) -> tuple[Ball, Ball]:
    """The last clock of a session that looks at its account after a release: one look too many where W > 0."""
    last = clocks[0]
    for clock in clocks[1:]:
        last = clock if last < budget else last
    return last, clocks[0]


def charged_on_average(budget: Ball, clocks: tuple[Ball, ...]) -> tuple[Ball, Ball]:
    """On to the clock for which the mean of what is spent is the budget."""
    return 2 * budget - clocks[0], clocks[0]


@certificate(
    {"X02": holds},
    rejects={
        "checked after the release": {"rule": charged_after},
        "a budget kept on average": {"rule": charged_on_average},
    },
)
def budgets(enclosure: Enclosure, rule: Callable[[Ball, tuple[Ball, ...]], tuple[Ball, Ball]] = charged_before) -> None:
    """A session that goes on where its first look is high: E e^{(α−1)L} against e^{(α−1)αρ}, in closed form.

    With clocks r₊ where W > 0 and r₋ elsewhere, E e^{aL} = e^{aαr₊}Φ(a√(2r)) + e^{aαr₋}Φ(−a√(2r)), r the first.
    """
    with ctx.workprec(PRECISION):
        clocks = tuple(arb(number) / 10 for number in (2, 5, 9))
        for order in (arb(3) / 2, arb(2), arb(8)):
            for budget in (arb(6) / 10, arb(7) / 10):
                high, low = rule(budget, clocks)
                a = order - 1
                share = cdf_ball(a * (2 * clocks[0]).sqrt())
                moment = (a * order * high).exp() * share + (a * order * low).exp() * (1 - share)
                where = f"α = {order.str(3, radius=False)}, ρ = {budget.str(3, radius=False)}"
                name = f"{where}: E e^(α−1)L is below e^(α−1)αρ"
                enclosure.less(name, moment, (a * order * budget).exp())
