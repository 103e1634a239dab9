"""How many runs the audit of any mechanism needs, beside the information limit.

Run as `python -m nrverify.calibrate.any_efficiency SEEDS [NAME...] > reports/any_efficiency.md`: all cases, or those
whose names begin so.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np

from nrverify.calibrate import any_information as law
from nrverify.calibrate.claim_bets import runs_at_refutation
from nrverify.calibrate.trial import seed_for
from nrverify.reference.mutants import textbook_wrong

LEVELS = (0.05, 1e-6)
"""The usual level of a test, and the default α of an audit."""
SEEDS = 20
"""Unless the command says otherwise."""
MOST = 400_000
"""Runs after which an audit is given up; counted as more than all others."""
BEST = ([0, 1, 1, 1, 1], [1, 0, 0, 0, 0])
"""The pair at which noisy max tells most."""
SEVEN = (
    *(([o + 1] * (k - 1) + [o], [o] * (k - 1) + [o + 1]) for k in (2, 5, 10) for o in (0, -2)),
    ([0] * 10, [1] * 10),
)
"""Pairs for sparse vector, of which the third (k = 5 at 0) tells most."""


@dataclass(frozen=True)
class Case:
    """A wrong mechanism, and its laws at the pair that tells most."""

    name: str
    subject: Callable[[], Any]
    laws: Callable[[], law.Laws]
    delta: float = 0.0


class _OnePair(textbook_wrong.NoisyMaxHalved):
    neighbours: Any = (BEST,)


class _SparseVector(textbook_wrong.SparseVectorQueryNoiseHalved):
    neighbours: Any = (SEVEN[2],)


class _SparseVectorSeven(textbook_wrong.SparseVectorQueryNoiseHalved):
    neighbours: Any = SEVEN


def _at_best_of_seven() -> law.Laws:
    return law.sparse_vector(SEVEN[2], 2.0, 2.0)


CASES = (
    Case("Laplace, scale 0.7", textbook_wrong.LaplaceTooSmall, lambda: law.laplace(0.7)),
    Case("noisy max halved, best pair", _OnePair, lambda: law.noisy_max(BEST, 1.0)),
    Case("noisy max halved, 2 pairs", textbook_wrong.NoisyMaxHalved, lambda: law.noisy_max(BEST, 1.0)),
    Case(
        "Gaussian, 0.7 of the deviation, (1, 0.01)",
        textbook_wrong.GaussianTooSmall,
        lambda: law.gaussian(textbook_wrong.GaussianTooSmall.deviation),
        0.01,
    ),
    Case("ex-post, first look uncharged", textbook_wrong.FirstLookFree, lambda: law.two_looks(1.0)),
    Case("AboveThreshold, query noise halved, best pair", _SparseVector, _at_best_of_seven),
    Case("AboveThreshold, query noise halved, 7 pairs", _SparseVectorSeven, _at_best_of_seven),
)
"""Textbook mechanisms whose laws are known; several pairs show the price of finding the best."""


@dataclass(frozen=True)
class Needed:
    """Runs at refutation from some seeds, infinite where there was none, and the limit."""

    case: Case
    alpha: float
    runs: tuple[float, ...]
    limit: float
    without_coin: float = np.nan
    """The limit of bets that stake nothing on the coin alone."""

    @property
    def median(self) -> float:
        """Of the runs."""
        return float(median(self.runs))

    @property
    def ninth(self) -> float:
        """Runs within which nine of ten seeds refute."""
        return sorted(self.runs)[-(-9 * len(self.runs) // 10) - 1]


def needed(case: Case, seeds: int, alphas: tuple[float, ...] = LEVELS) -> list[Needed]:
    """The runs of audits from so many seeds at each level, all of α on the privacy claim, by the check look by look."""
    found = [runs_at_refutation(case.subject(), alphas, seed_for(0, case.name, index), MOST) for index in range(seeds)]
    laws = case.laws()
    growths = [law.growth(laws, case.delta, coin) for coin in (True, False)]
    return [
        Needed(
            case,
            alpha,
            tuple(np.inf if one[level] is None else float(one[level] or 0) for one in found),
            *(float(-np.log(alpha)) / growth for growth in growths),
        )
        for level, alpha in enumerate(alphas)
    ]


def markdown(found: Sequence[Needed]) -> str:
    """The table."""
    lines = [
        "# Any mechanism: runs needed to refute",
        "",
        "Runs at which `privacy.claim` refuted (all looks included), medians and nine tenths over seeds, beside "
        "log(1/α)/growth of the best bet that knows both laws and the pair, and of the best that stakes nothing on the "
        "coin alone; written by `python -m nrverify.calibrate.any_efficiency`.",
        "",
        "| wrong mechanism | α | seeds | median | 9 of 10 | limit | median / limit | without the coin |",
        "|---|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {one.case.name} | {one.alpha:g} | {len(one.runs)} | {one.median:,.0f} | {one.ninth:,.0f} "
        f"| {one.limit:,.0f} | {one.median / one.limit:.2f} | {one.without_coin:,.0f} |"
        for one in found
    ]
    left_out = [case.name for case in CASES if case.name not in {one.case.name for one in found}]
    if left_out:
        lines += ["", f"Not measured in this run: {'; '.join(left_out)}."]
    return "\n".join(lines) + "\n"


def chosen(names: Sequence[str]) -> tuple[Case, ...]:
    """The cases whose names begin with one of these; all where there are none."""
    return tuple(case for case in CASES if not names or case.name.startswith(tuple(names)))


def main(seeds: int = SEEDS, names: Sequence[str] = ()) -> None:
    """Prints the table."""
    sys.stdout.write(markdown([row for case in chosen(names) for row in needed(case, seeds)]))


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else SEEDS, sys.argv[2:])
