"""What a check of privacy would have caught, said of a planted fault: its loss, the neighbours, and the claim there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.core.faults import alternative_of
from nrverify.auditing.core.finding import Size
from nrverify.auditing.threshold.designs import Neighbours
from nrverify.auditing.threshold.faulty_laws import claimed_law, faulty_laws
from nrverify.statistics.labels import LabelBets

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Leak:
    """A fault with a law of its own, at the neighbours that lose most by it beyond the claim."""

    fault: str
    pair: str
    loss: float
    claim: float

    @property
    def size(self) -> Size:
        """As what would have been refuted."""
        words = f"ε of an attacker at the neighbours of {self.pair}, where {self.claim:.3g} is claimed, by the planted "
        return Size(f"{words}fault '{alternative_of(self.fault).title}',", self.loss, "ε")


def least_leak(
    pairs: Mapping[str, Neighbours],
    runs: Mapping[str, float],
    claims: Mapping[str, Floats],
    guesses: Mapping[str, Floats],
    faults: Sequence[str],
    bets: LabelBets,
    alpha: float,
) -> Leak | None:
    """Of the faults that would have been refuted after so many runs of each pair the one that loses least.

    The bets are asked at the counts that are expected with the fault: they reach 1/α there, or they do not. What is
    learned from the runs is no part of it, so it errs on the side of too little.
    """
    found = []
    for fault in faults:
        planted = bets.empty_copy()
        leaks = []
        for name, pair in pairs.items():
            own, other = (
                faulty_laws(design).get(fault, claimed_law(design)) for design in (pair.design, pair.neighbour)
            )
            guess = np.vstack([guesses[name], np.zeros_like(own)])
            for label, law in ((0, other), (1, own)):
                planted.bet(guess, claims[name], np.full(law.size, bool(label)), 0.5 * runs[name] * law)
            leaks.append(_worst(fault, name, own, other, claims[name]))
        worst = max(leaks, key=lambda leak: leak.loss - leak.claim)
        if worst.loss > worst.claim and planted.log_e >= -np.log(alpha):
            found.append(worst)
    return min(found, key=lambda leak: leak.loss / leak.claim, default=None)


def _worst(fault: str, pair: str, own: Floats, other: Floats, claims: Floats) -> Leak:
    """The bin that loses most beyond its claim, in either direction."""
    with np.errstate(divide="ignore", invalid="ignore"):
        losses = np.abs(np.nan_to_num(np.log(own) - np.log(other), nan=0.0, posinf=np.inf, neginf=-np.inf))
    bin = int(np.argmax(losses - claims))
    return Leak(fault, pair, float(losses[bin]), float(claims[bin]))
