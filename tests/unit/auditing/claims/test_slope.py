"""The slope: log odds of the label between two medians, learned from one column of numbers."""

import numpy as np

from nrverify.auditing.claims.columns import columns_of
from nrverify.auditing.claims.sample import Labelled, together
from nrverify.auditing.claims.slope import steepest


def sample(outputs, label):
    return together([Labelled(0, columns_of(outputs), label, np.ones(label.size))])


def test_it_finds_the_likelihood_ratio_of_laplace_noise():
    rng = np.random.default_rng(1)
    label = rng.random(20_000) < 0.5
    slope = steepest(sample((label + rng.laplace(0, 0.7, label.size)).tolist(), label), [0])
    assert np.allclose(slope.odds(np.array([[-3.0, 0.0], [0.5, 0.0], [4.0, 0.0]])), [-1 / 0.7, 0.0, 1 / 0.7], atol=0.12)


def test_it_takes_the_column_that_guesses_best_and_says_nothing_where_there_is_no_number():
    rng = np.random.default_rng(2)
    label = rng.random(2_000) < 0.5
    outputs = np.column_stack([rng.normal(0, 1, label.size), label + rng.normal(0, 0.5, label.size)]).tolist()
    found = sample(outputs, label)
    slope = steepest(found, range(len(found.paths)))
    assert [found.paths[ramp.column] for ramp in slope.ramps] == [(1,)]
    assert slope.odds(np.full((1, len(found.paths)), np.nan)) == [0.0]


def test_log_odds_of_independent_noise_add_up():
    rng = np.random.default_rng(3)
    label = rng.random(20_000) < 0.5
    noise = rng.laplace(0, 1, (label.size, 2))
    second = rng.random(label.size) < 0.7
    outputs = [[a, b] if two else [a] for (a, b), two in zip((label[:, None] + noise).tolist(), second, strict=True)]
    found = sample(outputs, label)
    slope = steepest(found, [found.paths.index((0,)), found.paths.index((1,))])
    assert len(slope.ramps) == 2
    rows = np.full((4, len(found.paths)), np.nan)
    rows[:, [found.paths.index((0,)), found.paths.index((1,))]] = [[9, 9], [-9, -9], [9, -9], [9, np.nan]]
    assert np.allclose(slope.odds(rows), [2.0, -2.0, 0.0, 1.0], atol=0.15)


def test_there_is_none_where_no_number_tells_the_labels_apart():
    label = np.arange(100) % 2 == 0
    assert steepest(sample(["a"] * 100, label), [0]) is None
    assert steepest(sample([1.0] * 100, label), [0]) is None
    assert steepest(sample([float("inf") if one else 0.0 for one in label], label), [0]) is None
