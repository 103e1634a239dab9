"""Events of the report: plain ones, whose values can be looked for, and sentences that say no more than was seen."""

import hashlib

import numpy as np

from nrverify.auditing.claims.bets import Point
from nrverify.auditing.claims.columns import columns_of
from nrverify.auditing.claims.events import found_event
from nrverify.auditing.claims.measured import Measured, beside, runs_to_show
from nrverify.auditing.claims.sample import Labelled, together

POINT = Point(0.5, 0.0, 0.5)


def event_of(zero, one, seed=0, fresh=1000):
    """The event found in outputs under label 0 and label 1, to be counted in so many fresh runs, in words."""
    outputs = [*zero, *one]
    order = np.random.default_rng(seed).permutation(len(outputs))
    label = order >= len(zero)
    mixed = [outputs[place] for place in order]
    sample = together([Labelled(0, columns_of(mixed), label, np.full(label.size, 0.5))])
    found = found_event(0, sample, POINT, fresh)
    assert found is not None
    return found[1].words(sample, mixed)


def test_integers_are_told_apart_by_a_limit_and_not_by_a_list_of_lucky_values():
    rng = np.random.default_rng(1)
    noise = [(rng.geometric(0.55, 1500) - rng.geometric(0.55, 1500)).tolist() for _ in range(2)]
    words = event_of([one - 1 for one in noise[0]], noise[1])
    assert " or " not in words
    assert words.startswith("the output is above")


def test_of_equal_events_the_plainest_is_said():
    rng = np.random.default_rng(2)

    def outputs(share):
        return [None if quiet else {"v": [1, 0.5], "t": "q"} for quiet in rng.random(1500) < share]

    assert event_of(outputs(0.3), outputs(0.05)) == "the output is None"


def test_a_further_value_is_listed_only_where_it_improves_the_event():
    rng = np.random.default_rng(3)
    names = np.array(["a", "b", "c", "d", "e"])
    zero = rng.choice(names, 2000, p=[0.1, 0.225, 0.225, 0.225, 0.225]).tolist()
    one = rng.choice(names, 2000, p=[0.4, 0.15, 0.15, 0.15, 0.15]).tolist()
    assert event_of(zero, one) == "the output is 'a'"


def test_a_limit_has_few_digits_also_where_outputs_are_large_or_small():
    """To a thousandth of the range of the outputs, of which the limits are quantiles."""
    rng = np.random.default_rng(4)
    zero, one = rng.laplace(0, 0.5, 2000), rng.laplace(1, 0.5, 2000)
    for centre, scale, digits in ((0.0, 1.0, 6), (1234567.0, 1.0, 12), (0.0, 1e-9, 6), (0.0, 1e300, 6)):
        words = event_of((centre + scale * zero).tolist(), (centre + scale * one).tolist())
        limit = words.split()[-1]
        assert centre - 4 * scale < float(limit) < centre + 4 * scale
        assert len(limit.partition("e")[0].replace(".", "").lstrip("-0")) <= digits


def test_of_a_long_value_both_ends_its_length_and_a_digest_are_said():
    text = "y" * 5000
    words = event_of([text + "a"] * 300 + ["c"] * 300, [text + "b"] * 300 + ["c"] * 300)
    assert words in {event_words(text + last) for last in "ab"}


def event_words(value):
    shown = repr(value)
    digest = hashlib.sha256(shown.encode()).hexdigest()[:16]
    return f"the output is {shown[:60]}…{shown[-60:]} (5,003 characters as Python writes it, SHA-256 {digest}…)"


def measured(hits, other, delta=0.0):
    return Measured("the output is 1", "0", "1", hits, 1000, other, 1000, 1.0, delta)


def test_frequencies_are_said_as_counts_and_the_epsilon_with_its_delta():
    """ "in 1 of 500 runs" would be read as one run where it is all of them."""
    assert "the output is 1 in 1000 of 1000 fresh runs on 0 and in 0 of 1000 on 1" in measured(1000, 0).sentence
    assert "at δ = 0.01 with confidence" in measured(600, 180, 0.01).sentence
    assert "δ" not in measured(600, 180).sentence


def test_what_was_measured_is_said_as_far_as_it_goes():
    assert "no ε above 0" in measured(500, 500).sentence
    assert "more than is claimed" not in measured(600, 300).sentence
    assert "more than is claimed, but less than refutes at this level" in measured(600, 180).sentence


def test_a_rare_outlier_is_the_event_and_not_a_common_one_that_says_nothing():
    rng = np.random.default_rng(5)
    zero, one = rng.laplace(0, 1, 20_000), rng.laplace(0, 1, 20_000)
    one[::800] += 1000
    words = event_of(zero.tolist(), one.tolist(), fresh=20_000)
    assert words.startswith("the output is above ")
    assert 8 < float(words.split()[-1]) < 1010


def test_a_rare_text_among_numbers_is_an_event():
    rng = np.random.default_rng(6)
    zero, one = rng.laplace(0, 1, 20_000).tolist(), rng.laplace(0, 1, 20_000).tolist()
    one[::800] = ["none"] * 25
    assert event_of(zero, one, fresh=20_000) == "the output is 'none'"


def test_a_length_that_betrays_is_said_rather_than_the_entries_that_it_brings():
    rng = np.random.default_rng(7)
    zero, one = (
        [rng.normal(0, 1, 10 + int(longer)).tolist() for longer in rng.random(1500) < share] for share in (0.2, 0.7)
    )
    assert event_of(zero, one).startswith("the length of the output is ")


def test_so_many_runs_are_counted_as_are_likely_to_show_the_violation():
    """At δ = 0, so many that the limit of `Measured` at the shares themselves exceeds the claim."""
    enough = runs_to_show(0.4, 0.1, 1.0, 0.0, 20_000)
    half = enough // 2
    assert Measured("", "", "", int(0.4 * half), half, int(0.1 * half), half, 1.0, 0.0).epsilon > 1.0
    assert enough < runs_to_show(0.3, 0.1, 1.0, 0.0, 20_000)
    # log 3 − 1 = 0.1 is not shown by 2,000 runs; an event that keeps the claim is shown by none.
    assert runs_to_show(0.3, 0.1, 1.0, 0.0, 2_000) == 2_000
    assert runs_to_show(0.1, 0.1, 1.0, 0.0, 20_000) == 20_000
    assert runs_to_show(0.5, 0.0, 1.0, 0.1, 20_000) == 1_000


def test_a_measured_epsilon_beside_its_claim_has_digits_that_tell_them_apart():
    assert beside(1.2345, 1.0) == "1.23"
    assert beside(1.0034, 1.0) == "1.003"
    assert beside(0.99996, 1.0) == "0.99996"


def test_a_second_condition_is_no_list_of_lucky_values():
    """Sixteen characters that say nothing, beside the last one, which betrays."""
    rng = np.random.default_rng(8)

    def outputs(share):
        noise = rng.integers(0, 16, (700, 12))
        told = rng.random(700) < share
        return [
            "".join("0123456789abcdef"[one] for one in row) + "xy"[last]
            for row, last in zip(noise, told.astype(int), strict=True)
        ]

    words = event_of(outputs(0.2), outputs(0.8))
    assert words.startswith("character 13 of the output is ")
    assert " or " not in words


def test_of_a_long_name_both_ends_are_said():
    words = event_of([{"n" * 500: v} for v in range(300)], [{"n" * 500: v} for v in range(150, 450)])
    assert "n" * 30 + "…" + "n" * 30 in words
    assert "n" * 40 not in words
