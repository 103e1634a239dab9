"""Faults of releases in any order: of one between two others, or noisier than all before."""

from __future__ import annotations

from nrverify.auditing.core.faults.fault import Fault, fault

LOOK = "the branch for a time between two earlier ones, or above all of them"


def _row(id: str, cause: str, consequence: str, title: str = "") -> Fault:
    return fault(id, cause, consequence, look=LOOK, title=title)


INTERPOLATION_VARIANCE = _row(
    "wrong-interpolation-variance",
    "a release between two others with a wrong variance: for Brownian noise it is (s−l)(u−s)/(u−l)",
    "releases are not those of one path: together they say more or less of the value than the least noisy one",
)
INTERPOLATION_MEAN = _row(
    "wrong-interpolation-mean",
    "a release between two others that is not drawn to both as it should be: for Brownian noise in proportion to time",
    "releases are not those of one path: together they say more or less of the value than the least noisy one",
)
UPPER_IGNORED = _row(
    "noisier-neighbour-ignored",
    "a release between two others is drawn from the less noisy one alone: the noisier one is forgotten",
    "noise is added to a release that is known already: later answers contradict earlier ones",
    title="releases between two others drawn from the less noisy one alone",
)
LOWER_IGNORED = _row(
    "less-noisy-neighbour-ignored",
    "a release between two others is drawn from the noisier one alone: the less noisy one is forgotten",
    "such a release adds its own information to the less noisy one, so that the two together beat its noise",
    title="releases between two others drawn from the noisier one alone",
)
ORDER_REMEMBERED = _row(
    "order-remembered",
    "a release is drawn from the one asked for last, whatever lies between: the order of requests decides the law",
    "whoever orders requests well gets releases that together beat the noise of the least noisy one",
    title="releases drawn from the one asked for last",
)
