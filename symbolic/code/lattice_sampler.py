"""The rejection sampler behind the Skellam bridge, taken apart: what it proposes, what it accepts, so what it draws."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np
from flint import arb

from nrverify.laws.special import integer_sums as skellam_lattice
from nrverify.laws.validation.times import Floats
from nrverify.ledger import certificate, supports
from nrverify.ledger.enclosure import Enclosure
from nrverify.ledger.record import Record

HALVINGS = 40
"""Of a bracket: down to 10⁻¹² of it."""
FAR = 60.0
"""An exponential variable is beyond it with probability 10⁻²⁶."""


@dataclass(frozen=True)
class TwoSidedGeometric:
    """p(j) = p(0)·up^j above 0 and p(0)·down^|j| below: log-concave, its tails as heavy as the sampler allows."""

    up: float
    down: float

    def log_pmf(self, rows: Any, points: Floats) -> Floats:
        slopes = np.where(points > 0, points * log(self.up), -points * log(self.down))
        return np.asarray(slopes - log(1 / (1 - self.up) + 1 / (1 - self.down) - 1))


class Script:
    """A generator for one proposal a row: branch, place on the plateau, side, place in the tail, level of acceptance.

    Rows that are turned down are proposed again on the other side, out of the way, and accepted there.
    """

    def __init__(self, branch: Floats, plateau: Floats, side: Floats, tail: Floats, acceptance: Floats) -> None:
        self.uniforms = [branch, plateau, side]
        self.exponentials = [tail, acceptance]
        self.other_side = 1.0 - float(side[0])

    def random(self, size: int) -> Any:
        return self.uniforms.pop(0) if self.uniforms else np.full(size, self.other_side)

    def standard_exponential(self, size: int) -> Any:
        return self.exponentials.pop(0) if self.exponentials else np.full(size, np.inf)


@dataclass(frozen=True)
class Proposals:
    """The proposals of a sampler to one side of the mode 0, as a function of what its generator returns."""

    draw: Callable[..., Any]
    law: TwoSidedGeometric
    side: int

    def offset(self, rows: int, **script: Floats) -> Floats:
        """How far each proposal went to this side; negative where it was turned down."""
        side = 0.25 if self.side < 0 else 0.75
        unsaid = {"branch": 0.0, "plateau": 0.0, "side": side, "tail": 0.0, "acceptance": np.inf}
        columns = {name: np.broadcast_to(script.get(name, number), rows) for name, number in unsaid.items()}
        return np.asarray(self.draw(self.law.log_pmf, np.full(rows, -2.0 * self.side), Script(**columns)) * self.side)

    def coin(self) -> float:
        """The probability of the lower side."""
        whole = np.ones(1)
        moves = last(lambda u: self.offset(1, plateau=whole, side=u) * self.side < 0, 1.0, 1)
        return float(moves[0])

    def accepted(self, reach: int) -> Floats:
        """The probability that one proposal goes 0, 1, …, reach to this side, given the side, and is accepted."""
        steps = np.arange(reach + 1.0)
        rows, one = len(steps), np.ones(len(steps))
        branch = last(lambda u: self.offset(1, branch=u, tail=np.array([FAR / 2])) == 0, 1.0, 1)[0]
        ends = last(lambda v: self.offset(rows, plateau=v) <= steps, 1.0, rows)
        tail_ends = last(lambda e: self.offset(rows, branch=one, tail=e) <= steps, FAR, rows)
        widths, tail_widths = np.diff(ends, prepend=0.0), np.diff(tail_ends, prepend=0.0)
        middles, tail_middles = ends - widths / 2, tail_ends - tail_widths / 2
        refused = last(lambda a: self.offset(rows, plateau=middles, acceptance=a) < 0, FAR, rows)
        tail_refused = last(lambda a: self.offset(rows, branch=one, tail=tail_middles, acceptance=a) < 0, FAR, rows)
        # In the tail the density e^{−e} and the acceptance e^{−refused} have a constant product over a cell.
        tail = tail_widths * np.exp(-tail_middles - tail_refused)
        return np.asarray(branch * widths * np.exp(-refused) + (1 - branch) * tail)


def last(holds: Callable[[Floats], Any], top: float, rows: int) -> Floats:
    """For each row the number in [0, top] up to which `holds`, by bisection."""
    low, high = np.zeros(rows), np.full(rows, top)
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        true = holds(middle)
        low, high = np.where(true, middle, low), np.where(true, high, middle)
    return np.asarray(0.5 * (low + high))


def tails_refused_too_often(log_pmf: Any, guess: Floats, rng: Any) -> Floats:
    """The sampler of the pmf to the power 1.01."""
    return skellam_lattice.draw(lambda rows, points: 1.01 * log_pmf(rows, points), guess, rng)


@certificate(
    {"N14": supports},
    rejects={
        "the pmf to the power 1.01": {"draw": tails_refused_too_often},
        "the sides exchanged": {"draw": lambda log_pmf, guess, rng: -skellam_lattice.draw(log_pmf, guess, rng)},
    },
)
def lattice_sampler(enclosure: Enclosure, draw: Callable[..., Any] = skellam_lattice.draw) -> None:
    """A proposal is accepted at j with a probability proportional to the pmf at j; a coin decides the side."""
    for up, down, reach in ((1 / 2, 1 / 4, 9), (3 / 4, 7 / 8, 30)):
        law = TwoSidedGeometric(up, down)
        above, below = (Proposals(draw, law, side) for side in (1, -1))
        enclosure.agrees(f"ratios {up:g}, {down:g}: the coin", above.coin(), arb(1) / 2, 1e-9)
        weights = {up: above.accepted(reach), down: below.accepted(reach)}
        # Both sides round to 0, so each holds half of the mode's own cell.
        mode = arb(float(weights[up][0] + weights[down][0]))
        each = Enclosure(Record())
        for ratio, found in weights.items():
            for step, weight in enumerate(found[1:].tolist(), start=1):
                each.agrees(f"{step} steps of {ratio:g}", weight, mode * arb(ratio) ** step, 1e-7)
        enclosure.checked(f"ratios {up:g}, {down:g}", f"{2 * reach} weights of accepted proposals are as the pmf")
