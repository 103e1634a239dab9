"""One session of noise reduction, asked for an ε: what it releases, and what has been paid."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from nrverify.laws.boundary import SkellamLinear
from nrverify.reference.arguments import positive
from nrverify.reference.noise_reduction import BrownianMechanism, Rng, SkellamNoiseReduction
from nrverify.reference.threshold import ReducedAboveThreshold

COUPLED = 2.0
"""Releases that ReducedAboveThreshold stops at ε cost 2ε: ε for the releases, ε for the answers (claims R05, R11)."""


class Boundary(Protocol):
    """A privacy boundary ψ with its inverse, such as `nrverify.Linear`."""

    @property
    def delta(self) -> float: ...
    @property
    def sensitivity(self) -> float: ...
    def inverse(self, epsilon: float) -> float: ...


class Paid(NamedTuple):
    """A privacy loss above `epsilon` has probability at most `delta`."""

    epsilon: float
    delta: float


class Look(NamedTuple):
    """One release: the ε asked for, the time it is at, and what was released."""

    epsilon: float
    time: float
    release: Any


class NoiseReduction:
    """Releases a value with less and less noise; only the last, least noisy release is paid for.

    The boundary says how much noise an ε needs: `nrverify.Linear`, `Mixture`, `HalfNormalMixture` and `Grid` give
    Brownian noise, `SkellamLinear` integer noise for integer values. The guarantee is ex-post: with probability at
    least 1 − δ no release has lost more than the ε asked for it. It is one of real arithmetic (see
    `nrverify.reference.exact` for releases whose last bits are safe too).

    Parameters
    ----------
    value
        What is released: a number or an array. Neighbouring values lie at most `boundary.sensitivity` apart.
    boundary
        A privacy boundary, with its δ and its sensitivity.
    rng
        A numpy generator or a seed; by default seeded by the operating system.

    Attributes
    ----------
    paid
        What all releases so far cost, as (epsilon, delta).
    history
        Every release so far, as (epsilon, time, release).

    Examples
    --------
    >>> from nrverify import Linear, NoiseReduction
    >>> boundary = Linear.tightest_at(epsilon=1.0, delta=1e-6, sensitivity=1.0)
    >>> count = NoiseReduction(412.0, boundary, rng=7)
    >>> for epsilon in (0.5, 1.0, 2.0):
    ...     estimate = count.refine(epsilon)
    >>> print(f"{count.paid.epsilon} {count.paid.delta:.6g}")
    2.0 1e-06
    >>> [look.epsilon for look in count.history]
    [0.5, 1.0, 2.0]
    """

    def __init__(self, value: npt.ArrayLike, boundary: Boundary, rng: Rng = None) -> None:
        if not all(hasattr(boundary, name) for name in ("inverse", "delta", "sensitivity")):
            raise ValueError(
                f"boundary is {boundary!r}: it must be a privacy boundary with inverse, delta and sensitivity; give a "
                "Linear, Mixture, HalfNormalMixture, Grid or SkellamLinear"
            )
        self.boundary = boundary
        self.history: list[Look] = []
        self._rng = np.random.default_rng(rng)
        self._mechanism: BrownianMechanism | SkellamNoiseReduction
        if isinstance(boundary, SkellamLinear):
            self._mechanism = SkellamNoiseReduction(value, boundary.rate, self._rng)
        else:
            self._mechanism = BrownianMechanism(value, self._rng)
        self._answering: ReducedAboveThreshold | None = None
        self._utility: Callable[[Any], float] | None = None
        self._answered = False
        self._admit: Callable[[Paid, float], None] = lambda cost, time: None
        """Asked before every release, with its cost and its time; a budget raises where it does not suffice."""

    @property
    def paid(self) -> Paid:
        """What all releases so far cost: the ε of the last one, twice that where the stop is private."""
        if not self.history:
            return Paid(0.0, 0.0)
        return self._cost(self.history[-1].epsilon, self._answered)

    @property
    def private(self) -> bool:
        """Whether releases are tested by ReducedAboveThreshold."""
        return self._answering is not None

    @property
    def stopped(self) -> bool:
        """Whether ReducedAboveThreshold has said that the last release is good enough."""
        return self._answering is not None and self._answering.halted

    def refine(self, epsilon: float) -> Any:
        """The value with the noise that ε needs, in the shape of the value; the same ε gives the same release.

        `ValueError`, and nothing is released, where ε decreases, the boundary does not reach it, or the session has
        stopped.
        """
        epsilon = positive("epsilon", epsilon)
        if self.stopped:
            raise ValueError(f"the session has stopped at epsilon = {self.history[-1].epsilon!r}: open a new one")
        if self.history and epsilon < self.history[-1].epsilon:
            raise ValueError(
                f"epsilon is {epsilon!r} after {self.history[-1].epsilon!r}: it must not decrease; "
                "a noisier release would add nothing"
            )
        time = float(self.boundary.inverse(epsilon))
        self._admit(self._cost(epsilon, self._answering is not None), time)
        release = self._mechanism.release(time)
        self.history.append(Look(epsilon, time, release))
        if self._answering is not None and self._utility is not None:
            self._answered = True
            self._answering.answer(float(self._utility(release)), epsilon)
        return release

    def stop_privately(self, utility: Callable[[Any], float], threshold: float, sensitivity: float) -> NoiseReduction:
        """From now on every release is tested: is its utility above the threshold, by ReducedAboveThreshold?

        `utility(release)` may use the private data; `sensitivity` is how far it moves, at any one release, between
        neighbouring data. `stopped` tells the answer, the only thing that is shown of the utility. The whole then
        costs twice the ε of the last release. Returns the session itself.
        """
        if self._answering is not None:
            raise ValueError("stop_privately was called before: a session has one way to stop")
        if not callable(utility):
            raise ValueError(f"utility is {utility!r}: it must be a function of a release")
        self._answering = ReducedAboveThreshold(threshold, sensitivity, self._rng)
        self._utility = utility
        return self

    def _cost(self, epsilon: float, coupled: bool) -> Paid:
        """What it costs to have released at ε, with or without an answer."""
        return Paid(COUPLED * epsilon if coupled else epsilon, self.boundary.delta)

    def __repr__(self) -> str:
        """Where the session is."""
        kind = "Skellam" if isinstance(self._mechanism, SkellamNoiseReduction) else "Brownian"
        if not self.history:
            return f"<NoiseReduction: {kind} noise, nothing released>"
        last, count = self.history[-1], len(self.history)
        where = f"{count} release{'s' if count > 1 else ''}, the last at time {last.time:.4g}"
        stopped = ", stopped" if self.stopped else ""
        return (
            f"<NoiseReduction: {kind} noise, {where}; paid ε = {self.paid.epsilon:g}, δ = {self.paid.delta:g}{stopped}>"
        )
