"""What the paper fixes of its experiments, and what it leaves open (Section 6, Appendix E; claims E01–E11)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

REGULARISATION = 0.05
"""λ of both tasks."""
DELTA = 1e-6
"""Failure probability of the Brownian mechanism."""
TUNED = 0.3
"""The ε at which privacy boundaries are tightest."""
ABOVE_THRESHOLD = 0.5
"""The fixed ε of AboveThreshold."""
FIRST_LEVEL = 0.15
"""The smallest ε asked for: just above the floor 0.149194 of the linear boundary tuned at 0.3 (B14, E11)."""
TARGETS = {"logistic": 0.41, "ridge": 0.025}
"""The regularised losses at which the experiments stop."""
LAST_LEVELS = {"logistic": 2.4, "ridge": 15.0}
"""The largest ε asked for: beyond it nearly every run has reached its target."""

Split = Literal["joint", "halves", "whole"]
Utility = Literal["ball", "own"]
Solver = Literal["plain", "repaired"]

SPLITS: tuple[Split, ...] = ("joint", "halves", "whole")
UTILITIES: tuple[Utility, ...] = ("ball", "own")
SOLVERS: tuple[Solver, ...] = ("plain", "repaired")


@dataclass(frozen=True)
class ReproductionSettings:
    """One run: its size, and a choice for everything that the paper leaves open.

    - `per_doubling` (the ε grid is not given): 0.15·2^(k/per_doubling), so that 0.3 is a level.
    - `split` (E05, how XᵀX and Xᵀy share ε): "joint" releases the pair as one vector; "halves" gives each ε/2 and δ/2;
      "whole" gives each the whole ε, so that the pair costs up to 2ε: not private as labelled, shown for comparison.
    - `response_limit` (E04, no bound on y is stated): y = log(1 + popularity)/log(1 + limit), cut off at 1.
    - `utility` (E07, no Δ is given): "ball" uses the Δ of the ball to which every estimate is projected; "own" divides
      loss and threshold by the Δ of the estimate's own norm.
    - `solver` (an indefinite noisy XᵀX is not mentioned): "plain" solves the noisy equations as they are; "repaired"
      first replaces the noisy XᵀX by its nearest positive semidefinite matrix.
    """

    trials: int = 1000
    rows: int = 10_000
    seed: int = 0
    per_doubling: int = 16
    split: Split = "joint"
    response_limit: float = 1e5
    utility: Utility = "ball"
    solver: Solver = "plain"

    def __post_init__(self) -> None:
        _at_least("trials", self.trials, 2)
        _at_least("rows", self.rows, 100)
        _at_least("seed", self.seed, 0)
        if not 1 <= self.per_doubling <= 200:
            raise ValueError(f"per_doubling = {self.per_doubling!r} must lie between 1 and 200 levels")
        if not (1 <= self.response_limit < math.inf):
            raise ValueError(f"response_limit = {self.response_limit!r} must be a finite popularity of at least 1")
        for name, value, known in (
            ("split", self.split, SPLITS),
            ("utility", self.utility, UTILITIES),
            ("solver", self.solver, SOLVERS),
        ):
            if value not in known:
                raise ValueError(f"{name} = {value!r} must be one of {', '.join(known)}")


def levels(first: float, last: float, per_doubling: int) -> tuple[float, ...]:
    """first·2^(k/per_doubling), k = 0, 1, …, up to last."""
    count = math.floor(math.log2(last / first) * per_doubling + 1e-9) + 1
    return tuple(first * 2 ** (k / per_doubling) for k in range(count))


def _at_least(name: str, value: int, least: int) -> None:
    if value < least:
        raise ValueError(f"{name} = {value!r} must be at least {least}")
