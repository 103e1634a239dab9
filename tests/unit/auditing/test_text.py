"""From numbers to sentences: one kind of number, one sentence."""

import pytest

from nrverify.auditing.core.declaration import CheckKind, Declared, check
from nrverify.auditing.core.faults import known_faults
from nrverify.auditing.core.faults.halting import GOES_ON, NO_QUERY_NOISE, QUERY_NOISE_HALVED, WRONG_HALTING_LAW
from nrverify.auditing.core.faults.noise import WRONG_SCALE
from nrverify.auditing.core.finding import Finding, Place, Size, counted
from nrverify.auditing.core.results import CheckVerdict, concluded
from nrverify.auditing.explain.text import place_text, size_text, texts_of, worded
from nrverify.statistics.estimate import Estimate, Measure


@check(
    id="a.check",
    kind=CheckKind.LAW,
    sentence="It holds.",
    mechanisms=("brownian",),
    weight=0.1,
    expected="what is right",
    templates={"count": ("no run that goes on", "{observed:.0f} of {count} runs went on, such as {example}")},
)
class ACheck(Declared):
    """Asks."""


@pytest.mark.parametrize(
    ("estimate", "expected", "observed"),
    [
        (Estimate(Measure.VARIANCE, 1.0, 1.2, 0.1, 40), "variance 1 (of the claimed)", "variance 1.2 of the claimed"),
        (Estimate(Measure.SHIFT, 0.0, -0.5), "no shift", "shifted by -0.5 standard deviations"),
        (Estimate(Measure.SLOPE, 0.0, 0.25), "no dependence (slope 0)", "slope 0.25"),
        (Estimate(Measure.SCALE, 1.0, 0.5, None, 9), "scale 1 (of the claimed)", "scale 0.5 of the claimed"),
        (Estimate(Measure.EVENTS, 4.0, 7.0, None, 9), "4.0 of 9", "7 of 9"),
        (Estimate(Measure.ODDS, 1.0, 0.5), "odds as claimed", "odds smaller than claimed, by a factor of about 2"),
        (
            Estimate(Measure.CORRELATION, 0.0, 0.3, None, None, {"lag": 7}),
            "correlation 0",
            "correlation 0.3 at distance 7",
        ),
        (Estimate(Measure.COUNT, 0.0, 3.0, None, 10), "none", "3 of 10"),
    ],
)
def test_each_kind_of_number_has_its_sentence(estimate, expected, observed):
    said = texts_of(Finding("noise", estimate, WRONG_SCALE))
    assert said[0] == f"noise: {expected}"
    assert said[1].startswith(f"noise: {observed}")


def test_alternatives_are_called_by_their_titles():
    names = (QUERY_NOISE_HALVED.id, NO_QUERY_NOISE.id)
    estimate = Estimate(
        Measure.ALTERNATIVE, 0.0, 25.0, numbers=dict(zip(names, (25.0, 24.0), strict=True)), alternatives=names
    )
    said = texts_of(Finding("named faults", estimate, QUERY_NOISE_HALVED, (NO_QUERY_NOISE,)))
    assert said[1] == (
        "query noise halved is e^25 times likelier, no query noise is e^24 times likelier than the claimed law "
        "(named faults)"
    )


def test_where_another_question_stands_out_the_nearest_named_fault_is_said():
    odds = Estimate(Measure.ODDS, 1.0, 2.0)
    near = texts_of(Finding("odds of halting", odds, QUERY_NOISE_HALVED, (NO_QUERY_NOISE,)))[1]
    assert near.endswith("; the nearest named fault is: query noise halved or no query noise")
    unfit = texts_of(Finding("odds of halting", odds, WRONG_HALTING_LAW, texts={"nearest": "query noise halved"}))[1]
    assert unfit.endswith("; no named fault fits, query noise halved the nearest")


def test_a_check_has_sentences_of_its_own_in_its_declaration():
    finding = counted("bits after the first 1", 2, 9, GOES_ON, example="[1, 0]")
    said = worded(concluded(ACheck(), CheckVerdict.REFUTED, finding=finding), ACheck.declaration)
    assert (said.expected, said.observed) == ("no run that goes on", "2 of 9 runs went on, such as [1, 0]")
    spared = worded(concluded(ACheck(), CheckVerdict.CONSISTENT, sizes=(Size("run", 1, "count"),)), ACheck.declaration)
    assert (spared.expected, spared.observed, spared.detectable) == ("what is right", None, "a single run")


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (Size("variance", 0.051, "relative"), "variance off by 5.1 %"),
        (Size("variance", 12.3, "relative"), "variance off by 1200 %"),
        (Size("correlation", 0.0123, "correlation"), "correlation off by 0.012"),
        (Size("different streams", 1234.0, "streams"), "fewer than 1.2e+03 different streams"),
        (Size("ε of an attacker, where 1 is claimed,", 1.25, "ε"), "ε of an attacker, where 1 is claimed, above 1.25"),
    ],
)
def test_what_would_have_been_caught_in_words(size, text):
    assert size_text(size) == text


@pytest.mark.parametrize(
    ("place", "text"),
    [
        (Place("dimension", (3.0,), (1.0,)), "in dimension 3"),
        (Place("method", (1.0,), (0.0,)), "through open()"),
        (Place("release", (1.0,), (2.0, 3.0)), "at the first release"),
        (Place("release", (2.0, 3.0), (1.0,)), "from release 2 on"),
        (Place("time", (-1.0,), (0.0, 1.0)), "at times below 1"),
        (Place("time", (1.0, 2.0), (0.0,)), "at times from 10 on"),
    ],
)
def test_where_a_fault_is_seen_in_words(place, text):
    assert place_text(place) == text


def test_every_fault_says_its_cause_its_consequence_and_where_to_look():
    for id, fault in known_faults().items():
        assert id == fault.id == id.lower().replace(" ", "-")
        assert fault.cause
        assert fault.consequence
        assert fault.look, id
        assert not fault.cause.endswith("."), id


def test_the_ids_of_the_contract_are_in_the_table():
    contract = (
        "fresh-noise wrong-scale wrong-shape shifted wrong-bridge-mean wrong-bridge-variance wrong-stay-probability "
        "value-in-clear depends-on-value shared-between-coordinates shared-between-sessions few-streams "
        "state-between-sessions repeated-time-redrawn rounded single-precision off-grid clipped not-a-number "
        "rare-sessions threshold-noise-redrawn wrong-threshold-scale wrong-query-scale wrong-epsilon "
        "too-little-noise-for-claim boundary-crossed boundary-rises inverse-too-small last-bits claim-violated unknown"
    )
    assert set(contract.split()) <= set(known_faults())
