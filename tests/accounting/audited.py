"""`Composition` as a subject of the audit: sessions and a plain mechanism under one budget, right and wrong.

The price of an output is what the budget itself says was paid: a wrong budget is a wrong claim.
"""

import numpy as np

from nrverify import BudgetExceeded, Composition, Linear
from nrverify.accounting.composition import Charge

BOUNDARY = Linear.tightest_at(epsilon=1.0, delta=0.01, sensitivity=1.0)
"""δ so large that the bound is nearly reached: at 1e-6 losses stay far below what is paid, and no fault shows."""


class UnderOneBudget:
    """Two Brownian sessions and Laplace mechanisms under ε = 1.2, δ = 0.02, asked in an order that answers decide."""

    mechanism = "any"
    delta = 0.02
    smallest_epsilon = 0.5
    neighbours = ((0, 1),)
    strategies = (
        [["plain", 1.0], ["plain", 1.0], ["plain", 1.0], ["plain", 3.0]],
        lambda answers: ["a", (0.6, 1.2, 6.0)[len(answers)]] if len(answers) < 3 else None,
        lambda answers: (
            [["a", 0.6], ["b", 0.6], ["a" if answers[0][0] > 0.5 else "plain", 0.6]][len(answers)]
            if 0 < len(answers) < 3
            else None
            if answers
            else ["a", 0.6]
        ),
    )
    budget = Composition

    def open(self, data, seed):
        return Asked(self.budget(epsilon=1.2, delta=0.02), data, seed)

    def spent(self, output):
        return output[-1][1]


class Asked:
    """One dialogue: each answer is a release (-1 where it was refused) and what is paid so far."""

    def __init__(self, budget, data, seed):
        self.budget, self.data, self.rng = budget, data, np.random.default_rng(seed)
        self.sessions = {name: budget.noise_reduction(float(data), BOUNDARY, self.rng) for name in ("a", "b")}

    def ask(self, query):
        which, epsilon = query
        try:
            if which == "plain":
                self.budget.spend(epsilon=epsilon)
                release = self.data + self.rng.laplace(0, 1 / epsilon)
            else:
                session = self.sessions[which]
                if session.history and epsilon < session.history[-1].epsilon:
                    return [-1.0, self.budget.paid.epsilon]
                release = float(session.refine(epsilon))
        except BudgetExceeded:
            release = -1.0
        return [release, self.budget.paid.epsilon]


class AskedAfterwards(Composition):
    """Refuses only once the budget has been reached, and says that it was kept."""

    @property
    def paid(self):
        return Charge(*(min(part, most) for part, most in zip(super().paid, (1.2, 0.02, 0.0), strict=True)))

    def _admit(self, charge, instead_of=None):
        if Composition.paid.fget(self).epsilon >= self.epsilon:
            raise BudgetExceeded("exceeded")


class ForgetsPlainMechanisms(Composition):
    """Plain mechanisms are judged, and then not entered; half an ε is kept for the looks."""

    def spend(self, **charges):
        before = list(self._accounts)
        super().spend(**charges)
        self._accounts[:] = before

    @property
    def paid(self):
        found = super().paid
        return found._replace(epsilon=max(found.epsilon, 0.5))


class ChargesTheNoisiestLook(Composition):
    """A session costs the ε of its first release."""

    def _charge(self, session, cost, time):
        first = session.history[0].epsilon if session.history else cost.epsilon
        return super()._charge(session, cost._replace(epsilon=first), time)


def under(budget):
    """The subject with a budget of another kind."""
    return type(budget.__name__, (UnderOneBudget,), {"budget": budget})()
