"""`SkellamLinear` of `nrverify.laws.boundary` against Bessel functions in ball arithmetic and sums over the lattice."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np
from flint import arb, ctx
from scipy.special import ive

from nrverify.laws.boundary import SkellamLinear
from nrverify.ledger import Refuted, certificate, supports
from nrverify.ledger.enclosure import PRECISION, Ball, Enclosure

CLOSED_FORM, LATTICE = 1e-12, 1e-10
"""Relative accuracy: of formulas, and of crossing probabilities, which are sums over thousands of integers."""


def line(boundary: SkellamLinear, mu: Ball) -> Ball:
    """B = (ℓ + μ(cosh θ − 1))/θ at the variance μ = 2·rate·t."""
    theta = arb(boundary.theta)
    return (-arb(boundary.delta).log() + mu * (theta.cosh() - 1)) / theta


def loss_below(boundary: SkellamLinear, k: int, mu: Ball) -> Ball:
    """log I_k(μ)/I_{k+Δ}(μ), the largest loss at noise up to k."""
    return (mu.bessel_i(arb(k)) / mu.bessel_i(arb(k + boundary.sensitivity))).log()


def largest_below(height: Ball) -> int:
    """⌈B⌉ − 1."""
    return int(height.ceil().unique_fmpz()) - 1


def variance_of(boundary: SkellamLinear, t: float) -> Ball:
    """μ = 2·rate·t."""
    return 2 * arb(boundary.rate) * arb(t)


def pmf(k: int, mu: Ball) -> Ball:
    """P(X = k) = e^{−μ}I_{|k|}(μ)."""
    return (-mu).exp() * mu.bessel_i(arb(abs(k)))


def tail(k: int, mu: Ball) -> Ball:
    """P(X ≥ k), k ≥ 0 and small μ: the sum of 60 terms."""
    return sum((pmf(j, mu) for j in range(k, k + 60)), arb(0))


BOUNDARIES = (
    SkellamLinear(0.5, 1e-3, 1, 1.0),
    SkellamLinear(1.5, 1e-6, 3, 0.25),
    SkellamLinear(0.05, 1e-2, 2, 40.0),
)
"""Slopes from nearly Gaussian to steep, sensitivities 1 to 3, and rates other than ½, where μ is not t."""


@certificate(
    {"N14": supports},
    rejects={
        "k = ⌊B⌋ + 1": {"below": lambda height: largest_below(height) + 2},
        "μ = rate·t": {"scale": 0.5},
        "cosh θ for cosh θ − 1": {"offset": 1},
    },
)
def skellam_value(
    enclosure: Enclosure,
    below: Callable[[Ball], int] = largest_below,
    scale: float = 1.0,
    offset: int = 0,
) -> None:
    """ψ(t) = log I_k(μ)/I_{k+Δ}(μ) with k = ⌈B(t)⌉ − 1, its inverse on the piece where k is fixed, and its floor."""
    with ctx.workprec(PRECISION):
        for boundary in BOUNDARIES:
            theta = arb(boundary.theta)
            for t in (0.07, 3.0, 41.0):
                mu = variance_of(boundary, t) * arb(scale)
                k = below(line(boundary, mu) + offset * mu / theta)
                enclosure.agrees(f"ψ({t})", boundary(t), loss_below(boundary, k, mu), CLOSED_FORM)
            for epsilon in (boundary.floor * 1.3, boundary.floor * 4):
                _inverse(enclosure, boundary, epsilon)
            limit = boundary.sensitivity * ((theta.cosh() - 1) / theta).asinh()
            enclosure.agrees("the floor is its limit", boundary.floor, limit, CLOSED_FORM)
            _refuses(enclosure, "an ε below the floor", lambda f=boundary: f.inverse(f.floor * 0.9))  # type: ignore[misc]
        early = SkellamLinear(2.0, 0.99, 1, 1.0)
        first, second = ((2 * arb(k + 1) + arb(0.99).log()) / (arb(2).cosh() - 1) for k in (0, 1))
        enclosure.agrees("a floor at the first corner", early.floor, loss_below(early, 0, first), CLOSED_FORM)
        enclosure.less("which is below the second", loss_below(early, 0, first), loss_below(early, 1, second))
        _refuses(enclosure, "a sensitivity that is no integer", lambda: SkellamLinear(1.0, 0.1, 1.5, 1.0))  # type: ignore[arg-type]


def _inverse(enclosure: Enclosure, boundary: SkellamLinear, epsilon: float) -> None:
    """ψ = ε at the time returned, on its piece; every earlier piece ends above ε."""
    t = boundary.inverse(epsilon)
    mu = variance_of(boundary, t)
    k = largest_below(line(boundary, mu))
    enclosure.agrees(f"ψ(ψ⁻¹({epsilon:.4g}))", epsilon, loss_below(boundary, k, mu), 1e-11)
    theta = arb(boundary.theta)
    first = int((-arb(boundary.delta).log() / theta).floor().unique_fmpz())
    for earlier in {first, (first + k) // 2, k - 1} - {k}:
        if first <= earlier < k:
            corner = (theta * (earlier + 1) + arb(boundary.delta).log()) / (theta.cosh() - 1)
            enclosure.less("an earlier piece ends above ε", arb(epsilon), loss_below(boundary, earlier, corner))


@certificate(
    {"N14": supports},
    rejects={
        "already the k after the jump": {"later": 1},
        "a time with ε half a per cent higher": {"factor": 1.005},
    },
)
def skellam_corners(enclosure: Enclosure, later: int = 0, factor: float = 1.0) -> None:
    """At the corners B = k + 1, where ψ jumps up, the inverse stays on the lower side: ψ(ψ⁻¹(ε)) ≤ ε."""
    with ctx.workprec(PRECISION):
        for boundary in (
            SkellamLinear(0.6, 1e-3, 1, 1.0),
            SkellamLinear(1.5, 0.3, 1, 2.0),
            SkellamLinear(0.6, 1e-6, 3, 1.0),
        ):
            theta, odds = arb(boundary.theta), -arb(boundary.delta).log()
            first = int((odds / theta).floor().unique_fmpz())
            for k in range(first + 1, first + 5):
                corner = (theta * (k + 1) - odds) / (theta.cosh() - 1)
                # A part in 2e13 below the value at the corner, which the inverse forgives as rounding.
                epsilon = float(loss_below(boundary, k, corner).mid()) * (1 - 5e-14)
                t = boundary.inverse(epsilon)
                enclosure.less(f"ψ at the corner of {k}", arb(boundary(t)), arb(epsilon) * (1 + arb(CLOSED_FORM)))
                found = loss_below(boundary, k + later, variance_of(boundary, t * factor))
                enclosure.agrees(f"ψ⁻¹ at the corner of {k}", epsilon, found, CLOSED_FORM)


@certificate(
    {"N14": supports},
    rejects={"one lattice point fewer is enough": {"fewer": 0}, "θ ten per cent larger": {"factor": "1.1"}},
)
def skellam_tightest(enclosure: Enclosure, fewer: int = 1, factor: str = "1") -> None:
    """tightest_at: θ minimises B at the least μ_k with ψ = ε, θ sinh θ − cosh θ + 1 = ℓ/μ, and no smaller k can do."""
    with ctx.workprec(PRECISION):
        for epsilon, delta, sensitivity, rate in ((0.5, 1e-6, 1, 1.0), (2.0, 1e-3, 2, 0.25)):
            boundary = SkellamLinear.tightest_at(epsilon=epsilon, delta=delta, sensitivity=sensitivity, rate=rate)
            mu, odds = variance_of(boundary, boundary.inverse(epsilon)), -arb(delta).log()
            k = largest_below(line(boundary, mu))
            theta = arb(boundary.theta) * arb(factor)
            stationary = theta * theta.sinh() - theta.cosh() + 1
            enclosure.agrees("θ minimises B at μ", float(stationary.mid()), odds / mu, 1e-9)
            smaller = _variance(boundary, k - fewer, epsilon)
            best = _least_tilt(odds / smaller)
            enclosure.less("one lattice point fewer is out of reach", arb(k - fewer + 1), smaller * best.sinh())
        wide = SkellamLinear.tightest_at(epsilon=150.0, delta=0.2, sensitivity=30, rate=2.0)
        mu = variance_of(wide, wide.inverse(150.0))
        found = loss_below(wide, largest_below(line(wide, mu)), mu)
        enclosure.agrees("ψ = ε far from the bracket's start", 150.0, found, 1e-11)
        loose = SkellamLinear.tightest_at(epsilon=3.0, delta=0.9, sensitivity=1, rate=1.0)
        lowest = largest_below(line(loose, variance_of(loose, loose.inverse(3.0))))
        enclosure.agrees("no noise above 0 is paid for where δ is large", float(lowest), arb(0), 0.0)


def _variance(boundary: SkellamLinear, k: int, epsilon: float) -> Ball:
    """The μ with log I_k/I_{k+Δ} = ε."""
    return _bisect(lambda mu: loss_below(boundary, k, mu) < arb(epsilon), arb("1e-3"), arb(1000))


def _least_tilt(ratio: Ball) -> Ball:
    return _bisect(lambda theta: theta * theta.sinh() - theta.cosh() + 1 > ratio, arb("1e-9"), arb(20))


def _bisect(beyond: Callable[[Ball], bool], low: Ball, high: Ball) -> Ball:
    for _ in range(30):
        middle = ((low + high) / 2).mid()
        low, high = (low, middle) if beyond(middle) else (middle, high)
    return ((low + high) / 2).mid()


@certificate(
    {"N14": supports},
    rejects={
        "X > B for X ≥ B at the looks": {"late": 1},
        "the end point only, without reflection": {"reflected": 0},
        "exactly δ, as for Brownian noise": {"all_times": lambda boundary: boundary.delta},
    },
)
def skellam_crossing(
    enclosure: Enclosure,
    late: int = 0,
    reflected: int = 1,
    all_times: Callable[[SkellamLinear], float] | None = None,
) -> None:
    """P(X ≥ B): one and two looks by sums, continuously on one and two pieces by reflection, for ever by recursion."""
    # At rate ¼ times are twice the variances μ: at rate ½ a forgotten 2·rate would not show.
    boundary = SkellamLinear(1.5, 1e-3, 1, 0.25)
    with ctx.workprec(PRECISION):
        first, second = arb(0.9), arb(3.25)
        n, m = (largest_below(line(boundary, mu)) + 1 + late for mu in (first, second))
        one = boundary.crossing_probability(times=[1.8])
        enclosure.agrees("one look", one, tail(n, first), LATTICE)
        both = tail(n, first) + sum(
            (pmf(x, first) * (tail(m - x, second - first) if m - x >= 0 else 1) for x in range(-40, n)), arb(0)
        )
        enclosure.agrees("two looks", boundary.crossing_probability(times=[6.5, 1.8, 1.8]), both, LATTICE)
        theta = arb(boundary.theta)
        barrier = int((-arb(boundary.delta).log() / theta).ceil().unique_fmpz())
        corner = (theta * barrier + arb(boundary.delta).log()) / (theta.cosh() - 1)
        inside, beyond = 0.3, 1.0
        enclosure.less("0.3 is on the first piece", arb(inside), corner)
        reach = tail(barrier, arb(inside)) + reflected * tail(barrier + 1, arb(inside))
        enclosure.agrees("up to μ = 0.3", boundary.crossing_probability(interval=(0.0, 2 * inside)), reach, LATTICE)
        rest = arb(beyond) - corner
        late_mass = sum(
            (
                (pmf(x, corner) - pmf(2 * barrier - x, corner))
                * (tail(barrier + 1 - x, rest) + tail(barrier + 2 - x, rest))
                for x in range(-40, barrier)
            ),
            arb(0),
        )
        two_pieces = tail(barrier, corner) + tail(barrier + 1, corner) + late_mass
        enclosure.agrees("up to μ = 1", boundary.crossing_probability(interval=(0.0, 2 * beyond)), two_pieces, LATTICE)
    fine = SkellamLinear(0.015, 1e-3, 1, 0.25)
    enclosure.agrees(
        "two looks on a fine lattice",
        fine.crossing_probability(times=[92000.0, 184000.0]),
        arb(_two_looks(fine, 46000.0, 92000.0, late)),
        1e-9,
    )
    for_ever = (all_times or _for_ever)(boundary)
    enclosure.agrees("for ever", boundary.crossing_probability(), arb(for_ever), 1e-9)
    enclosure.agrees(
        "after μ = 2", boundary.crossing_probability(interval=(4.0, math.inf)), arb(_for_ever(boundary, 2.0)), 1e-9
    )


@cache
def _two_looks(boundary: SkellamLinear, first: float, second: float, late: int) -> float:
    """P(X ≥ B at μ₁ or at μ₂) by a sum over X at μ₁ of scaled Bessel functions."""
    theta, odds, rise = boundary.theta, -math.log(boundary.delta), math.cosh(boundary.theta) - 1
    n, m = (math.ceil((odds + mu * rise) / theta) + late for mu in (first, second))
    law, increment = ive(np.arange(6000), first), ive(np.arange(12000), second - first)
    beyond, rises = law[::-1].cumsum()[::-1], increment[::-1].cumsum()[::-1]
    below = np.arange(-5000, n)
    needed = m - below
    later = np.where(needed > 0, rises[np.abs(needed)], 1.0 - rises[np.abs(needed) + 1])
    return float(beyond[n] + law[np.abs(below)] @ later)


@cache
def _for_ever(boundary: SkellamLinear, start: float = 0.0) -> float:
    """P(X ≥ B for some μ > start): survivors carried piece by piece, absorbed by reflection."""
    theta, odds, rise = boundary.theta, -math.log(boundary.delta), math.cosh(boundary.theta) - 1
    lattice = np.arange(-150, 151)
    survivors = np.where(lattice == 0, 1.0, 0.0) if start == 0.0 else ive(np.abs(lattice), start)
    mu, crossed = start, 0.0
    barrier = math.ceil((odds + start * rise) / theta)
    if start > 0.0:
        crossed += float(survivors[lattice >= barrier].sum())
        survivors = np.where(lattice < barrier, survivors, 0.0)
    for n in range(barrier, barrier + 60):
        corner = (theta * n - odds) / rise
        step = corner - mu
        law = ive(np.arange(0, 700), step)
        beyond = law[::-1].cumsum()[::-1]
        below = lattice < n
        gap = n - lattice[below]
        crossed += float(survivors[below] @ (beyond[gap] + beyond[gap + 1]))
        direct = law[np.abs(lattice[below][:, None] - lattice[below])]
        image = law[2 * n - lattice[below][:, None] - lattice[below]]
        moved = (direct - image) @ survivors[below]
        survivors = np.zeros(lattice.size)
        survivors[below] = moved
        mu = corner
    return crossed


def _refuses(enclosure: Enclosure, name: str, call: Callable[[], object]) -> None:
    try:
        answer = call()
    except ValueError as refusal:
        enclosure.checked(f"{name} is refused", str(refusal))
        return
    raise Refuted(f"{name}: answered {answer!r}")
