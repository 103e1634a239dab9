"""`records:FILE`: transcripts recorded elsewhere under two neighbouring values, as a subject that cannot be asked.

The format is described in RECORDS.md beside this file; nothing in it is ever unpickled or evaluated.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nrverify.subjects.describe import noise_mechanisms, recorded_attributes
from nrverify.subjects.description import ANY, MECHANISMS, NOISE_REDUCTION, THRESHOLD, Description
from nrverify.subjects.errors import SubjectFailed
from nrverify.subjects.records.archive import BadArchive, opened
from nrverify.subjects.records.fields import OUTPUTS, RUNS, TRANSCRIPTS, Fields
from nrverify.subjects.records.outputs import RecordedOutputs, outputs_of
from nrverify.subjects.records.parquet import as_npz
from nrverify.subjects.records.threshold_runs import RecordedRuns, runs_of
from nrverify.subjects.records.transcripts import RecordedTranscripts, transcripts_of

Record = RecordedTranscripts | RecordedRuns | RecordedOutputs

LONGEST_WORDS = 500
"""Of a message that may quote the file: longer than any that nrverify writes, short enough for a terminal."""
RECORDED = (*NOISE_REDUCTION, *THRESHOLD, *ANY)
NOTHING: NDArray[Any] = np.empty(0)
"""Stands for an array whose name alone is checked, before anything is read."""


class RecordsFile:
    """A file of records in the place of a host; it answers nothing, it only holds what was recorded."""

    def __init__(self, file: str) -> None:
        self.record = read_record(Path(file))
        self.description: Description = self.record.description

    def close(self) -> None:
        """Nothing is left open."""


def read_record(path: Path) -> Record:
    """The record in a file; `SubjectFailed` with the file and what is wrong with it in one sentence."""
    try:
        if path.suffix == ".npz":
            return record_of(_arrays(path))
        if path.suffix == ".parquet":
            with as_npz(path) as converted:
                return record_of(_arrays(converted))
        raise SubjectFailed("a record is a file that ends in .npz or .parquet")
    except (SubjectFailed, BadArchive, OSError) as failure:
        words = "".join(letter if letter.isprintable() else "?" for letter in str(failure)[:LONGEST_WORDS])
        raise SubjectFailed(f"{path}: {words}") from None


def record_of(arrays: dict[str, NDArray[Any]]) -> Record:
    """The record that these arrays make."""
    fields = Fields(arrays)
    mechanism = fields.text("mechanism")
    if mechanism in THRESHOLD:
        return runs_of(fields)
    if mechanism in ANY:
        return outputs_of(fields)
    if mechanism in MECHANISMS and mechanism not in NOISE_REDUCTION:
        raise SubjectFailed(f"a {mechanism} cannot be audited from records: audit the implementation itself")
    if mechanism not in noise_mechanisms():
        raise recorded_attributes(RECORDED)["mechanism"].error(mechanism)
    return transcripts_of(fields)


def _arrays(path: Path) -> dict[str, NDArray[Any]]:
    with opened(path) as archive:
        names = [name.removesuffix(".npy") for name in archive.sizes if name.endswith(".npy")]
        if len(names) < len(archive.sizes):
            odd = next(name for name in archive.sizes if not name.endswith(".npy"))
            raise BadArchive(f"{odd!r:.60} is not an array: an .npz record holds arrays alone")
        Fields(dict.fromkeys(names, NOTHING)).allow((*recorded_attributes(RECORDED), *TRANSCRIPTS, *RUNS, *OUTPUTS))
        return {name: archive.array(name) for name in names}
