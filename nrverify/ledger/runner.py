"""Runs evidence: the accepted form, then every wrong variant it must reject."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, as_completed
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from zlib import crc32

from nrverify.cluster import ClusterFailed
from nrverify.ledger.evidence import Evidence, EvidenceKind, Refuted
from nrverify.ledger.record import Record
from nrverify.ledger.suites import Located, locate
from nrverify.ledger.verdicts import NOT_RUN, Result

OUTCOME = {
    EvidenceKind.DERIVATION: "proved",
    EvidenceKind.CERTIFICATE: "proved",
    EvidenceKind.PROPERTY: "holds",
    EvidenceKind.STATISTIC: "consistent",
    EvidenceKind.READING: "noted",
    EvidenceKind.KERNEL: "checked",
}

NOT_ASKED = "nrverify verify --kind kernel runs it"
"""Why theorems were not run by Coq, in a verification of the other kinds."""


@dataclass(frozen=True)
class Profile:
    """How much is sampled: a factor on the statistics' samples and a percentage of the properties' examples."""

    name: str
    samples: float
    examples: int


PROFILES = {
    "quick": Profile("quick", 0.25, 70),
    "standard": Profile("standard", 1.0, 70),
    "deep": Profile("deep", 100.0, 5_000),
}
"""The statistics are planned at factor 1, and refute every wrong variant at a quarter too; a hundredfold sees effects a
tenth as large. The percentage of examples is a matter of time alone."""

RUN_ALPHA = 1e-6
"""The probability that a whole run of correct statistics raises any false alarm."""


@dataclass(frozen=True)
class EvidenceTask:
    """One piece of evidence to run, as a worker process needs it."""

    module: str
    attribute: str
    profile: str
    seed: int
    written: bool


def run_all(
    located: Iterable[Located],
    profile: str,
    seed: int,
    executor: Executor | None,
    written: bool = False,
) -> Iterator[Result]:
    """Results as they come; the same results for any executor, since each depends only on its task."""
    chosen = list(located)
    tasks = {EvidenceTask(item.module, item.attribute, profile, seed, written): item.evidence for item in chosen}
    if executor is None:
        for group in _groups(tasks):
            yield from _run_group(group)
        return
    futures = {executor.submit(run_group, group): group for group in _groups(tasks)}
    for future in as_completed(futures):
        error = future.exception()
        if error is None:
            yield from future.result()
            continue
        if isinstance(error, ClusterFailed):
            raise error
        for task in futures[future]:
            words = f"its worker died: {type(error).__name__}: {error}"
            yield _result(tasks[task], Record(), 0.0, (), words)


def _groups(tasks: Mapping[EvidenceTask, Evidence]) -> list[tuple[EvidenceTask, ...]]:
    """Tasks for one worker: those of a module, where sympy remembers what it simplified, and all that ask Coq, which
    loads its libraries once for them; the largest groups start first."""
    groups: dict[str, list[EvidenceTask]] = {}
    for task, evidence in tasks.items():
        groups.setdefault("" if evidence.kind is EvidenceKind.KERNEL else task.module, []).append(task)
    return sorted(map(tuple, groups.values()), key=len, reverse=True)


def run_group(tasks: tuple[EvidenceTask, ...]) -> list[Result]:
    """Runs the evidence of several tasks in this process."""
    return list(_run_group(tasks))


def _run_group(tasks: Sequence[EvidenceTask]) -> Iterator[Result]:
    located = [locate(task.module, task.attribute) for task in tasks]
    with _workshop(located) as workshop:
        for task, evidence in zip(tasks, located, strict=True):
            yield run_evidence(evidence, PROFILES[task.profile], task.seed, task.written, workshop)


def spent_share(evidence: Iterable[Evidence]) -> float:
    """How much of the run's error probability the statistics take in all: at most 1, or the stated one is not kept."""
    return sum(item.share for item in evidence)


def run_evidence(evidence: Evidence, profile: Profile, seed: int, written: bool = True, workshop: Any = None) -> Result:
    """Runs the accepted form, then every wrong variant; the outcome is `failed` unless all goes as it must.

    With `written` the steps of derivations are written out.
    """
    if evidence.kind is EvidenceKind.KERNEL:
        from nrverify.ledger.coq.coqc import missing, required

        if words := missing():
            return _result(evidence, Record(), 0.0, (), words) if required() else not_run(evidence, words)
    started = time.perf_counter()
    record = Record(written=written)
    rejected: list[str] = []
    with nullcontext(workshop) if workshop else _workshop([evidence]) as place:
        accepted = context(evidence, record, profile, seed, workshop=place)
        problem = _outcome_of(partial(evidence.function, accepted), must_refute=False)
        for name, changes in evidence.rejects.items():
            if problem:
                break
            wrong = context(evidence, Record(written=False), profile, seed, shrink=False, workshop=place)
            problem = _outcome_of(partial(evidence.function, wrong, **changes), must_refute=True)
            if problem:
                problem = f"wrong variant {name!r}: {problem}"
            else:
                rejected.append(name)
    return _result(evidence, record, time.perf_counter() - started, tuple(rejected), problem)


def not_run(evidence: Evidence, why: str) -> Result:
    """The result of evidence that did not run: it is shown, and counts for nothing."""
    return replace(_result(evidence, Record(), 0.0, (), ""), outcome=NOT_RUN, message=why)


def _workshop(chosen: Sequence[Evidence]) -> AbstractContextManager[Any]:
    """Where Coq compiles the files of some pieces of evidence, for all of their forms."""
    kernel = [evidence for evidence in chosen if evidence.kind is EvidenceKind.KERNEL]
    if not kernel:
        return nullcontext()
    from nrverify.ledger.coq.coqc import missing
    from nrverify.ledger.coq.kernel import announce
    from nrverify.ledger.coq.workshop import Workshop

    if missing():
        return nullcontext()
    workshop = Workshop()
    for evidence in kernel:
        announce(evidence, workshop)
    return workshop


def context(
    evidence: Evidence, record: Record, profile: Profile, seed: int, shrink: bool = True, workshop: Any = None
) -> Any:
    """What a piece of evidence is given to work with, by its kind."""
    stream = crc32(evidence.name.encode())
    if evidence.kind is EvidenceKind.DERIVATION:
        from nrverify.ledger.proof import Proof

        return Proof(record)
    if evidence.kind is EvidenceKind.CERTIFICATE:
        from nrverify.ledger.enclosure import Enclosure

        return Enclosure(record)
    if evidence.kind is EvidenceKind.PROPERTY:
        from nrverify.ledger.search import Search

        return Search(record, stream ^ seed, profile.examples, shrink)
    if evidence.kind is EvidenceKind.STATISTIC:
        from nrverify.ledger.experiment import Experiment

        return Experiment(record, stream, seed, RUN_ALPHA * evidence.share, evidence.tests, profile.samples)
    if evidence.core is not None:
        from nrverify.ledger.coq.kernel import Kernel

        return Kernel(record, evidence.core, workshop)
    return record


def _outcome_of(run: Callable[[], None], must_refute: bool) -> str:
    """Empty when the run ends as it must, otherwise what is wrong."""
    try:
        run()
    except Refuted as refutation:
        return "" if must_refute else f"refuted: {refutation}"
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__}: {error} ({place.name}, line {place.lineno})"
    return "was accepted" if must_refute else ""


def _result(evidence: Evidence, record: Record, seconds: float, rejected: tuple[str, ...], problem: str) -> Result:
    statistical = evidence.kind is EvidenceKind.STATISTIC
    return Result(
        name=evidence.name,
        kind=evidence.kind,
        outcome="failed" if problem else OUTCOME[evidence.kind],
        findings=dict(evidence.findings),
        rejects=rejected,
        samples=record.samples if statistical else None,
        alpha=RUN_ALPHA * evidence.share if statistical else None,
        seconds=seconds,
        doc=evidence.doc,
        steps=tuple(record.steps),
        message=problem,
        assumes=evidence.assumes,
        core=evidence.core,
    )
