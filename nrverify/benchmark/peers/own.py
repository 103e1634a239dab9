"""The two audits of nrverify in the comparison: one knows the law, the other sees outputs only."""

from __future__ import annotations

from time import perf_counter

from nrverify.auditing.audit import audit
from nrverify.benchmark.peers.cases import Case
from nrverify.benchmark.peers.found import Found

LAW_FREE, LAW_AWARE = "nrverify, law not known", "nrverify, law known"
CHECK = "privacy.claim"
SECONDS = 3600.0
"""Of one audit: runs are counted, so that time is no limit."""


def law_free(case: Case, alpha: float, seed: int, most: int) -> Found:
    """The audit of `mechanism = "any"`, all of α on the claim."""
    begin = perf_counter()
    report = audit(case.law_free, alpha=alpha, seed=seed, samples=most, budget=SECONDS, checks=[CHECK])
    claim = next(check for check in report.checks if check.id == CHECK)
    return Found(claim.samples if claim.verdict.value == "refuted" else None, perf_counter() - begin)


def law_aware(case: Case, alpha: float, seed: int, most: int) -> Found:
    """The audit with all its checks; sessions are counted as runs."""
    begin = perf_counter()
    report = audit(case.law_aware, alpha=alpha, seed=seed, samples=most, budget=SECONDS)
    drawn = int(report.run["samples"]) - int(report.run.get("after_refutation", 0))
    return Found(drawn if report.verdict == "refuted" else None, perf_counter() - begin)
