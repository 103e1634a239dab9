"""The arguments of the laws, checked once where they enter: times, given values, points and releases."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nrverify.laws.process import Size

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

LARGEST_INTEGER = 2**62  # differences of two such integers still fit in 64 bits


def real(name: str, argument: ArrayLike) -> Floats:
    """The argument as an array of finite reals."""
    numbers = _numbers(name, argument)
    if not np.all(np.isfinite(numbers)):
        raise ValueError(f"{name} = {_first(numbers, ~np.isfinite(numbers))} must be finite; pass a real number")
    return numbers


def positive(name: str, argument: ArrayLike) -> Floats:
    """The argument as an array of finite reals > 0."""
    numbers = _numbers(name, argument)
    bad = ~(np.isfinite(numbers) & (numbers > 0))
    if np.any(bad):
        raise ValueError(f"{name} = {_first(numbers, bad)} must be finite and > 0; pass a positive real number")
    return numbers


def integer(name: str, argument: ArrayLike) -> Integers:
    """The argument as an array of integers; reals that are whole numbers are integers."""
    raw = np.asarray(argument)
    if np.issubdtype(raw.dtype, np.integer):
        bad = (raw > LARGEST_INTEGER) | (raw < -LARGEST_INTEGER)
    else:
        raw = _numbers(name, argument)
        bad = ~(np.abs(raw) <= LARGEST_INTEGER)
        bad |= np.where(bad, 0.0, raw) % 1 != 0
    if np.any(bad):
        raise ValueError(
            f"{name} = {_first(raw, bad)} must be an integer of at most {LARGEST_INTEGER} in size; "
            "Skellam noise lives on the integers: round the query first"
        )
    return raw.astype(np.int64)


def points(argument: ArrayLike) -> Floats:
    """The points where a law is asked: reals or infinities, never NaN."""
    numbers = _numbers("x", argument)
    if np.any(np.isnan(numbers)):
        raise ValueError("x = nan is no point of the line; pass a real number or an infinity")
    return numbers


def levels(argument: ArrayLike) -> Floats:
    """Probabilities, for a quantile."""
    numbers = _numbers("q", argument)
    bad = ~((numbers >= 0) & (numbers <= 1))
    if np.any(bad):
        raise ValueError(f"q = {_first(numbers, bad)} must be a probability; pass a number in [0, 1]")
    return numbers


def times(s: ArrayLike, t: ArrayLike) -> tuple[Floats, Floats]:
    """Two times 0 < s <= t, broadcast against each other."""
    early, late = np.broadcast_arrays(positive("s", s), positive("t", t))
    bad = early > late
    if np.any(bad):
        raise ValueError(
            f"s = {_first(early, bad)} must not exceed t = {_first(late, bad)}: "
            "s is the time of less noise; swap the two"
        )
    return early, late


def coordinates(value: NDArray[np.generic], neighbour: NDArray[np.generic], release: NDArray[np.generic]) -> bool:
    """Whether the loss is summed over the last axis of `release`, because `value` has coordinates."""
    if value.shape != neighbour.shape or value.ndim > 1:
        raise ValueError(
            f"value of shape {value.shape} and neighbour of shape {neighbour.shape} must be two scalars "
            "or two arrays of the same shape (d,); pass both in the same form"
        )
    if value.ndim == 1 and (release.ndim == 0 or release.shape[-1] != value.shape[0]):
        raise ValueError(
            f"release of shape {release.shape} must have the {value.shape[0]} coordinates of value on its last axis; "
            "pass shape (..., d)"
        )
    return value.ndim == 1


def shape(size: Size, *parameters: NDArray[np.generic]) -> tuple[int, ...]:
    """The shape of a draw: `size`, to which the parameters must broadcast, or their own."""
    own = np.broadcast_shapes(*(p.shape for p in parameters))
    if size is None:
        return own
    asked = (size,) if isinstance(size, (int, np.integer)) else tuple(size)
    try:
        fits = np.broadcast_shapes(own, asked) == asked
    except ValueError:
        fits = False
    if not fits:
        raise ValueError(f"size = {size} must be a shape the parameters, of shape {own}, broadcast to; give that shape")
    return asked


def _numbers(name: str, argument: ArrayLike) -> Floats:
    try:
        return np.asarray(argument, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} = {argument!r} must be a real number or an array of them") from None


def _first(numbers: NDArray[np.generic], bad: NDArray[np.bool_]) -> object:
    return np.broadcast_to(numbers, bad.shape)[bad].flat[0].item()
