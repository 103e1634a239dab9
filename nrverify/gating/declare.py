"""`nrverify.gate(subject)`: an audit as tests, one for each check; defining it imports nothing heavy."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from nrverify.auditing.core.settings import Settings
from nrverify.subjects.address import parse


@dataclass(frozen=True)
class Gate:
    """A subject, the settings of its audit, the checks known to fail and why; and where it was written."""

    subject: Any
    settings: Settings
    expected_failures: Mapping[str, str]
    file: str
    line: int
    law: Any = None
    """The law of one's own that judges, as an object or an address; None for one that is built in."""

    def under(self, alpha: float | None, samples: int | None, seed: int | None) -> Gate:
        """The gate with what a run overrides."""
        return replace(self, settings=overridden(self.settings, alpha, samples, seed))


def overridden(settings: Settings, alpha: float | None, samples: int | None, seed: int | None) -> Settings:
    """The settings with what is given in place of their own."""
    return replace(
        settings,
        alpha=settings.alpha if alpha is None else alpha,
        samples=settings.samples if samples is None else samples,
        seed=settings.seed if seed is None else seed,
    )


def gate(
    subject: Any,
    *,
    alpha: float = 1e-6,
    samples: int = 200_000,
    seed: int = 0,
    budget: float = 120.0,
    timeout: float = 60.0,
    expected_failures: Mapping[str, str] | None = None,
    numerics: str | None = None,
    law: Any = None,
) -> Gate:
    """A module-level name bound to this is collected by pytest as one test item for each check of the subject.

    `subject` is what `nrverify.audit` takes: an object, a class, a factory, or an address. The subject is audited
    once, when the first item runs. `expected_failures` are checks known to be refuted, each with its reason: one that
    is not refuted is a failure. With any, sampling goes on after a refutation, so that the others are still decided.
    `numerics="exact"` makes a test of the attack on the last bits. `law` is the law of one's own that judges.

    Examples
    --------
    In a test module:

    >>> import nrverify
    >>> test_noise = nrverify.gate("python:mine.py:MyBrownian", expected_failures={"ties": "issue 12"})
    >>> test_noise.settings.keep_going
    True
    """
    if isinstance(subject, str):
        parse(subject)
    known = dict(expected_failures or {})
    for check, reason in known.items():
        if not isinstance(reason, str) or not reason.strip():
            raise ValueError(f"expected_failures[{check!r}] is {reason!r}: write down why the check fails")
    settings = Settings(alpha, samples, budget, timeout, seed, keep_going=bool(known), numerics=numerics)
    caller = sys._getframe(1)
    return Gate(subject, settings, MappingProxyType(known), caller.f_code.co_filename, caller.f_lineno, law)
