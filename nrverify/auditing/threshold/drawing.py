"""Drawing runs of a threshold mechanism: halting rounds from bits or in batches, with what they must look like."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from nrverify.auditing.core.check import Check, Observes, observes, observes_labelled
from nrverify.auditing.core.transforms.rosenblatt import LARGEST_SCORE
from nrverify.auditing.sampling.drawer import Drawer, by_coin
from nrverify.auditing.threshold.designs import Design, Neighbours
from nrverify.auditing.threshold.faulty_laws import claimed_law
from nrverify.auditing.threshold.outputs import outputs
from nrverify.auditing.threshold.twin_seeds import with_twins
from nrverify.subjects.errors import SubjectFailed
from nrverify.subjects.requests import RunManyRequest, RunRequest

Bins = NDArray[np.int64]


@dataclass(frozen=True)
class Runs:
    """Runs of one design by one method: the bin n − 1 of a halt in round n, the last bin for never.

    For several positives, the bins of `outputs`.
    """

    design: Design
    method: str
    bins: Bins
    after_halt: tuple[tuple[int, ...], ...] = ()
    """Bits that went on after a halt, as they came."""
    scores: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    """Normal scores of the bins under the claimed law, randomised within them: independent N(0, 1)."""
    request: int = 0
    """How many came of one request of run_many; 0 for all of them."""
    twins: int = 0
    """The first so many runs, and as many after them, have seeds that agree in part."""

    def counts(self) -> NDArray[np.float64]:
        """How many runs fell into each bin."""
        return np.bincount(self.bins, minlength=outputs(self.design.rounds, self.design.positives).size).astype(float)

    def requests(self) -> list[Bins]:
        """The runs of each request of run_many."""
        most = self.request or self.bins.size
        return np.split(self.bins, range(most, self.bins.size, most)) if self.method == "run_many" else []


@dataclass(frozen=True)
class LabelledRuns:
    """Runs of two neighbours in random order: label 1 is the design itself, 0 its neighbour."""

    pair: Neighbours
    bins: Bins
    label: NDArray[np.bool_]


def draw_runs(drawer: Drawer, design: Design, method: str, size: int, request: int = 0) -> Runs:
    """`size` runs, in requests of at most `request`; `SubjectFailed` if one is no halting round or list of bits."""
    drawer.drawn += size
    arguments = (design.utilities, design.epsilons, design.threshold, design.sensitivity)
    if method == "run_many":
        most = request or size
        parts = [min(most, size - start) for start in range(0, size, most)]
        rounds = [drawer.host.ask(RunManyRequest(*arguments, part, drawer.seed())) for part in parts]
        return _from_rounds(design, np.concatenate(rounds), most)
    pairs = size // 2
    seeds = with_twins([drawer.seed() for _ in range(pairs)]) + [drawer.seed() for _ in range(size % 2)]
    return replace(_from_bits(design, drawer.host.ask(RunRequest(*arguments, seeds))), twins=pairs)


def score_design(drawer: Drawer, setting: tuple[Design, str, int], size: int, checks: Sequence[Observes[Runs]]) -> None:
    """Runs of a design by a method, in requests of a size, shown to the checks."""
    design, method, request = setting
    runs = with_scores(draw_runs(drawer, design, method, size, request), drawer.rng)
    for check in checks:
        check.observe(runs)


def with_scores(runs: Runs, rng: np.random.Generator) -> Runs:
    """The runs with the normal scores of their bins, randomised within each bin."""
    law = claimed_law(runs.design)
    below = law.cumsum() - law
    lower = below[runs.bins] + law[runs.bins] * rng.random(runs.bins.size)
    return replace(runs, scores=np.clip(ndtri(np.clip(lower, 0.0, 1.0)), -LARGEST_SCORE, LARGEST_SCORE))


def score_neighbours(drawer: Drawer, setting: tuple[Neighbours, str], size: int, checks: Sequence[Check]) -> None:
    """Runs of a design or its neighbour by a fair coin, shown to the checks: as pairs, and each side as runs."""
    pair, method = setting
    label, (bins,) = by_coin(
        drawer, size, lambda side, count: (draw_runs(drawer, pair.sides[side], method, count).bins,)
    )
    for side, design in enumerate(pair.sides):
        runs = with_scores(Runs(design, method, bins[label == bool(side)]), drawer.rng)
        for check in checks:
            if observes(check) and runs.bins.size:
                check.observe(runs)
    for check in checks:
        if observes_labelled(check):
            check.observe_labelled(LabelledRuns(pair, bins, label))


def halting_bin(bits: Sequence[int], rounds: int, what: str) -> tuple[int, bool]:
    """The bin of the first 1, and whether bits go on after it; `SubjectFailed` when these are no bits of a run."""
    shown = f"{what} returned {list(bits)!r:.80} for {rounds} rounds"
    if any(bit not in (0, 1) for bit in bits):
        raise SubjectFailed(f"{shown}: bits must be 0 or 1")
    if len(bits) > rounds:
        raise SubjectFailed(f"{shown}: there can be no more bits than rounds")
    if 1 in bits:
        first = list(bits).index(1)
        return first, len(bits) > first + 1
    if len(bits) < rounds:
        raise SubjectFailed(f"{shown}: without a 1 there must be a 0 for every round")
    return rounds, False


def draw_certain(drawer: Drawer, design: Design, method: str, size: int) -> Runs:
    """Runs of a design in which every round is certain to print a 1; kept are those that halt anywhere but after the
    last 1 they may print, as their bits."""
    arguments = (design.utilities, design.epsilons, design.threshold, design.sensitivity)
    if method == "run_many":
        ones = drawer.host.ask(RunManyRequest(*arguments, size, drawer.seed()))
        _refuse_rows(design, ones)
        printed = [[1] * int((row > 0).sum()) for row in ones]
    else:
        printed = drawer.host.ask(RunRequest(*arguments, [drawer.seed() for _ in range(size)]))
        for bits in printed:
            cut_at_halt(bits, design, "run()")
    drawer.drawn += size
    wrong = tuple(tuple(bits) for bits in printed if len(bits) != design.positives)
    return Runs(design, method, np.zeros(size, dtype=np.int64), wrong)


def cut_at_halt(bits: Sequence[int], design: Design, what: str) -> tuple[list[int], bool]:
    """The rounds of the ones up to the c-th, and whether the run halts elsewhere: bits go on after it, or end with an
    earlier 1. `SubjectFailed` when these are no bits of a run."""
    shown = f"{what} returned {list(bits)!r:.80} for {design.rounds} rounds"
    if any(bit not in (0, 1) for bit in bits):
        raise SubjectFailed(f"{shown}: bits must be 0 or 1")
    if len(bits) > design.rounds:
        raise SubjectFailed(f"{shown}: there can be no more bits than rounds")
    ones = [n for n, bit in enumerate(bits, start=1) if bit]
    if len(ones) >= design.positives:
        return ones[: design.positives], len(bits) > ones[design.positives - 1]
    if len(bits) < design.rounds:
        if bits and bits[-1]:
            return ones, True
        raise SubjectFailed(
            f"{shown}: positives is {design.positives}, so with fewer ones there must be a bit for every round"
        )
    return ones, False


def _from_many_bits(design: Design, printed: Sequence[Sequence[int]]) -> Runs:
    ones = np.zeros((len(printed), design.positives), dtype=np.int64)
    after = []
    for row, bits in enumerate(printed):
        rounds, elsewhere = cut_at_halt(bits, design, "run()")
        ones[row, : len(rounds)] = rounds
        if elsewhere:
            after.append(tuple(bits))
    return Runs(design, "run", outputs(design.rounds, design.positives).bins(ones), tuple(after))


def _refuse_rows(design: Design, ones: Bins) -> None:
    """`SubjectFailed` where a row is not the rounds of the ones of a run."""
    if ones.ndim != 2 or ones.shape[1] != design.positives:
        raise SubjectFailed(
            f"positives is {design.positives}, and run_many() returned numbers of shape {ones.shape}: the rounds "
            f"of the ones of each run are needed, shape (runs, {design.positives})"
        )
    rises = ((ones[:, 1:] > ones[:, :-1]) & (ones[:, :-1] > 0)) | (ones[:, 1:] == 0)
    wrong = ~rises.all(axis=1) | (ones < 0).any(axis=1) | (ones > design.rounds).any(axis=1)
    if wrong.any():
        raise SubjectFailed(
            f"run_many() returned the row {ones[wrong][0].tolist()!r:.80} for {design.rounds} rounds: it must be the "
            f"rounds of the ones in rising order, from 1 to {design.rounds}, and then 0 where there are no more"
        )


def _from_bits(design: Design, printed: Sequence[Sequence[int]]) -> Runs:
    if design.positives > 1:
        return _from_many_bits(design, printed)
    found = [halting_bin(bits, design.rounds, "run()") for bits in printed]
    after = tuple(tuple(bits) for bits, (_, goes_on) in zip(printed, found, strict=True) if goes_on)
    return Runs(design, "run", np.array([bin for bin, _ in found], dtype=np.int64), after)


def _from_rounds(design: Design, rounds: Bins, request: int) -> Runs:
    if design.positives > 1:
        _refuse_rows(design, rounds)
        return Runs(design, "run_many", outputs(design.rounds, design.positives).bins(rounds), request=request)
    bad = rounds[(rounds < 0) | (rounds > design.rounds)]
    if bad.size:
        raise SubjectFailed(
            f"run_many() returned the halting round {int(bad[0])} for {design.rounds} rounds: "
            f"it must lie between 1 and {design.rounds}, or be 0 for never"
        )
    return Runs(design, "run_many", np.where(rounds == 0, design.rounds, rounds - 1), request=request)
