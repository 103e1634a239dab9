"""The ledger as a document: errata first, then what is sharper than the paper, then all statements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from nrverify.ledger.claims import Ledger, Verdict
from nrverify.ledger.evidence import EvidenceKind
from nrverify.ledger.verdicts import Settled
from nrverify.ledger.verification import Verification
from nrverify.report.ledger.words import as_given

PAPER = "*Brownian Noise Reduction: Maximizing Privacy Subject to Accuracy Constraints* (arXiv 2206.07234)"

ERRATA_PARTS = (
    (1, "Mistakes that matter", "Whoever implements or relies on the printed form leaks, or computes nonsense."),
    (2, "Wrong statements and proofs", "The idea survives; the statement, its proof or a constant does not."),
    (3, "Misprints and gaps", "The meaning is recoverable."),
)
"""Weight of a correction in the ledger, the title of its part, and what it means for a reader."""

HYPOTHESIS = (
    "True with a hypothesis the paper does not state",
    "The statement is right once the hypothesis is added; without it a counterexample is rejected.",
)
"""Its own heading: an unstated hypothesis is no wrong theorem."""

MEANING = {
    Verdict.TRUE: "as printed",
    Verdict.TRUE_WITH_HYPOTHESIS: "true once an unstated hypothesis is added",
    Verdict.TRUE_PROOF_WRONG: "the statement survives, its printed proof does not",
    Verdict.FALSE: "refuted as printed; a corrected form is established",
    Verdict.MISPRINT: "the meaning is recoverable, the formula or word is wrong",
    Verdict.GAP: "something the paper needs and does not give",
    Verdict.NOT_CHECKABLE: "needs literature, figures or data that are not there",
    Verdict.FAILED: "not settled",
}


def ledger_markdown(verification: Verification) -> str:
    """The document; it depends on the claims and the names of their evidence only, not on when it was made."""
    paper, beyond = verification.of(Ledger.PAPER), verification.of(Ledger.BEYOND)
    parts = [
        _opening(paper),
        *(_errata(paper.settled, *part) for part in ERRATA_PARTS),
        _hypotheses(paper.settled),
        _sharper(paper.settled),
        _table(paper.settled),
        _evidence(paper.settled),
        _beyond(beyond),
        _cores(verification),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _opening(verification: Verification) -> str:
    counts = Counter(item.verdict for item in verification.settled)
    evidence = {result.name: result for item in verification.settled for result in item.results if result.counts}
    rejected = sum(len(result.rejects) for result in evidence.values())
    rows = [f"| {verdict.value} | {counts[verdict]} | {MEANING[verdict]} |" for verdict in Verdict if counts[verdict]]
    return "\n".join(
        [
            "# The ledger",
            "",
            f"Every statement of {PAPER} that could be right or wrong, and how it is settled.",
            "This file is written by `nrverify verify --markdown reports/ledger.md`; do not edit it.",
            "",
            f"**{verification.settled_count} of {len(verification.settled)} statements are settled**: "
            f"{verification.ways}. {len(evidence)} pieces of evidence between them reject {rejected} wrong variants.",
            "",
            "| verdict | statements | meaning |",
            "|---|---:|---|",
            *rows,
        ]
    )


def _beyond(verification: Verification) -> str:
    """The second ledger: each statement, what became of it and why, and its evidence."""
    if not verification.settled:
        return ""
    evidence = {result.name: result for item in verification.settled for result in item.results if result.counts}
    rejected = sum(len(result.rejects) for result in evidence.values())
    opening = (
        "# Beyond the paper\n\nWhat users of noise reduction need and the paper does not say. "
        f"**{verification.settled_count} of {len(verification.settled)} statements are settled**: {verification.ways}. "
        f"{len(evidence)} pieces of evidence between them reject {rejected} wrong variants."
    )
    return "\n\n".join([opening, *(_statement(item) for item in verification.settled), _evidence(verification.settled)])


def _statement(item: Settled) -> str:
    claim = item.claim
    lines = [f"### {claim.id}. {claim.title} ({item.verdict.value})", "", f"*{claim.where}*", ""]
    lines += [f"**Statement:** {_one_line(claim.statement)}", "", f"**Why:** {_one_line(claim.why)}"]
    if claim.correction.strip():
        heading = "More precisely" if item.verdict is Verdict.TRUE else "What holds instead"
        lines += ["", f"**{heading}:** {_one_line(claim.correction)}"]
    if item.problem:
        lines += ["", f"**Not settled:** {_one_line(item.problem)}"]
    return "\n".join(lines)


def _hypotheses(settled: Iterable[Settled]) -> str:
    items = [item for item in settled if item.verdict is Verdict.TRUE_WITH_HYPOTHESIS]
    title, words = HYPOTHESIS
    return "\n\n".join([f"## {title}\n\n{words}", *(_erratum(item) for item in items)]) if items else ""


def _errata(settled: Iterable[Settled], weight: int, title: str, words: str) -> str:
    wrong = [item for item in settled if item.claim.weight == weight and _is_erratum(item)]
    if not wrong:
        return ""
    return "\n\n".join([f"## {title}\n\n{words}", *(_erratum(item) for item in wrong)])


def _is_erratum(item: Settled) -> bool:
    return item.verdict not in (Verdict.TRUE, Verdict.TRUE_WITH_HYPOTHESIS, Verdict.NOT_CHECKABLE)


def _erratum(item: Settled) -> str:
    claim = item.claim
    lines = [f"### {claim.id}. {claim.title} ({item.verdict.value})", "", f"*{claim.where}*", ""]
    lines.append(f"**The paper says:** {_one_line(claim.statement)}")
    if claim.why.strip():
        needed = item.verdict is Verdict.TRUE_WITH_HYPOTHESIS
        lines += ["", f"**{'Why it is needed' if needed else 'What is wrong'}:** {_one_line(claim.why)}"]
    if claim.correction.strip():
        lines += ["", f"**It should say:** {_one_line(claim.correction)}"]
    if item.problem:
        lines += ["", f"**Not settled:** {_one_line(item.problem)}"]
    return "\n".join(lines)


def _sharper(settled: Iterable[Settled]) -> str:
    better = [item for item in settled if item.verdict is Verdict.TRUE and item.claim.correction.strip()]
    if not better:
        return ""
    rows = [f"- **{item.claim.id}** ({item.claim.title}): {_one_line(item.claim.correction)}" for item in better]
    words = "True as printed, and the evidence establishes more or says it better."
    return "\n".join(["## Sharper than the paper", "", words, "", *rows])


def _table(settled: Iterable[Settled]) -> str:
    rows = [
        f"| {item.claim.id} | {item.verdict.value} | {_cell(item.claim.statement)} | {_cell(item.claim.where)} |"
        for item in settled
    ]
    return "\n".join(
        [
            "## All statements",
            "",
            "In our own words.",
            "",
            "| id | verdict | statement | where |",
            "|---|---|---|---|",
            *rows,
        ]
    )


def _evidence(settled: Iterable[Settled]) -> str:
    blocks = [
        "## The evidence",
        "",
        "`nrverify explain ID` prints the steps of each derivation.",
        "",
    ]
    for item in settled:
        if item.verdict is Verdict.NOT_CHECKABLE:
            blocks.append(f"- **{item.claim.id}** not checkable: {_one_line(item.claim.why)}")
            continue
        blocks.append(f"- **{item.claim.id}** {item.verdict.value}")
        for result in (one for one in (*item.deciding, *item.supporting) if one.counts):
            printed = result.findings[item.claim.id].printed
            variants = [f"{name} ({as_given(item)})" if name == printed else name for name in result.rejects]
            rejects = "; rejects " + "; ".join(variants) if variants else ""
            place = f": {_one_line(result.doc)}" if result.kind is EvidenceKind.READING else ""
            blocks.append(f"  - {result.kind.value} `{result.name}`: {result.outcome}{place}{rejects}")
    return "\n".join(blocks)


def _cores(verification: Verification) -> str:
    """Theorems for Coq and what they do not say; no outcome, so that it is one document with and without Coq."""
    results = {result.name: result for item in verification.settled for result in item.results}
    cores = [(result.core, result) for result in results.values() if result.core is not None]
    if not cores:
        return ""
    lines = [
        "## For a kernel",
        "",
        f"Coq can check a core of {verification.for_a_kernel} statements, apart from the evidence above and from every "
        "verdict: `nrverify verify --kind kernel` ([KERNEL.md](../docs/KERNEL.md)).",
        "",
    ]
    for core, result in sorted(cores, key=lambda pair: pair[0].file):
        lines.append(f"- `symbolic/{core.file}` ({', '.join(result.findings)}): {_one_line(result.doc)}")
        lines.append(f"  - theorems: {', '.join(f'`{name}`' for name in core.theorems)}")
        lines += [f"  - not said: {words}" for words in core.unsaid]
    return "\n".join(lines)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _cell(text: str) -> str:
    return _one_line(text).replace("|", "\\|")
