"""The looks of a run: how many there may be, since checks without bets divide their α over them."""

from itertools import accumulate, islice

from nrverify.auditing.core.settings import MOST_SAMPLES
from nrverify.auditing.sampling.looks import MOST_LOOKS, looks


def test_no_run_has_more_looks_than_alpha_is_divided_over():
    drawn = list(islice(accumulate(int(look) for look in looks()), MOST_LOOKS))
    assert MOST_SAMPLES <= drawn[-1] < 2 * MOST_SAMPLES
