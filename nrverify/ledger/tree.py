"""What a derivation builds on: a tree of other derivations, with what each of them assumes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from nrverify.ledger.evidence import Evidence


@dataclass(frozen=True)
class Use:
    """A derivation that another one builds on."""

    name: str
    claims: tuple[str, ...]
    """Which it bears on: `nrverify explain` of one of them prints its steps."""
    assumes: tuple[str, ...]
    uses: tuple[Use, ...]


def uses_of(evidence: Evidence, known: Mapping[str, Evidence]) -> tuple[Use, ...]:
    """What a piece of evidence builds on, to the bottom."""
    return tuple(_use(name, known, (evidence.name,)) for name in evidence.uses)


def unknown_uses(known: Iterable[Evidence]) -> list[str]:
    """Names under `uses` that no evidence has, and circles."""
    by_name = {item.name: item for item in known}
    problems: list[str] = []
    for item in by_name.values():
        try:
            uses_of(item, by_name)
        except KeyError as error:
            problems.append(f"{item.name} uses {error.args[0]}")
    return problems


def all_assumptions(evidence_assumes: tuple[str, ...], uses: tuple[Use, ...]) -> tuple[str, ...]:
    """Everything that is assumed, here and below, each fact once."""
    found = dict.fromkeys(evidence_assumes)
    for use in uses:
        found.update(dict.fromkeys(all_assumptions(use.assumes, use.uses)))
    return tuple(found)


def _use(short: str, known: Mapping[str, Evidence], above: tuple[str, ...]) -> Use:
    name = next((full for full in known if full.endswith(f".{short}")), None)
    if name is None:
        raise KeyError(f"{short}, which is not there")
    if name in above:
        raise KeyError(f"{short}, in a circle")
    used = known[name]
    below = tuple(_use(part, known, (*above, name)) for part in used.uses)
    return Use(name, tuple(used.findings), used.assumes, below)
