"""What is claimed of a mechanism whose law is not known, and on which pairs of data it is judged."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from nrverify.auditing.claims.bets import Point
from nrverify.auditing.claims.pairs import Case, cases_of
from nrverify.subjects.description import Description
from nrverify.subjects.errors import SubjectFailed
from nrverify.subjects.guarantees import DP, EX_POST
from nrverify.subjects.host import Host
from nrverify.subjects.limits import EPSILONS, within
from nrverify.subjects.requests import ScalarRequest

CURVE = (0.0, 0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0)
"""Where a claimed curve δ(ε) is judged: fixed in advance, from where nearly everything is told to where little is."""
LARGEST_DELTA = 0.5
"""Points of a curve with a larger δ are not bet on: hardly anything could exceed them."""
ROUNDING = 1e-12
"""A curve may rise by so much from one point to the next: the last digits of its own arithmetic."""
KINDS = ("epsilon", "delta_of", "spent")
"""The ways to claim, of which a subject has exactly one."""


@dataclass(frozen=True)
class Claim:
    """What is claimed: of the outputs of every pair of neighbours, in both directions."""

    points: tuple[Point, ...]
    words: str
    ex_post: bool = False
    """Whether each output says what it has cost."""
    tail: bool = False
    """Whether the loss of a fixed ε is what is claimed, and not its hockey stick."""
    exact: bool = False
    """Whether outputs are claimed to their last bits: only then are these looked at as they are."""

    @property
    def main(self) -> Point:
        """The point that a report compares with: the only one, or that of a curve nearest to ε = 1."""
        return min(self.points, key=lambda point: abs((point.epsilon or 0.0) - 1.0))

    @property
    def single(self) -> float | None:
        """The ε where one is claimed of all outputs; None of a curve, and where each output says what it has cost."""
        return self.points[0].epsilon if len(self.points) == 1 else None


@dataclass(frozen=True)
class Recorded:
    """What is known of recorded outputs, which cannot be drawn again."""

    runs: tuple[int, int]


@dataclass(frozen=True)
class ClaimContext:
    """From which the checks of a mechanism of unknown law are built."""

    description: Description
    claim: Claim
    cases: tuple[Case, ...]
    methods: tuple[str, ...]
    """By which it is run: `run_many` where it is there, else `run`; and `open`."""
    record: Recorded | None = None
    exact: bool = False
    """Whether the claim is that of the outputs to their last bits."""


EXACT = "exact"


def context_of(host: Host, numerics: str | None = None) -> ClaimContext:
    """That of a subject which can be asked; `SubjectFailed` where its claim is none.

    `numerics` stands in place of the subject's own word.
    """
    description = host.description
    methods = tuple(name for name in ("run_many", "run", "open") if name in description.methods)
    exact = (numerics or description.numerics) == EXACT
    claim = replace(claim_of(description, host), exact=exact)
    return ClaimContext(description, claim, cases_of(description), methods, exact=exact)


def claim_of(description: Description, host: Host | None) -> Claim:
    """The claim that a description makes; `SubjectFailed` unless it makes exactly one. A curve is asked of the host."""
    made = [name for name in KINDS if name in description.methods or getattr(description, name, None) is not None]
    if len(made) != 1:
        found = " and ".join(made) or "none of them"
        raise SubjectFailed(
            f"a subject with mechanism 'any' has {found}: it must have exactly one of {', '.join(KINDS)}"
        )
    if made == ["spent"] and description.guarantee == DP:
        raise SubjectFailed(f"attribute guarantee is {DP!r}: it must be {EX_POST!r}, since spent() is a price")
    delta = description.delta or 0.0
    if made == ["epsilon"]:
        assert description.epsilon is not None
        words = dp_words(description.epsilon, delta)
        if description.guarantee == EX_POST:
            words = f"no output betrays more than ε = {description.epsilon:g} except with probability {delta:g}"
        return Claim((fixed_point(description.epsilon, delta),), words, tail=description.guarantee == EX_POST)
    if made == ["spent"]:
        smallest = description.smallest_epsilon
        if smallest is None:
            raise SubjectFailed("attribute smallest_epsilon is missing: spent() needs it, the smallest ε it can return")
        at = f" except with probability {delta:g}" if delta else ""
        return Claim((Point(None, delta, smallest),), f"no output betrays more than spent(output) says{at}", True)
    if description.delta is not None:
        raise SubjectFailed(
            f"attribute delta is {delta!r}: it must be left out, since delta_of() claims the whole curve"
        )
    assert host is not None
    return Claim(_curve(host), "the curve δ(ε) of delta_of()")


def fixed_point(epsilon: float, delta: float) -> Point:
    """(ε, δ)-differential privacy."""
    if epsilon:
        within("attribute epsilon", epsilon, EPSILONS)
    return Point(epsilon, delta, epsilon)


def dp_words(epsilon: float, delta: float) -> str:
    """(ε, δ)-differential privacy in words."""
    return f"({epsilon:g}, {delta:g})-differential privacy" if delta else f"{epsilon:g}-differential privacy"


def _curve(host: Host) -> tuple[Point, ...]:
    deltas = host.ask(ScalarRequest("delta_of", list(CURVE))).tolist()
    for epsilon, delta in zip(CURVE, deltas, strict=True):
        if not 0 <= delta <= 1:
            raise SubjectFailed(f"delta_of({epsilon!r}) is {delta!r}: it must be a probability, from 0 to 1")
    rises = np.flatnonzero(np.diff(deltas) > ROUNDING)
    if rises.size:
        at = int(rises[0])
        raise SubjectFailed(
            f"delta_of({CURVE[at + 1]!r}) is {float(deltas[at + 1])!r}, and delta_of({CURVE[at]!r}) is "
            f"{float(deltas[at])!r}: it "
            "must not rise with ε"
        )
    points = [
        fixed_point(epsilon, delta) for epsilon, delta in zip(CURVE, deltas, strict=True) if delta <= LARGEST_DELTA
    ]
    # Beyond the first pure point nothing more is claimed.
    pure = next((index for index, point in enumerate(points) if point.delta == 0), len(points))
    if not points:
        raise SubjectFailed(
            f"delta_of({CURVE[-1]!r}) is {float(deltas[-1])!r}: it claims nothing; it must fall below {LARGEST_DELTA}"
        )
    return tuple(points[: pure + 1])


def with_claim(description: Description, claim: tuple[float, float]) -> Description:
    """The description with another claim in the place of whichever it makes; `ValueError` where none can be made."""
    if description.mechanism != "any":
        raise ValueError(
            f"--claim is for subjects with mechanism 'any', and this is {description.mechanism!r}: leave it out"
        )
    methods = tuple(name for name in description.methods if name not in KINDS)
    return replace(description, epsilon=claim[0], delta=claim[1], smallest_epsilon=None, methods=methods)
