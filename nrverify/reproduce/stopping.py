"""Where runs stop, and what they have paid by then, under the three ways of checking the loss (Section 6).

Public data: the first loss at or below the target, at the price ε_N. AboveThreshold: the first noisy loss at or below a
noisy target, at the fixed extra price 0.5. ReducedAboveThreshold: the same with the noise of the current level, at the
extra price ε_N (Theorem rat), or min(ε_N, ¼Σ_{i≤N} ε_i) by the sharper accounting (R05).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from nrverify.reference.simulate import simulate
from nrverify.reproduce.data.files import Floats
from nrverify.reproduce.settings import ABOVE_THRESHOLD
from nrverify.reproduce.trials import TrialLosses, stream

Check = Literal["public", "above", "reduced"]
CHECKS: tuple[Check, ...] = ("public", "above", "reduced")
CHECK_NAMES = {"public": "public data", "above": "AboveThreshold, ε = 0.5", "reduced": "ReducedAboveThreshold"}


@dataclass(frozen=True)
class Stops:
    """Of each run: the bound on its privacy loss at its stop, infinite if it had none, and the loss it ended with."""

    spent: Floats
    sharper: Floats
    losses: Floats

    @property
    def finished(self) -> npt.NDArray[np.bool_]:
        """Which runs reached the target before the levels ran out."""
        return np.isfinite(self.spent)


def stops(outcome: TrialLosses, check: Check, seed: int, name: str) -> Stops:
    """Where the runs of an outcome stop under a check; the checks' noise has a stream of its own under this name."""
    halted = _halted(outcome, check, seed, f"{name}/{check}")
    never = ~halted.any(axis=1)
    index = halted.argmax(axis=1)
    rows = np.arange(len(halted))
    spent = prices(outcome.levels, check, "printed")[index]
    sharper = prices(outcome.levels, check, "sharper")[index]
    last = np.where(never, outcome.losses.shape[1] - 1, index)
    return Stops(np.where(never, np.inf, spent), np.where(never, np.inf, sharper), outcome.losses[rows, last])


def prices(levels: Floats, check: Check, accounting: Literal["printed", "sharper"] = "printed") -> Floats:
    """The bound on the loss of a run that stops at each look.

    Printed: ε_N, ε_N + ½ and 2ε_N. Sharper: a halt of the threshold mechanism at round N with levels e_i costs at most
    min(e_N, ¼Σ_{i≤N} e_i), e_i = ½ for AboveThreshold and ε_i for ReducedAboveThreshold.
    """
    if check == "public":
        return levels.copy()
    rounds = np.full_like(levels, ABOVE_THRESHOLD) if check == "above" else levels
    threshold = rounds if accounting == "printed" else np.minimum(rounds, rounds.cumsum() / 4)
    return np.asarray(levels + threshold)


def _halted(outcome: TrialLosses, check: Check, seed: int, name: str) -> npt.NDArray[np.bool_]:
    """(trials, looks): whether the check would halt at each look, had it not halted before.

    Utility and threshold are −loss and −target, both divided by the public Δ of the estimate (E07, R03), so that the
    threshold mechanism runs with sensitivity 1: it halts where (target − loss)/Δ + ξ ≥ ζ.
    """
    if check == "public":
        return np.asarray(outcome.losses <= outcome.target)
    trials, looks = outcome.losses.shape
    levels = np.full(looks, ABOVE_THRESHOLD) if check == "above" else outcome.levels
    zeta = simulate("laplace", 0.0, 2 / levels, trials, stream(seed, name, 0))[..., 0]
    rng = np.random.default_rng(stream(seed, name, 1))
    xi = rng.laplace(scale=4 / levels, size=(trials, looks))
    return np.asarray((outcome.target - outcome.losses) / outcome.units + xi >= zeta)
