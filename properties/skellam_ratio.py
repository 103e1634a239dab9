"""The density ratio of Skellam transcripts as an identity of Bessel factors, and the bridge by counting (claim N14)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from math import comb, factorial
from typing import Any

import flint
from flint import arb

from nrverify.laws.skellam import Skellam
from nrverify.ledger import property_, supports
from nrverify.ledger.enclosure import PRECISION
from nrverify.ledger.search import Search

from .strategies import integers, runs
from .transcripts import Release, Run, Transcript

Factors = Counter[tuple[int, Fraction]]
"""A product of Bessel functions I_n(x): the power of each (n, x)."""


def marginal(t: Fraction, noise: int) -> Factors:
    """I_|k|(t), for rate ½, up to e^{-t}."""
    return Counter({(abs(noise), t): 1})


def bridge(s: Fraction, t: Fraction, given: int, noise: int) -> Factors:
    """I_|j|(s) I_|k-j|(t-s) / I_|k|(t)."""
    return _product({(abs(noise), s): 1}, {(abs(given - noise), t - s): 1}, {(abs(given), t): -1})


def times_swapped(s: Fraction, t: Fraction, given: int, noise: int) -> Factors:
    """A wrong bridge: the two times exchanged."""
    return _product({(abs(noise), t): 1}, {(abs(given - noise), t - s): 1}, {(abs(given), s): -1})


def forwards(s: Fraction, t: Fraction, given: int, noise: int) -> Factors:
    """A wrong bridge: an independent increment alone."""
    return Counter({(abs(given - noise), t - s): 1})


def not_normalised(s: Fraction, t: Fraction, given: int, noise: int) -> Factors:
    """A wrong bridge: not divided by the weight of the last release."""
    return _product({(abs(noise), s): 1}, {(abs(given - noise), t - s): 1})


def _product(*factors: dict[tuple[int, Fraction], int]) -> Factors:
    total: Factors = Counter()
    for factor in factors:
        total.update(factor)
    return total


def _weight(transcript: Transcript, value: Release, kernel: Callable[..., Factors]) -> Factors:
    looks = list(zip(transcript.times, transcript.releases, strict=True))
    total = _product(*(marginal(looks[0][0], int(y - f)) for y, f in zip(looks[0][1], value, strict=True)))
    for (t, before), (s, after) in pairwise(looks):
        if s < t:
            for z, y, f in zip(before, after, value, strict=True):
                total.update(kernel(s, t, int(z - f), int(y - f)))
    return total


def ratio(run: Run, kernel: Callable[..., Factors]) -> Factors:
    """The weight of the transcript under the value over that under the neighbour, equal factors cancelled."""
    own = _weight(run.transcript, run.value, kernel)
    own.subtract(_weight(run.transcript, run.neighbour, kernel))
    return _cancelled(own)


def at_look(run: Run, look: int) -> Factors:
    """The ratio of the two marginal weights at one look."""
    time, release = run.transcript.times[look], run.transcript.releases[look]
    own = _product(*(marginal(time, int(y - f)) for y, f in zip(release, run.value, strict=True)))
    own.subtract(_product(*(marginal(time, int(y - f)) for y, f in zip(release, run.neighbour, strict=True))))
    return _cancelled(own)


def at_last_look(run: Run) -> Factors:
    """The ratio at the last look."""
    return at_look(run, -1)


def summed_over_looks(run: Run) -> Factors:
    """A wrong claim: the losses of all looks add up."""
    return _cancelled(_product(*(at_look(run, look) for look in range(len(run.transcript.times)))))


def _cancelled(factors: Factors) -> Factors:
    return Counter({factor: power for factor, power in factors.items() if power})


def _ball(x: Fraction) -> Any:
    return arb(x.numerator) / x.denominator


def _logarithm(factors: Factors) -> Any:
    """log of the product, as a ball."""
    return sum((power * _ball(x).bessel_i(arb(n)).log() for (n, x), power in factors.items()), arb(0))


@property_(
    {"N14": supports},
    rejects={
        "the two times exchanged": {"kernel": times_swapped},
        "independent increments released": {"kernel": forwards},
        "a bridge not normalised": {"kernel": not_normalised},
        "the losses of all looks added": {"claimed": summed_over_looks},
    },
)
def ratio_of_a_transcript(
    search: Search,
    kernel: Callable[..., Factors] = bridge,
    claimed: Callable[[Run], Factors] = at_last_look,
) -> None:
    """The ratio of an adaptive transcript is that of its last release: every other Bessel factor cancels."""

    def check(run: Run) -> None:
        difference = ratio(run, kernel)
        difference.subtract(claimed(run))
        left = _cancelled(difference)
        if left:
            with flint.ctx.workprec(PRECISION):
                search.require(_logarithm(left).contains(0), f"the ratios differ for {run}")
        search.require(not left, f"factors {dict(left)} do not cancel for {run}")

    search.for_all("integer releases, dimensions 1 to 3", check, runs(size=9, denominator=1), examples=50)


def kept(s: Fraction, t: Fraction) -> Fraction:
    """Each jump before t lies before s with probability s/t."""
    return s / t


def kept_squared(s: Fraction, t: Fraction) -> Fraction:
    """A wrong share: (s/t)², as the Laplace process keeps its place."""
    return (s / t) ** 2


@property_(
    {"N14": supports},
    rejects={
        "jumps kept with probability (s/t)²": {"share": kept_squared},
        "jumps kept with probability 1 - s/t": {"share": lambda s, t: 1 - s / t},
    },
)
def bridge_by_counting_jumps(search: Search, share: Callable[..., Fraction] = kept) -> None:
    """I_|j|(2λs) I_|k-j|(2λ(t-s)) and the thinning of (m+k, m) jumps at s/t have equal coefficients in λ, exactly."""

    def check(j: int, k: int, m: int, s: Fraction, gap: Fraction) -> None:
        t = s + gap
        power = 2 * m + abs(k)
        by_bessel = sum(
            (_coefficient(j, a, s) * _coefficient(k - j, power - a, gap) for a in range(abs(j), power + 1)), Fraction(0)
        )
        ups, downs = m + max(k, 0), m + max(-k, 0)
        by_counting = t**power / (factorial(ups) * factorial(downs)) * _thinned(j, ups, downs, share(s, t))
        search.require(by_bessel == by_counting, f"coefficient of λ^{power} at j={j}, k={k}, s={s}, t={t}")

    order = integers(-4, 4)
    time = integers(1, 60).map(lambda n: Fraction(n, 12))
    search.for_all("coefficients of all orders", check, order, order, integers(0, 5), time, time, examples=60)


def _coefficient(order: int, power: int, time: Fraction) -> Fraction:
    """That of λ^power in I_|order|(2λ·time) = Σ_m (λ·time)^{2m+|order|} / m!(m+|order|)!."""
    m, odd = divmod(power - abs(order), 2)
    return Fraction(0) if odd or m < 0 else time**power / (factorial(m) * factorial(m + abs(order)))


def _thinned(j: int, ups: int, downs: int, p: Fraction) -> Fraction:
    """P(Bin(ups, p) − Bin(downs, p) = j)."""
    return sum(
        (
            comb(ups, i) * comb(downs, i - j) * p ** (2 * i - j) * (1 - p) ** (ups + downs - 2 * i + j)
            for i in range(max(j, 0), min(ups, downs + j) + 1)
        ),
        Fraction(0),
    )


@property_(
    {"N14": supports},
    rejects={
        "a rate too large by 1e-9": {"rate": 0.5 * (1 + 1e-9)},
        "the values exchanged": {"exchanged": True},
        "the forward law for the bridge": {"kernel": "forward"},
    },
)
def laws_agree_with_the_exact_ratio(
    search: Search, rate: float = 0.5, exchanged: bool = False, kernel: str = "bridge"
) -> None:
    """`Skellam` at doubles: its loss, and its log-pmfs in release order, are a ratio of Bessel balls, rounded."""
    process = Skellam(rate)

    def check(drawn: Run) -> None:
        run = Run(drawn.value, drawn.neighbour, drawn.transcript.at_double_times())
        with flint.ctx.workprec(PRECISION):
            exact = Fraction(float(_logarithm(ratio(run, bridge)).mid()))
        value, neighbour, last = ([int(c) for c in v] for v in (run.value, run.neighbour, run.last))
        pair = (neighbour, value) if exchanged else (value, neighbour)
        computed = Fraction(float(process.loss(float(run.last_time), *pair, last)))
        error = sum(_loss_error(y - f, y - g, float(run.last_time)) for f, g, y in zip(*pair, last, strict=True))
        close = abs(computed - exact) <= error
        search.require(close, f"loss {float(computed)} is not {float(exact)}: {run}")
        own, own_error = _log_pmf(run.transcript, run.value, getattr(process, kernel))
        other, other_error = _log_pmf(run.transcript, run.neighbour, getattr(process, kernel))
        close = abs(own - other - exact) <= own_error + other_error + abs(exact) * 2**-53
        search.require(close, f"log-pmfs differ by {float(own - other)}, not {float(exact)}: {run}")

    search.for_all("transcripts of doubles", check, runs(size=9, denominator=1), examples=20)


TERMS = 80
"""The power series of I_n(x) with n, x ≤ 40 has at most so many terms above the last bit; each takes 4 roundings."""


def _loss_error(a: int, b: int, x: float) -> float:
    """Two series of TERMS positive terms, each wrong by 4·TERMS units, and at most 16 quotients of factorials."""
    return 0.0 if abs(a) == abs(b) else (8 * TERMS + 16 + 4 * abs(abs(a) - abs(b)) * (1 + abs(math.log(x)))) * 2**-53


def _log_pmf(transcript: Transcript, value: Release, kernel: Callable[..., Any]) -> tuple[Fraction, float]:
    """The laws' log-pmf of a transcript in release order and its error.

    Each factor is a sum of n log(x/2), log n!, x and their like under a tilt n·asinh(k/t), 4 units of each and n more
    for the rounding of x itself, and the logarithm of a series of TERMS terms, 4 units a term.
    """
    looks = list(zip(transcript.times, transcript.releases, strict=True))
    total, error = Fraction(0), 0.0
    for y, f in zip(looks[0][1], value, strict=True):
        total += Fraction(float(Skellam(0.5).marginal(float(looks[0][0])).logpdf(int(y - f))))
        error += _factor_error(int(y - f), float(looks[0][0]), 0.0)
    for (t_, before), (s_, after) in pairwise(looks):
        s, t = float(s_), float(t_)
        for z, y, f in zip(before, after, value, strict=True):
            k, j = int(z - f), int(y - f)
            total += Fraction(float(kernel(s, t, k).logpdf(j)))
            if s < t:
                error += _factor_error(j, s, k / t) + _factor_error(k - j, t - s, k / t) + _factor_error(k, t, k / t)
    return total, error


def _factor_error(n: int, x: float, slope: float) -> float:
    tilt = abs(n) * math.asinh(abs(slope)) + x * (math.hypot(1, slope) - 1)
    magnitude = abs(n) * (1 + abs(math.log(x / 2))) + math.lgamma(abs(n) + 1) + x + tilt
    return (4 * magnitude + 4 * TERMS) * 2**-53
