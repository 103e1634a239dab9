"""The page of all checks, made from their declarations: the texts of `nrverify explain CHECK`."""

from __future__ import annotations

from collections.abc import Iterable

from nrverify.auditing.core.declaration import CheckKind, Declaration
from nrverify.auditing.explain.remarks import REMARKS
from nrverify.auditing.registry import all_declarations

QUESTIONS = {
    CheckKind.PROTOCOL: "Does the subject answer as it should, apart from all laws?",
    CheckKind.RANDOMNESS: "Is the noise of different seeds different and independent?",
    CheckKind.LAW: "Is the noise what it is said to be?",
    CheckKind.PRIVACY: "Does what is released keep the privacy claimed?",
    CheckKind.NUMERICS: "Do the last bits of releases give more away than the releases themselves?",
}
"""What the checks of each kind ask."""


def checks_page() -> str:
    """The page, as Markdown."""
    declared = all_declarations()
    sections = [_section(kind, [one for one in declared if one.kind is kind]) for kind in CheckKind]
    return "\n\n".join([_INTRODUCTION, *sections, _remarks()]) + "\n"


_INTRODUCTION = """\
# Checks

Every check of an audit, from its declaration in the code; `nrverify explain CHECK` prints the same text. A check
belongs to one *kind*, the question it answers. Its *share of α* is fixed in advance (0: calculated without samples, so
that it cannot raise a false alarm). A check that does not apply to a subject is `not-covered`, with the reason."""


def _section(kind: CheckKind, declared: list[Declaration]) -> str:
    ids = list(dict.fromkeys(one.id for one in declared))
    entries = [_entry([one for one in declared if one.id == id]) for id in ids]
    return "\n\n".join([f"## {kind.value.capitalize()}", f"*{QUESTIONS[kind]}*", *entries])


def _entry(forms: list[Declaration]) -> str:
    """A check with all its forms: one text for each kind of subject."""
    first = forms[0]
    facts = [f"For {', '.join(_mechanisms(forms))}.", f"Share of α: {_shares(forms)}."]
    if claims := sorted({claim for one in forms for claim in one.claims}):
        facts.append(f"Bears on {', '.join(claims)} of the [ledger](../reports/ledger.md).")
    # A need of one form alone tells the forms apart, and leaves the check to another.
    needs = [need.why for need in first.needs if all(need.why in {each.why for each in one.needs} for one in forms)]
    lines = [f"### `{first.id}`", f"**{first.sentence}** {' '.join(facts)}"]
    lines += _texts(forms)
    if needs:
        lines.append("Not covered where:\n\n" + "\n".join(f"- {why}" for why in needs))
    return "\n\n".join(lines)


def _texts(forms: list[Declaration]) -> list[str]:
    """What each form asks, catches and misses, under its own statement where that is another than the first's."""
    found = []
    for one in {form.doc: form for form in reversed(forms)}.values():
        text = "\n\n".join(" ".join(part.split()) for part in one.doc.split("\n\n"))
        found.append(text if one.sentence == forms[0].sentence else f"**{one.sentence}** {text}")
    return found[::-1]


def _mechanisms(forms: Iterable[Declaration]) -> list[str]:
    return [f"`{name}`" for name in dict.fromkeys(name for one in forms for name in one.mechanisms)]


def _shares(forms: Iterable[Declaration]) -> str:
    return " or ".join(f"{weight:g}" for weight in dict.fromkeys(one.weight for one in forms))


def _remarks() -> str:
    """What a report says beside its checks; it never changes a verdict."""
    entries = [f"### `{id}`\n\n**{remark.about}** {remark.words}" for id, remark in REMARKS.items()]
    return "\n\n".join(["## Remarks", "*Advice, and what was not examined. Never changes a verdict.*", *entries])
