"""The bridge is blamed where first releases are right and later ones wrong at the same times, and only there."""

import pytest

from nrverify.auditing.noise_reduction.diagnosis.fault_location import FIRST, LATER, Places
from nrverify.auditing.noise_reduction.diagnosis.uneven import only_first_right


def places(first, later):
    """First and later releases with these variances by the decade of their times, 500 innovations each."""
    found = Places()
    for kind, number, variances in ((FIRST, 1.0, first), (LATER, 2.0, later)):
        for decade, variance in variances.items():
            seen = 500, 500 * variance
            found.add([((kind, decade, "a case"), seen), (("release", number, "a case"), seen)])
    return found


@pytest.mark.parametrize(
    ("first", "later", "bridge"),
    [
        ({0.0: 1.0, 1.0: 1.0}, {0.0: 3.0, 1.0: 3.0}, True),
        # Later releases are wrong at small times, at which no first release was drawn: it may be the time.
        ({1.0: 1.0}, {0.0: 3.0, 1.0: 1.0}, False),
        ({1.0: 1.0}, {-1.0: 3.0}, False),
        ({0.0: 3.0, 1.0: 1.0}, {0.0: 3.0, 1.0: 1.0}, False),
        ({0.0: 1.0, 1.0: 1.0}, {0.0: 1.0, 1.0: 1.0}, False),
    ],
)
def test_only_the_first_is_right(first, later, bridge):
    assert only_first_right(places(first, later)) == bridge
