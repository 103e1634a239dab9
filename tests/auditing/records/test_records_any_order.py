"""Records whose times come in any order: each release is judged given all before it.

The right ones raise a false alarm with probability at most 1e-6 each.
"""

import itertools

import numpy as np
import pytest

from nrverify import audit

TIMES, ORDER = np.array([1.0, 2.0, 3.0, 5.0]), [1, 3, 0, 2, 1]
"""Times, and the order in which they are asked: between two others, below all, and one that comes again."""
SESSIONS = 6000


def brownian(rng):
    return np.cumsum(np.sqrt(np.diff(TIMES, prepend=0.0)) * rng.standard_normal((SESSIONS, TIMES.size)), axis=1)


def laplace(rng):
    path = [rng.laplace(0.0, TIMES[0], SESSIONS)]
    for s, t in itertools.pairwise(TIMES):
        stays = rng.random(SESSIONS) < (s / t) ** 2
        path.append(path[-1] + np.where(stays, 0.0, rng.laplace(0.0, t, SESSIONS)))
    return np.stack(path, axis=1)


def without_the_upper(rng):
    """At time 3 as if nothing had been released at time 5."""
    path = brownian(rng)
    path[:, 2] = path[:, 1] + rng.standard_normal(SESSIONS)
    return path


def never_equal(rng):
    path = laplace(rng)
    return path + 0.3 * rng.standard_normal(path.shape)


def recorded(folder, mechanism, paths, order=ORDER, **more):
    rng = np.random.default_rng(3)
    sides = [value + paths(rng)[:, order, None] for value in (0.0, 1.0)]
    arrays = {"releases": sides[0], "releases_neighbour": sides[1], "value": [0.0], "neighbour": [1.0]}
    given = {"schedule": TIMES[order], "any_order": True, **more}
    np.savez(folder / "own.npz", mechanism=mechanism, **arrays, **given)
    return f"records:{folder / 'own.npz'}"


def verdict_of(report, check):
    return next(one for one in report.checks if one.id == check).verdict.value


@pytest.mark.parametrize(
    ("mechanism", "right", "wrong"), [("brownian", brownian, without_the_upper), ("laplace", laplace, never_equal)]
)
def test_releases_are_judged_given_those_on_both_sides_in_time(tmp_path, mechanism, right, wrong):
    found = audit(recorded(tmp_path, mechanism, right))
    assert "refuted" not in {check.verdict.value for check in found.checks}
    assert verdict_of(found, "law.any-order") == "consistent"
    assert verdict_of(audit(recorded(tmp_path, mechanism, wrong)), "law.any-order") == "refuted"


def test_times_may_be_chosen_by_what_was_released(tmp_path):
    rng, rows = np.random.default_rng(4), np.arange(SESSIONS)
    arrays = {"mechanism": "brownian", "any_order": True, "value": [0.0], "neighbour": [1.0]}
    for value, suffix in ((0.0, ""), (1.0, "_neighbour")):
        path = value + brownian(rng)
        order = np.stack([np.full(SESSIONS, 1), np.where(path[:, 1] > 0, 3, 0), np.full(SESSIONS, 2)], axis=1)
        arrays |= {f"asked{suffix}": TIMES[order], f"releases{suffix}": path[rows[:, None], order][..., None]}
    np.savez(tmp_path / "adaptive.npz", **arrays)
    found = audit(f"records:{tmp_path / 'adaptive.npz'}")
    assert "refuted" not in {check.verdict.value for check in found.checks}
    assert verdict_of(found, "law.any-order") == "consistent"


def test_what_a_session_shows_of_the_value_is_in_its_least_noisy_release(tmp_path):
    """Which is not the last asked: by that one, at time 2, the label would be guessed too well."""
    assert verdict_of(audit(recorded(tmp_path, "brownian", brownian)), "loss.stopping") == "consistent"


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"any_order": False}, "times must not increase"),
        ({"granularity": 0.25}, "times must not increase"),
        ({"most_releases": 3}, "attribute most_releases is 3: array releases has 5 releases a session"),
        ({"any_order": "yes"}, "attribute any_order is 'yes'"),
    ],
)
def test_what_cannot_be_judged_so_is_named(tmp_path, more, words):
    report = audit(recorded(tmp_path, "brownian", brownian, **more))
    assert report.exit_code == 3
    assert words in report.message


def test_falling_times_of_such_a_subject_are_judged_as_any(tmp_path):
    found = audit(recorded(tmp_path, "brownian", brownian, order=[3, 2, 1, 0]))
    assert verdict_of(found, "law.transcript") == "consistent"
