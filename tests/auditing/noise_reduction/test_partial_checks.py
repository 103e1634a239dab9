"""What checks keep of a batch is enough: bets made from sums and counts are the bets on every session, one by one."""

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtr

from nrverify.auditing.core.bets.score_bins import (
    BIN_EDGES,
    KolmogorovSmirnov,
    bin_counts,
    bin_counts_by_place,
    fine_counts,
)
from nrverify.auditing.core.transforms.rosenblatt import innovations
from nrverify.auditing.noise_reduction.checks.fingerprints import EQUAL_NOISE, GROWING, NOISE, keys_of
from nrverify.auditing.noise_reduction.checks.repeats import Seen
from nrverify.auditing.noise_reduction.checks.streams import MOST_TRANSCRIPTS, Streams, transcripts_of
from nrverify.auditing.noise_reduction.design.batch import Batch
from nrverify.auditing.noise_reduction.design.cases import Case
from nrverify.auditing.noise_reduction.unknown_times.increments import IncrementLaw
from nrverify.auditing.threshold.designs import designs_for, neighbours_for
from nrverify.auditing.threshold.drawing import LabelledRuns, Runs, with_scores
from nrverify.auditing.threshold.ex_post import ThresholdExPost, claims_of
from nrverify.auditing.threshold.faulty_laws import claimed_law
from nrverify.auditing.threshold.halting_bets import HazardWealth
from nrverify.auditing.threshold.law import ThresholdLaw
from nrverify.auditing.threshold.streams import BatchStreams
from nrverify.laws.laplace import Laplace
from nrverify.statistics.labels import Learner
from nrverify.statistics.wealth import TIE_EFFECTS
from nrverify.subjects.noise_families import FAMILIES
from nrverify.subjects.policies import Fixed

A_CASE = transcripts_of("a case")


def batch(releases, name="a case", schedule=None):
    schedule = schedule or tuple(float(t) for t in range(releases.shape[1], 0, -1))
    case = Case(name, (0.0,) * releases.shape[2], Fixed(schedule), "sample")
    return Batch(case, releases, np.tile(schedule, (len(releases), 1)), None, None)


def merged(check, *seen, method="observe"):
    for what in seen:
        scored = check.empty_copy()
        getattr(scored, method)(what)
        check.merge(scored)
    return check


def test_equal_transcripts_are_found_in_one_batch_and_across_batches():
    rng = np.random.default_rng(0)
    first, second = rng.standard_normal((40, 3, 1)), rng.standard_normal((50, 3, 1))
    streams = merged(Streams("brownian"), batch(first), batch(second), batch(second[:5], "another case"))
    assert streams.seen[A_CASE].repeats() == (0, 0)
    assert streams.p_value() == 1.0
    second[7], second[30] = first[3], first[3]
    streams = merged(Streams("brownian"), batch(first), batch(second))
    # Two sessions of the second request repeat one of the first, and so each other.
    assert streams.seen[A_CASE].repeats() == (1, 1)
    assert streams.sessions == 90
    # Of 90 sessions one meets another of 2^31 streams with at most this probability, in either of two ways.
    assert streams.p_value() == pytest.approx(2 * (1 - (1 - 90 / 2**31) ** 90), rel=1e-6)
    assert not streams.refuted(1e-4)
    second[8:30] = first[8:30]
    # Each of 90 is one of fewer than 90 others, by its stream once in 2^31 or by its three numbers once in 2^69.
    streams = merged(Streams("brownian"), batch(np.concatenate([first, second])))
    assert streams.seen[A_CASE].repeats() == (24, 0)
    assert streams.p_value() == pytest.approx(2 * stats.binom.sf(23, 90, 90 * (2.0**-31 + 2.0**-69)), rel=1e-6)
    assert streams.refuted(1e-9)


@pytest.mark.parametrize("name", ["brownian", "laplace"])
def test_the_same_noise_is_found_at_other_times_and_other_noise_is_not(name):
    process = FAMILIES[name].process(1.0)

    def drawn(seed, times, method):
        law, rng = process.marginal(1.0), np.random.default_rng(seed)
        unit = law.rvs(rng, (200, len(times), 1))
        if isinstance(process, Laplace):
            unit[:, 1:] *= rng.random((200, len(times) - 1, 1)) > 0.3
            spans = np.array(times[::-1])
        else:
            spans = np.sqrt(np.diff(times[::-1], prepend=0.0))
        releases = 5.0 + np.cumsum(spans[:, None] * unit, axis=1)[:, ::-1]
        asked = np.tile(times, (200, 1))
        noise = releases - 5.0
        found = innovations(process, noise, asked, np.abs(releases) + 5.0, np.random.default_rng(0), integer=False)
        return Batch(Case("moving", (5.0,), Fixed(times), method), releases, asked, asked, found)

    first, later = (8.0, 4.0, 2.0, 1.0, 0.5), (9.0, 7.0, 3.0, 2.5, 0.75)
    for method in ("sample", "open"):
        streams = merged(Streams(name), drawn(1, first, method), drawn(2, later, method))
        assert streams.p_value() == 1.0
        streams = merged(Streams(name), drawn(1, first, method), drawn(1, later, method))
        within, between = streams.seen[GROWING].repeats()
        assert within == 0
        assert between == 1 if method == "sample" else between > 50
        # One request that repeats another may be chance, with a seed of 32 bits.
        assert streams.refuted(1e-9) == (method == "open")
    assert streams.conclude(1e-9).finding.quantity == GROWING.quantity


def test_a_seed_of_32_bits_is_let_pass_and_one_of_24_is_not():
    rng = np.random.default_rng(5)
    for bits, refuted in ((32, False), (31, False), (24, True)):
        streams = Streams("brownian")
        keys = keys_of(rng.integers(2**bits, size=(200_000, 1)).astype(float))
        streams.seen[NOISE] = Seen(equal=EQUAL_NOISE)
        streams.seen[NOISE].add(keys, np.arange(200_000), np.arange(200_000))
        assert streams.refuted(1e-7) == refuted
        assert 2**24 < streams.conclude(1e-7).sizes[0].value < 2**30


def test_keys_tell_transcripts_apart_by_every_number_and_its_place_but_not_by_the_sign_of_zero():
    rows = np.array(
        [[[1.0], [2.0]], [[2.0], [1.0]], [[1.0], [np.nextafter(2.0, 3.0)]], [[0.0], [1.0]], [[-0.0], [1.0]]]
    )
    keys = [tuple(key) for key in keys_of(rows)]
    assert len(set(keys)) == 4
    assert keys[3] == keys[4]
    many = keys_of(np.random.default_rng(1).standard_normal((100_000, 1, 1)))
    assert len(np.unique(many[:, 0])) == len(np.unique(many[:, 1])) == 100_000


def test_no_more_transcripts_are_kept_than_there_is_room_for(monkeypatch):
    import nrverify.auditing.noise_reduction.checks.streams as module

    monkeypatch.setattr(module, "MOST_TRANSCRIPTS", 100)
    releases = np.random.default_rng(2).standard_normal((70, 2, 1))
    streams = merged(Streams("brownian"), batch(releases), batch(releases), batch(releases))
    assert streams.seen[A_CASE].sessions == 100
    assert streams.seen[A_CASE].repeats() == (0, 1)
    assert streams.empty_copy().empty_copy()._before[A_CASE] == 100
    assert MOST_TRANSCRIPTS > 100


def test_increments_are_bet_on_as_if_every_pair_were_there():
    """The learned Gaussian against the best law with independent centred increments, both evaluated pair by pair."""
    rng = np.random.default_rng(3)
    noise = rng.standard_normal((3, 60, 2, 1))
    check = merged(IncrementLaw(), *(batch(part) for part in noise))
    pairs = [np.column_stack([part[:, 1, 0], part[:, 0, 0] - part[:, 1, 0]]) for part in noise]
    predicted = 0.0
    for index in (1, 2):
        known = np.concatenate(pairs[:index])
        covariance = np.cov(known.T, bias=True)
        learned = stats.multivariate_normal(known.mean(axis=0), covariance + 1e-12 * np.trace(covariance) * np.eye(2))
        predicted += learned.logpdf(pairs[index]).sum()
    bet = np.concatenate(pairs[1:])
    best = stats.norm.logpdf(bet, scale=np.sqrt((bet**2).mean(axis=0))).sum()
    # One pair has the share 1/128 of the stake, and what is not bet is kept.
    expected = np.logaddexp(predicted - best - math.log(128), math.log(127 / 128))
    assert check.log_e == pytest.approx(expected, rel=1e-9)


def test_halting_rounds_are_bet_on_by_their_counts_as_run_by_run():
    design = designs_for("above-threshold")[2]
    law = claimed_law(design)
    bins = np.random.default_rng(4).choice(law.size, 300, p=law)
    check = merged(ThresholdLaw((design,), ("run_many",)), *(Runs(design, "run_many", part) for part in (bins,)))
    hazard = law[:-1] / law[::-1].cumsum()[::-1][:-1]
    odds, alike = np.zeros(TIE_EFFECTS.size), np.zeros(TIE_EFFECTS.size)
    for bin in bins:
        for n in range(min(bin + 1, design.rounds)):
            odds += TIE_EFFECTS * (n == bin) - np.log1p(hazard[n] * np.expm1(TIE_EFFECTS))
    for before, bin in pairwise(bins):
        alike += TIE_EFFECTS * (before == bin) - np.log1p(law[before] * np.expm1(TIE_EFFECTS))
    found = {topic.quantity: wealth for topic, wealth in check.portfolio.bets.items()}
    for name, expected in (("odds of halting", odds), ("a run is like the one before", alike)):
        wealth = found[f"{name} (all runs)"]
        assert isinstance(wealth, HazardWealth)
        assert wealth.log_wealth == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_labels_of_halting_rounds_are_bet_on_with_what_was_learned_before():
    pair = neighbours_for("above-threshold")[0]
    rng = np.random.default_rng(5)
    drawn = [LabelledRuns(pair, rng.integers(0, 7, 200), rng.random(200) < 0.5) for _ in range(3)]
    check = merged(ThresholdExPost((pair,)), *drawn, method="observe_labelled")
    assert check.runs == 600
    counts = np.zeros((2, 7))
    total = 0.0
    for part in drawn:
        learned = np.log((counts[1] + 1) / (counts[0] + 1))
        for bin, label in zip(part.bins, part.label, strict=True):
            claim = claims_of(pair)[bin]
            guess, said = 1 / (1 + math.exp(-learned[bin])), 1 / (1 + math.exp(-claim))
            stake = min(max(guess / said - 1, 0.0), 0.999 * math.exp(-claim))
            total += math.log1p(stake) if label else math.log1p(-min(stake * math.exp(claim), 0.9995))
        np.add.at(counts, (part.label.astype(int), part.bins), 1)
    # The last guess is the learned one, the first shrinkage is 1.
    assert check.wealth.sides[0].log_wealth[-1, 0, 0] == pytest.approx(total, rel=1e-9, abs=1e-12)


def test_equal_batches_of_runs_are_found_when_they_are_merged():
    design = designs_for("above-threshold")[0]
    rng = np.random.default_rng(6)
    first, second = (Runs(design, "run_many", rng.choice(41, 64, p=claimed_law(design))) for _ in range(2))
    assert merged(BatchStreams(), first, second).conclude(1e-9).finding is None
    once = merged(BatchStreams(), first, second, first)
    finding = once.conclude(1e-9).finding
    assert (finding.estimate.observed, finding.estimate.numbers["size"]) == (1, 64)
    # One may be chance with a seed of 32 bits: a batch in three meets one of at most three streams of 2^31.
    assert not once.refuted(1e-9)
    assert once.log_chance == pytest.approx(math.log(3 * 9 * (1 - (1 - 3 / 2**31) ** 3)), rel=1e-6)
    assert merged(BatchStreams(), first, second, first, second, first).refuted(1e-9)


def test_a_fresh_learner_guesses_as_the_one_it_comes_from_and_keeps_no_more_than_there_is_room_for():
    rng = np.random.default_rng(7)
    features = rng.standard_normal((30_000, 2))
    label = rng.random(30_000) < 1 / (1 + np.exp(-2 * features[:, 0]))
    learner = Learner()
    assert np.all(learner.predict(features) == 0)
    scored = learner.empty_copy()
    scored.learn(features, label)
    assert np.all(scored.predict(features) == 0)
    learner.merge(scored)
    assert np.array_equal(learner.empty_copy().predict(features), learner.predict(features))
    assert learner.coefficients == pytest.approx([2, 0, 0], abs=0.1)
    again = learner.empty_copy()
    again.learn(features, label)
    assert sum(map(len, again.labels)) == 10_000


def test_cells_are_counted_where_the_scores_fall():
    z = np.concatenate([np.random.default_rng(8).standard_normal(5000), [-8.2, 8.2, 0.0, -3.6, 3.6]])
    u = ndtr(z)
    expected = np.histogram(u, np.concatenate([[0.0], BIN_EDGES, [1.0]]))[0]
    assert bin_counts(fine_counts(z)).tolist() == expected.tolist()
    by_place = bin_counts_by_place(z[:5000], np.arange(5000) % 2)
    assert by_place.tolist() == [bin_counts(fine_counts(z[place:5000:2])).tolist() for place in (0, 1)]
    distance = KolmogorovSmirnov()
    distance.add(fine_counts(z))
    assert distance.counts.tolist() == np.histogram(u, np.arange(1025) / 1024)[0].tolist()


def test_normal_scores_of_halting_rounds_lie_in_their_cells():
    design = designs_for("above-threshold")[2]
    law = claimed_law(design)
    edges = np.concatenate([[0.0], law.cumsum()])
    bins = np.random.default_rng(12).choice(law.size, 500, p=law)
    u = stats.norm.cdf(with_scores(Runs(design, "run_many", bins), np.random.default_rng(13)).scores)
    assert np.all((edges[bins] - 1e-12 <= u) & (u <= edges[bins + 1] + 1e-12))
    within = (u - edges[bins]) / law[bins]
    assert stats.kstest(within, "uniform").pvalue > 1e-6
