"""What a family of bets expected and observed, in words: its name and what it says of itself."""

from __future__ import annotations

from nrverify.statistics.portfolio import Portfolio
from nrverify.statistics.wealth import RatioWealth

ALTERNATIVE, NAMED = "alternative", "named faults"
"""Families of alternatives that say in their own names what they are."""


def words_of(portfolio: Portfolio, name: str) -> tuple[str, str]:
    """Expected and observed; an alternative is compared with the claimed law, whatever its family is called."""
    wealth = portfolio[name]
    expected, observed = wealth.words()
    if not isinstance(wealth, RatioWealth):
        return f"{name}: {expected}", f"{name}: {observed}"
    for family in (ALTERNATIVE, NAMED):
        if name.startswith(family):
            return expected, observed + name.removeprefix(family)
    return expected, f"{name}: {observed}"
