"""The last bits of outputs: noise added in floating-point arithmetic betrays the data, exact noise does not."""

import numpy as np
import pytest

from nrverify.auditing.claims.bets import Point
from nrverify.auditing.claims.columns import columns_of
from nrverify.auditing.claims.context import Claim
from nrverify.auditing.claims.last_bits import OutputBits, candidates, without_coarse
from nrverify.auditing.claims.pairs import Case
from nrverify.auditing.claims.sample import Labelled
from nrverify.auditing.core.declaration import CheckKind
from nrverify.auditing.core.results import CheckResult, CheckVerdict

PURE = Point(1.0, 0.0, 1.0)


def seen(make, pair, point=PURE, exact=True, looks=12, size=150):
    """The check after some looks at outputs `make(rng, data)`."""
    rng = np.random.default_rng(5)
    check = OutputBits(Claim((point,), "claimed"), (Case(*pair),), exact, 1e-6)
    for _ in range(looks):
        label = rng.random(size) < 0.5
        outputs = [make(rng, pair[int(one)]) for one in label]
        fresh = check.empty_copy()
        fresh.observe_labelled(Labelled(0, columns_of(outputs), label, np.full(size, point.smallest)))
        check.merge(fresh)
    return check


def naive(rng, data):
    return float(data + rng.laplace(0, 1.0))


def exact_laplace(rng, data):
    """The ideal noise to 2^-90, added exactly and rounded once."""
    from fractions import Fraction

    size = -Fraction(float(np.log(rng.random()))) + Fraction(int(rng.integers(2**50)), 2**100)
    return float(Fraction(data) + (size if rng.random() < 0.5 else -size))


def test_noise_added_in_doubles_is_refuted_under_exact_and_advice_under_idealized():
    refuted = seen(naive, (0, 1)).conclude(1e-6)
    assert refuted.verdict is CheckVerdict.REFUTED
    assert refuted.finding.fault.id == "last-bits"
    assert "no double added to 1 can give" in refuted.finding.texts["seen"]
    advice = seen(naive, (0, 1), exact=False)
    assert not advice.refuted(1e-6)
    assert advice.conclude(1e-6).verdict is CheckVerdict.ADVICE


def test_exact_noise_is_consistent_and_says_what_would_have_been_found():
    found = seen(exact_laplace, (0, 1)).conclude(1e-6)
    assert found.verdict is CheckVerdict.CONSISTENT
    assert "where noise is added to its number" in found.detectable


@pytest.mark.parametrize(
    ("make", "pair"),
    [
        (lambda rng, data: float(sum(data) + rng.laplace(0, 1.0)), ([3, -3], [3, -2])),
        (lambda rng, data: float(np.mean(data) + rng.laplace(0, 1.0)), ([1, -1], [1, 1])),
        (lambda rng, data: float(len(data) + rng.laplace(0, 1.0)), ([7], [7, 7])),
        (lambda rng, data: (np.array(data) + rng.laplace(0, 1.0, 2)).tolist(), ([0, 2], [1, 2])),
        (lambda rng, data: [naive(rng, data)] + ([naive(rng, data)] if rng.random() < 0.5 else []), (0, 1)),
        (lambda rng, data: {"count": naive(rng, data)}, (0, 1)),
        (lambda rng, data: [["x"], [naive(rng, data["n"][0])]], ({"n": [0]}, {"n": [1]})),
        (lambda rng, data: naive(rng, data) if rng.random() < 0.7 else None, (0, 1)),
    ],
    ids=["sum", "mean", "length", "entries", "looks", "dictionary", "nested", "sometimes None"],
)
def test_noise_may_be_added_to_several_functions_of_the_data_and_come_in_any_output(make, pair):
    assert seen(make, pair, looks=30).refuted(1e-6)


def test_integers_text_and_other_data_are_not_covered():
    for make, pair in (
        (lambda rng, data: int(data + rng.geometric(0.5)), (0, 1)),
        (lambda rng, data: round(data + rng.laplace(0, 1.0), 3), (0, 1)),
        (lambda rng, data: "yes", (0, 1)),
        (lambda rng, data: float(rng.laplace(0, 1.0)), ("a", "b")),
    ):
        found = seen(make, pair, looks=3).conclude(1e-6)
        assert found.verdict is CheckVerdict.NOT_COVERED
        assert "data that hold different numbers" in found.message


def test_delta_is_paid_for_where_nothing_is_staked():
    """With δ every run costs, so that silent outputs only lose; without δ they change nothing."""
    point = Point(1.0, 0.05, 1.0)
    silent = seen(lambda rng, data: naive(rng, data) if rng.random() < 0.001 else None, (0, 1), point)
    assert silent.bits["number"].log_e < 0
    free = seen(lambda rng, data: None, (0, 1))
    assert free.log_e == 0.0


def test_only_functions_of_the_data_that_differ_are_tried():
    assert set(candidates(Case([1, 2], [2, 1]))) == {"entries"}
    assert set(candidates(Case([0, 0], [1, 0]))) == {"entries", "sum", "mean", "changed entry"}
    assert set(candidates(Case({"a": 1, "b": ["x", 5]}, {"a": 2, "b": ["x", 5]}))) == {
        "entries", "sum", "mean", "changed entry",
    }  # fmt: skip
    assert candidates(Case({"a": "1"}, {"a": "2"})) == {}
    assert candidates(Case(10**400, 1)) == {}
    assert candidates(Case(True, False)) == {}


def test_advice_on_last_bits_is_left_out_where_the_claim_is_refuted_without_them():
    claim = CheckResult("privacy.claim", CheckKind.PRIVACY, CheckVerdict.REFUTED)
    advice = CheckResult(OutputBits.id, CheckKind.NUMERICS, CheckVerdict.ADVICE)
    assert without_coarse([claim, advice])[1].verdict is CheckVerdict.NOT_COVERED
    assert without_coarse([advice])[0].verdict is CheckVerdict.ADVICE
