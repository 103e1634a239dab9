"""What a fault of a threshold mechanism means: losses from exact laws, and no leak where a private relative fits."""

import re

import numpy as np
import pytest

from nrverify.auditing.threshold.designs import designs_for, every_design
from nrverify.auditing.threshold.effects import (
    HARMLESS,
    NOT_EXCLUDED,
    TOO_FEW,
    any_law,
    excluded,
    loss_of,
    priced,
    priced_by_scales,
    probing,
)
from nrverify.auditing.threshold.faulty_laws import unmixed_laws
from nrverify.auditing.threshold.relatives import Relative, fitted_scales, private_relatives, relative_law
from nrverify.laws.threshold import probability

ALPHA = 2.2e-7
LYU = 1 + 2 ** (2 / 3)


def expected(law_of, runs):
    """As many runs as are expected, over all designs of AboveThreshold."""
    designs = every_design("above-threshold")
    return {design: runs / len(designs) * law_of(design) for design in designs}


@pytest.mark.parametrize(
    "relative", [Relative(2.0, 4.0), Relative(LYU, 2 / (1 - 1 / LYU)), Relative(3.0, 2.5, exponential=True)]
)
def test_the_law_of_a_relative_is_the_one_that_other_code_integrates(relative):
    for design in designs_for("above-threshold")[3:6]:
        law = relative_law(design, relative)
        for bin in (0, design.rounds - 1, design.rounds):
            bits = [0] * bin + [1] if bin < design.rounds else [0] * bin
            exact = probability(
                bits,
                utilities=design.utilities,
                epsilons=design.epsilons,
                threshold=design.threshold,
                sensitivity=design.sensitivity,
                scales=(relative.a, relative.b),
                noise="exponential" if relative.exponential else "laplace",
            )
            assert law[bin] == pytest.approx(exact, abs=1e-10)


def test_noise_on_top_has_the_law_of_its_simulation():
    # 200,000 runs, 12 bins at 5 standard deviations: error probability below 8e-6, with a fixed seed.
    design, rng, runs = designs_for("above-threshold")[4], np.random.default_rng(4), 200_000
    scale = design.sensitivity / design.epsilons[0]
    for relative in (Relative(2.0, 4.0, on_threshold=2.0), Relative(2.0, 4.0, on_queries=4.0)):
        level = rng.laplace(0, 2 * scale, runs) + relative.on_threshold * scale * rng.standard_normal(runs)
        noise = rng.laplace(0, 4 * scale, (runs, design.rounds))
        noise += relative.on_queries * scale * rng.standard_normal(noise.shape)
        above = np.array(design.utilities) + noise >= design.threshold + level[:, None]
        bins = np.where(above.any(axis=1), above.argmax(axis=1), design.rounds)
        shares, law = np.bincount(bins, minlength=design.rounds + 1) / runs, relative_law(design, relative)
        assert np.all(np.abs(shares - law) < 5 * np.sqrt(law * (1 - law) / runs) + 1e-4)


def test_every_private_relative_keeps_the_bound_of_the_proof():
    for relative in private_relatives():
        assert 1 / relative.a + 2 / relative.b <= 1 + 1e-12


@pytest.mark.parametrize(
    ("fault", "loss"),
    [
        # ε(1/a + 2/b) at ε = 2, nearly reached far above and then far below the threshold
        ("query-noise-halved", 3.0),
        ("threshold-noise-halved", 3.0),
        ("noises-exchanged", 2.5),
        ("both-noises-halved", 4.0),
        ("query-deviation-for-scale", 1 + 2**0.5),
    ],
)
def test_the_loss_of_a_wrong_scale_is_the_sharp_bound(fault, loss):
    found = loss_of(fault, "above-threshold", "dp")
    assert found.loss == pytest.approx(loss, abs=2e-3)
    assert found.claim == 2.0
    assert found.exceeds


@pytest.mark.parametrize("fault", ["threshold-noise-redrawn", "no-threshold-noise", "normal-query-noise"])
def test_faults_without_a_bound_are_seen_to_leak(fault):
    assert loss_of(fault, "above-threshold", "dp").exceeds


@pytest.mark.parametrize("fault", sorted(HARMLESS))
def test_no_harmless_fault_exceeds_the_claim_at_the_neighbours_tried(fault):
    found = loss_of(fault, "above-threshold", "ex-post")
    assert found is None or not found.exceeds


@pytest.mark.slow  # laws at rising ε take seconds each
@pytest.mark.parametrize("fault", sorted(HARMLESS))
def test_no_harmless_fault_exceeds_the_claim_at_rising_epsilons(fault):
    found = loss_of(fault, "reduced-above-threshold", "ex-post")
    assert found is not None
    assert not found.exceeds


@pytest.mark.parametrize(
    ("fault", "runs", "effect"),
    [
        ("query-noise-halved", 100, "unproved"),
        ("query-noise-halved", 2_000, "leak"),
        ("threshold-noise-redrawn", 2_000, "leak"),
        ("normal-query-noise", 2_000, "unproved"),
        ("normal-query-noise", 10_000, "leak"),
        ("query-noise-doubled", 2_000, "inaccuracy"),
        ("rounds-counted-from-0", 2_000, "inaccuracy"),
    ],
)
def test_a_leak_is_said_when_private_relatives_are_excluded(fault, runs, effect):
    counts = expected(lambda design: unmixed_laws(design).get(fault), runs)
    found = priced([fault], counts, "above-threshold", "dp", ALPHA)
    assert found.effect == effect
    assert (found.loss is not None) == (effect == "leak")
    if effect == "leak":
        assert found.loss > found.claim
        assert "if this is the fault" in found.words


@pytest.mark.parametrize(
    "relative",
    [
        Relative(LYU, 2 / (1 - 1 / LYU)),
        Relative(2.0, 4.0, exponential=True),
        Relative(LYU, 2 / (1 - 1 / LYU), exponential=True),
        Relative(5.0, 2.5),
        Relative(2.0, 4.0, on_queries=3.0),
    ],
)
@pytest.mark.parametrize("runs", [200, 8_000])
def test_what_keeps_the_claim_is_never_said_to_leak_whichever_fault_is_named(relative, runs):
    counts = expected(lambda design: relative_law(design, relative), runs)
    for fault in ("query-noise-halved", "query-deviation-for-scale", "threshold-noise-redrawn", "normal-query-noise"):
        assert priced([fault], counts, "above-threshold", "dp", ALPHA).effect != "leak"


@pytest.mark.slow  # a fit takes a second
@pytest.mark.parametrize("relative", [Relative(LYU, 2 / (1 - 1 / LYU)), Relative(5.0, 2.5)])
def test_scales_that_keep_the_claim_are_fitted_and_not_said_to_leak(relative):
    counts = expected(lambda design: relative_law(design, relative), 8_000)
    assert priced_by_scales(counts, ALPHA).effect != "leak"


def test_scales_that_no_named_fault_has_are_fitted_and_priced_at_their_confidence_limit():
    counts = expected(lambda design: relative_law(design, Relative(2.0, 2.5)), 8_000)
    found = fitted_scales({design: seen for design, seen in counts.items() if design.constant}, ALPHA)
    assert (found.a, found.b) == (pytest.approx(2.0, rel=0.02), pytest.approx(2.5, rel=0.02))
    assert 1.0 < found.loss < 1 / 2.0 + 2 / 2.5
    leak = priced_by_scales(counts, ALPHA)
    assert leak.effect == "leak"
    # The number is a limit: it is not what the scales beside it lose, 1/a + 2/b.
    limit = re.search(r"of about 2Δ/ε and 2\.5Δ/ε, the loss is at least (1\.\d+) times ε: a leak", leak.words)
    assert float(limit[1]) == pytest.approx(found.loss, rel=1e-2)


@pytest.mark.parametrize("mechanism", ["above-threshold", "reduced-above-threshold"])
def test_neighbours_are_named_in_words(mechanism):
    names = [pair.design.name for pair in probing(mechanism)]
    assert "31 rounds at the threshold" in names
    assert not any("-0 " in name or "rounds 0 above" in name for name in names)


def test_a_leak_that_is_only_one_of_the_faults_that_fit_is_not_said():
    counts = expected(lambda design: unmixed_laws(design)["query-noise-halved"], 5_000)
    assert priced(["query-noise-halved", "query-noise-doubled"], counts, "above-threshold", "dp", ALPHA).effect == (
        "unproved"
    )


def without_noise_in_round_one(design):
    """The claimed law, but for a first query without noise: by its definition, over the threshold's noise."""
    scale = design.sensitivity / design.epsilons[0]
    level, weight = np.polynomial.laguerre.laggauss(100)
    noise = 2 * scale * np.concatenate([-level, level])
    room = noise[None, :] - (np.array(design.utilities) - design.threshold)[:, None]
    below = np.where(room < 0, 0.5 * np.exp(room / (4 * scale)), 1 - 0.5 * np.exp(-np.abs(room) / (4 * scale)))
    below[0] = room[0] > 0
    reached = np.vstack([np.ones(noise.size), np.cumprod(below, axis=0)]) @ np.concatenate([weight, weight]) / 2
    return np.append(-np.diff(reached), reached[-1])


def test_scales_are_not_blamed_where_no_scales_explain_what_was_seen():
    counts = expected(without_noise_in_round_one, 20_000)
    found = priced_by_scales({design: np.round(seen) for design, seen in counts.items()}, ALPHA)
    assert found.effect == "unproved"
    assert found.why not in (NOT_EXCLUDED, TOO_FEW)


@pytest.mark.parametrize("runs", [300, 30_000])
def test_the_law_that_was_drawn_is_not_excluded_and_another_is(runs):
    relative, rng = Relative(2.0, 3.0), np.random.default_rng(runs)
    designs = [design for design in every_design("above-threshold") if design.constant]
    counts = {d: rng.multinomial(runs // len(designs), relative_law(d, relative)).astype(float) for d in designs}
    own = sum(float((seen * np.log(relative_law(d, relative) / unmixed_claim(d))).sum()) for d, seen in counts.items())
    assert not excluded(own, counts, ALPHA)
    assert excluded(0.0, counts, ALPHA) == (runs > 10_000)
    assert any_law(counts) <= sum(best_of(seen, unmixed_claim(design)) for design, seen in counts.items())


def unmixed_claim(design):
    return relative_law(design, Relative(2.0, 4.0))


def best_of(seen, law):
    """The largest log-likelihood of any law over this one."""
    hit = seen > 0
    return float((seen[hit] * np.log(seen[hit] / seen.sum() / law[hit])).sum())
