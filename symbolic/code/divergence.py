"""`nrverify.laws.divergence` against the defining integrals and closed forms, in ball arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from flint import arb, ctx

from nrverify.laws import divergence as law
from nrverify.laws.special.differences import expm1_minus_x, x_minus_log1p
from nrverify.ledger import Refuted, certificate, supports
from nrverify.ledger.enclosure import PRECISION, Ball, Enclosure
from nrverify.symbolic.tools.normal import integral_ball, tail_ball

CLOSED_FORM = 1e-12
"""Relative accuracy of what needs no quadrature."""

GAUSSIAN = ((1.0, 1.0), (-0.3, 0.01), (2.0, 0.25), (1e-3, 1.0), (1.0, 1e6), (30.0, 1.0))
"""(shift, variance): s = |shift|/√variance from 10⁻³ to 30."""

LAPLACE = ((1.0, 1.0), (-0.3, 0.01), (2.0, 8.0), (1e-6, 1.0))
"""(shift, scale)."""

LEVELS = (0.0, 0.01, 0.5, 1.0, 4.0)
"""ε; at 0 the hockey stick is the total variation."""


def gaussian_delta(epsilon: Ball, s: Ball) -> Ball:
    """P(L > ε) − e^ε P'(L > ε), both normal tails."""
    return tail_ball(epsilon / s - s / 2) - epsilon.exp() * tail_ball(epsilon / s + s / 2)


@certificate(
    {"P03": supports, "B06": supports, "E08": supports},
    rejects={
        "the tail without the second term": {"delta": lambda epsilon, s: tail_ball(epsilon / s - s / 2)},
        "e^{−ε} for e^ε": {
            "delta": lambda epsilon, s: (
                tail_ball(epsilon / s - s / 2) - (-epsilon).exp() * tail_ball(epsilon / s + s / 2)
            )
        },
        "mean s² for s²/2": {"tail": lambda epsilon, s: tail_ball(epsilon / s - s)},
    },
)
def gaussian_divergences(
    enclosure: Enclosure,
    delta: Callable[[Ball, Ball], Ball] = gaussian_delta,
    tail: Callable[[Ball, Ball], Ball] = lambda epsilon, s: tail_ball(epsilon / s - s / 2),
) -> None:
    """Hockey stick and tail of the Gaussian loss L ~ N(s²/2, s²), and their logarithms where they underflow."""
    with ctx.workprec(400):
        for shift, time in GAUSSIAN:
            s = abs(arb(shift)) / arb(time).sqrt()
            logs = law.log_gaussian_hockey_stick(np.array(LEVELS), shift=shift, time=time)
            tails = law.log_gaussian_loss_tail(np.array(LEVELS), shift=shift, time=time)
            for epsilon, log_delta, log_tail in zip(LEVELS, logs, tails, strict=True):
                exact, beyond = delta(arb(epsilon), s), tail(arb(epsilon), s)
                where = f"ε = {epsilon}, shift {shift}, variance {time}"
                enclosure.agrees(f"log δ at {where}", log_delta, exact.log(), CLOSED_FORM, CLOSED_FORM)
                enclosure.agrees(f"log P(L > ε) at {where}", log_tail, beyond.log(), CLOSED_FORM, CLOSED_FORM)
                if exact > arb("1e-290"):
                    found = law.gaussian_hockey_stick(epsilon, shift=shift, time=time)
                    enclosure.agrees(f"δ at {where}", found, exact, CLOSED_FORM * (10 - log_delta))
                    found = law.gaussian_loss_tail(epsilon, shift=shift, time=time)
                    enclosure.agrees(f"P(L > ε) at {where}", found, beyond, CLOSED_FORM * (10 - log_tail))
        found = law.log_gaussian_hockey_stick(4.0, shift=1e-6, time=1.0)
        enclosure.agrees("log δ at ε = 4, shift 10⁻⁶", found, _far_log_delta(arb(4), arb(1e-6)), CLOSED_FORM)
        below = law.gaussian_loss_tail(-1.5, shift=1.0, time=0.5)
        enclosure.agrees("at a negative ε", below, tail(arb(-1.5), arb(2).sqrt()), CLOSED_FORM)
        for order in (1.0, 1.5, 40.0):
            exact = arb(order) * arb(9) / (2 * arb(0.5))
            enclosure.agrees(f"D_{order}", law.gaussian_renyi(order, shift=-3.0, time=0.5), exact, CLOSED_FORM)


def _far_log_delta(epsilon: Ball, s: Ball) -> Ball:
    """log δ = log φ(a) + log(M(a) − M(b)) for huge a = ε/s − s/2, b = a + s: 1/x² − 3/x⁴ < −M'(x) < 1/x²."""
    a, b = epsilon / s - s / 2, epsilon / s + s / 2
    slope = (1 / b**2 - 3 / a**4).union(1 / a**2)
    return -a * a / 2 - (2 * arb.pi()).log() / 2 + (s * slope).log()


def laplace_moment(order: Ball, s: Ball) -> Ball:
    """∫ p^α q^{1−α} over the three pieces where log p/q is s, s − 2x and −s."""
    left = ((order - 1) * s).exp() / 2
    middle = integral_ball(lambda x: (-x + (order - 1) * (s - 2 * x)).exp() / 2, arb(0), s)
    right = (-s - (order - 1) * s).exp() / 2
    return left + middle + right


def laplace_kl(s: Ball) -> Ball:
    """∫ p log p/q over the same three pieces."""
    return s / 2 + integral_ball(lambda x: (-x).exp() / 2 * (s - 2 * x), arb(0), s) - s * (-s).exp() / 2


def laplace_tail(epsilon: Ball, s: Ball) -> Ball:
    """P(L > ε) for −s ≤ ε < s: P(X < (s−ε)/2)."""
    return 1 - (-(s - epsilon) / 2).exp() / 2


@certificate(
    {"N08": supports, "E06": supports},
    rejects={
        "δ = 1 − e^{ε−s}": {"delta": lambda epsilon, s: 1 - (epsilon - s).exp()},
        "no atom at s": {"tail": lambda epsilon, s: laplace_tail(epsilon, s) - arb(1) / 2},
        "the Rényi divergence of order α + 1": {"moment": lambda order, s: laplace_moment(order + 1, s)},
    },
)
def laplace_divergences(
    enclosure: Enclosure,
    delta: Callable[[Ball, Ball], Ball] = lambda epsilon, s: 1 - ((epsilon - s) / 2).exp(),
    tail: Callable[[Ball, Ball], Ball] = laplace_tail,
    moment: Callable[[Ball, Ball], Ball] = laplace_moment,
) -> None:
    """Hockey stick, loss tail (with its atom of ½ at s) and Rényi divergence of Laplace noise, s = |shift|/scale."""
    with ctx.workprec(256):
        for shift, scale in LAPLACE:
            s = abs(arb(shift)) / arb(scale)
            top = abs(shift) / scale
            for share in (0.0, 0.25, 0.9):
                epsilon = share * top
                found = law.laplace_hockey_stick(epsilon, shift=shift, time=scale)
                enclosure.agrees(f"δ at ε = {epsilon:.4g}, s = {top:.4g}", found, delta(arb(epsilon), s), CLOSED_FORM)
                for level in (epsilon, -epsilon):
                    found = law.laplace_loss_tail(level, shift=shift, time=scale)
                    enclosure.agrees(f"P(L > {level:.4g})", found, tail(arb(level), s), CLOSED_FORM)
            for level, exact in ((top, 0), (top * 1.001, 0), (-top * 1.001, 1)):
                found = law.laplace_loss_tail(level, shift=shift, time=scale)
                enclosure.agrees("P(L > ε) from s on, and below −s", found, arb(exact), 0.0)
            found = law.laplace_loss_tail(-top, shift=shift, time=scale)
            enclosure.agrees("P(L > −s), without the atom there", found, tail(arb(-top), s), CLOSED_FORM)
            enclosure.agrees("δ from s on", law.laplace_hockey_stick(2 * top, shift=shift, time=scale), arb(0), 0.0)
            for order in (1.0, 1.0 + 2.0**-30, 1.5, 2.0, 30.0):
                power = arb(order)
                exact = laplace_kl(s) if order == 1.0 else moment(power, s).log() / (power - 1)
                found = law.laplace_renyi(order, shift=shift, time=scale)
                enclosure.agrees(f"D_{order} at s = {top:.4g}", found, exact, 1e-11)


@certificate(
    {"B16": supports, "N08": supports},
    rejects={
        "x + log(1+x)": {"sign": -1},
        "x² for x²/2 to leading order": {"factor": 2},
    },
)
def second_order_differences(enclosure: Enclosure, sign: int = 1, factor: int = 1) -> None:
    """x − log(1+x) and eˣ − 1 − x to full precision on both sides of 0, near it and far from it."""
    points = (-0.99, -0.75, -0.5, -0.3, -1e-9, 1e-12, 1e-3, 0.3, 0.5, 0.75, 40.0)
    with ctx.workprec(256):
        for x, first, second in zip(points, x_minus_log1p(points), expm1_minus_x(points), strict=True):
            ball = arb(x)
            enclosure.agrees(f"x − log(1+x) at {x}", first, ball - sign * (1 + ball).log(), 1e-15)
            enclosure.agrees(f"eˣ − 1 − x at {x}", second, (ball.exp() - 1 - ball) * factor, 1e-15)


@certificate(
    {"B06": supports, "N14": supports},
    rejects={
        "order for order − 1": {"gain": 0},
        "the Gaussian bound without the mean": {"mean": 0},
    },
)
def renyi_tail(enclosure: Enclosure, gain: int = 1, mean: int = 1) -> None:
    """P(sup L ≥ ε) ≤ exp(−(α−1)(ε − D_α)); for Gaussian noise at its best order exp(−(ε − s²/2)²/2s²)."""
    with ctx.workprec(PRECISION):
        found = law.log_renyi_tail(2.0, order=3.5, divergence=0.75)
        enclosure.agrees("the bound", found, -(arb(3.5) - gain) * (arb(2) - arb(0.75)), CLOSED_FORM)
        found = law.log_renyi_tail(2.0, order=1.5, divergence=0.75)
        enclosure.agrees("at an order between 1 and 2", found, -(arb(1.5) - gain) * (arb(2) - arb(0.75)), CLOSED_FORM)
        enclosure.agrees("never above 1", law.log_renyi_tail(0.5, order=3.5, divergence=0.75), arb(0), 0.0)
        s = 2 / arb(3).sqrt()
        exact = -((arb(5) - mean * s * s / 2) ** 2) / (2 * s * s)
        enclosure.agrees("Gaussian", law.log_gaussian_renyi_tail(5.0, shift=-2.0, time=3.0), exact, CLOSED_FORM)
        enclosure.agrees("and 0 up to s²/2", law.log_gaussian_renyi_tail(0.6, shift=2.0, time=3.0), arb(0), 0.0)
        best = (arb(5) / (s * s) + arb(1) / 2) * s * s / 2
        order = float((arb(5) / (s * s) + arb(1) / 2).mid())
        general = law.log_renyi_tail(5.0, order=order, divergence=float(best.mid()))
        enclosure.agrees("the same from the general bound at α = ε/s² + ½", general, exact, 1e-11)
        for name, call in _misuses():
            _refuses(enclosure, name, call)


def _misuses() -> list[tuple[str, Callable[[], Any]]]:
    return [
        ("order 1", lambda: law.log_renyi_tail(1.0, order=1.0, divergence=0.5)),
        ("a negative divergence", lambda: law.log_renyi_tail(1.0, order=2.0, divergence=-0.5)),
        ("an order below 1", lambda: law.laplace_renyi(0.5, shift=1.0, time=1.0)),
        ("shift 0", lambda: law.gaussian_hockey_stick(1.0, shift=0.0, time=1.0)),
        ("a negative ε", lambda: law.laplace_hockey_stick(-1.0, shift=1.0, time=1.0)),
        ("time 0", lambda: law.gaussian_renyi(2.0, shift=1.0, time=0.0)),
    ]


def _refuses(enclosure: Enclosure, name: str, call: Callable[[], object]) -> None:
    try:
        answer = call()
    except ValueError as refusal:
        enclosure.checked(f"{name} is refused", str(refusal))
        return
    raise Refuted(f"{name}: answered {answer!r}")
