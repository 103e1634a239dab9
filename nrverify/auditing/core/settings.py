"""The settings of an audit, checked once."""

from __future__ import annotations

import math
from dataclasses import dataclass

from nrverify.subjects.limits import EPSILONS, NUMERICS

LONGEST = 1e6
"""Seconds of a request, eleven days: the system's own clocks for waiting overflow at about twice as many."""
MOST_SAMPLES = 10**10
"""Further than runs get, and what 128 looks reach: checks without bets divide their α over so many
(`sampling.looks.MOST_LOOKS`)."""


@dataclass(frozen=True)
class Settings:
    """Error probability, sampling limits and seed of a run."""

    alpha: float = 1e-6
    samples: int = 200_000
    budget: float = 120.0
    timeout: float = 60.0
    seed: int = 0
    keep_going: bool = False
    only: tuple[str, ...] = ()
    numerics: str | None = None
    """In place of what the subject says of its last bits, "idealized" or "exact"."""
    claim: tuple[float, float] | None = None
    """(ε, δ) in place of the claim of a subject with mechanism "any"."""

    def __post_init__(self) -> None:
        if not 0 < self.alpha < 1:
            raise ValueError(f"alpha is {self.alpha!r}: it must be between 0 and 1, such as 1e-6")
        if not 1 <= self.samples <= MOST_SAMPLES:
            raise ValueError(f"samples is {self.samples!r:.60}: it must be at least 1 and at most {MOST_SAMPLES:.0e}")
        for name, seconds in (("budget", self.budget), ("timeout", self.timeout)):
            if not (seconds > 0 and math.isfinite(seconds)):
                raise ValueError(f"{name} is {seconds!r}: it must be a positive, finite number of seconds")
        if self.timeout > LONGEST:
            raise ValueError(f"timeout is {self.timeout!r}: it must be at most {LONGEST:g} seconds")
        if self.numerics not in (None, *NUMERICS):
            raise ValueError(f"numerics is {self.numerics!r:.60}: it must be one of {', '.join(NUMERICS)}")
        if self.claim is not None:
            epsilon, delta = self.claim
            if not ((epsilon == 0 or EPSILONS[0] <= epsilon <= EPSILONS[1]) and 0 <= delta < 1):
                raise ValueError(
                    f"claim is {epsilon:g},{delta:g}: ε must be 0 or between {EPSILONS[0]:g} and {EPSILONS[1]:g}, δ at "
                    "least 0 and below 1"
                )
        if not 0 <= self.seed < 2**63:
            raise ValueError(f"seed is {self.seed!r:.60}: it must be an integer from 0 to 2^63 − 1")


def claim_from(text: str) -> tuple[float, float]:
    """(ε, δ) of a text such as 1 or 1,1e-5; `ValueError` when it is neither."""
    try:
        epsilon, *rest = (float(part) for part in text.split(","))
        (delta,) = rest or (0.0,)
    except ValueError:
        raise ValueError(f"claim is {text[:60]!r}: it must be EPS or EPS,DELTA, such as 1 or 1,1e-5") from None
    return epsilon, delta


def seed_from(text: str) -> int:
    """The seed that a text says; `ValueError` when it is not an integer from 0 to 2^63 − 1 in plain digits."""
    if not (text.isascii() and text.isdecimal() and len(text.lstrip("0")) < 20 and int(text) < 2**63):
        raise ValueError(f"seed is {text[:60]!r}: it must be an integer from 0 to 2^63 − 1, or 'random'")
    return int(text)
