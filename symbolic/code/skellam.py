"""The Skellam laws of nrverify.laws and their Bessel functions against balls, from μ = 10⁻¹² to 2·10⁸."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import accumulate
from typing import Any

import numpy as np
from flint import arb, ctx

from nrverify.laws.skellam import Skellam
from nrverify.laws.special import bessel
from nrverify.laws.special import integer_sums as skellam_lattice
from nrverify.ledger import Refuted, certificate, supports
from nrverify.ledger.enclosure import PRECISION, Ball, Enclosure
from nrverify.ledger.record import Record

QUARTER, HALF = Skellam(0.25), Skellam(0.5)
"""A rate at which μ = t/2, and the one at which μ = t."""
RELATIVE = 1e-12
"""Accuracy asked of the loss, which is stated to 10⁻¹⁰, however small it is."""

ARGUMENTS, ORDERS = (
    (1e-12, 2e-3, 0.3, 1.7, 5.0, 29.0, 31.0, 400.0, 1e4, 1e6, 2e8),
    (0, 1, 2, 7, 24, 29, 30, 31, 60, 300, 1234, 10_000),
)
"""Of Bessel functions: both on either side of 30, where power series give way to expansions, and far from it."""


def log_bessel(order: int, x: float) -> Ball:
    """log(e^{−x}I_|order|(x))."""
    return arb(x).bessel_i(abs(order), scaled=True).log()


@certificate(
    {"N14": supports},
    rejects={
        "I_{k+1} for I_k": {"scaled": lambda k, x: bessel.log_scaled(np.asarray(k) + 1, x)},
        "not scaled by e^{−x}": {"scaled": lambda k, x: bessel.log_scaled(k, x) + x},
        "a ratio of the wrong sign": {"ratio": lambda a, b, x: bessel.log_ratio(b, a, x)},
        "a ratio as a difference of logarithms": {
            "ratio": lambda a, b, x: bessel.log_scaled(a, x) - bessel.log_scaled(b, x)
        },
        "θ for sinh θ in the tilt": {"tilted": lambda k, x, slope: bessel.log_tilted(k, x, np.sinh(slope))},
    },
)
def bessel_functions(
    enclosure: Enclosure,
    scaled: Callable[..., Any] = bessel.log_scaled,
    ratio: Callable[..., Any] = bessel.log_ratio,
    tilted: Callable[..., Any] = bessel.log_tilted,
) -> None:
    """log I, its tilted form and its ratios, by power series, by expansion and across the border between them."""
    with ctx.workprec(PRECISION):
        each = Enclosure(Record())
        for x in ARGUMENTS:
            exact = {k: log_bessel(k, x) for k in ORDERS}
            for k, number in zip(ORDERS, scaled(ORDERS, x), strict=True):
                each.agrees(f"log e^(-x) I_{k}({x:g})", number, exact[k], 1e-14, 1e-13)
            each.agrees(f"a negative order, x = {x:g}", float(scaled(-7, x)), exact[7], 1e-14, 1e-13)
            pairs = [(a, b) for i, a in enumerate(ORDERS) for b in ORDERS[i + 1 : i + 4]]
            for (a, b), number in zip(pairs, ratio(*np.array(pairs).T, x), strict=True):
                each.agrees(f"log I_{a}/I_{b} at {x:g}", number, exact[a] - exact[b], RELATIVE)
            a, b = np.array(pairs[::7]).T
            for i, number in enumerate(ratio(b, a, x)):
                each.agrees(f"log I_{b[i]}/I_{a[i]} at {x:g}", number, exact[b[i]] - exact[a[i]], RELATIVE)
            enclosure.checked(f"x = {x:g}", f"{len(ORDERS)} orders and {len(pairs)} ratios agree")
        each.agrees("equal orders", float(ratio(9, 9, 3.0)), 0, 0.0)
        for k, x, slope in (
            (3, 2.0, 1.4),
            (-3, 2.0, 0.2),
            (0, 50.0, 0.3),
            (90, 50.0, 1.5),
            (90, 50.0, -1.5),
            (-90, 50.0, -1.5),
            (40, 1e3, 0.05),
            (40, 1e3, 3.0),
            (9000, 1e8, 9e-5),
            (100, 1e-2, 9e3),
        ):
            theta = arb(slope).asinh()
            exact_tilt = log_bessel(k, x) + theta * k - arb(x) * (theta.cosh() - 1)
            each.agrees(
                f"tilted log I_{k}({x:g}), slope {slope:g}", float(tilted(k, x, slope)), exact_tilt, 1e-14, 2e-13
            )
        enclosure.note("Tilts", "with and against the sign of the order, near to and far from its own slope")
        if scaled(0, 0.0) != 0 or scaled(3, 0.0) != -np.inf or scaled(np.inf, 2.0) != -np.inf:
            raise Refuted("at x = 0 the law is the atom 0, and an infinite order has no mass")


@dataclass(frozen=True)
class BallPmf:
    """The pmf p on consecutive integers from `first`, log-concave, beyond them at most geometric."""

    first: int
    weights: Sequence[Ball]

    def up_to(self, k: int) -> Ball:
        """P(X ≤ k), as a sum of terms and a bound on what lies before the first."""
        return self._sums[k - self.first]

    def beyond(self, k: int) -> Ball:
        """P(X > k)."""
        return self._tails[len(self.weights) - 2 - (k - self.first)]

    @cached_property
    def _sums(self) -> list[Ball]:
        return list(accumulate(self.weights, initial=_rest(self.weights[0], self.weights[1])))[1:]

    @cached_property
    def _tails(self) -> list[Ball]:
        return list(accumulate(reversed(self.weights), initial=_rest(self.weights[-1], self.weights[-2])))[1:]

    def __call__(self, k: int) -> Ball:
        return self.weights[k - self.first]


def _rest(last: Ball, before: Ball) -> Ball:
    """A ball around 0 with Σ_{m≥1} last·(last/before)^m, which bounds the tail of a log-concave sequence."""
    ratio = last / before
    return arb(0, (last * ratio / (1 - ratio)).abs_upper())


def bessel_table(x: float, top: int) -> list[Ball]:
    """e^{−x}I_k(x) for k = 0..top, by I_{k−1} = I_{k+1} + (2k/x)I_k downwards."""
    above, here = (arb(x).bessel_i(k, scaled=True) for k in (top + 1, top))
    table = [here]
    for k in range(top, 0, -1):
        above, here = here, above + 2 * k / arb(x) * here
        table.append(here)
    return table[::-1]


@cache
def ball_skellam(variance: float, top: int) -> BallPmf:
    """The symmetric Skellam law of the given variance on −top..top."""
    table = bessel_table(variance, top)
    return BallPmf(-top, table[:0:-1] + table)


@cache
def ball_bridge(before: float, after: float, k: int, reach: int) -> BallPmf:
    """I_|j|(before)I_|k−j|(after)/I_|k|(before + after) for j within `reach` of k·before/(before + after)."""
    middle = round(k * before / (before + after))
    span = reach + abs(middle)
    early, late = bessel_table(before, span), bessel_table(after, span + abs(k))
    whole = (arb(before) + arb(after)).bessel_i(abs(k), scaled=True)
    orders = range(middle - reach, middle + reach + 1)
    return BallPmf(orders[0], [early[abs(j)] * late[abs(k - j)] / whole for j in orders])


def compare(enclosure: Enclosure, name: str, law: Any, exact: BallPmf, shift: int, points: Sequence[int]) -> None:
    """log-pmf, both distribution functions and upper tail of `shift` + a variable of the exact pmf."""
    each = Enclosure(Record())
    at = np.array([shift + k for k in points], dtype=float)
    logs, cdf, left, tail, between = law.logpdf(at), law.cdf(at), law.cdf_left(at), law.sf(at), law.cdf(at + 0.5)
    for i, k in enumerate(points):
        each.agrees(f"{name}: log P(X = {k})", logs[i], exact(k).log(), 1e-14, 4e-13)
        each.agrees(f"{name}: P(X ≤ {k})", cdf[i], exact.up_to(k), 2e-12, 1e-300)
        each.agrees(f"{name}: P(X ≤ {k} + ½)", between[i], exact.up_to(k), 2e-12, 1e-300)
        each.agrees(f"{name}: P(X < {k})", left[i], exact.up_to(k - 1), 2e-12, 1e-300)
        each.agrees(f"{name}: P(X > {k})", tail[i], exact.beyond(k), 2e-12, 1e-300)
    ends = [-np.inf, np.inf]
    _same(f"{name}: distribution function at ∓∞", law.cdf(ends), [0, 1])
    _same(f"{name}: upper tail at ∓∞", law.sf(ends), [1, 0])
    _same(f"{name}: no mass off the integers", law.logpdf([at[0] + 0.5, np.inf]), [-np.inf, -np.inf])
    _same(f"{name}: no atom beside the pmf", law.atom, 0)
    enclosure.checked(name, f"log-pmf, distribution function and tails agree at {len(points)} points")


def _same(name: str, found: Any, expected: Any) -> None:
    if not np.array_equal(np.asarray(found, dtype=float), np.asarray(expected, dtype=float)):
        raise Refuted(f"{name}: {found} instead of {expected}")


class Counts(np.random.Generator):
    """A generator whose Poisson draws are 10 and then 3, and which remembers the means."""

    def __init__(self) -> None:
        super().__init__(np.random.PCG64(0))
        self.means: list[Any] = []

    def poisson(self, mean: Any, shape: Any) -> Any:  # type: ignore[override]
        self.means.append(mean)
        return np.full(shape, 10 if len(self.means) == 1 else 3)


@certificate(
    {"N13": supports, "N14": supports},
    rejects={
        "variance rate·t": {"process": Skellam(0.125)},
        "the increment over t + s": {"forward": lambda s, t, k: QUARTER.forward(s, 2 * t, k)},
        "the given value forgotten": {"forward": lambda s, t, k: QUARTER.forward(s, t, 0)},
    },
)
def skellam_laws(
    enclosure: Enclosure,
    process: Skellam = QUARTER,
    forward: Callable[..., Any] | None = None,
) -> None:
    """X_t ~ Skell(rate·t, rate·t), and X_t given X_s, at few and at very many points of mass; rate ¼, variance t/2."""
    with ctx.workprec(PRECISION):
        small = ball_skellam(5.0, 160)
        compare(enclosure, "variance 5", process.marginal(10.0), small, 0, (-60, -9, -1, 0, 1, 4, 25, 100))
        tiny = ball_skellam(0.3, 60)
        compare(enclosure, "variance 0.3", process.marginal(0.6), tiny, 0, (-20, -2, -1, 0, 1, 2, 20))
        middle = ball_skellam(400.0, 900)
        compare(enclosure, "variance 400", process.marginal(800.0), middle, 0, (-500, -31, 0, 1, 30, 170, 600))
        large = ball_skellam(1e6, 20_000)
        compare(enclosure, "variance 10⁶", process.marginal(2e6), large, 0, (-9000, -500, 0, 1, 800, 9000))
        step: Callable[..., Any] = forward or process.forward
        compare(enclosure, "X_12 given X_2 = −3", step(2.0, 12.0, -3), small, -3, (-9, 0, 4, 25))
        fixed = step(2.0, 2.0, 4)
        _same("s = t: log-pmf", fixed.logpdf([3, 4]), [-np.inf, 0])
        _same(
            "s = t: distribution function",
            [fixed.cdf([3, 4]), fixed.cdf_left([4, 5]), fixed.sf([3, 4])],
            [[0, 1], [0, 1], [1, 0]],
        )
        counts = Counts()
        _same("A draw is given + first count − second", step(2.0, 12.0, -3).rvs(counts, 2), [4, 4])
        _same("both counts of mean rate·(t−s)", counts.means, [2.5, 2.5])
        several = step(np.array([2.0, 8.0]), 12.0, np.array([-3, 1])).rvs(Counts())
        _same("Without a size, one draw for each law", several, [4, 8])


@certificate(
    {"N14": supports},
    rejects={
        "the forward law run backwards": {"bridge": lambda s, t, k: QUARTER.forward(s, t, k)},
        "s and t−s exchanged": {"bridge": lambda s, t, k: QUARTER.bridge(t - s if t > s else s, t, k)},
        "twice the rate": {"bridge": HALF.bridge},
    },
)
def skellam_bridge(enclosure: Enclosure, bridge: Callable[..., Any] = QUARTER.bridge) -> None:
    """X_s given X_t = k has pmf I_|j|(2λs)I_|k−j|(2λ(t−s))/I_|k|(2λt), λ = ¼; its draws follow it."""
    with ctx.workprec(PRECISION):
        for s, t, k in ((6.0, 10.0, 4), (6.0, 10.0, -4), (1.0, 2.5, 0), (0.004, 2.0, 30), (2.0, 2.6, 1)):
            exact = ball_bridge(s / 2, (t - s) / 2, k, 70)
            points = sorted({0, 1, k, k // 2, k - 9, k + 8, -12})
            compare(enclosure, f"X_{s:g} given X_{t:g} = {k}", bridge(s, t, k), exact, 0, points)
        # In the third pair the last step is short: the law is far narrower than X_s and X_t.
        for s, t, k in ((8000.0, 14000.0, 150), (8000.0, 14000.0, -150), (8000.0, 8060.0, 1000), (3e5, 2e6, 9000)):
            exact = ball_bridge(s / 2, (t - s) / 2, k, 3000 if t > 1e5 else 700)
            centre = exact.first + len(exact.weights) // 2
            points = [centre + step for step in (-320, -41, 0, 1, 30, 250)]
            compare(enclosure, f"X_{s:g} given X_{t:g} = {k}", bridge(s, t, k), exact, 0, points)
        fixed = bridge(2.0, 2.0, 4)
        _same("s = t: log-pmf", fixed.logpdf([3, 4]), [-np.inf, 0])
        _same(
            "s = t: distribution function",
            [fixed.cdf([3, 4]), fixed.cdf_left([4, 5]), fixed.sf([3, 4])],
            [[0, 1], [0, 1], [1, 0]],
        )
        _same("s = t: draws", fixed.rvs(np.random.default_rng(0), 3), [4, 4, 4])
        draws = 20_000
        band = arb(float(np.sqrt(np.log(2 / 1e-6) / (2 * draws))))
        for s, t, k in ((0.6, 40.0, -5), (900.0, 1600.0, 40)):
            exact = ball_bridge(s / 2, (t - s) / 2, k, 250 if t > 100 else 70)
            found = bridge(s, t, k).rvs(np.random.default_rng(1), draws)
            worst = max(abs(arb(float(np.mean(found <= j))) - exact.up_to(j)) for j in np.unique(found).tolist())
            enclosure.less(f"{draws} draws of X_{s:g} given X_{t:g} = {k} stay in their 10⁻⁶ band", worst, band)


@certificate(
    {"N14": supports},
    rejects={
        "value and neighbour exchanged": {"loss": lambda t, v, n, r: HALF.loss(t, n, v, r)},
        "μ = rate·t": {"loss": QUARTER.loss},
        "the Gaussian loss of the same variance": {
            "loss": lambda t, v, n, r: _summed(
                ((np.asarray(r) - n) ** 2 - (np.asarray(r) - v) ** 2) / (2 * np.expand_dims(t, -1)), v
            )
        },
    },
)
def skellam_loss(enclosure: Enclosure, loss: Callable[..., Any] = HALF.loss) -> None:
    """The loss is Σ log I_|r−v|(μ) − log I_|r−n|(μ), relative error 10⁻¹⁰ and better; rate ½, so μ = t."""
    with ctx.workprec(PRECISION):
        each = Enclosure(Record())
        for mu in ARGUMENTS:
            for value, neighbour, release in (
                (0, 1, 0),
                (0, 1, 1),
                (5, 2, 9),
                (-3, 4, 900),
                (0, 1, 10_000),
                (0, 2, -10_000),
            ):
                exact = log_bessel(release - value, mu) - log_bessel(release - neighbour, mu)
                number = loss(mu, value, neighbour, release)
                each.agrees(
                    f"μ = {mu:g}, {value}, {neighbour}, release {release}", float(np.squeeze(number)), exact, 1e-12
                )
        enclosure.note("One coordinate", "values apart by 1 to 7, releases near and far, μ from 10⁻¹² to 2·10⁸")
        values, neighbours, rows, times = [0, 4, 1], [1, 4, -2], [[0, 3, 5], [2, -9, 60]], [0.3, 50.0]
        for t, row, number in zip(
            times, rows, loss(np.array(times), np.array(values), np.array(neighbours), np.array(rows)), strict=True
        ):
            exact = sum(
                log_bessel(r - v, t) - log_bessel(r - n, t) for v, n, r in zip(values, neighbours, row, strict=True)
            )
            enclosure.agrees(f"Three coordinates, t = {t}", number, exact, RELATIVE)
        alone = loss(0.3, np.array(values), np.array(neighbours), np.array(rows[0]))
        exact = sum(
            log_bessel(r - v, 0.3) - log_bessel(r - n, 0.3) for v, n, r in zip(values, neighbours, rows[0], strict=True)
        )
        enclosure.agrees("One release of three coordinates", float(np.squeeze(alone)), exact, RELATIVE)


def _summed(losses: Any, value: Any) -> Any:
    return losses.sum(axis=-1) if np.ndim(value) else losses


@certificate(
    {"N14": supports},
    rejects={"nodes of the rule for one point more": {"rule": lambda width: skellam_lattice.gauss_rule(width + 1)}},
)
def lattice_rule(enclosure: Enclosure, rule: Callable[[int], Any] = skellam_lattice.gauss_rule) -> None:
    """The rule that adds up a tail is exact for the powers x^p, p < 64, over 0..width−1; narrow panels are sums."""
    each = Enclosure(Record())
    for width in (32, 76, 128, 1024):
        nodes, weights = rule(width)
        for power in range(64):
            exact = arb(sum((2 * j + 1 - width) ** power for j in range(width))) / arb(width) ** power
            found = float(np.sum(weights * ((2 * nodes + 1 - width) / width) ** power))
            each.agrees(f"Σ((2j+1−w)/w)^{power}, w = {width}", found, exact, 0.0, 1e-13 * width)
        enclosure.note(f"Width {width}", f"{len(nodes)} nodes, 64 powers")
