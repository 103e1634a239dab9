"""The verdict of a claim, computed from what its evidence found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from nrverify.ledger.claims import Claim, Verdict
from nrverify.ledger.evidence import Bearing, Core, EvidenceKind
from nrverify.ledger.record import DerivationStep
from nrverify.ledger.tree import Use

STRONGEST_FIRST = (
    Verdict.FALSE,
    Verdict.TRUE_PROOF_WRONG,
    Verdict.TRUE_WITH_HYPOTHESIS,
    Verdict.MISPRINT,
    Verdict.GAP,
    Verdict.TRUE,
)
"""Where pieces of evidence differ, the first of these that one of them found is the verdict of the claim."""

Way = Literal["by evidence that runs", "by reading", "not checkable"]
"""How a claim is settled."""

MOST_ON_A_READING_ALONE = 20
"""A reading convinces less than a computation, so it must stay the exception among the claims; raise it only with
reason."""


NOT_RUN = "not-run"
"""The outcome of theorems that Coq was not asked about, or that cannot be run here: neither proved nor failed."""


@dataclass(frozen=True)
class Result:
    """What one piece of evidence came to."""

    name: str
    kind: EvidenceKind
    outcome: str
    findings: dict[str, Bearing]
    rejects: tuple[str, ...]
    samples: int | None
    alpha: float | None
    seconds: float
    doc: str
    steps: tuple[DerivationStep, ...]
    message: str
    assumes: tuple[str, ...] = ()
    uses: tuple[Use, ...] = ()
    core: Core | None = None
    """Of evidence for Coq's kernel."""

    @property
    def failed(self) -> bool:
        """Whether the evidence did not do what it must."""
        return self.outcome == "failed"

    @property
    def ran(self) -> bool:
        """Whether it ran at all."""
        return self.outcome != NOT_RUN

    @property
    def counts(self) -> bool:
        """Whether it is one of the pieces of evidence: what Coq checks is counted apart, and bears on no verdict."""
        return self.kind is not EvidenceKind.KERNEL


@dataclass(frozen=True)
class Settled:
    """A claim with its evidence, the verdict computed from it, and what is wrong if it is not settled."""

    claim: Claim
    verdict: Verdict
    results: tuple[Result, ...]
    problem: str

    @property
    def way(self) -> Way:
        """What decides it: evidence that runs, a reading, or nothing, since it is not checkable."""
        deciding = [result.kind for result in self.results if result.findings[self.claim.id].verdict is not None]
        if self.verdict is Verdict.NOT_CHECKABLE:
            return "not checkable"
        return "by reading" if deciding and set(deciding) == {EvidenceKind.READING} else "by evidence that runs"

    @property
    def deciding(self) -> tuple[Result, ...]:
        """What decides the verdict, exact evidence first: for a statement that is not simply true, what rejects it as
        printed."""
        return _exact_first(result for result in self.results if result.findings[self.claim.id].verdict is not None)

    @property
    def supporting(self) -> tuple[Result, ...]:
        """What else bears on it, exact evidence first: for a statement that is not simply true, what establishes the
        corrected form."""
        return _exact_first(result for result in self.results if result.findings[self.claim.id].verdict is None)

    @property
    def on_reading_alone(self) -> bool:
        """Whether nothing but a reading bears on the claim; what Coq checks is left out, as for verdicts."""
        kinds = {result.kind for result in self.results if result.counts}
        return kinds == {EvidenceKind.READING}

    @property
    def ran(self) -> bool:
        """Whether anything bears on the claim that ran; what is not checkable has nothing to run."""
        return not self.results or any(result.ran for result in self.results)

    @property
    def kernel_checked(self) -> bool:
        """Whether Coq checked a core of it in this run."""
        return any(result.kind is EvidenceKind.KERNEL and result.ran and not result.failed for result in self.results)


def _exact_first(results: Iterable[Result]) -> tuple[Result, ...]:
    return tuple(sorted(results, key=lambda result: list(EvidenceKind).index(result.kind)))


def settle(claim: Claim, results: Sequence[Result], partial: bool = False) -> Settled:
    """The verdict of a claim; `failed` when evidence is missing, failed, or arrives elsewhere than recorded.

    With `partial` only some kinds of evidence ran: they must not fail, and must not contradict the record.
    """
    results = tuple(results)
    problem = _problem(claim, results, partial)
    return Settled(claim, Verdict.FAILED if problem else claim.verdict, results, problem)


def _problem(claim: Claim, results: tuple[Result, ...], partial: bool) -> str:
    failures = [f"{result.name}: {result.message}" for result in results if result.failed and result.counts]
    if failures:
        return "; ".join(failures)
    if claim.verdict is Verdict.NOT_CHECKABLE:
        return "" if not results else "recorded as not checkable, yet it has evidence"
    computed = verdict_of(result.findings[claim.id] for result in results)
    if computed is None:
        return "" if partial and results else "no evidence decides it"
    if computed is Verdict.FAILED:
        return "its evidence contradicts itself"
    if partial and STRONGEST_FIRST.index(computed) > STRONGEST_FIRST.index(claim.verdict):
        return ""
    if computed is not claim.verdict:
        return f"its evidence says {computed}, the ledger records {claim.verdict}"
    return ""


def verdict_of(findings: Iterable[Bearing]) -> Verdict | None:
    """The strongest verdict found; `failed` when one piece of evidence establishes what another refutes."""
    found = {finding.verdict for finding in findings if finding.verdict is not None}
    if {Verdict.TRUE, Verdict.FALSE} <= found:
        return Verdict.FAILED
    return next((verdict for verdict in STRONGEST_FIRST if verdict in found), None)
