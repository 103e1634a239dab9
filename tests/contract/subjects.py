"""One right and one wrong subject of each mechanism, small and vectorised: written for these tests alone."""

import itertools
import math

import numpy as np


class Brownian:
    mechanism = "brownian"

    def step(self, noise, s, t, rng):
        return noise * (s / t) + math.sqrt(s * (t - s) / t) * rng.standard_normal(noise.shape)

    def sample(self, value, schedule, sessions, seed):
        rng = np.random.default_rng(seed)
        noise = math.sqrt(schedule[0]) * rng.standard_normal((sessions, len(value)))
        releases = [value + noise]
        for t, s in itertools.pairwise(schedule):
            noise = self.step(noise, s, t, rng)
            releases.append(value + noise)
        return np.stack(releases, axis=1)


class FreshBrownian(Brownian):
    """Draws new noise for every release."""

    def step(self, noise, s, t, rng):
        return math.sqrt(s) * rng.standard_normal(noise.shape)


class Laplace(Brownian):
    """Noise reduction read backwards: from the least noisy time up, each step stays with probability (s/t)²."""

    mechanism = "laplace"

    def sample(self, value, schedule, sessions, seed):
        rng = np.random.default_rng(seed)
        shape = (sessions, len(value))
        noise = rng.laplace(0.0, schedule[-1], shape)
        releases = [value + noise]
        for s, t in zip(schedule[::-1], schedule[-2::-1], strict=False):
            noise = noise + np.where(rng.random(shape) < self.stays(s, t), 0.0, rng.laplace(0.0, t, shape))
            releases.append(value + noise)
        return np.stack(releases[::-1], axis=1)

    def stays(self, s, t):
        return (s / t) ** 2


class RootLaplace(Laplace):
    """Stays with probability s/t."""

    def stays(self, s, t):
        return s / t


class Skellam(Laplace):
    mechanism = "skellam"
    scale = 1.0

    def sample(self, value, schedule, sessions, seed):
        rng = np.random.default_rng(seed)
        shape = (sessions, len(value))
        spans = np.diff([0.0, *schedule[::-1]])
        steps = [rng.poisson(self.scale * span, shape) - rng.poisson(self.scale * span, shape) for span in spans]
        return np.stack(np.cumsum(steps, axis=0)[::-1], axis=1) + value


class HalfSkellam(Skellam):
    """Half the rate."""

    scale = 0.5


class Threshold:
    mechanism = "above-threshold"
    query = 4.0

    def run_many(self, utilities, epsilons, threshold, sensitivity, runs, seed):
        rng = np.random.default_rng(seed)
        unit = sensitivity / epsilons[0]
        zeta = rng.laplace(0.0, 2 * unit, (runs, 1))
        halts = np.array(utilities) + rng.laplace(0.0, self.query * unit, (runs, len(utilities))) >= threshold + zeta
        return np.where(halts.any(axis=1), halts.argmax(axis=1) + 1, 0)


class HalfQuery(Threshold):
    """Half the query noise."""

    query = 2.0


class Line:
    """A linear boundary; b is chosen so that it is crossed with probability exactly δ."""

    mechanism = "boundary"
    sensitivity = 1.0
    delta = 1e-6
    share = 1.0

    def epsilon(self, time):
        a = 0.5
        b = self.share * math.log(1 / self.delta) / (2 * a)
        return 0.5 / time + a + b / time


class LowLine(Line):
    """Half the intercept."""

    share = 0.5
