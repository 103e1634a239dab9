"""Recorded transcripts: what was released under two neighbouring values, when, and where each session stopped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nrverify.subjects.attributes import Attribute
from nrverify.subjects.describe import describe, noise_mechanisms, recorded_attributes
from nrverify.subjects.description import Description
from nrverify.subjects.errors import SubjectFailed
from nrverify.subjects.records.fields import TRANSCRIPTS, Fields

Floats = NDArray[np.float64]

MOST_RELEASES = 1000
"""Of a session: far above any schedule in use; an array with more has most likely its axes exchanged."""
MOST_DIMENSIONS = 1000
"""Of a value: far above what is audited; an array with more has most likely its axes exchanged."""
SMALLEST, LARGEST = 1e-9, 1e9
"""Times and ε's beyond these are taken for mistakes."""
LARGEST_VALUE = 1e15
"""Beyond, neighbouring doubles are an eighth apart or more: rounding would hide noise of order one."""
MOST_VARIANCE = 2e6
"""Integer noise is followed up to this variance (a million expected steps of Skellam noise); beyond, use Brownian
noise."""
FEWEST_ULPS = 1e3
"""A release must have room for its noise: its standard deviation in units of the last digit."""


@dataclass(frozen=True)
class Side:
    """The sessions of one value, in the order of the file."""

    value: Floats
    releases: NDArray[Any]
    """(n, k, d), NaN after a stop."""
    asked: Floats
    """(n, k), in the knob's unit, NaN after a stop."""
    times: Floats | None
    """(n, k), the times of the process; None where they are not known."""

    @property
    def sessions(self) -> int:
        """How many."""
        return int(self.releases.shape[0])

    def part(self, first: int, after: int) -> tuple[Floats, Floats, Floats | None]:
        """(releases, asked, times) of some sessions."""
        rows = slice(first, after)
        times = None if self.times is None else np.array(self.times[rows])
        return np.array(self.releases[rows], dtype=np.float64), np.array(self.asked[rows]), times


@dataclass(frozen=True)
class RecordedTranscripts:
    """A noise-reduction record."""

    description: Description
    fixed: bool
    """Whether every session follows one schedule, fixed in advance, to its end."""
    value: Side
    neighbour: Side

    @property
    def length(self) -> int:
        """The most releases of a session."""
        return int(self.value.releases.shape[1])

    @property
    def falling(self) -> bool:
        """Whether the times of every session fall."""
        times = [side.times for side in self.sides if side.times is not None]
        return not any(bool((np.diff(own, axis=1) > 0).any()) for own in times)

    @property
    def sides(self) -> tuple[Side, Side]:
        """The neighbour (label 0) and the value (label 1)."""
        return self.neighbour, self.value


def transcripts_of(fields: Fields) -> RecordedTranscripts:
    """A record from its fields; `SubjectFailed` says what is wrong."""
    rows = recorded_attributes(noise_mechanisms())
    fields.allow((*rows, *TRANSCRIPTS))
    description = _description(fields, rows)
    value = fields.vector("value")
    neighbour = fields.vector("neighbour", value.size)
    if value.size > MOST_DIMENSIONS:
        raise SubjectFailed(f"array value has {value.size} coordinates: at most {MOST_DIMENSIONS} are allowed")
    _neighbours(description, value, neighbour)
    schedule = fields.vector("schedule") if "schedule" in fields else None
    if schedule is not None and ("asked" in fields or "asked_neighbour" in fields):
        raise SubjectFailed("schedule and asked exclude one another: a schedule is what every session was asked")
    sides = [
        _side(fields, own, suffix, schedule, description) for own, suffix in ((value, ""), (neighbour, "_neighbour"))
    ]
    if sides[0].releases.shape[1] != sides[1].releases.shape[1]:
        raise SubjectFailed(
            f"releases has {sides[0].releases.shape[1]} releases a session and releases_neighbour "
            f"{sides[1].releases.shape[1]}: pad the shorter with NaN"
        )
    fields.seeds(sides[0].sessions, sides[1].sessions)
    _same_rule(sides)
    fixed = schedule is not None and all(bool(np.isfinite(side.asked).all()) for side in sides)
    return RecordedTranscripts(description, fixed, sides[0], sides[1])


def _description(fields: Fields, rows: Mapping[str, Attribute]) -> Description:
    methods = ["sample" if "schedule" in fields else "open"]
    description = describe({**fields.attributes(rows, "recorded transcripts"), "methods": methods})
    if description.family.rated and description.rate is None:
        noise = description.mechanism
        raise SubjectFailed(f"there is no array rate: a record of {noise} noise needs the rate of its process")
    return description


def _neighbours(description: Description, value: Floats, neighbour: Floats) -> None:
    """Different, of sane size, and with an ε-knob no farther apart than the sensitivity."""
    shift = np.abs(value - neighbour)
    if not shift.any():
        raise SubjectFailed("value and neighbour are the same: they must be two neighbouring values")
    if max(np.abs(value).max(), np.abs(neighbour).max()) > LARGEST_VALUE:
        raise SubjectFailed(f"value or neighbour is beyond {LARGEST_VALUE:g}: there is no room for noise")
    if description.integer and not np.array_equal([value, neighbour], np.round([value, neighbour])):
        raise SubjectFailed(f"value and neighbour must be integers: so is {description.mechanism} noise")
    if description.knob != "epsilon":
        return
    assert description.sensitivity is not None
    apart = description.family.distance(shift)
    if apart > description.sensitivity * (1 + 1e-9):
        raise SubjectFailed(
            f"value and neighbour are {apart:g} apart, more than the sensitivity {description.sensitivity:g}: "
            "the claim is about neighbours"
        )


def _side(fields: Fields, value: Floats, suffix: str, schedule: Floats | None, description: Description) -> Side:
    d = value.size
    length = None if schedule is None else schedule.size
    words = f"(sessions, {'releases' if length is None else length}, {d})"
    releases = fields.block(f"releases{suffix}", (None, length, d), words)
    n, k = releases.shape[:2]
    if k > MOST_RELEASES:
        raise SubjectFailed(f"array releases{suffix} has {k} releases a session: at most {MOST_RELEASES} are allowed")
    if k > (description.most_releases or k):
        most = description.most_releases
        raise SubjectFailed(f"attribute most_releases is {most}: array releases{suffix} has {k} releases a session")
    present = _present(releases, f"releases{suffix}") if schedule is not None else None
    if schedule is None:
        asked = np.asarray(fields.block(f"asked{suffix}", (n, k), f"({n}, {k})"), dtype=np.float64)
        _stops(asked, releases, suffix)
        _ordered(asked, f"asked{suffix}", description.knob, description.in_any_order)
    else:
        _ordered(schedule[None], "schedule", description.knob, description.in_any_order)
        assert present is not None
        everywhere = np.broadcast_to(schedule, (n, k))
        asked = everywhere if present.all() else np.where(present, everywhere, np.nan)
    side = Side(value, releases, asked, _times(fields, suffix, asked, schedule, description))
    _room(side, description)
    return side


def _present(releases: NDArray[Any], name: str) -> NDArray[np.bool_]:
    """Which releases of a schedule there are: all up to a stop, none after."""
    missing = np.isnan(releases)
    absent = missing.all(axis=2)
    if (missing.any(axis=2) & ~absent).any():
        at = np.argwhere(missing.any(axis=2) & ~absent)[0].tolist()
        raise SubjectFailed(f"array {name} has at {at} a release that is NaN in part: after a stop all of it is")
    back = absent[:, :-1] & ~absent[:, 1:]
    if back.any():
        at = np.argwhere(back)[0].tolist()
        raise SubjectFailed(
            f"array {name} has NaN at {at} and a release after it: NaN means stopped (give asked, not schedule, "
            "to record a release that was NaN)"
        )
    if absent[:, 0].any():
        raise SubjectFailed(f"array {name} has a session without any release: {int(np.argmax(absent[:, 0]))}")
    return np.asarray(~absent)


def _stops(asked: Floats, releases: NDArray[Any], suffix: str) -> None:
    """What was asked ends at the stop, and nothing was released after."""
    present = ~np.isnan(asked)
    if not present[:, 0].all():
        raise SubjectFailed(
            f"array asked{suffix} has a session that was asked nothing: {int(np.argmin(present[:, 0]))}"
        )
    if (present[:, 1:] & ~present[:, :-1]).any():
        at = np.argwhere(present[:, 1:] & ~present[:, :-1])[0].tolist()
        raise SubjectFailed(f"array asked{suffix} has NaN at {at} and a number after it: NaN means stopped")
    shown = ~np.isnan(releases).all(axis=2) & ~present
    if shown.any():
        raise SubjectFailed(
            f"array releases{suffix} has a release at {np.argwhere(shown)[0].tolist()}, where asked{suffix} is NaN: "
            "nothing is released after a stop"
        )


def _ordered(asked: Floats, name: str, knob: str, any_order: bool = False) -> None:
    """Times fall, but in any order, ε's rise, and all are positive and of sane size."""
    present = ~np.isnan(asked)
    sane = (asked >= SMALLEST) & (asked <= LARGEST)
    if not sane[present].all():
        at = np.argwhere(present & ~sane)[0].tolist()
        raise SubjectFailed(
            f"array {name} has {asked[tuple(at)]:g} at {at}: numbers from {SMALLEST:g} to {LARGEST:g} are allowed"
        )
    step = np.diff(asked, axis=1)
    wrong = step > 0 if knob == "time" else step < 0
    if wrong.any() and not any_order:
        at = np.argwhere(wrong)[0].tolist()
        rule = "times must not increase" if knob == "time" else "ε's must not decrease"
        raise SubjectFailed(
            f"array {name} goes from {asked[tuple(at)]:g} to {asked[at[0], at[1] + 1]:g} at {at}: {rule}"
        )


def _times(
    fields: Fields, suffix: str, asked: Floats, schedule: Floats | None, description: Description
) -> Floats | None:
    """The times of the process: what was asked, or with an ε-knob what the record says of them."""
    given = [name for name in ("times", "times_neighbour") if name in fields]
    if description.knob == "time":
        if given:
            raise SubjectFailed(f"there is no use for an array {given[0]}: with knob 'time' they are what was asked")
        return asked
    if not given:
        return None
    if schedule is not None:
        if "times_neighbour" in fields:
            raise SubjectFailed("there is no use for an array times_neighbour: times belong to the schedule")
        own = fields.vector("times", schedule.size)
        _ordered(own[None], "times", "time")
        return np.where(np.isfinite(asked), np.broadcast_to(own, asked.shape), np.nan)
    times = np.asarray(fields.block(f"times{suffix}", asked.shape, str(asked.shape)), dtype=np.float64)
    if not np.array_equal(np.isnan(times), np.isnan(asked)):
        raise SubjectFailed(f"array times{suffix} must be NaN exactly where asked{suffix} is")
    _ordered(times, f"times{suffix}", "time")
    return times


def _room(side: Side, description: Description) -> None:
    """Double precision must hold the noise next to the value, and integer noise must be small enough to follow."""
    if side.times is None:
        return
    smallest, largest = float(np.nanmin(side.times)), float(np.nanmax(side.times))
    if description.integer and not description.family.rated:
        return
    if description.integer and description.family.variance is not None:
        variance = float(description.family.variance(np.array(largest), description.rate or 1.0))
        if variance > MOST_VARIANCE:
            raise SubjectFailed(
                f"{description.mechanism} noise at time {largest:g} has variance {variance:g}: it must be at most "
                f"{MOST_VARIANCE:g}, as more is not followed"
            )
        return
    deviation = smallest
    if description.family.increments:
        t, s = side.times[:, :-1], side.times[:, 1:]
        with np.errstate(invalid="ignore"):
            steps = np.where(s < t, s * (t - s) / t, smallest)
        deviation = float(np.sqrt(np.nanmin(steps, initial=smallest)))
    if FEWEST_ULPS * np.spacing(np.abs(side.value).max()) > deviation:
        raise SubjectFailed(
            f"at a value of size {np.abs(side.value).max():g} double precision has no room for noise of size "
            f"{deviation:.2g}: record a smaller value, or times farther apart"
        )


def _same_rule(sides: list[Side]) -> None:
    """Both values must have been asked by one rule: first requests with nothing in common betray two."""
    first, other = (np.unique(side.asked[:, 0]) for side in sides)
    few = first.size <= sides[0].sessions / 2 and other.size <= sides[1].sessions / 2
    if few and not np.intersect1d(first, other).size:
        raise SubjectFailed(
            "asked and asked_neighbour begin with different requests: both values must be asked by the same rule"
        )
