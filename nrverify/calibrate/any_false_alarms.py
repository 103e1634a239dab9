"""False alarms of `mechanism = "any"` on right mechanisms whose claims are tight, at which most could go wrong.

Run as `python -m nrverify.calibrate.any_false_alarms AUDITS > reports/any_false_alarms.md`: so many audits of each.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from nrverify.calibrate.claim_bets import runs_at_refutation
from nrverify.calibrate.false_alarms import LOOSE, STRICT, Alarms, all_together
from nrverify.calibrate.trial import seed_for
from nrverify.reference.mutants import textbook

SAMPLES = 2_000
"""Runs of an audit: at 0.05, a Laplace scale of 0.7 is refuted within half as many."""
AUDITS = 200
"""Of each mechanism: 1,000 in all."""
TIGHT = (
    textbook.LaplaceCount,
    textbook.GeometricCount,
    textbook.GaussianSum,
    textbook.RandomizedResponse,
    textbook.TwoLooks,
)
"""Right mechanisms that reach their claim: Laplace, geometric, Gaussian at its smallest deviation, randomised response,
and the ex-post price of two looks."""


def alarms(subject: type, audits: int, samples: int = SAMPLES) -> Alarms:
    """Audits from so many seeds, each at both levels, by the check itself, look by look."""
    seeds = [seed_for(0, "tight", subject.__name__, index) for index in range(audits)]
    found = [runs_at_refutation(subject(), (LOOSE, STRICT), seed, samples) for seed in seeds]
    loose, strict = (sum(one[level] is not None for one in found) for level in (0, 1))
    return Alarms(subject.__name__, audits, loose, strict, 0)


def markdown(rows: Sequence[Alarms], samples: int = SAMPLES) -> str:
    """The table."""
    total = all_together(rows)
    lines = [
        "# Any mechanism: false alarms",
        "",
        f"Audits of right mechanisms whose claims are tight, {samples:,} runs each, all of α on `privacy.claim`, by "
        "the check itself, look by look; written by `python -m nrverify.calibrate.any_false_alarms`. Limits are "
        "Clopper–Pearson's at 99 %.",
        "",
        f"{total.audits:,} audits: {total.loose} alarms at {LOOSE:g}, {total.strict} at {STRICT:g}: "
        f"{'within' if all(row.green for row in (*rows, total)) else 'NOT within'} what is promised.",
        "",
        f"| mechanism | audits | alarms at {LOOSE:g} | limits | alarms at {STRICT:g} |",
        "|---|---:|---:|---:|---:|",
    ]
    for row in (*rows, total):
        low, high = row.interval(row.loose)
        lines.append(f"| {row.name} | {row.audits:,} | {row.loose} | {low:.4f} to {high:.4f} | {row.strict} |")
    return "\n".join(lines) + "\n"


def main(audits: int = AUDITS) -> None:
    """Prints the table."""
    sys.stdout.write(markdown([alarms(subject, audits) for subject in TIGHT]))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
