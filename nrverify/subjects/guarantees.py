"""What the ε of a subject guarantees: ex-post privacy or differential privacy; the default, and the words for it."""

from __future__ import annotations

from typing import Any

EX_POST, DP = "ex-post", "dp"
GUARANTEES = (EX_POST, DP)
FIXED_CLAIMS = ("boundary", "private-stopping")
"""Mechanisms whose claim is ex-post by what they are, and is not chosen."""
DP_BY_DEFAULT = ("above-threshold", "discrete-gaussian")
"""Mechanisms whose ε is that of differential privacy where nothing else is said."""
TOLD_THEIR_EPSILON = ("above-threshold", "reduced-above-threshold", "any")
"""Mechanisms that claim an ε without a knob."""
WORDS = {
    EX_POST: "ex-post: with probability at least 1 − δ no look loses more than the ε asked for it",
    DP: "dp: (ε, δ)-differential privacy of all that has been released when ε was asked",
}
"""What was judged, in the words of a report."""
OF_OUTPUTS = {
    EX_POST: "ex-post: no output betrays more than the ε claimed for it, but with probability δ",
    DP: "dp: differential privacy of the whole output",
}
"""The same of a mechanism that is run, and is not asked for an ε."""


def guarantee_words(mechanism: str | None, guarantee: str | None) -> str | None:
    """What was judged, in the words of a report; None where nothing was."""
    return (OF_OUTPUTS if mechanism == "any" else WORDS).get(guarantee or "")


def guarantee_of(description: Any, most_releases: int | None = None) -> str | None:
    """What the ε of a subject guarantees, as it says or by default; None where it claims no ε of its own choice.

    `most_releases` is how many releases a session was found to have, where the subject does not say so itself. A
    mechanism that releases once, AboveThreshold, and `any` without `spent` claim differential privacy by default.
    """
    mechanism = description.mechanism
    if mechanism in FIXED_CLAIMS or (description.knob != "epsilon" and mechanism not in TOLD_THEIR_EPSILON):
        return None
    if description.guarantee is not None:
        return str(description.guarantee)
    releases = getattr(description, "most_releases", None) or most_releases
    spends = mechanism == "any" and "spent" not in description.methods
    return DP if releases == 1 or mechanism in DP_BY_DEFAULT or spends else EX_POST
