"""The calibration as a document: what was found, then every table."""

from __future__ import annotations

from nrverify.calibrate.calibration import Calibration
from nrverify.report.calibration import tables

MATRIX = """\
Each mutant is a right implementation with one mistake. `samples` is all that was drawn when the audit, with its default
budget, first refuted it; the checks that did so then have that number in their column, and those that refute it when
the audit goes on, to a quarter of the budget or beyond that refutation, a +. `limit` is log(1/α)/KL, the samples that
the best test needs which knows the fault; 0 where the mutant does what has probability 0 under the claim, empty where
KL is not known."""


def calibration_markdown(calibration: Calibration) -> str:
    """The document; it depends on the scope and the seed only, not on when or where it was made."""
    option = "" if calibration.scope.name == "full" else f" --{calibration.scope.name}"
    parts = [
        "# The kill matrix",
        "What the audit refutes and what it does not: mutants, benign variants, false alarms, and samples against "
        "the information limit.\n"
        f"This file is written by `nrverify calibrate{option} --markdown reports/kill_matrix.md`; do not edit it.",
        "\n".join(_line_of(words, ok) for words, ok in tables.summary(calibration)),
    ]
    if (matrix := calibration.matrix) is not None:
        parts += ["## Mutant × check", MATRIX]
        parts += [_table(table, "###") for table in tables.matrices(matrix)]
        if matrix.whole:
            parts.append(_table(tables.standings(matrix)))
        parts.append(_table(tables.causes(calibration.causes)))
    if calibration.effects is not None:
        parts += [_table(table) for table in tables.effects(calibration.effects)]
    if calibration.efficiency is not None:
        parts.append(_table(tables.efficiency(calibration.efficiency, calibration.scope.seeds)))
    if calibration.empirical is not None:
        parts.append(_table(tables.empirical(calibration.empirical)))
    if calibration.sizes is not None:
        parts.append(_table(tables.sizes(calibration.sizes)))
    if calibration.alarms is not None:
        parts.append(_table(tables.false_alarms(calibration.alarms, calibration.scope.audit_samples)))
    if matrix is not None:
        parts += [_table(tables.benign(matrix)), _table(tables.mistakes(matrix))]
    return "\n\n".join(parts) + "\n"


def _line_of(words: str, ok: bool) -> str:
    return f"- {words}: {'as it should be' if ok else '**not as it should be**'}"


def _table(table: tables.Table, level: str = "##") -> str:
    heads = [column.rstrip(">") for column in table.columns]
    rule = ["---:" if column.endswith(">") else "---" for column in table.columns]
    lines = [_line(heads), f"|{'|'.join(rule)}|", *map(_line, table.rows)]
    return "\n\n".join(part for part in (f"{level} {table.title}", table.words, "\n".join(lines)) if part)


def _line(cells: list[str] | tuple[str, ...]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
