"""Small mechanisms of unknown law, right and wrong, that the tests of the claims room audit."""

import numpy as np


class Laplace:
    mechanism = "any"
    epsilon = 1.0
    neighbours = ((0, 1),)
    scale = 1.0

    def run_many(self, data, runs, seed):
        return data + np.random.default_rng(seed).laplace(0, self.scale, runs)


class LaplaceTooSmall(Laplace):
    scale = 0.5


class FewStreams(Laplace):
    run_many = None

    def run(self, data, seed):
        return data + np.random.default_rng(seed % 40).laplace(0, self.scale)


class RandomizedResponse:
    mechanism = "any"
    epsilon = float(np.log(3.0))
    neighbours = (("yes", "no"),)
    truth = 0.75

    def run_many(self, data, runs, seed):
        other = {"yes": "no", "no": "yes"}[data]
        return [data if true else other for true in np.random.default_rng(seed).random(runs) < self.truth]


class TruthTooOften(RandomizedResponse):
    truth = 0.85


class NoneTooOften(Laplace):
    """The number has too much noise; that there is none betrays the data."""

    def run_many(self, data, runs, seed):
        rng = np.random.default_rng(seed)
        silent = rng.random(runs) < (0.3 if data else 0.03)
        noise = rng.laplace(0, 5.0, runs)
        return [None if quiet else data + one for quiet, one in zip(silent, noise, strict=True)]


class FirstLookFree:
    """Two looks, of which the first is not charged."""

    mechanism = "any"
    smallest_epsilon = 0.5
    neighbours = ((0, 1),)
    price = 0.5

    def spent(self, output):
        return self.price if len(output) > 1 else 0.5

    def run_many(self, data, runs, seed):
        first, second = np.random.default_rng(seed).laplace(0, [[2.0], [1.0]], (2, runs)) + data
        return [[a, b] if abs(a) < 3 else [a] for a, b in zip(first.tolist(), second.tolist(), strict=True)]


class BothLooksCharged(FirstLookFree):
    price = 1.5


class PriceOfState(FirstLookFree):
    """The price is that of the last run, whatever output is asked about."""

    def spent(self, output):
        self.asked = getattr(self, "asked", 0) + 1
        return 0.5 + self.asked

    def run_many(self, data, runs, seed):
        return np.random.default_rng(seed).integers(0, 2, runs)


class Interactive:
    """Three answers of Laplace noise of scale 3."""

    mechanism = "any"
    epsilon = 1.0
    neighbours = ((0, 1),)
    scale = 3.0
    strategies = (["a", "b", "c"], lambda answers: None if len(answers) == 3 or sum(answers) > 100 else len(answers))

    def open(self, data, seed):
        return _Session(data, self.scale, np.random.default_rng(seed))


class InteractiveTooLittle(Interactive):
    scale = 0.7


class _Session:
    def __init__(self, data, scale, rng):
        self.data, self.scale, self.rng = data, scale, rng

    def ask(self, query):
        return self.data + self.rng.laplace(0, self.scale)


class Sum:
    mechanism = "any"
    epsilon = 1.0
    neighbours = "one-differs"
    size = 3
    sensitivity = 2
    scale = 2.0

    def run_many(self, data, runs, seed):
        return sum(data) + np.random.default_rng(seed).laplace(0, self.scale, runs)


class SumTooLittle(Sum):
    scale = 1.0
