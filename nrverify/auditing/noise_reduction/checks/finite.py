"""Checks of the protocol: releases are finite, and bad requests are refused (advice)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.core.check import Batch
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.auditing.noise_reduction.design.cases import Knob
from nrverify.auditing.sampling.drawer import Drawer
from nrverify.subjects.errors import SubjectFailed, SubjectRefused
from nrverify.subjects.requests import Refusal

Floats = NDArray[np.float64]

LARGEST = 1e100
"""No noise of the ranges audited reaches this: a release beyond is as good as infinite."""


def sound(releases: Floats, asked: Floats) -> bool:
    """Whether every release that was asked for is a number of sane size."""
    if releases.size == 0 or (releases.max() < LARGEST and releases.min() > -LARGEST):
        return True
    return bool((np.abs(releases[np.isfinite(asked)]) < LARGEST).all())


class Finite:
    """Every release is a finite number.

    Catches overflow and invalid arithmetic at valid requests. Needs no error probability.
    """

    id = "protocol.finite"
    kind = "protocol"
    claims: tuple[str, ...] = ()

    def __init__(self) -> None:
        self.samples = 0
        self.bad = 0

    def observe(self, batch: Batch) -> None:
        """Counts releases that are NaN or infinite although they were asked for."""
        self.samples += batch.sessions
        if not sound(batch.releases, batch.asked):
            self.bad += int((~(np.abs(batch.releases[np.isfinite(batch.asked)]) < LARGEST)).any(axis=-1).sum())

    def fresh(self) -> Finite:
        """The same before anything was seen."""
        return Finite()

    def merge(self, other: Finite) -> None:
        """Adds up the counts."""
        self.samples += other.samples
        self.bad += other.bad

    def refuted(self, alpha: float) -> bool:
        """Whether any release was not finite."""
        return self.bad > 0

    def conclude(self, alpha: float) -> CheckResult:
        """The verdict."""
        return CheckResult(
            self.id,
            self.kind,
            CheckVerdict.REFUTED if self.bad else CheckVerdict.CONSISTENT,
            samples=self.samples,
            alpha=alpha,
            detectable="any release that is NaN, infinite or beyond 1e100",
            expected="finite releases",
            observed=f"{self.bad} releases are NaN, infinite or beyond 1e100",
        )


def refusals(drawer: Drawer, knob: Knob, value: tuple[float, ...]) -> CheckResult:
    """What happens to requests that are no valid times: advice, never a refutation."""
    middle, back = knob.at(0.5), knob.at(0.25)
    requests = {
        "a request for more noise after less": [middle, back],
        "zero": [0.0],
        "a negative number": [-1.0],
        "NaN": [float("nan")],
    }
    answers = {}
    for name, asked in requests.items():
        drawer.drawn += 1
        try:
            answers[name] = drawer.host.ask(Refusal(np.array(value), asked, drawer.seed()))
        except (SubjectRefused, SubjectFailed) as error:
            answers[name] = f"refused: {error}"
    accepted = [name for name, answer in answers.items() if answer == "accepted"]
    message = None
    if accepted:
        message = f"accepts {', '.join(accepted)}; refusing with a ValueError protects the analyst"
        if "a request for more noise after less" in accepted:
            message += (
                ". More noise after less is harmless where it is a fresh look at the same path, and a leak where new "
                "noise is drawn around the value"
            )
    return CheckResult(
        "protocol.refusals",
        "protocol",
        CheckVerdict.ADVICE,
        samples=len(requests),
        expected="invalid requests are refused",
        observed="; ".join(f"{name}: {answer}" for name, answer in answers.items()),
        message=message,
    )
