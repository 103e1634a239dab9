"""What the threshold law says of privacy, utility and wrong variants, and what its functions refuse."""

import mpmath as mp
import numpy as np
import pytest

from nrverify.laws import threshold
from nrverify.laws.threshold import law as threshold_law


def worst_pair(rounds, far, sensitivity=1.0):
    """Utilities far above the threshold before the last round, far below in it, moved in the worst directions."""
    neighbour = np.array([far] * (rounds - 1) + [-far])
    signs = np.array([-1.0] * (rounds - 1) + [1.0])
    return neighbour + sensitivity * signs, neighbour


def loss_of_halt(utilities, neighbour, epsilons, **settings):
    bits = [0] * (len(epsilons) - 1) + [1]
    return threshold.privacy_loss(bits, utilities=utilities, neighbour=neighbour, epsilons=epsilons, **settings)


@pytest.mark.parametrize("rounds", [1, 2, 3, 4, 5, 6, 9])
def test_worst_loss_of_equal_epsilons_is_approached_and_not_passed(rounds):
    epsilon, bound = 0.6, min(rounds, 4) * 0.6 / 4
    assert threshold.worst_loss([epsilon] * rounds) == pytest.approx(bound, rel=1e-15)
    near = loss_of_halt(*worst_pair(rounds, 40.0), [epsilon] * rounds)
    far = loss_of_halt(*worst_pair(rounds, 1e6), [epsilon] * rounds)
    assert near < bound
    assert bound - 1e-5 < far < bound + 1e-12


def test_worst_loss_is_sharp_for_doubling_epsilons_and_stays_below_half_the_last():
    epsilons = [0.1, 0.2, 0.4, 0.8]
    bound = threshold.worst_loss(epsilons)
    assert bound == pytest.approx(0.375, rel=1e-15)
    loss = loss_of_halt(*worst_pair(4, 1e5), epsilons)
    assert 0.375 - 1e-9 < loss < 0.375 + 1e-12


def test_no_neighbour_loses_more_than_the_bound():
    rng = np.random.default_rng(11)
    for _ in range(60):
        rounds = int(rng.integers(1, 6))
        epsilons = np.sort(rng.uniform(0.1, 2.0, rounds))
        utilities = rng.normal(0, 20, rounds)
        neighbour = utilities + rng.choice([-0.5, 0.5], rounds)
        bound = min(epsilons[-1], epsilons.sum() / 4)
        assert threshold.worst_loss(epsilons) == pytest.approx(bound, rel=1e-15)
        assert abs(loss_of_halt(utilities, neighbour, epsilons, sensitivity=0.5)) <= bound + 1e-13
        zeros = threshold.privacy_loss(
            [0] * rounds, utilities=utilities, neighbour=neighbour, epsilons=epsilons, sensitivity=0.5
        )
        assert abs(zeros) <= min(epsilons[-1] / 2, epsilons.sum() / 4) + 1e-13


def test_loss_is_antisymmetric_and_exactly_zero_between_equal_utilities():
    utilities, neighbour, epsilons = [1.0, 1e6, -3.0], [0.5, 1e6 + 1, -2.0], [0.5, 0.7, 2.0]
    assert loss_of_halt(utilities, utilities, epsilons) == 0.0
    assert loss_of_halt(utilities, neighbour, epsilons) == -loss_of_halt(neighbour, utilities, epsilons)


def test_margin_tail_is_the_chance_that_a_utility_so_far_below_halts():
    for eta in (-300.0, -2.0, 0.0, 0.1, 5.0, 300.0):
        halts = threshold.probability([1], utilities=[-eta], epsilons=[0.7], sensitivity=2.0)
        assert threshold.margin_tail(eta, 0.7, 2.0) == pytest.approx(halts, rel=1e-13)


def test_margin_tail_agrees_with_quadrature_of_the_convolution():
    eta, b, c = 1.7, 2.0, 4.0
    with mp.workdps(20):
        expected = mp.quad(
            lambda z: (
                mp.exp(-abs(z) / b)
                / (2 * b)
                * (1 - mp.exp((eta + z) / c) / 2 if z < -eta else mp.exp(-(eta + z) / c) / 2)
            ),
            [-120, -eta, 0, 120],
        )
    assert threshold.margin_tail(eta, 1.0, 1.0) == pytest.approx(float(expected), rel=1e-14)


def test_utility_margin_inverts_the_tail():
    for p in (1e-300, 1e-12, 0.05, 0.4, 0.5, 0.75):
        eta = threshold.utility_margin(p, 0.3, 2.0)
        assert threshold.margin_tail(eta, 0.3, 2.0) == pytest.approx(p, rel=1e-12)
    assert threshold.utility_margin(0.5, 1.0) == 0.0
    gamma = 0.05
    assert threshold.margin_tail(4 * np.log(2 / gamma), 1.0) == pytest.approx(gamma / 3 - gamma**2 / 24, rel=1e-13)
    assert threshold.utility_margin(gamma, 1.0) < 4 * np.log(2 / gamma)


def test_redrawn_threshold_noise_is_a_product_of_single_rounds():
    margins, b, c = [1.0, -7.0, 0.5], np.array([4.0, 2.0, 1.0]), np.array([8.0, 2.0, 0.5])
    single = [np.exp(threshold_law.log_halting_law([a], [s], [q]))[0] for a, s, q in zip(margins, b, c, strict=True)]
    expected = [single[0], (1 - single[0]) * single[1], (1 - single[0]) * (1 - single[1]) * single[2]]
    law = np.exp(threshold_law.log_halting_law_redrawn(margins, b, c))
    assert law[:3] == pytest.approx(expected, rel=1e-13)
    assert law.sum() == pytest.approx(1, abs=1e-15)


def test_redrawn_and_absent_threshold_noise_look_the_same_at_the_threshold():
    halves = 0.5 ** np.array([1, 2, 3, 3])
    for b in (2.0, 0.0):
        law = threshold_law.log_halting_law_redrawn([0.0] * 3, [b] * 3, [4.0] * 3)
        assert np.exp(law) == pytest.approx(halves, rel=1e-15)


def test_absent_threshold_noise_leaves_the_query_noise():
    law = np.exp(threshold_law.log_halting_law_redrawn([-3.0], [0.0], [4.0]))
    assert law == pytest.approx([np.exp(-0.75) / 2, 1 - np.exp(-0.75) / 2], rel=1e-15)


def test_tail_of_two_laplace_noises_is_continuous_where_their_scales_meet():
    """Equal scales b: P(Lap + Lap > x) = (1 + x/2b) e^{−x/b}/2."""
    for c in (1.0, 1.0 + 1e-9):
        law = np.exp(threshold_law.log_halting_law_redrawn([-3.0], [1.0], [c]))
        assert law[0] == pytest.approx(2.5 * np.exp(-3.0) / 2, rel=1e-8)


BAD = [
    ({"epsilons": [1.0, 0.5]}, "fall from 1.0"),
    ({"epsilons": [0.0, 0.5]}, "epsilons is 0.0"),
    ({"epsilons": [0.5, np.nan]}, "epsilons is nan"),
    ({"epsilons": [0.5, np.inf]}, "epsilons is inf"),
    ({"epsilons": [0.5]}, "2 entries"),
    ({"epsilons": 0.5}, "sequence"),
    ({"utilities": [1.0]}, "1 entries"),
    ({"utilities": [1.0, np.nan]}, "utilities is nan"),
    ({"utilities": [1.0, np.inf]}, "utilities is inf"),
    ({"utilities": ["a", "b"]}, "utilities"),
    ({"utilities": [1e13, 0.0]}, "bring the utility nearer"),
    ({"bits": []}, "bits"),
    ({"bits": [1, 0]}, "after a 1"),
    ({"bits": [0, 2]}, "0 or 1"),
    ({"bits": [0, -1]}, "0 or 1"),
    ({"bits": [0, np.nan]}, "0 or 1"),
    ({"bits": [0, 0, 1]}, "2 rounds"),
    ({"bits": "ab"}, "bits"),
    ({"bits": [[0, 1]]}, "sequence"),
    ({"threshold": np.nan}, "threshold is nan"),
    ({"threshold": [0.0, 0.0]}, "one number"),
    ({"sensitivity": 0.0}, "sensitivity is 0.0"),
    ({"sensitivity": np.nan}, "sensitivity is nan"),
]


@pytest.mark.parametrize(("bad", "message"), BAD)
def test_bad_arguments_are_refused_with_the_reason(bad, message):
    good = {"bits": [0, 1], "utilities": [1.0, 2.0], "epsilons": [0.5, 1.0], "threshold": 0.0, "sensitivity": 1.0}
    arguments = {**good, **bad}
    bits = arguments.pop("bits")
    for law in (threshold.probability, threshold.log_probability):
        with pytest.raises(ValueError, match=message):
            law(bits, **arguments)
    with pytest.raises(ValueError, match=message):
        threshold.privacy_loss(bits, neighbour=[1.0, 2.0], **arguments)
    if "bits" not in bad:
        with pytest.raises(ValueError, match=message):
            threshold.halting_law(**arguments)


def test_neighbour_of_another_length_is_refused():
    with pytest.raises(ValueError, match="neighbour has 3 entries"):
        threshold.privacy_loss([0, 1], utilities=[1.0, 2.0], neighbour=[1.0, 2.0, 3.0], epsilons=[1.0, 1.0])


def test_worst_loss_and_margins_refuse_what_is_no_level_or_probability():
    for epsilons in ([], [2.0, 1.0], [-1.0], [np.nan]):
        with pytest.raises(ValueError, match="epsilons"):
            threshold.worst_loss(epsilons)
    for p in (0.0, 1.0, -0.1, np.nan):
        with pytest.raises(ValueError, match="probability"):
            threshold.utility_margin(p, 1.0)
    with pytest.raises(ValueError, match="eta"):
        threshold.margin_tail(np.nan, 1.0)
    with pytest.raises(ValueError, match="epsilon"):
        threshold.margin_tail(1.0, 0.0)
