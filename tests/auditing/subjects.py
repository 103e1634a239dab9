"""Small right and wrong subjects, written for these tests alone."""

from itertools import pairwise

import numpy as np


class Right:
    """Brownian noise by its bridge, in batches and in sessions."""

    mechanism = "brownian"

    def step(self, noise, t, s, rng):
        return noise * (s / t) + np.sqrt(s * (t - s) / t) * rng.standard_normal(noise.shape)

    def first(self, shape, t, rng):
        return np.sqrt(t) * rng.standard_normal(shape)

    def sample(self, value, schedule, sessions, seed):
        rng = np.random.default_rng(seed)
        noise = self.first((sessions, len(value)), schedule[0], rng)
        releases = [value + noise]
        for t, s in pairwise(schedule):
            noise = self.step(noise, t, s, rng)
            releases.append(value + noise)
        return np.stack(releases, axis=1)

    def open(self, value, seed):
        return RightSession(self, value, np.random.default_rng(seed))


class RightSession:
    def __init__(self, subject, value, rng):
        self.subject, self.value, self.rng = subject, value, rng
        self.t = self.noise = None

    def release(self, at):
        if not (0 < at < np.inf) or (self.t is not None and at > self.t):
            raise ValueError(f"{at} is no valid time")
        if self.t is None:
            self.noise = self.subject.first(self.value.shape, at, self.rng)
        else:
            self.noise = self.subject.step(self.noise, self.t, at, self.rng)
        self.t = at
        return self.value + self.noise


class Fresh(Right):
    def step(self, noise, t, s, rng):
        return self.first(noise.shape, s, rng)


class WideBridge(Right):
    def step(self, noise, t, s, rng):
        return noise * (s / t) + np.sqrt(1.1 * s * (t - s) / t) * rng.standard_normal(noise.shape)


class Small(Right):
    def first(self, shape, t, rng):
        return np.sqrt(0.97 * t) * rng.standard_normal(shape)

    def step(self, noise, t, s, rng):
        return noise * (s / t) + np.sqrt(0.97 * s * (t - s) / t) * rng.standard_normal(noise.shape)


class AfterExtremes(Right):
    def step(self, noise, t, s, rng):
        factor = np.where(np.abs(noise) > 2 * np.sqrt(t), np.sqrt(2.0), 1.0)
        return noise * (s / t) + factor * np.sqrt(s * (t - s) / t) * rng.standard_normal(noise.shape)


class Correlated(Right):
    def first(self, shape, t, rng):
        return np.sqrt(t) * _correlated(rng.standard_normal(shape))

    def step(self, noise, t, s, rng):
        return noise * (s / t) + np.sqrt(s * (t - s) / t) * _correlated(rng.standard_normal(noise.shape))


def _correlated(z):
    z = z.copy()
    z[..., 1:] = 0.1 * z[..., :-1] + np.sqrt(1 - 0.01) * z[..., 1:]
    return z


class PullsToZero(Right):
    def sample(self, value, schedule, sessions, seed):
        rng = np.random.default_rng(seed)
        release = value + self.first((sessions, len(value)), schedule[0], rng)
        releases = [release]
        for t, s in pairwise(schedule):
            release = release * (s / t) + np.sqrt(s * (t - s) / t) * rng.standard_normal(release.shape)
            releases.append(release)
        return np.stack(releases, axis=1)


class FewStreams(Right):
    def sample(self, value, schedule, sessions, seed):
        return np.concatenate(
            [super(FewStreams, self).sample(value, schedule, 1, (seed + i) % 50) for i in range(sessions)]
        )

    def open(self, value, seed):
        return super().open(value, seed % 50)


class FewBatches:
    """Right but for its seed, of which twelve bits are used; its numbers are drawn in one of the usual orders."""

    mechanism = "brownian"

    def __init__(self, order):
        self.order = order

    def sample(self, value, schedule, sessions, seed):
        rng = np.random.default_rng(seed % 2**12)
        k, d = len(schedule), len(value)
        if self.order == "bridge, step by step":
            return Right().sample(value, schedule, sessions, seed % 2**12)
        if self.order == "walk, step by step":
            z = rng.standard_normal((k, sessions, d)).transpose(1, 0, 2)
        else:
            z = rng.standard_normal((sessions, k, d))
        spans = np.diff(schedule[::-1], prepend=0.0)
        return value + np.cumsum(np.sqrt(spans)[:, None] * z, axis=1)[:, ::-1]


class SinglePrecision(Right):
    def sample(self, value, schedule, sessions, seed):
        return super().sample(value, schedule, sessions, seed).astype(np.float32)


class WholeSteps(Right):
    def step(self, noise, t, s, rng):
        moved = super().step(noise, t, s, rng)
        return noise + np.round(moved - noise)


class HeavyTails(Right):
    def first(self, shape, t, rng):
        return np.sqrt(t * 3 / 5) * rng.standard_t(5, shape)


class WrongOnlyInSessions(Right):
    def open(self, value, seed):
        return RightSession(Fresh(), value, np.random.default_rng(seed))


class NotANumber(Right):
    def sample(self, value, schedule, sessions, seed):
        releases = super().sample(value, schedule, sessions, seed)
        releases[0, -1] = np.nan
        return releases


class SharedBySessions(Right):
    def __init__(self):
        self.shared = {}

    def first(self, shape, t, rng):
        return self.shared.setdefault((shape, t), super().first(shape, t, rng))


class OnlySessions:
    """Right, in sessions only, releasing plain floats and lists."""

    mechanism = "brownian"

    def open(self, value, seed):
        return ListSession(Right(), value, np.random.default_rng(seed))


class ListSession(RightSession):
    def release(self, at):
        release = super().release(at)
        return float(release[0]) if release.size == 1 else release.tolist()


class Picky(Right):
    """Right, and refuses small times and three dimensions."""

    def sample(self, value, schedule, sessions, seed):
        if min(schedule) < 0.3 or len(value) > 2:
            raise ValueError("at most two dimensions, at least 0.3")
        return super().sample(value, schedule, sessions, seed)

    open = None


class ForwardPath(Right):
    """Right: the path drawn forwards from the smallest time, then read backwards."""

    def sample(self, value, schedule, sessions, seed):
        rng = np.random.default_rng(seed)
        times = np.array(schedule[::-1])
        spans = np.diff(np.concatenate([[0.0], times]))
        steps = rng.standard_normal((sessions, len(times), len(value))) * np.sqrt(spans)[:, None]
        return (value + np.cumsum(steps, axis=1))[:, ::-1]

    open = None


class Path:
    """Brownian noise walked up in time; subclasses spoil it."""

    mechanism = "brownian"

    def sample(self, value, schedule, sessions, seed):
        rng = np.random.default_rng(seed)
        spans = np.diff(schedule[::-1], prepend=0.0)
        z = self.mixed(rng.standard_normal((sessions, len(schedule), len(value))))
        noise = np.cumsum(np.sqrt(spans)[:, None] * z, axis=1)[:, ::-1]
        return self.shown(np.asarray(value, dtype=float), noise, rng)

    def mixed(self, z):
        return z

    def shown(self, value, noise, rng):
        return value + noise


def refuted(report):
    return {check.id for check in report.checks if check.verdict == "refuted"}
