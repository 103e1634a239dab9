"""Rows of a long table, one for each release or run, into the arrays of a record."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nrverify.subjects.description import THRESHOLD
from nrverify.subjects.errors import SubjectFailed
from nrverify.subjects.records.archive import MOST_BYTES
from nrverify.subjects.records.transcripts import MOST_RELEASES
from nrverify.subjects.threshold_attributes import MOST_POSITIVES

Arrays = dict[str, NDArray[Any]]
Integers = NDArray[np.intp]


class Rows(NamedTuple):
    """Where each row belongs: the session (by side, from 0), its place in it, and whether it is the value's."""

    session: Integers
    place: Integers
    own: NDArray[np.bool_]


def arrays_from_rows(header: Arrays, columns: Arrays) -> Arrays:
    """The arrays of a record from its header and the columns of its rows; `SubjectFailed` when they make none."""
    for name in ("session", "side"):
        if name not in columns:
            raise SubjectFailed(f"there is no column {name}")
    rows = _grouped(columns)
    if str(header.get("mechanism", "")) in THRESHOLD:
        return {**header, **_runs(columns, rows, _positives(header))}
    return _transcripts(header, columns, rows)


def _grouped(columns: Arrays) -> Rows:
    session, own = columns["session"], columns["side"]
    if session.dtype.kind not in "iu":
        raise SubjectFailed("column session must hold integers")
    begins = np.ones(session.size, dtype=bool)
    begins[1:] = (session[1:] != session[:-1]) | (own[1:] != own[:-1])
    starts = np.flatnonzero(begins)
    pairs = np.stack([session[starts].astype(np.int64), own[starts].astype(np.int64)])
    if np.unique(pairs, axis=1).shape[1] < starts.size:
        raise SubjectFailed("the rows of a session are not together: sort them by side, session and index")
    group = np.cumsum(begins) - 1
    place = np.arange(session.size) - starts[group]
    number = np.where(own[starts], np.cumsum(own[starts]), np.cumsum(~own[starts])) - 1
    return Rows(number[group], place, own)


def _positives(header: Arrays) -> int:
    """How many rows a run may have; what is wrong with it is said where attributes are read."""
    said = header.get("positives")
    if said is None or said.size != 1 or said.dtype.kind not in "iu" or not 1 <= said.item() <= MOST_POSITIVES:
        return 1
    return int(said.item())


def _runs(columns: Arrays, rows: Rows, positives: int) -> Arrays:
    if set(columns) != {"session", "side", "round"}:
        raise SubjectFailed("runs of a threshold mechanism have the columns session, side and round")
    if positives == 1:
        if rows.place.any():
            raise SubjectFailed("a session has more than one row: a run halts once")
        return {"rounds": columns["round"][rows.own], "rounds_neighbour": columns["round"][~rows.own]}
    if rows.place.max() >= positives:
        raise SubjectFailed(f"a session has {int(rows.place.max()) + 1} rows: positives is {positives}, one row a 1")
    found: Arrays = {}
    for name, side in (("rounds", rows.own), ("rounds_neighbour", ~rows.own)):
        sessions = int(rows.session[side].max(initial=-1)) + 1
        found[name] = np.zeros((sessions, positives), dtype=columns["round"].dtype)
        found[name][rows.session[side], rows.place[side]] = columns["round"][side]
    return found


def _transcripts(header: Arrays, columns: Arrays, rows: Rows) -> Arrays:
    session, place, own = rows
    names = {f"release_{index}" for index in range(len(columns))} & set(columns)
    wanted = {"session", "side", "index", "at", "release_0"}
    d = len(names)
    if not wanted <= set(columns) or names != {f"release_{index}" for index in range(d)}:
        raise SubjectFailed("the columns session, side, index, at and release_0, release_1, … are needed")
    if extra := set(columns) - wanted - names - {"time"}:
        raise SubjectFailed(f"there is no use for the column {min(extra)!r:.60}")
    if not np.array_equal(columns["index"], place):
        raise SubjectFailed("column index must count the releases of each session from 0, in order")
    releases = np.stack([columns[f"release_{index}"].astype(np.float64) for index in range(d)], axis=1)
    at = columns["at"].astype(np.float64)
    length = int(place.max()) + 1
    schedule = header.get("schedule")
    if schedule is not None:
        if schedule.ndim != 1 or length > schedule.size or not np.array_equal(schedule[place], at):
            raise SubjectFailed("column at differs from the schedule in the header")
        if "time" in columns:
            raise SubjectFailed("there is no use for the column time: the times of a schedule stand in the header")
        length = schedule.size
    # A release that was NaN is a finding, and no stop: what was asked tells them apart.
    fixed = schedule is not None and not np.isnan(releases).any()
    if length > MOST_RELEASES:
        raise SubjectFailed(f"a session has {length} releases: at most {MOST_RELEASES} are allowed")
    counts = {"": int(session[own].max(initial=-1)) + 1, "_neighbour": int(session[~own].max(initial=-1)) + 1}
    if math.prod((sum(counts.values()), length, d + 2, 8)) > MOST_BYTES:
        raise SubjectFailed(f"padded to {length} releases a session it is larger than {MOST_BYTES} bytes")
    found = {name: array for name, array in header.items() if fixed or name not in ("schedule", "times")}
    for suffix, side in (("", own), ("_neighbour", ~own)):
        here = (session[side], place[side])
        found[f"releases{suffix}"] = _placed(releases[side], here, (counts[suffix], length, d))
        if not fixed:
            found[f"asked{suffix}"] = _placed(at[side], here, (counts[suffix], length))
            times = columns.get("time")
            if times is None and schedule is not None and "times" in header and header["times"].shape == schedule.shape:
                times = header["times"][place]
            if times is not None:
                found[f"times{suffix}"] = _placed(times[side].astype(np.float64), here, (counts[suffix], length))
    return found


def _placed(
    numbers: NDArray[np.float64], where: tuple[Integers, Integers], shape: tuple[int, ...]
) -> NDArray[np.float64]:
    padded = np.full(shape, np.nan)
    padded[where] = numbers
    return padded
