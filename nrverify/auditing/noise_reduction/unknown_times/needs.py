"""What the checks for unknown times need: a subject that does not say which time is behind an ε."""

from __future__ import annotations

from nrverify.auditing.core.declaration import Need

TIMES_UNKNOWN = Need(
    lambda context: not context.times_known, "the times are known: law.transcript judges the steps by them", gap=False
)
SYMMETRIC = Need(
    lambda context: bool(context.description.family.symmetric()),
    "the signs of noise of this law are no fair coins, and its level is not known: offer time_of(epsilon)",
)
GRID_FINE = Need(
    lambda context: bool(context.fine_grid),
    "the grid is coarse against the noise, whose level is not known: offer time_of(epsilon)",
)
