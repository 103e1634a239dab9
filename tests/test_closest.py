"""Misspelt names: the closest known one, whatever the case, and none where nothing is alike."""

import time

import pytest

from nrverify.closest import closest

KNOWN = ["brownian", "laplace", "above-threshold", "B14", "law.release"]


@pytest.mark.parametrize(
    ("misspelt", "meant"),
    [("brownain", "brownian"), ("LAPLACE", "laplace"), ("b41", "B14"), ("law-release", "law.release"), ("zzz", None)],
)
def test_the_closest_name_is_found_and_nothing_where_none_is_alike(misspelt, meant):
    assert closest(misspelt, KNOWN) == meant


def test_a_name_without_end_is_compared_by_its_beginning():
    started = time.perf_counter()
    assert closest("brownian" + "x" * 10_000_000, KNOWN) is None
    assert time.perf_counter() - started < 1.0
