"""The probability of any bits when the threshold's noise is drawn once: one integral over that noise.

Given ζ = y the rounds are independent: P(bits) = ∫ f(y) Π_n G_n(y)^{1-bit} (1 - G_n(y))^{bit} dy, where
G_n(y) = P(a_n + ξ_n < y). Density, G and 1 - G are log-concave for Laplace, exponential and Gaussian noise, and so is
the integrand: it has one summit, and a window around it holds all but e^{-48} of what matters, however small it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from nrverify.laws.threshold.noises import NOISES, Noise
from nrverify.laws.threshold.panels import Array, Extended, gauss_rule

_FALL = 48.0
"""The integrand is cut off where it has fallen by so many powers of e: by log-concavity 1e-20 of it lies beyond."""
_TOLERANCE = 2e-14
"""Relative, of a panel against its halves: about a hundred units in the last place of a double; less would halve panels
for rounding."""
_ROUNDING = 50 * float(np.finfo(np.longdouble).eps)
"""Relative error of the integrand for each unit of its exponents."""
_MOST_PANELS = 2**14
"""Guards against endless division: a log-concave integrand settles with far fewer."""
_POINTS = 20
"""A panel over which the exponent changes by 20 is integrated to rounding; others are halved."""
_NODES, _WEIGHTS = gauss_rule(_POINTS)
_GRADES = np.concatenate([-(4.0 ** np.arange(5)), 4.0 ** np.arange(5)]).astype(np.longdouble)
"""Distances from a kink in scales of the query noise, up to 256 of them: between them panels grow with the distance."""
_ZOOM = np.linspace(np.longdouble(0), np.longdouble(1), 33)
"""Each pass narrows the bracket of the summit sixteenfold."""

LogFunction = Callable[[Extended], Extended]


def log_output(
    bits: Sequence[int], margins: Extended, threshold_scale: np.longdouble, query_scale: np.longdouble, noise: str
) -> np.longdouble:
    """log P(bits) for the first len(bits) rounds, for one threshold noise."""
    kind = NOISES[noise]
    rounds = Counter(zip(margins[: len(bits)].tolist(), bits, strict=True))
    log_f = _log_integrand(kind, rounds, threshold_scale, query_scale)
    kinks = np.unique(np.array([np.longdouble(0), *(margin for margin, _ in rounds)], dtype=np.longdouble))
    begins = np.longdouble(kind.begins)
    if kind.begins == 0:  # then queries below their own margin are impossible as well
        begins = max([begins, *(margin for margin, bit in rounds if not bit)])
    summit, top = _summit(log_f, kinks, begins, max(threshold_scale, query_scale))
    low, high = (_fallen(log_f, summit, top, begins, side, query_scale) for side in (-1, 1))
    graded = (kinks[:, None] + query_scale * _GRADES).reshape(-1)  # so that no panel is blind to a narrow query noise
    inner = np.concatenate([kinks, graded, [summit]])
    edges = np.unique(np.concatenate([[low], inner[(inner > low) & (inner < high)], [high]]))
    power = 2 if kind.smooth else 1
    sizes = [(abs(summit) / threshold_scale) ** power]
    sizes += [count * ((abs(summit) + abs(margin)) / query_scale) ** power for (margin, _), count in rounds.items()]
    return _log_integral(log_f, edges, top, max(_TOLERANCE, _ROUNDING * float(sum(sizes))))


def _log_integrand(
    kind: Noise, rounds: Counter[tuple[np.longdouble, int]], b: np.longdouble, c: np.longdouble
) -> LogFunction:
    def log_f(y: Extended) -> Extended:
        with np.errstate(divide="ignore", invalid="ignore", under="ignore", over="ignore"):
            total = kind.log_density(y / b) - np.log(b)
            for (margin, bit), count in rounds.items():
                law = kind.log_survival if bit else kind.log_cdf
                total = total + count * law((y - margin) / c)
        return np.asarray(np.where(np.isnan(total), -np.inf, total), dtype=np.longdouble)

    return log_f


def _summit(
    log_f: LogFunction, kinks: Extended, begins: np.longdouble, scale: np.longdouble
) -> tuple[np.longdouble, np.longdouble]:
    """Where the concave log_f is largest, roughly, and its value there."""
    starts = np.maximum(np.concatenate([kinks, kinks + scale, [begins + scale]]), begins)
    starts = starts[np.isfinite(starts)]
    heights = log_f(starts)
    best = int(heights.argmax())
    at, top = starts[best], heights[best]
    low, high, step = at, at, scale
    while low > begins and _at(log_f, low) >= top:
        low, step = max(begins, low - step), 2 * step
    step = scale
    while _at(log_f, high) >= top:
        high, step = high + step, 2 * step
    for _ in range(40):
        points = low + (high - low) * _ZOOM
        heights = log_f(points)
        best = int(heights.argmax())
        if heights[best] >= top:
            at, top = points[best], heights[best]
        low, high = points[max(best - 1, 0)], points[min(best + 1, len(points) - 1)]
        if high - low <= 1e-3 * scale and log_f(np.array([low, high])).min() > top - 1e-3:
            break
    return at, top


def _fallen(
    log_f: LogFunction,
    summit: np.longdouble,
    top: np.longdouble,
    begins: np.longdouble,
    side: int,
    scale: np.longdouble,
) -> np.longdouble:
    """A point on this side of the summit where log_f has fallen by about _FALL, or where the noise begins."""
    step = 1e-9 * scale
    while _at(log_f, summit + side * step) > top - _FALL:
        step = 2 * step
        if summit + side * step <= begins:
            return begins
    inner, outer = step / 2, step
    for _ in range(8):
        middle = (inner + outer) / 2
        if _at(log_f, summit + side * middle) > top - _FALL:
            inner = middle
        else:
            outer = middle
    return max(summit + side * outer, begins)


def _at(log_f: LogFunction, y: np.longdouble) -> np.longdouble:
    value: np.longdouble = log_f(np.array([y], dtype=np.longdouble))[0]
    return value


def _log_integral(log_f: LogFunction, edges: Extended, top: np.longdouble, tolerance: float) -> np.longdouble:
    """log ∫ e^{log_f}: Gauss-Legendre panels, halved until a panel and its halves agree to the relative tolerance."""
    lows, highs = edges[:-1], edges[1:]
    values = _panel_integrals(log_f, lows, highs, top)
    settled = 0.0
    while len(lows):
        middles: Extended = (lows + highs) / np.longdouble(2)
        lows, highs = _interleaved(lows, middles), _interleaved(middles, highs)
        halves = _panel_integrals(log_f, lows, highs, top)
        both = halves[::2] + halves[1::2]
        done = np.abs(both - values) <= tolerance * (settled + both.sum())
        settled += float(both[done].sum())
        again = np.repeat(~done, 2)
        lows, highs, values = lows[again], highs[again], halves[again]
        if len(lows) > _MOST_PANELS:
            raise RuntimeError("the integral over the threshold's noise did not settle; please report the arguments")
    return np.longdouble(top + np.log(np.longdouble(settled)))


def _interleaved(first: Extended, second: Extended) -> Extended:
    pairs: Extended = np.stack([first, second], axis=1)
    return pairs.reshape(-1)


def _panel_integrals(log_f: LogFunction, lows: Extended, highs: Extended, top: np.longdouble) -> Array:
    half: Extended = (highs - lows) / np.longdouble(2)
    y: Extended = (lows + half)[:, None] + half[:, None] * _NODES.astype(np.longdouble)
    heights = np.exp(np.minimum(log_f(y.reshape(-1)).reshape(y.shape) - top, 700)).astype(np.float64)
    return np.asarray((heights @ _WEIGHTS) * half.astype(np.float64))
