"""The hockey-stick divergence and the tail of the privacy loss of one release, for each family of noise.

P is the law of the release at the value, P' at the value moved by `shift`; L = log dP/dP'. All noises are symmetric,
so the pair (P', P) has the same divergence, and ε < 0 is reduced to ε > 0:
H(ε) = E_P[(1 - e^{ε-L})₊] = 1 - e^ε + e^ε H(-ε).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Protocol, overload

import numpy as np
from numpy.typing import ArrayLike

from nrverify.laws.brownian import Brownian
from nrverify.laws.discrete_gaussian import DiscreteGaussian
from nrverify.laws.discrete_laplace import DiscreteLaplace
from nrverify.laws.divergence import closed_forms, discrete_gaussian, discrete_laplace, laplace_sums, skellam
from nrverify.laws.laplace import Laplace
from nrverify.laws.skellam import Skellam
from nrverify.laws.validation.boundaries import like_argument, require_positive
from nrverify.laws.validation.times import Floats, integer, real

_LARGEST_SHIFT = 2**53
"""Beyond it an integer is not exactly a double, and neither are the losses."""


class _Family(Protocol):
    """What a family knows of its pair of laws at the nonzero |shifts| of its coordinates, at least one."""

    def hockey_stick(self, epsilons: Floats) -> Floats:
        """E_P[(1 - e^{ε-L})₊] for each ε >= 0."""

    def loss_tail(self, epsilons: Floats) -> Floats:
        """P(L > ε) for each ε."""


@overload
def hockey_stick(process: Any, epsilon: float, *, shift: ArrayLike, time: float) -> float: ...
@overload
def hockey_stick(process: Any, epsilon: Sequence[float] | Floats, *, shift: ArrayLike, time: float) -> Floats: ...
def hockey_stick(process: Any, epsilon: Any, *, shift: ArrayLike, time: float) -> Any:
    """sup_S P(S) − e^ε P'(S): the least δ for which one release is (ε, δ)-private for this pair of values.

    `process` is one of Brownian, Laplace, Skellam, DiscreteLaplace, DiscreteGaussian; `shift` a number, or one for
    each coordinate (integers for the integer families); ε any real number. Relative accuracy 1e-10 down to 1e-300.
    ε and shift/time are taken as the exact numbers they are in double precision: at an ε that equals a loss of positive
    probability in decimal digits only, the answer is that of the two doubles.
    """
    family, asked = _family(process, shift, time), real("epsilon", epsilon)
    flat = asked.reshape(-1)
    least = np.where(flat < 0, -np.expm1(np.minimum(flat, 0.0)), 0.0)
    if family is not None:
        with np.errstate(all="ignore"):
            least = least + np.exp(np.minimum(flat, 0.0)) * family.hockey_stick(np.abs(flat))
    return like_argument(least.reshape(asked.shape), epsilon)


@overload
def loss_tail(process: Any, epsilon: float, *, shift: ArrayLike, time: float) -> float: ...
@overload
def loss_tail(process: Any, epsilon: Sequence[float] | Floats, *, shift: ArrayLike, time: float) -> Floats: ...
def loss_tail(process: Any, epsilon: Any, *, shift: ArrayLike, time: float) -> Any:
    """P(L > ε) under the law at the value: the δ of probabilistic privacy; arguments as for `hockey_stick`.

    The inequality is strict: a loss equal to ε, which has positive probability in all families but Brownian, is not
    counted.
    """
    family, asked = _family(process, shift, time), real("epsilon", epsilon)
    flat = asked.reshape(-1)
    with np.errstate(all="ignore"):
        tail = np.where(flat < 0, 1.0, 0.0) if family is None else np.minimum(family.loss_tail(flat), 1.0)
    return like_argument(tail.reshape(asked.shape), epsilon)


def _family(process: Any, shift: ArrayLike, time: float) -> _Family | None:
    """The pair of laws; None where the shift is 0 in every coordinate."""
    require_positive(time=time)
    time = float(time)
    if isinstance(process, Brownian):
        distance = math.hypot(*_sizes(real("shift", shift)))
        return _Gaussian(distance, time) if distance > 0 else None
    if isinstance(process, Laplace):
        sizes = _nonzero(_sizes(real("shift", shift)))
        return laplace_sums.LaplaceLosses(sizes, time) if sizes else None
    if not isinstance(process, (Skellam, DiscreteLaplace, DiscreteGaussian)):
        raise ValueError(
            f"process is {process!r}: it must be a Brownian, Laplace, Skellam, DiscreteLaplace or DiscreteGaussian; "
            "the divergence of another law is not known in closed form: integrate its densities"
        )
    whole = [int(size) for size in _nonzero(_sizes(integer("shift", shift)))]
    if whole and max(whole) > _LARGEST_SHIFT:
        raise ValueError(
            f"shift is {max(whole)}: it must not exceed {_LARGEST_SHIFT} in size; losses are doubles: scale it"
        )
    if not whole:
        return None
    if isinstance(process, DiscreteLaplace):
        return discrete_laplace.DiscreteLaplaceLosses(whole, time)
    if isinstance(process, DiscreteGaussian):
        return discrete_gaussian.DiscreteGaussianLosses(whole, time)
    return skellam.SkellamLosses(whole, float(process.marginal(time).variance))


def _sizes(shift: Any) -> list[Any]:
    if shift.ndim > 1 or shift.size == 0:
        raise ValueError(
            f"shift of shape {shift.shape} must be one number, or one for each coordinate; pass a number or a list"
        )
    return [abs(size) for size in np.atleast_1d(shift).tolist()]


def _nonzero(sizes: list[Any]) -> list[Any]:
    """Coordinates that do not move lose nothing."""
    return [size for size in sizes if size != 0]


class _Gaussian:
    """Brownian noise: the law of the loss depends on the Euclidean distance only."""

    def __init__(self, distance: float, time: float) -> None:
        self.at = {"shift": distance, "time": time}
        self.ratio = distance / math.sqrt(time)

    def hockey_stick(self, epsilons: Floats) -> Floats:
        # Φ(-a) - e^ε Φ(-b) is 0 or 1 in double precision where a = ε/s - s/2 is beyond ±40.
        a = epsilons / self.ratio - self.ratio / 2
        inner = np.abs(a) <= 40
        least = np.where(a < 0, 1.0, 0.0)
        least[inner] = np.exp(closed_forms.log_gaussian_hockey_stick(epsilons[inner], **self.at))
        return least

    def loss_tail(self, epsilons: Floats) -> Floats:
        return np.asarray(np.exp(closed_forms.log_gaussian_loss_tail(epsilons, **self.at)))
