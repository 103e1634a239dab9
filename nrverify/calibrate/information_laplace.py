"""What one session of a faulty Laplace mechanism says against the law it claims, in nats.

Read from the least noisy time s upwards the process is a walk with independent steps: the noise at s is Lap(s), from s
to t it stays with probability (s/t)² and moves by Lap(t) else. The information of a fault that keeps the steps
independent is the sum over steps, with KL(Lap(cb) ‖ Lap(b)) = c − 1 − log c.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.special import rel_entr

from nrverify.auditing.noise_reduction.design.cases import Case
from nrverify.calibrate.mixture import Part
from nrverify.calibrate.paths import first_time, next_times
from nrverify.reference.reverse_steps import LAPLACE
from nrverify.subjects.policies import Fixed

Ratio = Callable[[float], float]
"""A function of s/t."""

ADAPTIVE_SESSIONS = 200_000
"""Of a simulated mean, whose standard error is then 0.2 % of the spread of one session."""


def scale_information(c: float) -> float:
    """KL(Lap(cb) ‖ Lap(b)) = c − 1 − log c."""
    return c - 1 - math.log(c)


def coin_information(p: float, claimed: float) -> float:
    """KL of a coin that falls with probability p where another is claimed."""
    return float(rel_entr(p, claimed) + rel_entr(1 - p, 1 - claimed))


@dataclass(frozen=True)
class WalkFault:
    """A walk with another probability of staying, other jumps (in units of t), or another first scale (of s).

    For subjects that sample on fixed schedules alone.
    """

    keep: Ratio = lambda r: r * r
    jump: Ratio = lambda r: 1.0
    first: float = 1.0
    one_coin: bool = False

    def information(self, parts: list[Part]) -> float:
        """Nats per session drawn."""
        return math.fsum(part.weight * self._of_case(part.case) for part in parts)

    def _of_case(self, case: Case) -> float:
        assert isinstance(case.play, Fixed)
        d = len(case.value)
        total = d * scale_information(self.first)
        for t, s in pairwise(case.play.schedule):
            if s < t:
                total += self._of_step(s / t, d)
        return total

    def _of_step(self, r: float, d: int) -> float:
        p = self.keep(r)
        moved = d * (1 - p) * scale_information(self.jump(r))
        if self.one_coin:
            # All stay or all move where d independent coins are claimed.
            return moved + p * math.log(p / r ** (2 * d)) + (1 - p) * math.log((1 - p) / (1 - r * r) ** d)
        return moved + d * coin_information(p, r * r)


@dataclass(frozen=True)
class ScaledFault:
    """All scales times c, ties as they should be; also in adaptive sessions, by simulation.

    The log likelihood ratio of a transcript is that of the walk at the times that were asked, however they were chosen.
    """

    c: float

    def information(self, parts: list[Part]) -> float:
        """Nats per session drawn; one wandering of each adaptive play stands for all, for the law is self-similar."""
        walk = WalkFault(jump=lambda r: self.c, first=self.c)
        adaptive: dict[str, float] = {}
        total = 0.0
        for part in parts:
            if isinstance(part.case.play, Fixed):
                total += part.weight * walk.information([Part(1.0, part.case)])
                continue
            if part.case.name not in adaptive:
                adaptive[part.case.name] = self._simulated(part.case, np.random.default_rng(0))
            total += part.weight * adaptive[part.case.name]
        return total

    def _simulated(self, case: Case, rng: np.random.Generator) -> float:
        d = len(case.value)
        times = [np.full(ADAPTIVE_SESSIONS, first_time(case.falling_rule))]
        noise = LAPLACE.start(self.c * times[0][:, None], (ADAPTIVE_SESSIONS, d), rng)
        releases = [case.array + noise]
        jumps, sizes = 0.0, 0.0
        last = times[0].copy()
        while (following := next_times(case.falling_rule, times, releases)) is not None:
            here = np.flatnonzero(np.isfinite(following))
            t, s = last[here, None], following[here, None]
            moved = noise.copy()
            moved[here] = LAPLACE.onward(noise[here], self.c * t, self.c * s, rng)
            step = np.abs(noise[here] - moved[here])
            jumps += float((step > 0).sum())
            sizes += float((step / t).sum())
            noise, last[here] = moved, following[here]
            times.append(following)
            releases.append(case.array + noise)
        jumps += noise.size
        sizes += float((np.abs(noise) / last[:, None]).sum())
        return (-jumps * math.log(self.c) + sizes * (1 - 1 / self.c)) / ADAPTIVE_SESSIONS


LAPLACE_FAULTS: dict[str, WalkFault | ScaledFault] = {
    "laplace-keep-linear": WalkFault(keep=lambda r: r),
    "laplace-ties-too-often": WalkFault(keep=lambda r: r**1.5),
    "laplace-one-coin": WalkFault(one_coin=True),
    "laplace-jump-scale-small-end": WalkFault(jump=lambda r: r),
    "laplace-jump-scale-middle": WalkFault(jump=math.sqrt),
    "laplace-jump-scale-tenth": WalkFault(jump=lambda r: 1.1),
    "laplace-never-tied": WalkFault(keep=lambda r: 0.0, jump=lambda r: math.sqrt(1 - r * r)),
    "laplace-scale-for-deviation": WalkFault(jump=lambda r: math.sqrt(0.5), first=math.sqrt(0.5)),
    "laplace-three-percent-small": ScaledFault(0.97),
}
"""Faults whose information is a sum over steps."""
