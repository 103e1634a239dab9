"""The loss of discrete Gaussian noise: (‖k‖² + 2Y)/2t, Y = k·X an integer, summed over the lattice of Y.

In one coordinate Y/k is the noise itself. In several, with the common divisor γ taken out of k, Y/γ is discrete
Gaussian of parameter t‖k/γ‖² up to a relative error of about e^{-2π²t/‖k/γ‖²}: by Poisson summation the difference
comes from integer vectors off the line of k, none of which is nearer to it than 1/‖k/γ‖. Otherwise Y is convolved.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from nrverify.laws.discrete_gaussian import log_normaliser
from nrverify.laws.divergence.integer_tails import log_sum, log_total
from nrverify.laws.validation.times import Floats

_SMOOTH = 2.5
"""From t = 2.5‖k/γ‖² on e^{-2π²t/‖k/γ‖²} is below 4e-22."""
_NATS = 45.0
"""Terms below e^{-45} = 3e-20 of the largest are left out: a thousand of them are below rounding."""
_LARGEST_WORK = 2**33
"""Products of a convolution: some five seconds. Only shifts above about 100 with a small t need more."""


class DiscreteGaussianLosses:
    """The pair of discrete Gaussian laws with the given |shifts|, all above 0."""

    def __init__(self, shifts: list[int], time: float) -> None:
        self.time = time
        self.step = math.gcd(*shifts)
        self.reduced = [k // self.step for k in shifts]
        self.square = sum(k * k for k in self.reduced)  # of k/γ
        self.parameter = time * float(self.square)
        self.convolved = len(shifts) > 1 and time < _SMOOTH * self.square
        if math.isinf(self.parameter):
            raise ValueError(
                f"time is {time}: it must not overflow times the squared shift {self.square}; take a smaller time"
            )

    def hockey_stick(self, epsilons: Floats) -> Floats:
        return np.array([self._hockey_stick(epsilon) for epsilon in epsilons.tolist()])

    def loss_tail(self, epsilons: Floats) -> Floats:
        return np.array([self._loss_tail(epsilon) for epsilon in epsilons.tolist()])

    def _hockey_stick(self, epsilon: float) -> float:
        """Σ q(y)(1 - e^{-gap(y)/2t}) over the y with gap(y) = 2γy + ‖k‖² - 2εt > 0."""
        first, gap = self._first(epsilon)
        if self._beyond(first):
            return 0.0
        if self.convolved and self._beyond(-first):
            return 1.0
        if self.convolved:
            y, log_q = self._convolution(first)
            with np.errstate(under="ignore", over="ignore"):
                factors = -np.expm1(-(gap + 2.0 * self.step * (y - first)) / self.time / 2)
                return math.exp(log_total(log_q, np.log(factors)))
        if self.step * self.step * self.square >= self.time:
            # The laws are a deviation or more apart: tails are subtracted, as q(y)e^{-gap/2t} = e^ε q(y + γ‖k/γ‖²).
            own, other = self._log_upper(first), epsilon + self._log_upper(first + self.step * self.square)
            return math.exp(own) * -math.expm1(min(other - own, 0.0)) if own > -math.inf else 0.0

        def log_term(y: Floats) -> Floats:
            excess = gap + 2.0 * self.step * (y - float(first))
            return self._log_pmf(y) + np.log(-np.expm1(-excess / self.time / 2))

        start = max(first, -math.ceil(math.sqrt(2 * self.parameter * (_NATS + 20))))
        nats = _NATS + math.log1p(self.time / self.step) + max(first, 0) / self.parameter
        return math.exp(self._sum(log_term, start, nats))

    def _loss_tail(self, epsilon: float) -> float:
        first, _ = self._first(epsilon)
        if self._beyond(first) or self._beyond(-first):
            return 0.0 if first > 0 else 1.0
        if self.convolved:
            y, log_q = self._convolution(first)
            return math.exp(log_total(log_q, np.zeros(y.shape)))
        return math.exp(self._log_upper(first))

    def _first(self, epsilon: float) -> tuple[int, float]:
        """The least y whose loss exceeds ε, by exact arithmetic, and its gap."""
        moved = 2 * Fraction(epsilon) * Fraction(self.time) - self.step * self.step * self.square
        first = math.floor(moved / (2 * self.step)) + 1
        return first, float(2 * self.step * first - moved)

    def _beyond(self, start: int) -> bool:
        """Whether P(Y/γ >= start) is 0 in double precision: it is at most e^{-start²/2t‖k/γ‖²}."""
        return start > 0 and Fraction(start) ** 2 > 2500 * Fraction(self.parameter)

    def _log_pmf(self, y: Floats) -> Floats:
        return np.asarray(-0.5 * (y / self.parameter) * y - log_normaliser(np.asarray(self.parameter)))

    def _log_upper(self, start: int) -> float:
        """log P(Y/γ >= start)."""
        if start <= 0:
            return math.log1p(-math.exp(self._log_upper(1 - start)))
        if self._beyond(start):
            return -math.inf
        return self._sum(self._log_pmf, start, _NATS)

    def _sum(self, log_term: Callable[[Floats], Floats], start: int, nats: float) -> float:
        nats += math.log1p(math.sqrt(self.parameter))
        end = math.ceil(math.sqrt(float(max(start, 0)) ** 2 + 2 * self.parameter * nats)) + 2
        width = min(math.sqrt(self.parameter) / 2, 10 * self.parameter / end)
        with np.errstate(under="ignore", over="ignore"):
            return log_sum(log_term, float(start), float(end), width)

    def _convolution(self, first: int) -> tuple[Floats, Floats]:
        """The integers y >= first that matter, and log P(Y/γ = y), from coordinates tilted so that `first` is typical.

        Tilting by θ moves the centre of a coordinate to c = θtk and costs θy - θ²t‖k‖²/2, which is put back.
        """
        theta = max(float(first), 0.0) / self.parameter
        reach = math.ceil(math.sqrt(2 * self.time * (_NATS + 15))) + 2
        work = (2 * reach + 1) * (2 * reach * sum(self.reduced) + 1) * len(self.reduced)
        if work > _LARGEST_WORK:
            raise ValueError(
                f"shift of Euclidean length {self.step * math.sqrt(self.square):g} at time = {self.time:g} must not "
                f"need more than {_LARGEST_WORK} products, but needs {work}; ask for a larger time or a smaller shift"
            )
        q, offset, log_constant = np.ones(1), 0, 0.0
        for k in self.reduced:
            centre = theta * self.time * k
            middle = round(centre)
            j = middle + np.arange(-reach, reach + 1)
            with np.errstate(under="ignore"):
                weights = np.exp(-0.5 * (j - centre) ** 2 / self.time)
            whole = float(weights.sum())
            q, offset = _spaced_convolution(q, weights / whole, k), offset + k * (middle - reach)
            log_constant += math.log(whole) + 0.5 * theta * k * centre - float(log_normaliser(np.asarray(self.time)))
        y = offset + np.arange(q.size, dtype=np.float64)
        with np.errstate(divide="ignore"):
            log_q = np.log(q) + log_constant - theta * y
        return y[y >= first], log_q[y >= first]


def _spaced_convolution(q: Floats, weights: Floats, spacing: int) -> Floats:
    """The convolution of q with weights that lie `spacing` apart; only positive terms are added."""
    result = np.zeros(q.size + spacing * (weights.size - 1))
    for index, weight in enumerate(weights.tolist()):
        result[index * spacing : index * spacing + q.size] += weight * q
    return result
