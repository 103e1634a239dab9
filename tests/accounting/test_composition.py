"""A budget refuses exactly where its theorem says, before anything is drawn."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nrverify import BudgetExceeded, Composition, Grid, Linear, SkellamLinear

LINE = Linear.tightest_at(epsilon=1.0, delta=1e-6, sensitivity=1.0)
WIDE = Grid([0.5, 1.0, 2.0, 5.0, 10.0, 100.0], 1e-6, 2.0)


def test_losses_of_sessions_add_up_and_only_the_last_release_of_each_counts():
    budget = Composition(epsilon=3.0, delta=1e-5)
    first, second = (budget.noise_reduction(0.0, LINE, rng=seed) for seed in (1, 2))
    first.refine(0.5)
    first.refine(1.0)
    second.refine(2.0)
    assert budget.paid.epsilon == 3.0
    assert budget.paid.delta == pytest.approx(2e-6, rel=1e-12)
    assert budget.left.epsilon == 0.0


def test_what_would_exceed_the_budget_is_refused_before_it_is_drawn():
    budget = Composition(epsilon=2.0, delta=1e-5)
    session = budget.noise_reduction(0.0, LINE, rng=1)
    session.refine(1.5)
    state = session._rng.bit_generator.state
    with pytest.raises(BudgetExceeded, match=r"epsilon would be 2\.1 of 2\.0: 0\.5 is left"):
        session.refine(2.1)
    assert session._rng.bit_generator.state == state
    assert len(session.history) == 1
    session.refine(2.0)


def test_the_deltas_of_the_boundaries_add_up():
    budget = Composition(epsilon=100.0, delta=2.5e-6)
    for seed in (1, 2):
        budget.noise_reduction(0.0, LINE, rng=seed).refine(1.0)
    with pytest.raises(BudgetExceeded, match="delta would be 3e-06"):
        budget.noise_reduction(0.0, LINE, rng=3).refine(1.0)


def test_a_session_that_released_nothing_costs_nothing():
    budget = Composition(epsilon=1.0, delta=0.0)
    budget.noise_reduction(0.0, LINE)
    assert budget.paid == (0.0, 0.0, 0.0)


def test_a_private_stop_is_charged_twice_the_epsilon_before_the_answer():
    budget = Composition(epsilon=1.5, delta=1e-5)
    session = budget.noise_reduction(0.0, LINE, rng=1)
    session.refine(0.9)
    session.stop_privately(lambda release: 0.0, 0.0, 1.0)
    with pytest.raises(BudgetExceeded, match=r"epsilon would be 1\.8"):
        session.refine(0.9)
    assert budget.paid.epsilon == 0.9


def test_rho_is_that_of_the_least_noisy_release_of_each_session():
    budget = Composition(rho=3.0)
    first, second = (budget.noise_reduction(0.0, WIDE, rng=seed) for seed in (1, 2))
    for session, epsilon in ((first, 2.0), (second, 2.0), (first, 8.0)):
        session.refine(epsilon)
    exact = sum(Fraction(4) / (2 * Fraction(session.history[-1].time)) for session in (first, second))
    assert budget.paid.rho == pytest.approx(float(exact), rel=1e-15)
    assert budget.paid.epsilon == 0.0


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2), st.floats(0.7, 30.0)), max_size=12), st.floats(0.01, 5.0))
def test_a_budget_of_rho_refuses_exactly_where_the_sum_would_exceed_it(requests, rho):
    """The wrong rule, refusing only once the sum has been exceeded, would let the next release through."""
    budget = Composition(rho=rho)
    sessions = [budget.noise_reduction(0.0, WIDE, rng=seed) for seed in range(3)]
    times = [math.inf] * 3
    for which, epsilon in requests:
        try:
            time = WIDE.inverse(epsilon)
        except ValueError:
            continue
        if time > times[which]:
            continue
        would = sum(Fraction(4) / (2 * Fraction(t)) for i, t in enumerate(times) if i != which and t < math.inf)
        would += Fraction(4) / (2 * Fraction(time))
        history = sessions[which].history
        if history and epsilon < history[-1].epsilon:
            continue
        if would > Fraction(rho) * (1 + Fraction(1, 10**11)):
            with pytest.raises(BudgetExceeded):
                sessions[which].refine(epsilon)
        elif would <= Fraction(rho):
            sessions[which].refine(epsilon)
            times[which] = time
        else:
            return


def test_checked_after_the_release_the_budget_would_be_exceeded():
    """The refused request of this budget is one that the wrong rule (refuse once it is exceeded) admits."""
    budget = Composition(rho=1.0)
    session = budget.noise_reduction(0.0, WIDE, rng=1)
    session.refine(2.0)
    assert budget.paid.rho < 1.0  # not exceeded: the wrong rule goes on
    with pytest.raises(BudgetExceeded):
        session.refine(20.0)


def test_plain_mechanisms_are_charged_by_their_claim():
    pure = Composition(epsilon=1.0, delta=1e-6)
    pure.spend(epsilon=0.4, delta=1e-6)
    pure.above_threshold(0.6, 0.0, 1.0, rng=1)
    assert pure.paid == pytest.approx((1.0, 1e-6, 0.0))
    concentrated = Composition(rho=1.0)
    concentrated.spend(rho=0.5)
    concentrated.above_threshold(1.0, 0.0, 1.0, rng=1)
    assert concentrated.paid.rho == 1.0
    with pytest.raises(BudgetExceeded):
        concentrated.spend(rho=1e-6)


def test_an_exhausted_budget_in_decimal_steps_is_not_exceeded_by_rounding():
    budget = Composition(epsilon=0.3)
    for _ in range(3):
        budget.spend(epsilon=0.1)
    with pytest.raises(BudgetExceeded):
        budget.spend(epsilon=1e-9)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "exactly one"),
        ({"epsilon": 1.0, "rho": 1.0}, "exactly one"),
        ({"epsilon": -1.0}, "epsilon"),
        ({"rho": math.nan}, "rho"),
        ({"epsilon": "much"}, "epsilon is 'much': it must be a number"),
        ({"epsilon": 1.0, "delta": "none"}, "delta is 'none': it must be a number"),
        ({"epsilon": 1.0, "delta": math.nan}, "delta is NaN: it must be a number"),
        ({"epsilon": 1.0, "delta": 1.0}, "delta is 1.0"),
        ({"rho": 1.0, "delta": 0.1}, "delta is 0.1"),
    ],
)
def test_a_budget_that_is_none_is_refused(arguments, words):
    with pytest.raises(ValueError, match=words):
        Composition(**arguments)


def test_what_a_budget_does_not_cover_is_refused():
    budget = Composition(rho=1.0)
    with pytest.raises(ValueError, match="Brownian"):
        budget.noise_reduction(0, SkellamLinear.tightest_at(epsilon=1.0, delta=1e-6, sensitivity=1, rate=1.0))
    with pytest.raises(ValueError, match="delta is"):
        budget.spend(epsilon=1.0, delta=1e-6)
    with pytest.raises(ValueError, match="rho is"):
        Composition(epsilon=1.0).spend(rho=1.0)
    with pytest.raises(ValueError, match="at least 0"):
        budget.spend(rho=-1.0)
    with pytest.raises(ValueError, match="epsilon is 'much': it must be a number"):
        budget.spend(epsilon="much")
    session = budget.noise_reduction(0.0, LINE, rng=1).stop_privately(abs, 0.0, 1.0)
    with pytest.raises(ValueError, match="private stopping"):
        session.refine(1.0)
    assert budget.paid.rho == 0.0


def test_its_representation_says_what_is_paid():
    budget = Composition(epsilon=2.0, delta=1e-5)
    budget.noise_reduction(np.zeros(3), LINE, rng=1).refine(0.5)
    assert repr(budget) == "<Composition: paid ε = 0.5 of 2, δ = 1e-06 of 1e-05, by 1 mechanism>"
