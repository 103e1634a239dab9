"""Wealth: bets against a null hypothesis whose average stays at most one, valid at every look (Ville).

Each bettor keeps the logarithm of its wealth under a grid of alternatives; its e-value is the average over the grid.
Every factor it multiplies in has conditional mean one given the past, so P(sup wealth ≥ 1/α) ≤ α whatever the stopping.
A bettor keeps sums over what it has seen and nothing else (`Additive`): `empty_copy` gives an empty copy, `merge` adds.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln

from nrverify.statistics.additive import Additive
from nrverify.statistics.estimate import Estimate, Measure

Floats = NDArray[np.float64]

EFFECT_SIZES: Floats = np.concatenate([sign * 0.004 * 1.5 ** np.arange(17) for sign in (-1.0, 1.0)])
"""Sizes of effect bet on, from 0.4 % (the smallest a default budget can see) to 2.6."""

EFFECT_DECAYS: Floats = np.expm1(-EFFECT_SIZES)
EFFECT_ENERGIES: Floats = 0.5 * EFFECT_SIZES**2
"""What a bet on a variance, and one on a shift, is paid for its size: worked out once."""

HALF_TIE_EFFECTS: Floats = np.geomspace(0.01, 6.0, 14)
"""Log odds ratios from 0.01, below which a default budget sees nothing, to e⁶ ≈ 400, beyond which a few ties decide
anyway; steps of 1.64 lose little between them."""
TIE_EFFECTS: Floats = np.concatenate([-HALF_TIE_EFFECTS, HALF_TIE_EFFECTS])
"""Log odds ratios bet on for a tie, against it and for it."""

AT_ONCE = 4096
"""Events whose odds are worked out together: few enough to stay in the processor's cache."""

CONCENTRATIONS: Floats = np.array([10.0, 30.0, 100.0, 300.0, 1e3, 3e3, 1e4, 3e4, 1e5])
"""Prior weights of the null in the omnibus bet."""
LOG_CONCENTRATIONS: Floats = gammaln(CONCENTRATIONS)
"""log Γ of them."""


def log_average(log_wealth: Floats) -> float:
    """log of the average of exp(log_wealth)."""
    largest = float(log_wealth.max())
    if not math.isfinite(largest):
        return largest
    return largest + math.log(np.exp(log_wealth - largest).sum() / log_wealth.size)


def log_averages(log_wealth: Floats) -> list[float]:
    """The same for each row."""
    largest = log_wealth.max(axis=1)
    within = np.where(np.isfinite(largest), largest, 0.0)
    averages = within + np.log(np.exp(log_wealth - within[:, None]).sum(axis=1) / log_wealth.shape[1])
    return [float(average) for average in np.where(np.isfinite(largest), averages, largest)]


def dot(x: Floats, y: Floats) -> float:
    """Σxy, the same to the last bit whatever number of threads linear algebra has here: `np.dot` is not."""
    return float(np.einsum("i,i->", x.ravel(), y.ravel()))


def sum_log(factors: Floats) -> Floats:
    """Σ log over the last axis; where they can be, sixteen are multiplied before each logarithm, which is slow."""
    *rows, n = factors.shape
    whole = n - n % 16
    if whole == 0:
        return np.asarray(np.log(factors).sum(axis=-1))
    with np.errstate(over="ignore", under="ignore"):
        products = factors[..., :whole].reshape(*rows, 16, whole // 16).prod(axis=-2)
    if not (products.min() > 1e-290 and products.max() < np.inf):
        return np.asarray(np.log(factors).sum(axis=-1))
    return np.asarray(np.log(products).sum(axis=-1) + np.log(factors[..., whole:]).sum(axis=-1))


@dataclass
class ScaleWealth(Additive):
    """Bets that innovations Z ~ N(0, e^θ) rather than N(0, 1): −(m/2)θ − ½ΣZ²(e^{−θ} − 1)."""

    count: int = 0
    squares: float = 0.0

    def bet(self, z: Floats) -> None:
        """Takes in innovations that are N(0, 1) given the past."""
        self.add(z.size, dot(z, z))

    def add(self, count: int, squares: float) -> None:
        """Takes in how many innovations there were, and the sum of their squares."""
        self.count += int(count)
        self.squares += float(squares)

    @property
    def log_e(self) -> float:
        """log e-value so far."""
        return self.log_e_of([self])[0]

    @classmethod
    def log_e_of(cls, bets: Sequence[ScaleWealth]) -> list[float]:
        """log e-values of several."""
        sums = np.array([(bet.count, bet.squares) for bet in bets])
        return log_averages(-0.5 * sums[:, :1] * EFFECT_SIZES - 0.5 * sums[:, 1:] * EFFECT_DECAYS)

    @property
    def ratio(self) -> float:
        """The variance observed over the variance claimed."""
        return self.squares / self.count if self.count else float("nan")

    def estimate(self) -> Estimate:
        """The variance over the claimed one."""
        error = self.ratio * (2 / self.count) ** 0.5 if self.count else None
        return Estimate(Measure.VARIANCE, 1.0, self.ratio, error, self.count)


@dataclass
class MeanWealth(Additive):
    """Bets that E[Z | past] = θh for a covariate h of the past: θΣhZ − θ²Σh²/2."""

    cross: float = 0.0
    energy: float = 0.0
    slopes: bool = False
    """Whether h is a number of standard deviations, so that θ is a slope; else it is ±1, and θ a shift."""
    configuration = ("slopes",)

    def bet(self, z: Floats, covariate: Floats | None = None) -> None:
        """Takes in innovations that are N(0, 1) given the past, and covariates known before them (default 1)."""
        if covariate is None:
            self.add(z.sum(), z.size)
        else:
            self.add(dot(covariate, z), dot(covariate, covariate))

    def add(self, cross: float, energy: float) -> None:
        """Takes in Σhz and Σh²."""
        self.cross += float(cross)
        self.energy += float(energy)

    @property
    def log_e(self) -> float:
        """log e-value so far."""
        return self.log_e_of([self])[0]

    @classmethod
    def log_e_of(cls, bets: Sequence[MeanWealth]) -> list[float]:
        """log e-values of several."""
        sums = np.array([(bet.cross, bet.energy) for bet in bets])
        return log_averages(EFFECT_SIZES * sums[:, :1] - EFFECT_ENERGIES * sums[:, 1:])

    @property
    def slope(self) -> float:
        """The regression of the innovations on the covariate."""
        return self.cross / self.energy if self.energy else float("nan")

    def estimate(self) -> Estimate:
        """The shift, or the slope on the covariate."""
        error = self.energy**-0.5 if self.energy > 0 else None
        return Estimate(Measure.SLOPE if self.slopes else Measure.SHIFT, 0.0, self.slope, error)


@dataclass
class ExponentialWealth(Additive):
    """Bets that positive innovations are exponential with mean e^θ rather than 1: −mθ − ΣX(e^{−θ} − 1)."""

    count: int = 0
    total: float = 0.0

    def bet(self, x: Floats) -> None:
        """Takes in innovations that are Exp(1) given the past."""
        self.add(x.size, x.sum())

    def add(self, count: int, total: float) -> None:
        """Takes in how many innovations there were, and their sum."""
        self.count += int(count)
        self.total += float(total)

    @property
    def log_e(self) -> float:
        """log e-value so far."""
        return log_average(-self.count * EFFECT_SIZES - self.total * EFFECT_DECAYS)

    @property
    def ratio(self) -> float:
        """The scale observed over the scale claimed."""
        return self.total / self.count if self.count else float("nan")

    def estimate(self) -> Estimate:
        """The scale over the claimed one."""
        error = self.ratio / self.count**0.5 if self.count else None
        return Estimate(Measure.SCALE, 1.0, self.ratio, error, self.count)


LEAST_ODDS, ODDS_ALPHA = "least_odds", 1e-6
"""The number of an estimate that is the limit of a factor in the odds, and its level: that of a default run."""


@dataclass
class TieWealth(Additive):
    """Bets that events of known probability p have log odds moved by θh: Σ θhA − log(1 + p(e^{θh} − 1))."""

    log_wealth: Floats = field(default_factory=lambda: np.zeros(TIE_EFFECTS.size))
    count: int = 0
    happened: int = 0
    foreseen: float = 0.0
    along: bool = False
    """Whether h varies, so that θ is how the odds change with it."""
    configuration = ("along",)

    def bet(self, happened: NDArray[np.bool_], probability: Floats | float, covariate: Floats | None = None) -> None:
        """Takes in events whose probability given the past is known, and covariates of the past (default 1)."""
        self.count += happened.size
        self.happened += int(happened.sum())
        self.foreseen += float(np.sum(probability)) if np.ndim(probability) else happened.size * float(probability)
        moved = float(happened.sum()) if covariate is None else float(covariate[happened].sum())
        self.log_wealth += TIE_EFFECTS * moved
        p = np.broadcast_to(probability, np.shape(probability) or (1,) if covariate is None else covariate.shape)
        times = happened.size / p.size if p.size else 0.0
        for start in range(0, p.size, AT_ONCE):
            part = p[start : start + AT_ONCE]
            h = np.ones(1) if covariate is None else covariate[start : start + AT_ONCE]
            tilt = np.exp(HALF_TIE_EFFECTS[:, None] * h)
            # 1 − p + p e^θh and not 1 + p(e^θh − 1): positive also where p is rounded to 1.
            paid = [sum_log(1.0 - part + part / tilt), sum_log(1.0 - part + part * tilt)]
            self.log_wealth -= times * np.concatenate(paid)

    @property
    def log_e(self) -> float:
        """log e-value so far."""
        return log_average(self.log_wealth)

    @property
    def odds_ratio(self) -> float:
        """The factor in the odds (per unit of the covariate) that won most."""
        return float(np.exp(TIE_EFFECTS[int(np.argmax(self.log_wealth))]))

    def _least_odds(self) -> float:
        """The factor nearest to 1 that is not refuted at any look, of those bet on.

        Under a factor the wealth of another over its own is a martingale of mean 1.
        """
        best = int(np.argmax(self.log_wealth))
        likely = self.log_wealth[best] - self.log_wealth < np.log(TIE_EFFECTS.size / ODDS_ALPHA)
        if self.log_wealth[best] < np.log(TIE_EFFECTS.size / ODDS_ALPHA):
            return 1.0
        return float(np.exp(min(TIE_EFFECTS[likely], key=abs)))

    def estimate(self) -> Estimate:
        """How many happened of how many were expected; with a covariate, how the odds change with it."""
        counts = {"happened": float(self.happened), "foreseen": self.foreseen}
        if self.along:
            counts[LEAST_ODDS] = self._least_odds()
            return Estimate(Measure.ODDS, 1.0, self.odds_ratio, None, self.count, counts)
        share = self.foreseen / self.count if self.count else 0.0
        error = (self.count * share * (1 - share)) ** 0.5 if 0 <= share <= 1 else None
        return Estimate(Measure.EVENTS, self.foreseen, float(self.happened), error, self.count, counts)


@dataclass
class BinWealth(Additive):
    """The omnibus: Dirichlet–multinomial bets on counts in bins of known probability, averaged over concentrations.

    Bins are those of a distribution function, in order: from one sum of weights to the next.
    """

    weights: Floats
    counts: Floats = field(init=False)
    configuration = ("weights",)

    def __post_init__(self) -> None:
        self.weights = np.asarray(self.weights, dtype=float)
        self.counts = np.zeros_like(self.weights)

    def bet(self, counts: ArrayLike) -> None:
        """Takes in how many observations fell into each bin."""
        self.counts += np.asarray(counts, dtype=float)

    @property
    def log_e(self) -> float:
        """log e-value so far; infinite when a bin of probability zero was hit."""
        total = self.counts.sum()
        if total == 0:
            return 0.0
        possible = self.weights > 0
        if np.any(self.counts[~possible] > 0):
            return np.inf
        counts = self.counts[possible]
        prior, log_prior, log_weights = _dirichlet(self.weights.tobytes())
        log_wealth = (
            LOG_CONCENTRATIONS
            - gammaln(CONCENTRATIONS + total)
            + (gammaln(prior + counts) - log_prior).sum(axis=1)
            - float(np.dot(counts, log_weights))
        )
        return log_average(log_wealth)

    @property
    def farthest(self) -> int:
        """The bin that stands out most, in standard deviations."""
        expected = self.counts.sum() * self.weights
        return int(np.argmax(np.abs((self.counts - expected) / np.sqrt(np.maximum(expected, 1e-300)))))

    def estimate(self) -> Estimate:
        """The share of the bin that stands out most, and its quantiles."""
        bin, total = self.farthest, float(self.counts.sum())
        weight = float(self.weights[bin])
        low, high = np.concatenate([[0.0], np.cumsum(self.weights)])[bin : bin + 2].tolist()
        share = float(self.counts[bin]) / total if total else float("nan")
        error = (weight * (1 - weight) / total) ** 0.5 if total else None
        return Estimate(Measure.SHARE, weight, share, error, int(total), {"low": low, "high": high})


@lru_cache(maxsize=512)
def _dirichlet(weights: bytes) -> tuple[Floats, Floats, Floats]:
    """What does not depend on counts: the prior counts of possible bins, log Γ of them, and log weights."""
    possible = np.frombuffer(weights)
    possible = possible[possible > 0]
    prior = CONCENTRATIONS[:, None] * possible
    return prior, gammaln(prior), np.log(possible)


NEAR, MOST_LIKELIEST = 3.0, 3
"""Log-likelihood within which alternatives are hardly told apart, and how many are named."""


class RatioWealth(Additive):
    """Bets on named alternatives, fixed in advance, by their exact likelihood ratio."""

    def __init__(self, names: Iterable[str]) -> None:
        self.log_wealth: dict[str, float] = dict.fromkeys(names, 0.0)

    def bet(self, log_ratios: Mapping[str, float]) -> None:
        """Takes in, for named alternatives, the sum of log(q/p) over new observations; others do not bet."""
        for name, log_ratio in log_ratios.items():
            self.log_wealth[name] += log_ratio

    @property
    def log_e(self) -> float:
        """log e-value so far."""
        return log_average(np.array(list(self.log_wealth.values())))

    @property
    def best(self) -> str:
        """The alternative with the largest likelihood ratio."""
        return self.likeliest[0]

    @property
    def likeliest(self) -> list[str]:
        """The alternatives that come near the largest likelihood ratio, largest first."""
        ordered = sorted(self.log_wealth, key=self.log_wealth.__getitem__, reverse=True)[:MOST_LIKELIEST]
        return [name for name in ordered if self.log_wealth[name] >= self.log_wealth[ordered[0]] - NEAR]

    def estimate(self) -> Estimate:
        """By how much the best alternative beats the claimed law, and those that are hardly told from it."""
        ratios = {name: self.log_wealth[name] for name in self.likeliest}
        return Estimate(
            Measure.ALTERNATIVE, 0.0, self.log_wealth[self.best], numbers=ratios, alternatives=tuple(ratios)
        )


def uniform_bins() -> tuple[Floats, Floats]:
    """Edges and null weights of the omnibus bins on (0, 1): sixteenths, and halvings towards both ends."""
    tails = 0.5 ** np.arange(5, 13)
    edges = np.unique(np.concatenate([np.arange(1, 16) / 16, tails, 1 - tails]))
    return edges, np.diff(np.concatenate([[0.0], edges, [1.0]]))
