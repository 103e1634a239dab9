"""The page of mistakes: recipes that are wrong as printed, and common slips, each with the command that repeats it."""

from __future__ import annotations

from nrverify.reference.mutants import MUTANTS, Mutant

PRINTED: dict[str, tuple[str, str]] = {
    "laplace-missing-starting-jump": ("E10", "The recipe for Laplace noise reduction, as printed"),
    "laplace-one-arrival-process": ("N02", "One Poisson clock for all coordinates, as the wording has it"),
    "laplace-arrival-rate": ("N10", "The time change of the Poisson clock, as printed"),
    "epsilon-brownian-retuned": ("B18", "The boundary tuned again at every ε, as in the experiments"),
}
"""Mutants that do what the paper prints: the erratum, and what is printed."""

_INTRODUCTION = """\
# Mistakes, and how each is found

Each line is an implementation with one mistake, which comes with nrverify; calibration audits them all
([kill matrix](../reports/kill_matrix.md)). The command in the last column repeats it, usually in seconds.
*leak*: a transcript tells more than is claimed; *inaccuracy*: only the analyst suffers."""


def mistakes_page() -> str:
    """The page, as Markdown."""
    by_name = {mutant.name: mutant for mutant in MUTANTS}
    printed = [
        f"| {title} ([{id}](../docs/ERRATA.md)) | {by_name[name].mistake} | `{command(by_name[name])}` |"
        for name, (id, title) in PRINTED.items()
        if name in by_name
    ]
    parts = [_INTRODUCTION, "## As the paper prints it", "| printed | so that | repeat it |\n|---|---|---|"]
    parts[-1] += "\n" + "\n".join(printed)
    mechanisms = dict.fromkeys(str(mutant.subject.mechanism) for mutant in MUTANTS)
    parts += [_table(name, [one for one in MUTANTS if one.subject.mechanism == name]) for name in mechanisms]
    return "\n\n".join(parts) + "\n"


def _table(mechanism: str, found: list[Mutant]) -> str:
    rows = [f"| {one.mistake.replace('|', '∣')} | {one.effect} | `{command(one)}` |" for one in found]
    return "\n".join([f"## {mechanism}\n", "| mistake | effect | repeat it |", "|---|---|---|", *rows])


def command(mutant: Mutant) -> str:
    """The command that audits a mutant."""
    return f"nrverify audit python:{mutant.subject.__module__}:{mutant.subject.__name__}"
