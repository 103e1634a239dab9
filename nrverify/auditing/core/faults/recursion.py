"""Faults of the recursion from one release to the next, told apart by their second moments."""

from __future__ import annotations

from nrverify.auditing.core.faults.fault import Fault, fault

LOOK = "the recursion from one release to the next"


TOGETHER = "the releases together say more or less of the value than the last one"
OF_EACH = "more or less noise than the loss was computed for"


def _row(id: str, cause: str, consequence: str = TOGETHER) -> Fault:
    return fault(id, cause, consequence, look=LOOK)


ALL_FRESH = _row("all-releases-fresh", "noise drawn afresh for each release: the releases before are forgotten")
FROM_FIRST = _row("bridged-from-first", "each release is bridged from the first one, not from the one before")
STALE_TIME = _row("stale-time", "the time of the release before is stored one release late")
FIRST_TIME = _row("first-time-kept", "the time of the first release is taken for that of the release before")
SKIPS_ONE = _row("bridged-from-one-earlier", "each release is bridged from the one before the last")
NOT_DRAWN_IN = _row(
    "bridge-not-drawn-in", "the bridge is not drawn in: each release keeps all the noise of the one before"
)
DRAWN_IN_BY_ROOT = _row("bridge-drawn-in-by-root", "the bridge is drawn in by the root of the share that it should be")
STEP_OF_DIFFERENCE = _row(
    "step-of-difference", "the step of the bridge has the variance of the difference of both times"
)
WHOLE_STEP = _row("step-of-whole-release", "the step of the bridge has the variance of a whole release")
NOISE_ADDED = _row("noise-added-on", "noise is added to the release before, which makes it noisier and not less noisy")
FRESH_ADDED = _row("fresh-noise-added-on", "fresh noise is added to the release before")
SQUARED_STEP = _row("squared-step", "a variance is taken for a standard deviation in the step of the bridge")
SQUARED_DRAWS = _row("squared-draws", "a variance is taken for a standard deviation wherever noise is drawn", OF_EACH)
ROOT_DRAWS = _row("root-draws", "a standard deviation is taken for a variance wherever noise is drawn", OF_EACH)
TIME_FOR_VARIANCE = _row("time-for-variance", "the time is taken for the variance", OF_EACH)
TIME_FOR_DEVIATION = _row("time-for-deviation", "the time is taken for the standard deviation", OF_EACH)
SQUARED_TIME = _row(
    "squared-time", "the noise of the square of the time: a variance taken for a standard deviation", OF_EACH
)
ROOT_TIME = _row("root-time", "the noise of the root of the time: a standard deviation taken for a variance", OF_EACH)
ONE_NUMBER = _row(
    "one-number-a-session", "one random number serves all steps of a session, as if it were seeded again at each"
)
ONE_STEP_NUMBER = _row("one-number-for-steps", "one random number serves all steps after the first release")
CORRELATION_NOT_ROOTED = _row(
    "correlation-not-rooted", "two releases have the correlation s/t where it must be its root"
)
RESCALED = _row("one-noise-rescaled", "one noise is scaled down for all releases, by the standard deviation")
SHRUNK = _row("one-noise-shrunk", "one noise is scaled down for all releases, by the variance")
SHARE_SQUARED = _row("share-squared", "the share of the noise before that is kept is squared: (s/t)² for s/t")
REVERSED = _row("releases-reversed", "releases come in reverse order: the first has the noise of the last time")
LATE = _row("one-release-late", "releases come one late: each has the noise of the time before")
EARLY = _row("one-release-early", "releases come one early: each has the noise of the next time")
NEVER_REDUCED = _row("never-reduced", "the noise is never reduced: each release has that of the first time")
LAST_TIME = _row("last-time-throughout", "every release has the noise of the last time")
ALL_SCALED = _row("all-noise-scaled", "all noise has the same wrong constant in its variance", OF_EACH)
FIRST_SCALED = _row("first-release-scaled", "the first release has a wrong constant in its variance", OF_EACH)
STEP_FACTOR = _row("step-variance-factor", "the step of the bridge has a wrong variance")
STEPS_SCALED = _row("steps-scaled", "the steps of the bridge have a wrong constant in their variance")
