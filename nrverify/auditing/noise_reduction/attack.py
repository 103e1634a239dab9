"""Drawing for the attack on the last bits: beside the looks, until it is shown or given up, and then its evidence."""

from __future__ import annotations

from collections.abc import Iterator

from nrverify.auditing.noise_reduction.checks.last_bits import LastBits
from nrverify.auditing.noise_reduction.design.drawing import draw_sessions
from nrverify.auditing.noise_reduction.design.neighbours import Labelled, Pair
from nrverify.auditing.noise_reduction.observe import show_labelled
from nrverify.auditing.sampling.clock import LATE
from nrverify.auditing.sampling.drawer import Drawer, by_coin
from nrverify.subjects.errors import SubjectRefused

MOST = 4096
"""Transcripts of an attack that is not shown: an event of probability 2 % would have been."""
EVIDENCE = 2048
"""Transcripts that are counted once it is shown: they bound ε at about 4."""
SHARE = 10
"""One in so many samples of a run is kept for it, at most."""
ENOUGH = 512
"""Transcripts after which nearly every sampler in doubles is found."""
TIME_SHARE = 0.05
"""Of the budget of time that is kept for it."""
FIRST, GROWTH, AT_ONCE = 32, 8, 512
"""Transcripts of the first look; each further one is an eighth of all before; and the most of a request."""


def allowance(samples: int, exact: bool) -> int:
    """How many transcripts the attack may use, of so many samples; where it can refute, enough for most attacks."""
    least = min(ENOUGH, samples // 3) if exact else 0
    return min(MOST + EVIDENCE, max(samples // SHARE, least))


def attack(drawer: Drawer, check: LastBits, pairs: list[Pair]) -> list[str]:
    """Draws for the check; the pairs that the subject refused, and why."""
    used, refused = 0, list[str]()
    most = allowance(drawer.settings.samples, check.exact)
    for size in _sizes(min(most, MOST)):
        for pair in list(pairs):
            if drawer.out_of_time_at((LATE, used)):
                return refused
            try:
                _draw(drawer, check, pair, max(1, size // len(pairs)))
                used += max(1, size // len(pairs))
            except SubjectRefused as refusal:
                refused.append(f"{pair.case.name} ({refusal})")
                pairs.remove(pair)
        if check.attacked or not pairs:
            break
    if check.attacked:
        leading = [pair for pair in pairs if check.bits is not None and pair.case.name == check.bits.leading_pair]
        end = min(most, used + EVIDENCE)
        while leading and used < end and not drawer.out_of_time_at((LATE, used)):
            size = min(AT_ONCE, end - used)
            _draw(drawer, check, leading[0], size)
            used += size
    return refused


def _sizes(most: int) -> Iterator[int]:
    """The looks, of even size."""
    drawn = 0
    while drawn < most:
        size = min(max(FIRST, 2 * (drawn // (2 * GROWTH))), AT_ONCE, most - drawn)
        yield size
        drawn += size


def _draw(drawer: Drawer, check: LastBits, pair: Pair, size: int) -> None:
    label, (releases, asked) = by_coin(drawer, size, lambda side, count: draw_sessions(drawer, pair.sides[side], count))
    fresh = check.empty_copy()
    drawn = Labelled(pair, releases, asked, drawer.times_of(asked), label)
    show_labelled(drawer.host.description, drawn, [fresh], drawer.rng)
    check.merge(fresh)
