"""Ex-post losses of finite mechanisms added up, in exact rationals: the filter that never exceeds its budget."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

from hypothesis import strategies

from nrverify.ledger import holds, property_
from nrverify.ledger.search import Search

Mechanism = tuple[tuple[Fraction, Fraction], ...]
"""For each output its probability under the value and under the neighbour."""
Admit = Callable[[Fraction, Fraction, Fraction, Fraction], bool]
"""From odds spent, the cap of the next mechanism, its last charge and the budget: whether it may run."""


def _normalised(pairs: list[tuple[int, int]]) -> Mechanism:
    total, other = sum(p for p, _ in pairs), sum(q for _, q in pairs)
    return tuple((Fraction(p, total), Fraction(q, other)) for p, q in pairs)


MECHANISMS = strategies.lists(
    strategies.tuples(strategies.integers(1, 6), strategies.integers(1, 6)), min_size=2, max_size=3
).map(_normalised)
"""Odds up to 9¾, of small integers, so that searches meet equal charges."""
CHOICES = strategies.lists(MECHANISMS, min_size=2, max_size=3)
"""Two outputs are enough for a choice to depend on them; of three, two may be taken for one."""
BUDGETS = strategies.fractions(min_value=1, max_value=12, max_denominator=4)
"""In odds: 1 is nothing to spend, 12 more than any one output costs (9¾)."""
DEPTH = 3
"""Mechanisms in a row: enough for a filter to refuse after it has admitted."""


def odds(output: tuple[Fraction, Fraction]) -> Fraction:
    """p/q: e to the loss."""
    return output[0] / output[1]


def charge(output: tuple[Fraction, Fraction]) -> Fraction:
    """e^E of an output: its odds, at least 1."""
    return max(Fraction(1), odds(output))


def cap(mechanism: Mechanism) -> Fraction:
    """The largest charge it can make: known before it runs."""
    return max(charge(output) for output in mechanism)


def paths(choices: list[Mechanism], budget: Fraction, admit: Admit) -> Iterator[Fraction]:
    """The odds of every path; which mechanism comes next depends on the last output."""

    def grow(total: Fraction, spent: Fraction, last: Fraction, turn: int, depth: int) -> Iterator[Fraction]:
        mechanism = choices[turn % len(choices)]
        if depth == DEPTH or not admit(spent, cap(mechanism), last, budget):
            yield total
            return
        for index, output in enumerate(mechanism):
            paid = charge(output)
            yield from grow(total * odds(output), spent * paid, paid, turn + index + 1, depth + 1)

    yield from grow(Fraction(1), Fraction(1), Fraction(1), 0, 0)


@property_(
    {"X03": holds},
    rejects={
        "asked after the release": {"admit": lambda spent, most, last, budget: spent < budget},
        "the last charge as the cap": {"admit": lambda spent, most, last, budget: spent * last <= budget},
    },
)
def filter_with_a_cap(search: Search, admit: Admit = lambda spent, most, last, budget: spent * most <= budget) -> None:
    """A mechanism runs only if what was spent plus its cap fits: no path of outputs loses more than the budget."""

    def check(choices: list[Mechanism], budget: Fraction) -> None:
        worst = max(paths(choices, budget, admit))
        search.require(worst <= budget, f"odds {worst} with a budget of {budget}")

    search.for_all("three adaptively chosen mechanisms, all outputs", check, CHOICES, BUDGETS, examples=200)


LEVELS = strategies.lists(strategies.fractions(min_value=1, max_value=3, max_denominator=4), min_size=3, max_size=3)
"""Odds claimed for each output; those of the mechanisms go up to 9¾, so that many fail."""


def failing(mechanism: Mechanism, levels: list[Fraction]) -> Fraction:
    """δ: the probability that the odds of an output exceed the odds claimed for it."""
    return sum((p for (p, q), level in zip(mechanism, levels, strict=False) if p / q > level), Fraction(0))


@property_(
    {"X03": holds},
    rejects={
        "the larger δ": {"failure": max},
        "the larger of the two claims": {"level": max},
    },
)
def failures_add(
    search: Search,
    failure: Callable[[Fraction, Fraction], Fraction] = lambda first, second: first + second,
    level: Callable[[Fraction, Fraction], Fraction] = lambda first, second: first * second,
) -> None:
    """(E₁, δ₁) then (E₂, δ₂), the second chosen by the first output: P(L > E₁ + E₂) ≤ δ₁ + δ₂, δ₂ the largest."""

    def check(first: Mechanism, seconds: list[Mechanism], levels: list[Fraction], more: list[Fraction]) -> None:
        chosen = [seconds[index % len(seconds)] for index in range(len(first))]
        total = Fraction(0)
        for (p, q), claimed, second in zip(first, levels, chosen, strict=False):
            for (p2, q2), other in zip(second, more, strict=False):
                if p * p2 / (q * q2) > level(claimed, other):
                    total += p * p2
        allowed = failure(failing(first, levels), max(failing(second, more) for second in chosen))
        search.require(total <= allowed, f"fails with {total}, allowed {allowed}")

    search.for_all("two mechanisms, all outputs", check, MECHANISMS, CHOICES, LEVELS, LEVELS, examples=120)
