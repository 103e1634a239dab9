"""Transcripts scored: drawn, transformed where their times are known, and shown to the checks that can use them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.core.rosenblatt import innovations
from nrverify.auditing.noise_reduction.checks.finite import Finite, sound
from nrverify.auditing.noise_reduction.design.batch import Batch, PairCheck, TranscriptCheck
from nrverify.auditing.noise_reduction.design.cases import Case
from nrverify.auditing.noise_reduction.design.drawing import draw_sessions
from nrverify.auditing.noise_reduction.design.neighbours import Labelled, Pair
from nrverify.auditing.sampling.drawer import Drawer, by_coin
from nrverify.subjects.description import Description

Floats = NDArray[np.float64]


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
    show_labelled(description, Labelled(pair, releases, asked, times, label), labelled)
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
    finite = sound(releases, asked)
    found = None
    if times is not None and finite and integers(description, releases):
        scale = np.abs(releases) + np.abs(case.array)
        process, noise = description.claimed_process, releases - case.array
        found = innovations(process, noise, times, scale, rng, integer=description.integer)
    batch = Batch(case, releases, asked, times, found)
    for check in checks:
        if finite or isinstance(check, Finite):
            check.observe(batch)


def show_labelled(description: Description, drawn: Labelled, checks: Sequence[PairCheck]) -> None:
    """Labelled transcripts to the checks of pairs."""
    if sound(drawn.releases, drawn.asked) and integers(description, drawn.releases):
        for check in checks:
            check.observe_labelled(drawn)


def integers(description: Description, releases: Floats) -> bool:
    """Integer noise is scored only where all releases are integers; the others are another check's finding."""
    integer = (releases == np.round(releases)) | np.isnan(releases)
    return not description.integer or bool(np.all(integer))
