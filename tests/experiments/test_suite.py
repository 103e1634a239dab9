"""The suite of experiments as a whole: its error budget, its findings, and what it catches."""

import numpy as np
import pytest

from nrverify.experiments import sampling
from nrverify.ledger.claims import Verdict, load_claims
from nrverify.ledger.evidence import EvidenceKind, Refuted
from nrverify.ledger.record import Record
from nrverify.ledger.runner import PROFILES, context, run_evidence
from nrverify.ledger.suites import load_suites

EXPERIMENTS = [
    located.evidence for located in load_suites().evidence if located.module.startswith("nrverify.experiments")
]


def test_every_theme_is_found_through_the_entry_point():
    themes = {evidence.name.split(".")[1] for evidence in EXPERIMENTS}
    assert themes == {
        "boundary_coverage",
        "brownian_loss",
        "brownian_stopping",
        "change_of_measure",
        "empirical_epsilon",
        "laplace_processes",
        "laplace_renyi",
        "private_stopping",
        "rare_passages",
        "sampling",
        "skellam_process",
        "threshold_halting",
        "threshold_utility",
    }


def test_all_shares_together_spend_no_more_than_the_run_has():
    assert all(evidence.share > 0 for evidence in EXPERIMENTS)
    assert sum(evidence.share for evidence in EXPERIMENTS) <= 1


def test_no_experiment_establishes_a_claim_by_not_refuting_it():
    claims = load_claims()
    for evidence in EXPERIMENTS:
        assert evidence.kind is EvidenceKind.STATISTIC
        for claim, finding in evidence.findings.items():
            assert finding.verdict in (None, claims[claim].verdict), (evidence.name, claim)
            assert finding.verdict is not Verdict.TRUE, (evidence.name, claim)


@pytest.mark.parametrize("evidence", EXPERIMENTS, ids=lambda evidence: evidence.name)
def test_accepted_form_is_consistent_and_every_wrong_variant_is_refuted_in_the_quick_profile(evidence):
    # A false alarm has probability at most 1e-6 over all of them, a variant missed about as much each.
    result = run_evidence(evidence, PROFILES["quick"], seed=20)
    assert not result.failed, result.message
    assert set(result.rejects) == set(evidence.rejects)


def test_a_result_depends_on_the_seed_alone():
    evidence = sampling.brownian_draws
    first, again, other = (run_evidence(evidence, PROFILES["quick"], seed).steps for seed in (3, 3, 4))
    assert first == again
    assert first != other


class Wider:
    """A law whose draws are five per cent too wide."""

    def __init__(self, law, centre):
        self.law, self.centre = law, centre

    def __getattr__(self, name):
        return getattr(self.law, name)

    def rvs(self, rng, size):
        draws = self.centre + 1.05 * (self.law.rvs(rng, size) - self.centre)
        if not np.issubdtype(np.asarray(self.law.rvs(rng, 1)).dtype, np.integer):
            return draws
        # Rounded at random, so that the lattice stays a lattice.
        return (np.floor(draws) + (rng.random(draws.shape) < draws % 1)).astype(np.int64)


CASES = [
    (evidence, laws, name)
    for evidence, laws in (
        (sampling.brownian_draws, sampling.BROWNIAN),
        (sampling.laplace_draws, sampling.LAPLACE),
        (sampling.skellam_draws, sampling.SKELLAM),
    )
    for name in laws
    if name != "bridge, small counts"
]


@pytest.mark.parametrize(("evidence", "laws", "name"), CASES, ids=[f"{e.name} {n}" for e, _, n in CASES])
def test_draws_of_each_law_that_are_five_per_cent_too_wide_are_refuted_in_the_quick_profile(
    evidence, laws, name, monkeypatch
):
    law, centre, standard = laws[name]
    monkeypatch.setitem(laws, name, (Wider(law, centre), centre, standard))
    with pytest.raises(Refuted, match=name):
        evidence.function(context(evidence, Record(), PROFILES["quick"], seed=5))
