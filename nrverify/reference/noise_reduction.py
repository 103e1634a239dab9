"""One session of a noise reduction mechanism: f(x) released with less and less noise (Definitions bm and lnr)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from nrverify.reference.arguments import integer_value, real_value
from nrverify.reference.reverse_steps import BROWNIAN, LAPLACE, Path, skellam

Rng = np.random.Generator | int | None


class BrownianMechanism:
    """f(x) + B_t at non-increasing times t, B a standard Brownian motion in d dimensions; t is the variance.

    For study and tests: its noise is drawn in double precision, and its last bits are not safe.

    Parameters
    ----------
    value
        f(x): a number or an array.
    rng
        A numpy generator or a seed; by default seeded by the operating system.

    Examples
    --------
    >>> from nrverify import BrownianMechanism
    >>> session = BrownianMechanism(3.0, rng=1)
    >>> noisy, better = session.release(4.0), session.release(1.0)
    >>> session.release(1.0) == better  # the same time is the same release
    True
    >>> session
    <BrownianMechanism: d = 1, last release at t = 1>
    >>> session.release(2.0)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    ValueError: time is 2.0 after 1.0: it must not increase; noise once removed cannot be put back...
    """

    def __init__(self, value: npt.ArrayLike, rng: Rng = None) -> None:
        self._value = real_value(value)
        self._path = Path(BROWNIAN, self._value.shape, np.random.default_rng(rng))

    def release(self, t: float) -> Any:
        """f(x) + B_t, in the shape of the value; ValueError if t increases, is not positive or not finite."""
        return _shaped_like_value(self._value + self._path.at(t))

    def __repr__(self) -> str:
        """Where the session is; the value is not shown."""
        return _session(self, self._value, self._path)


class LaplaceNoiseReduction:
    """f(x) + Z_t at non-increasing times t, the coordinates of Z independent Laplace processes; t is the scale.

    One Poisson process for all coordinates, as the paper's wording has it, would not give product Laplace noise.

    Parameters
    ----------
    value
        f(x): a number or an array.
    rng
        A numpy generator or a seed; by default seeded by the operating system.

    Examples
    --------
    >>> from nrverify import LaplaceNoiseReduction
    >>> session = LaplaceNoiseReduction([3.0, -1.0], rng=1)
    >>> session.release(4.0).shape
    (2,)
    """

    def __init__(self, value: npt.ArrayLike, rng: Rng = None) -> None:
        self._value = real_value(value)
        self._path = Path(LAPLACE, self._value.shape, np.random.default_rng(rng))

    def release(self, t: float) -> Any:
        """f(x) + Z_t, in the shape of the value; ValueError if t increases, is not positive or not finite."""
        return _shaped_like_value(self._value + self._path.at(t))

    def __repr__(self) -> str:
        """Where the session is; the value is not shown."""
        return _session(self, self._value, self._path)


class SkellamNoiseReduction:
    """f(x) + X_t at non-increasing times t, X_t ~ Skell(rate·t, rate·t) per coordinate, f(x) integer.

    Parameters
    ----------
    value
        f(x): an integer or an array of integers.
    rate
        Both Poisson counts have mean rate·t.
    rng
        A numpy generator or a seed; by default seeded by the operating system.

    Examples
    --------
    >>> from nrverify import SkellamNoiseReduction
    >>> session = SkellamNoiseReduction(412, rng=1)
    >>> isinstance(session.release(4.0), int)
    True
    """

    def __init__(self, value: npt.ArrayLike, rate: float = 1.0, rng: Rng = None) -> None:
        self._value = integer_value(value)
        self._path = Path(skellam(rate), self._value.shape, np.random.default_rng(rng))

    def release(self, t: float) -> Any:
        """f(x) + X_t, integers in the shape of the value; ValueError if t increases, is not positive or not finite."""
        return _shaped_like_value(self._value + self._path.at(t))

    def __repr__(self) -> str:
        """Where the session is; the value is not shown."""
        return _session(self, self._value, self._path)


def _session(mechanism: object, value: npt.NDArray[Any], path: Path) -> str:
    """The name, the dimension and the last time of a session."""
    return f"<{type(mechanism).__name__}: d = {value.size}, {path.where}>"


def _shaped_like_value(release: npt.NDArray[Any]) -> Any:
    """A plain number for a number; otherwise the array, which is fresh and the caller's own."""
    return release.item() if release.ndim == 0 else release
