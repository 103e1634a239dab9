"""Forms of faults: which named mistakes are particular forms of a general fault, by their ids.

A report's `fault` is the general one, which programs compare; `form` is the particular mistake, where one was named.
"""

from __future__ import annotations

from nrverify.auditing.core.faults.fault import Fault

FORMS: dict[str, tuple[str, ...]] = {
    "fresh-noise": ("all-releases-fresh", "forgetful-sessions"),
    "wrong-scale": (
        "all-noise-scaled",
        "first-release-scaled",
        "deviation-for-variance",
        "squared-draws",
        "root-draws",
        "time-for-variance",
        "time-for-deviation",
        "squared-time",
        "root-time",
        "never-reduced",
        "last-time-throughout",
    ),
    "wrong-bridge-variance": (
        "steps-scaled",
        "squared-step",
        "step-of-difference",
        "step-of-whole-release",
        "wrong-interpolation-variance",
    ),
    "wrong-bridge-mean": (
        "bridge-not-drawn-in",
        "bridge-drawn-in-by-root",
        "share-squared",
        "wrong-interpolation-mean",
    ),
    "depends-on-value": ("pulled-to-zero",),
    "few-streams": ("seed-ignored", "equal-transcripts"),
    "repeated-time-redrawn": ("repeated-time-moved",),
    "rounded": ("noise-rounded", "some-noise-rounded"),
    "too-little-noise-for-claim": (
        "half-the-scale",
        "deviation-for-scale",
        "scales-too-small",
        "positives-not-paid",
        "delta-too-small",
    ),
    "wrong-shape": ("noise-not-used", "exponential-noise", "normal-noise"),
    "wrong-query-scale": (
        "query-noise-halved",
        "query-noise-doubled",
        "query-deviation-for-scale",
        "no-query-noise",
        "query-noise-never-reduced",
        "query-noise-of-last-epsilon",
    ),
    "wrong-threshold-scale": (
        "threshold-noise-halved",
        "threshold-noise-doubled",
        "no-threshold-noise",
        "threshold-noise-never-reduced",
    ),
    "threshold-noise-redrawn": (
        "threshold-noise-redrawn-with-epsilon",
        "threshold-noise-redrawn-after-positive",
    ),
    "wrong-epsilon": (
        "both-noises-halved",
        "both-noises-doubled",
        "last-epsilon-throughout",
        "first-epsilon-throughout",
        "epsilon-one-round-late",
        "epsilon-one-round-early",
        "sensitivity-ignored",
        "budget-not-divided",
    ),
}
_GENERAL = {form: general for general, forms in FORMS.items() for form in forms}


def general_id(fault: Fault) -> str:
    """The id of the general fault of which this is a form; its own where it is none."""
    return _GENERAL.get(fault.id, fault.id)
