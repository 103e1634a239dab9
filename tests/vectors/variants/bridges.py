"""The next release given the last: Brownian and Laplace noise."""

from itertools import pairwise

from mpmath import mp

from tests.vectors.variants import refusing


def _brownian_law(bug, s, t, given):
    refusing.times(s, t)
    refusing.finite(given)
    variance = {
        "printed-factor": t * (t - s) / s,
        "missing-factor": t - s,
        "fresh-noise": s,
        "equal-times": s if s == t else s * (t - s) / t,
    }.get(bug, s * (t - s) / t)
    mean = {"fresh-noise": 0 * given, "no-shrinkage": given, "wrong-weight": given * (t - s) / t}.get(
        bug, given * s / t
    )
    return mean, variance


def brownian_moments(bug, s, t, given):
    mean, variance = _brownian_law(bug, s, t, given)
    return {"mean": mean, "variance": mp.sqrt(variance) if bug == "sd-for-variance" else variance}


def brownian_cdf(bug, s, t, given, x):
    refusing.finite(x)
    mean, variance = _brownian_law(bug, s, t, given)
    if variance == 0:
        return {"cdf": float(x >= mean), "sf": float(x < mean)}
    z = (x - mean) / (variance if bug == "sd-for-variance" else mp.sqrt(variance))
    cdf = mp.erfc(-z / mp.sqrt(2)) / 2
    return {"cdf": cdf, "sf": 1.0 - float(cdf) if bug == "tail" else mp.erfc(z / mp.sqrt(2)) / 2}


def laplace_tie(bug, s, t):
    refusing.times(s, t)
    return {
        "probability": {"atom-s-over-t": s / t, "no-atom": mp.mpf(0), "inverted": (t / s) ** 2}.get(bug, (s / t) ** 2)
    }


def laplace_atom(bug, s, t, given):
    refusing.times(s, t)
    refusing.finite(given)
    size = given if bug == "sign" else abs(given)
    rate = 1 / s + 1 / t if bug == "sum-for-difference" else 1 / s - 1 / t
    exact = s / t * mp.exp(-size * rate)
    return {"atom": {"atom-s-over-t": s / t, "unconditional": (s / t) ** 2, "no-atom": mp.mpf(0)}.get(bug, exact)}


def _laplace_pieces(bug, s, t, z):
    """The atom of the bridge for z ≥ 0, and the mass below y, by integrating the density piece by piece."""
    density = (1 - (s / t) ** 2) / (2 * s)
    slow, fast = 1 / s - 1 / t, 1 / s + 1 / t
    if bug == "swapped-scales":
        slow, fast, density = 1 / t - 1 / s, 1 / t + 1 / s, (1 - (s / t) ** 2) / (2 * t)
    atom = {"no-atom": mp.mpf(0), "atom-s-over-t": s / t}.get(bug, s / t * mp.exp(-z * (1 / s - 1 / t)))

    def below(y):
        if y <= 0:
            return density / fast * mp.exp(y * fast)
        inner = min(y, z)
        between = density * (inner if slow == 0 else (1 - mp.exp(-inner * slow)) / slow)
        beyond = density * (mp.exp(2 * z / t - z * fast) - mp.exp(2 * z / t - max(y, z) * fast)) / fast
        return density / fast + between + beyond + (atom if y > z else 0)

    return atom, below


def laplace_cdf(bug, s, t, given, x):
    with mp.workdps(120):  # tails are differences here
        return _laplace_cdf(bug, s, t, given, x)


def _laplace_cdf(bug, s, t, given, x):
    refusing.times(s, t)
    refusing.finite(given, x)
    if bug == "fresh-noise":
        half = mp.exp(-abs(x) / s) / 2
        cdf = half if x < 0 else 1 - half
        return {"cdf": cdf, "cdf_left": cdf, "sf": 1 - cdf}
    mirrored = given < 0 and bug != "sign"
    z, y = (-given, -x) if mirrored else (given, x)
    atom, below = _laplace_pieces(bug, s, t, z)
    total = below(z + 200 * (s + t))  # a law without its right atom is made one again by dividing by its mass
    if total == 0:
        return {"cdf": mp.nan, "cdf_left": mp.nan, "sf": mp.nan}
    left = below(y) / total
    right = (below(y) + (atom if y == z else 0)) / total
    if mirrored:
        left, right = 1 - right, 1 - left
    if bug == "left-limit":
        left, right = right, left
    return {"cdf": right, "cdf_left": left, "sf": 1.0 - float(right) if bug == "tail" else 1 - right}


def laplace_moments(bug, s, t, given):
    refusing.times(s, t)
    refusing.finite(given)
    if bug == "fresh-noise":
        return {"mean": mp.mpf(0), "variance": 2 * s * s}
    if s == t and bug != "no-atom":
        return {"mean": given, "variance": mp.mpf(0)}
    if s == t:
        return {"mean": mp.nan, "variance": mp.nan}
    z = abs(given)
    density = (1 - (s / t) ** 2) / (2 * s)

    def moment(k):
        def integrand(y):
            return y**k * density * mp.exp(-abs(y) / s - abs(z - y) / t + z / t)

        points = sorted({-150 * s, mp.mpf(0), z, z + 150 * s})
        atom = 0 if bug == "no-atom" else s / t * mp.exp(-z * (1 / s - 1 / t)) * z**k
        return mp.quad(integrand, [p for a, b in pairwise(points) for p in mp.linspace(a, b, 6)]) + atom

    with mp.workdps(20 if bug else 45):
        mass, first, second = moment(0), moment(1), moment(2)
    mean = first / mass
    sign = 1 if given >= 0 or bug == "sign" else -1
    return {"mean": given * s / t if bug == "brownian" else sign * mean, "variance": second / mass - mean**2}


VARIANTS = {
    "brownian-bridge-moments": brownian_moments,
    "brownian-bridge-cdf": brownian_cdf,
    "laplace-tie": laplace_tie,
    "laplace-bridge-atom": laplace_atom,
    "laplace-bridge-cdf": laplace_cdf,
    "laplace-bridge-moments": laplace_moments,
}
