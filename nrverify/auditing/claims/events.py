"""Events in words: the condition on an output that betrays most, found in earlier runs to be counted in fresh ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np

from nrverify.auditing.claims.bets import Point
from nrverify.auditing.claims.bins import bins_of
from nrverify.auditing.claims.columns import CHARGED, MISSING, WHOLE, Floats, Keys, Path
from nrverify.auditing.claims.drawing import FEATURE
from nrverify.auditing.claims.low_bits import words as bit_words
from nrverify.auditing.claims.pairs import LONGEST_NAME
from nrverify.auditing.claims.sample import Labels, Sample
from nrverify.auditing.claims.telling import telling
from nrverify.auditing.claims.texts import CHARACTER, character_at
from nrverify.auditing.claims.texts import words as text_words

FEWEST = 12
"""Runs an event must have been seen in before it is proposed."""
MOST_VALUES = 4
"""Values that an event may list: more cannot be read."""
USUAL = 1.645
"""Standard errors of confidence limits at 0.95."""
CONDITIONS = 2
"""Conditions that an event may have."""
BETTER, MUCH_BETTER = 0.05, 0.2
"""By so much ε a further value of a list, and a further condition, must improve an event, or it is left out: the best
of thousands of conditions improves it a little by chance."""
LONGEST = 240
"""Characters of a value in a sentence: of a longer one the ends are shown."""
DIGEST = 16
"""Hexadecimal digits of its digest: 64 bits tell all values of an audit apart."""
CHARGES = 4
"""Levels of the ε charged at which outputs are looked at."""
MOST_SEARCHED, MOST_NUMBERS = 5000, 240_000
"""Runs, or entries of runs where they are few, in which events are searched for: the search is to take a second, and an
event of a sentence is common unless outputs are short."""
MOST_OTHERS = 8
"""Values that are no numbers, among numbers, of which each may be an event: the commonest."""


@dataclass(frozen=True)
class Condition:
    """On one column: at most a number, above it, or one of some values."""

    path: Path
    at_most: float | None = None
    above: float | None = None
    among: tuple[int, ...] = ()

    def holds(self, keys: Keys, values: Floats) -> Labels:
        """For which rows of its column."""
        if self.at_most is not None:
            return np.asarray(values <= self.at_most)
        if self.above is not None:
            return np.asarray(values > self.above)
        return np.isin(keys, np.array(self.among, dtype=np.uint64))

    def implies(self, other: Condition) -> bool:
        """Whether it is a stricter limit, of the same kind, on the same column."""
        if self.path != other.path:
            return False
        if self.above is not None and other.above is not None:
            return self.above >= other.above
        return self.at_most is not None and other.at_most is not None and self.at_most <= other.at_most

    def words(self, values: Sequence[str]) -> str:
        """The condition in words; `values` are those it lists."""
        column = column_words(self.path)
        if self.at_most is not None:
            return f"{column} is at most {_number(self.at_most)}"
        if self.above is not None:
            return f"{column} is above {_number(self.above)}"
        return f"{column} is {' or '.join(values)}"


@dataclass(frozen=True)
class Event:
    """Conditions that hold together, more often under the data of one label than the claim allows."""

    case: int
    label: bool
    """Under which data it is likelier."""
    conditions: tuple[Condition, ...]
    charged: float
    """Outputs in it were charged no more than this."""
    claimed: float
    """The ε claimed for it, beside `delta`."""
    delta: float

    def holds(self, sample: Sample) -> Labels:
        """In which runs it happened."""
        found = sample.charged <= self.charged
        for condition in self.conditions:
            column = sample.paths.index(condition.path) if condition.path in sample.paths else None
            keys = np.full(sample.size, MISSING) if column is None else sample.keys[:, column]
            values = np.full(sample.size, np.nan) if column is None else sample.values[:, column]
            found = found & condition.holds(keys, values)
        return np.asarray(found)

    def words(self, sample: Sample, outputs: Sequence[Any]) -> str:
        """The event in words, with the values as they are in these outputs."""
        said = [condition.words(_values(condition, sample, outputs)) for condition in self.conditions]
        if np.isfinite(self.charged):
            said.append(f"the ε charged is at most {self.charged:.12g}")
        return " and ".join(said) or "any output"


def found_event(case: int, sample: Sample, point: Point, fresh: int) -> tuple[float, Event] | None:
    """The event that so many fresh runs would prove most by: by how much it exceeds its claim, and the event."""
    sample = telling(sample)
    sample = sample.head(max(MOST_SEARCHED, MOST_NUMBERS // max(len(sample.paths), 1)))
    best: tuple[float, Event] | None = None
    for level in _levels(sample, point):
        for label in (True, False):
            found = _search(sample, label, level, point.delta, fresh)
            claimed = level if point.epsilon is None else point.epsilon
            if found is not None and (best is None or found[0] - claimed > best[0]):
                best = found[0] - claimed, Event(case, label, found[1], level, claimed, point.delta)
    return best


def _levels(sample: Sample, point: Point) -> list[float]:
    """The ε charged up to which outputs are looked at: all, where every output is claimed the same."""
    if point.epsilon is not None:
        return [np.inf]
    levels = np.quantile(sample.charged, np.linspace(0, 1, CHARGES), method="higher")
    return [float(level) for level in np.unique(levels)]


def _search(
    sample: Sample, label: bool, charged: float, delta: float, fresh: int
) -> tuple[float, tuple[Condition, ...]] | None:
    """Conditions added one by one, as long as each improves the ε that would be proved."""
    inside = sample.charged <= charged
    conditions: tuple[Condition, ...] = ()
    proved = -np.inf
    for _ in range(CONDITIONS):
        best: tuple[float, Condition] | None = None
        tried = list(_candidates(sample, inside))
        caution = float(np.sqrt(2 * np.log(max(len(tried), 2))))
        for condition, holds in tried:
            if conditions and len(condition.among) > 1:
                continue  # the luckiest values of many would improve any event
            worth = _proved(sample, inside & holds, label, delta, fresh, caution)
            worth -= BETTER * max(len(condition.among) - 1, 0)
            # A column that comes later says it less plainly.
            plainer = best is not None and best[1].path != condition.path
            if best is None or worth > best[0] + BETTER * plainer:
                best = worth, condition
        if best is None or not best[0] > proved + MUCH_BETTER:
            break
        proved, conditions = best[0], (*(kept for kept in conditions if not best[1].implies(kept)), best[1])
        column = sample.paths.index(best[1].path)
        inside = inside & best[1].holds(sample.keys[:, column], sample.values[:, column])
    return (proved, conditions) if conditions else None


def _candidates(sample: Sample, inside: Labels) -> Iterator[tuple[Condition, Labels]]:
    single = () in sample.paths and len(sample.paths) <= 2 + (CHARGED in sample.paths)
    for column in sorted(range(len(sample.paths)), key=lambda place: _rank(sample.paths[place])):
        path = sample.paths[column]
        if path == CHARGED or (path == WHOLE and single):
            continue
        keys, values = sample.keys[:, column], sample.values[:, column]
        numbers = np.unique(values[inside & np.isfinite(values)])
        bins = bins_of(keys[inside], values[inside]) if inside.any() else bins_of(keys, values)
        if bins.known is not None and bins.known.size > 1:
            yield from _of_values(path, keys, bins.known, sample.label, inside, listed=numbers.size <= 2)
        elif bins.known is None:
            for key in _common(keys[inside], values[inside]):
                yield Condition(path, among=(int(key),)), keys == key
        if numbers.size > 2:
            places = np.linspace(0, numbers.size - 1, 34)[1:-1].astype(int)
            edges = numbers[places] if bins.edges is None else bins.edges
            for edge in _readable(edges[np.isfinite(edges)]):
                yield Condition(path, at_most=edge), values <= edge
                yield Condition(path, above=edge), values > edge


def _common(keys: Keys, values: Floats) -> Keys:
    """The commonest values of a column of many, and the commonest of those that are no numbers."""
    kinds = [(keys, MOST_VALUES), (keys[np.isnan(values)], MOST_OTHERS)]
    found = []
    for among, most in kinds:
        known, counts = np.unique(among, return_counts=True)
        order = np.argsort(-counts, kind="stable")[:most]
        found.append(known[order[counts[order] >= FEWEST]])
    return np.unique(np.concatenate(found))


def _readable(edges: Floats) -> list[float]:
    """Edges with few digits: to a hundredth or thousandth of the range that the middle ones span."""
    if edges.size == 0:
        return []
    inner = np.quantile(edges, (0.25, 0.75), method="nearest")
    low, high = inner if inner[0] < inner[1] else (edges.min(), edges.max())
    span = float(high / 2 - low / 2)
    decimals = 3 - int(np.floor(np.log10(span))) if span > 0 else 17
    return list(dict.fromkeys(round(float(edge), decimals) for edge in edges))


def _rank(path: Path) -> tuple[int, int]:
    """Lengths and entries before properties of several, these before whole outputs: of equal events the plainest."""
    if path and path[-1] == "#length":
        return 0, len(path)
    return 2 if path == WHOLE else int(_is_property(path)), len(path)


def _of_values(
    path: Path, keys: Keys, known: Keys, label: Labels, inside: Labels, listed: bool
) -> Iterator[tuple[Condition, Labels]]:
    """Each value by itself, and where no order speaks for them, those together that speak most for either label."""
    for key in known:
        yield Condition(path, among=(int(key),)), keys == key
    if not listed:
        return
    ones = np.array([np.sum((keys == key) & inside & label) for key in known], dtype=float)
    zeros = np.array([np.sum((keys == key) & inside & ~label) for key in known], dtype=float)
    often = np.flatnonzero(ones + zeros >= FEWEST)
    order = often[np.argsort(((ones + 0.5) / (ones + zeros + 1.0))[often], kind="stable")]
    for ranked in (order, order[::-1]):
        for count in range(2, min(MOST_VALUES, known.size - 1, order.size) + 1):
            among = known[ranked[:count]]
            yield Condition(path, among=tuple(int(key) for key in among)), np.isin(keys, among)


def _proved(sample: Sample, holds: Labels, label: bool, delta: float, fresh: int, caution: float) -> float:
    """About the ε that this sample shows by an event, or that so many fresh runs would show, whichever is less.

    `caution`: standard errors by which the best of as many events as are tried exceeds its own shares by chance.
    """
    own = sample.label == label
    seen, other = int((holds & own).sum()), int((holds & ~own).sum())
    if seen < FEWEST:
        return -np.inf
    shares = seen / int(own.sum()), other / max(int((~own).sum()), 1)
    return min(_shown_by(*shares, sample.size / 2, delta, caution), _shown_by(*shares, fresh / 2, delta, USUAL))


def _shown_by(share: float, other: float, runs: float, delta: float, errors: float) -> float:
    """The ε of an event's shares, each in so many runs, when both are this many standard errors worse.

    By the angles of the shares, whose errors are ½/√runs, also of rare events.
    """
    error = 0.5 * errors / np.sqrt(max(runs, 1.0))
    least = np.sin(max(np.arcsin(np.sqrt(share)) - error, 0.0)) ** 2 - delta
    most = np.sin(min(np.arcsin(np.sqrt(other)) + error, np.pi / 2)) ** 2
    return float(np.log(least / most)) if least > 0 else -np.inf


def column_words(path: Path) -> str:
    """A column in words."""
    if path == WHOLE or path == ():
        return "the output"
    if path[0] == FEATURE:
        return f"feature {int(path[1]) + 1}"
    *where, last = path
    place = _place(tuple(where))
    if isinstance(last, str) and (part := text_words(last, place) or bit_words(last, place)) is not None:
        return part
    match last:
        case "#length":
            return f"the length of {place}"
        case "#sum":
            return f"the sum of {place}"
        case "#largest":
            return f"the place (from 0) of the largest entry of {place}"
        case "#change":
            return f"the place (from 0) of the first entry unlike the first of {place}"
        case "#names":
            return f"the list of names in {place}"
        case _:
            return _place(path)


def _place(path: Path) -> str:
    if not path:
        return "the output"
    *where, last = path
    own = f"the entry {_name(last[1:])}" if isinstance(last, str) else f"entry {last + 1}"
    return f"{own} of {_place(tuple(where))}"


def _name(name: str) -> str:
    """A name as Python writes it; of a long one both ends."""
    half = LONGEST_NAME // 2
    return repr(name if len(name) <= LONGEST_NAME else f"{name[:half]}…{name[-half:]}")


def _values(condition: Condition, sample: Sample, outputs: Sequence[Any]) -> list[str]:
    """The values that a condition lists, as they are in the outputs."""
    if not condition.among:
        return []
    column = sample.paths.index(condition.path) if condition.path in sample.paths else None
    found = []
    for key in condition.among:
        if key == int(MISSING):
            found.append("missing")
            continue
        rows = np.flatnonzero(sample.keys[:, column] == np.uint64(key)) if column is not None else np.zeros(0, int)
        if rows.size == 0:
            found.append("one value that is not among these runs")
        elif column is not None and not np.isnan(sample.values[rows[0], column]) and _is_property(condition.path):
            found.append(_number(float(sample.values[rows[0], column])))
        else:
            found.append(_quoted(entry_at(outputs[int(rows[0])], condition.path)))
    return found


def _is_property(path: Path) -> bool:
    return bool(path) and (
        path[0] == FEATURE or (isinstance(path[-1], str) and path[-1].startswith("#") and path != WHOLE)
    )


def entry_at(output: Any, path: Path) -> Any:
    """The entry of an output at a path; the whole output where the path is a property of it."""
    entry = output
    for step in path:
        if step == "#names":
            return list(entry)
        if isinstance(step, str) and step.startswith(CHARACTER):
            return character_at(entry, step)
        if isinstance(step, str) and step.startswith("#"):
            break
        entry = entry[step[1:]] if isinstance(step, str) else entry[step]
    return entry


def _number(value: float) -> str:
    """As a count where it is one."""
    return f"{value:.0f}" if value.is_integer() and abs(value) < 2**53 else repr(value)


def _quoted(entry: Any) -> str:
    """The value as it is; of a long one both ends, its length, and a digest by which it can be looked for."""
    text = repr(entry)
    if len(text) <= LONGEST:
        return text
    half, digest = LONGEST // 4, sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{text[:half]}…{text[-half:]} ({len(text):,} characters as Python writes it, SHA-256 {digest[:DIGEST]}…)"
