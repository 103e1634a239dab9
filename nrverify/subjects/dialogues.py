"""Sessions of an interactive subject: queries by a strategy, answers until it has no more; data that each run owns."""

from __future__ import annotations

import json
import reprlib
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from nrverify.subjects.errors import SubjectFailed

MOST_QUERIES = 1000
"""Queries of one session: a strategy that never returns None ends here."""

NextQuery = Callable[[list[Any]], Any]


def copies_of(data: Any) -> Callable[[], Any]:
    """What gives data to one run after the other, each its own: a subject may change them."""
    text = json.dumps(data)
    return lambda: json.loads(text)


def queries(strategy: Any, call: Callable[..., Any]) -> NextQuery:
    """The next query after some answers, None for no more: of a list of queries, or of a function."""
    if not callable(strategy):
        return in_turn(strategy)
    return lambda answers: call("the strategy", strategy, list(answers))


def in_turn(listed: Iterable[Any]) -> NextQuery:
    """One query after the other."""
    fixed: Sequence[Any] = list(listed)
    return lambda answers: fixed[len(answers)] if len(answers) < len(fixed) else None


def dialogue(ask: Callable[[Any], Any], next_query: NextQuery) -> list[Any]:
    """The answers of one session."""
    answers: list[Any] = []
    while (query := next_query(answers)) is not None:
        if len(answers) == MOST_QUERIES:
            raise SubjectFailed(f"a strategy asks more than {MOST_QUERIES} queries: it must return None at last")
        answers.append(ask(query))
    return answers


def prepared(given: dict[str, Any]) -> dict[str, Any]:
    """The attributes of a Python subject with its neighbours, where a method returns them."""
    neighbours = given.get("neighbours")
    if not callable(neighbours):
        return given
    try:
        return {**given, "neighbours": neighbours()}
    except Exception as error:
        raise SubjectFailed(f"neighbours() raised {type(error).__name__}: {reprlib.repr(str(error))[:200]}") from error
