"""The known name closest to a misspelt one, for "did you mean"."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

LIKENESS = 0.4
"""Ids are short: `law` and `lwa` agree in two letters of three. Below this, a list of what there is helps more."""
LONGEST = 100
"""Characters compared: the time grows with the product of the lengths, and a stranger chose one of them."""


def closest(name: str, known: Iterable[str], likeness: float = LIKENESS) -> str | None:
    """The known name most like this one, whatever its case; None when none is as like (1 is the same word)."""
    folded = {word.casefold(): word for word in known}
    found = difflib.get_close_matches(name[:LONGEST].casefold(), folded, n=1, cutoff=likeness)
    return folded[found[0]] if found else None
