"""Strategies made from the queries that an interactive subject takes: fixed orders, and others that answers decide.

They stay with whoever asks, so that they work for a subject in any language. A session that answers None is over.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from nrverify.subjects.dialogues import NextQuery
from nrverify.subjects.outputs import copied

LENGTH = 6
"""Queries of a session at most, or as many as there are where they are more: an output of so many answers is still
learned from some thousand sessions, and a budget of two or three is overdrawn."""


@dataclass(frozen=True)
class Generated:
    """A rule for the next of some queries."""

    words: str
    """As a report names it."""
    places: Callable[[list[Any], int], int | None]
    """The place of the next query after some answers, of so many; None where the session ends."""
    several: bool = True
    """Whether it is another than those before only where there are several queries."""

    def over(self, queries: Sequence[Any]) -> NextQuery:
        """The strategy over these queries."""

        def next_query(answers: list[Any]) -> Any:
            if len(answers) == max(LENGTH, len(queries)) or (answers and answers[-1] is None):
                return None
            place = self.places(answers, len(queries))
            return None if place is None else copied(queries[place])

        return next_query


def generated(queries: Sequence[Any]) -> tuple[Generated, ...]:
    """The strategies for these queries."""
    return tuple(one for one in RULES if len(queries) > 1 or not one.several)


def from_queries(queries: Sequence[Any], number: int) -> NextQuery:
    """The strategy of this number for these queries."""
    return generated(queries)[number].over(queries)


def size(answer: Any) -> float:
    """What strategies compare answers by: the number, or that of the first entry; 0 where it is none."""
    if isinstance(answer, (list, dict)):
        return next((size(entry) for entry in (answer.values() if isinstance(answer, dict) else answer)), 0.0)
    return answer if isinstance(answer, (bool, int, float)) and answer == answer else 0.0


def _turns(answers: list[Any], count: int) -> int | None:
    return len(answers) if len(answers) < count else None


def _backwards(answers: list[Any], count: int) -> int | None:
    return count - 1 - len(answers) if len(answers) < count else None


def _around(answers: list[Any], count: int) -> int:
    return len(answers) % count


def _first(answers: list[Any], count: int) -> int:
    return 0


def _last(answers: list[Any], count: int) -> int:
    return count - 1


def _ends(answers: list[Any], count: int) -> int:
    """Begins with the first; then by the sign of the last answer."""
    return count - 1 if answers and size(answers[-1]) > 0 else 0


def _climbs(answers: list[Any], count: int) -> int:
    """The next query whenever an answer was above the one before, the same again where it was not."""
    rises = sum(size(after) > size(before) for before, after in pairwise(answers))
    return min(rises + (len(answers) > 0), count - 1)


def _until_fall(answers: list[Any], count: int) -> int | None:
    """Goes around until an answer is below the one before."""
    fell = len(answers) > 1 and size(answers[-1]) < size(answers[-2])
    return None if fell else _around(answers, count)


def _until_positive(answers: list[Any], count: int) -> int | None:
    """Goes around until an answer is above 0."""
    return None if answers and size(answers[-1]) > 0 else _around(answers, count)


RULES = (
    Generated("every query in turn", _turns, several=False),
    Generated("the first query again and again", _first, several=False),
    Generated("the queries around until an answer falls", _until_fall, several=False),
    Generated("the queries around until an answer is above 0", _until_positive, several=False),
    Generated("every query from the last to the first", _backwards),
    Generated("the last query again and again", _last),
    Generated("the last query after an answer above 0, else the first", _ends),
    Generated("the next query when answers rise, else the same", _climbs),
)
"""Fixed orders; stops that answers decide; and choices that answers decide: what an odometer, a filter, or a mechanism
that spends on demand gets wrong first."""
