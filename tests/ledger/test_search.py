"""A property searches for a counterexample, the same one for the same seed, and refutes when it finds it."""

import pytest
from hypothesis import strategies as st

from nrverify.ledger import Refuted
from nrverify.ledger.record import Record
from nrverify.ledger.search import Search


def search(examples=100):
    return Search(Record(), stream=7, examples=examples, shrink=True)


def test_a_property_of_several_inputs_without_a_counterexample_is_noted():
    found = search()
    found.for_all("sum", lambda a, b: Search.require(a + b == b + a, "not commutative"), st.integers(), st.integers())
    assert "no counterexample among 100" in found.record.steps[0].text


def test_a_counterexample_refutes_and_is_shrunk():
    def below_hundred(n):
        Search.require(n < 100, f"{n} is too large")

    with pytest.raises(Refuted, match="100 is too large"):
        search().for_all("bounded", below_hundred, st.integers(0, 10_000))


def test_the_same_stream_searches_the_same_cases():
    def cases():
        seen = []
        search().for_all("any", seen.append, st.integers())
        return seen

    assert cases() == cases()


def test_an_error_in_a_property_is_not_taken_for_a_refutation():
    with pytest.raises(ZeroDivisionError):
        search().for_all("broken", lambda n: 1 // 0, st.integers())


def test_the_search_for_a_wrong_variant_ends_with_its_first_counterexample():
    seen = []

    def below_hundred(n):
        seen.append(n)
        Search.require(n < 100, f"{n} is too large")

    with pytest.raises(Refuted, match=r"\d+ is too large"):
        Search(Record(), stream=7, examples=100, shrink=False).for_all("bounded", below_hundred, st.integers(0, 10_000))
    assert [n for n in seen if n >= 100] == seen[-1:]
