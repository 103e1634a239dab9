"""The comparison with public auditors as a section of the benchmark's document, and on a terminal."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table

from nrverify.benchmark.peers.comparison import SHARE, Standing
from nrverify.benchmark.peers.found import Needed

TITLE = "## Beside public auditors"
HEADINGS = ("false claim", "α", "auditor", "seeds", "median runs", "9 of 10", "seconds")
STANDINGS = ("false claim", "α", "compared", "nrverify", "best peer", "ratio", "to reach")
OPENING = """\
Runs of the mechanism, both data together, until a false claim is refuted, and the seconds of drawing and judging them;
written by `nrverify benchmark --peers`. All have the same pair of data and the same level. nrverify looks often, and
its level covers all looks. A peer gets the fewest runs that refute, to within 5 % (doubled, then bisected), and is not
charged for the attempts. `jax_privacy` takes scores and not outputs: learned from half of the runs, as by someone who
does not know the law, or given in the order of the true likelihood ratio, which is the best attack there is. The first
is compared with the audit that does not know the law, the second with the one that does, which may refute the law of
the noise where the peer has to refute the claim; its seconds include finding the cause. An auditor that is not
installed was not tried."""


def peers_section(found: Sequence[Needed], standing: Sequence[Standing], presence: Sequence[tuple[str, str]]) -> str:
    """The section, its title first."""
    missed = [one for one in standing if not one.met]
    summary = (
        f"At most half of the best peer's runs: {len(standing) - len(missed)} of {len(standing)} comparisons."
        if standing
        else "No peer that could judge any of the claims is installed: nothing is compared."
    )
    parts = [
        TITLE,
        OPENING,
        "Looked for: " + "; ".join(f"{name} ({state})" for name, state in presence) + ".",
        summary,
        _markdown(STANDINGS, map(standing_words, standing)),
        _markdown(HEADINGS, map(needed_words, found)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def with_section(document: str, section: str) -> str:
    """The document with this section at its end, in place of an older one."""
    return f"{document.partition(TITLE)[0].rstrip()}\n\n{section}".lstrip()


def section_of(document: str) -> str:
    """The section at the end of a document; empty where there is none."""
    _, title, rest = document.partition(TITLE)
    return title + rest


def print_peers(
    found: Sequence[Needed], standing: Sequence[Standing], presence: Sequence[tuple[str, str]], console: Console
) -> None:
    """The tables, and what was looked for."""
    for headings, rows in ((HEADINGS, map(needed_words, found)), (STANDINGS, map(standing_words, standing))):
        table = Table(box=None, pad_edge=False, header_style="bold")
        for heading in headings:
            table.add_column(heading)
        for row in rows:
            table.add_row(*row)
        console.print(table)
        console.print()
    console.print("Looked for: " + "; ".join(f"{name} ({state})" for name, state in presence) + ".")


def needed_words(one: Needed) -> tuple[str, ...]:
    """A row under the headings."""
    if one.reason:
        return (one.case, f"{one.alpha:g}", one.auditor, "", f"cannot: {one.reason}", "", "")
    numbers = (_runs(one.median), _runs(one.ninth), f"{one.seconds:.2g}")
    return (one.case, f"{one.alpha:g}", one.auditor, str(len(one.found)), *numbers)


def standing_words(one: Standing) -> tuple[str, ...]:
    """A row under its headings."""
    compared = "law known" if one.told else "law not known"
    ratio = "" if math.isnan(one.ratio) else f"{one.ratio:.2f}"
    verdict = f"≤ {SHARE:g}: {'met' if one.met else 'missed'}"
    return (one.case, f"{one.alpha:g}", compared, _runs(one.own), f"{_runs(one.best)} ({one.peer})", ratio, verdict)


def _runs(number: float) -> str:
    return "not refuted" if math.isinf(number) else f"{number:,.0f}"


def _markdown(headings: Sequence[str], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [f"| {' | '.join(row)} |" for row in rows]
    if not lines:
        return ""
    return "\n".join([f"| {' | '.join(headings)} |", "|---|---:|---|" + "---:|" * (len(headings) - 3), *lines])
