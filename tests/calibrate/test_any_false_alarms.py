"""False alarms of audits without the law: they are counted, and a mechanism that is not right raises them."""

from nrverify.calibrate import any_false_alarms
from nrverify.calibrate.any_false_alarms import LOOSE, STRICT, alarm, alarms, markdown
from nrverify.reference.mutants import textbook, textbook_wrong


def test_alarms_are_counted_at_both_levels_and_the_strict_one_is_asked_only_after_a_loose_alarm(monkeypatch):
    asked = []

    def judged(subject, seed, alpha, samples):
        asked.append((seed, alpha))
        place = [seed for seed, level in asked if level == LOOSE].index(seed)
        return [True, False, None, True][place] if alpha == LOOSE else place == 0

    monkeypatch.setattr(any_false_alarms, "alarm", judged)
    found = alarms(textbook.LaplaceCount, 4)
    assert (found.audits, found.loose, found.strict, found.failed) == (4, 2, 1, 1)
    assert [alpha for _, alpha in asked] == [LOOSE] * 4 + [STRICT] * 2
    assert len({seed for seed, _ in asked}) == 4
    text = markdown([found])
    assert "4 audits: 2 alarms at 0.05, 1 at 1e-06: NOT within what is promised." in text


def test_no_alarm_in_many_audits_is_within_what_is_promised(monkeypatch):
    monkeypatch.setattr(any_false_alarms, "alarm", lambda *arguments: False)
    text = markdown([alarms(textbook.LaplaceCount, 100)])
    assert "100 audits: 0 alarms at 0.05, 0 at 1e-06: within what is promised." in text
    assert "| LaplaceCount | 100 | 0 | 0.0000 to 0.0516 | 0 | 0 |" in text  # 1 − 0.005^(1/100)


def test_a_mechanism_that_is_not_right_raises_the_alarm():
    assert alarm(textbook_wrong.LaplaceTooSmall, 1, LOOSE, 4_000)
    assert not alarm(textbook.LaplaceCount, 1, STRICT, 1_000)
