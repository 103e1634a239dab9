"""Grids, integers and few streams of sessions whose times come in any order.

Right noise is refuted with probability at most 1e-6 in each test.
"""

import numpy as np
import pytest

from nrverify.auditing.noise_reduction.checks.lattice import Integers, Lattice
from nrverify.auditing.noise_reduction.checks.streams import Streams
from nrverify.auditing.noise_reduction.design.batch import Batch
from nrverify.auditing.noise_reduction.design.cases import Case
from nrverify.reference.mutants.correct.any_order import BrownianAnyOrder, LaplaceAnyOrder, SkellamAnyOrder
from nrverify.subjects.policies import Fixed
from tests.unit.auditing.noise_reduction.batches import fault, seen

SCHEDULES = ((4.0, 1.0, 2.0), (1.0, 5.0, 1.5, 3.0), (2.0, 4.0, 1.0, 2.0, 1.2, 3.0))


def batches(subject, changed=lambda releases, schedule: releases, value=5, d=2, sessions=700):
    """Sessions of the schedules in any order, changed as the fault does."""
    for index, schedule in enumerate(SCHEDULES):
        given = np.full(d, value, dtype=np.int64 if subject.mechanism == "skellam" else float)
        releases = np.asarray(subject().sample(given, list(schedule), sessions, index + 1), dtype=float)
        ranks = tuple(sorted(set(schedule)).index(at) for at in schedule)
        case = Case(f"any order: {index}", (float(value),) * d, Fixed(schedule), "sample", ranks=ranks)
        asked = np.tile(schedule, (sessions, 1))
        yield Batch(case, changed(releases, np.array(schedule)), asked, asked, None)


def rounded_between(releases, schedule):
    """Releases between two earlier ones are rounded to 0.001: the interpolation has code of its own."""
    between = [
        any(schedule[:at] < time) and any(schedule[:at] > time) and time not in schedule[:at]
        for at, time in enumerate(schedule)
    ]
    return np.where(np.array(between)[None, :, None], np.round(releases, 3), releases)


@pytest.mark.parametrize("subject", [BrownianAnyOrder, LaplaceAnyOrder])
def test_right_noise_in_any_order_is_on_no_grid_however_often_it_ties(subject):
    assert fault(seen(Lattice(any_order=True), *batches(subject, value=1000))) is None


@pytest.mark.parametrize("subject", [BrownianAnyOrder, LaplaceAnyOrder])
def test_rounding_in_the_interpolation_alone_is_seen(subject):
    assert fault(seen(Lattice(any_order=True), *batches(subject, rounded_between))) == "rounded"


def test_a_value_in_the_clear_after_others_is_seen():
    def bare(releases, schedule):
        releases[::50, 2] = 5.0
        return releases

    assert fault(seen(Lattice(any_order=True), *batches(BrownianAnyOrder, bare))) == "value-in-clear"


def test_integer_noise_that_is_interpolated_off_the_integers_is_seen():
    def halves(releases, schedule):
        releases[3, 2] += 0.5
        return releases

    assert fault(seen(Integers(), *batches(SkellamAnyOrder))) is None
    assert fault(seen(Integers(), *batches(SkellamAnyOrder, halves))) == "off-grid"


@pytest.mark.parametrize("subject", [BrownianAnyOrder, LaplaceAnyOrder, SkellamAnyOrder])
def test_transcripts_that_come_again_are_seen_in_any_order_too(subject):
    def few(releases, schedule):
        return releases[np.arange(len(releases)) % 300]

    assert fault(seen(Streams(subject.mechanism), *batches(subject))) is None
    if subject is not SkellamAnyOrder:  # short transcripts of small integers may come again by chance
        assert fault(seen(Streams(subject.mechanism), *batches(subject, few))) == "equal-transcripts"
