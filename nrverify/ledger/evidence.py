"""Evidence: something that runs, names the claims it bears on, and is shown to be able to fail.

A piece of evidence is a function of a run and of the *form* under test. Its defaults are the form that must be
accepted; each entry of ``rejects`` replaces some of them by a wrong variant, which must be refuted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import wraps
from pathlib import Path
from typing import Any, Protocol

from nrverify.ledger.claims import Verdict


class Refuted(AssertionError):
    """The form under test was shown to be wrong."""


class Undecided(Exception):
    """The evidence could neither establish nor refute the form under test: it fails, and says why."""


class EvidenceKind(StrEnum):
    """What sort of evidence it is, from exact to worded; and what Coq's kernel checks, if asked."""

    DERIVATION = "derivation"
    CERTIFICATE = "certificate"
    PROPERTY = "property"
    STATISTIC = "statistic"
    READING = "reading"
    KERNEL = "kernel"


@dataclass(frozen=True)
class Bearing:
    """What a piece of evidence says of one claim; `printed` names the rejected variant that is the printed form."""

    verdict: Verdict | None
    printed: str | None = None


holds = Bearing(Verdict.TRUE)
"""The statement as printed is established."""

supports = Bearing(None)
"""Bears on the claim (its corrected form, or the code that carries it) without deciding its verdict."""


def refuted(printed: str) -> Bearing:
    """The printed statement is a rejected variant; the accepted form is the correction."""
    return Bearing(Verdict.FALSE, printed)


def needs(without_hypothesis: str) -> Bearing:
    """True under a hypothesis the paper does not state; without it the named variant is rejected."""
    return Bearing(Verdict.TRUE_WITH_HYPOTHESIS, without_hypothesis)


def proof_wrong(printed_step: str) -> Bearing:
    """The statement is established, the printed step of its proof is a rejected variant."""
    return Bearing(Verdict.TRUE_PROOF_WRONG, printed_step)


def misprint(printed: str | None = None) -> Bearing:
    """The meaning is recoverable, the printed formula (a rejected variant) or word is not right."""
    return Bearing(Verdict.MISPRINT, printed)


def gap(printed: str | None = None) -> Bearing:
    """Something the paper needs and does not give; the accepted form fills it."""
    return Bearing(Verdict.GAP, printed)


@dataclass(frozen=True)
class Core:
    """What Coq's kernel checks of claims: a file, the theorems of it that are cited, and what they do not say."""

    source: Path
    theorems: tuple[str, ...]
    unsaid: tuple[str, ...]

    @property
    def file(self) -> str:
        """The file for a reader, below the repository's `symbolic`."""
        return f"{self.source.parent.name}/{self.source.name}"

    @property
    def statements(self) -> Path:
        """Where its statements are pinned."""
        return self.source.with_suffix(".statements")


@dataclass(frozen=True)
class Evidence:
    """A runnable check with the claims it bears on and the wrong variants it must reject."""

    name: str
    kind: EvidenceKind
    findings: Mapping[str, Bearing]
    rejects: Mapping[str, Mapping[str, Any]]
    function: Callable[..., None]
    share: float = 0.0
    """Of the run's error probability, for a statistic."""
    tests: int = 1
    """How many tests a statistic divides its share over."""
    uses: tuple[str, ...] = ()
    """Other derivations it builds on, by the end of their names: `martingales.line_crossing`."""
    assumes: tuple[str, ...] = ()
    """Facts of the literature it takes over (`assumptions.py`)."""
    core: Core | None = None
    """Of evidence for Coq's kernel."""

    def __post_init__(self) -> None:
        if self.kind is not EvidenceKind.READING and not self.rejects:
            raise ValueError(f"{self.name}: evidence must reject at least one wrong variant; `rejects` is empty")
        for claim, finding in self.findings.items():
            if finding.printed is not None and finding.printed not in self.rejects:
                raise ValueError(f"{self.name}: the printed form {finding.printed!r} of {claim} is not in `rejects`")
            if self.kind is EvidenceKind.READING and finding.verdict not in (Verdict.MISPRINT, Verdict.GAP, None):
                raise ValueError(f"{self.name}: a reading can only find a misprint or a gap, not {finding.verdict}")
            if self.kind is EvidenceKind.KERNEL and finding.verdict is not None:
                raise ValueError(f"{self.name}: a kernel only supports {claim}: verdicts must not depend on Coq")
            if finding.verdict in (Verdict.FALSE, Verdict.TRUE_PROOF_WRONG, Verdict.TRUE_WITH_HYPOTHESIS):
                assert finding.printed is not None, f"{self.name}: {finding.verdict} needs a rejected variant"

    @property
    def doc(self) -> str:
        """What the evidence shows, in words."""
        return (self.function.__doc__ or "").strip()


Decorator = Callable[[Callable[..., None]], Evidence]


class _Register(Protocol):
    def __call__(
        self,
        findings: Mapping[str, Bearing],
        rejects: Mapping[str, Mapping[str, Any]],
        *,
        uses: Sequence[str] = (),
        assumes: Sequence[str] = (),
    ) -> Decorator: ...


def _decorator(kind: EvidenceKind) -> _Register:
    def with_claims(
        findings: Mapping[str, Bearing],
        rejects: Mapping[str, Mapping[str, Any]],
        *,
        uses: Sequence[str] = (),
        assumes: Sequence[str] = (),
    ) -> Decorator:
        def register(function: Callable[..., None]) -> Evidence:
            declared = dict(findings), dict(rejects)
            return Evidence(_name(function), kind, *declared, function, uses=tuple(uses), assumes=tuple(assumes))

        return register

    return with_claims


derivation = _decorator(EvidenceKind.DERIVATION)
"""`@derivation({claim: finding}, rejects={name: changed arguments})` on `def f(proof: Proof, form=…)`; `uses=` names
other derivations it builds on, `assumes=` facts of the literature."""

certificate = _decorator(EvidenceKind.CERTIFICATE)
"""`@certificate(…)` on `def f(enclosure: Enclosure, form=…)`."""

property_ = _decorator(EvidenceKind.PROPERTY)
"""`@property_(…)` on `def f(search: Search, form=…)`."""


def statistic(
    findings: Mapping[str, Bearing],
    rejects: Mapping[str, Mapping[str, Any]],
    *,
    share: float,
    tests: int = 1,
) -> Decorator:
    """`@statistic(…, share=0.02)` on `def f(experiment: Experiment, form=…)`; all shares sum to at most 1."""

    def register(function: Callable[..., None]) -> Evidence:
        return Evidence(_name(function), EvidenceKind.STATISTIC, dict(findings), dict(rejects), function, share, tests)

    return register


def kernel(
    findings: Mapping[str, Bearing],
    rejects: Mapping[str, Mapping[str, Any]],
    *,
    source: Path,
    theorems: Sequence[str],
    unsaid: Sequence[str],
) -> Decorator:
    """`@kernel({claim: supports}, rejects=…, source=…, theorems=…, unsaid=…)` on `def f(kernel: Kernel, form=…)`.

    The theorems pass the gates before the function ties them to the project, and Coq proves the ties after it.
    """
    if not theorems or not unsaid:
        raise ValueError(
            f"{source.name}: theorems or unsaid is empty: it must say what it proves, and what it does not"
        )

    def register(function: Callable[..., None]) -> Evidence:
        @wraps(function)
        def tied(kernel: Any, **form: Any) -> None:
            kernel.theorems()
            function(kernel, **form)
            kernel.settle()

        core = Core(source, tuple(theorems), tuple(unsaid))
        return Evidence(_name(function), EvidenceKind.KERNEL, dict(findings), dict(rejects), tied, core=core)

    return register


def reading(name: str, findings: Mapping[str, Bearing], *, place: str, reason: str) -> Evidence:
    """Words, no formula at fault: the place in the paper and the reason."""

    def note(record: Any) -> None:
        record.note(place, reason)

    note.__doc__ = f"{place}: {reason}"
    return Evidence(f"reading.{name}", EvidenceKind.READING, dict(findings), {}, note)


def _name(function: Callable[..., None]) -> str:
    return f"{function.__module__.removeprefix('nrverify.')}.{function.__name__}"
