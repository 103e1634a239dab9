"""The accepted form of a derivation, taken from its signature: the project's own formula, and no copy of it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from nrverify.ledger.evidence import Evidence


def accepted(evidence: Evidence, parameter: str) -> Callable[..., Any]:
    """What a derivation uses for a parameter where no wrong variant replaces it."""
    default: Callable[..., Any] = inspect.signature(evidence.function).parameters[parameter].default
    assert callable(default), f"{evidence.name} has no formula {parameter!r}"
    return default
