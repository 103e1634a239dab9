"""Divergences between neighbouring releases, in closed form: Gaussian noise of variance t, Laplace noise of scale t.

Both pairs are described by the `shift` between the two values; the Gaussian one depends on s = |shift|/√time, the
Laplace one on s = |shift|/time. The time-uniform Rényi bound is (R): the bound at a pre-set time covers every
earlier, noisier look of any noise-reduction mechanism.
"""

import math
from collections.abc import Sequence
from typing import Any, overload

import numpy as np
from scipy.special import log_ndtr

from nrverify.laws.special.differences import expm1_minus_x, x_minus_log1p
from nrverify.laws.validation.boundaries import like_argument, one_number, require_positive
from nrverify.laws.validation.times import Floats, real

_LOG_ROOT_2PI = 0.5 * math.log(2 * math.pi)
"""Of the normal density."""

_STEP = 0.1
"""Of trapezoidal nodes in log u: the integrands below are analytic in a strip of half-width π/4 around the real axis
and double-exponentially small to the right, so that it leaves a relative error below 1e-20."""
_NODES = np.arange(-24.0, 5.0, _STEP)
"""From where the integrand, which begins like u², is e⁻⁴⁸ of its size, to where its exponential is below e⁻¹⁴⁷."""


def _nonnegative(name: str, values: Any) -> Floats:
    array = real(name, values)
    if np.any(array < 0):
        raise ValueError(f"{name} is {float(array[array < 0].flat[0])}: it must not be negative")
    return array


def _ratio(shift: float, scale: float) -> float:
    if one_number("shift", shift) == 0:
        raise ValueError(f"shift is {shift!r}: it must not be 0: equal values have no loss")
    return abs(shift) / scale


def _gaussian_ratio(shift: float, time: float) -> float:
    require_positive(time=time)
    return _ratio(shift, math.sqrt(time))


def _laplace_ratio(shift: float, time: float) -> float:
    require_positive(time=time)
    return _ratio(shift, time)


@overload
def log_gaussian_hockey_stick(epsilon: float, *, shift: float, time: float) -> float: ...
@overload
def log_gaussian_hockey_stick(epsilon: Sequence[float] | Floats, *, shift: float, time: float) -> Floats: ...
def log_gaussian_hockey_stick(epsilon: Any, *, shift: float, time: float) -> Any:
    """log sup_S (P(S) − e^ε P'(S)) = log(Φ(−a) − e^ε Φ(−b)), a = ε/s − s/2, b = ε/s + s/2, ε ≥ 0.

    Since e^ε φ(b) = φ(a) it is log φ(a) + log(M(a) − M(b)) with M(x) = ∫₀^∞ e^(−xu−u²/2) du, Mills' ratio.
    """
    s = _gaussian_ratio(shift, time)
    centre = _nonnegative("epsilon", epsilon) / s
    a, b = centre - s / 2, centre + s / 2
    return like_argument(-0.5 * a**2 - _LOG_ROOT_2PI + np.where(a < -0.5, _direct(a, b), _integral(a, s)), epsilon)


def _direct(a: Floats, b: Floats) -> Floats:
    """log(M(a) − M(b)) for a < −1/2, b ≥ −a: M(b)/M(a) < 1/2, nothing cancels."""
    log_a, log_b = (log_ndtr(-x) + 0.5 * x**2 + _LOG_ROOT_2PI for x in (np.minimum(a, -0.5), b))
    return np.asarray(log_a + np.log1p(-np.exp(np.minimum(log_b - log_a, -0.1))))


def _integral(a: Floats, s: float) -> Floats:
    """log(M(a) − M(a+s)) = log ∫₀^∞ e^(−au−u²/2)(1 − e^(−su)) du for a ≥ −1/2: positive terms only."""
    a = np.maximum(a, -0.5)
    width = 1 / (1 + np.abs(a))
    u = width[..., np.newaxis] * np.exp(_NODES)
    terms = np.exp(-a[..., np.newaxis] * u - 0.5 * u**2) * -np.expm1(-s * u) * u
    return np.asarray(np.log(_STEP * terms.sum(axis=-1)))


@overload
def gaussian_hockey_stick(epsilon: float, *, shift: float, time: float) -> float: ...
@overload
def gaussian_hockey_stick(epsilon: Sequence[float] | Floats, *, shift: float, time: float) -> Floats: ...
def gaussian_hockey_stick(epsilon: Any, *, shift: float, time: float) -> Any:
    """Φ(s/2 − ε/s) − e^ε Φ(−s/2 − ε/s): the least δ for which one Gaussian release is (ε, δ)-private."""
    return like_argument(np.exp(log_gaussian_hockey_stick(epsilon, shift=shift, time=time)), epsilon)


@overload
def laplace_hockey_stick(epsilon: float, *, shift: float, time: float) -> float: ...
@overload
def laplace_hockey_stick(epsilon: Sequence[float] | Floats, *, shift: float, time: float) -> Floats: ...
def laplace_hockey_stick(epsilon: Any, *, shift: float, time: float) -> Any:
    """1 − e^((ε−s)/2) for 0 ≤ ε < s, and 0 from s on: the least δ for which one Laplace release is (ε, δ)-private."""
    s = _laplace_ratio(shift, time)
    return like_argument(-np.expm1(0.5 * np.minimum(_nonnegative("epsilon", epsilon) - s, 0.0)), epsilon)


@overload
def log_gaussian_loss_tail(epsilon: float, *, shift: float, time: float) -> float: ...
@overload
def log_gaussian_loss_tail(epsilon: Sequence[float] | Floats, *, shift: float, time: float) -> Floats: ...
def log_gaussian_loss_tail(epsilon: Any, *, shift: float, time: float) -> Any:
    """log P(L > ε) = log Φ(s/2 − ε/s), because L ~ N(s²/2, s²)."""
    s = _gaussian_ratio(shift, time)
    return like_argument(log_ndtr(s / 2 - real("epsilon", epsilon) / s), epsilon)


@overload
def gaussian_loss_tail(epsilon: float, *, shift: float, time: float) -> float: ...
@overload
def gaussian_loss_tail(epsilon: Sequence[float] | Floats, *, shift: float, time: float) -> Floats: ...
def gaussian_loss_tail(epsilon: Any, *, shift: float, time: float) -> Any:
    """P(L > ε) = Φ(s/2 − ε/s): the δ of probabilistic privacy."""
    return like_argument(np.exp(log_gaussian_loss_tail(epsilon, shift=shift, time=time)), epsilon)


@overload
def laplace_loss_tail(epsilon: float, *, shift: float, time: float) -> float: ...
@overload
def laplace_loss_tail(epsilon: Sequence[float] | Floats, *, shift: float, time: float) -> Floats: ...
def laplace_loss_tail(epsilon: Any, *, shift: float, time: float) -> Any:
    """P(L > ε) = 1 − e^((ε−s)/2)/2 for −s ≤ ε < s, 1 below and 0 from s on: L = s has probability 1/2."""
    s = _laplace_ratio(shift, time)
    target = real("epsilon", epsilon)
    inner = 1 - 0.5 * np.exp(0.5 * np.minimum(target - s, 0.0))
    return like_argument(np.where(target >= s, 0.0, np.where(target < -s, 1.0, inner)), epsilon)


def _orders(order: Any) -> Floats:
    array = real("order", order)
    if np.any(array < 1):
        raise ValueError(
            f"order is {float(array[array < 1].flat[0])}: it must be at least 1 (1 is the Kullback-Leibler limit)"
        )
    return array


@overload
def gaussian_renyi(order: float, *, shift: float, time: float) -> float: ...
@overload
def gaussian_renyi(order: Sequence[float] | Floats, *, shift: float, time: float) -> Floats: ...
def gaussian_renyi(order: Any, *, shift: float, time: float) -> Any:
    """D_α = α s²/2, α ≥ 1."""
    require_positive(time=time)
    return like_argument(_orders(order) * (0.5 * _ratio(shift, 1.0) ** 2 / time), order)


@overload
def laplace_renyi(order: float, *, shift: float, time: float) -> float: ...
@overload
def laplace_renyi(order: Sequence[float] | Floats, *, shift: float, time: float) -> Floats: ...
def laplace_renyi(order: Any, *, shift: float, time: float) -> Any:
    """D_α = log((α/(2α−1)) e^((α−1)s) + ((α−1)/(2α−1)) e^(−αs))/(α−1), α ≥ 1; s + e^(−s) − 1 at α = 1.

    With β = α − 1, κ = 2α − 1 and g = (1−e^(−κs))/κ it is s + log(1−βg)/β: no overflow. Near s = 0 this cancels, so
    the two parts that are second-order there are taken apart: (s − g) − (−βg − log(1−βg))/β.
    """
    s = _laplace_ratio(shift, time)
    beta = _orders(order) - 1
    kappa = 2 * beta + 1
    g = -np.expm1(-kappa * s) / kappa
    second_order = expm1_minus_x(-kappa * s) / kappa
    # At β = 0 the second part is 0; any positive divisor says so.
    curvature = x_minus_log1p(-beta * g) / np.where(beta > 0, beta, 1.0)
    return like_argument(second_order - curvature, order)


def log_renyi_tail(epsilon: float, *, order: float, divergence: float) -> float:
    """(R): log P(sup_{t ≥ t₀} L_t ≥ ε) ≤ −α(ε − D_{1+α}(t₀)), order = 1 + α > 1, divergence = D_{1+α}(t₀); at most 0.

    e^(−L) is a martingale as the time decreases, so e^(αL) is a submartingale and Doob's maximal inequality applies:
    any noise-reduction mechanism, any looks down to the pre-set t₀.
    """
    for name, parameter in (("epsilon", epsilon), ("divergence", divergence)):
        if one_number(name, parameter) < 0:
            raise ValueError(f"{name} is {parameter!r}: it must be finite and not negative")
    if one_number("order", order) <= 1:
        raise ValueError(f"order is {order!r}: it must be finite and above 1")
    return min(0.0, -(order - 1) * (epsilon - divergence))


def log_gaussian_renyi_tail(epsilon: float, *, shift: float, time: float) -> float:
    """(R) for Gaussian noise at its best order 1 + α, α = ε/s² − 1/2: −(ε − s²/2)²/(2s²), 0 for ε ≤ s²/2."""
    s = _gaussian_ratio(shift, time)
    require_positive(epsilon=epsilon)
    return -0.5 * max(0.0, epsilon / s - s / 2) ** 2
