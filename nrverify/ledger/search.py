"""Properties: statements about all inputs, searched for counterexamples by Hypothesis over exact arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.strategies import SearchStrategy, tuples

from nrverify.ledger.evidence import Refuted
from nrverify.ledger.record import Record

LONGER = 5
"""Factor for wrong variants, which are usually refuted long before: one that survives by bad luck would fail right
evidence."""


class _Found(BaseException):
    """A wrong variant refuted. Not an Exception, so that Hypothesis stops at once: it would run the case again and
    write it out for a reader whom nobody asked for."""

    def __init__(self, refutation: Refuted) -> None:
        super().__init__(refutation)
        self.refutation = refutation


class Search:
    """A deterministic search for a counterexample; no p-value is ever computed here."""

    def __init__(self, record: Record, stream: int, examples: int, shrink: bool) -> None:
        self.record = record
        self.stream = stream
        # A wrong variant is searched longer, and costs no more: the search ends where it is refuted.
        self.examples = examples if shrink else LONGER * examples
        self.shrink = shrink

    def for_all(
        self, name: str, check: Callable[..., None], *strategies: SearchStrategy[Any], examples: int = 100
    ) -> None:
        """check(drawn values) raises `Refuted` for no drawn input; `examples` at the standard profile."""
        count = max(1, examples * self.examples // 100)
        phases = [Phase.explicit, Phase.generate, Phase.target]
        if self.shrink:
            phases.append(Phase.shrink)
        configured = settings(
            max_examples=count,
            deadline=None,
            database=None,
            phases=phases,
            report_multiple_bugs=False,
            print_blob=False,
            suppress_health_check=list(HealthCheck),
        )

        def body(drawn: tuple[Any, ...]) -> None:
            try:
                check(*drawn)
            except Refuted as refutation:
                if self.shrink:
                    raise
                raise _Found(refutation) from None

        try:
            seed(self.stream)(configured(given(tuples(*strategies))(body)))()
        except _Found as found:
            raise found.refutation from None
        self.record.note(name, f"no counterexample among {count} generated cases", by="search")

    @staticmethod
    def require(condition: bool, message: str) -> None:
        """Refutes the form under test when the condition fails."""
        if not condition:
            raise Refuted(message)
