"""Interactive subjects that say what they may be asked, right and wrong: strategies are generated for them."""

import numpy as np


class TwoReductions:
    """Two Laplace noise-reduction mechanisms on one number; the price is the sum of what the last look at each costs.

    An answer is the release and what is paid so far. A look at less than before repeats what was released.
    """

    mechanism = "any"
    smallest_epsilon = 0.5
    neighbours = ((0, 1),)
    strategies = "generated"
    queries = (["a", 0.5], ["b", 0.5], ["a", 2.0], ["b", 2.0])

    def spent(self, output):
        return output[-1][1]

    def open(self, data, seed):
        return Reductions(data, np.random.default_rng(seed), type(self))

    @staticmethod
    def price(paid):
        """Of looks at some ε's."""
        return sum(paid.values())

    @staticmethod
    def path(rng):
        """Noise of scale 1/2 at ε = 2, and of scale 2 at ε = 1/2, coupled so that the second tells nothing more."""
        fine = rng.laplace(0, 0.5)
        return {2.0: fine, 0.5: fine if rng.random() < 1 / 16 else fine + rng.laplace(0, 2.0)}


class Reductions:
    """One session of both."""

    def __init__(self, data, rng, kind):
        self.data, self.kind, self.paid = data, kind, {}
        self.noise = {name: kind.path(rng) for name in ("a", "b")}

    def ask(self, query):
        name, epsilon = query
        self.paid[name] = max(epsilon, self.paid.get(name, 0.0))
        return [float(self.data + self.noise[name][self.paid[name]]), self.kind.price(self.paid)]


class DearerAlone(TwoReductions):
    """The dearer of the two is charged."""

    @staticmethod
    def price(paid):
        return max(paid.values())


class FreshNoise(TwoReductions):
    """The two looks at one mechanism have independent noise: the second does not make up for the first."""

    queries = (["a", 1.9], ["a", 2.0])

    @staticmethod
    def path(rng):
        return {2.0: rng.laplace(0, 0.5), 1.9: rng.laplace(0, 1 / 1.9)}


class Odometer:
    """Laplace answers at the ε asked for, one after the other, until the budget is spent; each says what is paid."""

    mechanism = "any"
    smallest_epsilon = 0.5
    neighbours = ((0, 1),)
    queries = (0.5, 1.0)
    budget = 2.5
    kind = "right"

    def spent(self, output):
        return next(answer[1] for answer in reversed(output) if answer is not None)

    def open(self, data, seed):
        return Odometry(data, np.random.default_rng(seed), self.kind, self.budget)


class Odometry:
    """One session."""

    def __init__(self, data, rng, kind, budget):
        self.data, self.rng, self.kind, self.budget = data, rng, kind, budget
        self.paid, self.last = 0.0, None

    def ask(self, epsilon):
        cost = epsilon
        if self.kind == "repeats are free" and epsilon == self.last:
            cost = 0.0
        if self.paid + cost > self.budget:
            if self.kind != "the budget is a cap":
                return None
            cost = self.budget - self.paid
        answer = self.data + self.rng.laplace(0, 1 / epsilon)
        if self.kind == "high answers are free" and answer > 0.5 and self.last is not None:
            cost = 0.0
        self.paid, self.last = self.paid + cost, epsilon
        return [float(answer), self.paid]


class RepeatsAreFree(Odometer):
    """As if the answer to a repeated query were the same again, which it is not."""

    kind = "repeats are free"


class BudgetIsACap(Odometer):
    """Answers on when the budget is spent."""

    kind = "the budget is a cap"


class HighAnswersAreFree(Odometer):
    """A price that only the answers below a threshold pay."""

    kind = "high answers are free"
