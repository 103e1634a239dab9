"""How the run's error probability is divided over its checks: by declared weights that no other check can move."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from nrverify.auditing.core.declaration import Declaration

Level = Callable[[Any], float]
"""The error probability of a check."""


def levels(alpha: float, only: Iterable[str], declarations: Iterable[Declaration]) -> Level:
    """The level of each check: α·w, and with `only` α·w over the weights of those asked for.

    The weights of a mechanism's checks add up to less than one, so the run raises a false alarm with probability at
    most α (union bound). What is not covered is not shared out, and a new check does not move old ones.
    """
    weights: dict[str, float] = {}
    for one in declarations:
        weights[one.id] = max(one.weight, weights.get(one.id, 0.0))
    asked = [weights[id] for id in dict.fromkeys(only) if weights.get(id)]
    share = sum(asked) if asked else 1.0
    return lambda check: alpha * check.declaration.weight / share
