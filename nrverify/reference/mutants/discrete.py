"""Faulty mechanisms with discrete noise: signs, roundings, coins and parameters; and unusual ones that are right."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from nrverify.reference.mutants.catalogue import benign, mutants
from nrverify.reference.mutants.correct.discrete import (
    Array,
    DiscreteGaussian,
    DiscreteLaplace,
    EpsilonDiscreteLaplace,
    Shape,
    geometric,
)


class ZeroTwice(DiscreteLaplace):
    """A size and a sign are drawn, and minus zero is not drawn again: zero is twice as likely as it should be."""

    def draw(self, t: float, shape: Shape, rng: np.random.Generator) -> Array:
        return np.asarray(geometric(t, shape, rng) * rng.choice([-1, 1], shape))


class RoundedLaplace(DiscreteLaplace):
    """Continuous Laplace noise of the right scale is rounded to integers."""

    def draw(self, t: float, shape: Shape, rng: np.random.Generator) -> Array:
        return np.rint(rng.laplace(0.0, t, shape)).astype(np.int64)


class TruncatedLaplace(DiscreteLaplace):
    """Noise beyond six scales is drawn again, to keep a bound."""

    def draw(self, t: float, shape: Shape, rng: np.random.Generator) -> Array:
        most = max(1, math.ceil(6 * t))
        noise = super().draw(t, shape, rng)
        while (far := np.abs(noise) > most).any():
            noise = np.where(far, super().draw(t, shape, rng), noise)
        return noise


class BiasedCoin(DiscreteLaplace):
    """The exponential coin stops its series after two terms: e^{-1/t} is taken for 1 − 1/t + 1/2t² or 0.01."""

    def draw(self, t: float, shape: Shape, rng: np.random.Generator) -> Array:
        p = max(1 - 1 / t + 0.5 / t**2, 0.01) if t > 0.6 else 0.01
        return geometric(-1 / math.log(p), shape, rng) - geometric(-1 / math.log(p), shape, rng)


class RoundedScale(DiscreteLaplace):
    """The scale becomes a fraction with denominator at most 2: right at 0.5, 1 and 100, and nowhere else."""

    def draw(self, t: float, shape: Shape, rng: np.random.Generator) -> Array:
        return super().draw(float(Fraction(t).limit_denominator(2)) or 0.5, shape, rng)


class RoundedToEighths(DiscreteLaplace):
    """The scale becomes a fraction with denominator at most 8: seldom off by more than a few per cent."""

    def draw(self, t: float, shape: Shape, rng: np.random.Generator) -> Array:
        return super().draw(float(Fraction(t).limit_denominator(8)) or 0.125, shape, rng)


class ContinuousStay(DiscreteLaplace):
    """Noise stays with weight (s/t)², as for continuous Laplace noise."""

    def stays(self, s: float, t: float) -> float:
        return (s / t) ** 2


class FreshDiscrete(DiscreteLaplace):
    """Every release gets fresh noise."""

    def stays(self, s: float, t: float) -> float:
        return 0.0

    def sample(self, value: Array, schedule: Sequence[float], sessions: int, seed: int) -> Array:
        rng = np.random.default_rng(seed)
        noise = [self.draw(t, (sessions, value.size), rng) for t in schedule]
        return np.asarray(value + np.stack(noise, axis=1))


class UniformIntegers(EpsilonDiscreteLaplace):
    """Uniform integers up to twice the scale are taken for discrete Laplace noise: enough noise, but it ends."""

    def draw(self, t: float, shape: Shape, rng: np.random.Generator) -> Array:
        most = math.ceil(2 * t)
        return rng.integers(-most, most, shape, endpoint=True)


class RoundedGaussianOnce(DiscreteGaussian):
    """A normal number of variance t is rounded to an integer."""

    def draw(self, t: float, shape: Shape, rng: np.random.Generator) -> Array:
        return np.rint(rng.normal(0.0, math.sqrt(t), shape)).astype(np.int64)


class IntegerDeviation(DiscreteGaussian):
    """The deviation is rounded up to an integer before the draw: right at t = 1, 4, 9 alone."""

    def draw(self, t: float, shape: Shape, rng: np.random.Generator) -> Array:
        return super().draw(float(math.ceil(math.sqrt(t))) ** 2, shape, rng)


class RoundedDeviation(DiscreteGaussian):
    """The deviation is rounded to the nearest integer: the variance is too large at some times, too small at others."""

    range = (1.0, 1000.0)

    def draw(self, t: float, shape: Shape, rng: np.random.Generator) -> Array:
        return super().draw(float(round(math.sqrt(t)) ** 2), shape, rng)


class LimitedScale(DiscreteLaplace):
    """One release, its scale a fraction with denominator at most 10: off by up to six per cent, either way."""

    most_releases = 1

    def draw(self, t: float, shape: Shape, rng: np.random.Generator) -> Array:
        return super().draw(float(Fraction(t).limit_denominator(10)), shape, rng)


class LimitedVariance(DiscreteGaussian):
    """The variance becomes a fraction with denominator at most 16: off by up to three per cent, either way."""

    def draw(self, t: float, shape: Shape, rng: np.random.Generator) -> Array:
        return super().draw(float(max(Fraction(t).limit_denominator(16), Fraction(1, 16))), shape, rng)


class VarianceInEighths(DiscreteGaussian):
    """The variance becomes a fraction with denominator at most 8: seldom off by more than a few per cent."""

    def draw(self, t: float, shape: Shape, rng: np.random.Generator) -> Array:
        return super().draw(float(Fraction(t).limit_denominator(8)) or 0.125, shape, rng)


class UncentredRejection(DiscreteGaussian):
    """The rejection forgets to centre at t/(⌊σ⌋ + 1): small noise is kept too often."""

    def kept(self, tried: Array, t: float, whole: int) -> Array:
        return np.asarray(np.exp(-(tried**2) / (2 * t)))


class TruncatedGaussian(DiscreteGaussian):
    """Noise beyond three deviations is drawn again."""

    def draw(self, t: float, shape: Shape, rng: np.random.Generator) -> Array:
        most = max(1, math.ceil(3 * math.sqrt(t)))
        noise = super().draw(t, shape, rng)
        while (far := np.abs(noise) > most).any():
            noise = np.where(far, super().draw(t, shape, rng), noise)
        return noise


class GeometricLaplace(DiscreteLaplace):
    """The two geometric numbers come from the generator's own sampler, one less than it counts."""

    def draw(self, t: float, shape: Shape, rng: np.random.Generator) -> Array:
        p = -math.expm1(-1 / t)
        return rng.geometric(p, shape) - rng.geometric(p, shape)


class InvertedGaussian(DiscreteGaussian):
    """Drawn by inverting the distribution function, summed out to twelve deviations."""

    def draw(self, t: float, shape: Shape, rng: np.random.Generator) -> Array:
        most = math.ceil(12 * math.sqrt(t)) + 12
        points = np.arange(-most, most + 1)
        weights = np.exp(-(points**2) / (2 * t))
        places = np.searchsorted(np.cumsum(weights) / weights.sum(), rng.random(shape))
        return np.asarray(points[places.clip(0, 2 * most)])


MUTANTS = (
    *mutants(
        "leak",
        [
            ("discrete-zero-twice", ZeroTwice),
            ("discrete-laplace-truncated", TruncatedLaplace),
            ("discrete-laplace-rounded-scale", RoundedScale),
            ("discrete-laplace-scale-in-eighths", RoundedToEighths),
            ("discrete-gaussian-variance-in-eighths", VarianceInEighths),
            ("discrete-gaussian-sigma-rounded", RoundedDeviation),
            ("discrete-laplace-scale-limited", LimitedScale),
            ("discrete-gaussian-variance-limited", LimitedVariance),
            ("discrete-laplace-fresh", FreshDiscrete),
            ("discrete-gaussian-truncated", TruncatedGaussian),
            ("discrete-gaussian-uncentred-rejection", UncentredRejection),
            ("epsilon-discrete-laplace-uniform", UniformIntegers),
        ],
    ),
    *mutants(
        "inaccuracy",
        [
            ("discrete-laplace-rounded-continuous", RoundedLaplace),
            ("discrete-laplace-biased-coin", BiasedCoin),
            ("discrete-laplace-continuous-stay", ContinuousStay),
            ("discrete-gaussian-rounded-normal", RoundedGaussianOnce),
            ("discrete-gaussian-integer-deviation", IntegerDeviation),
        ],
    ),
)
RIGHT = benign(
    [
        ("discrete-laplace", DiscreteLaplace),
        ("discrete-laplace-geometric", GeometricLaplace),
        ("discrete-gaussian", DiscreteGaussian),
        ("discrete-gaussian-inverted", InvertedGaussian),
        ("epsilon-discrete-laplace", EpsilonDiscreteLaplace),
    ]
)
