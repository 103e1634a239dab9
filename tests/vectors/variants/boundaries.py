"""Boundaries of Brownian noise, their inverses and optima."""

import math

from mpmath import mp
from scipy.optimize import brentq

from tests.vectors.variants import refusing
from tests.vectors.variants.crossings import grid_probability


def _root(excess, low, high):
    """The root of a monotone function between two brackets, widened where needed."""
    for _ in range(400):
        if excess(low) * excess(high) <= 0:
            break
        low, high = low / 8, high * 8
    else:
        raise ArithmeticError("no root")
    positive = excess(low) > 0
    for _ in range(10):
        middle = mp.sqrt(low * high)
        low, high = (middle, high) if (excess(middle) > 0) == positive else (low, middle)
    return mp.findroot(excess, (low, high), solver="secant", tol=mp.mpf(10) ** -110, verify=False)


def _log(bug, x):
    return mp.log10(x) if bug == "log10" else mp.log(x)


def linear(bug, a, b, sensitivity, time):
    refusing.positive(a, b, sensitivity, time)
    shift, scale = _linear_parts(bug, sensitivity)
    t = time * time if bug == "sd-for-variance" else time
    return {"epsilon": (shift + scale * b) / t + scale * a}


def linear_inverse(bug, a, b, sensitivity, epsilon):
    refusing.positive(a, b, sensitivity, epsilon)
    if bug == "printed-inverse":
        return {"time": mp.mpf(0)}
    shift, scale = _linear_parts(bug, sensitivity)
    if bug == "floor" and epsilon == scale * a:
        return {"time": mp.inf}
    if bug != "floor" and epsilon <= scale * a:
        raise ValueError("at or below the floor")
    return {"time": (shift + scale * b) / (epsilon - scale * a)}


def _linear_parts(bug, sensitivity):
    """The mean term Δ²/2 and the factor of the line."""
    shift = {"missing-half": sensitivity**2, "missing-mean": 0}.get(bug, sensitivity**2 / 2)
    return shift, 1 if bug == "missing-sensitivity" else sensitivity


def linear_tightest(bug, epsilon, delta, sensitivity):
    refusing.positive(epsilon, sensitivity)
    refusing.probability(delta)
    if bug == "cancellation":
        level = -math.log(float(delta))
        a = (math.sqrt(level * level + level * float(epsilon)) - level) / float(sensitivity)
        b = level / (2 * a) if a else math.inf
        return {"a": a, "b": b, "time": b / a if a else math.inf}
    level = -_log(bug, delta) * {"missing-2": 2, "half-level": mp.mpf(1) / 2}.get(bug, 1)
    scale = 1 if bug == "missing-sensitivity" else sensitivity
    a = (mp.sqrt(level**2 + level * epsilon) - level) / scale
    b = level / (2 * a)
    return {"a": a, "b": b, "time": b / a}


def _mixture_curve(bug, rho, delta, t):
    if bug == "underflow":
        inside = math.sqrt(float((t + rho) / rho)) / float(delta)
        if math.isinf(inside):
            return mp.inf
        return mp.sqrt(2 * (t + rho) * mp.mpf(math.log(inside)))
    ratio = (t + rho) / rho if bug == "missing-root" else mp.sqrt((t + rho) / rho)
    return mp.sqrt((1 if bug == "missing-2" else 2) * (t + rho) * _log(bug, ratio / delta))


def _psi(bug, curve, sensitivity, t):
    mean = 0 if bug == "missing-mean" else sensitivity**2 / (2 * t)
    return mean + (1 if bug == "missing-sensitivity" else sensitivity) / t * curve


def mixture(bug, rho, delta, sensitivity, time):
    refusing.positive(rho, sensitivity, time)
    refusing.probability(delta)
    t = time * time if bug == "sd-for-variance" else time
    return {"epsilon": _psi(bug, _mixture_curve(bug, rho, delta, t), sensitivity, t)}


def mixture_inverse(bug, rho, delta, sensitivity, epsilon):
    refusing.positive(rho, sensitivity, epsilon)
    refusing.probability(delta)
    if bug == "printed-inverse":
        return {"time": mp.mpf(0)}
    if bug == "retuned":
        return {"time": mixture_tightest("", epsilon, delta, sensitivity)["time"]}
    start = sensitivity**2 / (2 * epsilon)
    return {
        "time": _root(
            lambda t: mp.log(_psi(bug, _mixture_curve(bug, rho, delta, t), sensitivity, t) / epsilon), start, 4 * start
        )
    }


def mixture_tightest(bug, epsilon, delta, sensitivity):
    refusing.positive(epsilon, sensitivity)
    refusing.probability(delta)
    if bug == "underflow" and float(delta) ** 2 == 0:
        return {"rho": math.nan, "time": math.nan}
    inside = delta if bug == "missing-square" else delta**2
    if bug == "log10":
        inside = mp.exp(2 * mp.log10(delta))
    w = -mp.lambertw(-inside / mp.e, 0 if bug == "principal-branch" else -1).real
    scale = 1 if bug == "missing-sensitivity" else sensitivity
    time = (scale * (mp.sqrt(w) + mp.sqrt(w + 2 * epsilon)) / (2 * epsilon)) ** 2
    level = -mp.log(delta)
    ratio = {"missing-1": w, "approximate": 2 * level + mp.log(1 + 2 * level)}.get(bug, w - 1)
    return {"rho": time / ratio, "time": time}


def _log_half_normal(bug, u):
    """log of the martingale without its factor √(ρ/(t+ρ))."""
    two = 1 if bug in ("missing-2", "two-sided") else 2
    tail = 1 if bug in ("two-sided", "halved-martingale") else mp.erfc(-u / mp.sqrt(2)) / 2
    return u * u / 2 + mp.log(two * tail)


def _half_normal_quantile(bug, rho, delta, t):
    level = -_log(bug, delta) + _log(bug, 1 + t / rho) / 2
    if _log_half_normal(bug, mp.mpf(10) ** -30) > level:
        return mp.mpf(0)
    return _root(lambda u: _log_half_normal(bug, u) - level, mp.mpf(1), mp.mpf(2))


def half_normal(bug, rho, delta, sensitivity, time):
    refusing.positive(rho, sensitivity, time)
    refusing.probability(delta)
    curve = _half_normal_quantile(bug, rho, delta, time) * mp.sqrt(time + rho)
    return {"epsilon": _psi(bug, curve, sensitivity, time)}


def half_normal_inverse(bug, rho, delta, sensitivity, epsilon):
    """Where the martingale, at the height that a loss of ε needs, reaches 1/δ."""
    refusing.positive(rho, sensitivity, epsilon)
    refusing.probability(delta)
    mean = 0 if bug == "missing-mean" else sensitivity**2 / 2
    scale = 1 if bug == "missing-sensitivity" else sensitivity
    start = mean / epsilon

    def excess(beyond):
        t = start + beyond
        u = epsilon * beyond / scale / mp.sqrt(t + rho)
        return _log_half_normal(bug, u) + _log(bug, delta) - _log(bug, 1 + t / rho) / 2

    return {"time": start + _root(excess, rho, 4 * rho)}


def half_normal_tightest(bug, epsilon, delta, sensitivity):
    refusing.positive(epsilon, sensitivity)
    refusing.probability(delta)
    if bug == "two-sided":
        return mixture_tightest("", epsilon, delta, sensitivity)
    level = -_log(bug, delta) + (mp.log(2) if bug == "missing-2" else 0)

    def ratio(u):
        return u * (u + mp.npdf(u) / mp.ncdf(u))

    u = _root(lambda u: _log_half_normal("", u) - mp.log(1 + ratio(u)) / 2 - level, mp.mpf(1), mp.mpf(2))
    least = u * mp.sqrt((1 + ratio(u)) / ratio(u))
    scale = 1 if bug == "missing-sensitivity" else sensitivity
    time = (scale * (least + mp.sqrt(least**2 + 2 * epsilon)) / (2 * epsilon)) ** 2
    return {"rho": time / ratio(u), "time": time}


def _grid_quantile(bug, times, delta):
    """In doubles."""
    refusing.positive(*times)
    refusing.same_length(times, times)
    looks = [float(t) for t in (times if bug == "repeated" else sorted(set(times)))]
    target = math.log(float(delta)) - (math.log(2) if bug == "two-sided" else 0)
    if bug == "repeated":
        target -= math.log(len(looks) / len(set(looks)))  # as if the repeated look shared δ
        looks = sorted(set(looks))
    if bug == "union-bound":
        target -= math.log(len(looks))
    if bug in ("union-bound", "one-look"):
        looks = looks[:1]
    low, high = 0.0, 60.0
    for _ in range(90):
        z = (low + high) / 2
        found = grid_probability(looks, [z * math.sqrt(t) for t in looks])
        low, high = (z, high) if found > 0 and math.log(found) > target else (low, z)
    return low


def grid(bug, times, delta, sensitivity, time):
    refusing.positive(sensitivity, time)
    refusing.probability(delta)
    z = _grid_quantile(bug, times, delta)
    scaled = (1 if bug == "missing-sensitivity" else float(sensitivity)) / math.sqrt(time)
    return {"quantile": z, "epsilon": scaled * ((0 if bug == "missing-mean" else scaled / 2) + z)}


def grid_tightest(bug, times, epsilon, delta, sensitivity):
    refusing.positive(sensitivity, epsilon)
    refusing.probability(delta)
    z, e = _grid_quantile(bug, times, delta), float(epsilon)
    scale = 1 if bug == "missing-sensitivity" else float(sensitivity)
    return {"time": (scale * (z + math.sqrt(z * z + 2 * e)) / (2 * e)) ** 2}


def grid_weighted(bug, times, weights, delta, sensitivity, time):
    """In doubles: the second height from δ, the first from the slopes of P."""
    refusing.positive(sensitivity, time, *times, *weights)
    refusing.probability(delta)
    refusing.same_length(times, weights)
    looks = sorted(float(t) for t in times)
    shares = [float(w) for w in weights]
    if bug != "order" and looks[0] != float(times[0]):
        shares.reverse()
    if bug == "equal-heights":
        heights = [_grid_quantile("", times, delta)] * 2
    else:
        roots = [1.0, 1.0] if bug == "weights-of-psi" else [math.sqrt(t) for t in looks]
        heights = _two_heights(bug, looks, [w / r for w, r in zip(shares, roots, strict=True)], float(delta))
    scaled = (1 if bug == "missing-sensitivity" else float(sensitivity)) / math.sqrt(time)
    z = heights[looks.index(float(time))]
    epsilon = scaled * ((0 if bug == "missing-mean" else scaled / 2) + z)
    return {"earlier": heights[0], "later": heights[1], "epsilon": epsilon}


def _two_heights(bug, looks, slopes, delta):
    t, union = looks, bug == "union-bound"

    def paths(z):
        return [height * math.sqrt(time) for height, time in zip(z, t, strict=True)]

    def crossing(z):
        singles = sum(0.5 * math.erfc(height / math.sqrt(2)) for height in z)
        return (
            singles
            if union
            else grid_probability(t, [height * math.sqrt(time) for height, time in zip(z, t, strict=True)])
        )

    def second(first):
        return brentq(lambda z: crossing([first, z]) - delta, -1.0, 30.0, xtol=1e-14, rtol=1e-15)

    def falls(z):
        """How fast P falls with either height: the path is at it, and never above the other."""
        density = [math.exp(-height * height / 2) for height in z]
        if union:
            return density
        h, gap = paths(z), math.sqrt(t[1] - t[0])
        inner, mean = math.sqrt(t[0] * (t[1] - t[0]) / t[1]), h[1] * t[0] / t[1]
        below = [(h[1] - h[0]) / gap, (h[0] - mean) / inner]
        return [one * 0.5 * math.erfc(-place / math.sqrt(2)) for one, place in zip(density, below, strict=True)]

    def excess(first):
        own, other = falls([first, second(first)])
        return math.log(own / slopes[0]) - math.log(other / slopes[1])

    least = _grid_quantile("one-look", looks, delta)
    first = brentq(excess, least * (1 + 1e-9), least + 5.0, xtol=1e-14, rtol=1e-15)
    return [first, second(first)]


VARIANTS = {
    "linear-boundary": linear,
    "linear-inverse": linear_inverse,
    "linear-tightest": linear_tightest,
    "mixture-boundary": mixture,
    "mixture-inverse": mixture_inverse,
    "mixture-tightest": mixture_tightest,
    "half-normal-boundary": half_normal,
    "half-normal-inverse": half_normal_inverse,
    "half-normal-tightest": half_normal_tightest,
    "grid-boundary": grid,
    "grid-tightest": grid_tightest,
    "grid-weighted": grid_weighted,
}
