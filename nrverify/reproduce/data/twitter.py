"""Twitter "Buzz in social media": 77 features and the popularity to predict, comma-separated, header or none.

A partial sample (V1…V70 and V77 under their header, without the popularity) carries a stand-in task of the same kind:
V77, the last week's active discussions, predicted from the columns of the six weeks before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from nrverify.reproduce.data.files import (
    FEWEST_ROWS,
    DataError,
    Floats,
    chosen_numbers,
    is_number,
    lines_of,
    require_fields,
    subsamples,
)

COLUMNS = tuple(f"V{k}" for k in range(1, 79))
"""As headers of this file name them."""
FEATURES = 77
"""Eleven quantities in each of seven weeks."""
WEEKS = 7
"""Of each quantity, one column each."""
PARTIAL = (*COLUMNS[:70], "V77")
"""The header of the partial sample."""
PARTIAL_FEATURES = tuple(k for k in range(70) if k % WEEKS != WEEKS - 1)
"""Weeks 0–5 of each of its ten groups of seven columns: V7, V14, …, V70 belong to the week to be predicted."""

WHOLE_ROWS = 583_250
"""Of the whole file: by these three numbers a download is recognised as complete and unchanged."""
WHOLE_MEAN = 191.27949335619374
"""Mean popularity over the whole file."""
WHOLE_MAX = 75724.5
"""Largest popularity in the whole file."""

_WHAT = "77 features and the popularity, as in Twitter.data"


@dataclass(frozen=True)
class Topics:
    """Features (n, d) of topics and their popularity (n,), a count ≥ 0; `partial` for the stand-in task."""

    features: Floats
    popularity: Floats
    available: int
    partial: bool


def recognised(first_line: str) -> bool:
    """Whether a file that begins so could be Twitter.data or the partial sample of it."""
    return first_line.count(",") == FEATURES or _names(first_line) == list(PARTIAL)


def read(path: Path, rows: int, rngs: Sequence[np.random.Generator]) -> tuple[Topics, ...]:
    """Random samples of the topics in a file, one for each generator; every line of the file is checked.

    The partial sample is too small for the paper's n, so its rows are drawn with replacement.
    """
    lines = lines_of(path)
    if lines and _names(lines[0]) == list(PARTIAL):
        return _read_partial(path, lines[1:], rows, rngs)
    first_line = 1
    if lines and not any(is_number(field) for field in lines[0].split(",")):
        _require_header(path, lines.pop(0))
        first_line = 2
    require_fields(path, lines, FEATURES + 1, first_line, _WHAT)
    samples = subsamples(path, len(lines), rows, rngs, "Twitter", first_line)
    tables = chosen_numbers(path, lines, range(FEATURES + 1), COLUMNS, samples, first_line, "popularity")
    return tuple(Topics(table[:, :-1], table[:, -1], len(lines), False) for table in tables)


def _read_partial(path: Path, lines: list[str], rows: int, rngs: Sequence[np.random.Generator]) -> tuple[Topics, ...]:
    require_fields(path, lines, len(PARTIAL), 2, "V1 to V70 and V77, the partial sample")
    if len(lines) < FEWEST_ROWS:
        raise DataError(path, f"expected at least {FEWEST_ROWS} rows, found {len(lines)}", len(lines) + 2)
    everything = np.arange(len(lines))
    (table,) = chosen_numbers(path, lines, range(len(PARTIAL)), PARTIAL, [everything], 2, "popularity")
    samples = [np.sort(rng.integers(len(lines), size=rows)) for rng in rngs]
    features = list(PARTIAL_FEATURES)
    return tuple(Topics(table[sample][:, features], table[sample, -1], len(lines), True) for sample in samples)


def _names(line: str) -> list[str]:
    return [name.strip().strip('"') for name in line.split(",")]


def _require_header(path: Path, line: str) -> None:
    found = _names(line)
    numbered = all(name[:1] == "V" and name[1:].isdigit() for name in found)
    if len(found) != FEATURES + 1 or len(set(found)) != len(found) or (numbered and found != list(COLUMNS)):
        raise DataError(
            path,
            f"a header line must name {FEATURES + 1} different columns ({_WHAT}), or be that of the partial sample "
            f"(V1 to V70 and V77); found {len(found)}",
            1,
        )
