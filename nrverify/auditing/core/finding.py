"""What a check found, as data: the fault, its numbers, and where it is seen. Sentences are made of it later."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from nrverify.auditing.core.effects import Priced
from nrverify.auditing.core.faults import Effect, Fault
from nrverify.statistics.estimate import Estimate, Measure

LATER_RELEASE = "release"
"""The number in a finding that says which release it is about, where that is one after the first."""

METHOD_LEVELS = ("sample", "open", "play")
"""Methods by the level of a place."""
LEAST_NOISY, LEAST_NOISY_ERROR = "least_noisy", "least_noisy_error"
"""Numbers of a finding about jumps: the scale of releases that no jump has reached, over the claimed one."""


@dataclass(frozen=True)
class Place:
    """Where a fault is seen, if it is not seen everywhere."""

    kind: str
    """"dimension", "method", "release" or "time"."""
    wrong: tuple[float, ...]
    """The levels at which the law is wrong."""
    right: tuple[float, ...]
    """The levels at which it is right."""


@dataclass(frozen=True)
class Finding:
    """Everything a check says about what it saw; `fault` is set where it refutes."""

    quantity: str
    """What was measured, as a noun phrase: for people, never read back."""
    estimate: Estimate
    fault: Fault | None = None
    nearest: tuple[Fault, ...] = ()
    """Other faults that the evidence hardly tells from this one."""
    where: Place | None = None
    certain: bool = False
    """Whether it cannot happen at all if the claim holds, so that no error probability belongs to it."""
    effect: Effect | None = None
    """What it means for privacy, where that was computed for this subject; otherwise the table of faults says it."""
    priced: Priced | None = None
    """The numbers and the reason that the effect rests on, where it was computed."""
    precision: float | None = None
    """How many times the precision paid for an attacker has who weighs all releases as well as possible."""
    gain: float | None = None
    """Log-likelihood by which a fault that was fitted to second moments beats the claim."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """Names of cases or designs, and examples, that the sentences quote."""

    @property
    def numbers(self) -> dict[str, Any]:
        """The numbers of the JSON report."""
        e = self.estimate
        own: dict[str, Any] = {
            "quantity": self.quantity,
            "expected": e.expected,
            "observed": e.observed,
            "error": e.error,
        }
        more: dict[str, Any] = {"count": e.count, "measure": e.measure.value, **e.numbers, **self.texts}
        if e.alternatives:
            more["alternatives"] = list(e.alternatives)
        if self.precision is not None:
            more["precision"] = self.precision
        if self.priced is not None:
            more |= self.priced.numbers
        return own | {key: value for key, value in more.items() if value is not None}

    @property
    def share(self) -> float | None:
        """The share of those counted that show it, where something is counted."""
        e = self.estimate
        return e.observed / e.count if e.measure is Measure.COUNT and e.count and e.observed is not None else None

    def with_price(self, priced: Priced) -> Finding:
        """The finding with its effect, computed."""
        return replace(self, effect=priced.effect, priced=priced)

    def of(self, fault: Fault, *nearest: Fault) -> Finding:
        """The finding with its fault."""
        return replace(self, fault=fault, nearest=nearest)


def counted(quantity: str, seen: int, of: int, fault: Fault | None = None, **texts: str) -> Finding:
    """A finding that counts what cannot happen if the claim holds."""
    estimate = Estimate(Measure.COUNT, 0.0, float(seen), None, of)
    return Finding(quantity, estimate, fault if seen else None, certain=True, texts=texts)


@dataclass(frozen=True)
class Size:
    """The smallest fault that would have been refuted: so much of a quantity, in a unit."""

    quantity: str
    value: float
    unit: str
    """"%", "probability", "correlation", "share", "ε", "δ", "streams", "relative", "ratio" (above which) or "count"."""
