"""Recorded runs of a threshold mechanism: the rounds in which it halted under two neighbouring utility sequences."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nrverify.subjects.describe import describe, recorded_attributes
from nrverify.subjects.description import THRESHOLD, Description
from nrverify.subjects.errors import SubjectFailed
from nrverify.subjects.records.fields import RUNS, Fields

Floats = NDArray[np.float64]
Rounds = NDArray[np.int64]

MOST_ROUNDS = 100
"""With ε rising: the exact law carries a function from round to round, and so do those of all named faults."""
MOST_CONSTANT = 300
"""With ε constant the law is one integral over the noise of the threshold, which is cheaper: more rounds are
affordable."""
SMALLEST, LARGEST = 1e-6, 1e6
"""Of ε and of the sensitivity; LARGEST also of a distance from the threshold in units of the noise. Wider than any use,
and narrow enough that no ratio of them overflows."""
MOST_RISE = 1000.0
"""Of ε from the first round to the last: grids as fine as the smallest noise cover the range of the largest."""
MOST_WORK = 20_000.0
"""Rounds times the ratio of the last ε to the first: the exact laws of the named faults take that much memory."""


MOST_OUTPUTS = 20_000
"""Outputs of several positives that are counted one by one: the law of each named fault holds as many numbers."""
MOST_GAUSSIAN = 40
"""Rounds over which a claim with Gaussian noise holds."""


@dataclass(frozen=True)
class RecordedRuns:
    """A threshold record; rounds count from 1, and 0 is never."""

    description: Description
    utilities: Floats
    utilities_neighbour: Floats
    epsilons: Floats
    threshold: float
    sensitivity: float
    rounds: Rounds
    """(runs,), or for several positives (runs, c)."""
    rounds_neighbour: Rounds


def runs_of(fields: Fields) -> RecordedRuns:
    """A record from its fields; `SubjectFailed` says what is wrong."""
    rows = recorded_attributes(THRESHOLD)
    fields.allow((*rows, *RUNS))
    description = describe({**fields.attributes(rows, "recorded runs"), "methods": ["run_many"]})
    utilities = fields.vector("utilities")
    most = utilities.size
    neighbour = fields.vector("utilities_neighbour", most)
    epsilons = fields.vector("epsilons")
    epsilons = np.full(most, epsilons[0]) if epsilons.size == 1 else fields.vector("epsilons", most)
    threshold, sensitivity = fields.number("threshold"), fields.number("sensitivity")
    if threshold is None or sensitivity is None:
        missing = "threshold" if threshold is None else "sensitivity"
        raise SubjectFailed(f"there is no array {missing}: one number under that name is needed")
    _epsilons(epsilons, description.mechanism)
    if not SMALLEST <= sensitivity <= LARGEST:
        raise SubjectFailed(f"sensitivity is {sensitivity:g}: a number from {SMALLEST:g} to {LARGEST:g} is needed")
    _utilities(utilities, neighbour, threshold, sensitivity, float(epsilons[-1]))
    _variant(description, utilities, neighbour)
    rounds, other = (_rounds(fields, name, description.positives, most) for name in ("rounds", "rounds_neighbour"))
    fields.seeds(len(rounds), len(other))
    return RecordedRuns(description, utilities, neighbour, epsilons, threshold, sensitivity, rounds, other)


def _rounds(fields: Fields, name: str, positives: int, most: int) -> Rounds:
    """Halting rounds, or for several positives the rounds of the ones of each run."""
    if positives == 1:
        return fields.whole(name, None, 0, most)
    ones = fields.table(name, positives, 0, most)
    rises = (((ones[:, 1:] > ones[:, :-1]) & (ones[:, :-1] > 0)) | (ones[:, 1:] == 0)).all(axis=1)
    if not rises.all():
        row = int(np.argmin(rises))
        raise SubjectFailed(
            f"array {name} has the row {ones[row].tolist()!r:.80} at {row}: the rounds of the ones must rise, and be "
            "followed by 0 where there are no more"
        )
    return ones


def _variant(description: Description, utilities: Floats, neighbour: Floats) -> None:
    """Refuses what is not claimed, and outputs that are too many to be counted."""
    steps, rounds = utilities - neighbour, utilities.size
    if description.monotone and (steps > 0).any() and (steps < 0).any():
        raise SubjectFailed(
            "attribute monotone is True: utilities and utilities_neighbour must move the same way in all rounds; "
            "record such neighbours, or leave it out"
        )
    if description.noise == "gaussian" and rounds > MOST_GAUSSIAN:
        raise SubjectFailed(
            f"there are {rounds} rounds: with Gaussian noise the claim is over at most {MOST_GAUSSIAN}; record fewer"
        )
    if description.positives > 1:
        count = sum(math.comb(rounds, ones) for ones in range(min(description.positives, rounds) + 1))
        if count > MOST_OUTPUTS:
            raise SubjectFailed(
                f"positives is {description.positives}, and {rounds} rounds have {count} outputs: at most "
                f"{MOST_OUTPUTS} are counted; record fewer rounds"
            )


def _epsilons(epsilons: Floats, mechanism: str) -> None:
    if epsilons.min() < SMALLEST or epsilons.max() > LARGEST:
        raise SubjectFailed(f"array epsilons must hold numbers from {SMALLEST:g} to {LARGEST:g}")
    if (np.diff(epsilons) < 0).any():
        raise SubjectFailed("array epsilons must not decrease: noise is only ever reduced")
    rise = float(epsilons[-1] / epsilons[0])
    if mechanism == "above-threshold" and rise > 1:
        raise SubjectFailed("array epsilons must be one number for above-threshold; rising ones are those of reduced-")
    most = MOST_CONSTANT if rise == 1 else MOST_ROUNDS
    if epsilons.size > most:
        raise SubjectFailed(f"there are {epsilons.size} rounds: the exact law is computed for at most {most} of them")
    if rise > MOST_RISE or (rise > 1 and rise * epsilons.size > MOST_WORK):
        raise SubjectFailed(
            f"ε rises {rise:g}-fold over {epsilons.size} rounds: the exact law is computed up to {MOST_RISE:g}-fold, "
            f"and rounds times rise up to {MOST_WORK:g}"
        )


def _utilities(utilities: Floats, neighbour: Floats, threshold: float, sensitivity: float, epsilon: float) -> None:
    apart = float(np.abs(utilities - neighbour).max())
    if not 0 < apart <= sensitivity * (1 + 1e-9):
        raise SubjectFailed(
            f"utilities and utilities_neighbour are up to {apart:g} apart: more than 0 and at most the sensitivity "
            f"{sensitivity:g} is needed in every round"
        )
    farthest = float(np.abs(np.concatenate([utilities, neighbour]) - threshold).max())
    if farthest * epsilon > LARGEST * sensitivity:
        raise SubjectFailed(f"a utility is {farthest:g} from the threshold, {LARGEST:g} times its noise or more")
