"""Certificates: inequalities decided by ball arithmetic, which encloses every rounding error."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from flint import arb

from nrverify.ledger.evidence import Refuted, Undecided
from nrverify.ledger.record import Record

Ball = Any
"""An Arb ball (python-flint has no types)."""

Box = Sequence[tuple[float, float]]
"""A parameter box: an interval for each parameter."""

PRECISION = 160
"""Bits of a ball where little cancels: too few leave a comparison undecided, they never decide it wrongly."""


class Enclosure:
    """Rigorous comparisons; what the balls cannot decide raises `Undecided`."""

    def __init__(self, record: Record) -> None:
        self.record = record

    def less(self, name: str, left: Ball, right: Ball) -> None:
        """left < right, certainly."""
        left, right = arb(left), arb(right)
        if left < right:
            self.record.note(name, f"{left} < {right}", by="ball")
        elif left >= right:
            raise Refuted(f"{name}: {left} is not below {right}")
        else:
            raise Undecided(f"{name}: {left} and {right} overlap")

    def agrees(self, name: str, value: float, exact: Ball, relative: float, absolute: float = 0.0) -> None:
        """|value − exact| ≤ relative·|exact| + absolute, certainly: a computed number against its enclosure."""
        exact, number = arb(exact), arb(float(value))
        allowed = abs(exact) * arb(relative) + arb(absolute)
        difference = abs(number - exact)
        if difference <= allowed:
            self.record.note(name, f"{value!r} within {_allowed(relative, absolute)} of {exact}", by="ball")
        elif difference > allowed or not number.is_finite():
            raise Refuted(f"{name}: {value!r} is not within {_allowed(relative, absolute)} of {exact}")
        else:
            raise Undecided(f"{name}: the enclosure {exact} is too wide to judge {value!r}")

    def everywhere(
        self,
        name: str,
        box: Box,
        decide: Callable[[Sequence[Ball]], bool | None],
        max_boxes: int = 20_000,
    ) -> None:
        """decide(parameters) is True on the whole box, by bisection, widest boxes first; False anywhere refutes."""
        pending = deque([tuple(box)])
        done = 0
        while pending:
            part = pending.popleft()
            done += 1
            decided = decide([_interval(lo, hi) for lo, hi in part])
            if decided is False:
                raise Refuted(f"{name}: fails on {part}")
            if decided is None:
                if done + len(pending) > max_boxes:
                    raise Undecided(f"{name}: not decided on {part} after {done} boxes")
                pending.extend(_halves(part))
        self.record.note(name, f"certified on {list(box)} with {done} boxes", by="ball")

    def checked(self, name: str, text: str) -> None:
        """A fact that the evidence has just tested itself: a refusal, many values at once."""
        self.record.note(name, text, by="exact")

    def note(self, name: str, text: str, latex: str = "") -> None:
        """A definition or remark; asserts nothing."""
        self.record.note(name, text, latex)


def _allowed(relative: float, absolute: float) -> str:
    """The tolerance as it is used."""
    parts = [f"a share {relative:g}"] if relative else []
    parts += [f"{absolute:g}"] if absolute else []
    return " plus ".join(parts) or "0"


def certainly(left_below: bool, left_not_below: bool) -> bool | None:
    """True, False or None (undecided) from the two certain comparisons of a pair of balls."""
    return True if left_below else False if left_not_below else None


def _interval(lo: float, hi: float) -> Ball:
    return arb(lo).union(arb(hi))


def _halves(part: tuple[tuple[float, float], ...]) -> list[tuple[tuple[float, float], ...]]:
    widest = max(range(len(part)), key=lambda i: (part[i][1] - part[i][0]) / (1.0 + abs(part[i][0])))
    lo, hi = part[widest]
    middle = (lo + hi) / 2
    return [(*part[:widest], (a, b), *part[widest + 1 :]) for a, b in ((lo, middle), (middle, hi))]
