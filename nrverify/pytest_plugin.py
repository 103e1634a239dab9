"""The pytest plugin: loaded by every pytest run, so it imports nothing heavy.

It collects evidence: a suite's module, given to pytest, yields one test item per piece of evidence.
"""

from __future__ import annotations

from typing import Any

import pytest


class EvidenceItem(pytest.Item):
    """One piece of evidence as a test: it passes when it is accepted and rejects every wrong variant."""

    def __init__(self, *, evidence: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.evidence = evidence

    def runtest(self) -> None:
        """Runs the evidence at the quick profile."""
        from nrverify.ledger.runner import PROFILES, run_evidence

        result = run_evidence(self.evidence, PROFILES["quick"], seed=0)
        if result.failed:
            pytest.fail(f"{result.name}: {result.message}", pytrace=False)

    def reportinfo(self) -> tuple[Any, int | None, str]:
        """Where the evidence is, and its name."""
        return self.path, None, self.evidence.name


def pytest_pycollect_makeitem(collector: Any, name: str, obj: object) -> EvidenceItem | None:
    """Evidence found in a collected module becomes a test item."""
    kind = type(obj)
    if (kind.__module__, kind.__name__) != ("nrverify.ledger.evidence", "Evidence"):
        return None
    return EvidenceItem.from_parent(collector, name=name, evidence=obj)
