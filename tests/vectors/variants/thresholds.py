"""The threshold mechanisms, by the recursion that runs from the last round back with the forward kernel.

h_n(y) = P(no halt in rounds ≤ n | ζ_n = y) is G_n·(w h_{n−1} + (1 − w) h_{n−1} * Lap(t)), w = (s/t)²: another way
round than the vectors, which follow the mechanism with the reverse kernel. Sums of y^k e^{ry} as balls.
"""

import math
from fractions import Fraction
from itertools import pairwise

from flint import arb, ctx
from mpmath import mp

from nrverify.symbolic.tools.exponential_polynomials import Line, plus, product, scaled
from tests.vectors.variants import refusing


def _rational(number):
    """The decimal behind a number of 60 digits."""
    return Fraction(mp.nstr(number, 50))


def _convolved(line, function, t):
    """function * Lap(t)."""
    rise, fall = ([{(sign / t, 0): arb(1)} for _ in line.ends] for sign in (Fraction(1), Fraction(-1)))
    left = product(line.before(product(function, rise)), fall)
    right = product(line.after(product(function, fall)), rise)
    return scaled([plus(x, y) for x, y in zip(left, right, strict=True)], 1 / (2 * t))


def _survivors(line, margins, b, c, atom):
    """A_n for the last round: P(no halt before it | ζ_n = y)."""
    arrived = [{(Fraction(0), 0): arb(1)} for _ in line.ends]
    for n, margin in enumerate(margins[:-1]):
        halted_not = product(arrived, line.cdf(margin, c[n]))
        stay = atom(b[n + 1] / b[n])
        if stay == 1:
            arrived = halted_not
        else:
            moved = scaled(_convolved(line, halted_not, b[n]), 1 - stay)
            arrived = [plus(x, y) for x, y in zip(scaled(halted_not, stay), moved, strict=True)]
    return arrived


def _output(bug, bits, utilities, epsilons, threshold, sensitivity):
    refusing.finite(utilities, epsilons, threshold)
    refusing.positive(sensitivity, *epsilons)
    refusing.same_length(utilities, epsilons)
    if not 0 < len(bits) <= len(epsilons) or any(bits[:-1]) or bits[-1] not in (0, 1):
        raise ValueError("no output of the mechanism")
    if any(later < earlier for earlier, later in pairwise(epsilons)):
        raise ValueError("epsilon decreases")
    unit = Fraction(1) if bug == "missing-sensitivity" else _rational(sensitivity)
    rounds = len(bits)
    margins = [_rational(u) - _rational(threshold) for u in utilities[:rounds]]
    if bug == "reversed":
        margins = [-margin for margin in margins]
    scales = [unit / _rational(e) for e in epsilons[:rounds]]
    b = [(1 if bug == "threshold-noise" else 2) * scale for scale in scales]
    c = [(2 if bug == "query-noise" else 4) * scale for scale in scales]
    if bug == "frozen-threshold":
        b = [b[0]] * rounds
    if bug == "redrawn-threshold":
        parts = [
            _last_round(margins[n : n + 1], b[n : n + 1], c[n : n + 1], bit, _square) for n, bit in enumerate(bits)
        ]
        return math.prod(parts, start=arb(1))
    return _last_round(margins, b, c, bits[-1], (lambda r: r) if bug == "atom-s-over-t" else _square)


def _square(ratio):
    return ratio * ratio


def _last_round(margins, b, c, bit, atom):
    line = Line(tuple(sorted({*margins, Fraction(0)})))
    arrived = _survivors(line, margins, b, c, atom)
    last = (line.survival if bit == 1 else line.cdf)(margins[-1], c[-1])
    density = scaled(line.decay(1 / b[-1]), 1 / (2 * b[-1]))
    return line.integral(product(arrived, last, density))


def _number(ball):
    mantissa, exponent = ball.mid().man_exp()
    return mp.ldexp(mp.mpf(int(mantissa)), int(exponent))


def probability(bug, bits, utilities, epsilons, threshold, sensitivity):
    with ctx.workprec(900):
        found = _output(bug, bits, utilities, epsilons, threshold, sensitivity)
        return {"probability": _number(found), "log_probability": _number(found.log())}


def loss(bug, bits, utilities, neighbour, epsilons, threshold, sensitivity):
    refusing.same_length(utilities, neighbour)
    if bug == "swapped":
        utilities, neighbour = neighbour, utilities
    with ctx.workprec(900):
        own, other = (_output(bug, bits, scores, epsilons, threshold, sensitivity) for scores in (utilities, neighbour))
        return {"loss": _number((own / other).log())}


def worst_loss(bug, epsilons):
    refusing.positive(*epsilons)
    refusing.same_length(epsilons)
    if any(later < earlier for earlier, later in pairwise(epsilons)):
        raise ValueError("epsilon decreases")
    total = mp.fsum(epsilons) / (2 if bug == "half-for-quarter" else 4)
    return {"loss": {"sum-only": total, "last-only": epsilons[-1]}.get(bug, min(epsilons[-1], total))}


def margin_tail(bug, eta, epsilon, sensitivity):
    refusing.positive(epsilon, sensitivity)
    rate = epsilon / (4 * (1 if bug == "missing-sensitivity" else sensitivity))
    if bug == "union-bound":
        return {"probability": mp.exp(-eta / 2 * rate) + mp.exp(-eta * rate)}
    q = mp.exp(-(eta if bug == "negative" else abs(eta)) * rate)
    beyond = q * (2 + abs(eta) * rate) / 4 if bug == "equal-scales" else 2 * q / 3 - q * q / 6
    return {"probability": 1 - beyond if eta < 0 and bug != "negative" else beyond}


def utility_margin(bug, probability, epsilon, sensitivity):
    refusing.positive(epsilon, sensitivity)
    refusing.probability(probability)
    scale = 4 * (1 if bug == "missing-sensitivity" else sensitivity) / epsilon
    if bug == "paper-margin":
        return {"eta": scale * mp.log(2 / probability)}
    if bug == "cancellation":
        q = 2 - math.sqrt(4 - 6 * float(probability))
        return {"eta": -float(scale) * math.log(q) if q > 0 else math.inf}
    p = min(probability, 1 - probability)
    with mp.workdps(700):
        eta = -scale * mp.log(2 - mp.sqrt(4 - 6 * p))
    return {"eta": eta if probability <= 0.5 else -eta}


VARIANTS = {
    "threshold-probability": probability,
    "threshold-loss": loss,
    "threshold-worst-loss": worst_loss,
    "threshold-margin-tail": margin_tail,
    "threshold-utility-margin": utility_margin,
}
