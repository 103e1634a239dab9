"""What every noise-reduction process satisfies, asked of all three: distribution functions, Bayes' rule, symmetries."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from nrverify.laws.brownian import Brownian, Normal
from nrverify.laws.laplace import AtomicLaplace, Laplace
from nrverify.laws.process import Process
from nrverify.laws.skellam import Skellam
from nrverify.ledger import property_, supports
from nrverify.ledger.search import Search

from .strategies import UNIT, evenly, integers

SMALLEST = 5e-324
"""The distance of doubles below the normal ones."""


@dataclass(frozen=True)
class Kernels:
    """The three laws of a process, any of which a wrong variant replaces."""

    name: str
    marginal: Callable[[float], Any]
    bridge: Callable[[float, float, float], Any]
    forward: Callable[[float, float, float], Any]


def kernels(name: str, process: Process) -> Kernels:
    """The laws of a process."""
    return Kernels(name, process.marginal, process.bridge, process.forward)


BROWNIAN = kernels("brownian", Brownian())
LAPLACE = kernels("laplace", Laplace())
SKELLAM = kernels("skellam", Skellam(0.5))
"""At rate ½, where its time is its variance."""
ALL = (BROWNIAN, LAPLACE, SKELLAM)


@dataclass(frozen=True)
class Point:
    """Two times s < t, the noise at each, and a further point; the noise may stay where it is."""

    s: float
    t: float
    later: float
    given: float
    other: float


def points(denominator: int) -> SearchStrategy[Point]:
    """Times in (0, 30] and noise of their size, in multiples of 1/denominator that doubles represent."""
    noise = integers(-12 * denominator, 12 * denominator).map(lambda k: k / denominator)
    times = st.tuples(integers(1, 240), integers(1, 240)).map(lambda pair: (pair[0] / 16, sum(pair) / 16))

    def point(drawn: tuple[tuple[float, float], float, float, float, bool]) -> Point:
        (s, t), later, given, other, stays = drawn
        return Point(s, t, given if stays else later, given, other)

    return st.tuples(times, noise, noise, noise, st.booleans()).map(point)


def _for_each(search: Search, processes: tuple[Kernels, ...], check: Callable[[Kernels, Point], None], n: int) -> None:
    for process in processes:
        lattice = process.name == "skellam"
        drawn = points(1 if lattice else 8)
        # A distribution function on the integers is a sum, some twenty times as slow as a closed form.
        search.for_all(process.name, partial(check, process), drawn, examples=n // 2 if lattice else n)


def _condition(point: Point) -> float:
    """How far a log density at this point is from being exact, in units: that of its largest term, times 16.

    No exponent takes more than ten roundings of terms of the size (|y|+|z|)²/s, (|y|+|z|)/s or n log x, and none of
    these exceeds the sum below; the logarithms of weights and scales take at most four each, of size |log s| and so on.
    A Bessel series adds 4 units for each of at most 60 terms.
    """
    size = abs(point.later) + abs(point.given)
    gap = point.t - point.s
    largest = size * size * (1 / point.s + 1 / gap) + size * (2 + 1 / point.s)
    logarithms = (1 + size) * (abs(math.log(point.s)) + abs(math.log(gap)) + abs(math.log(point.t)))
    return 16 * (largest + logarithms + point.t + 20)


@property_(
    {"P10": supports, "B01": supports, "N04": supports, "N08": supports, "N14": supports, "E09": supports},
    rejects={
        "a Brownian bridge with the forward variance": {
            "processes": (
                replace(BROWNIAN, bridge=lambda s, t, z: Normal(np.asarray(z * s / t), np.asarray(math.sqrt(t - s)))),
            )
        },
        "a Brownian bridge that keeps t/s": {
            "processes": (replace(BROWNIAN, bridge=lambda s, t, z: Brownian().bridge(s, t, z * t / s)),)
        },
        "Laplace noise that stays with probability s/t": {
            "processes": (
                replace(
                    LAPLACE,
                    forward=lambda s, t, z: AtomicLaplace(
                        np.asarray(z), np.asarray(t), np.asarray(s / t), np.asarray(1 - s / t)
                    ),
                ),
            )
        },
        "Laplace jumps at the earlier scale": {
            "processes": (
                replace(
                    LAPLACE,
                    forward=lambda s, t, z: AtomicLaplace(
                        np.asarray(z), np.asarray(s), np.asarray((s / t) ** 2), np.asarray(1 - (s / t) ** 2)
                    ),
                ),
            )
        },
        "a Skellam bridge at half the rate": {"processes": (replace(SKELLAM, bridge=Skellam(0.25).bridge),)},
        "a Skellam increment of the whole time": {
            "processes": (replace(SKELLAM, forward=lambda s, t, z: Skellam(0.5).forward(s, t + s, z)),)
        },
    },
)
def bayes_rule(search: Search, processes: tuple[Kernels, ...] = ALL) -> None:
    """p_t(z)·bridge(y|z) = p_s(y)·forward(z|y) at every pair of points, and for the atoms at y = z."""

    def check(process: Kernels, point: Point) -> None:
        s, t, y, z = point.s, point.t, point.later, point.given
        bridge, forward = process.bridge(s, t, z), process.forward(s, t, y)
        earlier, later = float(process.marginal(t).logpdf(z)), float(process.marginal(s).logpdf(y))
        backwards, forwards = earlier + float(bridge.logpdf(y)), later + float(forward.logpdf(z))
        allowed = _condition(point) * UNIT
        search.require(abs(backwards - forwards) <= allowed, f"{process.name}: {backwards} ≠ {forwards} at {point}")
        search.require((bridge.atom > 0) == (forward.atom > 0), f"{process.name}: an atom one way only at {point}")
        if y == z and forward.atom > 0 and bridge.atom > 1e-300:
            backwards, forwards = earlier + math.log(bridge.atom), later + math.log(forward.atom)
            search.require(abs(backwards - forwards) <= allowed, f"{process.name}: atoms differ at {point}")

    _for_each(search, processes, check, 30)


def no_jump(law: Any, x: Any) -> Any:
    """A wrong left limit: the distribution function itself."""
    return law.cdf(x)


def left_limit(law: Any, x: Any) -> Any:
    """P(X < x)."""
    return law.cdf_left(x)


@property_(
    {"N04": supports, "N08": supports, "N14": supports},
    rejects={
        "a left limit that misses the atom": {"left": no_jump},
        "an atom at the origin": {"place": lambda point: 0.0},
        "a forward atom s/t": {"atom": lambda law: math.sqrt(law.atom)},
    },
)
def distribution_functions(
    search: Search,
    left: Callable[[Any, Any], Any] = left_limit,
    place: Callable[[Point], float] = lambda point: point.given,
    atom: Callable[[Any], float] = lambda law: float(law.atom),
) -> None:
    """The cdf rises from 0 to 1 and jumps by the atom at the last release, or by the pmf, else nowhere."""
    # A distribution function is at most two exponentials; c·e^{-x} with a rate of three roundings errs by
    # (5x + 4)e^{-x} ≤ 6 units of c. Tails of Bessel weights add the rounding of a log-pmf of size x < 60: 4·60 units.
    continuous, lattice = 16 * UNIT, 600 * UNIT

    def check(process: Kernels, point: Point) -> None:
        slack = lattice if process.name == "skellam" else continuous
        for law in (process.bridge(point.s, point.t, point.given), process.forward(point.s, point.t, point.given)):
            ladder = np.array([-np.inf, *sorted((point.later, point.given, point.other)), np.inf])
            heights, limits = np.asarray(law.cdf(ladder)), np.asarray(left(law, ladder))
            search.require(heights[0] == 0 and heights[-1] == 1, f"{process.name}: not from 0 to 1 at {point}")
            search.require(bool(np.all(np.diff(heights) >= -slack)), f"{process.name}: the cdf falls at {point}")
            for x, jump in zip(ladder[1:-1], (heights - limits)[1:-1], strict=True):
                weight = atom(law) if x == place(point) else 0.0
                if process.name == "skellam":
                    weight = math.exp(float(law.logpdf(x)))
                search.require(abs(jump - weight) <= slack, f"{process.name}: a jump {jump}, not {weight}, at {point}")

    _for_each(search, ALL, check, 16)


def reflection(x: float) -> float:
    """−x."""
    return -x


@property_(
    {"N14": supports, "B01": supports, "N08": supports},
    rejects={
        "a symmetry that forgets the last release": {"given": lambda z: z},
        "a symmetry without left limits": {"mirrored": no_jump},
    },
)
def reflection_symmetry(
    search: Search,
    given: Callable[[float], float] = reflection,
    mirrored: Callable[[Any, Any], Any] = left_limit,
) -> None:
    """−X is the same process: the laws given −z are those given z reflected, densities bit for bit."""

    def check(process: Kernels, point: Point) -> None:
        s, t, z = point.s, point.t, point.given
        for kernel in (process.bridge, process.forward):
            own, other = kernel(s, t, z), kernel(s, t, given(z))
            x = np.array([point.later, point.other])
            same = bool(np.all(own.logpdf(x) == other.logpdf(-x)))
            search.require(same, f"{process.name}: another density at the reflection of {point}")
            total = own.cdf(x) + mirrored(other, -x)
            # Two distribution functions and their sum, each within 6 units, or 300 for a sum of Bessel weights.
            slack = (620 if process.name == "skellam" else 16) * UNIT
            search.require(bool(np.all(np.abs(total - 1) <= slack)), f"{process.name}: {total} is not 1 at {point}")

    _for_each(search, ALL, check, 16)


def brownian_scale(c: float) -> float:
    """Time goes with the square."""
    return c * c


def laplace_scale(c: float) -> float:
    """Time is the scale."""
    return c


@property_(
    {"N04": supports, "B01": supports},
    rejects={
        "Brownian time as a scale": {"squared": laplace_scale},
        "Laplace time as a variance": {"linear": brownian_scale},
    },
)
def scaling(
    search: Search,
    squared: Callable[[float], float] = brownian_scale,
    linear: Callable[[float], float] = laplace_scale,
) -> None:
    """c·X_t is X at time c²t for Brownian and ct for Laplace noise: with c a power of two, bit for bit."""

    def check(point: Point, exponent: int) -> None:
        c = 2.0**exponent
        for process, clock in ((BROWNIAN, squared), (LAPLACE, linear)):
            for kernel in (process.bridge, process.forward):
                own = kernel(point.s, point.t, point.given)
                other = kernel(clock(c) * point.s, clock(c) * point.t, c * point.given)
                for x in (point.later, point.other):
                    same = float(own.cdf(x)) == float(other.cdf(c * x)) and own.atom == other.atom
                    search.require(same, f"{process.name}: not scaled by {c} at {point}")

    search.for_all("powers of two", check, points(8), st.integers(-20, 20), examples=40)


@property_(
    {"N14": supports, "N08": supports, "B01": supports},
    rejects={
        "levels counted from above": {"level": lambda q: 1 - q},
        "a quantile of the Laplace bridge reflected": {"shift": lambda law, x: -x},
    },
)
def quantiles_invert(
    search: Search,
    level: Callable[[float], float] = lambda q: q,
    shift: Callable[[Any, float], float] = lambda law, x: x,
) -> None:
    """ppf(q) is the least x with P(X ≤ x) ≥ q: P(X < x) ≤ q ≤ P(X ≤ x) up to the rounding of x itself."""

    def check(point: Point, q: float) -> None:
        for process in (BROWNIAN, LAPLACE):
            for law in (
                process.marginal(point.t),
                process.bridge(point.s, point.t, point.given),
                process.forward(point.s, point.t, point.given),
            ):
                x = shift(law, float(law.ppf(level(q))))
                # x and the point of reference round by 8 units of their size, which moves the level by the density
                # times that; a distribution function errs by 8 more.
                density = math.exp(min(float(law.logpdf(x)), 700.0))
                slack = (16 + 8 * density * (abs(x) + abs(point.given))) * UNIT
                inside = float(law.cdf_left(x)) - slack <= q <= float(law.cdf(x)) + slack
                search.require(inside, f"{process.name}: {x} is not the quantile at {q}, {point}")

    search.for_all("levels in (0, 1)", check, points(8), evenly(1e-12, 1 - 1e-12), examples=40)


@property_(
    {"N04": supports, "N12": supports},
    rejects={
        "a reverse atom without its exponent": {"reverse": lambda s, t, z: s / t * (1 - s / t)},
        "a forward atom 2s/(s+t)": {"stay": lambda s, t, z: 2 * s / (s + t)},
    },
)
def atoms_compose(
    search: Search,
    reverse: Callable[[float, float, float], float] = lambda s, t, z: float(Laplace().bridge(s, t, z).atom),
    stay: Callable[[float, float, float], float] = lambda s, t, z: float(Laplace().forward(s, t, z).atom),
) -> None:
    """To stay from r to t is to stay from r to s and from s to t: forwards with (r/t)², and backwards."""

    def check(point: Point, earliest: float) -> None:
        s, t, z = point.s, point.t, point.given
        r = s * earliest
        exponent = abs(z) * (1 / r + 1 / t)
        # The atom is a ratio times e^{-x}: 4x + 4 units each, three atoms and their product, or the spacing below
        # the normal doubles.
        allowed = (3 * (4 * exponent + 4) + 1) * UNIT
        for atom in (reverse, stay):
            direct, in_two_steps = atom(r, t, z), atom(r, s, z) * atom(s, t, z)
            close = abs(direct - in_two_steps) <= allowed * max(direct, in_two_steps) + 4 * SMALLEST
            search.require(close, f"{direct} ≠ {in_two_steps} at {point}, r = {r}")
        ratio = (r / t) ** 2
        search.require(abs(stay(r, t, z) - ratio) <= 4 * UNIT * ratio, f"not (r/t)² at {point}, r = {r}")

    search.for_all("three times", check, points(8), st.sampled_from([0.25, 0.5, 0.75, 0.9]), examples=40)
