"""Transcripts scored: drawn, transformed where their times are known, and shown to the checks that can use them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.core.transforms.any_order import placed
from nrverify.auditing.core.transforms.ideal_paths import ideal_releases, told_apart, within_cells
from nrverify.auditing.core.transforms.rosenblatt import innovations
from nrverify.auditing.noise_reduction.checks.finite import Finite, sound
from nrverify.auditing.noise_reduction.design.batch import Batch, PairCheck, TranscriptCheck
from nrverify.auditing.noise_reduction.design.cases import Case
from nrverify.auditing.noise_reduction.design.drawing import draw_sessions
from nrverify.auditing.noise_reduction.design.neighbours import Labelled, Pair
from nrverify.auditing.sampling.drawer import Drawer, by_coin
from nrverify.laws.process import TwoSided
from nrverify.subjects.description import Description
from nrverify.subjects.limits import LARGEST_COUNT

Floats = NDArray[np.float64]

REACH = 2.0**61
"""Releases of integer noise are scored up to this size: the laws count in integers of 64 bits, values of up to 1e15 and
their neighbours included."""


def score_case(drawer: Drawer, case: Case, size: int, checks: Sequence[TranscriptCheck]) -> None:
    """Sessions of a case."""
    releases, asked = draw_sessions(drawer, case, size)
    times, sides = drawer.times_of(asked), case.sides
    for turn, side in enumerate(sides):
        own = slice(turn, None, len(sides))
        if asked[own].size:
            own_times = None if times is None else times[own]
            show(drawer.host.description, side, releases[own], asked[own], own_times, drawer.rng, checks)


def score_pair(drawer: Drawer, pair: Pair, size: int, checks: Sequence[PairCheck | TranscriptCheck]) -> None:
    """Sessions of a value or its neighbour by a fair coin: as pairs, and each side as transcripts of its own value."""
    description = drawer.host.description
    label, (releases, asked) = by_coin(drawer, size, lambda side, count: draw_sessions(drawer, pair.sides[side], count))
    times = drawer.times_of(asked)
    labelled, others = _kinds(checks)
    show_labelled(description, Labelled(pair, releases, asked, times, label), labelled, drawer.rng)
    for side, case in enumerate(pair.sides):
        of_side = label == bool(side)
        if of_side.any():
            own_times = None if times is None else times[of_side]
            show(description, case, releases[of_side], asked[of_side], own_times, drawer.rng, others)


def _kinds(checks: Sequence[PairCheck | TranscriptCheck]) -> tuple[list[PairCheck], list[TranscriptCheck]]:
    """The checks of pairs, and those of transcripts; by one method, since `isinstance` of a protocol compares all."""
    labelled = [hasattr(check, "observe_labelled") for check in checks]
    pairs = [cast(PairCheck, check) for check, pair in zip(checks, labelled, strict=True) if pair]
    return pairs, [cast(TranscriptCheck, check) for check, pair in zip(checks, labelled, strict=True) if not pair]


def show(
    description: Description,
    case: Case,
    releases: Floats,
    asked: Floats,
    times: Floats | None,
    rng: np.random.Generator,
    checks: Sequence[TranscriptCheck],
) -> None:
    """Transcripts to every check that can use them; releases that are not numbers to the one that counts them."""
    if case.any_order:
        show_any_order(description, case, releases, asked, rng, checks)
        return
    finite = sound(releases, asked)
    found = None
    if times is not None and finite and scored(description, releases, times) and description.granularity is None:
        inside = within_reach(description, releases)
        scale = np.abs(inside) + np.abs(case.array)
        process, noise = description.claimed_process, inside - case.array
        found = innovations(process, noise, times, scale, rng, integer=description.integer)
    batch = Batch(case, releases, asked, times, found)
    behind = _behind_grid(description, batch, rng) if finite else None
    for check in checks:
        if finite or isinstance(check, Finite):
            check.observe(batch if behind is None or _sees_grid(check) else behind)


def show_any_order(
    description: Description,
    case: Case,
    releases: Floats,
    asked: Floats,
    rng: np.random.Generator,
    checks: Sequence[TranscriptCheck],
) -> None:
    """Transcripts whose times come in any order, to the checks that see those."""
    finite = sound(releases, asked)
    found = None
    if finite and scored(description, releases, asked):
        inside = within_reach(description, releases)
        scale = np.abs(inside) + np.abs(case.array)
        process = cast(TwoSided, description.claimed_process)
        found = placed(process, inside - case.array, asked, scale, rng, integer=description.integer)
    batch = Batch(case, releases, asked, asked, None, found)
    for check in checks:
        if getattr(check, "sees_any_order", False) and (finite or isinstance(check, Finite)):
            check.observe(batch)


def _sees_grid(check: object) -> bool:
    """Whether a check sees releases on a declared grid as they are."""
    return bool(getattr(check, "sees_grid", False))


def _behind_grid(description: Description, batch: Batch, rng: np.random.Generator) -> Batch | None:
    """The ideal transcripts behind those on a declared grid; None where none is declared."""
    grid, times = description.granularity, batch.times
    if grid is None:
        return None
    if times is None:
        return replace(batch, releases=within_cells(batch.releases, batch.asked, grid, rng))
    case, process = batch.case, description.claimed_process
    columns = told_apart(process, times, grid) if case.fixed else np.arange(times.shape[1])
    times, asked, cells = times[:, columns], batch.asked[:, columns], batch.releases[:, columns]
    releases = ideal_releases(process, case.array, cells, times, grid, rng)
    scale = np.abs(releases) + np.abs(case.array)
    found = innovations(process, releases - case.array, times, scale, rng, integer=False)
    return Batch(case, releases, asked, times, found)


def show_labelled(
    description: Description, drawn: Labelled, checks: Sequence[PairCheck], rng: np.random.Generator
) -> None:
    """Labelled transcripts to the checks of pairs."""
    if not (sound(drawn.releases, drawn.asked) and scored(description, drawn.releases, drawn.times)):
        return
    if drawn.times is not None:
        drawn = replace(drawn, releases=within_reach(description, drawn.releases))
    behind = drawn
    if description.granularity is not None and not all(_sees_grid(check) for check in checks):
        behind = _labelled_behind_grid(description, drawn, description.granularity, rng)
    for check in checks:
        check.observe_labelled(drawn if behind is drawn or _sees_grid(check) else behind)


def _labelled_behind_grid(description: Description, drawn: Labelled, grid: float, rng: np.random.Generator) -> Labelled:
    """The ideal transcripts behind those on a declared grid, each given its own value: with the label as claimed."""
    times = drawn.times
    if times is None:
        return drawn
    releases = np.empty(drawn.releases.shape)
    for side, case in enumerate(drawn.pair.sides):
        rows = drawn.label == bool(side)
        if rows.any():
            cells, process = drawn.releases[rows], description.claimed_process
            releases[rows] = ideal_releases(process, case.array, cells, times[rows], grid, rng)
    return replace(drawn, releases=releases)


def scored(description: Description, releases: Floats, times: Floats | None) -> bool:
    """Whether releases at these times, None where they are not known, have a score.

    Integer noise has one only where all releases are integers; the others are another check's finding. And only at
    times whose noise is far within reach: that depends on the times alone, not on what was released.
    """
    if not description.integer:
        return True
    if not np.all((releases == np.round(releases)) | np.isnan(releases)):
        return False
    family = description.family
    if times is None or family.own or not np.isfinite(times).any():
        return True
    return family.telling(float(np.nanmax(times)), description.rate or 1.0) <= LARGEST_COUNT


def within_reach(description: Description, releases: Floats) -> Floats:
    """Releases of integer noise, cut off where the laws stop counting.

    Noise whose size is at most 1e15 passes 2^61 with a probability below e^-2000, so that nothing is changed for a
    right subject; a wrong one is judged by the law at the cut, which is as impossible as what it released.
    """
    if not description.integer or description.family.own:
        return releases
    return np.asarray(np.clip(releases, -REACH, REACH))
