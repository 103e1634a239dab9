"""Losses of threshold mechanisms that do not do what they declare, against sums of ε/a and 2ε/b."""

from __future__ import annotations

import math

import numpy as np
import pytest

from nrverify.auditing.core.faults import Effect
from nrverify.auditing.threshold.drawing import Runs
from nrverify.auditing.threshold.effects import probing
from nrverify.auditing.threshold.faulty_laws import unmixed_laws
from nrverify.auditing.threshold.outputs import ones_of, outputs
from nrverify.auditing.threshold.protocol import ThresholdProtocol
from nrverify.auditing.threshold.variant_designs import pairs
from nrverify.auditing.threshold.variant_effects import (
    loss_of_variant,
    priced_one_more,
    priced_variant,
    private_variants,
)
from nrverify.laws.threshold.variants import Variant

THREE = Variant((2.0, 12.0), "laplace", 3)
"""Threshold noise costs ε/2, three ones 2·3·ε/12."""


@pytest.mark.parametrize(
    ("fault", "scales"),
    [("scales-not-used", (2.0, 4.0)), ("query-budget-not-divided", (2.0, 4.0)), ("budget-not-divided", (2 / 3, 4.0))],
)
def test_noise_that_is_too_small_loses_more_than_is_claimed_and_no_more_than_its_scales_allow(fault, scales):
    found, epsilon = loss_of_variant(fault, THREE, False), 2.0
    assert found.claim == epsilon
    assert epsilon * 1.5 < found.loss <= epsilon * (1 / scales[0] + 2 * 3 / scales[1])


def test_noise_that_is_larger_than_declared_loses_no_more_than_is_claimed():
    found = loss_of_variant("both-noises-doubled", THREE, False)
    assert not found.exceeds
    assert found.loss <= 2.0 / 2


def test_relatives_keep_the_claim_by_their_scales():
    for monotone in (False, True):
        for one in private_variants(THREE, monotone):
            a, b = one.scales
            assert 1 / a + (3 if monotone else 6) / b <= 1 + 1e-12


def counts_of(scales, runs=300):
    """Runs of a mechanism with these scales at the designs of the pairs, drawn by hand."""
    rng, found = np.random.default_rng(1), {}
    for pair in pairs("above-threshold", THREE, False):
        design = pair.design
        zeta = rng.laplace(0.0, scales[0] / design.epsilons[0], (runs, 1))
        noise = rng.laplace(0.0, scales[1] / design.epsilons[0], (runs, design.rounds))
        bits = np.array(design.utilities) + noise >= zeta
        bits &= bits.cumsum(axis=1) <= design.positives
        own = outputs(design.rounds, design.positives)
        found[design] = np.bincount(own.bins(ones_of(bits, design.positives)), minlength=own.size).astype(float)
    return found


def test_a_budget_that_is_not_divided_is_a_leak_where_no_private_noise_explains_the_runs():
    found = priced_variant(["budget-not-divided"], counts_of((2 / 3, 4.0)), THREE, False, 1e-6)
    assert found.effect is Effect.LEAK
    assert found.loss > found.claim == 2.0


def test_no_leak_is_told_where_runs_of_private_noise_are_given_a_wrong_name():
    found = priced_variant(["budget-not-divided"], counts_of((1.8, 13.0)), THREE, False, 1e-6)
    assert found.effect is Effect.UNPROVED


def test_normal_noise_has_no_largest_loss_to_compare():
    gaussian = Variant((2.0, 4.0), "gaussian", 1)
    assert priced_variant(["both-noises-halved"], {}, gaussian, False, 1e-6).effect is Effect.UNPROVED


@pytest.mark.parametrize(("positives", "monotone"), [(1, False), (1, True), (3, False)])
def test_one_more_positive_than_declared_costs_its_share(positives, monotone):
    each = 1 if monotone else 2
    variant = Variant((2.0, 2.0 * each * positives), "laplace", positives)
    found = priced_one_more(variant, monotone, 0.0)
    assert found.loss == pytest.approx(1 / 2 + each * (positives + 1) / (2 * each * positives), rel=1e-9)


def test_one_more_positive_is_no_leak_with_room_for_it_or_with_a_delta():
    assert priced_one_more(Variant((4.0, 16.0), "laplace", 1), False, 0.0) is None
    assert priced_one_more(Variant((2.0, 4.0), "laplace", 1), False, 1e-6) is None


@pytest.mark.parametrize(("bits", "leaks"), [((1, 0, 0), False), ((1, 0, 1), True)])
def test_zeros_after_the_last_one_are_refuted_but_are_no_leak(bits, leaks):
    design = pairs("above-threshold", Variant((2.0, 4.0), "laplace", 1), False)[0].design
    check = ThresholdProtocol(priced_one_more(Variant((2.0, 4.0), "laplace", 1), False, 0.0))
    check.observe(Runs(design, "run", np.zeros(1, dtype=np.int64), after_halt=(bits,)))
    finding = check.conclude(1e-6).finding
    assert finding.fault.id == "answers-after-halt"
    assert (finding.priced is not None and finding.priced.effect is Effect.LEAK) == leaks


def test_query_noise_of_the_last_epsilon_loses_half_of_it_beside_half_of_its_own():
    pair = next(one for one in probing("reduced-above-threshold") if one.design.epsilons[-2:] == (0.5, 2.0))
    own, other = (unmixed_laws(design)["query-noise-of-last-epsilon"] for design in pair.sides)
    # The halt is at ε = 0.5, the last ε is 2: ε/2 for the threshold's noise and 2·2/4 for the query's.
    assert abs(math.log(own[5] / other[5])) == pytest.approx(0.5 / 2 + 2 * 2.0 / 4, rel=1e-3)
