"""The laws of whole outputs: numbered once, exact where claimed, and under each fault what a simulation gives."""

import numpy as np
import pytest

from nrverify.auditing.threshold.faulty_laws import claimed_law, faulty_laws
from nrverify.auditing.threshold.output_laws import case_of, faulty_output_laws, output_law
from nrverify.auditing.threshold.outputs import bits_of, ones_of, outputs
from nrverify.auditing.threshold.variant_designs import MOST_OUTPUTS, battery, most_rounds, pairs
from nrverify.laws.threshold import log_probability
from nrverify.laws.threshold.variants import Variant
from tests.contract.sparse_vectors import declared

VARIANTS = (
    Variant((2.0, 20.0), "laplace", 5),
    Variant((2.0, 4.0), "exponential", 1),
    Variant((3.0, 1.5), "exponential", 2),
    Variant((8.0, 16.0), "gaussian", 1),
    Variant((1.0, 3.0), "gaussian", 3),
)


@pytest.mark.parametrize(("rounds", "positives"), [(5, 1), (5, 2), (4, 9), (1, 3), (10, 5)])
def test_every_output_has_a_cell_of_its_own(rounds, positives):
    every = outputs(rounds, positives)
    assert sorted(every.order.tolist()) == list(range(every.size))
    assert every.bins(ones_of(every.bits, positives)).tolist() == list(range(every.size))
    assert len({tuple(bits) for bits in bits_of(ones_of(every.bits, positives), rounds)}) == every.size


def test_for_one_positive_cells_are_halting_rounds():
    every = outputs(4, 1)
    assert np.array_equal(every.bits, np.vstack([np.eye(4, dtype=bool), np.zeros(4, dtype=bool)]))
    assert [every.words(bin) for bin in (0, 4)] == ["a 1 in round 1", "no 1"]
    assert outputs(4, 2).words(0) == "ones in rounds 1, 2"


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_the_claimed_law_is_the_exact_probability_of_the_bits(variant):
    design = battery("above-threshold", variant)[2]
    law, every = output_law(design), outputs(design.rounds, variant.positives)
    assert law.sum() == pytest.approx(1.0, abs=1e-11)
    likely = np.argsort(law)[-40::8]
    printed = bits_of(ones_of(every.bits[likely], variant.positives), design.rounds)
    for bin, bits in zip(likely, printed, strict=True):
        exact = log_probability(
            bits,
            utilities=design.utilities,
            epsilons=design.epsilons,
            threshold=design.threshold,
            sensitivity=design.sensitivity,
            scales=variant.scales,
            noise=variant.noise,
            positives=variant.positives,
        )
        assert np.log(law[bin]) == pytest.approx(exact, abs=1e-10)


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_every_fault_has_a_law_that_differs_where_it_can_show(variant):
    designs = battery("above-threshold", variant)[1:5]
    laws = [faulty_laws(design) for design in designs]
    for name in dict.fromkeys(name for own in laws for name in own):
        apart = [
            np.abs(own[name] - claimed_law(design)).max()
            for own, design in zip(laws, designs, strict=True)
            if name in own
        ]
        assert max(apart) > 1e-3, name
    for own in laws:
        assert all(law.sum() == pytest.approx(1.0, abs=1e-9) and law.min() >= 0 for law in own.values())


SIMULATED = {
    "threshold-noise-redrawn-after-positive": {"redrawn": "ones"},
    "threshold-noise-redrawn": {"redrawn": "rounds"},
    "scales-not-used": {"used": (2.0, 4.0)},
    "budget-not-divided": {"used": (1.0, 3.0)},
    "query-budget-not-divided": {"used": (3.0, 3.0)},
    "halts-at-first-positive": {"halts_after": 1},
}


@pytest.mark.parametrize("noise", ["laplace", "exponential", "gaussian"])
@pytest.mark.parametrize("fault", SIMULATED)
def test_the_law_of_a_fault_is_that_of_its_simulation(fault, noise):
    # 40,000 runs, likely bins at 6 standard deviations: error probability below 1e-6 for all, with a fixed seed.
    design = battery("above-threshold", Variant((3.0, 9.0), noise, 3))[3]
    said = {"scales": (3.0, 9.0), "noise": noise, "positives": 3}
    subject = declared(**said, **SIMULATED[fault])()
    arguments = (design.utilities, design.epsilons, design.threshold, design.sensitivity)
    bins = outputs(design.rounds, 3).bins(subject.run_many(*arguments, 40_000, 7))
    law = faulty_output_laws(design)[fault]
    shares = np.bincount(bins, minlength=law.size) / 40_000
    assert np.all(np.abs(shares - law) <= 6 * np.sqrt(law * (1 - law) / 40_000) + 3e-4)
    assert np.abs(law - output_law(design)).max() > 3e-3


def test_query_noise_drawn_once_prints_a_one_wherever_the_margin_is_large_enough():
    # 40,000 runs, five bins at 6 standard deviations, with a fixed seed.
    design = battery("above-threshold", Variant((3.0, 9.0), "exponential", 2))[2]
    case, rng = case_of(design), np.random.default_rng(3)
    level = rng.exponential(case.threshold_scale, 40_000) - rng.exponential(case.query_scale, 40_000)
    bits = case.margins >= level[:, None]
    bins = case.outputs.bins(ones_of(bits, 2))
    law = faulty_output_laws(design)["query-noise-drawn-once"]
    shares = np.bincount(bins, minlength=law.size) / 40_000
    assert np.all(np.abs(shares - law) <= 6 * np.sqrt(law * (1 - law) / 40_000) + 3e-4)


@pytest.mark.parametrize("positives", [1, 2, 3, 5, 10, 40])
def test_batteries_have_few_enough_outputs_and_neighbours_within_the_sensitivity(positives):
    variant = Variant((2.0, 4.0 * positives), "exponential", positives)
    assert all(claimed_law(design).size <= MOST_OUTPUTS for design in battery("above-threshold", variant))
    assert most_rounds(positives) >= 9
    for monotone in (False, True):
        for pair in pairs("above-threshold", variant, monotone):
            steps = np.subtract(pair.design.utilities, pair.neighbour.utilities)
            assert np.abs(steps).max() == 1.0
            assert (steps <= 0).all() == monotone
    names = [pair.design.name for pair in pairs("above-threshold", variant, False)]
    assert len(set(names)) == len(names) == 3
