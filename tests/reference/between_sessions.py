"""Faults between sessions, whose single releases look right: for each a statistic that shows it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import ive

from nrverify.reference.mutants.correct.noise import Brownian, Skellam, WalkLaplace
from nrverify.reference.mutants.correct.threshold import AboveThreshold

ZERO = np.zeros(1)
MANY = 1_000_000


def batch(subject: Any, times: list[float], sessions: int) -> np.ndarray:
    """Noise (sessions, releases)."""
    return np.asarray(subject.sample(ZERO, times, sessions, 7))[..., 0]


def correlated(z: np.ndarray, lag: int) -> bool:
    """Whether the correlation at a lag is beyond 8 standard errors."""
    return abs(float((z[lag:] * z[:-lag]).mean())) / float(z.var()) * math.sqrt(len(z) - lag) > 8


def none_beyond_four(subject: Any) -> bool:
    """Of a million normals 63 are beyond 4."""
    return not (np.abs(batch(subject, [1.0], MANY)) > 4).any()


def none_beyond_ten_scales(subject: Any) -> bool:
    """Of a million Laplace numbers 45 are beyond 10."""
    return not (np.abs(batch(subject, [1.0], MANY)) > 10 * (1 + 1e-12)).any()


def equal_noises(subject: Any) -> bool:
    """50,000 normals of double precision are all different; from 2^24 numbers 75 come again."""
    return len(np.unique(batch(subject, [1.0], 50_000))) < 50_000


def opposite_ends(subject: Any) -> bool:
    noise = batch(subject, [1.0, 0.5], 1000)
    return bool(np.allclose(noise, -noise[::-1], atol=1e-12))


def follows_the_twentieth(subject: Any) -> bool:
    return correlated(batch(subject, [1.0], 20_000)[:, 0], 20)


def follows_the_call_before(subject: Any) -> bool:
    return correlated(np.array([float(subject.sample(ZERO, [1.0], 1, seed)[0, 0, 0]) for seed in range(2_000)]), 1)


def batches_come_again(subject: Any) -> bool:
    """Of 2,000 seeds with different high bits 30 pairs agree in 16 bits."""
    seeds = np.random.default_rng(3).integers(2**50, size=2_000)
    return len({float(subject.sample(ZERO, [1.0], 1, int(seed))[0, 0, 0]) for seed in seeds}) < len(seeds)


def runs_come_again(subject: Any) -> bool:
    """The same of batches of 24 runs, of which two agree by chance with probability 0.063^24."""
    seeds = np.random.default_rng(3).integers(2**50, size=2_000)
    many = {tuple(subject.run_many([-6.0] * 40, [1.0] * 40, 0.0, 1.0, 24, int(seed))) for seed in seeds}
    return len(many) < len(seeds)


def quiet_sessions(subject: Any) -> bool:
    """Nine independent normals all within 0.4, which a session has with probability 2.7e-5: 0.8 in 30,000."""
    times = [2.0**-n for n in range(10)]
    noise = batch(subject, times, 30_000)
    steps = (noise[:, 1:] - 0.5 * noise[:, :-1]) / np.sqrt(0.25 * np.array(times[:-1]))
    return int((np.abs(steps).max(axis=1) < 0.4).sum()) > 5


def forgets_among_forty(subject: Any) -> bool:
    sessions = [subject.open(ZERO, seed) for seed in range(40)]
    before = [session.release(1.0) for session in sessions]
    return any(session.release(1.0) != first for session, first in zip(sessions, before, strict=True))


def third_time_moves(subject: Any) -> bool:
    session = subject.open(ZERO, 3)
    first, second, third = (session.release(1.0) for _ in range(3))
    return first == second and second != third


def zeros_of_a_normal(subject: Any) -> bool:
    """P(X = 0) = e^{−6} I₀(6) for a step of mean count 3."""
    share, expected = float((batch(subject, [3.0], MANY) == 0).mean()), float(ive(0, 6.0))
    return abs(share - expected) > 8 * math.sqrt(expected * (1 - expected) / MANY)


def runs_a_hundred_apart(subject: Any) -> bool:
    rounds = np.asarray(subject.run_many([-6.0] * 40, [1.0] * 40, 0.0, 1.0, 20_000, 5)).astype(float)
    return correlated(rounds - rounds.mean(), 100)


FAULTS: dict[str, tuple[Callable[[Any], bool], type[Any]]] = {
    "brownian-cut-off": (none_beyond_four, Brownian),
    "brownian-few-noises": (equal_noises, Brownian),
    "brownian-mirrored-batch": (opposite_ends, Brownian),
    "brownian-few-batches": (batches_come_again, Brownian),
    "brownian-carried-over": (follows_the_call_before, Brownian),
    "brownian-every-twentieth": (follows_the_twentieth, Brownian),
    "brownian-rare-sessions": (quiet_sessions, Brownian),
    "brownian-small-cache": (forgets_among_forty, Brownian),
    "brownian-third-time-fresh": (third_time_moves, Brownian),
    "laplace-jumps-clipped": (none_beyond_ten_scales, WalkLaplace),
    "skellam-normal-above-two": (zeros_of_a_normal, Skellam),
    "threshold-few-batches": (runs_come_again, AboveThreshold),
    "threshold-reused": (runs_a_hundred_apart, AboveThreshold),
}
"""By mutant: the statistic, and the right mechanism, which does not show it."""
