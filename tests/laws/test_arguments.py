"""Bad arguments of the laws: a ValueError that names the argument, whatever the argument is."""

import math

import numpy as np
import pytest

from nrverify.laws import DiscreteGaussian, DiscreteLaplace, divergence, threshold
from nrverify.laws.boundary import Grid, HalfNormalMixture, Linear, Mixture, SkellamLinear
from nrverify.laws.brownian import Brownian
from nrverify.laws.crossing import crossing_probability, line_crossing_probability
from nrverify.laws.laplace import Laplace
from nrverify.laws.skellam import Skellam

NO_NUMBERS = ["1", "a", b"1", None, True, 1j, {}, object(), [1.0, [2.0]], math.nan, 10**400]
PROCESSES = [Brownian(), Laplace(), Skellam(1.0), DiscreteLaplace()]
BOUNDARIES = [
    Linear(1.0, 1.0, 1.0),
    Mixture(1.0, 1e-6, 1.0),
    HalfNormalMixture(1.0, 1e-6, 1.0),
    Grid([1.0, 2.0], 1e-6, 1.0),
    SkellamLinear(1.0, 1e-6, 1, 1.0),
]
CALLS = [
    (Linear, {"a": 1.0, "b": 1.0, "sensitivity": 1.0}),
    (Mixture, {"rho": 1.0, "delta": 1e-6, "sensitivity": 1.0}),
    (HalfNormalMixture, {"rho": 1.0, "delta": 1e-6, "sensitivity": 1.0}),
    (Grid, {"times": [1.0, 2.0], "delta": 1e-6, "sensitivity": 1.0}),
    (SkellamLinear, {"theta": 1.0, "delta": 1e-6, "sensitivity": 1, "rate": 1.0}),
    (Linear.tightest_at, {"epsilon": 1.0, "delta": 1e-6, "sensitivity": 1.0}),
    (SkellamLinear.tightest_at, {"epsilon": 1.0, "delta": 1e-6, "sensitivity": 1, "rate": 1.0}),
    (Skellam, {"rate": 1.0}),
    (line_crossing_probability, {"a": 1.0, "b": 1.0}),
    (threshold.probability, {"bits": [1], "utilities": [0.0], "epsilons": [1.0], "threshold": 0.0, "sensitivity": 1.0}),
    (threshold.worst_loss, {"epsilons": [1.0]}),
    (threshold.margin_tail, {"eta": 1.0, "epsilon": 1.0, "sensitivity": 1.0}),
    (divergence.gaussian_hockey_stick, {"epsilon": 1.0, "shift": 1.0, "time": 1.0}),
    (divergence.laplace_renyi, {"order": 2.0, "shift": 1.0, "time": 1.0}),
    (divergence.log_renyi_tail, {"epsilon": 1.0, "order": 2.0, "divergence": 1.0}),
    *((process.marginal, {"t": 1.0}) for process in PROCESSES),
    *((process.bridge, {"s": 1.0, "t": 2.0, "given": 1}) for process in PROCESSES),
    *((process.forward, {"s": 1.0, "t": 2.0, "given": 1}) for process in PROCESSES),
    (DiscreteGaussian().marginal, {"t": 1.0}),
    *(
        (process.loss, {"t": 1.0, "value": 0, "neighbour": 1, "release": 2})
        for process in (*PROCESSES, DiscreteGaussian())
    ),
]


@pytest.mark.parametrize("bad", NO_NUMBERS, ids=lambda bad: repr(bad)[:20])
@pytest.mark.parametrize(
    ("call", "good", "name"),
    [(call, good, name) for call, good in CALLS for name in good],
    ids=[f"{getattr(call, '__qualname__', call)}-{name}" for call, good in CALLS for name in good],
)
def test_what_is_no_number_is_refused_by_name(call, good, name, bad):
    with pytest.raises(ValueError, match=rf"{name}\b.* (must|is not a) "):
        call(**{**good, name: bad})


@pytest.mark.parametrize("bad", NO_NUMBERS, ids=lambda bad: repr(bad)[:20])
@pytest.mark.parametrize("boundary", BOUNDARIES, ids=lambda boundary: type(boundary).__name__)
def test_a_boundary_is_asked_at_numbers(boundary, bad):
    with pytest.raises(ValueError, match=r"time is .*: it must"):
        boundary(bad)
    with pytest.raises(ValueError, match=r"epsilon is .*: it must"):
        boundary.inverse(bad)
    for ends in ((1.0, bad), (bad, 2.0)):
        with pytest.raises(ValueError, match=r"interval.* (must|is not a) "):
            boundary.crossing_probability(interval=ends)


@pytest.mark.parametrize("bad", [1.0, "12", b"12", [], [[1.0]], ["1"], [True], [0.0], {}, object(), np.array(1.0)])
@pytest.mark.parametrize("boundary", BOUNDARIES, ids=lambda boundary: type(boundary).__name__)
def test_looks_are_a_list_of_times(boundary, bad):
    with pytest.raises(ValueError, match=r"times is .*: it must"):
        boundary.crossing_probability(times=bad)
    with pytest.raises(ValueError, match=r"times is .*: it must"):
        crossing_probability(lambda t: t + 1.0, times=bad)


@pytest.mark.parametrize("bad", [1.0, "12", [], [1.0], (1.0, 2.0, 3.0), {}, object(), (2.0, 1.0), (-1.0, 1.0)])
@pytest.mark.parametrize("boundary", BOUNDARIES, ids=lambda boundary: type(boundary).__name__)
def test_an_interval_is_a_pair_of_times(boundary, bad):
    with pytest.raises(ValueError, match=r"interval is .*: it must"):
        boundary.crossing_probability(interval=bad)
    with pytest.raises(ValueError, match=r"interval is .*: it must"):
        crossing_probability(lambda t: t + 1.0, interval=bad)


@pytest.mark.parametrize("process", PROCESSES, ids=lambda process: type(process).__name__)
def test_shapes_that_do_not_fit_are_named(process):
    for law in (process.bridge, process.forward):
        with pytest.raises(ValueError, match=r"s of shape \(3,\), t of shape \(2,\) must"):
            law([1.0, 1.0, 1.0], [2.0, 2.0], 0)
        with pytest.raises(ValueError, match=r"given of shape \(3,\) must"):
            law([1.0, 1.0], 2.0, [1, 1, 1])
        with pytest.raises(ValueError, match=r"x of shape \(2,\) must .* \(3,\)"):
            law(1.0, 2.0, [1, 1, 1]).cdf([1, 1])
    with pytest.raises(ValueError, match=r"t of shape \(2,\) must .* \(3,\)"):
        process.loss([1.0, 1.0], 0, 1, [1, 1, 1])
    with pytest.raises(ValueError, match=r"t of shape \(2,\) must .* \(3,\)"):
        process.loss([1.0, 1.0], [0, 1], [1, 1], [[1, 1]] * 3)
    with pytest.raises(ValueError, match="no coordinates"):
        process.loss(1.0, [], [], [])


@pytest.mark.parametrize("process", PROCESSES, ids=lambda process: type(process).__name__)
def test_a_draw_needs_a_generator_and_a_shape(process):
    for law in (process.marginal(1.0), process.bridge(1.0, 2.0, 1), process.forward(1.0, 2.0, 1)):
        for rng in (None, 0, np.random):
            with pytest.raises(TypeError, match=r"rng is .*: it must be a numpy.random.Generator"):
                law.rvs(rng)
        for size in (-1, 2.0, "2", (2.0,), True, (2, -1)):
            with pytest.raises(ValueError, match=r"size is .*: it must"):
                law.rvs(np.random.default_rng(0), size)


def test_exact_numbers_are_numbers():
    from decimal import Decimal
    from fractions import Fraction

    assert Linear(1.0, 1.0, 1.0)(Fraction(1, 2)) == Linear(1.0, 1.0, 1.0)(Decimal("0.5")) == 4.0
    assert Brownian().loss(Fraction(1, 2), 0, 1, Fraction(1, 4)) == 0.5
