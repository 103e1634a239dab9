"""Privacy losses of a single release."""

import math

from mpmath import mp

from tests.vectors.variants import refusing


def _arguments(bug, value, neighbour, release):
    refusing.finite(value, neighbour, release)
    refusing.same_length(value, neighbour, release)
    if bug == "swapped":
        value, neighbour = neighbour, value
    if bug == "first-coordinate":
        value, neighbour, release = value[:1], neighbour[:1], release[:1]
    return value, neighbour, release


def brownian(bug, time, value, neighbour, release):
    refusing.positive(time)
    value, neighbour, release = _arguments(bug, value, neighbour, release)
    if bug in ("cancellation", "overflow"):
        squares = [
            (float(r) - float(n)) * (float(r) - float(n)) - (float(r) - float(v)) * (float(r) - float(v))
            for v, n, r in zip(value, neighbour, release, strict=True)
        ]
        return {"loss": sum(squares) / (2 * float(time))}
    if bug == "missing-square":
        products = [(v - n) * 2 * (r - v) for v, n, r in zip(value, neighbour, release, strict=True)]
    else:
        products = [(v - n) * (2 * r - v - n) for v, n, r in zip(value, neighbour, release, strict=True)]
    divisor = time * time if bug == "sd-for-variance" else time
    return {"loss": mp.fsum(products) / divisor / (1 if bug == "missing-half" else 2)}


def laplace(bug, time, value, neighbour, release):
    refusing.positive(time)
    value, neighbour, release = _arguments(bug, value, neighbour, release)
    scale = mp.sqrt(time / 2) if bug == "variance-for-scale" else time
    if bug == "extra-half":
        scale = 2 * scale
    if bug == "cancellation":
        distances = [
            abs(float(r) - float(n)) - abs(float(r) - float(v))
            for v, n, r in zip(value, neighbour, release, strict=True)
        ]
        return {"loss": sum(distances) / float(time)}
    if bug == "euclidean":
        far, near = (
            mp.sqrt(sum((r - c) ** 2 for c, r in zip(centre, release, strict=True))) for centre in (neighbour, value)
        )
        return {"loss": (far - near) / scale}
    distances = []
    for v, n, r in zip(value, neighbour, release, strict=True):
        gap = min(abs(v - n), max(-abs(v - n), 2 * r - v - n))  # no difference of two huge distances
        distances.append(mp.sign(v - n) * gap)
    return {"loss": mp.fsum(distances) / scale}


def skellam(bug, rate, time, value, neighbour, release):
    refusing.positive(rate, time)
    refusing.whole(value, neighbour, release)
    value, neighbour, release = _arguments(bug, value, neighbour, release)
    mu = (1 if bug == "missing-2" else 2) * rate * time
    if bug == "gaussian":
        return {
            "loss": mp.fsum((v - n) * (2 * r - v - n) for v, n, r in zip(value, neighbour, release, strict=True))
            / (2 * mu)
        }
    if bug == "underflow":
        return {
            "loss": math.fsum(
                math.log(_series(abs(int(r - v)), float(mu)) / _series(abs(int(r - n)), float(mu)))
                for v, n, r in zip(value, neighbour, release, strict=True)
            )
        }
    return {
        "loss": mp.fsum(
            mp.log(mp.besseli(abs(r - v), mu) / mp.besseli(abs(r - n), mu)) if abs(r - v) != abs(r - n) else 0
            for v, n, r in zip(value, neighbour, release, strict=True)
        )
    }


def _series(order, x):
    """I_order(x) in doubles, by its power series without any scaling; NaN where it under- or overflows."""
    term = (x / 2) ** order if order * abs(math.log10(x / 2)) < 300 else math.nan
    term = term / math.factorial(order) if order < 171 else math.nan
    total, k = 0.0, 0
    while term > 1e-18 * total:
        total += term
        k += 1
        term *= (x / 2) ** 2 / (k * (order + k))
        if math.isinf(total):
            return math.nan
    return total or math.nan


VARIANTS = {"brownian-loss": brownian, "laplace-loss": laplace, "skellam-loss": skellam}
