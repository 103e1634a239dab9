"""The tool judges its own budget: right, it is consistent; its wrong variants are refuted by what they release."""

import pytest

import nrverify
from tests.accounting.audited import (
    AskedAfterwards,
    ChargesTheNoisiestLook,
    ForgetsPlainMechanisms,
    UnderOneBudget,
    under,
)


@pytest.mark.slow
def test_the_budget_is_consistent():
    report = nrverify.audit(UnderOneBudget(), samples=4_000)
    assert (report.verdict, report.privacy) == ("consistent", "consistent")


@pytest.mark.slow
@pytest.mark.parametrize(
    "budget", [AskedAfterwards, ForgetsPlainMechanisms, ChargesTheNoisiestLook], ids=lambda kind: kind.__name__
)
def test_a_wrong_budget_is_refuted_by_its_releases(budget):
    report = nrverify.audit(under(budget), samples=8_000)
    assert report.privacy == "refuted"
    assert "privacy.claim" in {check.id for check in report.checks if check.verdict == "refuted"}


def answers(subject, requests):
    asked = subject.open(0, 5)
    return [asked.ask(query) for query in requests]


REQUESTS = [["a", 0.6], ["plain", 0.5], ["a", 0.7], ["a", 0.8], ["b", 0.6]]


def test_the_right_budget_refuses_exactly_what_would_exceed_it():
    found = answers(UnderOneBudget(), REQUESTS)
    assert [paid for _, paid in found] == [0.6, 1.1, 1.2, 1.2, 1.2]
    assert [release == -1.0 for release, _ in found] == [False, False, False, True, True]


@pytest.mark.parametrize(
    ("budget", "paid"),
    [
        (AskedAfterwards, [0.6, 1.1, 1.2, 1.2, 1.2]),
        (ForgetsPlainMechanisms, [0.6, 0.6, 0.7, 0.8, 0.8]),
        (ChargesTheNoisiestLook, [0.6, 1.1, 1.1, 1.1, 1.1]),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_the_wrong_ones_are_wrong_as_they_are_named(budget, paid):
    assert [price for _, price in answers(under(budget), REQUESTS)] == pytest.approx(paid)


def test_asked_afterwards_releases_what_the_right_budget_refuses():
    asked = [under(kind).open(0, 5) for kind in (nrverify.Composition, AskedAfterwards)]
    for session in asked:
        session.ask(["plain", 1.0])
    assert [session.ask(["plain", 1.0])[0] == -1.0 for session in asked] == [True, False]
