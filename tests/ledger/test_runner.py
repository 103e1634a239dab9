"""The runner accepts evidence only when the accepted form passes and every wrong variant is refuted."""

import pytest

from nrverify.ledger import Refuted, certificate, derivation, holds, property_, reading, refuted, statistic
from nrverify.ledger.evidence import misprint
from nrverify.ledger.runner import PROFILES, run_evidence, spent_share
from nrverify.ledger.suites import load_suites

QUICK = PROFILES["quick"]


def accept_only_two(run, form=2):
    """The form is two."""
    if form != 2:
        raise Refuted(f"{form} is not two")


def test_evidence_that_rejects_its_wrong_variants_is_proved():
    result = run_evidence(derivation({"B01": holds}, rejects={"three": {"form": 3}})(accept_only_two), QUICK, 0)
    assert result.outcome == "proved"
    assert result.rejects == ("three",)


def test_a_wrong_variant_that_is_accepted_fails_the_evidence():
    evidence = derivation({"B01": holds}, rejects={"three": {"form": 3}, "two again": {"form": 2}})(accept_only_two)
    result = run_evidence(evidence, QUICK, 0)
    assert result.outcome == "failed"
    assert "'two again': was accepted" in result.message


def test_a_wrong_variant_that_crashes_is_not_counted_as_rejected():
    def crash(run, form=2):
        if form != 2:
            raise ZeroDivisionError("division by zero")

    result = run_evidence(derivation({"B01": holds}, rejects={"three": {"form": 3}})(crash), QUICK, 0)
    assert result.outcome == "failed"
    assert "ZeroDivisionError" in result.message


def test_an_accepted_form_that_is_refuted_fails_the_evidence():
    def refuses(run, form=2):
        raise Refuted("always")

    result = run_evidence(derivation({"B01": holds}, rejects={"three": {"form": 3}})(refuses), QUICK, 0)
    assert result.outcome == "failed"
    assert "refuted: always" in result.message


@pytest.mark.parametrize("decorate", [derivation, certificate, property_])
def test_evidence_without_a_wrong_variant_cannot_be_written(decorate):
    with pytest.raises(ValueError, match="at least one wrong variant"):
        decorate({"B01": holds}, rejects={})(accept_only_two)


def test_a_printed_form_must_be_among_the_rejected_variants():
    with pytest.raises(ValueError, match="printed form 'four'"):
        derivation({"B13": refuted("four")}, rejects={"three": {"form": 3}})(accept_only_two)


def test_a_reading_cannot_find_that_a_statement_holds():
    with pytest.raises(ValueError, match="only find a misprint or a gap"):
        reading("words", {"B01": holds}, place="Section 3", reason="because")


def test_a_reading_is_noted_with_its_place_and_reason():
    result = run_evidence(reading("w", {"P04": misprint()}, place="Section 2", reason="∞ is left out"), QUICK, 0)
    assert result.outcome == "noted"
    assert result.steps[0].name == "Section 2"


def test_a_statistic_spends_only_the_tests_it_declared():
    def two_tests(experiment, p=0.5):
        experiment.test("first", p)
        experiment.test("second", p)

    evidence = statistic({"B06": holds}, rejects={"never": {"p": 0.0}}, share=0.5)(two_tests)
    assert "more tests than the evidence declared" in run_evidence(evidence, QUICK, 0).message


def test_a_statistic_states_its_share_of_the_error_probability_and_its_samples():
    def one_test(experiment, p=0.5):
        experiment.samples(1000)
        experiment.test("only", p)

    evidence = statistic({"B06": holds}, rejects={"impossible": {"p": 1e-7}}, share=0.5)(one_test)
    result = run_evidence(evidence, PROFILES["standard"], 0)
    assert (result.outcome, result.samples, result.alpha) == ("consistent", 1000, 5e-7)


def test_the_shares_of_all_suites_keep_the_run_s_error_probability():
    shares = [item.evidence.share for item in load_suites().evidence]
    assert len(shares) > 100
    assert 0 < spent_share(item.evidence for item in load_suites().evidence) <= 1 + 1e-9


def test_random_streams_depend_on_the_evidence_and_the_seed_only():
    drawn = []

    def draws(experiment, p=0.5):
        drawn.append(experiment.rng(case=3).integers(2**60))
        experiment.test("only", p)

    evidence = statistic({"B06": holds}, rejects={"impossible": {"p": 0.0}}, share=0.5)(draws)
    for seed in (0, 0, 1):
        run_evidence(evidence, QUICK, seed)
    assert drawn[0] == drawn[1] == drawn[2] == drawn[3] != drawn[4]
