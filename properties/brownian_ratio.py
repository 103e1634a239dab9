"""The density ratio of Brownian transcripts, in exact rationals (Lemma bm_nr, Theorem bm_ploss, Prop. target_ploss)."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import Any

from hypothesis import strategies as st

from nrverify.laws.brownian import Brownian
from nrverify.ledger import proof_wrong, property_, supports
from nrverify.ledger.search import Search

from .strategies import BINARY, THIRDS_AND_SEVENTHS, rationals, runs
from .transcripts import UNIT, Bridge, Release, Run, Transcript, log_ratio

PROCESS = Brownian()

Factor = Callable[[Fraction, Fraction], Fraction]
Claimed = Callable[[Run], Fraction]


def marginal(t: Fraction, noise: Fraction) -> Fraction:
    """log N(0, t), up to its constant."""
    return -(noise**2) / (2 * t)


def bridge_with(share: Factor, factor: Factor) -> Bridge:
    """The exponent −(y − share·z)²·factor/2(t−s) of a bridge from z at t to y at s."""

    def bridge(s: Fraction, t: Fraction, given: Fraction, noise: Fraction) -> Fraction:
        return -((noise - share(s, t) * given) ** 2) * factor(s, t) / (2 * (t - s))

    return bridge


def over(s: Fraction, t: Fraction) -> Fraction:
    """s/t."""
    return s / t


def under(s: Fraction, t: Fraction) -> Fraction:
    """t/s."""
    return t / s


def one(s: Fraction, t: Fraction) -> Fraction:
    """1: no factor at all."""
    return Fraction(1)


def at_look(run: Run, look: int) -> Fraction:
    """The ratio of the marginal densities at one look, its time taken as fixed."""
    time, release = run.transcript.times[look], run.transcript.releases[look]
    own = sum((marginal(time, y - f) for y, f in zip(release, run.value, strict=True)), Fraction(0))
    return own - sum((marginal(time, y - f) for y, f in zip(release, run.neighbour, strict=True)), Fraction(0))


def at_last_look(run: Run) -> Fraction:
    """The ratio at (T_N, the N-th release)."""
    return at_look(run, -1)


def at_first_look(run: Run) -> Fraction:
    """A wrong claim: the noisiest look decides."""
    return at_look(run, 0)


def summed_over_looks(run: Run) -> Fraction:
    """A wrong claim: losses of the looks add up, as they do for independent noise."""
    return sum((at_look(run, look) for look in range(len(run.transcript.times))), Fraction(0))


BRIDGE = bridge_with(over, under)


@property_(
    {
        "B01": proof_wrong("the printed factor T_{n+1}/T_n"),
        "A13": proof_wrong("the printed factor T_{n+1}/T_n"),
        "A01": supports,
        "A18": supports,
        "A14": supports,
    },
    rejects={
        "the printed factor T_{n+1}/T_n": {"bridge": bridge_with(over, over)},
        "the forward increment's variance": {"bridge": bridge_with(over, one)},
        "times swapped in the mean": {"bridge": bridge_with(under, under)},
        "no share of the last noise is lost": {"bridge": bridge_with(one, under)},
        "the losses of all looks added": {"claimed": summed_over_looks},
        "the loss at the first look": {"claimed": at_first_look},
    },
)
def ratio_of_a_transcript(search: Search, bridge: Bridge = BRIDGE, claimed: Claimed = at_last_look) -> None:
    """The log ratio of a transcript, with adaptive times, ties and stopping, is that of its last release alone."""

    def check(run: Run) -> None:
        search.require(log_ratio(run, marginal, bridge) == claimed(run), f"the ratios differ for {run}")

    search.for_all("adaptive transcripts, dimensions 1 to 3", check, runs(), examples=50)


def inserted(run: Run, position: int, share: Fraction, release: Release) -> Run:
    """The run with one more look somewhere before its last, at a time between those of its neighbours."""
    times = run.transcript.times
    position %= len(times)
    noisier = times[position - 1] if position else times[0] * 2
    time = times[position] + share * (noisier - times[position])
    seen = tuple((release * 3)[: len(run.value)])
    if position and time == noisier:
        seen = run.transcript.releases[position - 1]
    if time == times[position]:
        seen = run.transcript.releases[position]
    return Run(run.value, run.neighbour, run.transcript.with_look(position, time, seen))


def after_the_last(run: Run, position: int, share: Fraction, release: Release) -> Run:
    """A wrong insertion: a look with less noise than the last one."""
    times = run.transcript.times
    seen = tuple((release * 3)[: len(run.value)])
    return Run(run.value, run.neighbour, run.transcript.with_look(len(times), times[-1] / 2, seen))


@property_(
    {"B01": supports, "P10": supports},
    rejects={
        "a less noisy look inserted": {"insert": after_the_last},
        "the printed factor T_{n+1}/T_n": {"bridge": bridge_with(over, over)},
    },
)
def noisier_looks_are_free(
    search: Search, bridge: Bridge = BRIDGE, insert: Callable[[Run, int, Fraction, Release], Run] = inserted
) -> None:
    """One more look at any noisier time, ties included, leaves the loss of the transcript as it was."""
    share = st.integers(0, 4).map(lambda k: Fraction(k, 4))
    release = st.tuples(*[rationals(8, THIRDS_AND_SEVENTHS)] * 3)

    def check(run: Run, position: int, between: Fraction, seen: Release) -> None:
        more = insert(run, position, between, seen)
        same = log_ratio(more, marginal, bridge) == log_ratio(run, marginal, bridge)
        search.require(same, f"the look inserted changes the loss: {more}")

    search.for_all("a look inserted anywhere", check, runs(), st.integers(0, 5), share, release, examples=40)


def swapped(run: Run) -> Run:
    """The same transcript with the two values exchanged."""
    return Run(run.neighbour, run.value, run.transcript)


def reflected(run: Run) -> Run:
    """All values and releases with the opposite sign."""
    releases = tuple(tuple(-y for y in release) for release in run.transcript.releases)
    mirrored = Transcript(run.transcript.times, releases)
    return Run(tuple(-f for f in run.value), tuple(-f for f in run.neighbour), mirrored)


@property_(
    {"B01": supports, "B03": supports, "P02": supports},
    rejects={
        "the loss of the neighbour's own run": {"exchanged": lambda run: run},
        "an exchange of the values alone is a symmetry": {"mirror": swapped},
    },
)
def signs_of_the_loss(
    search: Search,
    exchanged: Callable[[Run], Run] = swapped,
    mirror: Callable[[Run], Run] = reflected,
) -> None:
    """L(x, x') = −L(x', x); the loss is 0 exactly halfway, positive nearer to f(x); reflecting everything keeps it."""

    def check(run: Run) -> None:
        loss = log_ratio(run, marginal, BRIDGE)
        search.require(log_ratio(exchanged(run), marginal, BRIDGE) == -loss, f"not antisymmetric: {run}")
        search.require(log_ratio(mirror(run), marginal, BRIDGE) == loss, f"not symmetric: {run}")
        nearer = _squared(run.last, run.neighbour) - _squared(run.last, run.value)
        search.require((loss > 0) == (nearer > 0), f"the sign is not that of the nearer value: {run}")
        search.require((loss == 0) == (nearer == 0), f"not 0 halfway: {run}")

    search.for_all("values exchanged, everything reflected", check, runs(), examples=30)


def _squared(release: Release, value: Release) -> Fraction:
    return sum(((y - f) ** 2 for y, f in zip(release, value, strict=True)), Fraction(0))


def positive_part(projected: Fraction) -> Fraction:
    """W⁺."""
    return max(projected, Fraction(0))


@property_(
    {"B03": supports, "B04": supports},
    rejects={
        "W in place of its positive part": {"part": lambda projected: projected},
        "half the first term": {"first_term": Fraction(1, 4)},
        "the noise term alone": {"first_term": Fraction(0)},
    },
)
def loss_is_bounded_by_the_sensitivity(
    search: Search,
    part: Callable[[Fraction], Fraction] = positive_part,
    first_term: Fraction = Fraction(1, 2),
) -> None:
    """L = ‖v‖²/2T + ‖v‖W/T, W = ⟨v, noise⟩/‖v‖, and with ‖v‖ ≤ Δ it is at most Δ²/2T + ΔW⁺/T."""

    def check(run: Run, excess: Fraction) -> None:
        v = [f - g for f, g in zip(run.value, run.neighbour, strict=True)]
        squared = sum((c * c for c in v), Fraction(0))
        product = sum((c * (y - f) for c, y, f in zip(v, run.last, run.value, strict=True)), Fraction(0))
        loss = log_ratio(run, marginal, BRIDGE)
        search.require(loss == (squared / 2 + product) / run.last_time, f"not the equality of the theorem: {run}")
        # With g = (Δ/‖v‖)² ≥ 1 the bound times T is g‖v‖²·½ + √g·part: compared without the root, by squares.
        g = 1 + excess
        needed, offered = loss * run.last_time - first_term * g * squared, part(product)
        below = needed <= 0 if offered >= 0 else needed < 0
        if needed > 0 and offered > 0:
            below = needed**2 <= g * offered**2
        if needed <= 0 and offered < 0:
            below = needed**2 >= g * offered**2
        search.require(below, f"the loss is above the bound at (Δ/‖v‖)² = {g}: {run}")

    search.for_all("any Δ ≥ ‖v‖", check, runs(), rationals(3, THIRDS_AND_SEVENTHS).map(abs), examples=50)


@property_(
    {"B01": supports, "B03": supports, "E09": supports},
    rejects={
        "a loss with the release's own noise doubled": {"loss": lambda t, f, g, y: 2 * PROCESS.loss(t, f, g, y)},
        "the loss of the values exchanged": {"loss": lambda t, f, g, y: PROCESS.loss(t, g, f, y)},
        "the forward law for the bridge": {"bridge": PROCESS.forward},
        "a bridge to a time too late by 2⁻³⁰": {"bridge": lambda s, t, g: PROCESS.bridge(s * (1 - 2**-30), t, g)},
    },
)
def laws_agree_with_the_exact_ratio(
    search: Search,
    loss: Callable[..., Any] = PROCESS.loss,
    bridge: Callable[..., Any] = PROCESS.bridge,
) -> None:
    """`Brownian` at doubles: its loss, and its log densities in release order, are the exact rational, rounded."""

    def check(drawn: Run) -> None:
        run = Run(drawn.value, drawn.neighbour, drawn.transcript.at_double_times())
        exact = log_ratio(run, marginal, BRIDGE)
        value, neighbour, last = ([float(c) for c in v] for v in (run.value, run.neighbour, run.last))
        computed = Fraction(float(loss(float(run.last_time), value, neighbour, last)))
        # Roundings on the way of a product to the result: the three differences count for two (their rounding is that
        # of the larger), then mean, product, d − 1 additions and the division: at most d + 4.
        moduli = sum(
            abs(f - g) * (abs(y - f) + abs(y - g)) / 2
            for f, g, y in zip(run.value, run.neighbour, run.last, strict=True)
        )
        allowed = (len(value) + 5) * UNIT * moduli / run.last_time
        search.require(abs(computed - exact) <= allowed, f"loss {float(computed)} is not {float(exact)}: {run}")
        search.require(_ties_are_certain(run.transcript, run.value, bridge), f"a tie is not certain: {run}")
        own, own_error = _log_density(run.transcript, run.value, bridge)
        other, other_error = _log_density(run.transcript, run.neighbour, bridge)
        close = abs(own - other - exact) <= UNIT * Fraction(own_error + other_error)
        search.require(close, f"log densities differ by {float(own - other)}, not {float(exact)}: {run}")

    search.for_all("transcripts of doubles", check, runs(denominator=BINARY), examples=40)


def _ties_are_certain(transcript: Transcript, value: Release, bridge: Callable[..., Any]) -> bool:
    """At an equal time the law is the unit mass at the last release."""
    looks = list(zip(transcript.times, transcript.releases, strict=True))
    return all(
        bridge(float(s), float(t), float(z - f)).atom == 1
        for (t, before), (s, _) in pairwise(looks)
        if s == t
        for z, f in zip(before, value, strict=True)
    )


def _log_density(transcript: Transcript, value: Release, bridge: Callable[..., Any]) -> tuple[Fraction, float]:
    """The laws' log density of a transcript in release order, and its condition: the error is below UNIT times it.

    With z = (y − m)/σ: m and σ err by 2 and 4 units, so z²/2 by 2|m||z|/σ + 7z² of them; the terms log σ and log √2π
    are the same numbers under both values, and the two additions that join them to z²/2 err by 2(z²/2 + |log σ| + 1).
    """
    total, condition = Fraction(0), 0.0
    looks = list(zip(transcript.times, transcript.releases, strict=True))
    for y, f in zip(looks[0][1], value, strict=True):
        law = PROCESS.marginal(float(looks[0][0]))
        total += Fraction(float(law.logpdf(float(y - f))))
        condition += _condition(0.0, float(looks[0][0]), float(y - f))
    for (t, before), (s, after) in pairwise(looks):
        for z, y, f in zip(before, after, value, strict=True):
            if s < t:
                total += Fraction(float(bridge(float(s), float(t), float(z - f)).logpdf(float(y - f))))
                condition += _condition(float((z - f) * s / t), float(s * (t - s) / t), float(y - f))
    return total, condition


def _condition(mean: float, variance: float, noise: float) -> float:
    z = abs(noise - mean) / math.sqrt(variance)
    return 2 * abs(mean) * z / math.sqrt(variance) + 9 * z * z + abs(math.log(variance)) + 3
