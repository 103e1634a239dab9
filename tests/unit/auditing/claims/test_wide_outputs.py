"""Wide outputs: the columns that tell are learned from, wherever they are; features may be more or fewer."""

import numpy as np

from nrverify.auditing.claims.columns import CHARGED, WHOLE, columns_of
from nrverify.auditing.claims.context import Claim, fixed_point
from nrverify.auditing.claims.drawing import FEATURE, labelled
from nrverify.auditing.claims.sample import Labelled, together
from nrverify.auditing.claims.telling import MOST_LEARNED, telling
from nrverify.subjects.outputs import Outputs

CLAIM = Claim((fixed_point(1.0, 0.0),), "ε")


def wide(place, size=3000, width=200):
    """A sample of lists in which one entry alone knows the label."""
    rng = np.random.default_rng(place)
    label = rng.random(size) < 0.5
    rows = rng.laplace(0, 1, (size, width))
    rows[:, place] += label
    return together([Labelled(0, columns_of(rows.tolist()), label, np.ones(size))])


def test_the_entry_that_tells_is_kept_wherever_it_is():
    for place in (0, 60, 199):
        kept = telling(wide(place))
        assert len(kept.paths) == MOST_LEARNED
        assert (place,) in kept.paths
        assert WHOLE in kept.paths
        assert kept.keys.shape == kept.values.shape == (3000, MOST_LEARNED)


def test_kept_columns_are_those_of_the_sample():
    sample = wide(60)
    kept = telling(sample)
    for at, path in enumerate(kept.paths):
        np.testing.assert_array_equal(kept.keys[:, at], sample.keys[:, sample.paths.index(path)])


def test_a_sample_of_few_columns_is_as_it_was():
    sample = wide(3, width=20)
    assert telling(sample) is sample


def test_lists_of_any_width_are_seen_alike():
    """By arrays where all are of one length, entry by entry where they are not: the same keys and numbers."""
    rows = np.random.default_rng(5).laplace(0, 1, (20, 100)).tolist()
    alike, mixed = columns_of(rows), columns_of([*rows, [1.0]])
    np.testing.assert_allclose(alike.values[("#sum",)], mixed.values[("#sum",)][:20], rtol=1e-12, atol=1e-12)
    for path in ((59,), ("#length",), ("#largest",), WHOLE):
        np.testing.assert_array_equal(alike.keys[path], mixed.keys[path][:20])


def test_features_may_be_more_or_fewer_from_run_to_run():
    label = np.array([False, True, True])
    sides = [Outputs([5], None, [[1.5]]), Outputs([6, 7], None, [[2.5, 9.0], []])]
    drawn, outputs = labelled(0, CLAIM, label, sides)
    assert outputs == [5, 6, 7]
    first, second = drawn.columns.values[(FEATURE, 0)], drawn.columns.values[(FEATURE, 1)]
    np.testing.assert_array_equal(first, [1.5, 2.5, np.nan])
    np.testing.assert_array_equal(second, [np.nan, 9.0, np.nan])
    assert drawn.columns.keys[(FEATURE, 0)][2] == 0
    assert CHARGED not in drawn.columns.values
