"""The checks of ties and of repeated times name coins, jumps and answers that are wrong, and spare right ones.

Right noise is refuted with probability at most 6e-8 a test; seeds are fixed.
"""

import numpy as np
import pytest

from nrverify.auditing.noise_reduction.checks.repeated_time import SameAnswer
from nrverify.auditing.noise_reduction.checks.ties import LaplaceTies, NoTies
from nrverify.laws.laplace import Laplace
from tests.unit.auditing.noise_reduction.batches import TIMES, batch, brownian, fault, laplace, seen

REPEATED = (8.0, 8.0, 2.0)


def short_jumps(rng):
    """No jump, and no last noise, beyond six scales: about one in four hundred is longer."""
    noise = [np.clip(rng.laplace(size=(20_000, 1)), -6, 6) * TIMES[-1]]
    for s, t in zip(TIMES[:0:-1], TIMES[-2::-1], strict=True):
        jumps = rng.random((20_000, 1)) >= (s / t) ** 2
        noise.append(noise[-1] + jumps * np.clip(rng.laplace(size=(20_000, 1)), -6, 6) * t)
    return np.stack(noise[::-1], axis=1)


@pytest.mark.parametrize(
    ("noise", "found"),
    [
        (lambda rng: laplace(rng), None),
        (lambda rng: laplace(rng, stays=lambda s, t: s / t), "wrong-stay-probability"),
        (lambda rng: laplace(rng, stays=lambda s, t: 0.0), "wrong-stay-probability"),
        (lambda rng: laplace(rng, scale=0.8), "wrong-jumps"),
        (short_jumps, "clipped"),
    ],
)
@pytest.mark.parametrize("adaptive", [False, True])
def test_ties_of_laplace_noise(noise, found, adaptive):
    check = seen(LaplaceTies(), batch(noise(np.random.default_rng(1)), process=Laplace(), adaptive=adaptive))
    if adaptive and found in ("wrong-jumps", "clipped"):
        # Jumps are read on fixed schedules alone.
        found = None
    assert fault(check) == found


def test_brownian_noise_has_no_ties():
    noise = brownian(np.random.default_rng(2))
    assert fault(seen(NoTies(), batch(noise))) is None
    noise[:5, 2] = noise[:5, 1]
    assert fault(seen(NoTies(), batch(noise))) == "repeated-release"


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (lambda rng: 0.0, None),
        (lambda rng: 1e-15, None),
        (lambda rng: np.sqrt(8.0) * rng.standard_normal((2000, 1)), "repeated-time-redrawn"),
        (lambda rng: 0.01, "repeated-time-moved"),
        # A bridge that is taken a little further changes the answer by much less than new noise does.
        (lambda rng: 0.5 * rng.standard_normal((2000, 1)), "repeated-time-moved"),
    ],
)
def test_a_time_asked_twice(change, found):
    rng = np.random.default_rng(3)
    noise = brownian(rng, REPEATED)
    noise[:, 1] = noise[:, 0] + change(rng)
    assert fault(seen(SameAnswer(), batch(noise, REPEATED, value=5.0))) == found


def test_where_no_time_is_asked_twice_nothing_is_covered():
    result = seen(SameAnswer(), batch(brownian(np.random.default_rng(4)))).conclude(1e-8)
    assert result.verdict == "not-covered"
    assert result.message == "no time was asked twice"
