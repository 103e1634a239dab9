"""The cases of an audit: how values, times and ratios move from look to look, and what is asked one by one."""

from dataclasses import replace

import numpy as np
import pytest

from nrverify.auditing.core.settings import Settings
from nrverify.auditing.noise_reduction.design.cases import Case, cases_for, shares
from nrverify.auditing.noise_reduction.design.drawing import draw_sessions
from nrverify.auditing.noise_reduction.design.knob import FINE_EPSILONS, Knob, knob_of
from nrverify.auditing.noise_reduction.design.varying import at_other_values, varied
from nrverify.auditing.sampling.drawer import Drawer
from nrverify.reference.mutants.correct.noise import Brownian
from nrverify.subjects.adapter import Adapter
from nrverify.subjects.policies import Fixed
from tests.auditing.subjects import Path

BOTH = Adapter(Brownian()).description
"""Of a subject that offers sample() and open()."""


def test_values_times_and_ratios_move_inside_the_range_and_equal_times_stay_equal():
    knob, rng = Knob(0.01, 1000.0, falling=True), np.random.default_rng(0)
    case = Case("a case", (3.0, -1.0), Fixed((8.0, 8.0, 4.0, 2.0)), "sample")
    seen = [varied(case, knob, False, rng) for _ in range(300)]
    schedules = np.array([moved.play.schedule for moved in seen])
    assert (schedules >= 0.01 * (1 - 1e-9)).all()
    assert (schedules <= 1000.0 * (1 + 1e-9)).all()
    assert (np.diff(schedules, axis=1) <= 0).all()
    assert (schedules[:, 0] == schedules[:, 1]).all()
    ratios = schedules[:, 2] / schedules[:, 1]
    assert ratios.min() < 0.2
    assert ratios.max() > 0.7
    values = np.array([moved.value for moved in seen])
    assert {True, False} == set((values[:, 0] < 0).tolist())
    assert 0.3 < np.mean(values == np.round(values)) < 0.7
    whole = [varied(case, knob, True, rng).value for _ in range(50)]
    assert all(x == round(x) for value in whole for x in value)


def test_steps_range_from_a_thousandth_of_a_time_to_a_thousandth_below_it():
    knob, rng = Knob(0.01, 1000.0, falling=True), np.random.default_rng(0)
    case = Case("a case", (3.0, -1.0), Fixed((8.0, 7.84, 4.0)), "sample")
    schedules = np.array([varied(case, knob, False, rng).play.schedule for _ in range(300)])
    ratios = schedules[:, 1:] / schedules[:, :-1]
    assert np.mean(ratios < 0.02) > 0.01
    assert np.mean((ratios > 0.999) & (ratios < 1)) > 0.005
    assert schedules.min() >= 0.01
    assert schedules.max() <= 1000.0


def test_what_is_asked_one_by_one_has_a_seed_each_stays_as_it_is_and_ends_in_long_audits():
    description = Adapter(Path()).description
    knob = knob_of(description)
    cases = cases_for(description, knob, (1, 3))
    alone = [case.one_by_one and not case.adjacent for case in cases]
    assert sum(alone) == 1
    case = cases[alone.index(True)]
    assert varied(case, knob, False, np.random.default_rng(1)) == case
    assert not case.together
    assert shares(cases)[alone.index(True)] == 0.02
    assert sum(shares(cases)) == pytest.approx(1.0, abs=1e-12)
    assert shares(cases, 1e7)[alone.index(True)] == 0.0
    assert sum(shares(cases, 1e7)) == pytest.approx(1.0, abs=1e-12)


def test_the_origin_stays_where_it_is():
    case = Case("origin", (0.0,), Fixed((8.0, 4.0)), "sample")
    rng = np.random.default_rng(1)
    assert {varied(case, Knob(0.01, 1000.0, True), False, rng).value for _ in range(40)} == {(0.0,)}


def test_values_of_every_magnitude_are_drawn_and_the_origin_is_kept():
    rng = np.random.default_rng(2)
    case = Case("a case", (3.0, -1.0), Fixed((8.0,)), "sample")
    values = np.array([at_other_values(case, False, rng).value for _ in range(400)])
    anew = np.abs(values[(values != case.value).any(axis=1)])
    assert 0.4 < len(anew) / len(values) < 0.6
    counts = np.histogram(np.log10(anew), bins=np.arange(-3, 6))[0]
    assert (counts > 0).all()
    assert (anew == np.round(anew)).any()
    assert (anew != np.round(anew)).any()
    assert np.abs(values).max() <= 1e5
    near = replace(case, largest=50.0)
    assert max(max(map(abs, at_other_values(near, True, rng).value)) for _ in range(200)) <= 50.0
    origin = replace(case, value=(0.0, 0.0))
    assert {at_other_values(origin, False, rng).value for _ in range(20)} == {(0.0, 0.0)}


def test_an_even_dimension_lies_between_one_and_three():
    description = Adapter(Path()).description
    assert {len(case.value) for case in cases_for(description, knob_of(description), (1, 2, 3))} == {1, 2, 3}
    assert {len(case.value) for case in cases_for(description, knob_of(description), (1, 3))} == {1, 3}


def test_seeds_that_follow_each_other_and_values_side_by_side_are_asked_for():
    cases = {case.name: case for case in cases_for(BOTH, knob_of(BOTH), (1, 3))}
    asked = []

    class Host:
        description = BOTH

        def ask(self, request):
            asked.append(request)
            shape = (1, len(request.schedule), 3) if hasattr(request, "schedule") else (6, request.policy.length, 1)
            return np.zeros(shape) if hasattr(request, "schedule") else (np.zeros(shape), np.zeros(shape[:2]))

    drawer = Drawer(Host(), Settings(), first=40)
    draw_sessions(drawer, cases["adjacent seeds"], 3)
    assert [request.seed for request in asked] == [41, 42, 43]
    asked.clear()
    case = cases["different values side by side"]
    draw_sessions(drawer, case, 6)
    assert [asked[0].value_of(row).tolist() for row in range(3)] == [
        list(case.value),
        list(case.beside),
        list(case.value),
    ]
    assert [side.value for side in case.sides] == [case.value, case.beside]


class Claims(Path):
    knob, sensitivity, delta = "epsilon", 1.0, 1e-6


@pytest.mark.parametrize("dimensions", [(1,), (1, 2), (1, 3), (5,)])
def test_dense_schedules_share_the_whole_grid_of_epsilons_and_come_after_the_first_thousands(dimensions):
    description = Adapter(Claims()).description
    cases = cases_for(description, knob_of(description), dimensions)
    dense = [case for case in cases if case.name.startswith("dense")]
    assert {len(case.value) for case in dense} == {dimensions[-1]}
    asked = sorted(epsilon for case in dense for epsilon in case.play.schedule)
    assert sorted({*asked}) == pytest.approx(np.geomspace(asked[0], asked[-1], FINE_EPSILONS), rel=1e-12)
    assert len({asked.count(epsilon) for epsilon in asked}) == 1
    early, late = (dict(zip((case.name for case in cases), shares(cases, n), strict=True)) for n in (4000, 4100))
    assert [early[case.name] for case in dense] == [0.0] * len(dense)
    assert min(late[case.name] for case in dense) > 0.02
    assert sum(early.values()) == pytest.approx(1.0, abs=1e-12)
    assert sum(late.values()) == pytest.approx(1.0, abs=1e-12)
