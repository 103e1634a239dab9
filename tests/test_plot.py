"""Plots draw what was released, claimed and seen."""

from typing import get_args

import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")

import matplotlib.pyplot as plt

from nrverify import Grid, Linear, Mixture, NoiseReduction, Report, SkellamLinear, plot
from nrverify.auditing.core.plots import data as seen
from nrverify.auditing.core.results import CheckResult, CheckVerdict

LINE = Linear(a=0.3, b=2.0, sensitivity=1.0)
DOT = seen.Dot("release 1", 1.2, (1.1, 1.3), (1.0, 1.4), 1.0)
PICTURES = {
    seen.Uniformity: seen.Uniformity("U", (0.1, 0.9), (0.0, 0.02), 0.01, 0.03, 100, ""),
    seen.Quantiles: seen.Quantiles("Q", (-1.0, 1.0), (-1.1, 1.2), ((-1.1, -0.9),) * 2, ((-1.2, -0.8),) * 2, 9, ""),
    seen.Dots: seen.Dots("D", "variance", (DOT, DOT), ""),
    seen.Bound: seen.Bound("B", "loss", (DOT,), ""),
    seen.Matrix: seen.Matrix("M", ("a", "b"), ((1.0, None), (0.2, 1.0)), ((0.1, 0.1),) * 2, ((0.2, 0.2),) * 2, ""),
    seen.Bars: seen.Bars("R", "round", "each", (seen.Bar("1", 0.4, (0.3, 0.5), (0.2, 0.6), 0.41),), ""),
    seen.Tradeoff: seen.Tradeoff("T", 1.0, 0.1, (0.0, 0.5), (0.1, 1.0), 0.01, 0.02, ""),
    seen.WealthPlot: seen.WealthPlot("W", (16, 32), (0.5, 20.0), 13.8, ""),
    seen.Lines: seen.Lines("L", "t", "ε", (seen.Line("ψ", (1.0, 10.0), (2.0, 1.0)),), "", goal=("δ", 1.5)),
}


@pytest.fixture
def ax():
    figure, axes = plt.subplots()
    yield axes
    plt.close(figure)


def report(*plots):
    results = tuple(CheckResult(id, "law", verdict) for id, verdict, _ in plots)
    return Report("refuted", 1, {}, {}, results, None, {id: (plot,) for id, _, plot in plots if plot})


def test_releases_are_drawn_at_what_was_paid_with_the_noise_they_have(ax):
    session = NoiseReduction([1.0, 5.0], LINE, rng=1)
    for epsilon in (0.5, 1.0, 2.0):
        session.refine(epsilon)
    plot.releases(session, ax)
    first, second = (container.lines[0] for container in ax.containers)
    assert list(first.get_xdata()) == [0.5, 1.0, 2.0]
    assert list(second.get_ydata()) == [look.release[1] for look in session.history]
    segments = ax.containers[0].lines[2][0].get_segments()
    for segment, look in zip(segments, session.history, strict=True):
        assert np.ptp(segment[:, 1]) == pytest.approx(2 * look.time**0.5)


def test_integer_noise_is_drawn_with_its_own_deviation(ax):
    boundary = SkellamLinear.tightest_at(epsilon=1.0, delta=1e-6, sensitivity=1, rate=3.0)
    session = NoiseReduction(4, boundary, rng=1)
    session.refine(1.0)
    plot.releases(session, ax)
    (segment,) = ax.containers[0].lines[2][0].get_segments()
    assert np.ptp(segment[:, 1]) == pytest.approx(2 * (6.0 * session.history[0].time) ** 0.5)


def test_boundaries_are_drawn_as_they_are(ax):
    mixture = Mixture.tightest_at(epsilon=1.0, delta=1e-6, sensitivity=1.0)
    plot.boundaries(LINE, mixture, times=(1.0, 100.0), ax=ax)
    for line, boundary in zip(ax.get_lines(), (LINE, mixture), strict=True):
        assert np.array_equal(line.get_ydata(), boundary(np.asarray(line.get_xdata())))


def test_a_boundary_of_given_looks_is_drawn_there_alone(ax):
    plot.boundaries(Grid([4.0, 1.0], 1e-6, 1.0), ax=ax)
    assert list(ax.get_lines()[0].get_xdata()) == [1.0, 4.0]


@pytest.mark.parametrize("kind", get_args(seen.Plot), ids=lambda kind: kind.__name__)
def test_every_kind_of_picture_is_drawn(kind, ax):
    plot.audit(report(("law.release", CheckVerdict.REFUTED, PICTURES[kind])), ax=ax)
    assert ax.get_title() == f"law.release: {PICTURES[kind].title}"
    assert ax.has_data()


def test_the_refuted_check_is_drawn_before_others_and_any_may_be_asked_for(ax):
    both = report(
        ("ties", CheckVerdict.CONSISTENT, PICTURES[seen.Dots]),
        ("law.release", CheckVerdict.REFUTED, PICTURES[seen.WealthPlot]),
    )
    assert plot.audit(both, ax=ax).get_title() == "law.release: W"
    assert plot.audit(both, "ties", ax=ax).get_title() == "ties: D"


def test_what_cannot_be_drawn_is_said(ax):
    with pytest.raises(ValueError, match="call refine"):
        plot.releases(NoiseReduction(0.0, LINE))
    with pytest.raises(ValueError, match="check is 'tie'"):
        plot.audit(report(("ties", CheckVerdict.CONSISTENT, PICTURES[seen.Dots])), "tie")
    with pytest.raises(ValueError, match="there is none"):
        plot.audit(report(("ties", CheckVerdict.CONSISTENT, None)))
    with pytest.raises(ValueError, match="two positive times"):
        plot.boundaries(LINE, times=(0.0, 1.0))
