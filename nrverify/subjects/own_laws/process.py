"""A law of one's own as a process: what its interface leaves out is derived, and nothing is guessed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nrverify.plain_text import plain_text
from nrverify.subjects.address import describe_error
from nrverify.subjects.own_laws.place import Place, found_at, remember

Floats = NDArray[np.float64]

WIDEST = 1e15
"""Quantiles are sought up to this size: beyond, a double has no room for noise of order one."""
HALVINGS = 120
"""Of the interval in which a quantile is sought: from 1e15 down to the last bit."""


class LawFailed(Exception):
    """A law of one's own raised, or answered what is not a number of the shape asked for: a usage error."""

    def __init__(self, words: str) -> None:
        super().__init__(plain_text(words, one_line=True))


class OwnLaw:
    """A law on the line: `logpdf`, `cdf` and `sf` of an object, and what follows from them."""

    def __init__(self, law: Any, what: str, integer: bool, given: ArrayLike | None = None) -> None:
        self._law, self._what, self._integer = law, what, integer
        self._given = None if given is None else np.asarray(given, dtype=np.float64)
        if callable(getattr(law, "score", None)) and not np.any(self.atom):
            self.score = lambda x: self._ask("score", x)

    @property
    def given(self) -> float | None:
        """What is given, where it is one number."""
        return float(self._given) if self._given is not None and self._given.ndim == 0 else None

    @property
    def atom(self) -> Any:
        """The weight at `given`, 0 where the law names none."""
        found = getattr(self._law, "atom", None)
        try:
            return np.asarray(0.0 if found is None else found, dtype=np.float64)[()]
        except (TypeError, ValueError, OverflowError):
            raise LawFailed(f"{self._what}.atom is {found!r:.100}: it must be a number from 0 to 1") from None

    def logpdf(self, x: ArrayLike) -> Any:
        """log of the density of the continuous part, or of the pmf."""
        return self._ask("logpdf", x)

    def cdf(self, x: ArrayLike) -> Any:
        """P(X <= x), with the atom."""
        return self._ask("cdf", x)

    def sf(self, x: ArrayLike) -> Any:
        """P(X > x)."""
        return self._ask("sf", x)

    def cdf_left(self, x: ArrayLike) -> Any:
        """P(X < x)."""
        if self._integer:
            return self.cdf(np.ceil(np.asarray(x, dtype=np.float64)) - 1)
        if self._given is None or not np.any(self.atom):
            return self.cdf(x)
        return self.cdf(x) - np.where(np.asarray(x) == self._given, self.atom, 0.0)

    @property
    def draws(self) -> bool:
        """Whether the law has an `rvs` of its own."""
        return callable(getattr(self._law, "rvs", None))

    def rvs(self, rng: np.random.Generator, size: Any = None) -> Any:
        """A draw by the law's own `rvs`, or by inverting its cdf."""
        if self.draws:
            frozen = type(self._law).__module__.startswith("scipy.stats")  # whose rvs has the arguments the other way
            drawn = self._law.rvs(size=size, random_state=rng) if frozen else self._law.rvs(rng, size)
            return np.asarray(drawn, dtype=np.float64)
        shape = size if size is not None else np.shape(self.cdf(0.0))
        return self.quantile(rng.random(shape))

    def quantile(self, probability: ArrayLike) -> Floats:
        """The smallest x with cdf(x) >= probability, by bisection; an integer where the law is on the integers."""
        wanted = np.asarray(probability, dtype=np.float64)
        shape = np.broadcast_shapes(wanted.shape, np.shape(self.cdf(0.0)))
        low, high = np.full(shape, -WIDEST), np.full(shape, WIDEST)
        for _ in range(HALVINGS):
            # Evenly in the logarithm while far from 0, so that few steps find noise of any size.
            middle = _between(low, high)
            middle = np.floor(middle) if self._integer else middle
            below = np.asarray(self.cdf(middle)) < wanted
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        return high

    def _ask(self, name: str, x: ArrayLike) -> Any:
        point = np.asarray(x, dtype=np.float64)
        try:
            with np.errstate(all="ignore"):
                found = np.asarray(getattr(self._law, name)(point), dtype=np.float64)
        except Exception as error:
            raise LawFailed(f"{self._what}.{name}() raised {describe_error(error)}") from error
        return found[()]


class OwnProcess:
    """The process that a law of one's own describes. Who is sent one loads the law from its address."""

    def __init__(self, law: Any, place: Place | None = None) -> None:
        self.law = law
        integer = getattr(law, "integer", None)
        if not (integer is None or isinstance(integer, (bool, np.bool_))):
            raise LawFailed(f"integer is {integer!r:.100}: it must be True or False")
        self.integer = bool(integer)
        self.place = place or Place()
        remember(self.place, self)
        if callable(getattr(law, "forward", None)):
            self.forward = self._forward

    def __reduce__(self) -> tuple[Any, ...]:
        return found_at, (self.place,)

    def marginal(self, t: ArrayLike) -> OwnLaw:
        """The law of X_t."""
        return self._made("marginal", None, t)

    def bridge(self, s: ArrayLike, t: ArrayLike, given: ArrayLike) -> OwnLaw:
        """The law of X_s given X_t = given, 0 < s < t."""
        return self._made("bridge", given, s, t, given)

    def _forward(self, s: ArrayLike, t: ArrayLike, given: ArrayLike) -> OwnLaw:
        return self._made("forward", given, s, t, given)

    def loss(self, t: ArrayLike, value: ArrayLike, neighbour: ArrayLike, release: ArrayLike) -> Any:
        """log p_t(release − value) − log p_t(release − neighbour), summed over coordinates of vectors.

        0 for a release that neither value can give: it says nothing of which it was, and the law refutes it.
        """
        value, neighbour, release = (np.asarray(x, dtype=np.float64) for x in (value, neighbour, release))
        summed = np.ndim(value) > 0 or np.ndim(neighbour) > 0
        times = np.asarray(t, dtype=np.float64)
        law = self.marginal(times[..., None] if summed else times)
        with np.errstate(invalid="ignore"):
            found = np.asarray(law.logpdf(release - value) - law.logpdf(release - neighbour))
            found = found.sum(axis=-1) if summed else found
        return np.where(np.isnan(found), 0.0, found)[()]

    def _made(self, name: str, given: ArrayLike | None, *arguments: ArrayLike) -> OwnLaw:
        try:
            law = getattr(self.law, name)(*(np.asarray(x, dtype=np.float64) for x in arguments))
        except Exception as error:
            raise LawFailed(f"{name}() raised {describe_error(error)}") from error
        return OwnLaw(law, name, self.integer, given)


def _between(low: Floats, high: Floats) -> Floats:
    """Between two numbers, evenly in sign·log(1 + |x|) while they are far apart."""
    far = (high - low) > 1e3 * (1 + np.minimum(np.abs(low), np.abs(high)))
    folded = 0.5 * (np.arcsinh(low) + np.arcsinh(high))
    return np.asarray(np.where(far, np.sinh(folded), 0.5 * low + 0.5 * high))
