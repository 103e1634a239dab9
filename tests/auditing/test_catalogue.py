"""A selection of the catalogue of mutants, refuted by the check that is there for them; benign ones never are."""

import pytest

from nrverify import audit
from nrverify.auditing.explain.catalogue import catalogue
from nrverify.auditing.registry import known_ids
from nrverify.reference.mutants import BENIGN, MUTANTS

BY_NAME = {mutant.name: mutant.subject for mutant in MUTANTS}
BENIGN_BY_NAME = {variant.name: variant.subject for variant in BENIGN}


@pytest.mark.parametrize(
    ("name", "check", "cause"),
    [
        ("laplace-keep-linear", "ties", "a wrong probability of staying"),
        ("laplace-jumps-clipped", "ties", "noise that is clipped"),
        ("brownian-cut-off", "law.transcript", "redrawn beyond a limit"),
        ("brownian-rare-sessions", "law.transcript", "some sessions noise of another scale"),
        ("laplace-one-coin", "independence.coordinates", "one draw (or one coin) serves several coordinates"),
        ("laplace-fresh-noise", "ties", "noise drawn afresh for each release: the releases before are forgotten"),
        ("skellam-asymmetric", "law.release", "noise that is not centred"),
        ("skellam-fresh-noise", "law.transcript", "noise drawn afresh"),
        ("brownian-shared-by-sessions", "randomness.streams", "the seed is ignored, cut down, or shared"),
        ("brownian-repeated-time-fresh", "ties.repeated-time", "new noise is drawn for a time already answered"),
        ("brownian-third-time-fresh", "ties.repeated-time", "new noise is drawn for a time already answered"),
        ("brownian-few-noises", "randomness.streams", "noise made from few random numbers"),
        ("brownian-mirrored-batch", "independence.sessions", "with the opposite sign"),
        (
            "brownian-few-batches",
            "randomness.streams",
            "noise made from few random numbers, or one used",
        ),
        ("brownian-carried-over", "independence.sessions", "serve several sessions"),
        ("threshold-few-batches", "randomness.streams", "the seed is ignored, cut down, or shared"),
        ("brownian-every-twentieth", "independence.sessions", "serve several sessions"),
        ("brownian-small-cache", "ties.repeated-time", "new noise is drawn for a time already answered"),
        ("skellam-normal-above-two", "law.transcript", "normal numbers rounded"),
        ("brownian-bridge-variance-for-deviation", "law.release", "for a standard deviation in the step of the bridge"),
        ("brownian-bridge-from-first", "law.transcript", "each release is bridged from the first one"),
        ("brownian-stale-time", "law.transcript", "is stored one release late"),
        ("brownian-late-release", "law.release", "releases come one late"),
        ("brownian-reseeded-each-release", "law.transcript", "one random number serves all steps of a session"),
        ("brownian-bridge-variance-tenth", "law.transcript", "a wrong variance of the step from one release"),
        ("brownian-depends-on-value", "law.value", "noise that depends on the value"),
        ("brownian-repeated-time-bridged", "ties.repeated-time", "the bridge is taken a little further"),
        ("laplace-scale-for-deviation", "law.transcript", "the time is taken for the standard deviation"),
        ("laplace-rescaled-path", "law.transcript", "times the ideal loss at the last time: a leak"),
        ("skellam-thinned-twice", "law.transcript", "is kept is squared"),
        ("skellam-rate-doubled", "law.transcript", "all noise has"),
        ("threshold-query-noise-halved", "threshold.law", "half the scale claimed, such as Lap(2Δ/ε)"),
        ("stopping-shared-noise", "stopping.law", "shares random numbers with the releases"),
        ("stopping-no-query-noise", "stopping.law", "the utilities get no noise of their own"),
        ("threshold-reused", "threshold.law", "noise shared by runs"),
        ("epsilon-brownian-fresh-noise", "law.increments", "noise drawn afresh"),
        ("epsilon-brownian-uniform-noise", "law.release", "noise of another family or shape"),
        ("epsilon-brownian-louder-below-zero", "law.value", "noise that depends on the value"),
        ("epsilon-skellam-fresh-noise", "law.increments", "noise drawn afresh"),
        ("epsilon-laplace-norm", "privacy.epsilon", "the sensitivity or its norm forgotten"),
        ("epsilon-discrete-laplace-uniform", "privacy.ex-post", "less noise than the claim needs"),
        ("grid-large-noise-unrounded", "protocol.granularity", "a release that is not rounded"),
    ],
)
def test_a_mutant_is_refuted_by_its_check_and_its_cause_is_named(name, check, cause):
    report = audit(BY_NAME[name])
    assert report.verdict == "refuted"
    found = {result.id: result.message for result in report.checks if result.verdict == "refuted"}
    assert check in found
    assert any(cause in message for message in found.values())


@pytest.mark.parametrize(
    ("name", "check", "samples"),
    [
        ("epsilon-discrete-laplace-uniform", "privacy.ex-post", 20_000),
        ("grid-large-noise-unrounded", "protocol.granularity", 6_000),
    ],
)
def test_what_one_check_is_for_no_other_sees(name, check, samples):
    report = audit(BY_NAME[name], samples=samples, keep_going=True)
    assert [result.id for result in report.checks if result.verdict == "refuted"] == [check]


@pytest.mark.parametrize(
    "name",
    [
        "brownian-plain-numbers",
        "brownian-recomputes-repeats",
        "laplace-poisson-arrivals",
        "skellam-thinning",
        "epsilon-brownian",
        "epsilon-discrete-laplace",
    ],
)
def test_a_benign_variant_is_not_refuted(name):
    """Wrong with probability at most 1e-6 each."""
    assert audit(BENIGN_BY_NAME[name], samples=3000).verdict in ("consistent", "inconclusive")


def test_every_check_is_in_the_catalogue_and_says_what_it_catches():
    entries = catalogue()
    assert set(entries) == set(known_ids())
    for entry in entries.values():
        assert any("Catches" in doc or "catches" in doc for doc in entry.docs), entry.id
