"""Faulty Brownian mechanisms whose recursion is wrong: what is drawn for the next release given the last."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from nrverify.reference.mutants.catalogue import mutants
from nrverify.reference.mutants.correct.noise import Array, Brownian, Rows, Session, Shape


class FreshNoise(Brownian):
    """Every release gets fresh noise instead of the path that is already there."""

    def onward(self, value: Array, state: Any, t: float, s: float, rng: np.random.Generator) -> Any:
        return self.start(value, s, state.shape, rng)

    def again(self, value: Array, state: Any, t: float, rng: np.random.Generator) -> Any:
        return self.start(value, t, state.shape, rng)


class PullToZero(Brownian):
    """The bridge shrinks the whole release towards 0 instead of its noise towards the value."""

    def bridge_mean(self, value: Array, noise: Array, t: float, s: float) -> Array:
        return np.asarray((s / t) * (value + noise) - value)


class BridgeMeanRoot(Brownian):
    """The bridge's mean shrinks the noise by √(s/t) instead of s/t."""

    def bridge_mean(self, value: Array, noise: Array, t: float, s: float) -> Array:
        return np.asarray(math.sqrt(s / t) * noise)


class BridgeVarianceMarginal(Brownian):
    """The bridge adds noise of variance s, as if nothing were known, instead of s(t−s)/t."""

    def bridge_deviation(self, value: Array, noise: Array, t: float, s: float) -> Any:
        return math.sqrt(s)


class BridgeVarianceIncrement(Brownian):
    """The bridge adds noise of variance t−s, that of the increment, instead of s(t−s)/t."""

    def bridge_deviation(self, value: Array, noise: Array, t: float, s: float) -> Any:
        return math.sqrt(t - s)


class BridgeVarianceTenth(Brownian):
    """The bridge's variance is a tenth too large."""

    def bridge_deviation(self, value: Array, noise: Array, t: float, s: float) -> Any:
        return math.sqrt(1.1 * s * (t - s) / t)


class BridgeVarianceForDeviation(Brownian):
    """The bridge's variance is passed where the generator expects a standard deviation."""

    def bridge_deviation(self, value: Array, noise: Array, t: float, s: float) -> Any:
        return s * (t - s) / t


class VarianceForDeviation(BridgeVarianceForDeviation):
    """Variances are passed wherever the generator expects standard deviations, at the first release too."""

    def start_deviation(self, t: float) -> float:
        return t


class ThreePercentSmall(Brownian):
    """All noise has 3 % too little variance."""

    def normals(self, shape: Shape, rng: np.random.Generator) -> Array:
        return math.sqrt(0.97) * super().normals(shape, rng)


class Forward(Brownian):
    """The path runs forwards: each less noisy release adds an increment N(0, t−s) to the noise."""

    def bridge_mean(self, value: Array, noise: Array, t: float, s: float) -> Array:
        return noise

    def bridge_deviation(self, value: Array, noise: Array, t: float, s: float) -> Any:
        return math.sqrt(t - s)


class RepeatedTimeFresh(Brownian):
    """The same time asked for twice is answered with fresh noise; all else is right."""

    def again(self, value: Array, state: Any, t: float, rng: np.random.Generator) -> Any:
        return self.start(value, t, state.shape, rng)


class RepeatedTimeBridged(Brownian):
    """The same time asked for again is nudged down by a thousandth and bridged, so the answer moves."""

    def again(self, value: Array, state: Any, t: float, rng: np.random.Generator) -> Any:
        return self.onward(value, state, t, 0.999 * t, rng)


class AfterExtreme(Brownian):
    """After noise of more than 2 standard deviations the next step has twice its variance."""

    def bridge_deviation(self, value: Array, noise: Array, t: float, s: float) -> Any:
        doubled = np.where(np.abs(noise) > 2 * math.sqrt(t), 2.0, 1.0)
        return np.sqrt(doubled * (s * (t - s) / t))


class LateRelease(Brownian):
    """Each release shows the noise of the request before: an off-by-one in the list of releases."""

    def start(self, value: Array, t: float, shape: Shape, rng: np.random.Generator) -> Any:
        noise = super().start(value, t, shape, rng)
        return noise, noise

    def onward(self, value: Array, state: Any, t: float, s: float, rng: np.random.Generator) -> Any:
        _, noise = state
        return noise, super().onward(value, noise, t, s, rng)

    def publish(self, value: Array, state: Any) -> Array:
        return np.asarray(value + state[0])


class StaleTime(Brownian):
    """The bridge starts from the time before the last, because the time is stored one release late."""

    def start(self, value: Array, t: float, shape: Shape, rng: np.random.Generator) -> Any:
        return super().start(value, t, shape, rng), t

    def onward(self, value: Array, state: Any, t: float, s: float, rng: np.random.Generator) -> Any:
        noise, before = state
        return super().onward(value, noise, before, s, rng), t

    def publish(self, value: Array, state: Any) -> Array:
        return np.asarray(value + state[0])


class BridgeFromFirst(Brownian):
    """Every release is bridged from the first one, never from the last, so later ones can be averaged."""

    def start(self, value: Array, t: float, shape: Shape, rng: np.random.Generator) -> Any:
        noise = super().start(value, t, shape, rng)
        return noise, noise, t

    def onward(self, value: Array, state: Any, t: float, s: float, rng: np.random.Generator) -> Any:
        _, first, time = state
        return super().onward(value, first, time, s, rng), first, time

    def publish(self, value: Array, state: Any) -> Array:
        return np.asarray(value + state[0])


class ReseededEachRelease(Brownian):
    """The generator is seeded again inside every release, so all steps of a session use the same normals."""

    def start(self, value: Array, t: float, shape: Shape, rng: np.random.Generator) -> Any:
        z = self.normals(shape, rng)
        return self.start_deviation(t) * z, z

    def onward(self, value: Array, state: Any, t: float, s: float, rng: np.random.Generator) -> Any:
        noise, z = state
        return self.bridge_mean(value, noise, t, s) + self.bridge_deviation(value, noise, t, s) * z, z

    def publish(self, value: Array, state: Any) -> Array:
        return np.asarray(value + state[0])


class SnappedTimes(Brownian):
    """Times are snapped down to a grid of powers of 1.1, on which the path was prepared."""

    def time_at(self, at: float, d: int) -> float:
        return at if not at > 0 or math.isinf(at) else 1.1 ** math.floor(math.log(at) / math.log(1.1))


class AdaptiveOnly(Brownian):
    """Batches are right, but interactive sessions use a bridge with a tenth too little variance."""

    def open(self, value: Array, seed: int) -> Any:
        return Session(Rows(_BridgeVarianceSmall(), value, 1, self.stream(seed)))


class _BridgeVarianceSmall(Brownian):
    def bridge_deviation(self, value: Array, noise: Array, t: float, s: float) -> Any:
        return math.sqrt(0.9 * s * (t - s) / t)


class LongSchedules(Brownian):
    """From the seventh release on the noise is drawn afresh, because the path's buffer holds six."""

    def start(self, value: Array, t: float, shape: Shape, rng: np.random.Generator) -> Any:
        return super().start(value, t, shape, rng), 1

    def onward(self, value: Array, state: Any, t: float, s: float, rng: np.random.Generator) -> Any:
        noise, releases = state
        if releases >= 6:
            return super().start(value, s, noise.shape, rng), releases + 1
        return super().onward(value, noise, t, s, rng), releases + 1

    def publish(self, value: Array, state: Any) -> Array:
        return np.asarray(value + state[0])


class BatchBroadcast(Brownian):
    """In a batch one path is drawn and broadcast to all sessions; interactive sessions are right."""

    def sample(self, value: Array, schedule: Sequence[float], sessions: int, seed: int) -> Array:
        return np.repeat(super().sample(value, schedule, 1, seed), sessions, axis=0)


RECURSION = (
    *mutants(
        "leak",
        (
            ("brownian-fresh-noise", FreshNoise),
            ("brownian-bridge-variance-for-deviation", BridgeVarianceForDeviation),
            ("brownian-variance-for-deviation", VarianceForDeviation),
            ("brownian-three-percent-small", ThreePercentSmall),
            ("brownian-repeated-time-fresh", RepeatedTimeFresh),
            ("brownian-repeated-time-bridged", RepeatedTimeBridged),
            ("brownian-after-extreme", AfterExtreme),
            ("brownian-stale-time", StaleTime),
            ("brownian-bridge-from-first", BridgeFromFirst),
            ("brownian-reseeded-each-release", ReseededEachRelease),
            ("brownian-snapped-times", SnappedTimes),
            ("brownian-adaptive-only", AdaptiveOnly),
            ("brownian-long-schedules", LongSchedules),
            ("brownian-batch-broadcast", BatchBroadcast),
        ),
    ),
    *mutants(
        "inaccuracy",
        (
            ("brownian-pull-to-zero", PullToZero),
            ("brownian-bridge-mean-root", BridgeMeanRoot),
            ("brownian-bridge-variance-marginal", BridgeVarianceMarginal),
            ("brownian-bridge-variance-increment", BridgeVarianceIncrement),
            ("brownian-bridge-variance-tenth", BridgeVarianceTenth),
            ("brownian-forward", Forward),
            ("brownian-late-release", LateRelease),
        ),
    ),
)
