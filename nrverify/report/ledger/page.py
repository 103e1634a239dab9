"""The ledger as a page: errata first, each statement opening to its correction, its evidence and what that rejects."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from markupsafe import Markup

from nrverify.ledger.claims import Claim, Ledger, Verdict
from nrverify.ledger.evidence import Core, EvidenceKind
from nrverify.ledger.record import DerivationStep, counted
from nrverify.ledger.tree import Use, all_assumptions
from nrverify.ledger.verdicts import Result, Settled
from nrverify.ledger.verification import Verification
from nrverify.report.ledger.markdown import ERRATA_PARTS, HYPOTHESIS, MEANING
from nrverify.report.ledger.words import as_given, fails
from nrverify.report.page.charts.shares import strip
from nrverify.report.page.environment import render
from nrverify.report.page.inline_math import set_prose
from nrverify.report.page.mathml import Unreadable, mathml, pieces

TONE = {
    Verdict.TRUE: "good",
    Verdict.TRUE_WITH_HYPOTHESIS: "hypothesis",
    Verdict.TRUE_PROOF_WRONG: "warn",
    Verdict.FALSE: "bad",
    Verdict.MISPRINT: "slip",
    Verdict.GAP: "gap",
    Verdict.NOT_CHECKABLE: "mute",
    Verdict.FAILED: "failed",
}

KIND_MEANING = {
    EvidenceKind.DERIVATION: "exact symbolic algebra",
    EvidenceKind.CERTIFICATE: "a rigorous enclosure by ball arithmetic",
    EvidenceKind.PROPERTY: "a search for counterexamples over exact arithmetic",
    EvidenceKind.STATISTIC: "simulation with a stated error probability",
    EvidenceKind.READING: "words: the place in the paper and the reason",
    EvidenceKind.KERNEL: "theorems that Coq's kernel checks, apart from every verdict",
}

WORST_FIRST = (
    Verdict.FAILED,
    Verdict.FALSE,
    Verdict.TRUE_PROOF_WRONG,
    Verdict.TRUE_WITH_HYPOTHESIS,
    Verdict.MISPRINT,
    Verdict.GAP,
    Verdict.TRUE,
    Verdict.NOT_CHECKABLE,
)
"""What must be acted upon comes first."""

MOST_STEPS = 30
"""Steps of one piece of evidence that are written out; the law certificates have hundreds, all alike."""

WIDEST_BESIDE = 36
"""Characters of a formula that fit in half a page."""

NUMPY_NUMBER = re.compile(r"np\.float64\(([^()]*)\)")

LONG_NUMBER = re.compile(r"(\d\.\d{14})\d{4,}")


@dataclass(frozen=True)
class Part:
    """A part of the page."""

    title: str
    words: str
    claims: tuple[ClaimView, ...]


@dataclass(frozen=True)
class ClaimView:
    """A statement as the page shows it."""

    id: str
    title: Markup
    verdict: str
    tone: str
    kinds: str
    where: Markup
    statement_heading: str
    statement: Markup
    statement_formula: Markup
    layout: str
    correction_heading: str
    correction: Markup
    correction_formula: Markup
    why: Markup
    problem: str
    evidence: tuple[tuple[str, tuple[EvidenceView, ...]], ...]
    """Under a heading each."""
    as_given: str
    text: str
    """What a search looks through, in small letters."""


@dataclass(frozen=True)
class EvidenceView:
    """A piece of evidence as the page shows it."""

    name: str
    kind: str
    outcome: str
    failed: bool
    doc: Markup
    message: str
    sampling: str
    rejects: tuple[VariantView, ...]
    steps: tuple[StepView, ...]
    step_count: int
    step_words: str
    """How many steps were checked, and how many are in words."""
    assumes: tuple[str, ...]
    """Here and in what it uses."""
    uses: tuple[Use, ...]
    core: Core | None
    """Of theorems for Coq."""


@dataclass(frozen=True)
class VariantView:
    """A wrong variant, and whether it is what the paper prints."""

    words: Markup
    printed: bool


@dataclass(frozen=True)
class StepView:
    """A step: checked by machine, or in words."""

    name: Markup
    formula: Markup
    text: Markup
    source: str
    """Of a step that has no formula: as the derivation wrote it."""
    by: str
    mark: str


@dataclass(frozen=True)
class Choice:
    """A filter."""

    name: str
    count: int
    meaning: str
    tone: str = "mute"


def ledger_html(verification: Verification) -> str:
    """The whole page."""
    settled = verification.of(Ledger.PAPER).settled
    beyond = verification.of(Ledger.BEYOND)
    evidence = {result.name: result for item in settled for result in item.results if result.counts}
    counts = Counter(item.verdict for item in settled)
    every = Counter(item.verdict for item in verification.settled)
    bearing = Counter(kind for item in verification.settled for kind in {result.kind for result in item.results})
    shown = [verdict for verdict in WORST_FIRST if counts[verdict]]
    return render(
        "ledger.html",
        scripts=("ledger.js",),
        settled=verification.of(Ledger.PAPER).settled_count,
        ways=verification.of(Ledger.PAPER).ways,
        total=len(settled),
        beyond=(beyond.settled_count, len(beyond.settled)),
        pieces=len(evidence),
        rejected=sum(len(result.rejects) for result in evidence.values()),
        kernel_checked=verification.kernel_checked,
        kernel_not_run=verification.kernel_not_run,
        for_a_kernel=verification.for_a_kernel,
        errata=sum(_is_erratum(item) for item in settled),
        partial=verification.partial,
        problems=verification.problems,
        profile=verification.profile,
        seed=verification.seed,
        bar=strip([(verdict.value, counts[verdict], TONE[verdict]) for verdict in shown], "Statements by verdict"),
        verdicts=[
            Choice(verdict.value, every[verdict], MEANING[verdict], TONE[verdict])
            for verdict in WORST_FIRST
            if every[verdict]
        ],
        kinds=[Choice(kind.value, bearing[kind], KIND_MEANING[kind]) for kind in EvidenceKind if bearing[kind]],
        parts=[part for part in _parts(settled, beyond.settled) if part.claims],
    )


def _parts(settled: tuple[Settled, ...], beyond: tuple[Settled, ...]) -> Iterable[Part]:
    ids = frozenset(item.claim.id for item in (*settled, *beyond))

    def part(title: str, words: str, items: Iterable[Settled]) -> Part:
        return Part(title, words, tuple(_claim(item, ids) for item in items))

    yield part(
        "Not settled",
        "Evidence is missing, failed, or contradicts the record.",
        (item for item in settled if item.verdict is Verdict.FAILED),
    )
    for weight, title, words in ERRATA_PARTS:
        wrong = (item for item in settled if _is_erratum(item) and item.verdict is not Verdict.TRUE_WITH_HYPOTHESIS)
        yield part(title, words, (item for item in wrong if item.claim.weight == weight))
    for verdict, title, words in (
        (Verdict.TRUE_WITH_HYPOTHESIS, *HYPOTHESIS),
        (Verdict.TRUE, "True as printed", "Some are sharper than the paper says."),
        (Verdict.NOT_CHECKABLE, "Not checkable", "They need literature, figures or data that are not there."),
    ):
        yield part(title, words, (item for item in settled if item.verdict is verdict))
    yield part("Beyond the paper", "What users of noise reduction need and the paper does not say.", beyond)


def _is_erratum(item: Settled) -> bool:
    return item.verdict not in (Verdict.TRUE, Verdict.NOT_CHECKABLE, Verdict.FAILED)


def _claim(item: Settled, ids: frozenset[str]) -> ClaimView:
    claim = item.claim
    names = [result.name for result in item.results]
    variants = [variant for result in item.results for variant in result.rejects]
    words = (claim.id, claim.title, claim.where, claim.statement, claim.correction, claim.why, *names, *variants)
    return ClaimView(
        id=claim.id,
        title=prose(claim.title[:1].upper() + claim.title[1:]),
        verdict=item.verdict.value,
        tone=TONE[item.verdict],
        kinds=" ".join(sorted({result.kind.value for result in item.results})),
        where=prose(claim.where.removesuffix(" (arXiv 2206.07234)")),
        statement_heading="The paper says" if claim.ledger is Ledger.PAPER else "Statement",
        statement=prose(claim.statement, ids),
        statement_formula=formula(claim.statement_latex),
        layout=_layout(claim),
        correction_heading=_correction_heading(item),
        correction=prose(claim.correction, ids),
        correction_formula=formula(claim.correction_latex),
        why=prose(claim.why, ids),
        problem=item.problem,
        evidence=_groups(item),
        as_given=as_given(item),
        text=" ".join(" ".join(words).split()).lower(),
    )


def _correction_heading(item: Settled) -> str:
    if not _is_erratum(item):
        return "More precisely"
    return "It should say" if item.claim.ledger is Ledger.PAPER else "What holds instead"


def _layout(claim: Claim) -> str:
    """Side by side, unless there is one side only, or a formula that is too wide for half a page."""
    if not claim.correction.strip():
        return "single"
    wide = any(_width(piece) > WIDEST_BESIDE for text in _formulas(claim) for part in pieces(text) for piece in part)
    return "stacked" if wide else "beside"


def _formulas(claim: Claim) -> tuple[str, str]:
    return claim.statement_latex, claim.correction_latex


def _width(latex: str) -> int:
    """About how many characters a formula is wide: what is left without commands' names and braces."""
    return len(re.sub(r"\\[a-zA-Z]+|[{}\s^_]", "", latex))


def _groups(item: Settled) -> tuple[tuple[str, tuple[EvidenceView, ...]], ...]:
    """What decides the verdict, the rejection of the printed form first, then what supports it; exact first."""
    failing = [result for result in item.deciding if result.findings[item.claim.id].printed is not None]
    rest = [result for result in (*item.deciding, *item.supporting) if result not in failing]
    if failing:
        named = ((f"{fails(item)}; the form accepted holds", failing), ("The corrected form holds", rest))
    else:
        named = (("Evidence", list(item.deciding)), ("Supporting evidence", list(item.supporting)))
    return tuple((name, tuple(_evidence(result, item.claim.id) for result in group)) for name, group in named if group)


def _evidence(result: Result, claim: str) -> EvidenceView:
    printed = result.findings[claim].printed
    sampling = ""
    if result.samples is not None and result.alpha is not None:
        sampling = f"{result.samples:,} samples; a false alarm has probability at most {result.alpha:.1g}."
    return EvidenceView(
        name=result.name,
        kind=result.kind.value,
        outcome=result.outcome,
        failed=result.failed,
        doc=prose(result.doc),
        message=result.message if result.ran else "",
        sampling=sampling,
        rejects=tuple(VariantView(prose(variant), variant == printed) for variant in result.rejects),
        steps=() if result.kind is EvidenceKind.READING else tuple(_step(step) for step in result.steps[:MOST_STEPS]),
        step_count=len(result.steps),
        step_words=counted(result.steps),
        assumes=all_assumptions(result.assumes, result.uses),
        uses=result.uses,
        core=result.core,
    )


def _step(step: DerivationStep) -> StepView:
    readable = _readable(step.text)
    source = readable if step.by in ("exact", "sympy") and not step.latex else ""
    return StepView(prose(step.name), formula(step.latex), prose(readable), source, step.by, step.mark)


def _readable(text: str) -> str:
    """Numbers as they are written: an enclosure with ±, and not all of its fifty digits."""
    return LONG_NUMBER.sub(r"\1…", NUMPY_NUMBER.sub(r"\1", text)).replace("+/-", "±")


def prose(text: str, ids: frozenset[str] = frozenset()) -> Markup:
    """A sentence with its mathematics set; ids of claims that are on the page lead to them."""
    return Markup(set_prose(text, ids))


def formula(latex: str) -> Markup:
    """A displayed formula, in pieces that a narrow page sets below each other; its source where it cannot be read."""
    try:
        parts = ["".join(mathml(piece) for piece in part) for part in pieces(latex)]
        return Markup("".join(f'<span class="piece">{part}</span>' for part in parts))
    except Unreadable:
        return Markup("<code>{}</code>").format(latex)
