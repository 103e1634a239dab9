"""The check that an output determines its price, and the count of what kinds of outputs there were."""

from __future__ import annotations

from nrverify.auditing.claims.columns import CHARGED, WHOLE
from nrverify.auditing.claims.context import ClaimContext
from nrverify.auditing.claims.faults import PRICE_OF_STATE
from nrverify.auditing.claims.sample import Labelled
from nrverify.auditing.core.declaration import CheckKind, Declared, check
from nrverify.auditing.core.finding import Size, counted
from nrverify.auditing.core.results import CheckResult, CheckVerdict, concluded
from nrverify.statistics.additive import Additive

MOST_KEPT = 100_000
"""Outputs whose price is remembered."""


@check(
    id="protocol.outputs",
    kind=CheckKind.PROTOCOL,
    sentence="Outputs are what can be judged, and equal outputs have cost the same.",
    mechanisms=("any",),
    weight=0.02,
    order=10,
    expected="equal outputs with equal prices",
    templates={
        "count": ("equal outputs with equal prices", "{observed:.0f} of {count} outputs had another price before")
    },
)
class OutputProtocol(Declared, Additive):
    """spent(output) is a function of the output.

    Catches a price that is read from the state of the mechanism and not from the output, so that an output's claim is
    not defined. Outputs of another type than the contract allows, and prices below smallest_epsilon, mean that the
    subject could not be run. Outputs may change their type and length from run to run. Misses everything about noise.
    """

    configuration = ("priced",)

    def __init__(self, priced: bool) -> None:
        self.priced = priced
        self.runs = 0
        self.prices = Prices()

    @classmethod
    def build(cls, context: ClaimContext) -> OutputProtocol:
        """Prices are those of an ex-post claim."""
        return cls(context.claim.ex_post)

    def observe_labelled(self, drawn: Labelled) -> None:
        """Compares the prices of equal outputs."""
        self.runs += drawn.size
        if CHARGED in drawn.columns.values:
            keys, charged = drawn.columns.keys[WHOLE].tolist(), drawn.columns.values[CHARGED].tolist()
            for key, price in zip(keys, charged, strict=True):
                self.prices.add(key, price)

    def refuted(self, alpha: float) -> bool:
        """Whether one output had two prices: that has probability 0."""
        return self.prices.broken > 0

    def conclude(self, alpha: float) -> CheckResult:
        """One is enough."""
        verdict = CheckVerdict.REFUTED if self.refuted(alpha) else CheckVerdict.CONSISTENT
        finding = counted("outputs with two prices", self.prices.broken, self.runs, PRICE_OF_STATE)
        sizes = (Size("output whose price changes", 1.0, "count"),) if self.priced else ()
        return concluded(self, verdict, samples=self.runs, finding=finding, sizes=sizes)


class Prices:
    """The first price of each output, and how many outputs came with another."""

    def __init__(self) -> None:
        self.known: dict[int, float] = {}
        self.broken = 0

    def add(self, key: int, price: float) -> None:
        """Takes in an output."""
        if key not in self.known:
            if len(self.known) < MOST_KEPT:
                self.known[key] = price
        elif self.known[key] != price:
            self.broken += 1

    def empty_copy(self) -> Prices:
        """An empty copy with the same configuration."""
        return Prices()

    def merge(self, other: Prices) -> None:
        """Merges the observations of another."""
        self.broken += other.broken
        for key, price in other.known.items():
            self.add(key, price)
