"""A verification: all evidence for the chosen claims, run and settled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import get_args

from nrverify.ledger.claims import Claim, Ledger, Verdict, load_claims, select_claims
from nrverify.ledger.evidence import EvidenceKind
from nrverify.ledger.runner import NOT_ASKED, not_run, run_all, spent_share
from nrverify.ledger.suites import Located, Suites, load_suites
from nrverify.ledger.tree import unknown_uses, uses_of
from nrverify.ledger.verdicts import MOST_ON_A_READING_ALONE, Result, Settled, Way, settle

Progress = Callable[[int, int, Result, tuple[Settled, ...]], None]
"""Called after each piece of evidence with how many are done, how many there are, its result, and the claims of which
it is the last: as they are settled."""


@dataclass(frozen=True)
class Verification:
    """The ledger after a run: every chosen claim with its verdict, and what went wrong outside any claim."""

    settled: tuple[Settled, ...]
    problems: tuple[str, ...]
    profile: str
    seed: int
    partial: bool

    def of(self, ledger: Ledger) -> Verification:
        """The claims of one ledger; what went wrong outside any claim stays with the paper's."""
        own = tuple(item for item in self.settled if item.claim.ledger is ledger)
        return replace(self, settled=own, problems=self.problems if ledger is Ledger.PAPER else ())

    @property
    def settled_count(self) -> int:
        """How many claims are settled."""
        return sum(item.verdict is not Verdict.FAILED and item.ran for item in self.settled)

    @property
    def ways(self) -> str:
        """How the settled claims are settled, counted."""
        counts = Counter(item.way for item in self.settled if item.verdict is not Verdict.FAILED and item.ran)
        return ", ".join(f"{counts[way]} {way}" for way in get_args(Way) if counts[way])

    @property
    def kernel_checked(self) -> int:
        """How many claims have a core that Coq checked in this run."""
        return sum(item.kernel_checked for item in self.settled)

    @property
    def for_a_kernel(self) -> int:
        """How many claims have theorems for Coq, whether it ran or not."""
        return sum(any(not result.counts for result in item.results) for item in self.settled)

    @property
    def kernel_not_run(self) -> str:
        """Why Coq did not run, once for all of it; empty where it ran."""
        reasons = (result.message for item in self.settled for result in item.results if not result.ran)
        return next(reasons, "")

    @property
    def ok(self) -> bool:
        """Whether nothing failed: no chosen claim, no theorem for Coq that ran, and no import of a suite."""
        return all(item.verdict is not Verdict.FAILED for item in self.settled) and not self.problems


def verify(
    claim_ids: Iterable[str] = (),
    kinds: Iterable[EvidenceKind] = (),
    profile: str = "standard",
    seed: int = 0,
    executor: Executor | None = None,
    progress: Progress | None = None,
    written: bool = False,
) -> Verification:
    """Runs the evidence for the chosen claims (all by default), of the chosen kinds (by default all but the kernel).

    The kernel's theorems are then listed as not run: what is said does not depend on whether Coq is installed.

    With `written` the steps of derivations are written out, for a reader.
    """
    claims = select_claims(load_claims(), claim_ids)
    wanted_kinds = set(kinds)
    suites = load_suites()
    chosen = [item for item in suites.evidence if _bears_on(item, claims, wanted_kinds)]
    known = {item.evidence.name: item.evidence for item in suites.evidence}
    results: list[Result] = []
    waiting = {id: {item.evidence.name for item in chosen if id in item.evidence.findings} for id in claims}
    for result in run_all(chosen, profile, seed, executor, written):
        result = replace(result, uses=uses_of(known[result.name], known))
        results.append(result)
        if progress is not None:
            last = [id for id in result.findings if waiting.get(id) == {result.name}]
            complete = [(claims[id], [known for known in results if id in known.findings]) for id in last]
            done = tuple(settle(claim, bearing, bool(wanted_kinds)) for claim, bearing in complete)
            progress(len(results), len(chosen), result, done)
        for id in result.findings:
            waiting.get(id, set()).discard(result.name)
    order = {item.evidence.name: index for index, item in enumerate(chosen)}
    results.sort(key=lambda result: order[result.name])
    partial = bool(wanted_kinds)
    if not partial:
        listed = [item.evidence for item in suites.evidence if _bears_on(item, claims, {EvidenceKind.KERNEL})]
        results += [not_run(evidence, NOT_ASKED) for evidence in listed]
    bearing = {id: [result for result in results if id in result.findings] for id in claims}
    settled = tuple(settle(claim, bearing[id], partial) for id, claim in claims.items() if bearing[id] or not partial)
    problems = [*_problems(suites, settled), *_refused(results)]
    return Verification(settled, tuple(problems), profile, seed, partial)


def _bears_on(item: Located, claims: dict[str, Claim], kinds: set[EvidenceKind]) -> bool:
    wanted = item.evidence.kind in kinds if kinds else item.evidence.kind is not EvidenceKind.KERNEL
    return wanted and not claims.keys().isdisjoint(item.evidence.findings)


def _refused(results: Iterable[Result]) -> list[str]:
    """Theorems that Coq, or a gate before it, refuses: a problem of the run, and not of a claim's verdict."""
    return [f"{result.name}: {result.message}" for result in results if result.failed and not result.counts]


def _problems(suites: Suites, settled: tuple[Settled, ...]) -> list[str]:
    problems = [f"suite module {module} could not be imported: {error}" for module, error in suites.broken.items()]
    unknown = sorted({id for item in suites.evidence for id in item.evidence.findings} - load_claims().keys())
    if unknown:
        problems.append(f"evidence names claims that are not in the ledger: {', '.join(unknown)}")
    problems += [f"evidence {problem}" for problem in unknown_uses(item.evidence for item in suites.evidence)]
    share = spent_share(item.evidence for item in suites.evidence)
    if share > 1 + 1e-9:
        problems.append(f"the statistics' shares of the error probability sum to {share:.3g}, more than 1")
    worded = [item.claim.id for item in settled if item.on_reading_alone]
    if len(worded) > MOST_ON_A_READING_ALONE:
        problems.append(f"{len(worded)} claims rest on a reading alone, at most {MOST_ON_A_READING_ALONE} may")
    return problems
