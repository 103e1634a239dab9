"""The loss of Skellam noise: increasing in the noise, so that one coordinate is a tail, and several a sum over tails.

With the pair reflected, the loss of one coordinate moved by k is L(j) = log I_|j|(μ) - log I_|j+k|(μ), increasing in j.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from nrverify.laws.divergence.integer_tails import log_sum
from nrverify.laws.special.bessel import log_ratio, log_scaled
from nrverify.laws.validation.times import Floats

_NATS = 45.0
"""Terms below e^{-45} = 3e-20 of the largest are left out: a thousand of them are below rounding."""
_SMALLEST_VARIANCE = 1e-300
"""Below it the ratios of Bessel functions overflow."""
_LARGEST_WORK = 2**24
"""Points of the product of all coordinates but one; their number grows with the power of the coordinates."""
_AT_ONCE = 2**18
"""Points of that product held in memory at a time."""


class SkellamLosses:
    """The pair of Skellam laws of variance μ with the given |shifts|, all above 0."""

    def __init__(self, shifts: list[int], mu: float) -> None:
        self.shifts, self.mu = sorted(shifts), mu
        if mu < _SMALLEST_VARIANCE:
            raise ValueError(
                f"time times rate is {mu / 2}: it must be at least {_SMALLEST_VARIANCE}; ask for a larger time"
            )

    def hockey_stick(self, epsilons: Floats) -> Floats:
        one = len(self.shifts) == 1
        return np.array([self._one(e, excess=True) if one else self._several(e, True) for e in epsilons.tolist()])

    def loss_tail(self, epsilons: Floats) -> Floats:
        one = len(self.shifts) == 1
        return np.array([self._one(e, excess=False) if one else self._several(e, False) for e in epsilons.tolist()])

    def _one(self, epsilon: float, excess: bool) -> float:
        k = self.shifts[0]
        first = self._first(epsilon, k)
        if not excess:
            return math.exp(self._log_upper(first))
        if k * k >= math.hypot(first, self.mu):
            # The laws are a deviation or more apart: nothing much cancels in the difference of the tails.
            own, other = self._log_upper(first), epsilon + self._log_upper(first + k)
            return math.exp(own) * -math.expm1(min(other - own, 0.0)) if own > -math.inf else 0.0

        def log_term(j: Floats) -> Floats:
            return self._log_pmf(j) + np.log(-np.expm1(np.minimum(epsilon - self._losses(j, k), -1e-300)))

        start = max(first, -self._end(0, _NATS + 20))
        return math.exp(self._sum(log_term, start, _NATS + math.log1p(math.hypot(first, self.mu) / k)))

    def _log_pmf(self, j: Floats) -> Floats:
        return np.asarray(log_scaled(j, self.mu))

    def _losses(self, j: Floats, k: int) -> Floats:
        return np.asarray(log_ratio(np.abs(j), np.abs(j + k), self.mu))

    def _first(self, epsilon: float, k: int) -> int:
        """The least j with L(j) > ε, by bisection from the guess μ sinh(ε/k) - k/2.

        Beyond 1000(μ + 1), where the pmf is below e^{-1000}, any j will do.
        """
        farthest = 1000 * (self.mu + 1)
        guess = float(np.clip(self.mu * np.sinh(epsilon / k) - k / 2, -farthest, farthest))
        low = high = math.floor(guess)
        span = 1
        while low > -farthest and self._losses(np.asarray(float(low)), k) > epsilon:
            low, span = low - span, 2 * span
        span = 1
        while high < farthest and self._losses(np.asarray(float(high)), k) <= epsilon:
            high, span = high + span, 2 * span
        while high - low > 1:
            middle = (low + high) // 2
            if self._losses(np.asarray(float(middle)), k) > epsilon:
                high = middle
            else:
                low = middle
        return high

    def _log_upper(self, start: int) -> float:
        """log P(X >= start)."""
        if start <= 0:
            return math.log1p(-math.exp(self._log_upper(1 - start)))
        return self._sum(self._log_pmf, start, _NATS)

    def _end(self, start: int, nats: float) -> int:
        """A point beyond start >= 0 where the pmf has fallen by so many powers of e."""
        top = float(self._log_pmf(np.asarray(float(start))))
        if top == -math.inf:
            return start
        span = max(1, round(math.sqrt(self.mu)))
        while float(self._log_pmf(np.asarray(float(start + span)))) > top - nats:
            span = math.ceil(1.25 * span)
        return start + span

    def _sum(self, log_term: Callable[[Floats], Floats], start: int, nats: float) -> float:
        end = self._end(max(start, 0), nats + math.log1p(math.sqrt(self.mu)))
        width = min(math.sqrt(self.mu) / 2, 10 / math.asinh(end / self.mu))
        with np.errstate(under="ignore", over="ignore", divide="ignore"):
            return log_sum(log_term, float(start), float(end), width)

    def _several(self, epsilon: float, excess: bool) -> float:
        """Σ over all coordinates but one of their weight times the tail of that one, on windows of enough mass."""
        floor = -_NATS - 15
        while True:
            answer, left_out = self._on_windows(epsilon, excess, floor)
            if left_out <= 1e-14 * answer or floor < -760:
                return answer
            floor = min(2 * floor, math.log(max(answer, 1e-320)) - _NATS)

    def _on_windows(self, epsilon: float, excess: bool, floor: float) -> tuple[float, float]:
        """The sum over noises whose pmf is above e^floor, and a bound on the mass outside."""
        reach = self._end(0, -floor)
        if (2 * reach + 1) ** (len(self.shifts) - 1) > _LARGEST_WORK:
            raise ValueError(
                f"shift has {len(self.shifts)} coordinates whose noise takes {2 * reach + 1} values that matter: they "
                f"must not have more than {_LARGEST_WORK} combinations without the last; ask for fewer coordinates"
            )
        j = np.arange(-reach, reach + 1.0)
        log_p = self._log_pmf(j)
        weights, losses = np.ones(1), np.zeros(1)
        for k in self.shifts[:-2]:
            weights = np.multiply.outer(weights, np.exp(log_p)).reshape(-1)
            losses = np.add.outer(losses, self._losses(j, k)).reshape(-1)
        outer = self._losses(j, self.shifts[-2])
        table = _Table(log_p, self._losses(j, self.shifts[-1]), excess)
        rows = max(1, _AT_ONCE // j.size)
        total = 0.0
        with np.errstate(under="ignore"):
            for begin in range(0, weights.size, rows):
                part = slice(begin, begin + rows)
                left = epsilon - np.add.outer(losses[part], outer)
                total += float((np.multiply.outer(weights[part], np.exp(log_p)) * table.tails(left)).sum())
            outside = 2 * len(self.shifts) * math.exp(self._log_upper(reach + 1))
        return total, outside


class _Table:
    """E[(1 - e^{ε-L})₊] or P(L > ε) of one coordinate, for many ε at once, from sums of positive terms.

    With U_i = P(X >= j_i) and D_i = Σ_{m>i} U_m (e^{-L_{m-1}} - e^{-L_m}) e^{L_i}, both summed from the top, the excess
    at an ε whose first loss above it is L_i is U_i(1 - e^{ε-L_i}) + e^{ε-L_i} D_i.
    """

    def __init__(self, log_p: Floats, losses: Floats, excess: bool) -> None:
        self.losses, self.excess = losses, excess
        with np.errstate(under="ignore"):
            self.upper = np.append(np.cumsum(np.exp(log_p)[::-1])[::-1], 0.0)
            self.beyond = np.zeros(losses.size + 1)
            shrink = np.exp(-np.diff(losses)).tolist()
            rises = (-np.expm1(-np.diff(losses))).tolist()
            upper = self.upper.tolist()
            running = 0.0
            for i in range(losses.size - 2, -1, -1):
                running = rises[i] * upper[i + 1] + shrink[i] * running
                self.beyond[i] = running

    def tails(self, epsilons: Floats) -> Floats:
        first = np.searchsorted(self.losses, epsilons, side="right")
        upper = self.upper[first]
        if not self.excess:
            return np.asarray(upper)
        gap = epsilons - self.losses[np.minimum(first, self.losses.size - 1)]
        gap = np.where(first < self.losses.size, np.minimum(gap, 0.0), 0.0)
        return np.asarray(upper * -np.expm1(gap) + np.exp(gap) * self.beyond[first])
