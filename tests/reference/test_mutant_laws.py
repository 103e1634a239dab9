"""Every noise-reduction mutant differs in law from the right mechanism, and no benign variant does.

A subject is reduced to scores that are 0 on average under the right law, in units of their standard error, and to
counts of events that never happen. Mutants must show a score above 8 or such an event. Benign variants must stay below
6.5: with fewer than 60 nearly normal scores for each of 24 of them, a right one fails with probability below 2e-7.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from scipy.special import ive, ndtr

from nrverify.reference.mutants import BENIGN, MUTANTS
from tests.reference.between_sessions import FAULTS as BETWEEN_SESSIONS
from tests.reference.seen_elsewhere import SEEN_ELSEWHERE

FOUND, CLEAR = 8.0, 6.5
SESSIONS, OPENED = 30_000, 1_500
VALUE = np.array([1000.0, 0.0, 3.5])
BROWNIAN_TIMES = [9.0, 8.9, 4.0, 4.0, 1.0, 0.5, 0.4, 0.3]
LAPLACE_TIMES = [3.0, 2.9, 1.0, 1.0, 0.1, 0.02]
SKELLAM_TIMES = [900.0, 300.0, 2.0, 0.25]

Score = tuple[str, float]


def entries(mechanism: str, catalogue: tuple[Any, ...]) -> list[Any]:
    """The entries with the knob time, but for faults between sessions; state-on-subject is right one at a time."""
    chosen = [e for e in catalogue if e.subject.mechanism == mechanism and getattr(e.subject, "knob", "time") == "time"]
    elsewhere = {*BETWEEN_SESSIONS, *SEEN_ELSEWHERE, "brownian-state-on-subject"}
    return [pytest.param(e.subject, id=e.name) for e in chosen if e.name not in elsewhere]


def worst(scores: Iterator[Score]) -> Score:
    return max(scores, key=lambda score: abs(score[1]))


def mean(name: str, numbers: np.ndarray, expected: float, deviation: float) -> Score:
    """How many standard errors the mean of independent numbers lies from what it should be."""
    return name, float((numbers.mean() - expected) / deviation * math.sqrt(numbers.size))


def never(name: str, happened: Any) -> Score:
    return name, math.inf if np.any(happened) else 0.0


def drawn(subject: Any, value: np.ndarray, times: list[float]) -> list[np.ndarray]:
    """Transcripts: two batches in one; and sessions one by one where they do not run on the same code as batches."""
    found = []
    if getattr(subject, "sample", None) is not None:
        batches = [np.asarray(subject.sample(value, times, SESSIONS // 2, seed)) for seed in (101, 101 + 2**20)]
        found.append(np.concatenate(batches))
    if vars(type(subject)).get("open") is not None or not found:
        sessions = (subject.open(value, seed) for seed in range(OPENED))
        found.append(np.array([[session.release(t) for t in times] for session in sessions]))
    return [releases.reshape(-1, len(times), value.size) for releases in found]


def repeats(releases: np.ndarray) -> int:
    return len(releases) - len({row.tobytes() for row in np.ascontiguousarray(releases)})


def brownian_scores(releases: np.ndarray) -> Iterator[Score]:
    """Innovations Z = (w_s − (s/t)w_t)/√(s(t−s)/t) are independent standard normals."""
    yield never("equal transcripts", repeats(releases))
    yield never("single precision", np.mean(releases == releases.astype(np.float32)) > 0.1)
    yield never("fixed point", np.mean(releases * 2.0**24 % 1.0 == 0.0) > 0.1)
    yield never("three decimals", np.mean(np.abs(releases - np.round(releases, 3)) < 1e-12) > 0.1)
    rounding = 4 * np.spacing(np.abs(releases[:, 3]) + np.abs(VALUE))
    yield never("a repeated time moves", np.abs(releases[:, 3] - releases[:, 2]) > rounding)
    noise = np.delete(releases - VALUE, 3, axis=1)
    t = np.delete(BROWNIAN_TIMES, 3)
    ratio = (t[1:] / t[:-1])[:, None]
    steps = (noise[:, 1:] - ratio * noise[:, :-1]) / np.sqrt(t[1:] * (t[:-1] - t[1:]) / t[:-1])[:, None]
    z = np.concatenate([noise[:, :1] / np.sqrt(t[0]), steps], axis=1)
    yield mean("tails", (np.abs(z) > 3).astype(float).ravel(), 2 * ndtr(-3), math.sqrt(2 * ndtr(-3)))
    for n in range(z.shape[1]):
        yield mean(f"mean {n}", z[:, n].ravel(), 0, 1)
        yield mean(f"variance {n}", z[:, n].ravel() ** 2, 1, math.sqrt(2))
        yield mean(f"coordinates {n}", (z[:, n, :-1] * z[:, n, 1:]).ravel(), 0, 1)
        yield mean(f"sessions {n}", (z[1:, n] * z[:-1, n]).ravel(), 0, 1)
        if n:
            yield mean(f"step before {n}", (z[:, n] * z[:, n - 1]).ravel(), 0, 1)
            yield mean(f"first step {n}", (z[:, n] * z[:, 0]).ravel(), 0, 1)
            extreme = np.abs(noise[:, n - 1]) > 2 * math.sqrt(t[n - 1])
            if extreme.any():
                yield mean(f"after an extreme {n}", z[:, n][extreme] ** 2, 1, math.sqrt(2))
    yield mean("variance", z.ravel() ** 2, 1, math.sqrt(2))
    yield mean("variance at the large value", z[..., 0].ravel() ** 2, 1, math.sqrt(2))
    yield mean("variance at the value 0", z[..., 1].ravel() ** 2, 1, math.sqrt(2))


def laplace_scores(releases: np.ndarray) -> Iterator[Score]:
    """Forwards: |w_s|/s is exponential, ties have probability (s/t)², and jumps/t are Lap(1), all independent."""
    yield never("not finite", ~np.isfinite(releases))
    yield never("equal transcripts", repeats(releases))
    if not np.isfinite(releases).all():
        return
    yield never("a repeated time moves", releases[:, 3] != releases[:, 2])
    noise = np.delete(releases - VALUE, 3, axis=1)
    times = np.delete(LAPLACE_TIMES, 3)
    yield mean("least noise", np.abs(noise[:, -1]).ravel() / times[-1], 1, 1)
    yield mean("first noise", np.abs(noise[:, 0]).ravel() / times[0], 1, 1)
    for t, s, early, late in zip(
        times[:-1], times[1:], noise.swapaxes(0, 1), noise[:, 1:].swapaxes(0, 1), strict=False
    ):
        # The value 1000 costs 13 bits of the noise; true jumps below that are rarer than one in 1e9.
        tied, stays = np.abs(early - late) < 1e-11, (s / t) ** 2
        coin = math.sqrt(stays * (1 - stays))
        yield mean(f"ties {t} {s}", tied.ravel().astype(float), stays, coin)
        yield mean(f"coins {t} {s}", ((tied[:, 0] - stays) * (tied[:, 1] - stays)).ravel(), 0, coin**2)
        if not tied.all():
            yield mean(f"jumps {t} {s}", np.abs(early - late)[~tied] / t, 1, 1)
    yield mean("coordinates", np.sign(noise[:, 0, 0] * noise[:, 0, 1]), 0, 1)


def skellam_scores(releases: np.ndarray, rate: float) -> Iterator[Score]:
    """X has variance 2·rate·t and uncorrelated increments; P(X_t = 0) = e^{−2 rate t} I_0(2 rate t)."""
    yield never("fractions", releases != np.round(releases))
    times = np.array(SKELLAM_TIMES)
    noise = (releases - np.round(VALUE)).astype(float)
    spans = -np.diff(np.append(times, 0.0))
    increments = noise - np.concatenate([noise[:, 1:], np.zeros_like(noise[:, :1])], axis=1)
    for n, span in enumerate(spans):
        variance = 2 * rate * span
        # Fourth moment of a Skellam variable: v + 3v².
        spread = math.sqrt(variance + 2 * variance**2)
        yield mean(f"mean {n}", increments[:, n].ravel(), 0, math.sqrt(variance))
        yield mean(f"variance {n}", increments[:, n].ravel() ** 2, variance, spread)
        yield mean(f"coordinates {n}", increments[:, n, 0] * increments[:, n, 1], 0, variance)
        if n:
            products = increments[:, n].ravel() * increments[:, n - 1].ravel()
            yield mean(f"increments {n}", products, 0, math.sqrt(variance * 2 * rate * spans[n - 1]))
    zero = float(ive(0, 2 * rate * times[-1]))
    yield mean("zeros", (noise[:, -1] == 0).ravel().astype(float), zero, math.sqrt(zero * (1 - zero)))


def brownian_worst(subject: Any) -> Score:
    return max((worst(brownian_scores(r)) for r in drawn(subject(), VALUE, BROWNIAN_TIMES)), key=lambda s: abs(s[1]))


def laplace_worst(subject: Any) -> Score:
    return max((worst(laplace_scores(r)) for r in drawn(subject(), VALUE, LAPLACE_TIMES)), key=lambda s: abs(s[1]))


def skellam_worst(subject: Any) -> Score:
    transcripts = drawn(subject(), np.round(VALUE).astype(np.int64), SKELLAM_TIMES)
    return max((worst(skellam_scores(r, subject.rate)) for r in transcripts), key=lambda s: abs(s[1]))


@pytest.mark.parametrize("subject", entries("brownian", MUTANTS))
def test_brownian_mutants_have_another_law(subject: Any) -> None:
    name, score = brownian_worst(subject)
    assert abs(score) > FOUND, name


@pytest.mark.parametrize("subject", entries("laplace", MUTANTS))
def test_laplace_mutants_have_another_law(subject: Any) -> None:
    name, score = laplace_worst(subject)
    assert abs(score) > FOUND, name


@pytest.mark.parametrize("subject", entries("skellam", MUTANTS))
def test_skellam_mutants_have_another_law(subject: Any) -> None:
    name, score = skellam_worst(subject)
    assert abs(score) > FOUND, name


# The variant with fresh entropy has no fixed seed, so a test of it could fail by chance.
@pytest.mark.parametrize("subject", [e for e in entries("brownian", BENIGN) if e.id != "brownian-fresh-entropy"])
def test_benign_brownian_variants_have_the_right_law(subject: Any, capsys: pytest.CaptureFixture[str]) -> None:
    name, score = brownian_worst(subject)
    capsys.readouterr()
    assert abs(score) < CLEAR, (name, score)


@pytest.mark.parametrize("subject", entries("laplace", BENIGN))
def test_benign_laplace_variants_have_the_right_law(subject: Any) -> None:
    name, score = laplace_worst(subject)
    assert abs(score) < CLEAR, (name, score)


@pytest.mark.parametrize("subject", entries("skellam", BENIGN))
def test_benign_skellam_variants_have_the_right_law(subject: Any) -> None:
    name, score = skellam_worst(subject)
    assert abs(score) < CLEAR, (name, score)
