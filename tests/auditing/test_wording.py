"""What is expected and observed reads as a sentence, and keeps the words that causes are found by."""

import numpy as np
import pytest

from nrverify.auditing.core.portfolio_check import LawCheck
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.auditing.core.wording import words_of
from nrverify.auditing.explain.mechanism_causes import mechanism_cause
from nrverify.statistics.portfolio import Portfolio
from nrverify.statistics.wealth import RatioWealth, ScaleWealth


def test_alternatives_are_compared_with_the_claimed_law_without_the_name_of_their_family():
    names = ("alternative", "named faults", "named faults (run_many)", "rare sessions")
    portfolio = Portfolio({name: (1.0, RatioWealth(["noise drawn afresh"])) for name in names})
    found = "noise drawn afresh is e^0 times likelier than the claimed law"
    assert words_of(portfolio, "alternative") == ("the claimed law", found)
    assert words_of(portfolio, "named faults") == ("the claimed law", found)
    assert words_of(portfolio, "named faults (run_many)") == ("the claimed law", f"{found} (run_many)")
    assert words_of(portfolio, "rare sessions") == ("the claimed law", f"rare sessions: {found}")


def test_other_families_keep_their_names():
    wealth = ScaleWealth()
    wealth.bet(np.full(4, 2.0))
    expected, observed = words_of(Portfolio({"variance of release 2": (1.0, wealth)}), "variance of release 2")
    assert expected.startswith("variance of release 2: variance 1")
    assert observed.startswith("variance of release 2: variance 4 ")


@pytest.mark.parametrize("count", [2, 10, 50, 60, 1000, 10**6])
def test_a_variance_in_per_cent_is_never_a_power_of_ten(count):
    check = LawCheck({"variance": (1.0, ScaleWealth())})
    check.count = count
    words = check._detectable(1e-8)
    assert "e+" not in words.split(",")[0]
    assert float(words.removeprefix("variance off by ").split(" %")[0]) > 0


@pytest.mark.parametrize(
    ("observed", "cause"),
    [
        ("the release nan, and 3 more", "overflow"),
        ("the release -inf, and 0 more", "overflow"),
        ("3 releases with the bits [0, 1], and 0 more", "computed ahead"),
        ("bits [0, 1, 0], and 0 more", "computed ahead"),
    ],
)
def test_the_cause_of_a_broken_stop_is_the_one_that_was_seen(observed, cause):
    result = CheckResult("stopping.protocol", "protocol", CheckVerdict.REFUTED, observed=observed)
    found = mechanism_cause(result)
    assert cause in found[0]
    assert ("overflow" in found[0]) != ("computed ahead" in found[0])
