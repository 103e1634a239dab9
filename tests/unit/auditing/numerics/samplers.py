"""Ways to draw noise in doubles, as libraries do, and to add it to a value: (rng, value, n, times) → (n, k)."""

from itertools import pairwise

import numpy as np
from scipy.special import ndtri

from nrverify.laws.laplace import Laplace

THREE = (4.5, 2.0, 1.0)
ONE = (1.0,)
TWO = (2.0,)


def bridge_on_noise(rng, value, n, times):
    """As in the README."""
    noise = np.sqrt(times[0]) * rng.standard_normal(n)
    releases = [value + noise]
    for t, s in pairwise(times):
        noise = noise * (s / t) + np.sqrt(s * (t - s) / t) * rng.standard_normal(n)
        releases.append(value + noise)
    return np.stack(releases, axis=1)


def bridge_on_release(rng, value, n, times):
    release = value + np.sqrt(times[0]) * rng.standard_normal(n)
    releases = [release]
    for t, s in pairwise(times):
        mean = value + (release - value) * (s / t)
        release = mean + np.sqrt(s * (t - s) / t) * rng.standard_normal(n)
        releases.append(release)
    return np.stack(releases, axis=1)


def increments(rng, value, n, times):
    steps = np.sqrt(np.diff(times[::-1], prepend=0.0))
    return value + np.cumsum(steps * rng.standard_normal((n, len(times))), axis=1)[:, ::-1]


def four_normals(rng, value, n, times):
    return _one(value, np.sqrt(times[-1]) * rng.standard_normal((4, n)).sum(axis=0) / 2)


def quantiles(rng, value, n, times):
    return _one(value, np.sqrt(times[-1]) * ndtri(rng.random(n)))


def polar(rng, value, n, times):
    """Marsaglia's polar method, as in Java's nextGaussian and Python's gauss."""
    u, v = rng.uniform(-1, 1, (2, 4 * n + 64))
    s = u * u + v * v
    inside = (s > 0) & (s < 1)
    noise = (u * np.sqrt(-2 * np.log(np.where(inside, s, 0.5)) / np.where(inside, s, 0.5)))[inside][:n]
    return _one(value, np.sqrt(times[-1]) * noise)


def box_muller_31(rng, value, n, times):
    radius, angle = _pair_31(rng, n)
    return _one(value, np.sqrt(times[-1]) * radius * np.cos(angle))


def box_muller_31_both(rng, value, n, times):
    """Both numbers of each pair, in a first release and its bridge."""
    radius, angle = _pair_31(rng, n)
    t, s = times[-2:]
    first = np.sqrt(t) * radius * np.cos(angle)
    second = first * (s / t) + np.sqrt(s * (t - s) / t) * radius * np.sin(angle)
    return value + np.stack([first, second], axis=1)


def single_precision(rng, value, n, times):
    return _one(value, (np.sqrt(times[-1]) * rng.standard_normal(n)).astype(np.float32).astype(float))


def numpy_laplace(rng, value, n, times):
    return _one(value, rng.laplace(0.0, times[-1], n))


def laplace_log1p(rng, value, n, times):
    u = rng.random(n) - 0.5
    return _one(value, -times[-1] * np.sign(u) * np.log1p(-2 * np.abs(u)))


def laplace_31(rng, value, n, times):
    u = (rng.integers(0, 2**31, n) + 1.0) / 2.0**31
    return _one(value, times[-1] * np.where(rng.random(n) < 0.5, 1, -1) * np.log(u))


def exponentials(rng, value, n, times):
    return _one(value, times[-1] * (rng.standard_exponential(n) - rng.standard_exponential(n)))


def four_uniforms(rng, value, n, times):
    """As in diffprivlib."""
    u = 1 - rng.random((2, n))
    w = rng.random((2, n))
    return _one(value, times[-1] * (np.log(u) * np.cos(np.pi * w)).sum(axis=0))


def laplace_reverse(rng, value, n, times):
    noise = Laplace().marginal(times[0]).rvs(rng, n)
    releases = [value + noise]
    for t, s in pairwise(times):
        noise = Laplace().bridge(s, t, noise).rvs(rng)
        releases.append(value + noise)
    return np.stack(releases, axis=1)


def rounded(draw, grid):
    """The same, released as multiples of a grid."""
    return lambda rng, value, n, times: grid * np.rint(draw(rng, value, n, times) / grid)


def _one(value, noise):
    return (value + noise)[:, None]


def _pair_31(rng, n):
    u, w = (rng.integers(0, 2**31, (2, n)) + 1.0) / 2.0**31
    return np.sqrt(-2 * np.log(u)), 2 * np.pi * w


BROWNIAN = {
    "one normal": (bridge_on_noise, ONE),
    "one normal at time 2": (bridge_on_noise, TWO),
    "bridge on the noise": (bridge_on_noise, THREE),
    "bridge on the noise at other times": (bridge_on_noise, (3.0, 1.7, 0.7)),
    "bridge on the noise, fourteen releases": (bridge_on_noise, tuple(100.0 * 0.7**k for k in range(14))),
    "bridge on the release": (bridge_on_release, THREE),
    "increments read backwards": (increments, THREE),
    "four normals": (four_normals, ONE),
    "quantiles of uniforms": (quantiles, ONE),
    "polar method": (polar, ONE),
    "Box and Muller, 31 bits": (box_muller_31, ONE),
    "Box and Muller, 31 bits, both": (box_muller_31_both, (2.0, 1.0)),
    "single precision": (single_precision, ONE),
}
LAPLACE = {
    "numpy's laplace": (numpy_laplace, ONE),
    "log1p of a uniform": (laplace_log1p, ONE),
    "log of 31 bits": (laplace_31, ONE),
    "difference of exponentials": (exponentials, ONE),
    "four uniforms": (four_uniforms, ONE),
    "reverse kernel": (laplace_reverse, THREE),
}
