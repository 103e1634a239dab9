"""Audits of private stopping: right subjects, the ways to get it wrong, and subjects that cannot be run."""

import numpy as np
import pytest

import nrverify
from nrverify.reference.mutants import private_stopping
from nrverify.reference.mutants.correct.stopping import PrivateStopping
from nrverify.subjects.stopping_utilities import Levels


def refuted(report):
    return [check.id for check in report.checks if check.verdict == "refuted"]


def mutant(name):
    return next(entry.subject for entry in private_stopping.MUTANTS if entry.name == name)


def test_utilities_of_one_release_and_of_many_agree():
    utility = Levels((0.0, 1.0), (-3.0, 2.0, 5.0))
    releases = np.array([[-1.0, 9.0], [0.5, 9.0], [1.0, 9.0], [1.5, -9.0]])
    assert utility.of(releases).tolist() == [utility(release) for release in releases] == [-3.0, 2.0, 2.0, 5.0]
    assert utility(0.5) == 2.0


class Absurd(PrivateStopping):
    """Its boundary charges more than a double holds the exponential of."""

    def epsilon(self, time):
        return 1e91 * super().epsilon(time)


def test_charges_beyond_all_use_are_refused_with_their_value():
    report = nrverify.audit(Absurd, samples=200)
    assert report.exit_code == 3
    assert "it must be at most 700" in report.message


class Endless(PrivateStopping):
    """Its boundary is infinite everywhere."""

    def epsilon(self, time):
        return float("inf")


def test_a_boundary_that_is_nowhere_finite_is_refused_in_words():
    report = nrverify.audit(Endless, samples=200)
    assert (report.exit_code, "nowhere a finite number" in report.message) == (3, True)


def test_right_private_stopping_is_consistent():
    report = nrverify.audit(PrivateStopping, samples=4400)
    assert (report.verdict, report.exit_code) == ("consistent", 0)
    verdicts = {check.id: check.verdict for check in report.checks}
    assert verdicts["stopping.law"] == verdicts["stopping.releases"] == verdicts["boundary.crossing"] == "consistent"


@pytest.mark.parametrize(
    ("name", "finding"),
    [
        ("stopping-shared-noise", "stopping.law"),
        ("stopping-late-utility", "stopping.law"),
        ("stopping-constant-charge", "stopping.law"),
        ("stopping-exact-utility", "stopping.law"),
        ("stopping-fresh-releases", "stopping.releases"),
        ("stopping-one-more-release", "stopping.protocol"),
    ],
)
def test_mutants_are_refuted(name, finding):
    report = nrverify.audit(mutant(name), samples=5000)
    assert report.exit_code == 1
    assert finding in refuted(report)


def test_a_low_boundary_is_found_whatever_the_runs_do():
    class Low(PrivateStopping):
        def epsilon(self, time):
            return 0.8 * super().epsilon(time)

    assert "boundary.crossing" in refuted(nrverify.audit(Low, samples=64))


def test_an_improper_boundary_is_refuted_without_a_run():
    class Improper(PrivateStopping):
        def epsilon(self, time):
            return float("nan")

    report = nrverify.audit(Improper)
    assert (report.exit_code, report.run["samples"]) == (1, 0)
    assert refuted(report) == ["boundary.values"]


def test_answers_of_a_wrong_shape_mean_it_could_not_be_run():
    for answer, words in (
        (None, "pair"),
        (([[1.0, 2.0]], [1]), "shape"),
        (([], [1]), "releases"),
        (([1.0], [3]), "bits"),
    ):

        class Wrong(PrivateStopping):
            dimensions = (1,)

            def run(self, *arguments, answer=answer):
                return answer

        report = nrverify.audit(Wrong)
        assert report.exit_code == 3
        assert words in report.message


def test_a_release_that_is_not_finite_is_a_finding():
    class Infinite(PrivateStopping):
        def run(self, *arguments):
            releases, bits = super().run(*arguments)
            return releases * np.inf, bits

    assert "stopping.protocol" in refuted(nrverify.audit(Infinite, samples=500))


def test_a_subject_without_a_boundary_cannot_be_run():
    class NoBoundary(PrivateStopping):
        epsilon = None

    report = nrverify.audit(NoBoundary)
    assert report.exit_code == 3
    assert "epsilon" in report.message
