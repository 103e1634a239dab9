"""Faulty mechanisms in any order: wrong interpolation, a neighbour forgotten, the order of requests remembered."""

from __future__ import annotations

import math

import numpy as np

from nrverify.reference.mutants.catalogue import benign, mutants
from nrverify.reference.mutants.correct.any_order import (
    ArrivalsAnyOrder,
    BrownianAnyOrder,
    DiscreteLaplaceAnyOrder,
    LaplaceAnyOrder,
    SkellamAnyOrder,
    Times,
)
from nrverify.reference.mutants.correct.discrete import DiscreteLaplace
from nrverify.reference.mutants.correct.noise import Array, Shape


class BridgeVarianceBetween(BrownianAnyOrder):
    """Between two releases the variance is s(u−s)/u, that of a bridge from 0."""

    def deviation(self, low: float, high: float, s: float) -> float:
        return math.sqrt(s * (high - s) / high)


class VarianceTenthBetween(BrownianAnyOrder):
    """Between two releases the variance is a tenth too small."""

    def deviation(self, low: float, high: float, s: float) -> float:
        return math.sqrt(0.9) * super().deviation(low, high, s)


class MiddleOfNeighbours(BrownianAnyOrder):
    """A release between two others is centred at their middle, whatever its time."""

    def share(self, low: float, high: float, s: float) -> float:
        return 0.5


class UpperIgnored(BrownianAnyOrder):
    """A release between two others is drawn from the less noisy one alone."""

    def neighbours(self, asked: Times, at: float) -> tuple[float | None, float | None]:
        low, high = super().neighbours(asked, at)
        return (low, None) if low is not None else (None, high)


class LowerIgnored(BrownianAnyOrder):
    """A release between two others is drawn from the noisier one alone."""

    def neighbours(self, asked: Times, at: float) -> tuple[float | None, float | None]:
        low, high = super().neighbours(asked, at)
        return (None, high) if high is not None else (low, None)


class OrderRemembered(BrownianAnyOrder):
    """A release is drawn from the one asked for last, whatever came before."""

    def neighbours(self, asked: Times, at: float) -> tuple[float | None, float | None]:
        return super().neighbours(asked[-1:], at)


class NoisierAfresh(BrownianAnyOrder):
    """More noise than before is drawn afresh around the value."""

    def up(self, below: Array, low: float, s: float, rng: np.random.Generator) -> Array:
        return self.first(s, below.shape, rng)


class SharedBetween(BrownianAnyOrder):
    """Between two releases one normal number serves all coordinates."""

    def normals(self, shape: Shape, rng: np.random.Generator) -> Array:
        return np.broadcast_to(rng.standard_normal((shape[0], 1)), shape)


class ForgottenTime(BrownianAnyOrder):
    """A time asked for again is answered anew, unless it was the last one asked."""

    def again(self, state: Array, t: float, asked: Times, rng: np.random.Generator) -> Array:
        return state if t == asked[-1] else self.first(t, state.shape, rng)


class LaplaceUpperIgnored(LaplaceAnyOrder):
    """Laplace noise between two releases is drawn from the less noisy one alone."""

    def neighbours(self, asked: Times, at: float) -> tuple[float | None, float | None]:
        low, high = super().neighbours(asked, at)
        return (low, None) if low is not None else (None, high)


class LaplaceLowerIgnored(LaplaceAnyOrder):
    """Laplace noise between two releases is bridged from the noisier one alone."""

    def neighbours(self, asked: Times, at: float) -> tuple[float | None, float | None]:
        low, high = super().neighbours(asked, at)
        return (None, high) if high is not None else (low, None)


class LaplaceNoLowerAtom(LaplaceAnyOrder):
    """Laplace noise between two releases never equals the less noisy one, unless all three are equal."""

    def stays_between(self, low: float, high: float, s: float) -> float:
        return 0.0


class LaplaceKeepLinearUpwards(LaplaceAnyOrder):
    """Upwards, Laplace noise stays with probability l/s instead of its square."""

    def stays(self, low: float, s: float) -> float:
        return low / s


class SkellamShareOfWhole(SkellamAnyOrder):
    """Arrivals between two releases are kept with probability s/u, as if they came from 0."""

    def share(self, low: float, high: float, s: float) -> float:
        return s / high


class DiscreteTakenToFall(DiscreteLaplace):
    """The schedule is taken to fall: where it rises, the release shows the noise of the time after it."""

    any_order = True


MUTANTS = (
    *mutants(
        "leak",
        [
            ("any-order-lower-ignored", LowerIgnored),
            ("any-order-remembered", OrderRemembered),
            ("any-order-noisier-afresh", NoisierAfresh),
            ("any-order-forgotten-time", ForgottenTime),
            ("any-order-laplace-lower-ignored", LaplaceLowerIgnored),
        ],
    ),
    *mutants(
        "inaccuracy",
        [
            ("any-order-bridge-variance-between", BridgeVarianceBetween),
            ("any-order-variance-tenth-between", VarianceTenthBetween),
            ("any-order-middle-of-neighbours", MiddleOfNeighbours),
            ("any-order-upper-ignored", UpperIgnored),
            ("any-order-shared-between", SharedBetween),
            ("any-order-laplace-upper-ignored", LaplaceUpperIgnored),
            ("any-order-laplace-no-lower-atom", LaplaceNoLowerAtom),
            ("any-order-laplace-keep-linear", LaplaceKeepLinearUpwards),
            ("any-order-skellam-share-of-whole", SkellamShareOfWhole),
            ("any-order-discrete-taken-to-fall", DiscreteTakenToFall),
        ],
    ),
)
RIGHT = benign(
    [
        ("any-order-brownian", BrownianAnyOrder),
        ("any-order-laplace", LaplaceAnyOrder),
        ("any-order-laplace-arrivals", ArrivalsAnyOrder),
        ("any-order-skellam", SkellamAnyOrder),
        ("any-order-discrete-laplace", DiscreteLaplaceAnyOrder),
    ]
)
