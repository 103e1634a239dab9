"""Batches of transcripts made from noise that is drawn here, and checks that have seen them."""

import numpy as np

from nrverify.auditing.core.transforms.rosenblatt import innovations
from nrverify.auditing.noise_reduction.design.batch import Batch
from nrverify.auditing.noise_reduction.design.cases import Case
from nrverify.auditing.noise_reduction.design.neighbours import Labelled, Pair
from nrverify.laws.brownian import Brownian
from nrverify.laws.skellam import Skellam
from nrverify.subjects.policies import Fixed, Follow

ALPHA = 6e-8
"""The level of a check in a default audit: right noise is refuted with at most this probability."""
TIMES = (8.0, 4.0, 1.0, 0.3)


def brownian(rng, times=TIMES, sessions=2000, d=1):
    """Brownian noise (n, k, d) at falling times, walked up from the last."""
    steps = np.sqrt(np.diff(times[::-1], prepend=0.0))[:, None]
    return np.cumsum(steps * rng.standard_normal((sessions, len(times), d)), axis=1)[:, ::-1]


def laplace(rng, times=TIMES, sessions=2000, d=1, stays=lambda s, t: (s / t) ** 2, scale=1.0):
    """Laplace noise at falling times: from s up to t it stays with a probability, or jumps by Lap(t)."""
    noise = [rng.laplace(scale=times[-1], size=(sessions, d))]
    for s, t in zip(times[:0:-1], times[-2::-1], strict=True):
        jumps = rng.random((sessions, d)) >= stays(s, t)
        noise.append(noise[-1] + jumps * rng.laplace(scale=scale * t, size=(sessions, d)))
    return np.stack(noise[::-1], axis=1)


def skellam(rng, times=TIMES, sessions=2000, d=1, rate=1.0):
    """Skellam noise at falling times."""
    means = rate * np.diff(times[::-1], prepend=0.0)[:, None]
    steps = rng.poisson(means, (sessions, len(times), d)) - rng.poisson(means, (sessions, len(times), d))
    return np.cumsum(steps, axis=1)[:, ::-1].astype(float)


def batch(noise, times=TIMES, process=None, value=0.0, method="sample", name="a case", adaptive=False, alone=False):
    """Releases of one value in every coordinate, with their innovations."""
    sessions, k, d = noise.shape
    play = Follow(times[0], times[-1], 0.5, 0.7, k, 0.0) if adaptive else Fixed(tuple(times))
    case = Case(name, (float(value),) * d, play, method, one_by_one=alone)
    releases, asked = value + noise, np.tile(times, (sessions, 1))
    scale = np.abs(releases) + abs(value)
    claimed = process or Brownian()
    integer = isinstance(claimed, Skellam)
    found = innovations(claimed, releases - value, asked, scale, np.random.default_rng(0), integer=integer)
    return Batch(case, releases, asked, asked, found)


def labelled(rng, noise_of, times=TIMES, shift=2.0, sessions=2000):
    """Sessions of the value 5, or of 5 − shift, by a fair coin; noise_of(rng, sessions, value) draws either."""
    pair = Pair(Case("a pair", (5.0,), Fixed(tuple(times)), "sample"), (5.0 - shift,))
    label = rng.random(sessions) < 0.5
    releases = np.where(label, 5.0, 5.0 - shift)[:, None, None] + noise_of(rng, sessions)
    asked = np.tile(times, (sessions, 1))
    return Labelled(pair, releases, asked, asked, label)


def seen(check, *batches, method="observe"):
    """The check after these batches, each taken in by an empty copy and merged as a run does."""
    for one in batches:
        fresh = check.empty_copy()
        getattr(fresh, method)(one)
        check.merge(fresh)
    return check


def fault(check):
    """The id of the fault that refutes it; None where it is not refuted."""
    result = check.conclude(ALPHA)
    assert (result.verdict == "refuted") == check.refuted(ALPHA)
    return result.finding.fault.id if result.verdict == "refuted" else None
