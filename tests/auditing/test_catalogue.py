"""A selection of the catalogue of mutants, refuted by the check that is there for them; benign ones never are."""

import pytest

from nrverify import audit
from nrverify.auditing.catalogue import catalogue
from nrverify.auditing.causes import CLAIM
from nrverify.reference.mutants import BENIGN, MUTANTS

BY_NAME = {mutant.name: mutant.subject for mutant in MUTANTS}
BENIGN_BY_NAME = {variant.name: variant.subject for variant in BENIGN}


@pytest.mark.parametrize(
    ("name", "check"),
    [
        ("laplace-keep-linear", "ties"),
        ("laplace-one-coin", "independence.coordinates"),
        ("laplace-fresh-noise", "ties"),
        ("skellam-asymmetric", "law.release"),
        ("skellam-fresh-noise", "law.transcript"),
        ("brownian-shared-by-sessions", "randomness.streams"),
        ("brownian-repeated-time-fresh", "ties.repeated-time"),
        ("brownian-third-time-fresh", "ties.repeated-time"),
        ("brownian-few-noises", "randomness.streams"),
        ("brownian-mirrored-batch", "independence.sessions"),
        ("brownian-every-twentieth", "independence.sessions"),
        ("brownian-small-cache", "law.transcript"),
        ("skellam-normal-above-two", "law.transcript"),
        ("threshold-reused", "threshold.law"),
        ("epsilon-brownian-fresh-noise", "law.increments"),
        ("epsilon-laplace-norm", "privacy.epsilon"),
    ],
)
def test_a_mutant_is_refuted_by_its_check(name, check):
    report = audit(BY_NAME[name])
    assert report.verdict == "refuted"
    assert check in {result.id for result in report.checks if result.verdict == "refuted"}


@pytest.mark.parametrize(
    ("name", "cause"),
    [
        ("brownian-few-noises", "noise made from few random numbers"),
        ("brownian-every-twentieth", "serve several sessions"),
        ("skellam-normal-above-two", "normal numbers rounded"),
        ("threshold-reused", "noise shared by runs"),
    ],
)
def test_the_cause_named_is_the_mistake_made(name, cause):
    messages = [result.message for result in audit(BY_NAME[name]).checks if result.verdict == "refuted"]
    assert any(cause in message for message in messages)


@pytest.mark.parametrize(
    "name",
    [
        "brownian-plain-numbers",
        "brownian-recomputes-repeats",
        "laplace-poisson-arrivals",
        "skellam-thinning",
        "epsilon-brownian",
    ],
)
def test_a_benign_variant_is_not_refuted(name):
    """Wrong with probability at most 1e-6 each."""
    assert audit(BENIGN_BY_NAME[name], samples=3000).verdict in ("consistent", "inconclusive")


def test_every_check_is_in_the_catalogue_and_says_what_it_catches():
    entries = catalogue()
    assert set(entries) == set(CLAIM)
    for entry in entries.values():
        assert any("Catches" in doc or "catches" in doc for doc in entry.docs), entry.id
