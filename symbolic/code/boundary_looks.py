"""Boundaries at the looks they are used at: crossing probabilities of each boundary, and the calibrated grid."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
from flint import arb, ctx
from scipy.special import ndtr

from nrverify.laws.boundary import Grid, HalfNormalMixture, Linear, Mixture
from nrverify.laws.crossing import crossing_probability
from nrverify.ledger import Refuted, certificate, supports
from nrverify.ledger.enclosure import PRECISION, Ball, Enclosure
from nrverify.symbolic.tools.curves import half_normal_quantile, root_curve_crossing
from nrverify.symbolic.tools.looks import (
    geometric_looks,
    line_after,
    line_from_gap,
    line_on_interval,
    one_look,
    three_looks,
    two_looks,
)
from nrverify.symbolic.tools.normal import tail_ball

GRID, CURVE, CLOSED_FORM = 1e-8, 1e-6, 1e-12
"""Relative accuracy: of integrals over looks, of curves in straight pieces, and of formulas."""


def linear_curve(t: Ball, boundary: Any) -> Ball:
    """at + b."""
    return arb(boundary.a) * t + arb(boundary.b)


def mixture_curve(t: Ball, boundary: Any) -> Ball:
    """√((t+ρ)(2ℓ+log(1+t/ρ)))."""
    rho = arb(boundary.rho)
    return ((t + rho) * (-2 * arb(boundary.delta).log() + (1 + t / rho).log())).sqrt()


def half_normal_curve(t: Ball, boundary: Any) -> Ball:
    """U√(t+ρ), U²/2 + log 2Φ(U) = ℓ + log(1+t/ρ)/2."""
    rho = arb(boundary.rho)
    return half_normal_quantile(-arb(boundary.delta).log() + (1 + t / rho).log() / 2) * (t + rho).sqrt()


CURVES: tuple[tuple[Any, Callable[[Ball, Any], Ball]], ...] = (
    (Linear(0.4, 3.0, 2.0), linear_curve),
    (Mixture(2.0, 0.01, 2.0), mixture_curve),
    (HalfNormalMixture(2.0, 0.01, 2.0), half_normal_curve),
)
"""One of each kind, with δ so large that crossings at two or three looks are not tiny beside the error of a double."""


def exact_at_looks(times: Sequence[float], heights: Sequence[float]) -> Ball:
    """P(W reaches the height at one of two or three looks)."""
    return two_looks(times, heights) if len(times) == 2 else three_looks(times, heights)


@certificate(
    {"B08": supports, "B09": supports, "B10": supports, "B12": supports},
    rejects={
        "a fixed look": {"exact": lambda times, heights: one_look(times[0], heights[0])},
        "the curves shifted by Δ/2": {"shift": 1.0},
    },
)
def boundaries_at_looks(
    enclosure: Enclosure,
    exact: Callable[[Sequence[float], Sequence[float]], Ball] = exact_at_looks,
    shift: float = 0.0,
) -> None:
    """Linear, Mixture and HalfNormalMixture at two and three looks in any order, to 1e-8."""
    with ctx.workprec(PRECISION):
        for boundary, curve in CURVES:
            for times in ((0.8, 4.0), (0.5, 3.0, 20.0)):
                heights = [float((curve(arb(t), boundary) + arb(shift)).mid()) for t in times]
                found = boundary.crossing_probability(times=[*times[::-1], times[0]])
                enclosure.agrees(f"{type(boundary).__name__} at {times}", found, exact(times, heights), GRID)


@certificate(
    {"B09": supports, "M03": supports},
    rejects={
        "e^{−ab}": {"whole": lambda a, b: (-a * b).exp()},
        "looking from 0 whatever the interval": {"from_zero": True},
    },
)
def linear_on_intervals(
    enclosure: Enclosure,
    whole: Callable[[Ball, Ball], Ball] = lambda a, b: (-2 * a * b).exp(),
    from_zero: bool = False,
) -> None:
    """Linear.crossing_probability over all t > 0, up to T, after T and between: to 1e-12."""
    line = Linear(0.4, 3.0, 2.0)
    a, b = arb(line.a), arb(line.b)
    with ctx.workprec(PRECISION):
        enclosure.agrees("all t > 0", line.crossing_probability(), whole(a, b), CLOSED_FORM)
        up_to = line_from_gap(b, a, arb(7))
        between = up_to if from_zero else line_on_interval(line.a, line.b, 2.0, 7.0)
        enclosure.agrees("up to 7", line.crossing_probability(interval=(0.0, 7.0)), up_to, CLOSED_FORM)
        enclosure.agrees("from 2 to 7", line.crossing_probability(interval=(2.0, 7.0)), between, CLOSED_FORM)
        after = line_after(line.a, line.b, 2.0)
        enclosure.agrees("after 2", line.crossing_probability(interval=(2.0, math.inf)), after, CLOSED_FORM)


@certificate(
    {"B08": supports, "B10": supports},
    rejects={
        "longer than the interval": {"end": 0.75},
        "half of the interval": {"end": 0.25},
    },
)
def mixtures_on_intervals(enclosure: Enclosure, end: float = 0.5) -> None:
    """Mixture and HalfNormalMixture up to ½ are their curves there, given to the solver as functions of our own."""
    for kind, curve in ((Mixture, _two_sided), (HalfNormalMixture, _one_sided)):
        exact = crossing_probability(curve, interval=(0.0, end)).probability
        enclosure.agrees(f"{kind.__name__} up to 1/2", _up_to_a_half(kind), arb(exact), CURVE)


@cache
def _up_to_a_half(kind: Any) -> float:
    return float(kind(2.0, 0.01, 2.0).crossing_probability(interval=(0.0, 0.5)))


def _two_sided(t: Any) -> Any:
    """√(2(t+ρ) log(√((t+ρ)/ρ)/δ)), ρ = 2, δ = 0.01."""
    return np.sqrt(2 * (t + 2) * np.log(np.sqrt((t + 2) / 2) / 0.01))


def _one_sided(t: Any) -> Any:
    """U√(t+ρ), U²/2 = ℓ + log(1+t/ρ)/2 − log 2Φ(U): a contraction, since φ(U)/(UΦ(U)) < 1/100 here."""
    level = np.log(100) + np.log1p(np.asarray(t) / 2) / 2
    u = np.sqrt(2 * level)
    for _ in range(6):
        u = np.sqrt(2 * (level - np.log(2 * ndtr(u))))
    return u * np.sqrt(t + 2)


@certificate(
    {"B03": supports, "B10": supports, "B18": supports},
    rejects={
        "the one-look quantile at every look": {"calibrated": lambda times, z, delta: one_look(1.0, z)},
        "the union bound": {"calibrated": lambda times, z, delta: len(times) * one_look(1.0, z)},
        "Δ²/t for Δ²/2t": {"half": 1},
    },
)
def grid_law(
    enclosure: Enclosure,
    calibrated: Callable[[Sequence[float], float, float], Ball] | None = None,
    half: int = 2,
) -> None:
    """Grid: z has crossing probability δ at its looks; value, inverse, tightest scaling, other looks."""
    probability = calibrated or _at_level
    with ctx.workprec(PRECISION):
        for times, delta in (((3.0,), 1e-6), ((1.0, 4.0), 1e-6), ((2.5, 0.5, 1.0), 1e-3), ((1.0, 2.0, 2.0), 0.9)):
            grid = _grid(times, delta)
            looks = sorted(set(times))
            enclosure.agrees(f"δ at {times}", delta, probability(looks, grid.quantile, delta), GRID)
            enclosure.agrees("its own looks are the default", grid.crossing_probability(), arb(delta), GRID)
            d, z = arb(grid.sensitivity), arb(grid.quantile)
            for t in (0.01, 1.0, 300.0):
                value = d * d / (half * arb(t)) + d * z / arb(t).sqrt()
                enclosure.agrees(f"ψ({t})", grid(t), value, CLOSED_FORM, absolute=1e-15)
            bounds = sorted(grid(np.array(looks)))
            if bounds[0] > 0:
                for bound, look in zip(bounds, looks[::-1], strict=True):
                    enclosure.agrees("the inverse at a look's ψ is the look", grid.inverse(bound), arb(look), 1e-15)
                    enclosure.agrees("and just above", grid.inverse(bound * 1.001), arb(look), 1e-15)
                _refuses(enclosure, "below every look", lambda b=bounds[0], g=grid: g.inverse(b * 0.999))  # type: ignore[misc]
        enclosure.agrees("8 looks", geometric_looks(_eight_looks().quantile, 8, 100.0), arb(1e-6), GRID)
        _tightest_grids(enclosure)
        grid = _grid((1.0, 4.0), 1e-6)
        several = grid.inverse(np.array([[grid(1.0), grid(4.0)], [grid(1.0) * 2, grid(1.0) * 0.99]]))
        for look, time in zip((1, 4, 1, 4), several.flat, strict=True):
            enclosure.agrees("many levels at once", float(time), arb(look), 0.0)
        other = two_looks((1.0, 9.0), (grid.quantile, 3 * grid.quantile))
        enclosure.agrees("at other looks", grid.crossing_probability(times=[9.0, 1.0]), other, GRID)
        for interval in ((0.0, 5.0), (5.0, math.inf)):
            enclosure.agrees(f"{interval} is certain", grid.crossing_probability(interval=interval), arb(1), 0.0)
        exact = root_curve_crossing(_grid((1.0, 2.0, 2.0), 0.02).quantile, 60.0, 9)
        enclosure.agrees("between 0.5 and 30", _grid_interval(), exact, CURVE)


def _at_level(times: Sequence[float], z: float, delta: float) -> Ball:
    heights = [float((arb(z) * arb(t).sqrt()).mid()) for t in times]
    return one_look(times[0], heights[0]) if len(times) == 1 else exact_at_looks(times, heights)


def _tightest_grids(enclosure: Enclosure) -> None:
    for epsilon, delta, sensitivity, times in (
        (0.3, 1e-6, 2.0, None),
        (0.3, 1e-6, 1.0, [8.0, 2.0]),
        (0.2, 0.9, 1.0, None),
    ):
        grid = Grid.tightest_at(epsilon=epsilon, delta=delta, sensitivity=sensitivity, times=times)
        looks, level, d = sorted(grid.times), arb(epsilon), arb(sensitivity)
        z = (d / 2 - level * arb(looks[0]) / d) / -arb(looks[0]).sqrt()
        if times is None:
            enclosure.agrees("one look: Q(z) = δ where ψ = ε", delta, tail_ball(z), 1e-10)
        else:
            heights = [float((z * arb(t).sqrt()).mid()) for t in looks]
            enclosure.agrees("two looks: calibrated where ψ(smallest) = ε", delta, two_looks(looks, heights), GRID)
            enclosure.agrees("in the ratio of the times given", looks[1] / looks[0], arb(4), 1e-14)
        enclosure.agrees("its Δ", grid.sensitivity, d, 0.0)


@cache
def _grid(times: tuple[float, ...], delta: float) -> Grid:
    return Grid(times, delta, 1.5)


@cache
def _eight_looks() -> Grid:
    return Grid(np.geomspace(1.0, 100.0, 8), 1e-6, 1.0)


@cache
def _grid_interval() -> float:
    return _grid((1.0, 2.0, 2.0), 0.02).crossing_probability(interval=(0.5, 30.0))


def _refuses(enclosure: Enclosure, name: str, call: Callable[[], object]) -> None:
    try:
        answer = call()
    except ValueError as refusal:
        enclosure.checked(f"{name} is refused", str(refusal))
        return
    raise Refuted(f"{name}: answered {answer!r}")
