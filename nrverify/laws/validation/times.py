"""The arguments of the laws, checked once where they enter: times, given values, points and releases."""

import sys
from decimal import Decimal
from numbers import Real
from typing import Any

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
        raise ValueError(f"{name} is {_first(numbers, ~np.isfinite(numbers))}: it must be finite; pass a real number")
    return numbers


def positive(name: str, argument: ArrayLike) -> Floats:
    """The argument as an array of finite reals > 0."""
    numbers = _numbers(name, argument)
    bad = ~(np.isfinite(numbers) & (numbers > 0))
    if np.any(bad):
        raise ValueError(f"{name} is {_first(numbers, bad)}: it must be finite and > 0; pass a positive real number")
    return numbers


def integer(name: str, argument: ArrayLike) -> Integers:
    """The argument as an array of integers; integer-valued reals are accepted."""
    raw = _numeric(name, argument)
    if np.issubdtype(raw.dtype, np.integer):
        bad = (raw > LARGEST_INTEGER) | (raw < -LARGEST_INTEGER)
    else:
        raw = _numbers(name, argument)
        bad = ~(np.abs(raw) <= LARGEST_INTEGER)
        bad |= np.where(bad, 0.0, raw) % 1 != 0
    if np.any(bad):
        raise ValueError(
            f"{name} is {_first(raw, bad)}: it must be an integer of at most {LARGEST_INTEGER} in size; "
            "this noise lives on the integers: round the query first"
        )
    return raw.astype(np.int64)


def extended(name: str, argument: ArrayLike) -> Floats:
    """The argument as an array of reals or infinities, never NaN."""
    numbers = _numbers(name, argument)
    if np.any(np.isnan(numbers)):
        raise ValueError(f"{name} is nan: it is not a point of the line; pass a real number or an infinity")
    return numbers


def points(argument: ArrayLike, *parameters: NDArray[np.generic]) -> Floats:
    """The points where a law of these parameters is asked."""
    numbers = extended("x", argument)
    own = np.broadcast_shapes(*(p.shape for p in parameters))
    if not _fit(numbers.shape, own):
        raise ValueError(f"x of shape {numbers.shape} must broadcast to the law, of shape {own}; pass matching shapes")
    return numbers


def levels(argument: ArrayLike) -> Floats:
    """Probabilities, for a quantile."""
    numbers = _numbers("q", argument)
    bad = ~((numbers >= 0) & (numbers <= 1))
    if np.any(bad):
        raise ValueError(f"q is {_first(numbers, bad)}: it must be a probability; pass a number in [0, 1]")
    return numbers


def times(s: ArrayLike, t: ArrayLike) -> tuple[Floats, Floats]:
    """Two times 0 < s <= t, broadcast against each other."""
    early, late = broadcast(s=positive("s", s), t=positive("t", t))
    bad = early > late
    if np.any(bad):
        raise ValueError(
            f"s is {_first(early, bad)}: it must not exceed t = {_first(late, bad)}: "
            "s is the time of less noise; swap the two"
        )
    return early, late


def nested(s: ArrayLike, low: ArrayLike, high: ArrayLike) -> tuple[Floats, Floats, Floats]:
    """Three times 0 < low < s < high, broadcast against each other."""
    found = broadcast(s=positive("s", s), low=positive("low", low), high=positive("high", high))
    time, lower, upper = found
    bad = ~((lower < time) & (time < upper))
    if np.any(bad):
        raise ValueError(
            f"s is {_first(time, bad)}: it must lie between low = {_first(lower, bad)} and "
            f"high = {_first(upper, bad)}: they are the times of the nearest releases on both sides; order the three"
        )
    return time, lower, upper


def broadcast(**arrays: Floats) -> tuple[Floats, ...]:
    """The arrays brought to one shape."""
    try:
        return np.broadcast_arrays(*arrays.values())
    except ValueError:
        shapes = ", ".join(f"{name} of shape {array.shape}" for name, array in arrays.items())
        raise ValueError(f"{shapes} must broadcast against each other; pass matching shapes") from None


def coordinates(
    t: Floats, value: NDArray[np.generic], neighbour: NDArray[np.generic], release: NDArray[np.generic]
) -> bool:
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
    if value.shape == (0,):
        raise ValueError("value of shape (0,) has no coordinates; pass at least one")
    looks = release.shape[:-1] if value.ndim == 1 else release.shape
    if not _fit(t.shape, looks):
        raise ValueError(
            f"t of shape {t.shape} must broadcast against the releases, of shape {looks}; give one time each"
        )
    return value.ndim == 1


def shape(size: Size, *parameters: NDArray[np.generic]) -> tuple[int, ...]:
    """The shape of a draw: `size`, to which the parameters must broadcast, or their own."""
    own = np.broadcast_shapes(*(p.shape for p in parameters))
    if size is None:
        return own
    asked = tuple(size) if isinstance(size, (tuple, list)) else (size,)
    whole = all(isinstance(n, (int, np.integer)) and not isinstance(n, bool) and n >= 0 for n in asked)
    if not (whole and _fit(own, asked) and np.broadcast_shapes(own, asked) == asked):
        raise ValueError(
            f"size is {size!r}: it must be a shape the parameters, of shape {own}, broadcast to; give that shape"
        )
    return asked


def generator(rng: np.random.Generator) -> np.random.Generator:
    """The source of the randomness of a draw."""
    if not isinstance(rng, np.random.Generator):
        raise TypeError(f"rng is {rng!r}: it must be a numpy.random.Generator; pass np.random.default_rng(seed)")
    return rng


def _fit(*shapes: tuple[int, ...]) -> bool:
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        return False
    return True


def _numbers(name: str, argument: ArrayLike) -> Floats:
    try:
        return _numeric(name, argument).astype(np.float64, copy=False)
    except OverflowError:
        raise ValueError(
            f"{name} is {_shown(argument)}: it must be within the range of a float; it overflows"
        ) from None


def _numeric(name: str, argument: ArrayLike) -> NDArray[Any]:
    """The argument as an array of numbers; texts, truth values and complex numbers are none."""
    try:
        raw = np.asarray(argument)
    except ValueError:
        raise ValueError(f"{name} is {_shown(argument)}: it must be a real number or an array of them") from None
    exact = raw.dtype.kind == "O" and all(isinstance(n, (Real, Decimal)) and not isinstance(n, bool) for n in raw.flat)
    if not (exact or raw.dtype.kind in "iuf"):
        raise ValueError(f"{name} is {_shown(argument)}: it must be a real number or an array of them")
    return raw


def _shown(argument: object) -> str:
    """The argument as in an error message: huge integers and arrays are cut short."""
    try:
        text = repr(argument)
    except ValueError:  # an integer of more digits than Python prints
        text = f"an integer of more than {sys.get_int_max_str_digits()} digits"
    return text if len(text) <= 100 else f"{text[:80]}…"


def _first(numbers: NDArray[np.generic], bad: NDArray[np.bool_]) -> object:
    return np.broadcast_to(numbers, bad.shape)[bad].flat[0].item()
