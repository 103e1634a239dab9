"""Runs needed by audits without the law: which cases are asked, and how they are counted."""

import math

from nrverify.calibrate.any_efficiency import CASES, Needed, chosen, markdown


def test_cases_are_chosen_by_how_their_names_begin():
    assert chosen([]) == CASES
    assert [case.name for case in chosen(["noisy", "Laplace"])] == [case.name for case in CASES[:3]]
    assert chosen(["nothing"]) == ()


def test_the_table_has_medians_and_nine_of_ten_beside_the_limit_and_names_what_was_left_out():
    row = Needed(CASES[0], 0.05, (*map(float, range(100, 1000, 100)), math.inf), 250.0)
    assert (row.median, row.ninth) == (550, 900)
    assert Needed(CASES[0], 0.05, (*row.runs[:8], math.inf, math.inf), 250.0).ninth == math.inf
    assert Needed(CASES[0], 0.05, (1.0, 2.0, 3.0), 250.0).ninth == 3
    text = markdown([row])
    assert f"| {CASES[0].name} | 0.05 | 10 | 550 | 900 | 250 | 2.20 |" in text
    assert f"Not measured in this run: {CASES[1].name}; " in text
    assert "Not measured" not in markdown([Needed(case, 0.05, (1.0,), 1.0) for case in CASES])
