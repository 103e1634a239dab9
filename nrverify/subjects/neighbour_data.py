"""Neighbouring data of a mechanism whose law is not known, and strategies or queries to ask it by: what they may be."""

from __future__ import annotations

import reprlib
from collections.abc import Mapping
from typing import Any

from nrverify.subjects.attributes import AttributeKind
from nrverify.subjects.errors import SubjectFailed
from nrverify.subjects.outputs import json_text, json_value

GENERATED = ("one-differs",)
"""Words that ask for generated vectors: neighbours differ in one entry, by the sensitivity."""
FROM_QUERIES = "generated"
"""The word that asks for strategies made from `queries`."""
MOST_SIZE = 10_000
"""Entries of generated data: they are sent with every request."""
MOST_PAIRS = 64
"""Pairs: each is bet on by itself, and gets its share of the runs."""
MOST_STRATEGIES = 16
"""Strategies: each is played with every pair."""
MOST_LISTED = 32
"""Queries from which strategies are made: some of these ask every one."""


def _read_neighbours(value: Any) -> Any:
    if isinstance(value, str):
        return GENERATED[GENERATED.index(value)]
    if isinstance(value, Mapping):
        raise TypeError(value)
    pairs = []
    for number, pair in enumerate(value, 1):
        if isinstance(pair, (str, Mapping)) or len(pair) != 2:
            raise _bad_pair(number, pair, "(data, neighbouring data)")
        try:
            first, second = (json_value(data) for data in pair)
        except ValueError as error:
            must = f"data that JSON can hold ({' '.join(str(error).split())[:80]}); an array has .tolist()"
            raise _bad_pair(number, pair, must) from None
        if json_text(first) == json_text(second):
            raise _bad_pair(number, pair, "two different data")
        pairs.append((first, second))
    if not 1 <= len(pairs) <= MOST_PAIRS:
        raise ValueError(value)
    return tuple(pairs)


def _bad_pair(number: int, pair: Any, must: str) -> SubjectFailed:
    return SubjectFailed(f"attribute neighbours, pair {number}, is {reprlib.repr(pair)[:100]}: it must be {must}")


def _read_strategies(value: Any) -> tuple[Any, ...] | str:
    if isinstance(value, str):
        return (FROM_QUERIES,)[(FROM_QUERIES,).index(value)]
    found = tuple(_strategy(strategy) for strategy in value)
    if not 1 <= len(found) <= MOST_STRATEGIES:
        raise ValueError(value)
    return found


def _strategy(strategy: Any) -> Any:
    """A list of queries as it is; a function by its name, since it stays with the subject."""
    if callable(strategy):
        return str(getattr(strategy, "__name__", type(strategy).__name__))
    if isinstance(strategy, (list, tuple)):
        return json_value(list(strategy))
    if isinstance(strategy, str):
        return strategy  # the name of a function, read back from a record
    raise TypeError(strategy)


def _read_queries(value: Any) -> tuple[Any, ...]:
    found = tuple(json_value(query) for query in _listed(value))
    if not 1 <= len(found) <= MOST_LISTED or None in found:
        raise ValueError(value)
    return found


def _listed(value: Any) -> Any:
    if isinstance(value, (str, Mapping)):
        raise TypeError(value)
    return value


NEIGHBOURS: AttributeKind[Any] = AttributeKind(
    f"a list of 1 to {MOST_PAIRS} pairs of different data that JSON can hold (numbers, text, True, False, None, lists, "
    'dictionaries with text keys), or "one-differs"',
    _read_neighbours,
    many=True,
)
STRATEGIES: AttributeKind[tuple[Any, ...] | str] = AttributeKind(
    f"a list of 1 to {MOST_STRATEGIES} strategies, each a function of the answers so far or a list of queries, or "
    f'"{FROM_QUERIES}"',
    _read_strategies,
    many=True,
)
QUERIES: AttributeKind[tuple[Any, ...]] = AttributeKind(
    f"a list of 1 to {MOST_LISTED} queries that JSON can hold, none of them None",
    _read_queries,
    many=True,
)
