"""--claim replaces the claim of a mechanism of unknown law, and is a usage error elsewhere."""

import pytest
from click.testing import CliRunner

import nrverify
from nrverify.auditing.replay.replay import replay
from nrverify.cli import cli
from tests.unit.auditing.claims import subjects

HERE = "python:tests.unit.auditing.claims.subjects:"


class Brownian:
    mechanism = "brownian"

    def sample(self, value, schedule, sessions, seed):
        raise AssertionError("asked")


def test_another_claim_is_judged_in_place_of_the_subjects_own():
    """Laplace noise of scale 1 is 1-private and not 0.4-private; false alarms have probability 1e-6."""
    assert nrverify.audit(subjects.LaplaceTooSmall, samples=4000, claim=(2.0, 0.0)).verdict == "consistent"
    report = nrverify.audit(subjects.Laplace, samples=8000, claim=(0.4, 1e-3))
    assert report.verdict == "refuted"
    assert "claim=(0.4, 0.001)" in next(c.reproduce for c in report.checks if c.id == "privacy.claim")


def test_it_replaces_a_price_and_a_missing_claim_too():
    class Unclaimed(subjects.Laplace):
        epsilon = None

    assert nrverify.audit(subjects.FirstLookFree, samples=3000, claim=(3.0, 0.0)).verdict == "consistent"
    assert nrverify.audit(Unclaimed, samples=3000, claim=(1.0, 0.0)).verdict == "consistent"


def test_elsewhere_it_is_a_usage_error():
    with pytest.raises(ValueError, match="--claim is for subjects with mechanism 'any'"):
        nrverify.audit(Brownian, claim=(1.0, 0.0))


@pytest.mark.parametrize("claim", ["x", "1,2,3", "-1", "1,1", "nan", "", "1e308", "1e-300"])
def test_what_is_no_claim_is_a_usage_error(claim):
    done = CliRunner().invoke(cli, ["audit", f"{HERE}Laplace", "--claim", claim])
    assert done.exit_code == 2
    assert "claim is" in done.output


def test_a_recorded_audit_with_a_claim_is_replayed(tmp_path):
    file = tmp_path / "any.nrreplay"
    report = nrverify.audit(subjects.NoneTooOften, samples=3000, claim=(1.2, 0.0), record=file)
    again = replay(file)
    assert again.differences == ()
    assert again.report.verdict == report.verdict == "refuted"
