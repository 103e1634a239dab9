"""A check asked for by name of a subject that cannot be asked it: said with the reason, and nothing is drawn."""

import pytest

from nrverify import audit
from nrverify.auditing.check_ids import not_covered
from nrverify.auditing.core.results import CheckVerdict
from nrverify.reference.mutants import BENIGN, MUTANTS
from tests.auditing import subjects

SUBJECTS = {entry.name: entry.subject for entry in (*MUTANTS, *BENIGN)}


class OnlySamples(subjects.Right):
    """Whole transcripts at once, and no sessions."""

    open = None


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("law.adaptive", "the subject has no open(): sessions cannot be driven adaptively"),
        ("privacy.ex-post", "with knob 'time' the claim is the law itself"),
        ("privacy.epsilon", "it is not for subjects with mechanism 'brownian' and knob 'time'"),
        ("threshold.law", "it is not for subjects with mechanism 'brownian' and knob 'time'"),
    ],
)
def test_it_is_not_covered_the_run_says_nothing_and_why(name, why):
    report = audit(OnlySamples(), checks=[name])
    assert (report.verdict, report.exit_code) == ("inconclusive", 4)
    assert report.message == f"{name} does not apply to this subject: {why}"
    assert [(check.id, check.verdict, check.message) for check in report.checks] == [(name, "not-covered", why)]
    assert report.run["samples"] < 50


def test_so_it_is_for_a_threshold_mechanism():
    report = audit(threshold(), checks=["ties"])
    assert report.exit_code == 4
    assert report.message.startswith("ties does not apply to this subject: it is not for subjects with mechanism")
    assert report.run["samples"] < 100


def threshold():
    for subject in SUBJECTS.values():
        made = subject() if isinstance(subject, type) else subject
        if getattr(made, "mechanism", None) == "above-threshold":
            return made
    raise AssertionError


def test_beside_a_check_that_can_be_asked_it_changes_nothing():
    alone = audit(OnlySamples(), checks=["law.value"], samples=5000)
    both = audit(OnlySamples(), checks=["law.value", "law.adaptive"], samples=5000)
    assert (both.verdict, both.exit_code) == ("consistent", 0)
    # Two were asked for, so each has half of α; what was seen is the same.
    assert both.checks[0].alpha == alone.checks[0].alpha / 2
    assert both.checks[0].statistic == alone.checks[0].statistic
    assert both.checks[0].verdict == alone.checks[0].verdict
    assert both.checks[1].verdict is CheckVerdict.NOT_COVERED


def test_an_unknown_check_is_a_mistake():
    with pytest.raises(ValueError, match=r"checks names 'law\.relase': it must be one of protocol\.finite, "):
        audit(OnlySamples(), checks=["law.relase"])


def test_nothing_is_unasked_that_was_not_asked_for():
    from nrverify.subjects.reach import description_of

    description = description_of(OnlySamples(), 60.0)
    assert not_covered(description, ()) == []
    assert not_covered(description, ("law.adaptive", "law.release")) == []
    assert [result.id for result in not_covered(description, ("ties", "stopping.law", "stopping.law"))] == [
        "stopping.law"
    ]
