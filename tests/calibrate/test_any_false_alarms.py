"""False alarms of audits without the law: they are counted, and a mechanism that is not right raises them."""

from nrverify.calibrate import any_false_alarms
from nrverify.calibrate.any_false_alarms import LOOSE, STRICT, alarms, markdown
from nrverify.calibrate.claim_bets import runs_at_refutation
from nrverify.reference.mutants import textbook, textbook_wrong


def test_alarms_are_counted_at_both_levels_from_different_seeds(monkeypatch):
    found = iter([[100, 900], [None, None], [None, None], [300, None]])
    asked = []

    def judged(subject, alphas, seed, samples):
        asked.append((alphas, seed))
        return next(found)

    monkeypatch.setattr(any_false_alarms, "runs_at_refutation", judged)
    counted = alarms(textbook.LaplaceCount, 4)
    assert (counted.audits, counted.loose, counted.strict) == (4, 2, 1)
    assert {alphas for alphas, _ in asked} == {(LOOSE, STRICT)}
    assert len({seed for _, seed in asked}) == 4
    text = markdown([counted])
    assert "4 audits: 2 alarms at 0.05, 1 at 1e-06: NOT within what is promised." in text


def test_no_alarm_in_many_audits_is_within_what_is_promised(monkeypatch):
    monkeypatch.setattr(any_false_alarms, "runs_at_refutation", lambda *arguments: [None, None])
    text = markdown([alarms(textbook.LaplaceCount, 100)])
    assert "100 audits: 0 alarms at 0.05, 0 at 1e-06: within what is promised." in text
    assert "| LaplaceCount | 100 | 0 | 0.0000 to 0.0516 | 0 |" in text  # 1 − 0.005^(1/100)


def test_a_mechanism_that_is_not_right_raises_the_alarm():
    loose, strict = runs_at_refutation(textbook_wrong.LaplaceTooSmall(), (LOOSE, STRICT), 1, 8_000)
    assert loose is not None
    assert strict is not None
    assert loose < strict <= 8_000
    assert runs_at_refutation(textbook.LaplaceCount(), (STRICT,), 1, 500) == [None]


def test_an_ex_post_claim_is_judged_by_the_price_of_each_output():
    assert runs_at_refutation(textbook.TwoLooks(), (STRICT,), 1, 500) == [None]
    found = runs_at_refutation(
        type("Free", (textbook.TwoLooks,), {"spent": lambda self, output: 0.5})(), (LOOSE,), 1, 8_000
    )
    assert found != [None]
