"""Confidence limits that hold at every sample size at once, so also at the one where a run stops because it refutes.

Each is the set of parameters that a mixture of likelihood ratios does not refute: under the true parameter the mixture
is a nonnegative martingale of mean 1, so it ever reaches 1/α with probability at most α (Ville's inequality).
"""

from __future__ import annotations

import math
from collections.abc import Callable

from scipy.special import betaln, gammaln

EARLY = 10.0
"""Of which the mixtures are as wide as after so many numbers: the first look has about a hundred, and later the price
grows with the logarithm of the number only."""
PRIOR = 0.5
"""Of Jeffreys' mixture for a probability: its price is ½ log n whatever the probability is."""
FARTHEST = 60.0
"""Logarithms of ratios that are looked at: e^±60 is beyond any noise."""


def normal_half_width(precision: float, alpha: float) -> float:
    """How far an estimate of this precision (1/error²) is from its mean, for sums of normal numbers, at every look.

    With a normal mixture of precision ρ the boundary of S − Vθ is √((V + ρ)(log((V + ρ)/ρ) + 2 log 1/α)). For other
    numbers of known variance it holds in the limit of large samples.
    """
    total = precision + EARLY
    return math.sqrt(total * (math.log(total / EARLY) - 2 * math.log(alpha))) / precision


def mean_limits(mean: float, shape: float, alpha: float) -> tuple[float, float]:
    """Limits of the mean of gamma numbers: `shape` is the sum of their shapes, `mean` their sum over it.

    A squared normal number has shape ½ (its mean is the variance), an exponential one 1. Relative to a rate λ the
    mixture is gamma with shape and rate a = EARLY: M = a^a Γ(a + n) e^S / (Γ(a) (a + S)^(a + n)), S = n·mean·λ.
    """

    def refuted(log_ratio: float) -> float:
        total = shape * math.exp(log_ratio)
        wealth = EARLY * math.log(EARLY) - gammaln(EARLY) + gammaln(EARLY + shape) + total
        return float(wealth - (EARLY + shape) * math.log(EARLY + total) + math.log(alpha))

    # log M as a function of S is smallest at S = n, where no mean is refuted.
    up = _root(refuted, 0.0, FARTHEST) if refuted(FARTHEST) > 0 else FARTHEST
    down = _root(refuted, -FARTHEST, 0.0) if refuted(-FARTHEST) > 0 else -math.inf
    return mean * math.exp(-up), mean * math.exp(-down)


def least_probability(count: int, total: int, alpha: float) -> float:
    """The lower limit of the probability of an event that happened `count` times."""
    if not 0 <= count <= total or total == 0:
        raise ValueError(f"count is {count!r}: it must lie between 0 and total = {total!r}, and total must be positive")
    if count == 0:
        return 0.0
    mixed = betaln(PRIOR + count, PRIOR + total - count) - betaln(PRIOR, PRIOR)

    def refuted(p: float) -> float:
        own = count * math.log(p) + ((total - count) * math.log1p(-p) if count < total else 0.0)
        return float(mixed - own + math.log(alpha))

    # The mixture is at most the largest likelihood, so the share seen is never refuted.
    return _root(refuted, 1e-300, count / total * (1 - 1e-12), xtol=1e-300, rtol=1e-12)


def _root(
    function: Callable[[float], float], low: float, high: float, xtol: float = 2e-12, rtol: float = 1e-15
) -> float:
    from scipy.optimize import brentq  # here: an audit that is over at once does without, and imports a quarter less

    return float(brentq(function, low, high, xtol=xtol, rtol=rtol))
