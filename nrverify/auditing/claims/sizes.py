"""What size of violation would have been found: by how much an event of a stated probability must exceed the claim."""

from __future__ import annotations

import numpy as np

from nrverify.auditing.claims.bets import Point
from nrverify.auditing.claims.columns import Floats
from nrverify.auditing.core.finding import Size

PROBABILITY = 0.25
"""Of the event, under the data that make it likely: rarer events are found when they betray more."""
LEARNING = 2.0
"""Times the runs that a bet needs which knows the event: learning it costs no more, as measured (docs/METHODS.md)."""
LARGEST = 50.0
"""ε beyond the claim that is looked at: nothing was excluded where even that would not have been found."""


def sizes_of(point: Point, runs: int, pairs: int, alpha: float) -> tuple[Size, ...]:
    """The smallest excess that so many runs of one of some pairs would have refuted; empty where there is none."""
    if runs == 0:
        return ()
    needed = LEARNING * (np.log(1 / alpha) + np.log(2 * pairs)) / runs
    claimed = point.smallest if point.epsilon is None else point.epsilon
    if point.delta > 0:
        # An event of probability p at odds e^ε has variance ½p(1 + e^ε), and x beyond δ wins x²/(4p(1 + e^ε)) nats.
        excess = float(np.sqrt(4 * PROBABILITY * (1 + np.exp(min(claimed, 100.0))) * needed))
        if point.delta + excess >= 1:
            return ()
        return (Size(f"δ at ε = {claimed:.4g}", point.delta + excess, "δ"),)
    beyond = np.linspace(0, LARGEST, 5001)[1:]
    enough = np.flatnonzero(_pace(claimed, beyond) >= needed)
    if enough.size == 0:
        return ()
    words = f"ε, where {claimed:.3g} is claimed, of an event of probability {PROBABILITY:g}"
    return (Size(words, claimed + float(beyond[enough[0]]), "ε"),)


def _pace(claimed: float, beyond: Floats) -> Floats:
    """Nats a run that the best bet wins on an event of the stated probability whose loss exceeds the claim by this."""
    limit, true = 1 / (1 + np.exp(-claimed)), 1 / (1 + np.exp(-(claimed + beyond)))
    seen = 0.5 * PROBABILITY * (1 + np.exp(-(claimed + beyond)))
    other = np.exp(-claimed) * limit, np.exp(-(claimed + beyond)) * true
    return np.asarray(seen * (true * np.log(true / limit) + other[1] * np.log(other[1] / other[0])))
