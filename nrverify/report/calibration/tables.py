"""The tables of a calibration, as rows of words: what the terminal and the document show alike."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from nrverify.auditing.sampling.looks import FIRST_LOOK
from nrverify.calibrate.calibration import Calibration
from nrverify.calibrate.causes import MOST_FALSE, Causes
from nrverify.calibrate.effects import Effects, Told
from nrverify.calibrate.efficiency import MEDIAN_TARGET, Efficiency, median_ratio
from nrverify.calibrate.efficiency import TARGET as EFFICIENCY_TARGET
from nrverify.calibrate.empirical import TARGET as EMPIRICAL_TARGET
from nrverify.calibrate.empirical import EmpiricalEpsilon
from nrverify.calibrate.false_alarms import LOOSE, STRICT, Alarms, all_together
from nrverify.calibrate.matrix import Kill, KillMatrix
from nrverify.calibrate.stated.faults import SESSIONS
from nrverify.calibrate.stated.sizes import Stated


@dataclass(frozen=True)
class Table:
    """A heading, a sentence, the columns (a trailing ">" aligns to the right) and the rows."""

    title: str
    words: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def number(value: float) -> str:
    """A number of samples, or a ratio: three digits at least, no decimals where they say nothing."""
    if math.isinf(value):
        return "∞"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def verdict(ok: bool) -> str:
    """In one word."""
    return "met" if ok else "missed"


def family(kill: Kill) -> str:
    """The heading under which a mutant is listed."""
    subject = kill.mutant.subject
    if getattr(subject, "knob", "time") == "epsilon":
        return "ε-knobs"
    names = {
        "brownian": "Brownian noise",
        "laplace": "Laplace noise",
        "skellam": "Skellam noise",
        "discrete-laplace": "Discrete Laplace noise",
        "discrete-gaussian": "Discrete Gaussian noise",
        "boundary": "Boundaries",
        "private-stopping": "Private stopping",
        "any": "Textbook mechanisms",
    }
    return names.get(subject.mechanism, "Threshold mechanisms")


def matrices(matrix: KillMatrix) -> list[Table]:
    """Mutant × check, a table for each family: samples where it was first refuted, + where going on does."""
    tables = []
    for name in dict.fromkeys(map(family, matrix.kills)):
        kills = [kill for kill in matrix.kills if family(kill) == name]
        found = {id for kill in kills for id in (*kill.first.refuted, *kill.refuting)}
        checks = [standing.id for standing in matrix.standings() if standing.id in found]
        rows = tuple(_matrix_row(kill, checks) for kill in kills)
        columns = ("mutant", "effect", "samples>", "limit>", "ratio>", *(f"{check}>" for check in checks))
        tables.append(Table(name, "", columns, rows))
    return tables


def _matrix_row(kill: Kill, checks: Iterable[str]) -> tuple[str, ...]:
    samples = number(kill.first.samples) if kill.first.alarm else "not refuted"
    known = "" if kill.limit is None else number(kill.limit)
    ratio = "" if kill.ratio is None else f"{kill.ratio:.2f}"
    cells = [
        number(kill.first.samples) if check in kill.first.refuted else ("+" if check in kill.refuting else "")
        for check in checks
    ]
    return (kill.mutant.name, kill.mutant.effect, samples, known, ratio, *cells)


def mistakes(matrix: KillMatrix) -> Table:
    """What is wrong with each mutant."""
    rows = tuple((kill.mutant.name, kill.mutant.mistake) for kill in matrix.kills)
    return Table("The mutants", "", ("mutant", "mistake"), rows)


def standings(matrix: KillMatrix) -> Table:
    """What each check is for."""
    rows = tuple(
        (standing.id, str(standing.refutes), ", ".join(standing.alone), ", ".join(standing.claims))
        for standing in matrix.standings()
    )
    words = "A check stays when it refutes a mutant that no other refutes, or is the only one to bear on a claim."
    return Table("What each check is for", words, ("check", "refutes>", "alone", "claims it alone bears on"), rows)


def causes(rows: tuple[Causes, ...]) -> Table:
    """How often the cause that is named is the true one."""
    words = (
        "The share of the refuted mutants with the true fault named first, among the named, and with false ones only "
        f"(at most {MOST_FALSE:.0%}); where nothing fits nothing is named. What follows another refutation names none."
    )
    columns = (
        "audits",
        "mutants>",
        "true first>",
        "true among the named>",
        "false>",
        "mutants with false causes",
        "verdict",
    )
    found = tuple(
        (
            *(row.when, str(len(row.namings)), f"{row.first:.1%}", f"{row.among:.1%}", f"{row.false:.1%}"),
            "; ".join(f"{one.mutant}: {', '.join(one.named)}" for one in row.mistaken),
            verdict(row.green),
        )
        for row in rows
    )
    return Table("Causes", words, columns, found)


def effects(found: Effects) -> tuple[Table, Table]:
    """What is said of mutants that leak, and of mechanisms that are right but different."""
    columns = ("subject", "said", "number>")
    words = "A leak is said where a check of privacy refutes, or with the loss computed for the fault that is named."
    return (
        Table("Mutants that leak", words, columns, tuple(map(_told, found.leaking))),
        Table(
            "Right but different",
            "None of these may be told that it leaks.",
            columns,
            tuple(map(_told, found.different)),
        ),
    )


def _told(one: Told) -> tuple[str, ...]:
    return one.name, ", ".join(one.told), "" if one.loss is None else f"{one.loss:.3g}"


def sizes(rows: tuple[Stated, ...]) -> Table:
    """Whether what is said to be detectable is."""
    words = (
        f"Faults planted at the size that a check states after {SESSIONS:,} sessions, at a third of it and somewhat "
        "above it: how many of the trials refute them. A statement promises too much where the size is refuted in less "
        "than half of the trials, or the larger fault in less than nine tenths (99 % sure); and too little where a "
        "third is refuted in more than half. Of an ε or a δ the excess over what is claimed is meant. A named fault "
        "has one size: it is tried on a ninth of the runs, on all of them and on more, as evidence grows with the "
        "square of a size. What has one trial is computed and not sampled; it is planted just above its size."
    )
    columns = ("check", "quantity", "stated>", "unit", "trials>", "a third>", "the size>", "above>", "verdict")
    found = tuple(
        (
            *(row.name, row.quantity, f"{row.size:.3g}", row.unit, str(row.trials), str(row.third), str(row.at)),
            *(f"{row.above} (at {row.factor:g} times)", verdict(row.met)),
        )
        for row in rows
    )
    return Table("Stated sizes", words, columns, found)


def benign(matrix: KillMatrix) -> Table:
    """Benign variants."""
    rows = tuple((found.benign.name, found.benign.variation, found.trial.verdict) for found in matrix.spared)
    return Table("Benign variants", "None of these may be refuted.", ("variant", "what is unusual", "verdict"), rows)


def false_alarms(rows: tuple[Alarms, ...], samples: int) -> Table:
    """Audits of correct subjects."""
    words = (
        f"Audits of correct subjects, each of at most {samples:,} samples from a seed of its own, at α = {LOOSE} and "
        f"at α = {STRICT:g}. The limits are Clopper–Pearson's at 99 %. Boundaries are judged by calculation: once."
    )
    columns = ("subject", "audits>", f"alarms at {LOOSE}>", "limits>", f"alarms at {STRICT:g}>", "limits>", "verdict")
    return Table("False alarms", words, columns, tuple(map(_alarm_row, (*rows, all_together(rows)))))


def _alarm_row(row: Alarms) -> tuple[str, ...]:
    limits = [f"{low:.3f} to {high:.3f}" for low, high in map(row.interval, (row.loose, row.strict))]
    failed = f", {row.failed} could not be run" if row.failed else ""
    return (
        *(row.name, str(row.audits), str(row.loose), limits[0], str(row.strict), limits[1]),
        verdict(row.green) + failed,
    )


def efficiency(rows: tuple[Efficiency, ...], seeds: int) -> Table:
    """Samples against the information limit."""
    words = (
        f"All that was drawn until a fault was refuted, the median over {seeds} seeds, against log(1/α)/KL with α the "
        "level of one check and KL the information in a session or run, averaged over the designs the audit draws. "
        f"No fault is refuted before the first look, of {FIRST_LOOK}: where the limit is below it (*), the ratio is "
        f"that to the first look. To reach: at most {EFFICIENCY_TARGET}, and a median of {MEDIAN_TARGET} over all "
        f"faults without *; it is {median_ratio(rows):.2f}."
    )
    columns = ("fault", "nats per sample>", "limit>", "median>", "least>", "most>", "ratio>", "verdict")
    return Table("Samples against the information limit", words, columns, tuple(map(_efficiency_row, rows)))


def _efficiency_row(row: Efficiency) -> tuple[str, ...]:
    least = number(row.samples[0]) if row.samples else "∞"
    most = number(row.samples[-1]) if row.samples and not row.missed else "∞"
    return (
        *(
            row.name,
            f"{row.nats:.4g}",
            number(row.limit),
            number(row.median),
            least,
            most,
            "∞" if math.isinf(row.ratio) else f"{row.ratio:.2f}{'*' if row.below_first_look else ''}",
        ),
        verdict(row.met),
    )


def empirical(rows: tuple[EmpiricalEpsilon, ...]) -> Table:
    """Empirical ε."""
    words = (
        "Lower bounds on ε from a right mechanism at ε = 1 and level 1e-6, the median over seeds. "
        f"To reach: at least {EMPIRICAL_TARGET} of what it is compared with, and never above the claim."
    )
    columns = ("mechanism", "runs>", "bound>", "compared with>", "which is", "ratio>", "verdict")
    found = tuple(
        (
            *(row.name, f"{row.runs:,}", f"{row.ratio * row.against:.4f}", f"{row.against:.4f}", row.compared_with),
            *(f"{row.ratio:.3f}", verdict(row.met)),
        )
        for row in rows
    )
    return Table("Empirical ε", words, columns, found)


def summary(calibration: Calibration) -> list[tuple[str, bool]]:
    """What was found, in sentences, and whether each is as it should be."""
    found: list[tuple[str, bool]] = []
    if (matrix := calibration.matrix) is not None:
        killed = len(matrix.kills) - len(matrix.survivors)
        words = f"{killed} of {len(matrix.kills)} mutants refuted within {matrix.samples:,} samples"
        found.append((words + _names(matrix.survivors), not matrix.survivors))
        spared = len(matrix.spared) - len(matrix.wronged)
        words = f"{spared} of {len(matrix.spared)} benign variants spared"
        found.append((words + _names(matrix.wronged), not matrix.wronged))
        if matrix.whole:
            idle = calibration.idle_checks
            words = f"{len(matrix.standings()) - len(idle)} of {len(matrix.standings())} checks earn their place"
            found.append((words + _names(idle), not idle))
    for row in calibration.causes:
        words = f"{row.among:.1%} of the mutants have the true fault among the causes named {row.when}, "
        found.append((f"{words}{row.false:.1%} false ones only", row.green))
    if (told := calibration.effects) is not None:
        said = len(told.leaking) - len(told.untold)
        words = f"{said} of {len(told.leaking)} leaking mutants are told so, with a number; of "
        words += f"{len(told.explained)} of the others it is known why no loss is computed"
        found.append((words + _names(told.untold), not told.untold))
        words = f"{len(told.slandered)} of {len(told.different)} right but different mechanisms are told they leak"
        found.append((words + _names(told.slandered), not told.slandered))
    if calibration.alarms is not None:
        total = all_together(calibration.alarms)
        words = f"{total.loose} false alarms in {total.audits} audits at α = {LOOSE}, {total.strict} at α = {STRICT:g}"
        found.append((words, total.green and all(row.green for row in calibration.alarms)))
    if calibration.efficiency is not None:
        missed = tuple(row.name for row in calibration.efficiency if not row.met)
        met = len(calibration.efficiency) - len(missed)
        words = f"{met} of {len(calibration.efficiency)} faults refuted within {EFFICIENCY_TARGET} times the limit"
        found.append((words + _names(missed), not missed))
        median = median_ratio(calibration.efficiency)
        words = f"samples over the limit, the median over all faults whose limit is above the first look: {median:.2f}"
        found.append((words, median <= MEDIAN_TARGET))
    if calibration.sizes is not None:
        missed = tuple(row.name for row in calibration.sizes if not row.met)
        words = f"{len(calibration.sizes) - len(missed)} of {len(calibration.sizes)} stated sizes are kept"
        found.append((words + _names(missed), not missed))
    for measured in calibration.empirical or ():
        words = f"empirical ε of {measured.name}: {measured.ratio:.3f} of {measured.compared_with}"
        found.append((words, measured.met))
    return found


def _names(names: Iterable[str]) -> str:
    listed = ", ".join(names)
    return f"; not: {listed}" if listed else ""
