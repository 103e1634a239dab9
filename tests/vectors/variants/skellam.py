"""Skellam noise: its law, its bridge and its boundary, by the Bessel functions of mpmath and plain sums."""

import math

from mpmath import mp

from tests.vectors.variants import refusing


def _gaussian_law(x, variance):
    """A Gaussian rounded to the integers, as the approximation people use."""
    scale = mp.sqrt(2 * variance)
    cdf = mp.erfc(-(mp.floor(x) + mp.mpf(1) / 2) / scale) / 2
    return {"pmf": mp.exp(-x * x / (2 * variance)) / mp.sqrt(2 * mp.pi * variance), "cdf": cdf, "sf": 1 - cdf}


def _summed(bug, mass, x, low, high):
    """pmf, cdf and sf at x of a law on the integers that has all its mass, to 45 digits, between low and high."""
    below = int(mp.floor(x)) - (1 if bug == "left-limit" and x == int(x) else 0)
    cdf = mp.fsum(mass(j) for j in range(low, below + 1))
    sf = 1.0 - float(cdf) if bug == "tail" else mp.fsum(mass(j) for j in range(below + 1, high + 1))
    return {"pmf": mass(int(x)) if x == int(x) else mp.mpf(0), "cdf": cdf, "sf": sf}


def marginal(bug, rate, time, x):
    refusing.positive(rate, time)
    refusing.finite(x)
    mu = (1 if bug == "missing-2" else 2) * rate * time
    if bug == "gaussian":
        return _gaussian_law(x, mu)
    scale = 1 if bug == "missing-scale" else mp.exp(-mu)
    if bug == "underflow" and float(mu) > 700:
        return {"pmf": math.nan, "cdf": math.nan, "sf": math.nan}
    masses = _masses(mu, 60 + int(14 * mp.sqrt(mu)) + abs(int(x)))
    return _summed(bug, lambda j: scale * masses[abs(j)], x, -len(masses) + 1, len(masses) - 1)


def _masses(mu, highest):
    """I_0(μ), …, I_highest(μ), by the recurrence run downwards from two values of mpmath."""
    values = [mp.besseli(highest, mu), mp.besseli(highest - 1, mu)]
    for k in range(highest - 1, 0, -1):
        values.append(values[-2] + 2 * k / mu * values[-1])
    return values[::-1]


def bridge(bug, rate, s, t, given, x):
    refusing.positive(rate)
    refusing.times(s, t)
    refusing.whole(given)
    refusing.finite(x)
    factor, k = (1 if bug == "missing-2" else 2) * rate, int(given)
    if bug == "fresh-noise":
        return marginal("", rate, s, x)
    if s == t and bug != "whole-time":

        def mass(j):
            return mp.mpf(1) if j == k else mp.mpf(0)

    elif bug == "thinned-difference":
        share = s / t

        def mass(j):
            size = j if k >= 0 else -j
            if not 0 <= size <= abs(k):
                return mp.mpf(0)
            return mp.binomial(abs(k), size) * share**size * (1 - share) ** (abs(k) - size)

    else:
        later = t if bug == "whole-time" else t - s
        whole = mp.besseli(abs(k), factor * t)

        def mass(j):
            return mp.besseli(abs(j), factor * s) * mp.besseli(abs(k - j), factor * later) / whole

    reach = 40 + abs(k) + abs(int(x)) + int(7 * mp.sqrt(factor * min(s, t - s)))
    return _summed(bug, mass, x, -reach, reach)


def moments(bug, rate, s, t, given):
    refusing.positive(rate)
    refusing.times(s, t)
    refusing.whole(given)
    share, k = s / t, abs(given)
    mu = (1 if bug == "missing-2" else 2) * rate * t
    if bug == "fresh-noise":
        return {"mean": mp.mpf(0), "variance": 2 * rate * s}
    events = k + mu * mp.besseli(k + 1, mu) / mp.besseli(k, mu)
    variance = {
        "thinned-difference": share * (1 - share) * k,
        "gaussian": mu * share * (1 - share),
        "whole-time": share * events,
    }.get(bug, share * (1 - share) * events)
    return {"mean": given * share, "variance": variance}


def _log_ratio(bug, k, sensitivity, mu):
    if bug == "one-step":
        return sensitivity * mp.log(mp.besseli(k, mu) / mp.besseli(k + 1, mu))
    return mp.log(mp.besseli(k, mu) / mp.besseli(k + sensitivity, mu))


def _level(bug, line):
    return int(mp.ceil(line)) - 1 + {"level-too-low": -1, "level-too-high": 1}.get(bug, 0)


def _check(delta, sensitivity, *others):
    refusing.positive(sensitivity, *others)
    refusing.whole(sensitivity)
    refusing.probability(delta)


def _terms(bug, theta, delta):
    """log(1/δ), and what multiplies μ in the line."""
    level = -mp.log10(delta) if bug == "log10" else -mp.log(delta)
    return level, theta**2 / 2 if bug == "gaussian" else mp.cosh(theta) - 1


def boundary(bug, theta, delta, sensitivity, rate, time):
    _check(delta, sensitivity, theta, rate, time)
    level, curvature = _terms(bug, theta, delta)
    mu = (1 if bug == "missing-2" else 2) * rate * time
    line = (level + mu * curvature) / theta
    if bug == "gaussian":
        return {"epsilon": sensitivity * (mp.mpf(sensitivity) / 2 + line) / mu}
    return {"epsilon": _log_ratio(bug, _level(bug, line), int(sensitivity), mu)}


def inverse(bug, theta, delta, sensitivity, rate, epsilon):
    _check(delta, sensitivity, theta, rate, epsilon)
    level, curvature = _terms(bug, theta, delta)
    factor = (1 if bug == "missing-2" else 2) * rate
    if bug == "gaussian":
        gap = epsilon - sensitivity * curvature / theta
        return {"time": sensitivity * (mp.mpf(sensitivity) / 2 + level / theta) / gap / factor}
    if epsilon < sensitivity * mp.asinh(curvature / theta):
        if bug == "floor":
            return {"time": mp.inf}
        raise ValueError("below the floor")

    def reached(n):
        with mp.workdps(20):
            return _log_ratio(bug, _level(bug, n), int(sensitivity), (theta * n - level) / curvature) <= epsilon

    first = int(mp.ceil(level / theta))
    n = next(n for n in range(first, first + 2000) if reached(n))
    return {"time": _variance(bug, _level(bug, n), int(sensitivity), epsilon) / factor}


def tightest(bug, epsilon, delta, sensitivity, rate):
    _check(delta, sensitivity, rate, epsilon)
    level, _ = _terms(bug, mp.mpf(1), delta)
    factor, D = (1 if bug == "missing-2" else 2) * rate, int(sensitivity)
    if bug == "gaussian":
        a = (mp.sqrt(level**2 + level * epsilon) - level) / D
        time = level / (2 * a * a) / factor
        return {"level": mp.ceil(mp.sqrt(2 * level * factor * time)) - 1, "time": time}

    def kept(k):
        with mp.workdps(20):
            mu, n = _variance("", k, D, epsilon), k + (0 if bug == "level-too-high" else 1)
            return level <= n * mp.asinh(n / mu) - mp.sqrt(n * n + mu * mu) + mu

    high = 1
    while not kept(high):
        high *= 2
    low = high // 2 if high > 1 else -1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if kept(middle) else (middle, high)
    return {"level": mp.mpf(high), "time": _variance("", high, D, epsilon) / factor}


def _variance(bug, k, sensitivity, epsilon):
    near = (k + mp.mpf(sensitivity) / 2) / mp.sinh(epsilon / sensitivity)

    def excess(mu):
        return _log_ratio(bug, k, sensitivity, mu) - epsilon

    return mp.findroot(excess, (near, near * mp.mpf("1.001")), solver="secant", tol=mp.mpf(10) ** -110, verify=False)


VARIANTS = {
    "skellam-marginal": marginal,
    "skellam-bridge": bridge,
    "skellam-bridge-moments": moments,
    "skellam-boundary": boundary,
    "skellam-inverse": inverse,
    "skellam-tightest": tightest,
}
