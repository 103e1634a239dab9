"""The privacy loss of threshold mechanisms over utilities, neighbours and ε's, searched for its worst (Theorem rat)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis import target
from hypothesis.strategies import SearchStrategy

from nrverify.laws.threshold import halting_law, log_probability, privacy_loss, worst_loss
from nrverify.ledger import property_, supports
from nrverify.ledger.search import Search

from .strategies import evenly, integers

PROMISED = 1e-10
"""The relative accuracy promised for the law, so that a log-probability errs by as much and a loss by twice that."""

MOST_ROUNDS = 4
"""Enough for zeros before a halt, and for an ε that rises twice between them."""

KINDS = ("any", "worst signs", "worst signs, constant ε")
"""Of cases: a search that had to find the worst signs by itself would need many more of them."""

LARGEST_FACTOR = 1e8
"""Between the first ε and the last: the law has no digits left where a utility is 1e12 noises away."""


@dataclass(frozen=True)
class Case:
    """Non-decreasing ε's, utilities in units of the largest noise, and a neighbour within Δ = 1 in every round."""

    epsilons: tuple[float, ...]
    utilities: tuple[float, ...]
    neighbour: tuple[float, ...]


def cases(rounds: int = MOST_ROUNDS) -> SearchStrategy[Case]:
    """Ties, factors up to 1e4 between consecutive ε's, and the signs that are worst among others."""
    factor = st.one_of(st.just(1.0), st.sampled_from([1.1, 2.0]), evenly(0, 4).map(lambda x: 10.0**x))
    height = st.one_of(evenly(-30, 30), st.sampled_from([-25.0, 0.0, 25.0]))
    shift = st.one_of(st.sampled_from([-1.0, 1.0]), evenly(-1, 1))
    step = st.tuples(factor, height, shift)
    drawn = st.tuples(evenly(-1, 1), st.lists(step, min_size=1, max_size=rounds), st.sampled_from(KINDS))

    def case(parts: tuple[float, list[tuple[float, float, float]], str]) -> Case:
        exponent, steps, kind = parts
        last = len(steps) - 1
        factors = np.minimum(np.cumprod([1.0, *(f for f, _, _ in steps[1:])]), LARGEST_FACTOR)
        epsilons = 10.0**exponent * (np.ones(len(steps)) if kind == "worst signs, constant ε" else factors)
        if kind != "any":
            # A halt nearly certain in every round but the last, where it is nearly impossible, and the neighbour
            # even surer to halt before and even less likely to halt there: then each round adds to the loss.
            steps = [(f, 25.0 if n < last else -25.0, -1.0 if n < last else 1.0) for n, (f, _, _) in enumerate(steps)]
        utilities = [height / epsilon for (_, height, _), epsilon in zip(steps, epsilons, strict=True)]
        neighbour = [u - shift for u, (_, _, shift) in zip(utilities, steps, strict=True)]
        return Case(tuple(epsilons.tolist()), tuple(utilities), tuple(neighbour))

    return drawn.map(case)


def _loss(bits: Sequence[int], case: Case) -> float:
    """The loss for one sensitivity: u and its neighbour, rounded, may lie further apart than 1 by a unit of u."""
    apart = max(abs(u - v) for u, v in zip(case.utilities, case.neighbour, strict=True))
    loss = privacy_loss(bits, utilities=case.utilities, neighbour=case.neighbour, epsilons=case.epsilons)
    return loss / max(1.0, apart)


@property_(
    {"R05": supports, "R07": supports, "R08": supports, "R10": supports, "X11": supports},
    rejects={
        "ε_n/2 in place of ε_n": {"bound": lambda epsilons: min(epsilons[-1] / 2, sum(epsilons) / 4)},
        "an eighth of the sum": {"bound": lambda epsilons: min(epsilons[-1], sum(epsilons) / 8)},
        "a quarter of the last ε": {"bound": lambda epsilons: epsilons[-1] / 4},
    },
)
def loss_of_a_halt(search: Search, bound: Callable[[Sequence[float]], float] = worst_loss) -> None:
    """A halt in round n never loses more than min(ε_n, ¼Σε_i), whatever the utilities, nor less than its negative."""

    def check(case: Case) -> None:
        loss = _loss([0] * (len(case.epsilons) - 1) + [1], case)
        limit = bound(case.epsilons)
        target(abs(loss) / limit, label="share of the bound")
        search.require(abs(loss) <= limit * (1 + 2**-50) + 2 * PROMISED, f"loss {loss} above {limit} for {case}")

    search.for_all("halts within four rounds", check, cases(), examples=20)


@property_(
    {"R05": supports},
    rejects={
        "a quarter of the last ε": {"bound": lambda epsilons: epsilons[-1] / 4},
        "an eighth of the sum": {"bound": lambda epsilons: min(epsilons[-1] / 2, sum(epsilons) / 8)},
    },
)
def loss_of_silence(
    search: Search,
    bound: Callable[[Sequence[float]], float] = lambda epsilons: min(epsilons[-1] / 2, math.fsum(epsilons) / 4),
) -> None:
    """n rounds without a halt never lose more than min(ε_n/2, ¼Σε_i)."""

    def check(case: Case) -> None:
        loss = _loss([0] * len(case.epsilons), case)
        limit = bound(case.epsilons)
        target(abs(loss) / limit, label="share of the bound")
        search.require(abs(loss) <= limit * (1 + 2**-50) + 2 * PROMISED, f"loss {loss} above {limit} for {case}")

    search.for_all("up to four rounds of zeros", check, cases(), examples=20)


def law_of(case: Case, shift: float = 0.0, unit: float = 1.0, threshold: float = 0.0) -> Any:
    """log P(N = 1), …, log P(N > n), with utilities shifted and measured in a unit."""
    utilities = [(u + shift) * unit for u in case.utilities]
    return halting_law(utilities=utilities, epsilons=case.epsilons, threshold=threshold, sensitivity=unit)


@property_(
    {"R02": supports, "R03": supports, "R05": supports},
    rejects={
        "a threshold that moves half as far": {"moved": lambda shift: shift / 2},
        "a sensitivity that is squared": {"unit": lambda c: c * c},
        "lower utilities halt sooner": {"raised": -1.0},
    },
)
def symmetries_of_the_law(
    search: Search,
    moved: Callable[[float], float] = lambda shift: shift,
    unit: Callable[[float], float] = lambda c: c,
    raised: float = 1.0,
) -> None:
    """The law sums to one, depends on (u − τ)/Δ alone, and higher utilities halt sooner: in round 1, and at all."""

    def check(case: Case, shift: int, exponent: int, lift: float) -> None:
        rounded = Case(case.epsilons, tuple(round(16 * u) / 16 for u in case.utilities), case.neighbour)
        law = law_of(rounded)
        total = math.fsum(np.exp(law))
        search.require(abs(total - 1) <= PROMISED, f"probabilities sum to {total} for {rounded}")
        # Multiples of 1/16 and powers of two: the margins, and so the laws, are the same numbers.
        c = 2.0**exponent
        same = np.array_equal(law_of(rounded, shift, 1.0, moved(float(shift))), law)
        search.require(same, f"utilities and threshold moved by {shift} change the law of {rounded}")
        scaled = halting_law(
            utilities=[c * u for u in rounded.utilities], epsilons=rounded.epsilons, sensitivity=unit(c)
        )
        search.require(np.array_equal(scaled, law), f"another unit changes the law of {rounded}")
        higher = law_of(rounded, raised * lift)
        sooner = higher[0] >= law[0] - 2 * PROMISED and higher[-1] <= law[-1] + 2 * PROMISED
        search.require(bool(sooner), f"utilities raised by {lift} halt later: {rounded}")
        alone = log_probability([1], utilities=rounded.utilities, epsilons=rounded.epsilons)
        search.require(abs(alone - law[0]) <= 2 * PROMISED, f"the first round disagrees for {rounded}")

    exponent = integers(-8, 8).filter(bool)
    search.for_all("up to three rounds", check, cases(3), integers(1, 20), exponent, evenly(0.5, 3), examples=12)
