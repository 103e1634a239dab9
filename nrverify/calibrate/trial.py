"""Trials: audits of built-in subjects, each from its own seed, so that their number and order never change a result."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from nrverify.auditing.audit import audit
from nrverify.auditing.core.declaration import CheckKind
from nrverify.auditing.core.faults import Effect
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.auditing.noise_reduction.checks.last_bits import DELTA_AT_LEAST

SECONDS = 3600.0
"""A subject's time is no limit here: what a calibration says must not depend on the speed of the machine."""


@dataclass(frozen=True)
class Trial:
    """What one audit came to: its verdict, all that was drawn, the checks that refuted, and those that judged."""

    verdict: str
    samples: int
    refuted: tuple[str, ...]
    judged: tuple[str, ...]
    message: str | None = None
    named: tuple[tuple[str, ...], ...] = ()
    """Ids of the faults that each refutation with a cause of its own names, likeliest first."""
    effects: tuple[str, ...] = ()
    """What each refutation with a cause of its own means for privacy."""
    loss: float | None = None
    """The number said with the first leak: the loss computed for the fault, or what a check of privacy compared."""

    @property
    def alarm(self) -> bool:
        """Whether the subject was refuted."""
        return self.verdict == "refuted"


def trial(subject: Any, seed: int, alpha: float, samples: int, keep_going: bool = False) -> Trial:
    """One audit of a subject, its own prints thrown away."""
    with _silence():
        report = audit(
            subject,
            alpha=alpha,
            seed=seed,
            samples=samples,
            budget=SECONDS,
            timeout=SECONDS,
            keep_going=keep_going,
        )
    judged = (CheckVerdict.REFUTED, CheckVerdict.CONSISTENT, CheckVerdict.INCONCLUSIVE)
    return Trial(
        report.verdict,
        int(report.run["samples"]) - int(report.run.get("after_refutation", 0)),
        tuple(check.id for check in report.checks if check.verdict is CheckVerdict.REFUTED),
        tuple(check.id for check in report.checks if check.verdict in judged),
        report.message,
        tuple(named for check in report.checks if (named := _named(check))),
        tuple(check.effect.value for check in report.checks if _named(check) and check.effect is not None),
        next((loss for check in report.checks if _named(check) and (loss := _loss(check)) is not None), None),
    )


def _loss(check: CheckResult) -> float | None:
    """The number that a leak is said with: a loss that was computed, or what a check of privacy measured."""
    if check.effect is not Effect.LEAK or check.finding is None:
        return None
    if check.finding.priced is not None:
        return check.finding.priced.loss
    measured = check.finding.estimate
    if check.kind == CheckKind.NUMERICS:
        return measured.numbers.get(DELTA_AT_LEAST)
    return measured.observed if check.kind == CheckKind.PRIVACY else None


def _named(check: CheckResult) -> tuple[str, ...]:
    """The faults that a refutation names of its own accord."""
    refuted = check.verdict is CheckVerdict.REFUTED and check.finding is not None
    follows = check.explanation is not None and check.explanation.follows is not None
    if not refuted or follows or check.finding is None:
        return ()
    return tuple(fault.id for fault in (check.finding.fault, *check.finding.nearest) if fault is not None)


def seed_for(seed: int, *words: object) -> int:
    """A seed below 2^32 that depends on the calibration's seed and on what it is for, and on nothing else."""
    text = "/".join([str(seed), *map(str, words)])
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=4).digest(), "big")


@contextmanager
def _silence() -> Iterator[None]:
    """Standard error of this process, which a subject's process inherits, goes nowhere for a while."""
    sys.stderr.flush()
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        sys.stderr.flush()
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)
