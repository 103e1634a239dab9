"""Faulty subjects asked for an ε: too little noise for it, or noise that is not reduced."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.special import ndtri

from nrverify.reference.mutants.catalogue import mutants
from nrverify.reference.mutants.correct.boundary import linear_slope
from nrverify.reference.mutants.correct.epsilon import EpsilonBrownian, EpsilonLaplace, EpsilonSkellam, linear_time
from nrverify.reference.mutants.correct.noise import Array, Shape


class HalfTheNoise(EpsilonBrownian):
    """The boundary lacks a factor 2, so the noise has half the variance it needs."""

    def time_at(self, at: float, d: int) -> float:
        return super().time_at(at, d) / 2


class BrownianNorm(EpsilonBrownian):
    """The sensitivity is divided by √d, as if it bounded the norm of the vector of coordinate sensitivities."""

    def time_at(self, at: float, d: int) -> float:
        return linear_time(at, self.delta, self.sensitivity / math.sqrt(d))


class BrownianSensitivityIgnored(EpsilonBrownian):
    """The noise is that for sensitivity 1, while the sensitivity is 3."""

    sensitivity = 3.0

    def time_at(self, at: float, d: int) -> float:
        return linear_time(at, self.delta, 1.0)


class SingleLook(EpsilonBrownian):
    """Each ε is converted by the Gaussian quantile of a single look."""

    def time_at(self, at: float, d: int) -> float:
        if not at > 0:
            raise ValueError(f"epsilon must be positive, got {at!r}")
        # εt = Δ²/2 + Δz√t, solved for √t.
        z = -float(ndtri(self.delta))
        return (self.sensitivity * (z + math.sqrt(z * z + 2 * at)) / (2 * at)) ** 2

    def time_of(self, epsilon: float) -> float:
        """The time behind an ε."""
        return self.time_at(epsilon, 1)


class Retuned(EpsilonBrownian):
    """The line is tuned again for every ε that is asked for."""

    def time_at(self, at: float, d: int) -> float:
        if not at > 0:
            raise ValueError(f"epsilon must be positive, got {at!r}")
        level = math.log(1 / self.delta)
        return level / (2 * linear_slope(at, level, self.sensitivity) ** 2)

    def time_of(self, epsilon: float) -> float:
        """The time behind an ε."""
        return self.time_at(epsilon, 1)


class Log10(EpsilonBrownian):
    """log(1/δ) is taken to base 10 in the boundary."""

    def time_at(self, at: float, d: int) -> float:
        return linear_time(at, math.exp(math.log10(self.delta)), self.sensitivity)


class TimeOfLies(EpsilonBrownian):
    """The times it reports are those of the boundary, but the noise has a tenth less variance."""

    def time_at(self, at: float, d: int) -> float:
        return 0.9 * super().time_at(at, d)

    def time_of(self, epsilon: float) -> float:
        """The time it ought to use."""
        return linear_time(epsilon, self.delta, self.sensitivity)


class BrownianFresh(EpsilonBrownian):
    """Every new ε is answered with fresh noise of the right size; the same ε again with the same release."""

    def onward(self, value: Array, state: Any, t: float, s: float, rng: np.random.Generator) -> Any:
        return self.start(value, s, state.shape, rng)


class LaplaceHalf(EpsilonLaplace):
    """The scale is Δ/2ε, as if the privacy of adding and of removing a person were shared."""

    def time_at(self, at: float, d: int) -> float:
        return super().time_at(at, d) / 2


class UniformNoise(EpsilonBrownian):
    """Uniform numbers of variance 1 are taken for normals: small ε's have enough noise, but it ends."""

    def normals(self, shape: Shape, rng: np.random.Generator) -> Array:
        return rng.uniform(-math.sqrt(3), math.sqrt(3), shape)


class LouderBelowZero(EpsilonBrownian):
    """Negative values get twice the noise, because both branches of a condition add it."""

    def publish(self, value: Array, state: Any) -> Array:
        return np.asarray(value + np.where(value < 0, 2.0, 1.0) * state)


class LaplaceNorm(EpsilonLaplace):
    """The ℓ1 sensitivity is divided by √d, as if it were converted to the ℓ2 norm."""

    def time_at(self, at: float, d: int) -> float:
        return super().time_at(at, d) / math.sqrt(d)


class LaplaceSensitivityIgnored(EpsilonLaplace):
    """The scale is 1/ε, while the sensitivity is 3."""

    sensitivity = 3.0

    def time_at(self, at: float, d: int) -> float:
        return super().time_at(at, d) / self.sensitivity


class LaplaceDeviation(EpsilonLaplace):
    """Δ/ε is taken for the standard deviation, so the scale is too small by √2."""

    def time_at(self, at: float, d: int) -> float:
        return super().time_at(at, d) / math.sqrt(2)


class LaplaceFresh(EpsilonLaplace):
    """Every ε is answered with fresh noise of the right size."""

    def onward(self, value: Array, state: Any, t: float, s: float, rng: np.random.Generator) -> Any:
        return self.start(value, s, state.shape, rng)

    def again(self, value: Array, state: Any, t: float, rng: np.random.Generator) -> Any:
        return self.start(value, t, state.shape, rng)


class LaplaceFreshAtNew(EpsilonLaplace):
    """Every new ε is answered with fresh noise of the right size; the same ε again with the same release."""

    def onward(self, value: Array, state: Any, t: float, s: float, rng: np.random.Generator) -> Any:
        return self.start(value, s, state.shape, rng)


class SkellamFresh(EpsilonSkellam):
    """Every new ε is answered with fresh noise of the right size; the same ε again with the same release."""

    def onward(self, value: Array, state: Any, t: float, s: float, rng: np.random.Generator) -> Any:
        return self.start(value, s, state.shape[1:], rng)


MUTANTS = mutants(
    "leak",
    (
        ("epsilon-brownian-half-the-noise", HalfTheNoise),
        ("epsilon-brownian-norm", BrownianNorm),
        ("epsilon-brownian-sensitivity-ignored", BrownianSensitivityIgnored),
        ("epsilon-brownian-single-look", SingleLook),
        ("epsilon-brownian-retuned", Retuned),
        ("epsilon-brownian-log10", Log10),
        ("epsilon-brownian-time-of-lies", TimeOfLies),
        ("epsilon-brownian-fresh-noise", BrownianFresh),
        ("epsilon-brownian-uniform-noise", UniformNoise),
        ("epsilon-brownian-louder-below-zero", LouderBelowZero),
        ("epsilon-laplace-half-the-scale", LaplaceHalf),
        ("epsilon-laplace-norm", LaplaceNorm),
        ("epsilon-laplace-sensitivity-ignored", LaplaceSensitivityIgnored),
        ("epsilon-laplace-scale-for-deviation", LaplaceDeviation),
        ("epsilon-laplace-fresh-noise", LaplaceFresh),
        ("epsilon-laplace-fresh-at-new", LaplaceFreshAtNew),
        ("epsilon-skellam-fresh-noise", SkellamFresh),
    ),
)
