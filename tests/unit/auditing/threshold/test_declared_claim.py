"""The privacy claim from the declared noise: worst losses with witnesses, δ at pairs, and when nothing follows."""

import pytest

from nrverify.auditing.core.calculated import of_declared, of_declared_among
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.auditing.threshold.declared_claim import DECLARED, DeclaredClaim
from nrverify.auditing.threshold.variant_designs import pairs
from nrverify.auditing.threshold.worst_pairs import needed_delta, witness, worst_share
from nrverify.laws.threshold import privacy_loss, total_hockey_stick
from nrverify.laws.threshold.variants import Variant
from nrverify.subjects.adapter import Adapter
from tests.contract.sparse_vectors import declared


def conclude(**said):
    return DeclaredClaim(Adapter(declared(**said)()).description).conclude(0.0)


@pytest.mark.parametrize("noise", ["laplace", "exponential"])
@pytest.mark.parametrize("monotone", [False, True])
@pytest.mark.parametrize(("scales", "positives"), [((2.0, 4.0), 1), ((2.0, 4.0), 3), ((1.0, 9.0), 2), ((5.0, 1.0), 4)])
def test_a_witness_within_the_sensitivity_reaches_the_worst_loss(noise, monotone, scales, positives):
    # The bound 1/a + 2c/b is the proof's; the loss is computed from the exact law of the bits.
    found = witness(Variant(scales, noise, positives), monotone)
    own, other = ([found.at_zeros[side]] * found.zeros + [found.at_ones[side]] * found.ones for side in (0, 1))
    steps = [u - v for u, v in zip(own, other, strict=True)]
    assert max(map(abs, steps)) == 1.0
    assert not monotone or max(steps) == 0.0
    loss = privacy_loss(
        [0] * found.zeros + [1] * found.ones,
        utilities=own,
        neighbour=other,
        epsilons=[1.0] * len(own),
        scales=scales,
        noise=noise,
        positives=positives,
    )
    assert loss == pytest.approx(found.share, rel=1e-9)
    assert loss == pytest.approx(1 / scales[0] + (1 if monotone else 2) * positives / scales[1], rel=1e-9)
    assert loss == pytest.approx(worst_share(Variant(scales, noise, positives), monotone), rel=1e-9)


@pytest.mark.parametrize(
    ("said", "form"),
    [
        ({}, None),
        ({"scales": (2.0, 12.0), "positives": 3}, None),
        ({"scales": (2.0, 6.0), "positives": 3, "monotone": True}, None),
        ({"scales": (1 + 2 ** (2 / 3), (1 + 2 ** (2 / 3)) * 2 ** (1 / 3))}, None),
        ({"noise": "exponential"}, None),
        ({"scales": (2.0, 3.9)}, "scales-too-small"),
        ({"scales": (2.0, 2.0), "monotone": True}, None),
        ({"scales": (2.0, 2.0)}, "scales-too-small"),
        ({"positives": 2}, "positives-not-paid"),
        ({"positives": 2, "noise": "exponential"}, "positives-not-paid"),
        ({"noise": "gaussian", "scales": (8.0, 16.0), "delta": 1e-6}, None),
        ({"noise": "gaussian", "scales": (2.0, 4.0), "delta": 1e-6}, "delta-too-small"),
        ({"noise": "gaussian", "scales": (2.0, 4.0), "delta": 0.1}, None),
        ({"noise": "gaussian", "scales": (8.0, 16.0), "delta": 0.0}, "delta-too-small"),
        ({"noise": "gaussian", "scales": (30.0, 500.0), "delta": 0.0, "positives": 2}, "delta-too-small"),
        ({"scales": (2.0, 3.9), "delta": 0.1}, None),
        ({"scales": (0.5, 0.5), "delta": 1e-3}, "delta-too-small"),
    ],
    ids=str,
)
def test_the_claim_is_kept_exactly_where_the_noise_declared_is_enough(said, form):
    result = conclude(**said)
    assert result.verdict is (CheckVerdict.CONSISTENT if form is None else CheckVerdict.REFUTED)
    assert (result.finding.fault and result.finding.fault.id) == form
    assert result.kind == "privacy"


LYU = {
    2: ({"scales": (6.0, 12.0), "positives": 3}, True),
    3: ({"scales": (2.0, 6.0), "positives": 3}, False),
    4: ({"scales": (4.0, 4 / 3), "positives": 3}, False),
    6: ({"scales": (2.0, 2.0), "positives": 3}, False),
}
"""The variants that Lyu, Su and Li (2017) number so, as far as scales express them, at c = 3; 1 is above."""


@pytest.mark.parametrize("number", LYU)
def test_published_variants_are_judged_as_their_survey_judges_them(number):
    said, private = LYU[number]
    assert (conclude(**said).verdict is CheckVerdict.CONSISTENT) == private


@pytest.mark.parametrize("variant", [Variant((1.0, 1.5), "gaussian", 1), Variant((1.0, 3.0), "laplace", 2)], ids=str)
def test_the_delta_of_a_pair_is_the_hockey_stick_of_its_whole_output(variant):
    pair = pairs("above-threshold", variant, False)[0]
    both = (pair.design.utilities, pair.neighbour.utilities)
    sticks = [
        total_hockey_stick(
            2.0 * (1 + 1e-9),
            utilities=own,
            neighbour=other,
            epsilons=pair.design.epsilons,
            scales=variant.scales,
            noise=variant.noise,
            positives=variant.positives,
        )
        for own, other in (both, both[::-1])
    ]
    assert needed_delta(pair, ex_post=False) == pytest.approx(max(sticks), rel=1e-8)
    assert needed_delta(pair, ex_post=True) > max(sticks)


def test_nothing_follows_from_the_noise_declared_where_the_law_is_refuted():
    kept, broken = conclude(), conclude(positives=2)
    law = CheckResult("threshold.law", "law", CheckVerdict.REFUTED)
    after = of_declared([kept, broken], [law], DECLARED)
    assert [result.verdict for result in after] == [CheckVerdict.INCONCLUSIVE, CheckVerdict.REFUTED]
    assert "threshold.law is refuted" in after[0].message
    assert of_declared([kept], [], DECLARED) == [kept]
    assert of_declared_among([law, kept], kept.id, DECLARED) == [law, after[0]]
    assert of_declared_among([law, kept], "another", DECLARED) == [law, kept]
