"""What records cannot show comes from the declarations of the checks."""

import pytest

from nrverify.auditing.core.declaration import CheckKind, Need
from nrverify.auditing.core.finding import Size
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.auditing.records.not_covered import OF_ALL, as_seen, limits
from nrverify.auditing.registry import all_declarations, declarations_by_id


class Asked:
    record = None


class OfRecords:
    record = object()


def test_a_check_that_is_never_covered_for_records_says_why_and_is_covered_otherwise():
    one = declarations_by_id("above-threshold")["threshold.protocol"]
    assert one.why_not_covered(Asked()) is None
    assert one.why_not_covered(OfRecords()) == one.records
    assert "not bits" in one.records


def test_a_need_is_said_in_words_about_records_where_it_has_some():
    need = Need(lambda context: False, "offer time_of()", "add the array times")
    assert need.why_not_covered(Asked()) == "offer time_of()"
    assert need.why_not_covered(OfRecords()) == "add the array times"
    assert Need(lambda context: False, "no").why_not_covered(OfRecords()) == "no"
    assert Need(lambda context: True, "no").why_not_covered(OfRecords()) is None


@pytest.mark.parametrize("verdict", [CheckVerdict.CONSISTENT, CheckVerdict.INCONCLUSIVE, CheckVerdict.NOT_COVERED])
def test_a_check_that_saw_nothing_is_not_covered_and_would_have_caught_nothing(verdict):
    declarations = declarations_by_id("brownian")
    nothing = CheckResult("ties.repeated-time", CheckKind.LAW, verdict, samples=0, sizes=(Size("change", 1, "count"),))
    found = as_seen(nothing, declarations)
    assert (found.verdict, found.sizes, found.kind) == (CheckVerdict.NOT_COVERED, (), CheckKind.LAW)
    assert found.message == "no time was asked for twice"


def test_a_check_that_saw_something_keeps_its_verdict():
    declarations = declarations_by_id("brownian")
    for verdict, samples in ((CheckVerdict.CONSISTENT, 5), (CheckVerdict.INCONCLUSIVE, 5), (CheckVerdict.REFUTED, 0)):
        result = CheckResult("ties.repeated-time", CheckKind.LAW, verdict, samples=samples)
        assert as_seen(result, declarations) is result


def test_limits_have_kinds_of_checks_and_can_be_asked_for_by_name():
    assert {result.kind for result in limits(OF_ALL, ())} <= set(CheckKind)
    assert [result.id for result in limits(OF_ALL, ("records.selection", "law.release"))] == ["records.selection"]
    assert limits(OF_ALL, ("law.release",)) == []


def test_every_declaration_says_why_records_may_hold_nothing_for_it():
    assert all(one.not_covered for one in all_declarations())
