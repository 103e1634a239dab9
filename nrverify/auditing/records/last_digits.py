"""Whether recorded releases have all the digits of doubles: without them their last bits cannot be examined."""

from __future__ import annotations

import numpy as np

from nrverify.auditing.numerics.reachable import trailing_zeros
from nrverify.subjects.records.transcripts import RecordedTranscripts, Side

LOOKED_AT = 512
"""Releases of each value: a recorder cuts all of them, or none."""
FEWEST_BITS = 40
"""Single precision has 24, and doubles 53, of which noise leaves few empty."""
FEWEST_DIGITS = 15
"""Decimal digits that a double need not have more of in one case of ten: all doubles have them by chance never."""


def holds_last_bits(record: RecordedTranscripts) -> bool:
    """Whether some releases of each value have more than 40 bits, and more than 15 decimal digits."""
    return all(_full(side) for side in record.sides)


def _full(side: Side) -> bool:
    releases = side.part(0, LOOKED_AT)[0]
    numbers = np.unique(releases[np.isfinite(releases) & (releases != 0)])[:LOOKED_AT]
    if numbers.size == 0:
        return False
    long = 53 - trailing_zeros(numbers) > FEWEST_BITS
    if not long.any():
        return False
    cut = np.array([float(f"{x:.{FEWEST_DIGITS}g}") == x for x in numbers[long].tolist()])
    return not bool(cut.all())
