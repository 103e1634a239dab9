"""A measured ε: an event counted in runs that had no part in choosing it, with exact confidence limits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nrverify.statistics.labels import epsilon_lower_bound
from nrverify.statistics.proportions import clopper_pearson

CONFIDENCE = 0.95
"""Of the measured ε and δ, each: one minus the probability that it exceeds the true one."""


@dataclass(frozen=True)
class Measured:
    """How often an event happened under the data that make it likely, and under their neighbours."""

    words: str
    likely: str
    """The data under which it is likelier."""
    unlikely: str
    hits: int
    runs: int
    other_hits: int
    other_runs: int
    claimed: float
    """The ε claimed for it."""
    delta: float
    confidence: float = CONFIDENCE

    @property
    def shares(self) -> tuple[float, float]:
        """Its two frequencies."""
        return self.hits / max(self.runs, 1), self.other_hits / max(self.other_runs, 1)

    @property
    def epsilon(self) -> float:
        """A lower limit on the ε that holds at the claimed δ. At δ = 0 the coin makes the count of hits binomial."""
        if self.delta == 0:
            return epsilon_lower_bound(self.hits, self.hits + self.other_hits, self.confidence)
        least, most = self._limits()
        return max(0.0, float(np.log((least - self.delta) / most))) if least > self.delta else 0.0

    @property
    def delta_at_claim(self) -> float:
        """A lower limit on the δ that holds at the claimed ε."""
        least, most = self._limits()
        return max(0.0, least - float(np.exp(min(self.claimed, 700.0))) * most)

    @property
    def at_delta(self) -> str:
        """At which δ the measured ε holds, in words; empty for δ = 0."""
        return f" at δ = {self.delta:.4g}" if self.delta else ""

    @property
    def sentence(self) -> str:
        """What was measured beside what is claimed."""
        if self.epsilon == 0:
            return (
                f"measured: no ε above 0{self.at_delta} with confidence {self.confidence:g}, where "
                f"{self.claimed:.4g} is claimed, in {self.runs + self.other_runs} fresh runs on {self.likely} and "
                f"{self.unlikely}"
            )
        doubt = " (more than is claimed, but less than refutes at this level)" if self.epsilon > self.claimed else ""
        least = beside(self.epsilon, self.claimed)
        return (
            f"measured: ε at least {least}{self.at_delta} with confidence {self.confidence:g}, where "
            f"{self.claimed:.4g} is claimed{doubt}: {self.words} in {self.hits} of {self.runs} fresh runs on "
            f"{self.likely} and in {self.other_hits} of {self.other_runs} on {self.unlikely}"
        )

    def _limits(self) -> tuple[float, float]:
        """Its least probability under one, and its largest under the other: one error for both."""
        if not self.runs or not self.other_runs:
            return 0.0, 1.0
        least, _ = clopper_pearson(self.hits, self.runs, 1 - self.confidence)
        _, most = clopper_pearson(self.other_hits, self.other_runs, 1 - self.confidence)
        return least, most


def beside(measured: float, claimed: float) -> str:
    """A measured ε to three digits, or to as many as tell it apart from the one claimed."""
    digits = next((count for count in range(3, 9) if float(f"{measured:.{count}g}") != claimed), 9)
    return f"{measured:.{digits}g}"


FEWEST_TO_SHOW = 1000
"""Where the search for enough runs begins; it doubles."""
LUCKLESS = 1.0
"""Standard errors by which both counts may fall short: five of six audits do better."""


def runs_to_show(share: float, other: float, claimed: float, delta: float, most: int) -> int:
    """How many runs show by an event of these shares, with a little bad luck, more than is claimed; else the most."""
    runs = FEWEST_TO_SHOW
    while runs < most:
        half = runs // 2
        hits = half * share - LUCKLESS * np.sqrt(half * share * (1 - share))
        other_hits = half * other + LUCKLESS * np.sqrt(half * other * (1 - other))
        counts = max(int(hits), 0), half, min(int(np.ceil(other_hits)), half), half
        if Measured("", "", "", *counts, claimed, delta).epsilon > claimed:
            return runs
        runs *= 2
    return most
