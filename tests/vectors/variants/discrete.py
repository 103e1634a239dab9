"""Discrete Laplace and discrete Gaussian noise, by plain sums over the integers."""

from mpmath import mp

from tests.vectors.variants import refusing


def _laplace(scale):
    p = mp.exp(-1 / scale)
    return lambda j: (1 - p) / (1 + p) * p ** abs(j)


def _gaussian(t):
    reach = 40 + int(18 * mp.sqrt(t))
    whole = mp.fsum(mp.exp(-(mp.mpf(j) ** 2) / (2 * t)) for j in range(-reach, reach + 1))
    return lambda j: mp.exp(-(mp.mpf(j) ** 2) / (2 * t)) / whole


def _summed(bug, mass, x, reach):
    """pmf, cdf and sf of a law that has all its mass, to 45 digits, within `reach`."""
    below = int(mp.floor(x)) - (1 if bug == "left-limit" and x == int(x) else 0)
    cdf = mp.fsum(mass(j) for j in range(-reach, below + 1))
    sf = 1.0 - float(cdf) if bug == "tail" else mp.fsum(mass(j) for j in range(below + 1, reach + 1))
    return {"pmf": mass(int(x)) if x == int(x) else mp.mpf(0), "cdf": cdf, "sf": sf}


def laplace_marginal(bug, time, x):
    refusing.positive(time)
    refusing.finite(x)
    law = _laplace(time)

    def mass(j):
        if bug == "sign":  # the geometric magnitude, with a fair sign
            p = mp.exp(-1 / time)
            return (1 - p) if j == 0 else (1 - p) * p ** abs(j) / 2
        if bug == "rounded":
            if j == 0:
                return 1 - mp.exp(-1 / (2 * time))
            return (mp.exp(-(abs(j) - mp.mpf(1) / 2) / time) - mp.exp(-(abs(j) + mp.mpf(1) / 2) / time)) / 2
        return law(j)

    return _summed(bug, mass, x, 60 + abs(int(x)) + int(125 * time))


def laplace_bridge(bug, s, t, given, x):
    refusing.times(s, t)
    refusing.whole(given)
    refusing.finite(x)
    k = int(given)
    if bug == "fresh-noise":
        return laplace_marginal("", s, x)
    if s == t and bug != "no-atom":
        return _summed(bug, lambda j: mp.mpf(int(j == k)), x, 60 + abs(k) + abs(int(x)))
    first, last, p, q = _laplace(s), _laplace(t), mp.exp(-1 / s), mp.exp(-1 / t)
    kept = {"no-atom": mp.mpf(0), "continuous-weight": (s / t) ** 2}.get(bug, p * (1 - q) ** 2 / (q * (1 - p) ** 2))

    def mass(j):
        return first(j) * ((1 - kept) * last(k - j) + (kept if j == k else 0)) / last(k)

    return _summed(bug, mass, x, 60 + abs(k) + abs(int(x)) + int(125 * s))


def _loss(distance):
    def loss(bug, time, value, neighbour, release):
        refusing.positive(time)
        refusing.same_length(value, neighbour, release)
        refusing.whole(value, neighbour, release)
        if bug == "first-coordinate":
            value, neighbour, release = value[:1], neighbour[:1], release[:1]
        if bug == "swapped":
            value, neighbour = neighbour, value
        return {"loss": distance(bug, time, value, neighbour, release)}

    return loss


def _l1(bug, time, value, neighbour, release):
    far, near = ([abs(r - other) for r, other in zip(release, to, strict=True)] for to in (neighbour, value))
    if bug == "euclidean":
        return (mp.sqrt(mp.fsum(d * d for d in far)) - mp.sqrt(mp.fsum(d * d for d in near))) / time
    total = mp.fsum(far) - mp.fsum(near)
    return total * time if bug == "times-scale" else total / time


def _squared(bug, time, value, neighbour, release):
    far, near = (mp.fsum((r - o) ** 2 for r, o in zip(release, to, strict=True)) for to in (neighbour, value))
    return (far - near) / (time**2 if bug == "sd-for-variance" else time) / (1 if bug == "missing-half" else 2)


def _check(epsilon, time, shift):
    refusing.positive(time, shift)
    refusing.whole(shift)
    refusing.finite(epsilon)


def _stick(bug, mass, losses, epsilon):
    """Both outputs by the definition: a sum over the releases whose loss exceeds ε."""
    above = {j: loss for j, loss in losses.items() if loss > epsilon or (bug == "not-strict" and loss == epsilon)}
    tail = mp.fsum(mass(j) for j in above)
    stick = mp.fsum(mass(j) * (1 - mp.exp(epsilon - loss)) for j, loss in above.items())
    return {"hockey_stick": tail if bug == "tail-for-stick" else stick, "loss_tail": tail}


def laplace_divergence(bug, epsilon, time, shift):
    _check(epsilon, time, shift)
    k, law = int(shift), _laplace(time)
    if bug == "continuous":
        return {
            "hockey_stick": 1 - mp.exp((epsilon - k / time) / 2),
            "loss_tail": 1 - mp.exp((epsilon - k / time) / 2) / 2,
        }
    reach = 40 + k + int(125 * time)
    points = range(k + 1) if bug == "half-mass" else range(-reach, reach + 1)
    return _stick(bug, law, {j: (abs(j - k) - abs(j)) / time for j in points}, epsilon)


def gaussian_marginal(bug, time, x):
    refusing.positive(time)
    refusing.finite(x)
    law = _gaussian(time * time if bug == "sd-for-variance" else time)
    if bug == "gaussian-normaliser":

        def law(j):
            return mp.exp(-(mp.mpf(j) ** 2) / (2 * time)) / mp.sqrt(2 * mp.pi * time)

    elif bug == "rounded":

        def law(j):
            low, high = ((mp.mpf(j) + side) / mp.sqrt(2 * time) for side in (-0.5, 0.5))
            return (mp.erf(high) - mp.erf(low)) / 2

    return _summed(bug, law, x, 60 + abs(int(x)) + int(18 * mp.sqrt(time)))


def gaussian_divergence(bug, epsilon, time, shift):
    _check(epsilon, time, shift)
    k = int(shift)
    if bug == "continuous":

        def above(x):
            return mp.erfc(x / mp.sqrt(2 * time)) / 2

        start = epsilon * time / k - mp.mpf(k) / 2
        return {"hockey_stick": above(start) - mp.exp(epsilon) * above(start + k), "loss_tail": above(start)}
    reach = 40 + k + int(18 * mp.sqrt(time))
    square = 0 if bug == "missing-square" else k * k
    losses = {j: (2 * k * mp.mpf(-j) + square) / (2 * time) for j in range(-reach, reach + 1)}
    return _stick(bug, _gaussian(time), losses, epsilon)


VARIANTS = {
    "discrete-laplace-marginal": laplace_marginal,
    "discrete-laplace-bridge": laplace_bridge,
    "discrete-laplace-loss": _loss(_l1),
    "discrete-laplace-divergence": laplace_divergence,
    "discrete-gaussian-marginal": gaussian_marginal,
    "discrete-gaussian-loss": _loss(_squared),
    "discrete-gaussian-divergence": gaussian_divergence,
}
