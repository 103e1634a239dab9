"""The density ratio of Laplace transcripts, with atoms, in exact rationals (Prop. lnr, mixed reference measure)."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import Any

from nrverify.laws.laplace import Laplace
from nrverify.ledger import property_, supports
from nrverify.ledger.search import Search

from .strategies import BINARY, runs
from .transcripts import UNIT, Bridge, Release, Run, Transcript, log_ratio

PROCESS = Laplace()

Exponent = Callable[[Fraction, Fraction, Fraction, Fraction], Fraction]


def marginal(t: Fraction, noise: Fraction) -> Fraction:
    """log of e^{-|x|/t}, up to its constant."""
    return -abs(noise) / t


def atom(s: Fraction, t: Fraction, given: Fraction, noise: Fraction) -> Fraction:
    """log of the atom's e^{-|z|(1/s - 1/t)}, the factor s/t being free of the value."""
    return -abs(given) * (1 / s - 1 / t)


def density(s: Fraction, t: Fraction, given: Fraction, noise: Fraction) -> Fraction:
    """log of exp(-|y|/s - |z-y|/t + |z|/t), the continuous part."""
    return -abs(noise) / s - abs(given - noise) / t + abs(given) / t


def with_atom(atom: Exponent, density: Exponent) -> Bridge:
    """The kernel against (unit mass at z) + Lebesgue: the atom where the release stays, else the density."""

    def bridge(s: Fraction, t: Fraction, given: Fraction, noise: Fraction) -> Fraction:
        return (atom if noise == given else density)(s, t, given, noise)

    return bridge


def sum_of_rates(s: Fraction, t: Fraction, given: Fraction, noise: Fraction) -> Fraction:
    """A wrong atom: 1/s + 1/t."""
    return -abs(given) * (1 / s + 1 / t)


def constant(s: Fraction, t: Fraction, given: Fraction, noise: Fraction) -> Fraction:
    """A wrong atom: the forward coin (s/t)², whatever the noise."""
    return Fraction(0)


def times_swapped(s: Fraction, t: Fraction, given: Fraction, noise: Fraction) -> Fraction:
    """A wrong density: s and t exchanged."""
    return -abs(noise) / t - abs(given - noise) / s + abs(given) / s


def unnormalised(s: Fraction, t: Fraction, given: Fraction, noise: Fraction) -> Fraction:
    """A wrong density: not divided by that of the last release."""
    return -abs(noise) / s - abs(given - noise) / t


def at_look(run: Run, look: int) -> Fraction:
    """(‖y − f(x')‖₁ − ‖y − f(x)‖₁)/t at one look."""
    time, release = run.transcript.times[look], run.transcript.releases[look]
    distances = (abs(y - g) - abs(y - f) for y, f, g in zip(release, run.value, run.neighbour, strict=True))
    return sum(distances, Fraction(0)) / time


def at_last_look(run: Run) -> Fraction:
    """The ratio at the last look."""
    return at_look(run, -1)


def summed_over_changes(run: Run) -> Fraction:
    """A wrong claim: the losses of all looks that changed the release add up."""
    looks = range(len(run.transcript.times))
    changed = [n for n in looks if n == 0 or run.transcript.releases[n] != run.transcript.releases[n - 1]]
    return sum((at_look(run, n) for n in changed), Fraction(0))


BRIDGE = with_atom(atom, density)


@property_(
    {"N08": supports, "N04": supports, "N05": supports, "R08": supports},
    rejects={
        "the atom of the forward process": {"bridge": with_atom(constant, density)},
        "an atom with 1/s + 1/t": {"bridge": with_atom(sum_of_rates, density)},
        "s and t exchanged": {"bridge": with_atom(atom, times_swapped)},
        "a density not normalised by the last release": {"bridge": with_atom(atom, unnormalised)},
        "the losses of all changes added": {"claimed": summed_over_changes},
    },
)
def ratio_of_a_transcript(
    search: Search, bridge: Bridge = BRIDGE, claimed: Callable[[Run], Fraction] = at_last_look
) -> None:
    """With atoms drawn on purpose, the log ratio of a transcript is (‖y − f(x')‖₁ − ‖y − f(x)‖₁)/t at its last look."""

    def check(run: Run) -> None:
        search.require(log_ratio(run, marginal, bridge) == claimed(run), f"the ratios differ for {run}")

    search.for_all("adaptive transcripts with ties and atoms", check, runs(with_atoms=True), examples=50)


def sum_norm(v: Release) -> Fraction:
    """‖v‖₁."""
    return sum((abs(c) for c in v), Fraction(0))


def largest(v: Release) -> Fraction:
    """A wrong sensitivity: ‖v‖∞."""
    return max(abs(c) for c in v)


@property_(
    {"N08": supports},
    rejects={
        "the sensitivity in the largest coordinate": {"norm": largest},
        "half the sensitivity": {"norm": lambda v: sum_norm(v) / 2},
        "the bound at the first look": {"look": 0},
    },
)
def loss_is_bounded_without_delta(
    search: Search, norm: Callable[[Release], Fraction] = sum_norm, look: int = -1
) -> None:
    """|L| ≤ ‖f(x) − f(x')‖₁/T_N for every transcript, with equality once every coordinate lies outside the values."""

    def check(run: Run) -> None:
        v = tuple(f - g for f, g in zip(run.value, run.neighbour, strict=True))
        bound = norm(v) / run.transcript.times[look]
        loss = log_ratio(run, marginal, BRIDGE)
        search.require(abs(loss) <= bound, f"the loss {loss} exceeds {bound}: {run}")
        attained = Run(run.value, run.neighbour, _beyond(run.transcript, run.value, v))
        search.require(log_ratio(attained, marginal, BRIDGE) == bound, f"the bound is not attained: {attained}")

    search.for_all("the bound, and transcripts that attain it", check, runs(with_atoms=True), examples=40)


def _beyond(transcript: Transcript, value: Release, v: Release) -> Transcript:
    """The transcript with its last release moved to the far side of the value; at a tie, all that equal it."""
    last = transcript.releases[-1]
    far = tuple(f + (1 if c > 0 else -1) for f, c in zip(value, v, strict=True))
    return Transcript(transcript.times, tuple(far if release == last else release for release in transcript.releases))


@property_(
    {"N08": supports, "N04": supports, "N06": supports},
    rejects={
        "a loss without its cut-off": {"loss": lambda t, f, g, y: _uncut(t, f, g, y)},
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
    """`Laplace` at doubles: its loss, and its atoms and densities in release order, are the exact rational ratio."""

    def check(drawn: Run) -> None:
        run = Run(drawn.value, drawn.neighbour, drawn.transcript.at_double_times())
        exact = log_ratio(run, marginal, BRIDGE)
        value, neighbour, last = ([float(c) for c in v] for v in (run.value, run.neighbour, run.last))
        computed = Fraction(float(loss(float(run.last_time), value, neighbour, last)))
        # 2y − f − g and |f − g| are exact on these doubles: left are d − 1 additions and a division.
        moduli = sum(abs(f - g) for f, g in zip(run.value, run.neighbour, strict=True)) / run.last_time
        close = abs(computed - exact) <= (len(value) + 1) * UNIT * moduli
        search.require(close, f"loss {float(computed)} is not {float(exact)}: {run}")
        search.require(_ties_are_certain(run.transcript, run.value, bridge), f"a tie is not certain: {run}")
        own, own_error = _log_density(run.transcript, run.value, bridge)
        other, other_error = _log_density(run.transcript, run.neighbour, bridge)
        close = abs(own - other - exact) <= UNIT * Fraction(own_error + other_error)
        search.require(close, f"log densities differ by {float(own - other)}, not {float(exact)}: {run}")

    # Small values keep every atom e^{-|z|(1/s - 1/t)} a normal double: |z| ≤ 3 and 1/s - 1/t ≤ 3⁵ - 3⁴.
    small = runs(size=2, denominator=BINARY, with_atoms=True)
    search.for_all("transcripts of doubles", check, small, examples=40)


def _uncut(t: float, value: list[float], neighbour: list[float], release: list[float]) -> float:
    """The Brownian form of the distance, 2y − f − g, which is right only between the values."""
    signs = [(f > g) - (f < g) for f, g in zip(value, neighbour, strict=True)]
    return sum(q * (2 * y - f - g) for q, f, g, y in zip(signs, value, neighbour, release, strict=True)) / t


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

    A rate (1/s ± 1/t) errs by 3 units, an exponent by 5 of its own, and joining it to the weight, which is the same
    number under both values, by one of each. An atom is (s/t)e^{-x}: 4x + 4 units before its logarithm is taken.
    """
    looks = list(zip(transcript.times, transcript.releases, strict=True))
    total, condition = Fraction(0), 0.0
    for y, f in zip(looks[0][1], value, strict=True):
        t = float(looks[0][0])
        total += Fraction(float(PROCESS.marginal(t).logpdf(float(y - f))))
        condition += 2 * abs(float(y - f)) / t + abs(math.log(2 * t))
    for (t_, before), (s_, after) in pairwise(looks):
        s, t = float(s_), float(t_)
        for z, y, f in zip(before, after, value, strict=True):
            if s == t:
                continue
            law = bridge(s, t, float(z - f))
            if z == y:
                total += Fraction(math.log(law.atom))
                condition += 6 * abs(float(z - f)) * (1 / s - 1 / t) + 4 + 2 * abs(math.log(s / t))
            else:
                total += Fraction(float(law.logpdf(float(y - f))))
                weight = abs(math.log((1 - s / t) * (1 + s / t) / (2 * s)))
                condition += 7 * (abs(float(y - f)) / s + abs(float(y - z)) / t + abs(float(z - f)) / t) + weight
    return total, condition
