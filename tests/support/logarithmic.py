"""A law of one's own that offers everything: Gaussian noise with another correlation than Brownian noise."""

import numpy as np
from scipy import stats


class Drawn:
    """Normal noise with all that a law object may offer."""

    def __init__(self, mean, deviation):
        self.mean, self.deviation = mean, deviation
        normal = stats.norm(mean, deviation)
        self.logpdf, self.cdf, self.sf = normal.logpdf, normal.cdf, normal.sf

    def score(self, x):
        return (x - self.mean) / self.deviation

    def rvs(self, rng, size):
        return rng.normal(self.mean, self.deviation, size)


class Logarithmic:
    """Gaussian noise with correlation s/t, where Brownian noise has √(s/t)."""

    name, norm = "logarithmic", 2

    def marginal(self, t):
        return Drawn(0.0, np.sqrt(t))

    def bridge(self, s, t, given):
        return Drawn(given * (s / t) ** 1.5, np.sqrt(s * (1 - (s / t) ** 2)))

    def forward(self, s, t, given):
        return Drawn(given * (s / t) ** 0.5, np.sqrt(t * (1 - (s / t) ** 2)))

    def epsilon(self, t, shift):
        """Exceeded with a probability of 1e-6: less than a bound is held to."""
        size = float(np.sqrt(np.sum(np.square(shift)) / t))
        return size * (size / 2 - stats.norm.ppf(1e-6))
