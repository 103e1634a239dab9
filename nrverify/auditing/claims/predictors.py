"""Guesses of the label, learned from earlier runs: tables of columns and whole outputs, logistic regression, a tree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nrverify.auditing.claims.bins import Bins, Codes, bins_of
from nrverify.auditing.claims.columns import CHARGED, WHOLE, Columns, Floats, Keys, Path
from nrverify.auditing.claims.sample import Sample, matrix
from nrverify.auditing.claims.slope import Slope, steepest
from nrverify.auditing.claims.telling import telling
from nrverify.auditing.claims.tree import Leaf, Split, counted, grown, growth
from nrverify.statistics.labels import fit_logistic, predict_logistic

PREDICTORS = ("one column", "all columns", "whole outputs", "logistic", "tree", "slope")
"""By which a label is guessed. Which of them is right for a mechanism is not known beforehand: all of them bet."""
FEWEST_FITTED = 32
"""Runs before the first guess: half of the first look; a slope, or a few values, are learned from so many."""
FEWEST_LOGISTIC = 200
"""Runs before a logistic guess: its coefficients are then fewer than a tenth of them."""
MOST_LOGISTIC = 12_000
"""Runs a logistic guess is fitted to: more would hardly improve some dozen coefficients, and take long."""
MOST_NUMBERS = 10
"""Columns of numbers in a logistic guess: those that tell most."""
MOST_INDICATORS = 24
"""Values with an indicator of their own in a logistic guess."""


@dataclass(frozen=True)
class Guess:
    """Log odds of label 1 for each predictor and row, and on how many runs each rests; 0 runs are no guess."""

    odds: Floats
    runs: Floats


@dataclass(frozen=True)
class Table:
    """Counts of the labels in the bins of a column."""

    column: int
    bins: Bins
    ones: Floats
    zeros: Floats

    @property
    def odds(self) -> Floats:
        """Log odds of label 1 in each bin."""
        return np.log((self.ones + 0.5) / (self.zeros + 0.5))


@dataclass(frozen=True)
class Scale:
    """A column of numbers for a logistic guess: centred, scaled, and bent in some ways."""

    column: int
    centre: float
    width: float

    def features(self, values: Floats) -> Floats:
        """Some shapes of the number, and whether it is one."""
        number = np.isfinite(values)
        z = np.where(number, (values - self.centre) / self.width, 0.0)
        z = np.clip(np.where(np.isposinf(values), 20.0, np.where(np.isneginf(values), -20.0, z)), -20, 20)
        return np.column_stack([np.tanh(z), np.clip(z, -1, 1), np.clip(z, -4, 4), np.minimum(z * z, 9.0), ~number])


@dataclass(frozen=True)
class Model:
    """What was learned from a sample; `guess` applies it to runs that were not in it."""

    paths: tuple[Path, ...]
    tables: tuple[Table, ...]
    """Of every column that takes more than one value."""
    best: int
    """The table that tells most."""
    whole: Table | None
    scales: tuple[Scale, ...]
    indicators: tuple[tuple[int, np.uint64], ...]
    coefficients: Floats | None
    tree: Split | Leaf
    slope: Slope | None
    size: int

    def guess(self, columns: Columns) -> Guess:
        """The guesses of all predictors at some outputs."""
        keys, values = matrix(columns, self.paths)
        codes = [table.bins.codes(keys[:, table.column], values[:, table.column]) for table in self.tables]
        odds, runs = np.zeros((len(PREDICTORS), columns.size)), np.zeros((len(PREDICTORS), columns.size))
        if self.tables:
            odds[0], runs[0] = _looked_up(self.tables[self.best], codes[self.best])
            odds[4], runs[4] = _from_counts(*counted(self.tree, codes, columns.size))
        entries = [index for index, table in enumerate(self.tables) if _is_entry(self.paths[table.column])]
        if len(entries) > 1:
            odds[1] = np.sum([_looked_up(self.tables[index], codes[index])[0] for index in entries], axis=0)
            runs[1] = self.size / len(entries)
        if self.whole is not None:
            code = self.whole.bins.codes(keys[:, self.whole.column], values[:, self.whole.column])
            odds[2], runs[2] = _looked_up(self.whole, code)
        if self.coefficients is not None:
            features = _features(keys, values, self.scales, self.indicators)
            odds[3] = predict_logistic(features, self.coefficients)
            runs[3] = self.size / self.coefficients.size
        if self.slope is not None:
            odds[5] = self.slope.odds(values)
            runs[5] = self.size / self.slope.parameters
        return Guess(odds, runs)


def learned(sample: Sample) -> Model | None:
    """What a sample teaches; None while it is too small."""
    if sample.size < FEWEST_FITTED or not 0 < int(sample.label.sum()) < sample.size:
        return None
    sample = telling(sample)
    repeated = () in sample.paths and np.array_equal(_column(sample, ()), _column(sample, WHOLE))
    tables, codes = [], []
    for column, path in enumerate(sample.paths):
        if path == WHOLE and repeated:
            continue
        bins = bins_of(sample.keys[:, column], sample.values[:, column])
        if bins.count > 2 or bins.ordered:
            code = bins.codes(sample.keys[:, column], sample.values[:, column])
            tables.append(_table(column, bins, code, sample))
            codes.append(code)
    scores = [float(growth(table.ones, table.zeros, 0.0).sum()) - 0.5 * table.bins.count for table in tables]
    order = sorted(range(len(tables)), key=lambda index: -scores[index])
    claim = sample.charged
    tree = grown(codes, [t.bins.count for t in tables], [t.bins.ordered for t in tables], sample.label, claim)
    scales, indicators = _shapes(sample, [tables[index] for index in order])
    coefficients = None
    if sample.size >= FEWEST_LOGISTIC and (scales or indicators):
        rows = slice(max(0, sample.size - MOST_LOGISTIC), None)
        features = _features(sample.keys[rows], sample.values[rows], scales, indicators)
        coefficients = fit_logistic(features, sample.label[rows], steps=6)
    best = max(range(len(tables)), key=lambda i: _promise(tables[i], float(claim.mean())), default=0)
    return Model(
        sample.paths,
        tuple(tables),
        best,
        None if repeated else _whole(sample),
        scales,
        indicators,
        coefficients,
        tree,
        steepest(sample, [table.column for table in tables]),
        sample.size,
    )


def _promise(table: Table, claim: float) -> float:
    """Nats that bets on this table would have won beyond what chance wins in so many bins, and how much it tells."""
    chance = 0.5 * table.bins.count
    won = float(growth(table.ones, table.zeros, claim).sum())
    told = float(growth(table.ones, table.zeros, 0.0).sum())
    return max(won - chance, 0.0) + 0.05 * (told - chance)


def _column(sample: Sample, path: Path) -> Keys:
    return sample.keys[:, sample.paths.index(path)]


def _is_entry(path: Path) -> bool:
    """Whether a column is an entry of the output, and not a property of several."""
    return not (path and isinstance(path[-1], str) and path[-1].startswith("#")) or path == CHARGED


def _table(column: int, bins: Bins, code: Codes, sample: Sample) -> Table:
    ones = np.bincount(code[sample.label], minlength=bins.count).astype(float)
    return Table(column, bins, ones, np.bincount(code, minlength=bins.count) - ones)


def _looked_up(table: Table, code: Codes) -> tuple[Floats, Floats]:
    return table.odds[code], (table.ones + table.zeros)[code]


def _from_counts(ones: Floats, zeros: Floats) -> tuple[Floats, Floats]:
    return np.log((ones + 0.5) / (zeros + 0.5)), ones + zeros


def _whole(sample: Sample) -> Table | None:
    """The table of the whole outputs that came again; None where none did."""
    column = sample.paths.index(WHOLE)
    keys = sample.keys[:, column]
    known, counts = np.unique(keys, return_counts=True)
    often = known[counts >= FEWEST_EQUAL][:MOST_EQUAL]
    if often.size < 2:
        return None
    bins = Bins(often, None)
    return _table(column, bins, bins.codes(keys, sample.values[:, column]), sample)


FEWEST_EQUAL = 4
"""Times a whole output came before it is bet on."""
MOST_EQUAL = 4096
"""Whole outputs that are told apart."""


def _shapes(sample: Sample, tables: list[Table]) -> tuple[tuple[Scale, ...], tuple[tuple[int, np.uint64], ...]]:
    """The columns of numbers that tell most, and single values that are common, of others."""
    scales: list[Scale] = []
    indicators: list[tuple[int, np.uint64]] = []
    for table in tables:
        values = sample.values[:, table.column]
        numbers = values[np.isfinite(values)]
        if numbers.size > values.size // 2 and len(scales) < MOST_NUMBERS:
            centre = float(np.median(numbers))
            width = float(np.median(np.abs(numbers - centre))) or float(np.abs(numbers - centre).mean())
            if width > 0 and np.isfinite(width):
                scales.append(Scale(table.column, centre, width))
        if table.bins.known is not None:
            common = np.argsort(-(table.ones + table.zeros), kind="stable")[:MOST_INDICATORS]
            room = MOST_INDICATORS - len(indicators)
            known = [table.bins.known[index] for index in common if index < table.bins.known.size]
            indicators += [(table.column, key) for key in known[: max(room, 0)]]
    return tuple(scales), tuple(indicators)


def _features(
    keys: Keys, values: Floats, scales: tuple[Scale, ...], indicators: tuple[tuple[int, np.uint64], ...]
) -> Floats:
    parts = [scale.features(values[:, scale.column]) for scale in scales]
    parts += [(keys[:, column] == key)[:, None].astype(float) for column, key in indicators]
    return np.column_stack(parts)
