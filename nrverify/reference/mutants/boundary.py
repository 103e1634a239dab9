"""Faulty boundaries: ε too small for the time, in ways that look right on paper."""

from __future__ import annotations

import math

from scipy.special import ndtri

from nrverify.reference.mutants.catalogue import mutants
from nrverify.reference.mutants.correct.boundary import (
    TUNED_AT,
    Boundary,
    Linear,
    Mixture,
    SkellamLinear,
    linear_slope,
    mixture_level,
)


class LinearRetuned(Boundary):
    """The line is tuned again at every time, which makes the curve √(2ℓt): every path meets it in the end."""

    def curve(self, time: float) -> float:
        return math.sqrt(2 * self.level * time)


class MixtureRetuned(Boundary):
    """ρ is tuned again at every time, which makes the curve √(wt): every path meets it in the end."""

    def curve(self, time: float) -> float:
        return math.sqrt(mixture_level(self.delta) * time)


class PointwiseMinimum(Linear):
    """At every time the smaller of the linear and the mixture boundary is charged, each with the whole δ."""

    def curve(self, time: float) -> float:
        return min(super().curve(time), Mixture().curve(time))

    def time(self, epsilon: float) -> float:
        return Boundary.time(self, epsilon)


class SingleLook(Boundary):
    """The Gaussian quantile of a single look is used at whichever time the analyst stops."""

    def curve(self, time: float) -> float:
        return -float(ndtri(self.delta)) * math.sqrt(time)


class MixtureMissingTwo(Mixture):
    """The factor 2 under the root of the mixture curve is missing."""

    def curve(self, time: float) -> float:
        return math.sqrt((time + self.rho) * (self.level + 0.5 * math.log1p(time / self.rho)))


class LinearMissingTwo(Linear):
    """The line's crossing probability is taken for e^{−4ab}, so that b is half of what it must be."""

    @property
    def intercept(self) -> float:
        return self.level / (4 * self.slope)


class DriftMissing(Linear):
    """The term Δ²/2t of the loss is left out."""

    def epsilon(self, time: float) -> float:
        return self.sensitivity * self.curve(time) / time

    def time(self, epsilon: float) -> float:
        return Boundary.time(self, epsilon)


class DriftNotSquared(Linear):
    """The term Δ²/2t of the loss is written Δ/2t, at sensitivity 3."""

    sensitivity = 3.0

    def epsilon(self, time: float) -> float:
        return (self.sensitivity / 2 + self.sensitivity * self.curve(time)) / time

    def time(self, epsilon: float) -> float:
        return Boundary.time(self, epsilon)


class Log10(Linear):
    """log(1/δ) is taken to base 10."""

    @property
    def level(self) -> float:
        return math.log10(1 / self.delta)


class LinearDeltaDoubled(Linear):
    """The line is built for 2δ."""

    @property
    def level(self) -> float:
        return math.log(1 / (2 * self.delta))


class MixtureDeltaDoubled(Mixture):
    """The mixture is built for 2δ because only one side matters, which at δ = 0.05 is not quite enough."""

    delta = 0.05

    @property
    def level(self) -> float:
        return math.log(1 / (2 * self.delta))


class InverseOff(Linear):
    """The inverse gives times that are 1 % too small."""

    def time(self, epsilon: float) -> float:
        return 0.99 * super().time(epsilon)


class InverseRetuned(Linear):
    """The inverse is that of the line tuned at the ε asked for, while ψ keeps one line."""

    def time(self, epsilon: float) -> float:
        slope = linear_slope(epsilon, self.level, self.sensitivity)
        return self.level / (2 * slope * slope)


class InverseWrongBranch(Linear):
    """The inverse takes the other root of its quadratic equation."""

    def time(self, epsilon: float) -> float:
        root = math.sqrt(self.level + epsilon) + math.sqrt(self.level)
        return self.sensitivity**2 / (2 * root * root)


class Increasing(Mixture):
    """The curve is not divided by the time, so the charge rises with the noise."""

    time = None  # type: ignore[assignment]

    def epsilon(self, time: float) -> float:
        return self.sensitivity**2 / (2 * time) + self.sensitivity * self.curve(time)


class TimeForDeviation(Linear):
    """The time is taken for the standard deviation, so ψ is evaluated at t²."""

    def epsilon(self, time: float) -> float:
        return super().epsilon(time * time)

    def time(self, epsilon: float) -> float:
        return math.sqrt(super().time(epsilon))


class Truncated(Linear):
    """ε is truncated to one decimal for the ledger."""

    time = None  # type: ignore[assignment]

    def epsilon(self, time: float) -> float:
        return math.floor(10 * super().epsilon(time)) / 10


class SensitivitySquareRoot(Linear):
    """The boundary is built for √Δ, at sensitivity 3."""

    sensitivity = 3.0

    def epsilon(self, time: float) -> float:
        delta_f = math.sqrt(self.sensitivity)
        slope = linear_slope(TUNED_AT, self.level, delta_f)
        return delta_f * (delta_f / 2 + slope * time + self.level / (2 * slope)) / time

    def time(self, epsilon: float) -> float:
        return Boundary.time(self, epsilon)


class SkellamFloor(SkellamLinear):
    """The largest noise below the line is taken for ⌊B⌋ − 2 instead of ⌈B⌉ − 1."""

    def largest_noise(self, time: float) -> int:
        return math.floor(self.line(time)) - 2


class SkellamOneProcess(SkellamLinear):
    """The line counts the variance of one Poisson process where there are two."""

    def line(self, time: float) -> float:
        return super().line(time / 2)


MUTANTS = mutants(
    "leak",
    (
        ("boundary-linear-retuned", LinearRetuned),
        ("boundary-mixture-retuned", MixtureRetuned),
        ("boundary-pointwise-minimum", PointwiseMinimum),
        ("boundary-single-look", SingleLook),
        ("boundary-mixture-missing-two", MixtureMissingTwo),
        ("boundary-linear-missing-two", LinearMissingTwo),
        ("boundary-drift-missing", DriftMissing),
        ("boundary-drift-not-squared", DriftNotSquared),
        ("boundary-log10", Log10),
        ("boundary-linear-delta-doubled", LinearDeltaDoubled),
        ("boundary-mixture-delta-doubled", MixtureDeltaDoubled),
        ("boundary-inverse-off", InverseOff),
        ("boundary-inverse-retuned", InverseRetuned),
        ("boundary-inverse-wrong-branch", InverseWrongBranch),
        ("boundary-increasing", Increasing),
        ("boundary-time-for-deviation", TimeForDeviation),
        ("boundary-truncated", Truncated),
        ("boundary-sensitivity-square-root", SensitivitySquareRoot),
        ("boundary-skellam-floor", SkellamFloor),
        ("boundary-skellam-one-process", SkellamOneProcess),
    ),
)
