"""The Rosenblatt transform on processes small enough to write down."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from nrverify.statistics.transforms import levels, rosenblatt


@dataclass(frozen=True)
class Coin:
    """0 with probability 1/4, else 1."""

    def cdf(self, x: Any) -> Any:
        return np.where(np.asarray(x) >= 1, 1.0, np.where(np.asarray(x) >= 0, 0.25, 0.0))

    def cdf_left(self, x: Any) -> Any:
        return np.where(np.asarray(x) > 1, 1.0, np.where(np.asarray(x) > 0, 0.25, 0.0))


@dataclass(frozen=True)
class Uniform:
    """Uniform on (low, low + width)."""

    low: Any
    width: Any

    def cdf(self, x: Any) -> Any:
        return np.clip((np.asarray(x) - self.low) / self.width, 0, 1)

    cdf_left = cdf


class Wandering:
    """X_t uniform on (0, t); X_s given X_t = z uniform on (z, z + s)."""

    def marginal(self, t: Any) -> Uniform:
        return Uniform(0.0, np.asarray(t))

    def bridge(self, s: Any, t: Any, given: Any) -> Uniform:
        return Uniform(given, np.asarray(s) + 0 * np.asarray(t))


def test_an_atom_is_spread_over_its_own_interval():
    u = levels(Coin(), np.array([0.0] * 500 + [1.0] * 500), np.random.default_rng(0))
    assert u[:500].min() >= 0
    assert u[:500].max() <= 0.25
    assert u[500:].min() >= 0.25
    # 500 uniforms in (0.25, 1): none in the top tenth has probability below 1e-27.
    assert u[500:].max() > 0.9


def test_levels_go_through_marginal_and_bridge():
    noise = np.array([[[1.0], [1.5]], [[0.5], [0.75]]])
    times = np.array([[4.0, 2.0], [2.0, 1.0]])
    u = rosenblatt(Wandering(), noise, times, np.random.default_rng(0))
    np.testing.assert_allclose(u[:, :, 0], [[0.25, 0.25], [0.25, 0.25]])


def test_rows_are_completed_with_fresh_uniforms_after_a_stop_and_at_a_repeated_time():
    n = 4_000
    noise = np.full((n, 3, 1), 0.5)
    noise[:, 2] = np.nan
    times = np.tile([2.0, 2.0, np.nan], (n, 1))
    u = rosenblatt(Wandering(), noise, times, np.random.default_rng(1))
    assert np.all(u[:, 0] == 0.25)
    # The mean of 4,000 uniforms is off by 0.06 with probability below 1e-12 (Hoeffding).
    assert abs(u[:, 1].mean() - 0.5) < 0.06
    assert abs(u[:, 2].mean() - 0.5) < 0.06
    assert np.unique(u[:, 1:]).size == 2 * n
