"""How exactly the checks of a boundary judge."""

from __future__ import annotations

RESOLUTION = 1e-3
"""A crossing probability above δ by more than this, relative, is a violation: the enclosures are narrower."""
VALUE_ROUNDING = 1e-9
"""A rise, or an excess of an inverse, up to this, relative, is rounding: nothing is said."""
SOLVER = 1e-6
"""A rise, or an excess of an inverse, up to this, relative, is what a solver leaves behind: said, not refuted."""
INVERSES = 120
"""Inverses asked, at most: each costs a slow subject a call or two."""
